/* The report at the end of a run: what was unexpected, why scenarios were skipped, counts, and on
 * request the matrix of scenarios and subjects. */
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
    rt_text run_options;   /* further ones, which assay why does not take; borrowed */
    rt_text began;         /* "2026-01-31T12:00:00" (UTC); borrowed; empty: unknown */
} cnf_report;

/* How much of a report is printed. With `is_brief`, one line for each unexpected verdict, and the
 * answer. With `has_failures_only`, no reasons for skips, and of the matrix only the rows with an
 * unexpected verdict. With one of these, counts are printed only for subjects that are not
 * installed, and only if they were asked for by name. */
typedef struct cnf_report_style {
    bool colour, has_matrix, has_failures_only, is_brief;
    bool names_subjects; /* the user asked for these subjects by name */
    uint32_t width;      /* of the terminal, for the matrix; 0: unlimited */
    uint32_t slowest;    /* how many of the slowest verdicts are listed */
    double seconds;      /* duration of the run */
} cnf_report_style;

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

/* Writes, in this order and as far as the style requests it:
 *
 *   - the matrix, and a line for each skip, known failure (class, reason, entry) and partly
 * observed verdict in it;
 *   - the reason for every unexpected verdict;
 *   - the reasons for skips, each with its count and its subjects;
 *   - the slowest verdicts;
 *   - unused entries of expectation files;
 *   - a line of counts per column, for example "pocl: 9 PASS, 2 SKIP, 0 XFAIL", followed by all
 *     other verdicts that occurred; for a subject that is not installed, with the command that
 *     installs it;
 *   - the answer: for example "1 unexpected: 9 as expected, 3 known failures, 12 skipped for 2
 *     reasons, 6 min 58 s". An unused entry counts as unexpected.
 *
 * A subject that was never available has no column in the matrix. */
void cnf_report_write(rt_buffer *out, cnf_report *report, const cnf_column *columns,
                      uint32_t column_count, const cnf_report_style *style);

/* Appends the answer alone, without a newline, for a run that took this long. */
void cnf_report_answer_write(rt_buffer *out, const cnf_report *report, double seconds);

/* Appends a word, quoted for a shell if necessary. */
void cnf_shell_word_write(rt_buffer *out, rt_text word);

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
