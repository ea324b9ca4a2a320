/* The report at the end of a run: a matrix of scenario x subject, what went wrong, and counts. */
#ifndef CONFORMANCE_REPORT_MATRIX_H
#define CONFORMANCE_REPORT_MATRIX_H

#include "conformance/verdict/record.h"
#include "reference/base/vector.h"

/* A column of the matrix. */
typedef struct cnf_column {
    rt_text subject;
    rt_text install; /* the command that installs it; empty: always there */
} cnf_column;

/* The records of one run, kept until its end.  Zero-initialise it. */
typedef struct cnf_report {
    rt_arena arena;
    RT_VECTOR(cnf_record) records;
    const cnf_expectations *expectations; /* applied to the records; borrowed; NULL: none */
    rt_text again; /* options that a command must have to do the same; borrowed */
} cnf_report;

/* Keeps a copy of the record. */
void cnf_report_add(cnf_report *report, const cnf_record *record);

/* True for an UNAVAILABLE of the subject itself; one with a signature says that something else is
 * missing, the compiler. */
bool cnf_report_is_missing(const cnf_record *record);

/* Brings the records into the order in which every report shows them: by scenario, then subject. */
void cnf_report_sort(cnf_report *report);

/* The exit status that the records amount to: 3, 2, 1 or 0 by the worst of them, and 4 where
 * nothing ran and nothing was wrong.  An unused entry of an expectation file is as bad as an
 * unexpected verdict. */
int cnf_report_exit_status(const cnf_report *report);

/* Writes the matrix, the reason of every verdict that is not as expected, a line for
 * every skip (the capability asked), known failure (class, reason, entry), verdict that did not
 * see everything and entry that was not used, and last one line of counts for each column: "pocl: 9
 * PASS, 2 SKIP, 0 XFAIL", followed by every other verdict that occurred.  A subject that was never
 * available has no column but a line that says how to install it. */
void cnf_report_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                      uint32_t column_count, bool colour);

/* Appends the command line that runs a record's scenario on its subject again, and on sim where the
 * verdict comes from a comparison with it, or, where the scenario itself is wrong, that reads or
 * compiles it again; and a newline. */
void cnf_report_again_write(rt_buffer *out, const cnf_report *report, const cnf_record *record);

/* Appends the command line that explains the record's verdict, and a newline; the record is one of
 * a subject. */
void cnf_report_why_write(rt_buffer *out, const cnf_report *report, const cnf_record *record);

/* Appends what an expectation entry says about a verdict, as indented lines; nothing where none was
 * applied. */
void cnf_known_write(rt_buffer *out, const cnf_known *known);

/* Frees everything. */
void cnf_report_free(cnf_report *report);

#endif
