/* assay merge: the records of several jobs, each of which ran a part of a suite, as those of one
 * run. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/cli/selection.h"
#include "conformance/verdict/parts.h"
#include "reference/base/lines.h"
#include "reference/base/map.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_BYTES = 1 << 30 };

typedef struct merge_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    cnf_run_options options; /* jobs: pictures are drawn in parallel */
    cnf_report_style style;
    cnf_files files;
    cnf_columns columns;
    cnf_part *parts;
    uint32_t part_count;
    cnf_expectations expectations;
    cnf_rules rules;
    cnf_html *html; /* NULL without --html */
} merge_command;

static bool is_page(rt_text name)
{
    return name.length > 5 && memcmp(name.data + name.length - 5, ".html", 5) == 0;
}

/* Reads the parts, and the pages from which the page takes its details. */
static int parts_read(merge_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    command->parts =
        rt_arena_alloc_array(&command->arena, arguments->path_count + 1, sizeof *command->parts);
    rt_sink *sink = rt_sink_create();
    int status = CNF_EXIT_EXPECTED;
    for (uint32_t i = 0; i < arguments->path_count && status == CNF_EXIT_EXPECTED; i++) {
        const rt_text name = arguments->paths[i];
        cnf_part *part = &command->parts[command->part_count];
        if (!is_page(name)) {
            *part = (cnf_part){.name = name};
            if (!cnf_command_records(&command->arena, "merge", name, &part->records))
                status = CNF_EXIT_USAGE;
            command->part_count++;
            continue;
        }
        rt_buffer page = {0};
        rt_status read = cnf_file_read(sink, name, SIZE_MAX_BYTES, &page);
        if (rt_ok(read) && command->html)
            read = cnf_html_adopt(sink, command->html, rt_buffer_text(&page));
        if (!rt_ok(read)) {
            cnf_command_fail(sink, read,
                             rt_arena_printf(&command->arena, "merge: %.*s", RT_TEXT_ARG(name)));
            status = CNF_EXIT_USAGE;
        }
        rt_buffer_free(&page);
    }
    rt_sink_destroy(sink);
    if (status == CNF_EXIT_EXPECTED && command->part_count == 0) {
        fprintf(stderr,
                "assay: merge needs the files of records that run --json wrote (assay merge "
                "--help)\n");
        status = CNF_EXIT_USAGE;
    }
    return status;
}

/* Finds the suite, which the options select as they did for the runs. */
static int suite_find(merge_command *command)
{
    cnf_arguments suite = *command->arguments;
    const char *path = suite.values[CNF_OPTION_SUITE];
    rt_text only = rt_text_of(path);
    suite.paths = &only;
    suite.path_count = path ? 1 : 0;
    int status = cnf_command_files(&suite, &command->arena, &command->files);
    return status == CNF_EXIT_EXPECTED
               ? cnf_selection_apply(command->arguments, &command->arena, &command->files)
               : status;
}

/* Appends a subject to a list of --on, unless it is there. */
static void subject_add(rt_map *known, rt_buffer *list, rt_text subject)
{
    if (rt_text_is(subject, "-") || rt_map_find(known, subject) != RT_MAP_NONE) return;
    rt_map_set(known, subject, 0);
    rt_buffer_printf(list, "%s%.*s", list->size > 0 ? "," : "", RT_TEXT_ARG(subject));
}

/* The subjects of --on or, by default, those that the parts have, in the order of `assay subjects`.
 */
static bool columns_choose(merge_command *command)
{
    const char *on = command->arguments->values[CNF_OPTION_ON];
    rt_buffer list = {0};
    rt_map present = {0}, known = {0};
    for (uint32_t i = 0; !on && i < command->part_count; i++)
        for (uint32_t k = 0; k < command->parts[i].records.count; k++)
            rt_map_set(&present, command->parts[i].records.items[k].subject, 0);
    for (uint32_t i = 0; i < cnf_subject_count; i++) {
        rt_text name = rt_text_of(cnf_subjects[i].name);
        if (rt_map_find(&present, name) != RT_MAP_NONE) subject_add(&known, &list, name);
    }
    for (uint32_t i = 0; !on && i < command->part_count; i++)
        for (uint32_t k = 0; k < command->parts[i].records.count; k++)
            subject_add(&known, &list, command->parts[i].records.items[k].subject);
    bool is_valid = true;
    if (!on && list.size == 0) {
        fprintf(stderr, "assay: merge: the parts have no record of a subject; name the subjects: "
                        "--on\n");
        is_valid = false;
    } else {
        is_valid = cnf_columns_read(&command->arena,
                                    on ? "--on " : "merge: ", on ? on : rt_buffer_string(&list),
                                    &command->columns);
    }
    rt_map_free(&present);
    rt_map_free(&known);
    rt_buffer_free(&list);
    return is_valid;
}

