/* The report at the end of a run: a matrix of scenarios and subjects, the reasons for failures, and
 * counts. */
#ifndef CONFORMANCE_REPORT_MATRIX_H
#define CONFORMANCE_REPORT_MATRIX_H

#include "conformance/verdict/record.h"
#include "reference/base/vector.h"

/* A column of the matrix. */
typedef struct cnf_column {
    rt_text subject;
    rt_text install; /* the command that installs the subject; empty: built in */
} cnf_column;

/* The records of one run, kept until its end.  Zero-initialise it. */
typedef struct cnf_report {
    rt_arena arena;
    RT_VECTOR(cnf_record) records;
    const cnf_expectations *expectations; /* applied to the records; borrowed; NULL: none */
    rt_text rerun_options; /* the options that a command line needs to repeat the run; borrowed */
} cnf_report;

/* Keeps a copy of the record. */
void cnf_report_add(cnf_report *report, const cnf_record *record);

/* True if the record is UNAVAILABLE because the subject is not installed; an UNAVAILABLE with a
 * signature means that the compiler is missing. */
bool cnf_report_is_missing(const cnf_record *record);

/* Sorts the records into the order of all reports: by scenario, then by subject. */
void cnf_report_sort(cnf_report *report);

/* The exit status of the records: 3, 2, 1 or 0 for the worst verdict, and 4 if nothing ran and
 * nothing failed. An unused entry of an expectation file counts as an unexpected verdict. */
int cnf_report_exit_status(const cnf_report *report);

/* Writes the matrix, the reason for every unexpected verdict, a line for each skip (its
 * capability), known failure (class, reason, entry), partly observed verdict and unused expectation
 * entry, and finally one line of counts per column: for example "pocl: 9 PASS, 2 SKIP, 0 XFAIL",
 * followed by all other verdicts that occurred. A subject that was never available has, instead of
 * a column, a line with the command that installs it. */
void cnf_report_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                      uint32_t column_count, bool colour);

/* Appends the command line, with a newline, that runs a record's scenario again on its subject (and
 * on sim, if the verdict results from a comparison with sim), or, if the scenario itself is
 * invalid, reads or compiles it again. */
void cnf_report_rerun_write(rt_buffer *out, const cnf_report *report, const cnf_record *record);

/* Appends the command line, with a newline, that explains the record's verdict. The record must be
 * a subject's. */
void cnf_report_why_write(rt_buffer *out, const cnf_report *report, const cnf_record *record);

/* Appends the expectation entry that applies to a verdict, as indented lines; nothing if none
 * applies. */
void cnf_known_write(rt_buffer *out, const cnf_known *known);

/* Frees everything. */
void cnf_report_free(cnf_report *report);

#endif
