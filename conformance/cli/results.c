/* Expectation files, the table of rules, and the files and the text that a run writes. */
#include "conformance/cli/results.h"

#include "conformance/cli/commands.h"
#include "conformance/report/junit.h"
#include "conformance/report/output.h"
#include "conformance/report/sarif.h"
#include "conformance/subject/subject.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool cnf_results_expect(const cnf_arguments *arguments, const cnf_files *files,
                        cnf_expectations *out_expectations)
{
    rt_arena arena = {0};
    rt_buffer problems = {0};
    rt_text list = rt_text_of(arguments->values[CNF_OPTION_EXPECTATIONS]);
    rt_text *folders = rt_arena_alloc_array(&arena, list.length + 2, sizeof *folders);
    uint32_t folder_count = 0;
    while (list.length > 0) {
        rt_text folder = rt_text_take_until(&list, ',');
        if (folder.length > 0) folders[folder_count++] = folder;
    }
    /* Entries that are there already are not written again. */
    const char *written = arguments->values[CNF_OPTION_WRITE_EXPECTATIONS];
    if (written && access(written, F_OK) == 0) folders[folder_count++] = rt_text_of(written);
    rt_text *subjects = rt_arena_alloc_array(&arena, cnf_subject_count, sizeof *subjects);
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        subjects[i] = rt_text_of(cnf_subjects[i].name);
    bool is_valid =
        cnf_expectations_read(out_expectations, files, folders, folder_count, subjects,
                              cnf_subject_count, rt_text_of(cnf_results_oracle()), &problems);
    CHECK_IMPLIES(!is_valid, problems.size > 0);
    if (!is_valid) fprintf(stderr, "%s", rt_buffer_string(&problems));
    rt_buffer_free(&problems);
    rt_arena_reset(&arena);
    return is_valid;
}

const char *cnf_results_oracle(void)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        if (cnf_subjects[i].oracle) return cnf_subjects[i].name;
    UNREACHABLE();
}

bool cnf_results_rules(rt_arena *arena, const cnf_file *file, cnf_rules *out_rules)
{
    const rt_text roots[] = {cnf_files_root(arena, file->file), RT_TEXT("scenarios"),
                             cnf_command_scenarios(arena)};
    rt_sink *sink = rt_sink_create();
    bool is_read = false;
    for (size_t i = 0; i < sizeof roots / sizeof *roots && !is_read; i++) {
        if (roots[i].length == 0) continue;
        rt_text table = rt_arena_printf(arena, "%.*s/requirements.yaml", RT_TEXT_ARG(roots[i]));
        is_read = rt_ok(cnf_rules_read(sink, arena, table, out_rules));
    }
    rt_sink_destroy(sink);
    return is_read;
}

