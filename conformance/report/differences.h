/* The differential report: all scenarios and subjects in one table, those that disagree first, and
 * for every verdict that is not the documents' the explanation of `assay why`, which has the rule,
 * the first differing event with both traces from there on and the driver's calls, and the command
 * that shows it again.  A page of Markdown. */
#ifndef CONFORMANCE_REPORT_DIFFERENCES_H
#define CONFORMANCE_REPORT_DIFFERENCES_H

#include "conformance/report/matrix.h"
#include "conformance/report/why.h"

/* One explanation, kept until the end of the run. */
typedef struct cnf_difference {
    rt_text scenario, subject;
    bool expected; /* an expectation file knows it */
    rt_text text;  /* what `assay why` says */
    rt_text again; /* the command */
} cnf_difference;

/* Zero-initialise it. */
typedef struct cnf_differences {
    rt_arena arena;
    RT_VECTOR(cnf_difference) items;
} cnf_differences;

/* Keeps the explanation of a verdict that is not what the documents demand, known or not; does
 * nothing for others. */
void cnf_differences_add(cnf_differences *differences, const cnf_why *why,
                         const cnf_report *report);

/* Appends the page.  The report is that of the same run, its records in any order. */
void cnf_differences_write(rt_buffer *out, cnf_differences *differences, cnf_report *report,
                           const cnf_column *columns, uint32_t column_count);

/* Frees everything. */
void cnf_differences_free(cnf_differences *differences);

#endif
