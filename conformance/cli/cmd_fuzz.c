/* assay fuzz: draws scenarios, runs them on several subjects, and sorts what fails into buckets.
 *
 * Three oracles judge a program: the expectations that its model predicts; a variation of the same
 * program, whose results must be equal; and the final memories of sim (cnf_run compares them). The
 * failures of a kind are reported once: by the scenario of the first seed, reduced. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/generated.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"
#include "conformance/cli/shrink.h"
#include "conformance/tools/fuzz/fuzz.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    BATCH_SEEDS = 512, /* on sim alone, where a batch takes seconds: more programs to choose from */
    BATCH_SEEDS_ELSEWHERE = 128,
    BATCH_FILES = 2 * BATCH_SEEDS,
    WORKERS_MAX = 16,
    WORKER_KEEPS = 1 << 24,       /* bytes */
    QUICK_PAIRS_MAX = 31,         /* a program that covers more for the first time runs again */
    DRAWN_MAX = 32 * BATCH_SEEDS, /* programs that are drawn for a batch */
    RUN_OF_EXPLAINED = 4,         /* one in so many is run */
    TRIED_MAX = 8,                /* programs of a new bucket that are reduced */
    STATE_MAX = 1 << 28,
    SEEDS_OF_A_RUN = 1000000,
    SEED_MAX = INT32_MAX
};

/* What a worker has learnt about a file. */
typedef struct quick_result {
    bool is_done; /* it passed, and the pairs are all that it covers for the first time */
    uint32_t pair_count;
    uint64_t pairs[QUICK_PAIRS_MAX]; /* of events */
} quick_result;

typedef struct fuzz_command {
    const cnf_arguments *arguments;
    const char *folder;
    const cnf_generated_kind *kind;
    gen_weights weights;
    cnf_columns columns;
    cnf_run_options options;
    uint64_t seconds, seeds; /* limits; UINT64_MAX: none */
    time_t began;
    rt_arena arena;
    rt_sink *sink;
    cnf_expectations expectations; /* of the suite, for the findings that a bucket resembles */
    fuz_state state;
    uint64_t known_seeds; /* of earlier runs */
    uint32_t new_buckets;
    /* The batch: each seed as drawn, followed by a variation. */
    rt_arena batch;
    cnf_file files[BATCH_FILES];
    gen_variation variations[BATCH_FILES];
    uint64_t file_seeds[BATCH_FILES];
    rt_buffer texts[BATCH_FILES];
    RT_VECTOR(const cnf_record *) failures;
    uint32_t file_count;
    uint32_t latest_index; /* where index_of begins to search */
    quick_result *quick;   /* by file, written by workers */
    bool is_lost;          /* a file or subject is missing */
} fuzz_command;

/* ---- Files ---------------------------------------------------------------------------------- */

static bool folder_make(const char *name)
{
    if (mkdir(name, 0777) == 0 || errno == EEXIST) return true;
    fprintf(stderr, "assay: fuzz: %s: %s\n", name, strerror(errno));
    return false;
}

static bool text_keep(fuzz_command *command, rt_text name, rt_text text)
{
    rt_buffer content = {0};
    rt_buffer_append_text(&content, text);
    bool is_written = cnf_command_file_replace("--out", name.data, &content);
    command->is_lost |= !is_written;
    return is_written;
}

static rt_text state_name(fuzz_command *command)
{
    return rt_arena_printf(&command->arena, "%s/state.json", command->folder);
}

/* Continues an earlier run with the same settings. Returns an exit status. */
static int state_open(fuzz_command *command, rt_text conditions)
{
    rt_text name = state_name(command);
    rt_buffer content = {0};
    rt_status status = RT_STATUS_OK;
    bool exists = access(name.data, F_OK) == 0;
    if (exists) {
        status = cnf_file_read(command->sink, name, STATE_MAX, &content);
        if (rt_ok(status))
            status = fuz_state_read(command->sink, rt_buffer_text(&content), &command->state);
        if (!rt_ok(status)) cnf_command_fail(command->sink, status, name);
    }
    rt_buffer_free(&content);
    if (!rt_ok(status)) return CNF_EXIT_USAGE;
    if (exists && !rt_text_equal(command->state.conditions, conditions)) {
        fprintf(stderr,
                "assay: --out %s: holds a run with other settings (%.*s); choose another folder\n",
                command->folder, RT_TEXT_ARG(command->state.conditions));
        return CNF_EXIT_USAGE;
    }
    if (!exists) command->state.next = command->options.seed * SEEDS_OF_A_RUN;
    command->state.conditions = conditions;
    command->known_seeds = command->state.seeds;
    return CNF_EXIT_EXPECTED;
}