/* Reports a failed status of the history, and destroys the sink. */
static bool history_end(rt_sink *sink, rt_status status)
{
    if (!rt_ok(status))
        fprintf(stderr, "assay: --history %.*s\n",
                RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    rt_sink_destroy(sink);
    return rt_ok(status);
}

bool cnf_results_history_open(const cnf_arguments *arguments, cnf_history **out_history)
{
    const char *name = arguments->values[CNF_OPTION_HISTORY];
    *out_history = NULL;
    if (!name) return true;
    rt_sink *sink = rt_sink_create();
    return history_end(sink, cnf_history_open(sink, name, out_history));
}

/* Adds the report to the history as a run that ends now; does nothing without one. Returns false
 * after reporting an error on stderr. */
static bool history_add(cnf_history *history, const cnf_report *report)
{
    if (!history || report->records.count == 0) return true;
    char at[sizeof "2026-01-31T12:00:00Z"];
    time_t now = time(NULL);
    struct tm utc;
    size_t length = gmtime_r(&now, &utc) ? strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", &utc) : 0;
    CHECK(length == sizeof at - 1);
    rt_sink *sink = rt_sink_create();
    return history_end(
        sink, cnf_history_add(sink, history, at, report->records.items, report->records.count));
}

/* ---- Outputs ------------------------------------------------------------------------------- */

/* The options that name a file which is written after the run, or to which it is appended. */
static const struct output_row {
    const char *name;
    cnf_option_id id;
    bool is_probed; /* before the run; the records are written during it, to an open file */
} output_rows[] = {
    {"--json", CNF_OPTION_JSON, false},  {"--history", CNF_OPTION_HISTORY, true},
    {"--junit", CNF_OPTION_JUNIT, true}, {"--html", CNF_OPTION_HTML, true},
    {"--sarif", CNF_OPTION_SARIF, true}, {"--differences", CNF_OPTION_DIFFERENCES, true},
    {"--save", CNF_OPTION_SAVE, true},
};
enum { OUTPUTS = sizeof output_rows / sizeof *output_rows };

/* True if entries can be written to the folder, which need not exist. Otherwise says why not on
 * stderr. */
static bool baseline_check(const char *folder)
{
    rt_arena arena = {0};
    rt_text path = rt_text_of(folder);
    while (path.length > 1 && path.data[path.length - 1] == '/')
        path.length--;
    struct stat info;
    bool exists = stat(folder, &info) == 0;
    int error = exists && !S_ISDIR(info.st_mode) ? ENOTDIR : 0;
    if (error == 0)
        error = cnf_file_probe(
            rt_arena_printf(&arena, "%.*s%s", RT_TEXT_ARG(path), exists ? "/entries" : "").data);
    if (error != 0)
        fprintf(stderr, "assay: --write-expectations %s: %s; nothing ran\n", folder,
                strerror(error));
    rt_arena_reset(&arena);
    return error == 0;
}

int cnf_results_outputs_check(const cnf_arguments *arguments)
{
    const char *baseline = arguments->values[CNF_OPTION_WRITE_EXPECTATIONS];
    if (baseline && !baseline_check(baseline)) return CNF_EXIT_INFRASTRUCTURE;
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        const struct output_row *row = &output_rows[i];
        const char *file = arguments->values[row->id];
        if (!file || strcmp(file, "-") == 0) continue;
        for (uint32_t k = 0; k < i; k++) {
            const char *other = arguments->values[output_rows[k].id];
            if (!other || strcmp(file, other) != 0 || strncmp(file, "/dev/", 5) == 0) continue;
            fprintf(stderr, "assay: %s %s: %s writes the same file; name another file\n", row->name,
                    file, output_rows[k].name);
            return CNF_EXIT_USAGE;
        }
        int error = row->is_probed ? cnf_file_probe(file) : 0;
        if (error == 0) continue;
        fprintf(stderr, "assay: %s %s: %s; nothing ran\n", row->name, file, strerror(error));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    return CNF_EXIT_EXPECTED;
}

bool cnf_results_style_read(const cnf_arguments *arguments, cnf_report_style *out_style)
{
    enum { SLOWEST_MAX = 1000000 };
    const char *const *values = arguments->values;
    uint64_t slowest = 0;
    *out_style = (cnf_report_style){.has_matrix = values[CNF_OPTION_MATRIX] != NULL,
                                    .has_failures_only = values[CNF_OPTION_FAILURES_ONLY] != NULL,
                                    .is_brief = values[CNF_OPTION_QUIET] != NULL,
                                    .names_subjects = values[CNF_OPTION_ON] != NULL};
    if (out_style->is_brief && (out_style->has_matrix || out_style->has_failures_only)) {
        fprintf(stderr, "assay: --quiet cannot be combined with %s; keep one of them\n",
                out_style->has_matrix ? "--matrix" : "--failures-only");
        return false;
    }
    if (!cnf_command_colours(arguments, &out_style->colour) ||
        !cnf_command_number(arguments, CNF_OPTION_SLOWEST, "--slowest", 1, SLOWEST_MAX, 0,
                            &slowest))
        return false;
    out_style->slowest = (uint32_t)slowest;
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        out_style->width = size.ws_col;
    return true;
}

void cnf_results_note_beginning(cnf_results *results)
{
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) &&
        strftime(results->began, sizeof results->began, "%Y-%m-%dT%H:%M:%S", &utc) > 0)
        results->report.began = rt_text_of(results->began);
}

