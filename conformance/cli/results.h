/* What commands that run scenarios do with results beside printing them. */
#ifndef CONFORMANCE_CLI_RESULTS_H
#define CONFORMANCE_CLI_RESULTS_H

#include "conformance/cli/options.h"
#include "conformance/report/differences.h"
#include "conformance/report/html/html.h"
#include "conformance/verdict/verdict_history.h"

/* Reads the expectation files of the scenarios' roots and of --expectations.  False: some are
 * wrong, which has been said on stderr.  The caller frees them either way. */
bool cnf_results_expect(const cnf_arguments *arguments, const cnf_files *files,
                        cnf_expectations *out_expectations);

/* Writes the file of --junit, where it is given.  False: it could not be written, which has been
 * said on stderr. */
bool cnf_results_junit(const cnf_arguments *arguments, cnf_report *report,
                       const cnf_column *columns, uint32_t column_count);

/* Name of the subject that others are compared with (static). */
const char *cnf_results_oracle(void);

/* Writes the file of --sarif, where it is given; the files' root has the table of rules.  False: it
 * could not be written, which has been said on stderr. */
bool cnf_results_sarif(const cnf_arguments *arguments, const cnf_files *files, cnf_report *report);

/* Opens the file of --history, before anything runs: NULL where it is not given.  False: it cannot
 * be opened, or is not a history, which has been said on stderr. */
bool cnf_results_history_open(const cnf_arguments *arguments, cnf_history **out_history);

/* Adds the report to the history as one run that ends now; NULL does nothing.  False: it could not
 * be written, which has been said on stderr. */
bool cnf_results_history_add(cnf_history *history, const cnf_report *report);

/* Reads the table of rules that explanations of a scenario quote: the one above its file, or, for a
 * file of one's own or of a pack, that of the folder that assay is used in.  False: there is none,
 * and explanations say less. */
bool cnf_results_rules(rt_arena *arena, const cnf_file *file, cnf_rules *out_rules);

/* Writes the page of --differences, where it is given.  False: it could not be written, which has
 * been said on stderr. */
bool cnf_results_differences(const cnf_arguments *arguments, cnf_differences *differences,
                             cnf_report *report, const cnf_column *columns, uint32_t column_count);

/* Writes the file of --html, where it is given, from what was gathered.  False: it could not be
 * written, which has been said on stderr. */
bool cnf_results_html(const cnf_arguments *arguments, cnf_html *html, const cnf_html_run *run);

#endif
