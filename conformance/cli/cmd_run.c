/* assay run: runs scenarios on subjects, writes records, shows progress, and reports at the end. */
#include "conformance/cli/baseline.h"
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/dump.h"
#include "conformance/cli/journal.h"
#include "conformance/cli/kernels.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/cli/save.h"
#include "conformance/cli/selection.h"
#include "conformance/cli/shard.h"
#include "conformance/report/progress.h"
#include "reference/base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    EXPLORE_DEFAULT = 64,
    EXPLORE_MAX = 1 << 20,
    RETRIES_MAX = 100,
    REPEAT_MAX = 100000,
    REUSE_MAX = 10000,
    FAIL_CALLS_MAX = 1 << 20,
};

typedef struct run_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    cnf_report_style style;
    double begun_s; /* on the monotonic clock */
    cnf_run_options options;
    cnf_columns columns;
    uint64_t skip_status; /* 0: none */
    uint64_t shuffle;     /* the seed of --shuffle */
    cnf_files files;
    cnf_results results;
    cnf_differences differences;
    cnf_rules rules;
    bool explains, has_rules; /* explains: differences are kept; has_rules: `rules` was read */
    cnf_expectations expectations;
    cnf_progress progress;
    cnf_journal journal;
    rt_buffer warnings; /* lines, printed after the report */
    bool output_failed, child_lost;
    bool is_misused; /* an option names what a scenario does not have */
    bool lists;      /* it only lists kernels, and runs at most what does not compile */
    cnf_dumps dumps;
    cnf_save save; /* of --save */
} run_command;

/* ---- Options ------------------------------------------------------------------------------- */

