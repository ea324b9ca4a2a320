/* Uses SPIRV-Tools to validate every fused program that scenarios produce.
 *
 *     fused_opinion PATH...
 *
 * Runs the scenarios on sim and validates each program that the fusion compiler returned. All must
 * be valid, and every scenario whose trace reports a fusion must have a program. The same program
 * without its first OpReturn must be invalid, which shows that the validation is effective. Exit
 * status: 0 if all are valid; 1 if not, after printing the errors. Started as `fused_opinion
 * worker` and `fused_opinion offline`, it is its own compile worker and offline compiler. Source:
 * document 001, "Fusion Process": the result is a SPIR-V module; SPIR-V specification 1.6, section
 * 2.16. */
#include "sim/test/second_opinion.h"

#include "conformance/build/compile.h"
#include "conformance/run/run.h"
#include "reference/base/hash.h"
#include "reference/base/vector.h"

#include <stdlib.h>

enum { STATUS_VALID, STATUS_INVALID, JOBS = 2, TIMEOUT_MS = 60000, TEXT_SIZE = 512 };

typedef struct fused_tally {
    RT_VECTOR(rt_hash) seen; /* hashes of the SPIR-V modules validated so far */
    uint32_t scenarios, fusing, failed;
    uint32_t unknown; /* programs in a form that SPIRV-Tools does not know */
} fused_tally;

static void fail(fused_tally *tally, rt_text scenario, const char *problem, const char *why)
{
    tally->failed++;
    printf("%.*s: %s: %s\n", RT_TEXT_ARG(scenario), problem, why);
}

/* Removes the first OpReturn, which ends a block; returns the new size. */
static uint32_t break_module(uint32_t *words, uint32_t count)
{
    for (uint32_t at = 5; at < count; at += words[at] >> 16) {
        if ((words[at] & 0xffff) != SIM_OpReturn) continue;
        memmove(words + at, words + at + 1, (count - at - 1) * sizeof *words);
        return count - 1;
    }
    return count;
}

/* SPIRV-Tools expects that a function is defined before its address is taken. */
static bool has_function_pointers(const uint32_t *words, uint32_t count)
{
    for (uint32_t at = 5; at + 1 < count && (words[at] & 0xffff) == SIM_OpCapability;
         at += words[at] >> 16)
        if (words[at + 1] == SIM_CapabilityFunctionPointersINTEL) return true;
    return false;
}

static void ask(fused_tally *tally, rt_text scenario, rt_bytes code)
{
    uint32_t count = (uint32_t)(code.size / sizeof(uint32_t));
    uint32_t *words = rt_alloc_array(count + 1, sizeof *words);
    memcpy(words, code.data, count * sizeof *words);
    char why[TEXT_SIZE];
    if (has_function_pointers(words, count)) {
        tally->unknown++;
        rt_free(words);
        return;
    }
    if (opinion_theirs(words, count, why, sizeof why) != OPINION_VALID)
        fail(tally, scenario, "SPIRV-Tools objects to the fused program", why);
    count = break_module(words, count);
    if (opinion_theirs(words, count, why, sizeof why) != OPINION_INVALID)
        fail(tally, scenario, "SPIRV-Tools objects to nothing",
             "a block of the program has no end");
    rt_free(words);
}

static bool is_new(fused_tally *tally, rt_bytes code)
{
    rt_hash hash = rt_hash128(code.data, code.size);
    for (uint32_t i = 0; i < tally->seen.count; i++) {
        const rt_hash *known = &tally->seen.items[i];
        if (known->low == hash.low && known->high == hash.high) return false;
    }
    *rt_vector_push(&tally->seen) = hash;
    return true;
}

/* Validates the answer's program if it is a new one. True if the answer is a fused program, not a
 * refusal to fuse. */
static bool ask_answer(fused_tally *tally, rt_text scenario, rt_bytes bytes)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    cnf_compile_answer answer;
    rt_fusion_result result;
    bool is_fused = rt_ok(cnf_compile_answer_read(sink, &arena, bytes, &answer)) &&
                    answer.code == RT_OK &&
                    rt_ok(rt_fusion_result_read(sink, &arena, answer.artefact, &result)) &&
                    result.image.format == RT_FORMAT_SPIRV64;
    if (is_fused && is_new(tally, result.image.code)) ask(tally, scenario, result.image.code);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return is_fused;
}

/* True if the trace reports a fused program that the runtime used; the trace of a list whose fusion
 * the compiler refused has a `fuse` event as well. */
static bool has_fused(const cnf_messages *messages)
{
    static const char event[] = "\"inject\"";
    rt_text trace = messages->trace;
    return trace.length > 0 && memmem(trace.data, trace.length, event, sizeof event - 1);
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    fused_tally *tally = user;
    tally->scenarios++;
    if (!detail->messages) {
        fail(tally, record->scenario, "it did not run", record->judgement.message.data);
        return true;
    }
    bool any = false;
    for (uint32_t i = 0; i < detail->messages->artefact_count; i++)
        any |= ask_answer(tally, record->scenario, detail->messages->artefacts[i].answer);
    bool fused = has_fused(detail->messages);
    tally->fusing += fused;
    if (fused && !any) fail(tally, record->scenario, "it fused", "no program of it was seen");
    return true;
}

static int opinions(const cnf_files *files)
{
    const cnf_run_subject sim = {.subject = cnf_subject_find(RT_TEXT("sim")),
                                 .name = RT_TEXT("sim")};
    const cnf_run_options options = {.subjects = &sim,
                                     .subject_count = 1,
                                     .job_count = JOBS,
                                     .timeout_ms = TIMEOUT_MS,
                                     .record = true};
    fused_tally tally = {0};
    cnf_run_end end = cnf_run(&options, files->items, files->count, on_record, &tally);
    printf("%u scenarios, %u fuse, %u fused programs, %u of them with function pointers and not "
           "judged, %u objections\n",
           tally.scenarios, tally.fusing, tally.seen.count, tally.unknown, tally.failed);
    bool is_complete = end == CNF_RUN_COMPLETE && tally.scenarios == files->count;
    bool valid = is_complete && tally.failed == 0 && tally.seen.count > tally.unknown;
    rt_vector_free(&tally.seen);
    return valid ? STATUS_VALID : STATUS_INVALID;
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1 && strcmp(arguments[1], "worker") == 0)
        return cnf_worker_main(argument_count - 1, arguments + 1);
    if (argument_count == 2 && strcmp(arguments[1], "offline") == 0) return cnf_offline_main(0, 1);
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    uint32_t count = argument_count > 1 ? (uint32_t)argument_count - 1 : 0;
    rt_text *paths = rt_arena_alloc_array(&arena, count, sizeof *paths);
    for (uint32_t i = 0; i < count; i++)
        paths[i] = rt_text_of(arguments[i + 1]);
    cnf_files files;
    rt_status status = cnf_files_find(sink, &arena, paths, count, &files);
    int result = STATUS_INVALID;
    if (rt_ok(status)) {
        result = opinions(&files);
    } else {
        fprintf(stderr, "%s\n", rt_sink_diagnostic(sink, status)->message.data);
    }
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
    return result;
}