static bool state_save(fuzz_command *command)
{
    rt_buffer content = {0};
    fuz_state_write(&command->state, &content);
    return cnf_command_file_replace("--out", state_name(command).data, &content);
}

/* ---- A batch -------------------------------------------------------------------------------- */

/* The file's index. It is mostly that of the latest question, or follows it. */
static uint32_t index_of(fuzz_command *command, rt_text path)
{
    for (uint32_t i = 0; i < command->file_count; i++) {
        uint32_t index = (command->latest_index + i) % command->file_count;
        if (!rt_text_equal(command->files[index].path, path)) continue;
        command->latest_index = index;
        return index;
    }
    UNREACHABLE();
}

static void corpus_keep(fuzz_command *command, uint32_t index)
{
    const char *variation = cnf_generated_variation(command->variations[index]);
    text_keep(command,
              rt_arena_printf(&command->batch, "%s/corpus/%" PRIu64 "%s%s.yaml", command->folder,
                              command->file_seeds[index], *variation ? "-" : "", variation),
              command->files[index].text);
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    fuzz_command *command = user;
    cnf_verdict verdict = record->judgement.verdict;
    uint32_t index = index_of(command, record->scenario);
    command->state.runs++;
    bool has_trace =
        detail->messages && rt_text_equal(record->subject, command->columns.subjects[0].name);
    if (has_trace && fuz_events_add(&command->state, detail->messages->trace) > 0)
        corpus_keep(command, index);
    if (verdict == CNF_VERDICT_UNAVAILABLE) {
        fprintf(stderr, "%.*s\n", RT_TEXT_ARG(record->judgement.message));
        command->is_lost = true;
        return false;
    }
    bool is_failure = cnf_verdict_effect(verdict) != CNF_EFFECT_EXPECTED;
    if (is_failure && verdict != CNF_VERDICT_NOT_RUN) {
        cnf_record *copy = rt_arena_alloc_array(&command->batch, 1, sizeof *copy);
        *copy = cnf_record_copy(&command->batch, record);
        *rt_vector_push(&command->failures) = copy;
    }
    return true;
}

static void file_add(fuzz_command *command, uint64_t seed, gen_variation variation)
{
    uint32_t index = command->file_count++, unit_count;
    const gen_request request = {
        .seed = seed, .variation = variation, .weights = &command->weights};
    command->kind->write(&request, &command->texts[index], &unit_count);
    rt_text name =
        rt_arena_printf(&command->batch, "%" PRIu64 ".%u.yaml", seed, (unsigned)variation);
    command->variations[index] = variation;
    command->file_seeds[index] = seed;
    command->files[index] =
        (cnf_file){.file = name, .path = name, .text = rt_buffer_text(&command->texts[index])};
}

/* True if a bucket explains the file that was added last. All kernels and lists have the same
 * traits. */
static bool is_explained(const fuzz_command *command)
{
    rt_text oracle = command->columns.subjects[0].name;
    rt_text text = command->files[command->file_count - 1].text;
    return command->kind->has_variations &&
           fuz_is_explained(&command->state, oracle, fuz_traits(text));
}

/* Undoes the latest file_add. */
static void file_drop(fuzz_command *command)
{
    rt_buffer_free(&command->texts[--command->file_count]);
}

/* Draws the next seeds. Variations take turns. A program takes milliseconds on sim and seconds
 * elsewhere, so few of those that a bucket of another subject explains are run. */
static void batch_draw(fuzz_command *command)
{
    uint64_t left = command->seeds - (command->state.seeds - command->known_seeds);
    uint64_t full = command->columns.count == 1 ? BATCH_SEEDS : BATCH_SEEDS_ELSEWHERE;
    uint64_t wanted = left < full ? left : full, count = 0;
    for (uint64_t drawn = 0; count < wanted && drawn < DRAWN_MAX; drawn++) {
        uint64_t seed = command->state.next++;
        file_add(command, seed, GEN_AS_DRAWN);
        if (seed % RUN_OF_EXPLAINED != 0 && is_explained(command)) {
            file_drop(command);
            continue;
        }
        count++;
        if (command->kind->has_variations)
            file_add(command, seed, (gen_variation)(1 + seed % (GEN_VARIATIONS - 1)));
    }
    command->state.seeds += count;
}

