/* Progress of a run, on stderr while it runs. */
#ifndef CONFORMANCE_REPORT_PROGRESS_H
#define CONFORMANCE_REPORT_PROGRESS_H

#include "conformance/report/record.h"

#include <stdio.h>

typedef struct cnf_progress {
    FILE *out;
    bool rewrites; /* a terminal: one line that is rewritten */
    uint32_t done, total, unexpected;
} cnf_progress;

/* Progress of `total` verdicts to come. */
cnf_progress cnf_progress_begin(FILE *out, bool is_terminal, uint32_t total);

/* Counts a verdict.  An unexpected one is printed at once, also where there is no terminal. */
void cnf_progress_add(cnf_progress *progress, const cnf_record *record);

/* Takes the line away. */
void cnf_progress_end(cnf_progress *progress);

#endif