/* Joins the parts and reports on stderr what is missing or too many. */
static bool parts_join(merge_command *command, cnf_records *out_records)
{
    const cnf_files *files = &command->files;
    rt_arena *arena = &command->arena;
    cnf_part_scenario *scenarios = rt_arena_alloc_array(arena, files->count, sizeof *scenarios);
    rt_text *subjects = rt_arena_alloc_array(arena, command->columns.count, sizeof *subjects);
    rt_sink *sink = rt_sink_create();
    for (uint32_t i = 0; i < files->count; i++) {
        rt_buffer content;
        scenarios[i].path = files->items[i].path;
        if (rt_ok(cnf_file_text(sink, &files->items[i], &content)))
            scenarios[i].hash = cnf_file_hash(arena, rt_buffer_text(&content));
        else
            scenarios[i].hash = RT_TEXT("");
        rt_buffer_free(&content);
    }
    rt_sink_destroy(sink);
    for (uint32_t i = 0; i < command->columns.count; i++)
        subjects[i] = command->columns.subjects[i].name;
    const cnf_whole whole = {scenarios, files->count, subjects, command->columns.count};
    rt_buffer problems = {0};
    bool is_complete =
        cnf_parts_join(arena, command->parts, command->part_count, &whole, out_records, &problems);
    rt_text rest = rt_buffer_text(&problems);
    for (rt_text line; rt_line_take(&rest, &line);)
        fprintf(stderr, "assay: merge: %.*s\n", RT_TEXT_ARG(line));
    rt_buffer_free(&problems);
    return is_complete;
}

/* Writes the joined records to --json. */
static bool records_write(const merge_command *command, const cnf_report *report)
{
    const char *name = command->arguments->values[CNF_OPTION_JSON];
    if (!name) return true;
    rt_buffer text = {0};
    for (uint32_t i = 0; i < report->records.count; i++)
        cnf_record_write(&text, &report->records.items[i]);
    return cnf_command_file_replace("--json", name, &text);
}

static int merge(merge_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    cnf_results results = {.arguments = arguments,
                           .files = &command->files,
                           .columns = &command->columns,
                           .html = command->html,
                           .job_count = command->options.job_count};
    cnf_report *report = &results.report;
    cnf_records records;
    bool is_complete = parts_join(command, &records);
    report->expectations = &command->expectations;
    for (uint32_t i = 0; i < records.count; i++) {
        cnf_record record = records.items[i];
        cnf_record_expect(&record, &command->expectations);
        cnf_report_add(report, &record);
        command->style.seconds += record.seconds;
        results.conditions = record.conditions;
    }
    results.seconds = command->style.seconds;
    cnf_results_note_beginning(&results);
    const char *folders = arguments->values[CNF_OPTION_EXPECTATIONS];
    report->rerun_options = rt_arena_printf(
        &command->arena, "%s%.*s%s%s", results.conditions.length > 0 ? " " : "",
        RT_TEXT_ARG(results.conditions), folders ? " --expectations " : "", folders ? folders : "");
    if (cnf_results_rules(&command->arena, &command->files.items[0], &command->rules))
        results.rules = &command->rules;
    bool is_written = cnf_results_history_open(arguments, &results.history);
    rt_buffer text = {0};
    cnf_report_write(&text, report, command->columns.columns, command->columns.count,
                     &command->style);
    is_written = cnf_command_finish(&text, "the report") == CNF_EXIT_EXPECTED && is_written;
    is_written = cnf_results_write(&results) && is_written;
    is_written = records_write(command, report) && is_written;
    int status = cnf_results_exit_status(&results);
    cnf_history_close(results.history);
    cnf_report_free(report);
    return is_complete && is_written ? status : CNF_EXIT_INFRASTRUCTURE;
}

int cnf_merge_command(const cnf_arguments *arguments)
{
    merge_command command = {.arguments = arguments};
    if (arguments->values[CNF_OPTION_HTML])
        command.html = cnf_html_create(rt_text_of(cnf_results_oracle()));
    int status = cnf_run_options_read(arguments, &command.options) &&
                         cnf_results_style_read(arguments, &command.style)
                     ? CNF_EXIT_EXPECTED
                     : CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED) status = cnf_results_outputs_check(arguments);
    if (status == CNF_EXIT_EXPECTED) status = suite_find(&command);
    if (status == CNF_EXIT_EXPECTED) status = parts_read(&command);
    if (status == CNF_EXIT_EXPECTED && !columns_choose(&command)) status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED &&
        !cnf_results_expect(arguments, &command.files, &command.expectations))
        status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED) status = merge(&command);
    cnf_html_free(command.html);
    cnf_expectations_free(&command.expectations);
    rt_arena_reset(&command.arena);
    return status;
}