static int options_read(run_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    cnf_run_options *options = &command->options;
    uint64_t explore_max = 0, fail_max = 0, retries = 0, repeat = 0, reuse = 1;
    bool read =
        cnf_run_options_read(arguments, options) &&
        cnf_results_style_read(arguments, &command->style) &&
        cnf_command_number(arguments, CNF_OPTION_EXPLORE_MAX, "--explore-max", 1, EXPLORE_MAX,
                           EXPLORE_DEFAULT, &explore_max) &&
        cnf_command_number(arguments, CNF_OPTION_FAIL_CALLS, "--fail-calls", 1, FAIL_CALLS_MAX, 0,
                           &fail_max) &&
        cnf_command_number(arguments, CNF_OPTION_RETRIES, "--retries", 0, RETRIES_MAX, 0,
                           &retries) &&
        cnf_command_number(arguments, CNF_OPTION_REPEAT, "--repeat", 1, REPEAT_MAX, 1, &repeat) &&
        cnf_command_number(arguments, CNF_OPTION_REUSE, "--reuse", 1, REUSE_MAX, 1, &reuse) &&
        cnf_command_number(arguments, CNF_OPTION_SHUFFLE, "--shuffle", 0, UINT64_MAX, 0,
                           &command->shuffle) &&
        cnf_command_number(arguments, CNF_OPTION_SKIP_STATUS, "--skip-status", 1, UINT8_MAX, 0,
                           &command->skip_status) &&
        cnf_columns_read(&command->arena, "--on ", arguments->values[CNF_OPTION_ON],
                         &command->columns);
    if (!read) return CNF_EXIT_USAGE;
    CHECK(explore_max <= EXPLORE_MAX);
    options->retries = (uint32_t)retries;
    options->repeat = (uint32_t)repeat;
    options->fail_max = (uint32_t)fail_max;
    bool explores = arguments->values[CNF_OPTION_EXPLORE] != NULL;
    if ((retries > 0) + (repeat > 1) + explores + (fail_max > 0) > 1) {
        fprintf(stderr, "assay: --retries, --repeat, --explore and --fail-calls cannot be "
                        "combined; keep one of them\n");
        return CNF_EXIT_USAGE;
    }
    for (uint32_t i = 0; i < command->columns.count && fail_max > 0; i++) {
        if (command->columns.subjects[i].subject->backend) continue;
        fprintf(stderr,
                "assay: --fail-calls: %.*s does not call its devices through the reference "
                "runtime; choose other subjects with --on\n",
                RT_TEXT_ARG(command->columns.subjects[i].name));
        return CNF_EXIT_USAGE;
    }
    options->explore_max = arguments->values[CNF_OPTION_EXPLORE] ? (uint32_t)explore_max : 0;
    options->reuse = (uint32_t)reuse;
    if (reuse > 1 && (options->explore_max > 0 || fail_max > 0 || options->real_loader)) {
        fprintf(stderr,
                "assay: --reuse cannot be combined with %s, which needs a process for each run\n",
                options->real_loader       ? "--loader " CNF_LOADER_REAL
                : options->explore_max > 0 ? "--explore"
                                           : "--fail-calls");
        return CNF_EXIT_USAGE;
    }
    options->conditions = cnf_run_options_conditions(&command->arena, options);
    options->host = cnf_run_options_host(&command->arena);
    options->subjects = command->columns.subjects;
    options->subject_count = command->columns.count;
    const char *folders = arguments->values[CNF_OPTION_EXPECTATIONS];
    command->results.report.rerun_options = rt_arena_printf(
        &command->arena, "%.*s%s%s", RT_TEXT_ARG(cnf_run_options_rerun(&command->arena, options)),
        folders ? " --expectations " : "", folders ? folders : "");
    if (fail_max > 0)
        command->results.report.run_options =
            rt_arena_printf(&command->arena, " --fail-calls %u", options->fail_max);
    else if (repeat > 1) /* what fails now and then needs the attempts */
        command->results.report.run_options =
            rt_arena_printf(&command->arena, " --repeat %u", options->repeat);
    return CNF_EXIT_EXPECTED;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* Reads the times of --times. Returns false after reporting a mistake on stderr. */
static bool times_read(run_command *command, const cnf_scenario_time **out_times,
                       uint32_t *out_count)
{
    const char *name = command->arguments->values[CNF_OPTION_TIMES];
    *out_count = 0;
    *out_times = NULL;
    if (!name) return true;
    const uint32_t count = command->columns.count;
    rt_text *subjects = rt_arena_alloc_array(&command->arena, count, sizeof *subjects);
    for (uint32_t i = 0; i < count; i++)
        subjects[i] = command->columns.subjects[i].name;
    rt_sink *sink = rt_sink_create();
    cnf_history *history = NULL;
    rt_status status = cnf_history_open_read(sink, name, &history);
    if (rt_ok(status))
        status = cnf_history_times(sink, history, &command->arena, subjects, count, out_times,
                                   out_count);
    if (!rt_ok(status)) cnf_command_fail(sink, status, RT_TEXT("--times"));
    cnf_history_close(history);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

static int shard_apply(run_command *command)
{
    const char *text = command->arguments->values[CNF_OPTION_SHARD];
    const cnf_scenario_time *times;
    uint32_t time_count;
    if (!text && command->arguments->values[CNF_OPTION_TIMES]) {
        fprintf(stderr, "assay: --times needs --shard, whose parts it balances\n");
        return CNF_EXIT_USAGE;
    }
    if (!text) return CNF_EXIT_EXPECTED;
    if (!times_read(command, &times, &time_count)) return CNF_EXIT_USAGE;
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
    command->files = cnf_shard_apply(&command->arena, command->files, shard, times, time_count);
    /* A shard without scenarios still writes its output files, which have no records. */
    if (command->files.count == 0)
        fprintf(stderr, "assay: --shard %s: shard %u of %u has no scenario\n", text,
                shard.index + 1, shard.count);
    return CNF_EXIT_EXPECTED;
}

/* Finds the scenarios, or makes those of kernels' launches, or lists kernels. */
static int files_find(run_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    bool is_kernel = cnf_kernels_wanted(arguments);
    command->lists = is_kernel && cnf_kernels_listed(arguments);
    if (command->lists)
        return cnf_kernels_list(&command->arena, arguments, &command->options, &command->files);
    bool is_launch = is_kernel && !arguments->values[CNF_OPTION_KERNELS];
    if (!cnf_dumps_read(arguments, &command->arena, is_launch, &command->dumps))
        return CNF_EXIT_USAGE;
    cnf_launch *launch = rt_arena_alloc(&command->arena, sizeof *launch);
    for (uint32_t i = 0; !is_kernel && i < arguments->given_count; i++) {
        cnf_option_id id = arguments->given[i].id;
        const char *name = id == CNF_OPTION_SAVE ? "--save" : cnf_launch_option(id);
        if (!name) continue;
        fprintf(stderr,
                "assay: %s%s%s: only kernels have launches; expected the file of one (*.cl, "
                "*.clcpp, *.ll, *.bc, *.spvasm or *.spv)\n",
                name, *name ? " " : "", arguments->given[i].value);
        return CNF_EXIT_USAGE;
    }
    int status = is_kernel ? cnf_kernels_files(&command->arena, arguments, &command->options,
                                               &command->files, launch)
                           : cnf_command_files(arguments, &command->arena, &command->files);
    if (status != CNF_EXIT_EXPECTED) return status;
    if (is_launch && !cnf_dumps_check(&command->dumps, launch)) return CNF_EXIT_USAGE;
    return cnf_save_begin(&command->save, arguments, launch, &command->columns);
}

/* Prints the paths of the files, as `assay run` takes them. Returns an exit status. */
static int files_list(const cnf_files *files)
{
    rt_buffer text = {0};
    for (uint32_t i = 0; i < files->count; i++)
        rt_buffer_printf(&text, "%.*s\n", RT_TEXT_ARG(files->items[i].file));
    int status = cnf_command_finish(&text, "the list");
    return status == CNF_EXIT_EXPECTED && files->count == 0 ? CNF_EXIT_NOTHING_RAN : status;
}

/* ---- Running ------------------------------------------------------------------------------- */

/* Adds a record to the report. */
static void record_report(run_command *command, const cnf_record *record)
{
    cnf_report_add(&command->results.report, record);
    cnf_progress_add(&command->progress, record);
}

/* Prints and keeps the results of a kernel. */
static void kernel_note(run_command *command, const cnf_record *record,
                        const cnf_run_detail *detail)
{
    if (!detail->scenario || !detail->messages) return;
    const cnf_dumps *dumps = &command->dumps;
    rt_buffer text = {0};
    rt_text launch = command->files.count > 1 ? record->scenario : (rt_text){0};
    int status = CNF_EXIT_EXPECTED;
    if (dumps->prints_written || dumps->count > 0 || dumps->folder)
        status = cnf_dumps_write(&text, dumps, record->subject, launch, detail->scenario,
                                 detail->messages);
    if (status == CNF_EXIT_INFRASTRUCTURE) command->output_failed = true;
    if (status == CNF_EXIT_USAGE) command->is_misused = true;
    if (!cnf_command_print(&text, "the memories")) command->output_failed = true;
    rt_buffer_free(&text);
    cnf_save_note(&command->save, record, detail);
}

/* Notes a warning about the subject, which every scenario repeats, once. */
static void warn_of_subject(run_command *command, const cnf_record *record,
                            const cnf_run_detail *detail)
{
    rt_text text = detail->messages ? detail->messages->warning : (rt_text){0}, warning;
    while (text.length > 0) {
        warning = rt_text_take_until(&text, '\n');
        rt_buffer line = {0};
        rt_buffer_printf(&line, "assay: warning: %.*s: %.*s\n", RT_TEXT_ARG(record->subject),
                         RT_TEXT_ARG(warning));
        if (!strstr(rt_buffer_string(&command->warnings), rt_buffer_string(&line)))
            rt_buffer_append_text(&command->warnings, rt_buffer_text(&line));
        rt_buffer_free(&line);
    }
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    run_command *command = user;
    cnf_record judged = *record;
    cnf_record_expect(&judged, &command->expectations);
    record_report(command, &judged);
    if (command->results.html) cnf_html_note(command->results.html, &judged, detail);
    kernel_note(command, &judged, detail);
    if (command->explains) {
        /* Explains a difference immediately, because the data is valid only during this call. */
        const cnf_subject *subject = cnf_subject_find(judged.subject);
        bool is_oracle = subject && subject->oracle;
        const cnf_why why = {.record = &judged,
                             .sim = is_oracle || !cnf_record_has_subject(&judged) ? NULL
                                    : detail->oracle                              ? "PASS"
                                                     : "did not pass, or did not run",
                             .scenario = detail->scenario,
                             .messages = detail->messages,
                             .oracle = detail->oracle,
                             .log = detail->log,
                             .log_is_tail = detail->log_is_tail,
                             .source = detail->source,
                             .rules = command->has_rules ? &command->rules : NULL};
        cnf_differences_add(&command->differences, &why, &command->results.report);
    }
    if (detail->warning.length > 0)
        rt_buffer_printf(&command->warnings, "assay: warning: %.*s on %.*s: %.*s\n",
                         RT_TEXT_ARG(record->scenario), RT_TEXT_ARG(record->subject),
                         RT_TEXT_ARG(detail->warning));
    warn_of_subject(command, record, detail);
    if (!cnf_journal_append(&command->journal, &judged)) {
        command->output_failed = true;
        return false;
    }
    bool is_expected = cnf_verdict_effect(judged.judgement.verdict) == CNF_EFFECT_EXPECTED;
    return is_expected || !command->arguments->values[CNF_OPTION_FAIL_FAST];
}

/* For --retries: an entry may expect the failure. */
static bool is_unexpected(void *user, const cnf_record *record)
{
    run_command *command = user;
    cnf_record judged = *record;
    cnf_record_expect(&judged, &command->expectations);
    return cnf_verdict_effect(judged.judgement.verdict) != CNF_EFFECT_EXPECTED;
}

static void on_begin(void *user, rt_text path, rt_text subject)
{
    run_command *command = user;
    cnf_progress_begun(&command->progress, path, subject);
}

static bool runs_alone(void *user, rt_text path, rt_text subject)
{
    const run_command *command = user;
    return cnf_expectations_has(&command->expectations, path, subject);
}

/* No verdict says that a process crashed after all of its own, so the run fails. */
static void on_child_lost(void *user, rt_text subject, rt_text message)
{
    run_command *command = user;
    command->child_lost = true;
    rt_buffer_printf(&command->warnings, "assay: %.*s: %.*s; run these scenarios without --reuse\n",
                     RT_TEXT_ARG(subject), RT_TEXT_ARG(message));
}

static bool is_done(void *user, rt_text path, rt_text hash, rt_text subject)
{
    const run_command *command = user;
    return cnf_journal_has(&command->journal, path, hash, subject);
}

static int run_exit_status(const run_command *command, cnf_run_end end)
{
    /* A run that the listener stopped has an unexpected verdict, or its output failed. */
    if (end == CNF_RUN_INTERRUPTED || command->output_failed || command->child_lost)
        return CNF_EXIT_INFRASTRUCTURE;
    if (command->is_misused) return CNF_EXIT_USAGE;
    if (command->lists && command->files.count == 0) return CNF_EXIT_EXPECTED;
    bool everything_skipped = true;
    for (uint32_t i = 0; i < command->results.report.records.count; i++) {
        const cnf_record *record = &command->results.report.records.items[i];
        bool is_skip =
            record->judgement.verdict == CNF_VERDICT_SKIP || cnf_report_is_missing(record);
        everything_skipped = everything_skipped && is_skip;
    }
    int status = cnf_results_exit_status(&command->results);
    bool has_unused = cnf_expectations_unused(&command->expectations) > 0;
    bool skips = command->skip_status > 0 && everything_skipped && !has_unused;
    return skips ? (int)command->skip_status : status;
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

typedef struct ordered_file {
    uint64_t order;
    cnf_file file;
} ordered_file;

static int ordered_compare(const void *left, const void *right)
{
    uint64_t a = ((const ordered_file *)left)->order, b = ((const ordered_file *)right)->order;
    return a < b ? -1 : a > b;
}

/* The files in the order of the run: theirs or, with --shuffle, that of hashes of path and seed, so
 * that the order of two files does not depend on what else is selected. */
static const cnf_file *files_order(run_command *command)
{
    const cnf_files *files = &command->files;
    if (!command->arguments->values[CNF_OPTION_SHUFFLE]) return files->items;
    ordered_file *ordered = rt_arena_alloc_array(&command->arena, files->count, sizeof *ordered);
    cnf_file *items = rt_arena_alloc_array(&command->arena, files->count, sizeof *items);
    for (uint32_t i = 0; i < files->count; i++) {
        rt_text path = files->items[i].path;
        uint64_t hash = rt_hash64(path.data, path.length);
        ordered[i] =
            (ordered_file){rt_mix64(hash + command->shuffle * RT_MIX_STEP), files->items[i]};
    }
    if (files->count > 0) qsort(ordered, files->count, sizeof *ordered, ordered_compare);
    for (uint32_t i = 0; i < files->count; i++)
        items[i] = ordered[i].file;
    return items;
}

/* Runs the scenarios that have no kept record, and writes all results. */
static int run_and_report(run_command *command)
{
    const cnf_files *files = &command->files;
    command->begun_s = seconds_now();
    cnf_results_note_beginning(&command->results);
    bool wants_rules = command->results.html || command->explains ||
                       command->arguments->values[CNF_OPTION_SARIF] != NULL;
    command->has_rules = wants_rules && files->count > 0 &&
                         cnf_results_rules(&command->arena, &files->items[0], &command->rules);
    command->results.files = files;
    command->results.columns = &command->columns;
    command->results.rules = command->has_rules ? &command->rules : NULL;
    command->results.differences = &command->differences;
    command->results.conditions = command->options.conditions;
    command->results.job_count = command->options.job_count;
    command->options.is_done = is_done;
    command->options.begun = on_begin;
    command->options.is_unexpected = is_unexpected;
    command->options.runs_alone = runs_alone;
    command->options.child_lost = on_child_lost;
    command->progress =
        cnf_progress_begin(command->style.is_brief ? NULL : stderr, isatty(STDERR_FILENO),
                           files->count * command->columns.count);
    for (uint32_t i = 0; i < command->journal.record_count; i++) {
        cnf_record judged = command->journal.records[i];
        for (uint32_t k = 0; k < files->count && files->items[k].again.length > 0; k++)
            if (rt_text_equal(files->items[k].path, judged.scenario))
                judged.again = files->items[k].again;
        cnf_record_expect(&judged, &command->expectations);
        record_report(command, &judged);
    }
    cnf_run_end end =
        cnf_run(&command->options, files_order(command), files->count, on_record, command);
    cnf_progress_end(&command->progress);
    if (!cnf_save_finish(&command->save)) command->output_failed = true;
    command->results.report.expectations = &command->expectations;
    fprintf(stderr, "%s", rt_buffer_string(&command->warnings));
    rt_buffer text = {0};
    command->style.seconds = command->results.seconds = seconds_now() - command->begun_s;
    if (!command->lists || files->count > 0)
        cnf_report_write(&text, &command->results.report, command->columns.columns,
                         command->columns.count, &command->style);
    if (cnf_command_finish(&text, "the report") != CNF_EXIT_EXPECTED) command->output_failed = true;
    const char *baseline = command->arguments->values[CNF_OPTION_WRITE_EXPECTATIONS];
    if (baseline && end == CNF_RUN_COMPLETE &&
        !cnf_baselines_write(baseline, &command->results.report))
        command->output_failed = true;
    if (!cnf_results_write(&command->results)) command->output_failed = true;
    if (!cnf_journal_close(&command->journal)) command->output_failed = true;
    return run_exit_status(command, end);
}

/* Opens everything that the run reads or writes besides its scenarios, and runs. */
static int files_run(run_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    const char *journal = arguments->values[CNF_OPTION_JSON];
    int status = cnf_results_outputs_check(arguments);
    if (status == CNF_EXIT_EXPECTED &&
        (!cnf_results_expect(arguments, &command->files, &command->expectations) ||
         !cnf_results_history_open(arguments, &command->results.history)))
        status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED && arguments->values[CNF_OPTION_RESUME])
        status = cnf_journal_resume(&command->journal, journal, &command->files,
                                    command->columns.subjects, command->columns.count,
                                    command->options.conditions);
    else if (status == CNF_EXIT_EXPECTED)
        status = cnf_journal_open(&command->journal, journal);
    return status == CNF_EXIT_EXPECTED ? run_and_report(command) : status;
}

int cnf_run_command(const cnf_arguments *arguments)
{
    const char *const *values = arguments->values;
    run_command command = {.arguments = arguments,
                           .results = {.arguments = arguments},
                           .explains = values[CNF_OPTION_DIFFERENCES] != NULL,
                           .journal = {.file = -1}};
    if (values[CNF_OPTION_HTML])
        command.results.html = cnf_html_create(rt_text_of(cnf_results_oracle()));
    int status = options_read(&command);
    if (status == CNF_EXIT_EXPECTED) status = files_find(&command);
    if (status == CNF_EXIT_EXPECTED && !command.lists)
        status = cnf_selection_apply(arguments, &command.arena, &command.files);
    if (status == CNF_EXIT_EXPECTED && !command.lists) status = shard_apply(&command);
    if (status == CNF_EXIT_EXPECTED)
        status = values[CNF_OPTION_LIST] && !command.lists ? files_list(&command.files)
                                                           : files_run(&command);
    /* A shard assigned by a CI system may be empty without error. */
    const char *shard = values[CNF_OPTION_SHARD];
    if (status == CNF_EXIT_NOTHING_RAN && shard && strcmp(shard, "auto") == 0 &&
        command.files.count == 0)
        status = CNF_EXIT_EXPECTED;
    (void)cnf_journal_close(&command.journal); /* A completed run has closed it already. */
    cnf_history_close(command.results.history);
    rt_buffer_free(&command.warnings);
    cnf_html_free(command.results.html);
    cnf_report_free(&command.results.report);
    cnf_differences_free(&command.differences);
    cnf_expectations_free(&command.expectations);
    rt_arena_reset(&command.arena);
    return status;
}
