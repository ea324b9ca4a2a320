/* assay run: scenarios on subjects, records, progress, and the report at the end. */
#include "conformance/cli/commands.h"
#include "conformance/report/matrix.h"
#include "conformance/report/progress.h"
#include "conformance/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TIMEOUT_DEFAULT_S = 60,
    TIMEOUT_MAX_S = 86400,
    JOBS_MAX = 256,
    SHARDS_MAX = 100000,
};

typedef struct run_command {
    rt_arena arena;
    const cnf_subject **subjects;
    cnf_column *columns;
    uint32_t subject_count;
    bool subjects_named;  /* by --on: one that is missing is an error */
    uint64_t skip_status; /* 0: none */
    cnf_files files;
    cnf_report report;
    cnf_progress progress;
    int json; /* -1: none */
    const char *json_name;
    bool output_failed;
} run_command;

/* ---- Subjects ------------------------------------------------------------------------------ */

static bool subject_unknown(rt_text name)
{
    rt_buffer message = {0};
    rt_arena arena = {0};
    if (memchr(name.data, '{', name.length)) {
        rt_buffer_printf(&message, "%.*s: driver options are not built yet in this version",
                         RT_TEXT_ARG(name));
    } else {
        const char **names = rt_arena_alloc_array(&arena, cnf_subject_count, sizeof *names);
        for (uint32_t i = 0; i < cnf_subject_count; i++)
            names[i] = cnf_subjects[i].name;
        rt_buffer_printf(&message, "there is no subject \"%.*s\"", RT_TEXT_ARG(name));
        cnf_suggest(&message, rt_arena_text(&arena, name).data, names, cnf_subject_count);
        rt_buffer_printf(&message, " (assay subjects lists them)");
    }
    fprintf(stderr, "assay: --on %s\n", rt_buffer_string(&message));
    rt_buffer_free(&message);
    rt_arena_reset(&arena);
    return false;
}

static void subject_add(run_command *command, const cnf_subject *subject)
{
    for (uint32_t i = 0; i < command->subject_count; i++)
        if (command->subjects[i] == subject) return;
    command->subjects[command->subject_count] = subject;
    command->columns[command->subject_count++] =
        (cnf_column){rt_text_of(subject->name), rt_text_of(subject->install)};
}

