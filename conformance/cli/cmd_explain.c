/* assay explain: runs one scenario on one subject and describes its parts and its run. assay trace:
 * the same run as a timeline. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/run_options.h"
#include "conformance/explain/explain.h"
#include "conformance/explain/svg.h"
#include "conformance/explain/timeline.h"

#include <stdio.h>
#include <string.h>

typedef struct explain_command {
    bool timeline;   /* only the timeline, for trace viewers or as a picture */
    bool graph;      /* in DOT instead of text */
    const char *svg; /* output file of a picture, "-" for the standard output; NULL: none */
    rt_buffer out;
    int status;
} explain_command;

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    explain_command *command = user;
    const cnf_judgement *judgement = &record->judgement;
    command->status = CNF_EXIT_INFRASTRUCTURE;
    if (judgement->verdict == CNF_VERDICT_INVALID) command->status = CNF_EXIT_USAGE;
    if (judgement->verdict == CNF_VERDICT_SKIP) command->status = CNF_EXIT_NOTHING_RAN;
    if (cnf_verdict_ran(judgement->verdict)) command->status = CNF_EXIT_EXPECTED;
    if (judgement->message.length > 0) fprintf(stderr, "%.*s\n", RT_TEXT_ARG(judgement->message));
    if (!detail->scenario) { /* the message has the reason */
        if (command->status == CNF_EXIT_EXPECTED) command->status = CNF_EXIT_UNEXPECTED;
        return true;
    }
    rt_text trace = detail->messages ? detail->messages->trace : (rt_text){0};
    if (command->timeline && command->svg) {
        cnf_timeline_svg(&command->out, trace, record->scenario);
    } else if (command->timeline) {
        cnf_timeline_json(&command->out, trace);
    } else if (command->graph) {
        cnf_explain_dot(&command->out, detail->scenario, trace);
    } else {
        /* The verdict shows how far the commands listed below got. */
        rt_buffer_printf(&command->out, "%.*s on %.*s: %s\n", RT_TEXT_ARG(record->file),
                         RT_TEXT_ARG(record->subject), cnf_verdict_word(judgement->verdict));
        cnf_explain_text(&command->out, detail->scenario, trace);
    }
    return true;
}

/* Writes the explanation to the requested place. Returns false after reporting an error on stderr.
 */
static bool explanation_write(explain_command *command, rt_text title)
{
    const char *name = command->timeline ? "the timeline" : "the explanation";
    if (!command->svg) return cnf_command_print(&command->out, name);
    if (command->out.size == 0) return true; /* Compiling failed, which has been reported. */
    if (!command->timeline) {
        rt_sink *sink = rt_sink_create();
        rt_buffer picture = {0};
        rt_status status = cnf_explain_svg(sink, rt_buffer_text(&command->out), title, &picture);
        if (!rt_ok(status)) cnf_command_fail(sink, status, RT_TEXT("--svg"));
        rt_buffer_free(&command->out);
        command->out = picture;
        rt_sink_destroy(sink);
        if (!rt_ok(status)) return false;
    }
    if (strcmp(command->svg, "-") == 0) return cnf_command_print(&command->out, "the picture");
    return cnf_command_file_replace("--svg", command->svg, &command->out);
}

static int scenario_explain(const char *name, bool timeline, const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    const char *on = arguments->values[CNF_OPTION_ON], *svg = arguments->values[CNF_OPTION_SVG];
    cnf_columns columns;
    cnf_files files;
    cnf_run_options options;
    explain_command command = {.timeline = timeline,
                               .graph = svg || arguments->values[CNF_OPTION_DOT],
                               .svg = svg,
                               .status = CNF_EXIT_USAGE};
    bool is_valid = cnf_columns_read(&arena, "--on ", on ? on : "sim", &columns);
    if (is_valid && columns.count != 1) {
        fprintf(stderr, "assay: --on %s: %s takes one subject\n", on, name);
        is_valid = false;
    }
    if (is_valid) command.status = cnf_command_scenario(arguments, name, &arena, &files);
    if (command.status == CNF_EXIT_EXPECTED && !cnf_run_options_read(arguments, &options))
        command.status = CNF_EXIT_USAGE;
    if (command.status == CNF_EXIT_EXPECTED) {
        options.subjects = columns.subjects;
        options.subject_count = columns.count;
        cnf_run_end end = cnf_run(&options, files.items, 1, on_record, &command);
        if (end != CNF_RUN_COMPLETE || !explanation_write(&command, files.items[0].path))
            command.status = CNF_EXIT_INFRASTRUCTURE;
    }
    rt_buffer_free(&command.out);
    rt_arena_reset(&arena);
    return command.status;
}

int cnf_explain_command(const cnf_arguments *arguments)
{
    return scenario_explain("explain", false, arguments);
}

int cnf_trace_command(const cnf_arguments *arguments)
{
    return scenario_explain("trace", true, arguments);
}
