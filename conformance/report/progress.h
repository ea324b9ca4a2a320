/* Progress of a run, on stderr while it runs. */
#ifndef CONFORMANCE_REPORT_PROGRESS_H
#define CONFORMANCE_REPORT_PROGRESS_H

#include "conformance/verdict/record.h"

#include <stdio.h>

enum { CNF_PROGRESS_NAME = 64, CNF_PROGRESS_NAMES = 4 };

typedef struct cnf_progress {
    FILE *out;
    bool rewrites; /* a terminal: one line that is rewritten */
    uint32_t done, total, unexpected;
    double begin_ms, drawn_ms;                           /* when it began, and was drawn last */
    char running[CNF_PROGRESS_NAMES][CNF_PROGRESS_NAME]; /* "linking/chain.yaml on pocl" */
} cnf_progress;

/* Progress of `total` verdicts to come. */
cnf_progress cnf_progress_begin(FILE *out, bool is_terminal, uint32_t total);

/* Names a scenario that runs now on a subject; some of those that run are shown. */
void cnf_progress_begun(cnf_progress *progress, rt_text scenario, rt_text subject);

/* Counts a verdict.  An unexpected one is printed at once, also where there is no terminal. */
void cnf_progress_add(cnf_progress *progress, const cnf_record *record);

/* Appends what a terminal shows `now_ms` after the beginning: "[ 42%] 21/50, 1 unexpected, 0:12
 * left: linking/chain.yaml on pocl", at most `width` columns. */
void cnf_progress_line(const cnf_progress *progress, double now_ms, uint32_t width, rt_buffer *out);

/* Takes the line away. */
void cnf_progress_end(cnf_progress *progress);

#endif
