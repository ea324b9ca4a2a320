#include "conformance/cli/shrink.h"

#include "conformance/tools/fmt/fmt.h"
#include "conformance/tools/fuzz/fuzz.h"
#include "conformance/tools/reduce/tree.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <string.h>

enum { CANDIDATES = 16, CHOICES_MAX = 8 };

typedef RT_VECTOR(uint32_t) unit_list;

/* A reduction in progress. */
typedef struct shrinking {
    const cnf_shrink_request *request;
    rt_arena arena;
    unit_list left, without; /* all units: those that may be needed, and those that are not */
    bool fails[CANDIDATES], passes_on_sim[CANDIDATES];
    cnf_run_options alone; /* each scenario in a process of its own, as its reader will run it */
    bool is_sim; /* the subject that fails is sim, in any choice that the documents leave open */
} shrinking;

static void scenario_write(const shrinking *shrink, const unit_list *without, rt_buffer *out,
                           uint32_t *out_unit_count)
{
    gen_request request = shrink->request->drawn;
    request.without = without->items;
    request.without_count = without->count;
    shrink->request->kind->write(&request, out, out_unit_count);
}

static bool on_record(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    shrinking *shrink = user;
    const cnf_shrink_request *request = shrink->request;
    uint64_t candidate = 0;
    (void)detail;
    bool is_number = rt_number_read(record->scenario, 0, CANDIDATES, &candidate);
    CHECK(is_number);
    if (rt_text_equal(record->subject, request->options->subjects[0].name))
        shrink->passes_on_sim[candidate] = record->judgement.verdict == CNF_VERDICT_PASS;
    if (!rt_text_equal(record->subject, request->subject)) return true;
    rt_text headline = fuz_headline(&shrink->arena, record->judgement.signature);
    shrink->fails[candidate] =
        rt_text_is(request->verdict, cnf_verdict_word(record->judgement.verdict)) &&
        rt_text_equal(fuz_headline_key(&shrink->arena, headline), request->headline_key);
    return true;
}

/* Runs candidates, each of which leaves out one more chunk of `size` units, from unit `at` on.
 * *out_chunk is the first that still fails, or `count`. Returns false if the run was interrupted.
 */
static bool chunks_try(shrinking *shrink, uint32_t at, uint32_t size, uint32_t count,
                       uint32_t *out_chunk)
{
    cnf_file files[CANDIDATES] = {0};
    rt_buffer texts[CANDIDATES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        unit_list without = {0};
        uint32_t begin = at + i * size, unit_count;
        for (uint32_t k = 0; k < shrink->without.count; k++)
            *rt_vector_push(&without) = shrink->without.items[k];
        for (uint32_t k = begin; k < begin + size && k < shrink->left.count; k++)
            *rt_vector_push(&without) = shrink->left.items[k];
        scenario_write(shrink, &without, &texts[i], &unit_count);
        rt_vector_free(&without);
        rt_text name = rt_arena_printf(&shrink->arena, "%u", i);
        files[i] = (cnf_file){.file = name, .path = name, .text = rt_buffer_text(&texts[i])};
        shrink->fails[i] = shrink->passes_on_sim[i] = false;
    }
    bool is_complete = cnf_run(&shrink->alone, files, count, on_record, shrink) == CNF_RUN_COMPLETE;
    *out_chunk = 0;
    while (*out_chunk < count &&
           !(shrink->fails[*out_chunk] && (shrink->is_sim || shrink->passes_on_sim[*out_chunk])))
        ++*out_chunk;
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_free(&texts[i]);
    return is_complete;
}

/* Leaves out the units from `at` on. */
static void chunk_remove(shrinking *shrink, uint32_t at, uint32_t size)
{
    uint32_t end = at + size < shrink->left.count ? at + size : shrink->left.count;
    for (uint32_t i = at; i < end; i++)
        *rt_vector_push(&shrink->without) = shrink->left.items[i];
    memmove(&shrink->left.items[at], &shrink->left.items[end],
            (shrink->left.count - end) * sizeof *shrink->left.items);
    shrink->left.count -= end - at;
}

/* Leaves out as many chunks of `size` units as possible. Returns false if the run was interrupted.
 */
static bool chunks_remove(shrinking *shrink, uint32_t size)
{
    for (uint32_t at = 0; at < shrink->left.count;) {
        uint32_t chunks = (shrink->left.count - at + size - 1) / size;
        uint32_t count = chunks < CANDIDATES ? chunks : CANDIDATES, chunk;
        if (!chunks_try(shrink, at, size, count, &chunk)) return false;
        at += chunk * size;
        if (chunk < count) chunk_remove(shrink, at, size);
    }
    return true;
}

/* Delta debugging: chunks of half of the units, then smaller ones, and single ones until each of
 * them is needed. */
static bool units_remove(shrinking *shrink)
{
    for (uint32_t size = shrink->left.count / 2; size > 1; size /= 2)
        if (!chunks_remove(shrink, size)) return false;
    uint32_t before;
    do {
        before = shrink->left.count;
        if (!chunks_remove(shrink, 1)) return false;
    } while (shrink->left.count < before);
    return true;
}

/* Writes the text in the layout of `assay reduce`. */
static void lay_out(rt_arena *arena, rt_text text, rt_buffer *out)
{
    scn_reporter reporter = {.arena = arena};
    scn_problems problems;
    rt_buffer written = {0};
    const scn_node *root = scn_yaml_read(&reporter, text);
    CHECK(root); /* assay has run it */
    red_tree_write(red_tree_copy(arena, root), &written);
    cnf_fmt_end end = cnf_fmt_text(arena, rt_buffer_text(&written), out, &problems);
    CHECK(end == CNF_FMT_DONE);
    rt_buffer_free(&written);
}

bool cnf_generated_shrink(const cnf_shrink_request *request, rt_buffer *out)
{
    shrinking shrink = {.request = request, .alone = *request->options};
    shrink.alone.reuse = 1;
    shrink.is_sim = rt_text_equal(request->subject, request->options->subjects[0].name);
    if (shrink.is_sim) shrink.alone.explore_max = CHOICES_MAX;
    rt_buffer drawn = {0};
    uint32_t unit_count;
    scenario_write(&shrink, &shrink.without, &drawn, &unit_count);
    for (uint32_t unit = 1; unit <= unit_count; unit++)
        *rt_vector_push(&shrink.left) = unit;
    bool is_complete = units_remove(&shrink) && shrink.without.count > 0;
    rt_buffer_free(&drawn);
    if (is_complete) {
        scenario_write(&shrink, &shrink.without, &drawn, &unit_count);
        lay_out(&shrink.arena, rt_buffer_text(&drawn), out);
    }
    rt_buffer_free(&drawn);
    rt_vector_free(&shrink.left);
    rt_vector_free(&shrink.without);
    rt_arena_reset(&shrink.arena);
    return is_complete;
}
