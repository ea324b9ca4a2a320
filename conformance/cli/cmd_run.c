/* assay run: runs scenarios on subjects, writes records, shows progress, and reports at the end. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/journal.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/cli/selection.h"
#include "conformance/cli/shard.h"
#include "conformance/report/progress.h"

#include <string.h>
#include <unistd.h>

enum {
    EXPLORE_DEFAULT = 64,
    EXPLORE_MAX = 1 << 20,
};

typedef struct run_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    bool colours; /* of the matrix */
    cnf_run_options options;
    cnf_columns columns;
    uint64_t skip_status; /* 0: none */
    cnf_files files;
    cnf_report report;
    cnf_differences differences;
    cnf_rules rules;
    bool explains, has_rules; /* differences are kept; `rules` was read */
    cnf_expectations expectations;
    cnf_progress progress;
    cnf_journal journal;
    cnf_html *html;       /* NULL without --html */
    cnf_history *history; /* NULL without --history */
    rt_buffer warnings;   /* lines, printed after the report */
    bool output_failed;
} run_command;

/* ---- Options ------------------------------------------------------------------------------- */

static int subjects_choose(run_command *command)
{
    rt_buffer error = {0};
    bool chosen = cnf_columns_choose(&command->arena, command->arguments->values[CNF_OPTION_ON],
                                     &command->columns, &error);
    if (!chosen) fprintf(stderr, "assay: --on %s\n", rt_buffer_string(&error));
    rt_buffer_free(&error);
    command->options.subjects = command->columns.subjects;
    command->options.subject_count = command->columns.count;
    return chosen ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}

/* Reads the options of this command alone. */
static bool own_options_read(run_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    uint64_t explore_max = 0;
    bool read = cnf_command_number(arguments, CNF_OPTION_EXPLORE_MAX, "--explore-max", 1,
                                   EXPLORE_MAX, EXPLORE_DEFAULT, &explore_max) &&
                cnf_command_number(arguments, CNF_OPTION_SKIP_STATUS, "--skip-status", 1, UINT8_MAX,
                                   0, &command->skip_status);
    bool explores = arguments->values[CNF_OPTION_EXPLORE] != NULL;
    command->options.explore_max = explores ? (uint32_t)explore_max : 0;
    return read;
}

static int options_read(run_command *command)
{
    bool read = cnf_run_options_read(command->arguments, &command->options) &&
                cnf_command_colours(command->arguments, &command->colours) &&
                own_options_read(command);
    if (!read) return CNF_EXIT_USAGE;
    command->options.conditions = cnf_run_options_conditions(&command->arena, &command->options);
    const char *folders = command->arguments->values[CNF_OPTION_EXPECTATIONS];
    command->report.again =
        rt_arena_printf(&command->arena, "%.*s%s%s",
                        RT_TEXT_ARG(cnf_run_options_again(&command->arena, &command->options)),
                        folders ? " --expectations " : "", folders ? folders : "");
    return subjects_choose(command);
}

/* ---- Files --------------------------------------------------------------------------------- */

static int shard_apply(run_command *command)
{
    const char *text = command->arguments->values[CNF_OPTION_SHARD];
    if (!text) return CNF_EXIT_EXPECTED;
    bool automatic = strcmp(text, "auto") == 0;
    cnf_shard shard;
    rt_buffer error = {0};
    bool read =
        automatic ? cnf_shard_from_environment(&shard, &error) : cnf_shard_read(text, &shard);
    if (!read) {
        fprintf(stderr, "assay: --shard %s: %s\n", text,
                automatic ? rt_buffer_string(&error) : "expected I/N with 1 <= I <= N, or auto");
    }
    rt_buffer_free(&error);
    if (!read) return CNF_EXIT_USAGE;
    command->files = cnf_shard_apply(&command->arena, command->files, shard);
    /* An empty shard still writes its output files, which are empty. */
    if (command->files.count == 0)
        fprintf(stderr, "assay: --shard %s: shard %u of %u has no scenario\n", text,
                shard.index + 1, shard.count);
    return CNF_EXIT_EXPECTED;
}

