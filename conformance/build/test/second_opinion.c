/* Compares our SPIR-V validator with SPIRV-Tools' on real modules and on mutants of them.
 *
 *     second_opinion MUTANTS SEED PATH... [-- PATH...]
 *
 * PATH is a module (.spv) or a scenario (.yaml). A scenario's modules are compiled as in a run.
 * Every module that both accept, except those after "--", is mutated MUTANTS times: a bit, an id or
 * an operand is changed, or an instruction is removed, moved or repeated. SPIRV-Tools' validator
 * runs in a child, because some mutants crash it. Fails if the two disagree without an exception
 * that gives the reason (sim/test/second_opinion.h), or with LLVM 14 if an exception is unused.
 * Exit status: 0, 1, or 3 if a module is not available. */
#include "sim/test/second_opinion.h"

#include "conformance/build/compile.h"
#include "conformance/scenario/model/scenario.h"
#include "reference/base/hash.h"
#include "reference/image/image.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_SIZE = 512, MUTATED_WORDS_MAX = 8192, WORKER_TIMEOUT_MS = 60000 };

typedef struct answer {
    opinion ours, theirs;
    bool is_begun, is_done; /* is_begun: our verdict is known */
    char our_text[TEXT_SIZE], their_text[TEXT_SIZE];
} answer;

typedef struct tally {
    uint64_t seed, random;
    uint32_t mutants; /* of each module */
    uint32_t modules, compared, agreed_valid, died, failed;
} tally;

/* ---- Mutants ------------------------------------------------------------------------------ */

