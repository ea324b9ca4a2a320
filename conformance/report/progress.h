/* The progress of a run, shown on stderr. */
#ifndef CONFORMANCE_REPORT_PROGRESS_H
#define CONFORMANCE_REPORT_PROGRESS_H

#include "conformance/verdict/record.h"

#include <stdio.h>

enum { CNF_PROGRESS_NAME = 64, CNF_PROGRESS_NAMES = 4 };

typedef struct cnf_progress {
    FILE *out;     /* NULL: nothing is shown */
    bool rewrites; /* output is a terminal: one line is redrawn */
    uint32_t done, total, unexpected;
    double begin_ms, drawn_ms;                           /* start of the run, time of the last
                                                          * redraw */
    char running[CNF_PROGRESS_NAMES][CNF_PROGRESS_NAME]; /* "linking/chain.yaml on pocl" */
} cnf_progress;

/* Starts the display for `total` verdicts; if `out` is NULL, nothing is displayed. */
cnf_progress cnf_progress_begin(FILE *out, bool is_terminal, uint32_t total);

/* Notes that a scenario started on a subject. The line names some of the running scenarios. */
void cnf_progress_begun(cnf_progress *progress, rt_text scenario, rt_text subject);

/* Counts a verdict. An unexpected verdict is printed immediately, even without a terminal. */
void cnf_progress_add(cnf_progress *progress, const cnf_record *record);

/* Appends the terminal's line at `now_ms` after the start, at most `width` columns, for example
 * "[ 42%] 21/50, 1 unexpected, 0:12 left: linking/chain.yaml on pocl". */
void cnf_progress_line(const cnf_progress *progress, double now_ms, uint32_t width, rt_buffer *out);

/* Clears the line. */
void cnf_progress_end(cnf_progress *progress);

#endif
