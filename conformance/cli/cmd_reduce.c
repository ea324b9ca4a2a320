/* assay reduce: makes a failing scenario smaller. A candidate passes if the subject still fails
 * with the headline of the original's signature, wherever the step is by then, and sim still ends
 * as it did; so the expected values stay right, because the reference checks them, in every choice
 * that the documents leave open if the original passes in all of them. Nor may sim refuse a call
 * for a new reason: otherwise a kernel that must be refused would lose its arguments, or its code.
 * If sim itself fails, nothing checks them: the failed check must then expect and observe what the
 * original did, and nothing may fail that did not, so that no failure is due to what the reduction
 * changed. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/reduce_tool.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/process/process.h"
#include "conformance/process/scratch.h"
#include "conformance/tools/fmt/fmt.h"
#include "conformance/tools/fuzz/fuzz.h"
#include "conformance/tools/reduce/reduce.h"
#include "reference/base/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Runs on sim of a candidate; if it has more choices, some are not made. */
enum { EXPLORE_MAX = 32 };

/* What a scenario showed on the subjects. */
typedef struct outcome {
    cnf_verdict verdict, oracle; /* on the subject, on sim; NOT_RUN until known */
    rt_text headline;            /* that must stay, as fuz_headline writes it */
    rt_text message;             /* for people */
    rt_text finding;   /* of sim: what the first failed check reports, without the numbers of lines;
                        * empty: none failed */
    uint64_t refusals; /* of sim, as an oracle (fuz_refusals) */
    rt_text signature; /* on the subject */
    bool has_headline; /* one of the failures has the wanted headline */
} outcome;

typedef struct reduce_command {
    const cnf_arguments *arguments;
    rt_arena arena;
    rt_sink *sink;
    cnf_columns columns;
    cnf_files files;
    cnf_run_options options;
    const char *keep; /* the command of --keep; NULL: the signature decides */
    uint64_t times;
    outcome wanted;
    outcome *shown;       /* of the candidates in the current batch */
    rt_buffer text;       /* of the file */
    uint32_t lines, runs; /* of the smallest candidate so far; candidates tested */
    uint32_t original_lines;
} reduce_command;

static bool signature_has(rt_arena *arena, rt_text signature, rt_text headline)
{
    while (signature.length > 0) {
        rt_text failure = rt_text_take_until(&signature, ' ');
        if (rt_text_equal(fuz_headline(arena, failure), headline)) return true;
    }
    return false;
}

/* True if every failure of the signature is in the other one, wherever its step is. */
static bool signature_is_part(rt_arena *arena, rt_text signature, rt_text whole)
{
    while (signature.length > 0) {
        rt_text failure = rt_text_take_until(&signature, ' ');
        if (!signature_has(arena, whole, fuz_headline(arena, failure))) return false;
    }
    return true;
}

/* The message without the numbers of lines, which differ from candidate to candidate. */
static rt_text without_lines(rt_arena *arena, rt_text message)
{
    static const char word[] = "line ";
    rt_buffer text = {0};
    while (message.length > 0) {
        bool is_line = rt_text_starts(message, word);
        size_t taken = is_line ? sizeof word - 1 : 1;
        rt_buffer_append(&text, message.data, taken);
        message = rt_text_skip(message, taken);
        while (is_line && message.length > 0 && isdigit((unsigned char)message.data[0]))
            message = rt_text_skip(message, 1);
    }
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}

/* What the first failed check says, or the failed check that says what is wanted. */
static rt_text finding_of(rt_arena *arena, const cnf_messages *messages, rt_text wanted)
{
    for (uint32_t i = 0; messages && i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        if (check->ok) continue;
        rt_text finding = without_lines(arena, check->message);
        if (wanted.length == 0 || rt_text_equal(finding, wanted)) return finding;
    }
    return (rt_text){0};
}

