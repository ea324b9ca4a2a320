/* --write-expectations: entries for everything unexpected. */
#ifndef CONFORMANCE_CLI_BASELINE_H
#define CONFORMANCE_CLI_BASELINE_H

#include "conformance/report/matrix.h"

/* Adds entries for the report's unexpected verdicts to SUBJECT.yaml in the folder, which is created
 * if it does not exist, and prints how many on stderr, and which verdicts need a change by hand.
 * The report must be sorted. Returns false after reporting on stderr that a file cannot be extended
 * or written. */
bool cnf_baselines_write(const char *folder, const cnf_report *report);

#endif