static void batch_free(fuzz_command *command)
{
    for (uint32_t i = 0; i < command->file_count; i++)
        rt_buffer_free(&command->texts[i]);
    command->file_count = command->failures.count = 0;
    rt_arena_reset(&command->batch);
}

/* ---- Rule marks -----------------------------------------------------------------------------
 *
 * In the build `prove`, a process notes each mark that it reaches when it does so first, so a mark
 * is attributed to the first program of a worker that reaches it. */

static rt_text hits_name(fuzz_command *command, uint32_t index)
{
    return rt_arena_printf(&command->batch, "%s/hits.%u", command->folder, index);
}

static void on_quick_begin(void *user, rt_text path, rt_text subject)
{
    fuzz_command *command = user;
    (void)subject;
    setenv("ASSAY_RULE_HITS", hits_name(command, index_of(command, path)).data, 1);
}

/* Keeps the program if it reached new marks. */
static void marks_take(fuzz_command *command, uint32_t index)
{
    rt_text name = hits_name(command, index);
    rt_buffer hits = {0};
    if (access(name.data, F_OK) != 0) return;
    rt_status status = cnf_file_read(command->sink, name, STATE_MAX, &hits);
    if (!rt_ok(status))
        cnf_command_fail(command->sink, status, name);
    else if (fuz_marks_add(&command->state, rt_buffer_text(&hits)) > 0)
        corpus_keep(command, index);
    rt_buffer_free(&hits);
    unlink(name.data);
}

/* ---- Workers ---------------------------------------------------------------------------------
 *
 * If sim is the only subject, a batch is first run by processes that run many programs each, which
 * is several times as fast. What passes there is done. All other programs, among them those that a
 * worker did not reach because it crashed or hung, run again in processes of their own, and only
 * these runs count. */

static bool on_quick_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    fuzz_command *command = user;
    if (record->judgement.verdict != CNF_VERDICT_PASS || !detail->messages) return true;
    quick_result *result = &command->quick[index_of(command, record->scenario)];
    const fuz_set *pairs = &command->state.pairs;
    uint32_t before = pairs->items.count;
    uint32_t count = fuz_events_add(&command->state, detail->messages->trace);
    CHECK(pairs->items.count == before + count);
    if (count > QUICK_PAIRS_MAX) return true;
    for (uint32_t i = 0; i < count; i++)
        result->pairs[i] = pairs->items.items[before + i];
    result->pair_count = count;
    result->is_done = true;
    return true;
}

/* The body of a worker, which runs every `worker_count`th file. */
static void worker_run(fuzz_command *command, uint32_t worker, uint32_t worker_count)
{
    /* What one program frees, the next one needs: it does not go back to the system. */
    mallopt(M_TRIM_THRESHOLD, WORKER_KEEPS);
    mallopt(M_TOP_PAD, WORKER_KEEPS);
    /* It must not take longer than the slowest program may. */
    alarm(command->options.timeout_ms / 1000 + 1);
    cnf_run_options options = command->options;
    options.in_process = true;
    options.job_count = 1;
    options.begun = on_quick_begin;
    cnf_file files[BATCH_FILES];
    uint32_t count = 0;
    for (uint32_t i = worker; i < command->file_count; i += worker_count)
        files[count++] = command->files[i];
    (void)cnf_run(&options, files, count, on_quick_record, command);
    _exit(0);
}

static void workers_run(fuzz_command *command)
{
    uint32_t jobs = command->options.job_count;
    uint32_t worker_count = jobs < WORKERS_MAX ? jobs : WORKERS_MAX;
    pid_t workers[WORKERS_MAX];
    for (uint32_t i = 0; i < worker_count; i++) {
        fflush(NULL);
        workers[i] = fork();
        if (workers[i] == 0) worker_run(command, i, worker_count);
    }
    for (uint32_t i = 0; i < worker_count; i++)
        while (workers[i] > 0 && waitpid(workers[i], NULL, 0) < 0 && errno == EINTR) {
        }
    for (uint32_t i = 0; i < command->file_count; i++)
        marks_take(command, i);
}