/* Appends the command line, as a user would write it. */
static void command_write(rt_buffer *out, const cnf_arguments *arguments)
{
    const cnf_command *command = arguments->command;
    rt_buffer_printf(out, "assay %s", command->name);
    for (uint32_t i = 0; i < arguments->path_count; i++) {
        rt_buffer_append_byte(out, ' ');
        cnf_shell_word_write(out, arguments->paths[i]);
    }
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        const cnf_given *given = &arguments->given[i];
        const cnf_option *option = command->options;
        while (option->id != given->id)
            option++;
        bool is_open = option->name[strlen(option->name) - 1] == '*'; /* the word itself */
        if (!is_open) rt_buffer_printf(out, " %s", option->name);
        if (!is_open && !option->value) continue;
        rt_buffer_append_byte(out, option->optional_ending ? '=' : ' ');
        cnf_shell_word_write(out, rt_text_of(given->value));
    }
}

bool cnf_results_write(cnf_results *results)
{
    const char *const *names = results->arguments->values;
    const cnf_column *columns = results->columns->columns;
    const uint32_t column_count = results->columns->count;
    cnf_report *report = &results->report;
    bool written = true;
    if (names[CNF_OPTION_JUNIT]) {
        rt_buffer document = {0};
        cnf_junit_write(&document, report, columns, column_count);
        written = cnf_command_file_replace("--junit", names[CNF_OPTION_JUNIT], &document);
    }
    if (names[CNF_OPTION_DIFFERENCES]) {
        CHECK(results->differences);
        rt_buffer page = {0};
        cnf_differences_write(&page, results->differences, report, columns, column_count);
        if (strcmp(names[CNF_OPTION_DIFFERENCES], "-") == 0)
            written &= cnf_command_finish(&page, "the differences") == CNF_EXIT_EXPECTED;
        else
            written &=
                cnf_command_file_replace("--differences", names[CNF_OPTION_DIFFERENCES], &page);
    }
    if (names[CNF_OPTION_SARIF]) {
        rt_buffer document = {0};
        cnf_sarif_write(&document, report, results->rules, RT_TEXT(ASSAY_VERSION));
        written &= cnf_command_file_replace("--sarif", names[CNF_OPTION_SARIF], &document);
    }
    written &= history_add(results->history, report);
    if (results->html) {
        rt_buffer command = {0};
        command_write(&command, results->arguments);
        const cnf_html_run run = {.report = report,
                                  .columns = columns,
                                  .column_count = column_count,
                                  .files = results->files,
                                  .rules = results->rules,
                                  .version = RT_TEXT(ASSAY_VERSION),
                                  .conditions = results->conditions,
                                  .command = rt_buffer_text(&command),
                                  .seconds = results->seconds,
                                  .job_count = results->job_count};
        rt_buffer page = {0};
        cnf_html_write(results->html, &run, &page);
        rt_buffer_free(&command);
        written &= cnf_command_file_replace("--html", names[CNF_OPTION_HTML], &page);
    }
    return written;
}

int cnf_results_exit_status(const cnf_results *results)
{
    /* A subject that is not installed is a failure only if it was requested by name; a missing
     * compiler always is. */
    bool is_named = results->arguments->values[CNF_OPTION_ON] != NULL;
    for (uint32_t i = 0; i < results->report.records.count; i++) {
        const cnf_record *record = &results->report.records.items[i];
        if (record->judgement.verdict == CNF_VERDICT_UNAVAILABLE &&
            (is_named || !cnf_report_is_missing(record)))
            return CNF_EXIT_INFRASTRUCTURE;
    }
    return cnf_report_exit_status(&results->report);
}