/* Finds the scenarios and applies the selecting options. */
static int files_choose(run_command *command)
{
    int status = cnf_command_files(command->arguments, &command->arena, &command->files);
    if (status == CNF_EXIT_EXPECTED)
        status = cnf_selection_apply(command->arguments, &command->arena, &command->files);
    if (status == CNF_EXIT_EXPECTED) status = shard_apply(command);
    return status;
}

static int journal_open(run_command *command)
{
    const char *name = command->arguments->values[CNF_OPTION_JSON];
    if (!command->arguments->values[CNF_OPTION_RESUME])
        return cnf_journal_open(&command->journal, name);
    return cnf_journal_resume(&command->journal, name, &command->files, command->columns.subjects,
                              command->columns.count, command->options.conditions);
}

/* ---- Running ------------------------------------------------------------------------------- */

/* Adds a record to the report. */
static void record_report(run_command *command, const cnf_record *record)
{
    cnf_report_add(&command->report, record);
    cnf_progress_add(&command->progress, record);
}

/* Keeps the explanation of a difference, whose data is valid only during this call. */
static void difference_keep(run_command *command, const cnf_record *record,
                            const cnf_run_detail *detail)
{
    const cnf_subject *subject = cnf_subject_find(record->subject);
    bool is_oracle = subject && subject->oracle;
    const cnf_why why = {.record = record,
                         .sim = is_oracle || !cnf_record_has_subject(record) ? NULL
                                : detail->oracle                             ? "PASS"
                                                 : "did not pass, or did not run",
                         .scenario = detail->scenario,
                         .messages = detail->messages,
                         .oracle = detail->oracle,
                         .log = detail->log,
                         .log_is_tail = detail->log_is_tail,
                         .source = detail->source,
                         .rules = command->has_rules ? &command->rules : NULL};
    cnf_differences_add(&command->differences, &why, &command->report);
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    run_command *command = user;
    cnf_record known = *record;
    cnf_record_expect(&known, &command->expectations);
    record_report(command, &known);
    if (command->html) cnf_html_note(command->html, &known, detail);
    if (command->explains) difference_keep(command, &known, detail);
    if (detail->warning.length > 0)
        rt_buffer_printf(&command->warnings, "assay: warning: %.*s on %.*s: %.*s\n",
                         RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject),
                         RT_TEXT_ARG(detail->warning));
    if (cnf_journal_append(&command->journal, &known)) return true;
    command->output_failed = true;
    return false;
}

static void on_begin(void *user, rt_text path, rt_text subject)
{
    run_command *command = user;
    cnf_progress_begun(&command->progress, path, subject);
}

static bool is_done(void *user, rt_text path, rt_text hash, rt_text subject)
{
    const run_command *command = user;
    return cnf_journal_has(&command->journal, path, hash, subject);
}

/* Adds the records of an earlier run to this run's. */
static void kept_report(run_command *command)
{
    for (uint32_t i = 0; i < command->journal.kept_count; i++) {
        cnf_record known = command->journal.kept[i];
        cnf_record_expect(&known, &command->expectations);
        record_report(command, &known);
    }
}

static bool report_print(run_command *command)
{
    rt_buffer text = {0};
    cnf_report_write(&text, &command->report, command->columns.columns, command->columns.count,
                     command->colours);
    bool printed = cnf_command_print(&text, "the matrix");
    rt_buffer_free(&text);
    return printed;
}

/* A subject that is not installed is a failure only if it was requested by name; a missing compiler
 * always is. */
static bool something_missing(const run_command *command)
{
    for (uint32_t i = 0; i < command->report.records.count; i++) {
        const cnf_record *record = &command->report.records.items[i];
        if (record->judgement.verdict != CNF_VERDICT_UNAVAILABLE) continue;
        bool named = command->arguments->values[CNF_OPTION_ON] != NULL;
        if (named || !cnf_report_is_missing(record)) return true;
    }
    return false;
}

/* True if no scenario ran on any subject: all are skipped or not installed. */
static bool everything_skipped(const run_command *command)
{
    for (uint32_t i = 0; i < command->report.records.count; i++) {
        const cnf_record *record = &command->report.records.items[i];
        bool skipped = record->judgement.verdict == CNF_VERDICT_SKIP;
        if (!skipped && !cnf_report_is_missing(record)) return false;
    }
    return true;
}

