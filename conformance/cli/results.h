/* The files that commands read in addition to scenarios, and the history. */
#ifndef CONFORMANCE_CLI_RESULTS_H
#define CONFORMANCE_CLI_RESULTS_H

#include "conformance/cli/columns.h"
#include "conformance/cli/options.h"
#include "conformance/report/differences.h"
#include "conformance/report/html/html.h"
#include "conformance/verdict/verdict_history.h"

/* The results of a run, or of several that were merged, and what the files that report them need.
 * Everything but the report is borrowed. */
typedef struct cnf_results {
    const cnf_arguments *arguments;
    cnf_report report;
    const cnf_columns *columns;
    const cnf_files *files;
    const cnf_rules *rules;       /* NULL: no table of rules */
    cnf_html *html;               /* NULL without --html */
    cnf_differences *differences; /* NULL: the command does not explain differences */
    cnf_history *history;         /* NULL without --history */
    rt_text conditions;           /* of the records */
    uint32_t job_count;
    double seconds;                           /* how long it took */
    char began[sizeof "2026-01-31T12:00:00"]; /* of the report */
} cnf_results;

/* Reads the expectation files of the scenarios' roots and of --expectations. Returns false after
 * reporting mistakes on stderr. The caller frees the expectations in both cases. */
bool cnf_results_expect(const cnf_arguments *arguments, const cnf_files *files,
                        cnf_expectations *out_expectations);

/* The name of the reference subject (static). */
const char *cnf_results_oracle(void);

/* Opens the file of --history before the run; NULL if the option is not given. Returns false after
 * reporting on stderr that it cannot be opened or is not a history. */
bool cnf_results_history_open(const cnf_arguments *arguments, cnf_history **out_history);

/* Checks, before the run, that every file that it writes at the end can be written, and that no two
 * options name the same file. Returns an exit status; the mistake is reported on stderr. */
int cnf_results_outputs_check(const cnf_arguments *arguments);

/* Reads the options that choose what is printed: --matrix, --failures-only, --quiet, --slowest and
 * --color. Returns false after reporting a mistake on stderr. */
bool cnf_results_style_read(const cnf_arguments *arguments, cnf_report_style *out_style);

/* Notes when the results begin, for their reports. */
void cnf_results_note_beginning(cnf_results *results);

/* Writes the requested reports and adds them to the history. Returns false after reporting an error
 * on stderr. */
bool cnf_results_write(cnf_results *results);

/* The exit status of the report: that of cnf_report_exit_status, but INFRASTRUCTURE if a subject
 * that
 * --on names, or a compiler, is missing. */
int cnf_results_exit_status(const cnf_results *results);

/* Reads the table of rules that a scenario's explanations quote: the one in a folder above its
 * file, the one in ./scenarios, or the one installed with the program. Returns false if there is
 * none; explanations then have no rules. */
bool cnf_results_rules(rt_arena *arena, const cnf_file *file, cnf_rules *out_rules);

#endif
