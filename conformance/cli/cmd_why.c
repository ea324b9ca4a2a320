/* assay why: runs one scenario on sim and one subject, and explains its verdict on the subject. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/report/why.h"

#include <stdio.h>
#include <string.h>

/* The state of the command. Limits are the defaults of `assay run`. */
typedef struct why_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    rt_sink *sink;
    cnf_columns columns;
    rt_text subject; /* as in records */
    cnf_files files; /* one scenario */
    cnf_expectations expectations;
    cnf_rules rules;
    bool has_rules;
    rt_buffer source;        /* the scenario file's contents */
    const char *oracle;      /* name of the reference subject */
    const char *oracle_word; /* its verdict; NULL until it is known */
    cnf_report report;       /* has only the subject's record */
    rt_buffer text;          /* the explanation */
} why_command;

/* Reads the subject and finds the scenario and its expectations. Returns an exit status. */
static int operands_read(why_command *command)
{
    cnf_arguments arguments = *command->arguments;
    if (arguments.path_count != 2) {
        fprintf(stderr, "assay: why needs a scenario and a subject: assay why FILE SUBJECT\n");
        return CNF_EXIT_USAGE;
    }
    rt_text subject = arguments.paths[1];
    arguments.path_count = 1;
    command->oracle = cnf_results_oracle();
    rt_text names =
        rt_arena_printf(&command->arena, "%s,%.*s", command->oracle, RT_TEXT_ARG(subject));
    if (!cnf_columns_read(&command->arena, "", names.data, &command->columns))
        return CNF_EXIT_USAGE;
    uint32_t expected = rt_text_is(subject, command->oracle) ? 1 : 2;
    if (command->columns.count != expected ||
        !rt_text_equal(command->columns.subjects[expected - 1].name, subject)) {
        fprintf(stderr, "assay: %.*s: expected one subject\n", RT_TEXT_ARG(subject));
        return CNF_EXIT_USAGE;
    }
    command->subject = command->columns.subjects[expected - 1].name;
    int status = cnf_command_scenario(&arguments, "why", &command->arena, &command->files);
    if (status == CNF_EXIT_EXPECTED &&
        !cnf_results_expect(&arguments, &command->files, &command->expectations))
        status = CNF_EXIT_USAGE;
    return status;
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    why_command *command = user;
    bool is_wanted = rt_text_equal(record->subject, command->subject);
    bool is_oracle = rt_text_is(record->subject, command->oracle);
    if (is_oracle) command->oracle_word = cnf_verdict_word(record->judgement.verdict);
    if (!is_wanted && is_oracle) return true;
    cnf_record judged = *record;
    cnf_record_expect(&judged, &command->expectations);
    const char *word = command->oracle_word ? command->oracle_word : "has not ended yet";
    const cnf_why why = {.record = &judged,
                         .sim = is_oracle || !cnf_record_has_subject(record) ? NULL : word,
                         .scenario = detail->scenario,
                         .messages = detail->messages,
                         .oracle = detail->oracle,
                         .log = detail->log,
                         .log_is_tail = detail->log_is_tail,
                         .source = rt_buffer_text(&command->source),
                         .rules = command->has_rules ? &command->rules : NULL};
    cnf_why_write(&command->text, &why);
    cnf_report_add(&command->report, &judged);
    return true;
}

static int scenario_run(why_command *command)
{
    cnf_run_options options;
    if (!cnf_run_options_read(command->arguments, &options)) return CNF_EXIT_USAGE;
    options.subjects = command->columns.subjects;
    options.subject_count = command->columns.count;
    const cnf_file *file = &command->files.items[0];
    command->has_rules = cnf_results_rules(&command->arena, file, &command->rules);
    rt_status status = cnf_file_text(command->sink, file, &command->source);
    (void)status; /* If the file cannot be read, the record says INVALID. */
    cnf_run_end end = cnf_run(&options, command->files.items, 1, on_record, command);
    bool printed = cnf_command_print(&command->text, "the explanation");
    if (end != CNF_RUN_COMPLETE || !printed) return CNF_EXIT_INFRASTRUCTURE;
    CHECK(command->report.records.count == 1);
    /* The subject was requested by name. */
    cnf_verdict verdict = command->report.records.items[0].judgement.verdict;
    if (verdict == CNF_VERDICT_UNAVAILABLE) return CNF_EXIT_INFRASTRUCTURE;
    return cnf_report_exit_status(&command->report);
}

int cnf_why_command(const cnf_arguments *arguments)
{
    why_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = operands_read(&command);
    if (status == CNF_EXIT_EXPECTED) status = scenario_run(&command);
    rt_buffer_free(&command.text);
    rt_buffer_free(&command.source);
    cnf_report_free(&command.report);
    cnf_expectations_free(&command.expectations);
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