/* ---- Running candidates ------------------------------------------------------------------- */

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    reduce_command *command = user;
    uint64_t candidate = 0;
    bool is_number = rt_number_read(record->scenario, 0, RED_BATCH_MAX, &candidate);
    CHECK(is_number);
    outcome *shown = &command->shown[candidate];
    const cnf_judgement *judgement = &record->judgement;
    const cnf_run_subject *subjects = command->columns.subjects;
    bool is_oracle = rt_text_equal(record->subject, subjects[0].name);
    if (is_oracle) shown->oracle = judgement->verdict;
    if (is_oracle && detail->messages) shown->refusals |= fuz_refusals(detail->messages->trace);
    if (!rt_text_equal(record->subject, subjects[command->columns.count - 1].name) &&
        cnf_record_has_subject(record))
        return true;
    shown->verdict = judgement->verdict;
    shown->signature = rt_arena_text(&command->arena, judgement->signature);
    shown->headline = fuz_headline(&command->arena, judgement->signature);
    shown->message = rt_arena_text(&command->arena, judgement->message);
    if (command->columns.count == 1)
        shown->finding = finding_of(&command->arena, detail->messages, command->wanted.finding);
    shown->has_headline =
        command->wanted.headline.length > 0 &&
        signature_has(&command->arena, judgement->signature, command->wanted.headline);
    return true;
}

/* Runs the texts and records what they show. Returns false if the run was interrupted. */
static bool candidates_run(reduce_command *command, const rt_text *texts, uint32_t count,
                           outcome *out_shown)
{
    cnf_file files[RED_BATCH_MAX];
    for (uint32_t i = 0; i < count; i++) {
        files[i] = command->files.items[0];
        files[i].text = texts[i];
        files[i].path = rt_arena_printf(&command->arena, "%u", i);
        out_shown[i] = (outcome){.verdict = CNF_VERDICT_NOT_RUN, .oracle = CNF_VERDICT_NOT_RUN};
    }
    command->shown = out_shown;
    return cnf_run(&command->options, files, count, on_record, command) == CNF_RUN_COMPLETE;
}

static bool is_kept(reduce_command *command, const outcome *shown)
{
    /* On sim, what fails for a new reason does so because of what was left out. */
    if (command->columns.count == 1 &&
        !signature_is_part(&command->arena, shown->signature, command->wanted.signature))
        return false;
    return shown->verdict == command->wanted.verdict && shown->oracle == command->wanted.oracle &&
           shown->has_headline && (shown->refusals & ~command->wanted.refusals) == 0 &&
           rt_text_equal(shown->finding, command->wanted.finding);
}

/* Runs --keep's command with the text in a file; `out_kept` if it succeeds. */
static bool command_keeps(reduce_command *command, rt_text text, bool *out_kept)
{
    rt_text folder;
    rt_status status = cnf_scratch_make(command->sink, &command->arena, &folder);
    if (!rt_ok(status)) {
        cnf_command_fail(command->sink, status, RT_TEXT("--keep"));
        return false;
    }
    rt_text file = rt_arena_printf(&command->arena, "%.*s/candidate.yaml", RT_TEXT_ARG(folder));
    rt_text line = rt_arena_printf(&command->arena, "%s \"$1\"", command->keep);
    rt_buffer content = {0}, output = {0}, errors = {0};
    rt_buffer_append_text(&content, text);
    bool is_written = cnf_command_file_replace("--keep", file.data, &content);
    const char *const arguments[] = {"sh", "-c", line.data, "sh", file.data, NULL};
    cnf_process process;
    int error = is_written
                    ? cnf_process_start(&process, "/bin/sh", arguments,
                                        cnf_start_environment(&command->arena, NULL), (rt_bytes){0})
                    : 0;
    bool is_started = is_written && error == 0;
    if (is_started) {
        cnf_process_result result =
            cnf_process_finish(&process, command->options.timeout_ms, &output, &errors);
        *out_kept = result.end == CNF_PROCESS_EXITED && result.code == 0;
    } else if (is_written) {
        fprintf(stderr, "assay: --keep: /bin/sh: %s\n", strerror(error));
    }
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    cnf_scratch_remove(folder);
    return is_started;
}

static uint32_t lines_in(rt_text text)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    return lines;
}

