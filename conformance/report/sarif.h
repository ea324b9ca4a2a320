/* The report of a run as SARIF 2.1.0, the form in which code hosts show findings beside the line
 * that they are about: the scenario's.
 *
 * A result for each verdict that says something is wrong: level "error" where it is unexpected,
 * "note" with a suppression where an expectation file knows it.  Its rule is the documents' one
 * that the failed check cites, with statement, reading and a link to the document; where the check
 * cites none it is one of our own for the verdict, "assay-crash".  PASS, LINKED, SKIP and a subject
 * that is not installed are no results.
 *
 * Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0. */
#ifndef CONFORMANCE_REPORT_SARIF_H
#define CONFORMANCE_REPORT_SARIF_H

#include "conformance/report/matrix.h"
#include "conformance/requirements/rules.h"

/* Appends the document.  `rules` may be NULL: rules have no text then.  `version` is assay's. Bytes
 * that are not UTF-8 become U+FFFD. */
void cnf_sarif_write(rt_buffer *out, cnf_report *report, const cnf_rules *rules, rt_text version);

#endif