/* A random number below `bound`, which is at least 1. */
static uint32_t draw(tally *t, uint32_t bound)
{
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    return (uint32_t)((t->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % bound;
}

/* Finds the offset of each instruction, and of the module's end. */
static uint32_t offsets_find(const uint32_t *words, uint32_t count, uint32_t *offsets)
{
    uint32_t found = 0;
    for (uint32_t at = 5; at < count; at += words[at] >> 16)
        offsets[found++] = at;
    offsets[found] = count;
    return found;
}

typedef struct original {
    const uint32_t *words;
    uint32_t count;
    uint32_t *offsets;
    uint32_t instruction_count;
} original;

/* Writes one mutant and returns its size; `out` has room for twice the original's words. */
static uint32_t mutate(tally *t, const original *o, uint32_t *out)
{
    memcpy(out, o->words, o->count * sizeof *out);
    uint32_t place = 5 + draw(t, o->count - 5), first = draw(t, o->instruction_count);
    uint32_t at = o->offsets[first], length = o->offsets[first + 1] - at;
    switch (draw(t, 6)) {
    case 0: out[place] ^= UINT32_C(1) << draw(t, 32); return o->count;
    case 1: out[place] = draw(t, o->words[3] + 1); return o->count;
    case 2: /* removed */
        memmove(out + at, out + at + length, (o->count - at - length) * sizeof *out);
        return o->count - length;
    case 3: /* swapped with the next one */
        if (first + 1 < o->instruction_count) {
            uint32_t next = o->offsets[first + 2] - at - length;
            memcpy(out + at, o->words + at + length, next * sizeof *out);
            memcpy(out + at + next, o->words + at, length * sizeof *out);
        }
        return o->count;
    case 4: { /* repeated elsewhere */
        uint32_t to = o->offsets[draw(t, o->instruction_count)];
        memmove(out + to + length, o->words + to, (o->count - to) * sizeof *out);
        memcpy(out + to, o->words + at, length * sizeof *out);
        return o->count + length;
    }
    default:
        if (length > 1) out[at + 1 + draw(t, length - 1)] += draw(t, 2) ? 1u : UINT32_MAX;
        return o->count;
    }
}

/* ---- Comparison --------------------------------------------------------------------------- */

static void judge(tally *t, const char *name, const char *variant, const answer *a)
{
    t->compared++;
    if (!a->is_done) {
        t->died += a->is_begun;
        t->failed += !a->is_begun;
        if (!a->is_begun) printf("%s%s: our validator died\n", name, variant);
        return;
    }
    t->agreed_valid += a->ours == OPINION_VALID && a->theirs == OPINION_VALID;
    if (opinion_agrees(a->ours, a->our_text, a->theirs, a->their_text)) return;
    t->failed++;
    printf("%s%s: our validator %s [%s], SPIRV-Tools %s [%s]\n", name, variant,
           a->ours == OPINION_VALID ? "accepts" : "rejects", a->our_text,
           a->theirs == OPINION_VALID ? "accepts" : "rejects", a->their_text);
}

static void ask(const uint32_t *words, uint32_t count, answer *out)
{
    out->ours = opinion_ours(words, count, out->our_text, sizeof out->our_text);
    out->is_begun = true;
    out->theirs = opinion_theirs(words, count, out->their_text, sizeof out->their_text);
    out->is_done = true;
}

/* Checks all mutants in child processes: if a mutant kills its child, the next child continues with
 * the following mutant. */
static void compare_mutants(tally *t, const char *name, const original *o)
{
    size_t size = (t->mutants + 1) * sizeof(answer);
    answer *answers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(answers != MAP_FAILED);
    uint32_t *mutant = rt_alloc_array(2 * o->count, sizeof *mutant);
    uint64_t random = t->random | 1;
    for (uint32_t next = 0; next < t->mutants;) {
        pid_t child = fork();
        CHECK(child >= 0);
        t->random = random;
        for (uint32_t i = 0; child == 0 && i < t->mutants; i++) {
            uint32_t count = mutate(t, o, mutant);
            if (i >= next) ask(mutant, count, &answers[i]);
        }
        if (child == 0) _exit(0);
        waitpid(child, NULL, 0);
        while (next < t->mutants && answers[next].is_done)
            next++;
        if (next < t->mutants) next++;
    }
    for (uint32_t i = 0; i < t->mutants; i++) {
        char variant[32];
        snprintf(variant, sizeof variant, ", mutant %u", i);
        judge(t, name, variant, &answers[i]);
    }
    rt_free(mutant);
    munmap(answers, size);
}

/* Compares mutants of a module that both validators accept; the mutants are made from the copy that
 * SPIRV-Tools gets. The random numbers depend only on the module and the seed. */
static void mutate_module(tally *t, const char *name, const uint32_t *words, uint32_t count)
{
    uint32_t *copy;
    original o = {.count = opinion_copy(words, count, &copy)};
    o.words = copy;
    answer a = {0};
    ask(o.words, o.count, &a);
    if (a.ours == OPINION_VALID && a.theirs == OPINION_VALID) {
        t->random = rt_hash64(o.words, o.count * sizeof *o.words) ^ t->seed;
        o.offsets = rt_alloc_array(o.count + 1, sizeof *o.offsets);
        o.instruction_count = offsets_find(o.words, o.count, o.offsets);
        compare_mutants(t, name, &o);
        rt_free(o.offsets);
    }
    rt_free(copy);
}

static void compare_module(tally *t, const char *name, rt_bytes code)
{
    uint32_t count = (uint32_t)(code.size / sizeof(uint32_t));
    uint32_t *words = rt_alloc_array(count + 1, sizeof *words);
    memcpy(words, code.data, count * sizeof *words);
    answer a = {0};
    ask(words, count, &a);
    t->modules++;
    judge(t, name, "", &a);
    if (t->mutants > 0 && count <= MUTATED_WORDS_MAX) mutate_module(t, name, words, count);
    rt_free(words);
}

/* ---- Files -------------------------------------------------------------------------------- */

static bool read_file(const char *path, rt_buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char chunk[65536];
    for (size_t size; (size = fread(chunk, 1, sizeof chunk, file)) > 0;)
        rt_buffer_append(out, chunk, size);
    bool is_whole = !ferror(file);
    fclose(file);
    return is_whole;
}

/* Compares a module's images; does nothing if the module does not compile or its compiler is
 * missing. */
static void compare_images(tally *t, cnf_cache *cache, rt_arena *arena, const char *path,
                           const scn_module *module)
{
    rt_buffer request = {0}, bytes = {0};
    cnf_compile_answer compiled;
    cnf_compile_request_module(&request, module, RT_PROFILE_DOCUMENTS, RT_FORMAT_SPIRV64, false);
    cnf_compile_call(cache, arena, rt_buffer_bytes(&request), WORKER_TIMEOUT_MS, &bytes, &compiled);
    rt_image_list images = {0};
    rt_sink *sink = rt_sink_create();
    rt_reader reader = rt_reader_of(compiled.artefact);
    if (compiled.code == RT_OK && rt_ok(rt_image_list_read(sink, arena, &reader, &images))) {
        for (uint32_t i = 0; i < images.count; i++) {
            if (images.images[i].format != RT_FORMAT_SPIRV64) continue;
            char name[TEXT_SIZE];
            snprintf(name, sizeof name, "%s, %.*s/%u", path, RT_TEXT_ARG(module->name), i);
            compare_module(t, name, images.images[i].code);
        }
    }
    rt_sink_destroy(sink);
    rt_buffer_free(&request);
    rt_buffer_free(&bytes);
}

static void compare_scenario(tally *t, cnf_cache *cache, const char *path, rt_text text)
{
    rt_arena arena = {0};
    scn_problems problems;
    const scn_scenario *scenario =
        scn_read(&arena, text, rt_text_of(path), rt_text_of(path), &problems);
    for (uint32_t i = 0; scenario && i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        if (module->source_count || module->hand_image_count)
            compare_images(t, cache, &arena, path, module);
    }
    rt_arena_reset(&arena);
}

/* Later translators and validators need fewer exceptions, so the list is judged with those of
 * Debian 12 alone. */
static int report(const tally *t)
{
    const bool needs_all = strcmp(ASSAY_LLVM_VERSION, "14") == 0;
    bool is_used = true;
    printf("%u modules, %u verdicts compared; both accept %u, SPIRV-Tools died on %u, "
           "%u disagreements\n",
           t->modules, t->compared, t->agreed_valid, t->died, t->failed);
    for (uint32_t i = 0; i < OPINION_EXCEPTIONS; i++) {
        const opinion_exception *exception = &opinion_exceptions[i];
        printf("%6u %s '%s': %s\n", exception->used, exception->we_accept ? "accepted" : "refused",
               exception->words, exception->reason);
        is_used = is_used && (exception->used > 0 || exception->is_rare || !needs_all);
    }
    if (!is_used) printf("an exception is not used; remove it\n");
    return t->failed || !is_used || t->modules == 0;
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1 && strcmp(arguments[1], "worker") == 0)
        return cnf_worker_main(argument_count - 1, arguments + 1);
    if (argument_count < 4) return 2;
    tally t = {.mutants = (uint32_t)strtoul(arguments[1], NULL, 10),
               .seed = strtoull(arguments[2], NULL, 10)};
    rt_text warning;
    cnf_cache *cache = cnf_cache_open((rt_text){0}, &warning);
    int result = 0;
    for (int i = 3; i < argument_count && result == 0; i++) {
        rt_buffer content = {0};
        rt_text path = rt_text_of(arguments[i]);
        if (rt_text_is(path, "--")) {
            t.mutants = 0;
            continue;
        }
        if (!read_file(arguments[i], &content)) {
            fprintf(stderr, "%s cannot be read\n", arguments[i]);
            result = 3;
        } else if (path.length > 5 && strcmp(path.data + path.length - 5, ".yaml") == 0) {
            compare_scenario(&t, cache, arguments[i], rt_buffer_text(&content));
        } else {
            compare_module(&t, arguments[i], rt_buffer_bytes(&content));
        }
        rt_buffer_free(&content);
    }
    cnf_cache_close(cache);
    return result ? result : report(&t);
}
