/* The differential report, a page of Markdown: one table of all scenarios and subjects,
 * disagreements first. For each verdict that departs from the documents, a section follows with the
 * explanation of `assay why` (the rule, both traces from the first differing event on, the driver's
 * calls) and the command that reproduces it. */
#ifndef CONFORMANCE_REPORT_DIFFERENCES_H
#define CONFORMANCE_REPORT_DIFFERENCES_H

#include "conformance/report/matrix.h"
#include "conformance/report/why.h"

/* An explanation, kept until the end of the run. */
typedef struct cnf_difference {
    rt_text scenario, subject;
    bool expected; /* an expectation file has an entry for it */
    rt_text text;  /* output of `assay why` */
    rt_text rerun; /* command that reproduces it */
} cnf_difference;

/* The explanations of a run. Zero-initialise it. */
typedef struct cnf_differences {
    rt_arena arena;
    RT_VECTOR(cnf_difference) items;
} cnf_differences;

/* Keeps the explanation of a verdict that departs from the documents, known or not; does nothing
 * for other verdicts. */
void cnf_differences_add(cnf_differences *differences, const cnf_why *why,
                         const cnf_report *report);

/* Appends the page. The report must be that of the same run; its records may be in any order. */
void cnf_differences_write(rt_buffer *out, cnf_differences *differences, cnf_report *report,
                           const cnf_column *columns, uint32_t column_count);

/* Frees everything. */
void cnf_differences_free(cnf_differences *differences);

#endif