/* Runs the batch: by workers, if they can, and the rest as `assay run` does. */
static cnf_run_end batch_run(fuzz_command *command)
{
    memset(command->quick, 0, BATCH_FILES * sizeof *command->quick);
    if (command->columns.count == 1) workers_run(command);
    cnf_file left[BATCH_FILES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < command->file_count; i++) {
        const quick_result *quick = &command->quick[i];
        if (!quick->is_done) {
            left[count++] = command->files[i];
            continue;
        }
        command->state.runs++;
        if (fuz_pairs_add(&command->state, quick->pairs, quick->pair_count) > 0)
            corpus_keep(command, i);
    }
    if (count == 0) return CNF_RUN_COMPLETE;
    return cnf_run(&command->options, left, count, on_record, command);
}

/* ---- Buckets -------------------------------------------------------------------------------- */

/* The findings of the subject that show the same kind of failure, one word each. */
static void resemblance_write(fuzz_command *command, const fuz_bucket *bucket, rt_buffer *out)
{
    rt_text wanted = fuz_headline_key(&command->batch, bucket->headline), last = {0};
    for (uint32_t i = 0; i < command->expectations.entries.count; i++) {
        const cnf_expectation *entry = &command->expectations.entries.items[i];
        if (entry->finding.length == 0 || !rt_text_equal(entry->subject, bucket->subject)) continue;
        rt_text headline = fuz_headline(&command->batch, entry->signature);
        rt_text key = fuz_headline_key(&command->batch, headline);
        if (!rt_text_equal(key, wanted) || rt_text_equal(entry->finding, last)) continue;
        rt_buffer_printf(out, "# resembles: %.*s\n", RT_TEXT_ARG(entry->finding));
        last = entry->finding;
    }
}

/* The draft of a record for scenarios/expectations/findings. */
static void draft_write(fuzz_command *command, const fuz_bucket *bucket, const cnf_record *record,
                        rt_buffer *out)
{
    rt_buffer_printf(out, "# Seed %" PRIu64 "%s%.*s of assay fuzz: %.*s, %.*s\n", bucket->seed,
                     bucket->variation.length > 0 ? ", variation " : "",
                     RT_TEXT_ARG(bucket->variation), RT_TEXT_ARG(bucket->verdict),
                     RT_TEXT_ARG(bucket->headline));
    /* A subject is compared with the first one. */
    rt_text first = command->columns.subjects[0].name;
    bool is_first = rt_text_equal(bucket->subject, first);
    rt_buffer_printf(out, "# again: assay run seed.yaml --on %.*s%s%.*s --seed %" PRIu64 "\n",
                     RT_TEXT_ARG(first), is_first ? "" : ",",
                     is_first ? 0 : (int)bucket->subject.length, bucket->subject.data,
                     command->options.seed);
    if (is_first)
        rt_buffer_printf(out,
                         "# reduced, in every choice that the documents leave open:\n"
                         "# assay run reduced.yaml --on %.*s --explore\n",
                         RT_TEXT_ARG(first));
    resemblance_write(command, bucket, out);
    rt_buffer_printf(out,
                     "assay_findings: 1\nfindings:\n  - id: to-be-named\n    title: to be written\n"
                     "    class: untriaged\n    expected: to be written\n    got: |\n");
    rt_text message = record->judgement.message, line;
    while (message.length > 0) {
        line = rt_text_take_until(&message, '\n');
        rt_buffer_printf(out, "      %.*s\n", RT_TEXT_ARG(line));
    }
}

static fuz_failure failure_of(fuzz_command *command, const cnf_record *record)
{
    uint32_t index = index_of(command, record->scenario);
    return (fuz_failure){.subject = record->subject,
                         .verdict = rt_text_of(cnf_verdict_word(record->judgement.verdict)),
                         .signature = record->judgement.signature,
                         .variation =
                             rt_text_of(cnf_generated_variation(command->variations[index])),
                         .seed = command->file_seeds[index],
                         .traits = fuz_traits(command->files[index].text)};
}