static void progress_print(reduce_command *command, rt_text smallest)
{
    uint32_t lines = lines_in(smallest);
    if (lines == command->lines) return;
    command->lines = lines;
    bool is_terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%sreduce: %u of %u lines after %u runs%s", is_terminal ? "\r" : "", lines,
            command->original_lines, command->runs, is_terminal ? "\033[K" : "\n");
}

static bool candidates_test(void *user, const rt_text *candidates, uint32_t count,
                            uint32_t *out_passed)
{
    reduce_command *command = user;
    *out_passed = count;
    for (uint64_t time = 0; time < command->times && *out_passed == count; time++) {
        outcome shown[RED_BATCH_MAX] = {0};
        if (!command->keep && !candidates_run(command, candidates, count, shown)) return false;
        command->runs += count;
        for (uint32_t i = 0; i < count && *out_passed == count; i++) {
            bool kept = !command->keep && is_kept(command, &shown[i]);
            if (command->keep && !command_keeps(command, candidates[i], &kept)) return false;
            if (kept) *out_passed = i;
        }
    }
    if (*out_passed < count) progress_print(command, candidates[*out_passed]);
    return true;
}

/* Code that lines alone have not made short is worth a tool that knows its language. */
static bool source_reduce(void *user, red_source *source)
{
    enum { SHORT_BYTES = 1000, TOOL_SECONDS = 90 };
    (void)user;
    return source->code.length <= SHORT_BYTES || cnf_reduce_by_tool(source, TOOL_SECONDS);
}

/* ---- The command -------------------------------------------------------------------------- */

static int operands_read(reduce_command *command)
{
    cnf_arguments arguments = *command->arguments;
    command->keep = arguments.values[CNF_OPTION_KEEP];
    bool has_subject = arguments.path_count == 2;
    if (!has_subject && !(command->keep && arguments.path_count == 1)) {
        fprintf(stderr, "assay: reduce needs a scenario and a subject, or --keep: "
                        "assay reduce FILE SUBJECT\n");
        return CNF_EXIT_USAGE;
    }
    const char *oracle = cnf_results_oracle();
    rt_text names = rt_text_of(oracle);
    if (has_subject)
        names =
            rt_arena_printf(&command->arena, "%s,%.*s", oracle, RT_TEXT_ARG(arguments.paths[1]));
    arguments.path_count = 1;
    if (!cnf_columns_read(&command->arena, "", names.data, &command->columns) ||
        !cnf_command_number(&arguments, CNF_OPTION_TIMES, "--times", 1, 1000, 1, &command->times) ||
        !cnf_run_options_read(&arguments, &command->options))
        return CNF_EXIT_USAGE;
    command->options.subjects = command->columns.subjects;
    command->options.subject_count = command->columns.count;
    int status = cnf_command_scenario(&arguments, "reduce", &command->arena, &command->files);
    if (status == CNF_EXIT_EXPECTED && cnf_command_refuses_packs(&command->files, "reduce"))
        status = CNF_EXIT_USAGE;
    return status;
}

/* Runs the original. Explores the reference's choices, from now on, if it passes in all of them. */
static bool original_run(reduce_command *command)
{
    rt_text text = rt_buffer_text(&command->text);
    bool has_oracle = command->columns.count > 1;
    command->options.explore_max = has_oracle ? EXPLORE_MAX : 0;
    if (!candidates_run(command, &text, 1, &command->wanted)) return false;
    if (!has_oracle || command->wanted.oracle == CNF_VERDICT_PASS) return true;
    command->options.explore_max = 0;
    return candidates_run(command, &text, 1, &command->wanted);
}

