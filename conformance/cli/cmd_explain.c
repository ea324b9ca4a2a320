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

static int status_of(cnf_verdict verdict)
{
    if (verdict == CNF_VERDICT_INVALID) return CNF_EXIT_USAGE;
    if (verdict == CNF_VERDICT_SKIP) return CNF_EXIT_NOTHING_RAN;
    return cnf_verdict_ran(verdict) ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}

/* Reports an unexpected verdict, which says how far the commands below got. */
static void verdict_write(explain_command *command, const cnf_record *record)
{
    const cnf_judgement *judgement = &record->judgement;
    rt_buffer_printf(&command->out, "%.*s on %.*s: %s\n", RT_TEXT_ARG(record->file),
                     RT_TEXT_ARG(record->subject), cnf_verdict_word(judgement->verdict));
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    explain_command *command = user;
    const cnf_judgement *judgement = &record->judgement;
    command->status = status_of(judgement->verdict);
    if (judgement->message.length > 0) fprintf(stderr, "%.*s\n", RT_TEXT_ARG(judgement->message));
    if (!detail->scenario) { /* the message has the reason */
        if (command->status == CNF_EXIT_EXPECTED) command->status = CNF_EXIT_UNEXPECTED;
        return true;
    }
    rt_text trace = detail->messages ? detail->messages->trace : (rt_text){0};
    if (command->timeline) {
        if (command->svg)
            cnf_timeline_svg(&command->out, trace, record->scenario);
        else
            cnf_timeline_json(&command->out, trace);
        return true;
    }
    if (!command->graph) verdict_write(command, record);
    if (command->graph)
        cnf_explain_dot(&command->out, detail->scenario, trace);
    else
        cnf_explain_text(&command->out, detail->scenario, trace);
    return true;
}

/* Chooses the subject of --on, sim by default. Returns false after reporting an error on stderr. */
static bool subject_choose(const char *name, const cnf_arguments *arguments, rt_arena *arena,
                           const cnf_run_subject **out_subject)
{
    const char *on = arguments->values[CNF_OPTION_ON];
    cnf_columns columns;
    rt_buffer error = {0};
    bool chosen = cnf_columns_choose(arena, on ? on : "sim", &columns, &error);
    if (chosen && columns.count != 1) {
        rt_buffer_printf(&error, "%s takes one subject", name);
        chosen = false;
    }
    if (!chosen) fprintf(stderr, "assay: --on %s\n", rt_buffer_string(&error));
    rt_buffer_free(&error);
    *out_subject = columns.subjects;
    return chosen;
}

/* Finds the scenario of the arguments, which must be one. Returns an exit status. */
static int file_choose(const char *name, const cnf_arguments *arguments, rt_arena *arena,
                       cnf_files *out_files)
{
    int status = CNF_EXIT_USAGE;
    if (arguments->path_count == 1) status = cnf_command_files(arguments, arena, out_files);
    if (arguments->path_count != 1 || out_files->count > 1)
        fprintf(stderr, "assay: %s takes one scenario file\n", name);
    return out_files->count > 1 ? CNF_EXIT_USAGE : status;
}

/* Draws the graph as a picture. Returns false after reporting an error on stderr. */
static bool picture_make(explain_command *command, rt_text title)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer picture = {0};
    rt_status status = cnf_explain_svg(sink, rt_buffer_text(&command->out), title, &picture);
    if (!rt_ok(status)) cnf_command_fail(sink, status, RT_TEXT("--svg"));
    rt_buffer_free(&command->out);
    command->out = picture;
    rt_sink_destroy(sink);
    return rt_ok(status);
}

/* Writes the explanation to the requested place. Returns false after reporting an error on stderr.
 */
static bool explanation_put(explain_command *command, rt_text title)
{
    const char *what = command->timeline ? "the timeline" : "the explanation";
    if (!command->svg) return cnf_command_print(&command->out, what);
    if (command->out.size == 0) return true; /* Compiling failed, which has been reported. */
    if (!command->timeline && !picture_make(command, title)) return false;
    if (strcmp(command->svg, "-") == 0) return cnf_command_print(&command->out, "the picture");
    return cnf_command_file_replace("--svg", command->svg, rt_buffer_text(&command->out));
}

static int file_explain(bool timeline, const cnf_arguments *arguments,
                        const cnf_run_subject *subject, const cnf_file *file)
{
    cnf_run_options options;
    if (!cnf_run_options_read(arguments, &options)) return CNF_EXIT_USAGE;
    options.subjects = subject;
    options.subject_count = 1;
    const char *svg = arguments->values[CNF_OPTION_SVG];
    explain_command command = {.timeline = timeline,
                               .graph = svg || arguments->values[CNF_OPTION_DOT],
                               .svg = svg,
                               .status = CNF_EXIT_INFRASTRUCTURE};
    cnf_run_end end = cnf_run(&options, file, 1, on_record, &command);
    if (end != CNF_RUN_COMPLETE || !explanation_put(&command, file->path))
        command.status = CNF_EXIT_INFRASTRUCTURE;
    rt_buffer_free(&command.out);
    return command.status;
}

static int command_run(const char *name, bool timeline, const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    const cnf_run_subject *subject;
    cnf_files files = {0};
    int status = CNF_EXIT_USAGE;
    if (subject_choose(name, arguments, &arena, &subject))
        status = file_choose(name, arguments, &arena, &files);
    if (status == CNF_EXIT_EXPECTED)
        status = file_explain(timeline, arguments, subject, &files.items[0]);
    rt_arena_reset(&arena);
    return status;
}

int cnf_explain_command(const cnf_arguments *arguments)
{
    return command_run("explain", false, arguments);
}

int cnf_trace_command(const cnf_arguments *arguments)
{
    return command_run("trace", true, arguments);
}