/* Appends a file of the batch as the generator reduces it. */
static void file_shrink(fuzz_command *command, const fuz_bucket *bucket, uint32_t index,
                        rt_buffer *out)
{
    const cnf_shrink_request request = {.kind = command->kind,
                                        .drawn = {.seed = command->file_seeds[index],
                                                  .variation = command->variations[index],
                                                  .weights = &command->weights},
                                        .options = &command->options,
                                        .subject = bucket->subject,
                                        .verdict = bucket->verdict,
                                        .headline_key =
                                            fuz_headline_key(&command->batch, bucket->headline)};
    if (!cnf_generated_shrink(&request, out))
        rt_buffer_append_text(out, command->files[index].text);
}

/* Appends the smallest scenario to which the generator reduces one of the bucket's failures in this
 * batch, of which the shortest programs are tried; on other subjects than sim, which take seconds
 * for what sim does in milliseconds, the shortest one only. */
static void bucket_shrink(fuzz_command *command, const fuz_bucket *bucket, rt_buffer *out)
{
    uint32_t left = command->columns.count == 1 ? TRIED_MAX : 1;
    for (uint32_t i = 0; i < command->failures.count && left > 0; i++) {
        const cnf_record *record = command->failures.items[i];
        const fuz_failure failure = failure_of(command, record);
        if (!fuz_bucket_has(&command->state, bucket, &failure)) continue;
        left--;
        rt_buffer shrunk = {0};
        file_shrink(command, bucket, index_of(command, record->scenario), &shrunk);
        bool is_smaller = out->size == 0 || shrunk.size < out->size;
        rt_buffer larger = is_smaller ? *out : shrunk;
        if (is_smaller) *out = shrunk;
        rt_buffer_free(&larger);
    }
}

/* Reduces the scenario of a bucket: by the generator and then, if sim can be the oracle, as
 * `assay reduce FILE SUBJECT --output FILE` does. */
static void bucket_reduce(fuzz_command *command, const fuz_bucket *bucket, rt_text out)
{
    rt_buffer shrunk = {0};
    bucket_shrink(command, bucket, &shrunk);
    text_keep(command, out, rt_buffer_text(&shrunk));
    rt_buffer_free(&shrunk);
    if (rt_text_equal(bucket->subject, command->columns.subjects[0].name)) return;
    rt_text paths[] = {out, bucket->subject};
    cnf_arguments arguments = {.command = command->arguments->command,
                               .paths = paths,
                               .path_count = sizeof paths / sizeof *paths};
    arguments.values[CNF_OPTION_OUT] = out.data;
    arguments.values[CNF_OPTION_SEED] =
        rt_arena_printf(&command->batch, "%" PRIu64, command->options.seed).data;
    arguments.values[CNF_OPTION_JOBS] = command->arguments->values[CNF_OPTION_JOBS];
    arguments.values[CNF_OPTION_CACHE] = command->arguments->values[CNF_OPTION_CACHE];
    arguments.values[CNF_OPTION_TIMEOUT] = command->arguments->values[CNF_OPTION_TIMEOUT];
    if (cnf_reduce_command(&arguments) != CNF_EXIT_EXPECTED)
        fprintf(stderr, "assay: fuzz: %.*s is not reduced further\n", RT_TEXT_ARG(out));
}

/* What a reduced scenario has; nothing, if there is none. */
static uint32_t traits_of(fuzz_command *command, rt_text reduced)
{
    rt_buffer content = {0};
    uint32_t traits = 0;
    if (access(reduced.data, F_OK) == 0 &&
        rt_ok(cnf_file_read(command->sink, reduced, STATE_MAX, &content)))
        traits = fuz_traits(rt_buffer_text(&content));
    rt_buffer_free(&content);
    return traits;
}

static void bucket_report(fuzz_command *command, fuz_bucket *bucket, const cnf_record *record,
                          uint32_t index)
{
    rt_arena *arena = &command->batch;
    uint32_t number = command->state.buckets.count;
    rt_text folder = rt_arena_printf(arena, "%s/buckets/%u", command->folder, number);
    rt_text scenario = rt_arena_printf(arena, "%.*s/seed.yaml", RT_TEXT_ARG(folder));
    rt_buffer draft = {0};
    draft_write(command, bucket, record, &draft);
    printf("bucket %u: seed %" PRIu64 "%s%.*s on %.*s: %.*s %.*s\n", number, bucket->seed,
           bucket->variation.length > 0 ? ", " : "", RT_TEXT_ARG(bucket->variation),
           RT_TEXT_ARG(bucket->subject), RT_TEXT_ARG(bucket->verdict),
           RT_TEXT_ARG(bucket->headline));
    fflush(stdout);
    bool is_kept =
        folder_make(folder.data) && text_keep(command, scenario, command->files[index].text) &&
        text_keep(command, rt_arena_printf(arena, "%.*s/finding.yaml", RT_TEXT_ARG(folder)),
                  rt_buffer_text(&draft));
    rt_buffer_free(&draft);
    /* A file that cannot be read has nothing to keep. */
    rt_text reduced = rt_arena_printf(arena, "%.*s/reduced.yaml", RT_TEXT_ARG(folder));
    if (is_kept && cnf_record_has_subject(record)) bucket_reduce(command, bucket, reduced);
    bucket->traits = traits_of(command, reduced);
}

