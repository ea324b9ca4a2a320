/* Expectation files, the table of rules, and the file of --history. */
#include "conformance/cli/results.h"

#include "conformance/cli/commands.h"
#include "conformance/subject/subject.h"

#include <string.h>
#include <time.h>

bool cnf_results_expect(const cnf_arguments *arguments, const cnf_files *files,
                        cnf_expectations *out_expectations)
{
    rt_arena arena = {0};
    rt_buffer problems = {0};
    rt_text list = rt_text_of(arguments->values[CNF_OPTION_EXPECTATIONS]);
    rt_text *folders = rt_arena_alloc_array(&arena, list.length + 1, sizeof *folders);
    uint32_t folder_count = 0;
    while (list.length > 0) {
        rt_text folder = rt_text_take_until(&list, ',');
        if (folder.length > 0) folders[folder_count++] = folder;
    }
    rt_text *subjects = rt_arena_alloc_array(&arena, cnf_subject_count, sizeof *subjects);
    for (uint32_t i = 0; i < cnf_subject_count; i++)
        subjects[i] = rt_text_of(cnf_subjects[i].name);
    bool is_valid = cnf_expectations_read(out_expectations, files, folders, folder_count, subjects,
                                          cnf_subject_count, &problems);
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
    rt_sink *sink = rt_sink_create();
    rt_text root = cnf_files_root(arena, file->file);
    if (root.length == 0) root = RT_TEXT("scenarios");
    rt_text table = rt_arena_printf(arena, "%.*s/requirements.yaml", RT_TEXT_ARG(root));
    rt_status status = cnf_rules_read(sink, arena, table, out_rules);
    rt_sink_destroy(sink);
    return rt_ok(status);
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
