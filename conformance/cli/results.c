/* The files that commands which run scenarios read and write in addition to printing: expectation
 * files, --junit, --sarif, --history, --differences and --html. */
#include "conformance/cli/results.h"

#include "conformance/cli/commands.h"
#include "conformance/report/junit.h"
#include "conformance/report/sarif.h"
#include "conformance/subject/subject.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static rt_text *names_split(rt_arena *arena, const char *list, uint32_t *out_count)
{
    uint32_t room = 1;
    for (const char *at = list; *at; at++)
        room += *at == ',';
    rt_text *names = rt_arena_alloc_array(arena, room, sizeof *names);
    *out_count = 0;
    for (const char *at = list; at;) {
        size_t length = strcspn(at, ",");
        if (length > 0) names[(*out_count)++] = (rt_text){at, length};
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return names;
}

bool cnf_results_expect(const cnf_arguments *arguments, const cnf_files *files,
                        cnf_expectations *out_expectations)
{
    rt_arena arena = {0};
    rt_buffer problems = {0};
    const char *list = arguments->values[CNF_OPTION_EXPECTATIONS];
    uint32_t folder_count;
    const rt_text *folders = names_split(&arena, list ? list : "", &folder_count);
    rt_text *subjects = rt_arena_alloc_array(&arena, cnf_subject_count, sizeof *subjects);
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        subjects[i] = rt_text_of(cnf_subjects[i].name);
    bool is_valid = cnf_expectations_read(out_expectations, files, folders, folder_count, subjects,
                                          cnf_subject_count, &problems);
    if (!is_valid) fprintf(stderr, "%s", rt_buffer_string(&problems));
    rt_buffer_free(&problems);
    rt_arena_reset(&arena);
    return is_valid;
}

bool cnf_results_junit(const cnf_arguments *arguments, cnf_report *report,
                       const cnf_column *columns, uint32_t column_count)
{
    const char *name = arguments->values[CNF_OPTION_JUNIT];
    if (!name) return true;
    rt_buffer document = {0};
    cnf_junit_write(&document, report, columns, column_count);
    bool written = cnf_command_file_replace("--junit", name, rt_buffer_text(&document));
    rt_buffer_free(&document);
    return written;
}

const char *cnf_results_oracle(void)
{
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        if (cnf_subjects[i].oracle) return cnf_subjects[i].name;
    UNREACHABLE();
}

bool cnf_results_rules(rt_arena *arena, const cnf_file *file, cnf_rules *out_rules)
{
    rt_sink *sink = rt_sink_create();
    rt_text root = cnf_files_root(arena, file->file);
    if (root.length == 0) root = RT_TEXT("scenarios");
    rt_text table = rt_arena_printf(arena, "%.*s/requirements.yaml", RT_TEXT_ARG(root));
    rt_status status = cnf_rules_read(sink, arena, table, out_rules);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

bool cnf_results_sarif(const cnf_arguments *arguments, const cnf_files *files, cnf_report *report)
{
    const char *name = arguments->values[CNF_OPTION_SARIF];
    if (!name) return true;
    rt_arena arena = {0};
    rt_buffer document = {0};
    cnf_rules rules;
    bool has_rules = files->count > 0 && cnf_results_rules(&arena, &files->items[0], &rules);
    cnf_sarif_write(&document, report, has_rules ? &rules : NULL, RT_TEXT(ASSAY_VERSION));
    bool written = cnf_command_file_replace("--sarif", name, rt_buffer_text(&document));
    rt_buffer_free(&document);
    rt_arena_reset(&arena);
    return written;
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

bool cnf_results_history_add(cnf_history *history, const cnf_report *report)
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

bool cnf_results_differences(const cnf_arguments *arguments, cnf_differences *differences,
                             cnf_report *report, const cnf_column *columns, uint32_t column_count)
{
    const char *name = arguments->values[CNF_OPTION_DIFFERENCES];
    if (!name) return true;
    rt_buffer page = {0};
    cnf_differences_write(&page, differences, report, columns, column_count);
    bool written = strcmp(name, "-") == 0
                       ? cnf_command_print(&page, "the differences")
                       : cnf_command_file_replace("--differences", name, rt_buffer_text(&page));
    rt_buffer_free(&page);
    return written;
}

bool cnf_results_html(const cnf_arguments *arguments, cnf_html *html, const cnf_html_run *run)
{
    const char *name = arguments->values[CNF_OPTION_HTML];
    if (!name) return true;
    rt_buffer page = {0};
    cnf_html_write(html, run, &page);
    bool written = cnf_command_file_replace("--html", name, rt_buffer_text(&page));
    rt_buffer_free(&page);
    return written;
}