/* True if the program of the seed fails on the subject as drawn too. */
static bool fails_as_drawn(fuzz_command *command, uint64_t seed, rt_text subject)
{
    for (uint32_t i = 0; i < command->failures.count; i++) {
        const cnf_record *record = command->failures.items[i];
        uint32_t index = index_of(command, record->scenario);
        if (command->file_seeds[index] == seed && command->variations[index] == GEN_AS_DRAWN &&
            rt_text_equal(record->subject, subject))
            return true;
    }
    return false;
}

static int by_length(const void *a, const void *b, void *user)
{
    fuzz_command *command = user;
    const cnf_record *const *first = a, *const *second = b;
    uint32_t i = index_of(command, (*first)->scenario), k = index_of(command, (*second)->scenario);
    size_t length = command->files[i].text.length, other = command->files[k].text.length;
    return length != other ? (length > other) - (length < other) : (i > k) - (i < k);
}

/* Of the failures that are alike, the shortest program of the first batch represents a bucket. */
static void failures_sort(fuzz_command *command)
{
    if (command->failures.count == 0) return;
    qsort_r(command->failures.items, command->failures.count, sizeof *command->failures.items,
            by_length, command);
    for (uint32_t i = 0; i < command->failures.count; i++) {
        const cnf_record *record = command->failures.items[i];
        uint32_t index = index_of(command, record->scenario);
        uint64_t seed = command->file_seeds[index];
        bool is_variation = command->variations[index] != GEN_AS_DRAWN;
        if (is_variation && fails_as_drawn(command, seed, record->subject)) continue;
        const fuz_failure failure = failure_of(command, record);
        fuz_bucket *bucket = fuz_bucket_add(&command->state, &failure);
        if (bucket->count > 1) continue;
        command->new_buckets++;
        bucket_report(command, bucket, record, index);
    }
}

/* ---- The command ---------------------------------------------------------------------------- */

static void progress_print(const fuzz_command *command)
{
    time_t seconds = time(NULL) - command->began;
    uint64_t seeds = command->state.seeds - command->known_seeds;
    fprintf(stderr,
            "%sfuzz: %" PRIu64 " seeds in %lld s, %" PRIu64
            " runs, %u pairs of events, %u rule marks, %u buckets%s",
            isatty(STDERR_FILENO) ? "\r" : "", seeds, (long long)seconds, command->state.runs,
            command->state.pairs.items.count, command->state.marks.items.count,
            command->state.buckets.count, isatty(STDERR_FILENO) ? "\033[K" : "\n");
}

static bool is_over(const fuzz_command *command)
{
    bool is_found = command->new_buckets > 0 && command->arguments->values[CNF_OPTION_FAIL_FAST];
    return command->is_lost || is_found ||
           command->state.seeds - command->known_seeds >= command->seeds ||
           (uint64_t)(time(NULL) - command->began) >= command->seconds;
}

static int seeds_run(fuzz_command *command)
{
    int status = CNF_EXIT_EXPECTED;
    while (status == CNF_EXIT_EXPECTED && !is_over(command)) {
        batch_draw(command);
        /* The seed decides what the documents leave open, so batches differ in it. */
        command->options.seed = command->state.next;
        cnf_run_end end = batch_run(command);
        if (end == CNF_RUN_COMPLETE) {
            failures_sort(command);
            if (!state_save(command)) status = CNF_EXIT_INFRASTRUCTURE;
            progress_print(command);
        } else {
            status = CNF_EXIT_INFRASTRUCTURE;
        }
        batch_free(command);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\n");
    if (status == CNF_EXIT_EXPECTED && command->is_lost) status = CNF_EXIT_INFRASTRUCTURE;
    if (status == CNF_EXIT_EXPECTED && command->new_buckets > 0) status = CNF_EXIT_UNEXPECTED;
    return status;
}

static rt_text conditions_of(fuzz_command *command, rt_text subjects)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%s on %.*s, seed %" PRIu64, command->kind->name, RT_TEXT_ARG(subjects),
                     command->options.seed);
    for (uint32_t i = 0; i < GEN_WEIGHTS; i++)
        rt_buffer_printf(&text, ", %s %u", gen_weight_name(i), command->weights.of[i]);
    rt_text conditions = rt_arena_text(&command->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return conditions;
}

