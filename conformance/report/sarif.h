/* The report of a run as SARIF 2.1.0, the format with which code hosts annotate lines of a file,
 * here the scenario. Each verdict that reports a problem is a result: its level is "error" if it is
 * unexpected, and "note" with a suppression if an expectation file has an entry for it. The
 * result's rule is the documents' rule that the failed check cites, with statement, reading and a
 * link to the document; a check without a citation uses a rule of our own for the verdict, such as
 * "assay-crash". PASS, LINKED, FLAKE, SKIP and subjects that are not installed give no results.
 * Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0. */
#ifndef CONFORMANCE_REPORT_SARIF_H
#define CONFORMANCE_REPORT_SARIF_H

#include "conformance/report/matrix.h"
#include "conformance/requirements/rules.h"

/* Appends the document. If `rules` is NULL, the rules in the document have no text. `version` is
 * assay's. Bytes that are not UTF-8 become U+FFFD. */
void cnf_sarif_write(rt_buffer *out, cnf_report *report, const cnf_rules *rules, rt_text version);

#endif