static int run_exit_status(const run_command *command, cnf_run_end end)
{
    if (end != CNF_RUN_COMPLETE || command->output_failed) return CNF_EXIT_INFRASTRUCTURE;
    bool skipped = everything_skipped(command) && cnf_expectations_hold(&command->expectations);
    if (command->skip_status > 0 && skipped) return (int)command->skip_status;
    if (something_missing(command)) return CNF_EXIT_INFRASTRUCTURE;
    return cnf_report_exit_status(&command->report);
}

/* Writes the requested reports. Returns false after reporting an error on stderr. */
static bool documents_write(run_command *command)
{
    const cnf_html_run page = {.report = &command->report,
                               .columns = command->columns.columns,
                               .column_count = command->columns.count,
                               .files = &command->files,
                               .rules = command->has_rules ? &command->rules : NULL,
                               .version = RT_TEXT(ASSAY_VERSION),
                               .conditions = command->options.conditions,
                               .job_count = command->options.job_count};
    bool junit = cnf_results_junit(command->arguments, &command->report, command->columns.columns,
                                   command->columns.count);
    bool differences =
        cnf_results_differences(command->arguments, &command->differences, &command->report,
                                command->columns.columns, command->columns.count);
    bool sarif = cnf_results_sarif(command->arguments, &command->files, &command->report);
    bool history = cnf_results_history_add(command->history, &command->report);
    bool html = cnf_results_html(command->arguments, command->html, &page);
    return junit && differences && sarif && history && html;
}

/* Runs the scenarios that have no kept record, and writes all results. */
static int run_and_report(run_command *command)
{
    command->explains = command->arguments->values[CNF_OPTION_DIFFERENCES] != NULL;
    command->has_rules =
        (command->explains || command->html) && command->files.count > 0 &&
        cnf_results_rules(&command->arena, &command->files.items[0], &command->rules);
    command->options.is_done = is_done;
    command->options.begun = on_begin;
    command->progress = cnf_progress_begin(stderr, isatty(STDERR_FILENO),
                                           command->files.count * command->columns.count);
    kept_report(command);
    cnf_run_end end =
        cnf_run(&command->options, command->files.items, command->files.count, on_record, command);
    cnf_progress_end(&command->progress);
    command->report.expectations = &command->expectations;
    if (!report_print(command)) command->output_failed = true;
    fprintf(stderr, "%s", rt_buffer_string(&command->warnings));
    if (!documents_write(command)) command->output_failed = true;
    if (!cnf_journal_close(&command->journal)) command->output_failed = true;
    return run_exit_status(command, end);
}

/* A shard assigned by a CI system may be empty without error. */
static bool shard_is_empty(const run_command *command, int status)
{
    const char *shard = command->arguments->values[CNF_OPTION_SHARD];
    return status == CNF_EXIT_NOTHING_RAN && shard && strcmp(shard, "auto") == 0 &&
           command->files.count == 0;
}

int cnf_run_command(const cnf_arguments *arguments)
{
    run_command command = {.arguments = arguments, .journal = {.file = -1}};
    if (arguments->values[CNF_OPTION_HTML])
        command.html = cnf_html_create(rt_text_of(cnf_results_oracle()));
    int status = options_read(&command);
    if (status == CNF_EXIT_EXPECTED) status = files_choose(&command);
    if (status == CNF_EXIT_EXPECTED &&
        !cnf_results_expect(arguments, &command.files, &command.expectations))
        status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED && !cnf_results_history_open(arguments, &command.history))
        status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED) status = journal_open(&command);
    if (status == CNF_EXIT_EXPECTED) status = run_and_report(&command);
    if (shard_is_empty(&command, status)) status = CNF_EXIT_EXPECTED;
    (void)cnf_journal_close(&command.journal); /* If the run used it, it is closed already. */
    cnf_history_close(command.history);
    rt_buffer_free(&command.warnings);
    cnf_html_free(command.html);
    cnf_report_free(&command.report);
    cnf_differences_free(&command.differences);
    cnf_expectations_free(&command.expectations);
    rt_arena_reset(&command.arena);
    return status;
}