/* Finds out what must stay: how the scenario fails on the subject. */
static int failure_find(reduce_command *command)
{
    if (command->keep) return CNF_EXIT_EXPECTED;
    const char *name = command->columns.subjects[command->columns.count - 1].name.data;
    for (uint64_t time = 0; time < command->times; time++) {
        if (!original_run(command)) return CNF_EXIT_INFRASTRUCTURE;
        cnf_verdict verdict = command->wanted.verdict;
        if (verdict == CNF_VERDICT_INVALID || verdict == CNF_VERDICT_UNAVAILABLE) {
            fprintf(stderr, "%.*s\n", RT_TEXT_ARG(command->wanted.message));
            return verdict == CNF_VERDICT_INVALID ? CNF_EXIT_USAGE : CNF_EXIT_INFRASTRUCTURE;
        }
        if (command->wanted.headline.length > 0) return CNF_EXIT_EXPECTED;
    }
    fprintf(stderr, "assay: reduce: %.*s does not fail on %s: %s; there is nothing to keep%s\n",
            RT_TEXT_ARG(command->files.items[0].file), name,
            cnf_verdict_word(command->wanted.verdict),
            command->times == 1 ? " (if it fails only sometimes, add --times K)" : "");
    return CNF_EXIT_NOTHING_RAN;
}

static rt_text summary_make(reduce_command *command)
{
    rt_text file = command->files.items[0].path;
    if (command->keep)
        return rt_arena_printf(&command->arena, "Reduced from %.*s by assay reduce.",
                               RT_TEXT_ARG(file));
    return rt_arena_printf(
        &command->arena, "Reduced from %.*s by assay reduce; on %.*s it still ends with %s, %.*s.",
        RT_TEXT_ARG(file), RT_TEXT_ARG(command->columns.subjects[command->columns.count - 1].name),
        cnf_verdict_word(command->wanted.verdict), RT_TEXT_ARG(command->wanted.headline));
}

static int result_write(reduce_command *command, const rt_buffer *reduced)
{
    rt_buffer formatted = {0};
    scn_problems problems;
    cnf_fmt_end end = cnf_fmt_text(&command->arena, rt_buffer_text(reduced), &formatted, &problems);
    CHECK(end == CNF_FMT_DONE); /* the writer's text is valid YAML */
    const char *name = command->arguments->values[CNF_OPTION_OUT];
    if (!name) return cnf_command_finish(&formatted, "the scenario");
    return cnf_command_file_replace("--output", name, &formatted) ? CNF_EXIT_EXPECTED
                                                                  : CNF_EXIT_INFRASTRUCTURE;
}

static int scenario_reduce(reduce_command *command)
{
    const cnf_file *file = &command->files.items[0];
    rt_status read = cnf_file_text(command->sink, file, &command->text);
    if (!rt_ok(read)) {
        cnf_command_fail(command->sink, read, file->file);
        return CNF_EXIT_USAGE;
    }
    int status = failure_find(command);
    if (status != CNF_EXIT_EXPECTED) return status;
    scn_reporter reporter = {.arena = &command->arena};
    const scn_node *root = scn_yaml_read(&reporter, rt_buffer_text(&command->text));
    if (!root) { /* with --keep, nothing has read it before */
        scn_problems problems = scn_reporter_finish(&reporter);
        cnf_command_problems(stderr, file->file, &problems);
        return CNF_EXIT_USAGE;
    }
    command->lines = command->original_lines = lines_in(rt_buffer_text(&command->text));
    const red_request request = {.root = root,
                                 .batch = command->options.job_count < RED_BATCH_MAX
                                              ? command->options.job_count
                                              : RED_BATCH_MAX,
                                 .test = candidates_test,
                                 .reduce_source = source_reduce,
                                 .user = command,
                                 .summary = summary_make(command)};
    rt_buffer reduced = {0};
    bool is_complete = red_reduce(&request, &reduced);
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\n");
    status = result_write(command, &reduced);
    rt_buffer_free(&reduced);
    return is_complete ? status : CNF_EXIT_INFRASTRUCTURE;
}

int cnf_reduce_command(const cnf_arguments *arguments)
{
    reduce_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = operands_read(&command);
    if (status == CNF_EXIT_EXPECTED) status = scenario_reduce(&command);
    rt_buffer_free(&command.text);
    rt_sink_destroy(command.sink);
    rt_arena_reset(&command.arena);
    return status;
}