static int options_read(fuzz_command *command)
{
    const cnf_arguments *arguments = command->arguments;
    const char *const *values = arguments->values;
    if (arguments->path_count > 1) {
        fprintf(stderr, "assay: fuzz takes one KIND (assay fuzz --help)\n");
        return CNF_EXIT_USAGE;
    }
    command->kind = cnf_generated_kind_find(arguments->path_count == 1 ? arguments->paths[0]
                                                                       : RT_TEXT("program"));
    command->folder = values[CNF_OPTION_OUT] ? values[CNF_OPTION_OUT] : "fuzz";
    const char *oracle = cnf_results_oracle();
    rt_text subjects = rt_text_of(values[CNF_OPTION_ON] ? values[CNF_OPTION_ON] : oracle);
    if (!rt_text_equal(subjects, rt_text_of(oracle)))
        subjects = rt_arena_printf(&command->arena, "%s,%.*s", oracle, RT_TEXT_ARG(subjects));
    uint64_t unlimited = values[CNF_OPTION_SEEDS] ? UINT64_MAX : 60;
    if (!command->kind ||
        !cnf_columns_read(&command->arena, "--on ", subjects.data, &command->columns) ||
        !cnf_run_options_read(arguments, &command->options) ||
        !cnf_generated_weights_read(command->kind, arguments, &command->weights) ||
        !cnf_command_number(arguments, CNF_OPTION_SEED, "--seed", 0, SEED_MAX, 1,
                            &command->options.seed) ||
        !cnf_command_number(arguments, CNF_OPTION_SECONDS, "--seconds", 1, UINT32_MAX, unlimited,
                            &command->seconds) ||
        !cnf_command_number(arguments, CNF_OPTION_SEEDS, "--seeds", 1, SEEDS_OF_A_RUN, UINT64_MAX,
                            &command->seeds))
        return CNF_EXIT_USAGE;
    command->options.subjects = command->columns.subjects;
    command->options.subject_count = command->columns.count;
    if (!folder_make(command->folder) ||
        !folder_make(rt_arena_printf(&command->arena, "%s/buckets", command->folder).data) ||
        !folder_make(rt_arena_printf(&command->arena, "%s/corpus", command->folder).data))
        return CNF_EXIT_INFRASTRUCTURE;
    return state_open(command, conditions_of(command, subjects));
}

/* The suite's entries are a help only, so it does not matter if there are none. */
static void expectations_read(fuzz_command *command)
{
    rt_text suite = cnf_command_scenarios(&command->arena);
    cnf_files files = {0};
    if (suite.length == 0 ||
        !rt_ok(cnf_files_find(command->sink, &command->arena, &suite, 1, &files)))
        return;
    cnf_arguments none = {.command = command->arguments->command};
    (void)cnf_results_expect(&none, &files, &command->expectations);
}

int cnf_fuzz_command(const cnf_arguments *arguments)
{
    fuzz_command *command = rt_alloc(sizeof *command);
    *command =
        (fuzz_command){.arguments = arguments, .sink = rt_sink_create(), .began = time(NULL)};
    command->quick = mmap(NULL, BATCH_FILES * sizeof *command->quick, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(command->quick != MAP_FAILED);
    int status = options_read(command);
    if (status == CNF_EXIT_EXPECTED) {
        expectations_read(command);
        status = seeds_run(command);
    }
    munmap(command->quick, BATCH_FILES * sizeof *command->quick);
    cnf_expectations_free(&command->expectations);
    fuz_state_free(&command->state);
    rt_vector_free(&command->failures);
    rt_sink_destroy(command->sink);
    rt_arena_reset(&command->batch);
    rt_arena_reset(&command->arena);
    rt_free(command);
    return status;
}