/* Chooses the subjects of --on, or all. */
static bool subjects_choose(run_command *command, const char *on)
{
    CHECK(cnf_subject_count > 0);
    command->subjects_named = on != NULL;
    command->subjects =
        rt_arena_alloc_array(&command->arena, cnf_subject_count, sizeof(cnf_subject *));
    command->columns =
        rt_arena_alloc_array(&command->arena, cnf_subject_count, sizeof *command->columns);
    for (uint32_t i = 0; !on && i < cnf_subject_count; i++)
        subject_add(command, &cnf_subjects[i]);
    while (on) {
        rt_text name = {on, strcspn(on, ",")};
        const cnf_subject *subject = cnf_subject_find(name);
        if (!subject) return subject_unknown(name);
        subject_add(command, subject);
        on = on[name.length] == ',' ? on + name.length + 1 : NULL;
    }
    return true;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* Keeps every n-th file, from the i-th on; the order is that of the paths, so that n shards cover
 * every file once. */
static int shard_apply(run_command *command, const char *shard)
{
    if (!shard) return CNF_EXIT_EXPECTED;
    const char *slash = strchr(shard, '/');
    rt_text first = {shard, slash ? (size_t)(slash - shard) : 0};
    uint64_t index, count;
    if (!slash || !cnf_number_read(slash + 1, 1, SHARDS_MAX, &count) ||
        !cnf_number_read(rt_arena_text(&command->arena, first).data, 1, count, &index)) {
        fprintf(stderr, "assay: --shard %s: expected i/n with 1 <= i <= n\n", shard);
        return CNF_EXIT_USAGE;
    }
    uint32_t kept = 0;
    cnf_file *files =
        rt_arena_alloc_array(&command->arena, command->files.count + 1, sizeof *files);
    for (uint32_t i = 0; i < command->files.count; i++)
        if (i % count == index - 1) files[kept++] = command->files.items[i];
    command->files = (cnf_files){files, kept};
    if (kept > 0) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: --shard %s: this shard has no scenario\n", shard);
    return CNF_EXIT_NOTHING_RAN;
}

static bool json_open(run_command *command, const char *name)
{
    command->json = -1;
    command->json_name = name;
    if (!name) return true;
    command->json = open(name, O_WRONLY | O_APPEND | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (command->json >= 0) return true;
    fprintf(stderr, "assay: --json %s: %s\n", name, strerror(errno));
    return false;
}

/* ---- Running ------------------------------------------------------------------------------- */

static bool on_record(void *user, const cnf_record *record)
{
    run_command *command = user;
    cnf_report_add(&command->report, record);
    cnf_progress_add(&command->progress, record);
    int error = command->json < 0 ? 0 : cnf_record_append(command->json, record);
    if (error == 0) return true;
    command->output_failed = true;
    fprintf(stderr, "assay: --json %s: a record could not be written: %s; the run stops\n",
            command->json_name, strerror(error));
    return false;
}

/* Writes all of it, or as much as somebody reads (run | head is no failure).  False when it could
 * not be written: a full disk, no output. */
static bool report_print(run_command *command)
{
    bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    rt_buffer text = {0};
    cnf_report_write(&text, &command->report, command->columns, command->subject_count, colour);
    errno = 0;
    bool written = fwrite(text.data, 1, text.size, stdout) == text.size && fflush(stdout) == 0;
    int error = errno;
    rt_buffer_free(&text);
    if (written || error == EPIPE) return true;
    fprintf(stderr, "assay: the matrix could not be written: %s\n", strerror(error));
    return false;
}

/* A subject that is not installed is nobody's failure, unless it was asked for by name; a compiler
 * that is not installed always is one. */
static bool something_missing(const run_command *command)
{
    for (uint32_t i = 0; i < command->report.records.count; i++) {
        const cnf_record *record = &command->report.records.items[i];
        if (record->judgement.verdict != CNF_VERDICT_UNAVAILABLE) continue;
        if (command->subjects_named || !cnf_report_is_missing(record)) return true;
    }
    return false;
}

/* True when no subject could be asked anything: all skip, or are not installed. */
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
    if (command->skip_status > 0 && everything_skipped(command)) return (int)command->skip_status;
    if (something_missing(command)) return CNF_EXIT_INFRASTRUCTURE;
    return cnf_report_exit_status(&command->report);
}

static int run_files(run_command *command, const cnf_arguments *arguments)
{
    uint64_t jobs, timeout_s, seed;
    if (!cnf_command_number(arguments, CNF_OPTION_JOBS, "--jobs", 1, JOBS_MAX,
                            cnf_command_processors(), &jobs) ||
        !cnf_command_number(arguments, CNF_OPTION_TIMEOUT, "--timeout", 1, TIMEOUT_MAX_S,
                            TIMEOUT_DEFAULT_S, &timeout_s) ||
        !cnf_command_number(arguments, CNF_OPTION_SEED, "--seed", 0, UINT64_MAX, 0, &seed) ||
        !cnf_command_number(arguments, CNF_OPTION_SKIP_STATUS, "--skip-status", 1, UINT8_MAX, 0,
                            &command->skip_status))
        return CNF_EXIT_USAGE;
    int status = cnf_command_files(arguments, &command->arena, &command->files);
    if (status == CNF_EXIT_EXPECTED)
        status = shard_apply(command, arguments->values[CNF_OPTION_SHARD]);
    if (status != CNF_EXIT_EXPECTED) return status;
    if (!json_open(command, arguments->values[CNF_OPTION_JSON])) return CNF_EXIT_INFRASTRUCTURE;

    const cnf_run_options options = {.subjects = command->subjects,
                                     .subject_count = command->subject_count,
                                     .job_count = (uint32_t)jobs,
                                     .timeout_ms = (uint32_t)timeout_s * 1000,
                                     .seed = seed,
                                     .cache = rt_text_of(arguments->values[CNF_OPTION_CACHE])};
    command->progress = cnf_progress_begin(stderr, isatty(STDERR_FILENO),
                                           command->files.count * command->subject_count);
    cnf_run_end end =
        cnf_run(&options, command->files.items, command->files.count, on_record, command);
    cnf_progress_end(&command->progress);
    if (!report_print(command)) command->output_failed = true;
    bool closed = command->json < 0 || close(command->json) == 0;
    if (!closed) {
        fprintf(stderr, "assay: --json %s: %s\n", command->json_name, strerror(errno));
        command->output_failed = true;
    }
    return run_exit_status(command, end);
}

int cnf_run_command(const cnf_arguments *arguments)
{
    run_command command = {.json = -1};
    int status = CNF_EXIT_USAGE;
    if (subjects_choose(&command, arguments->values[CNF_OPTION_ON]))
        status = run_files(&command, arguments);
    cnf_report_free(&command.report);
    rt_arena_reset(&command.arena);
    return status;
}
