/* Compares final memories: reads the memories that two children sent and turns a difference into a
 * verdict. elements.c defines when two contents are equal. Traces are not compared here. A memory
 * that the scenario does not declare is a device_global of unknown type, which is compared as
 * bytes. */
#include "conformance/verdict/differential.h"

#include "conformance/scenario/model/type.h"
#include "conformance/verdict/elements.h"

#include <inttypes.h>

static const cnf_final_memory *memory_find(const cnf_messages *messages, rt_text name)
{
    for (uint32_t i = 0; i < messages->memory_count; i++)
        if (rt_text_equal(messages->memories[i].name, name)) return &messages->memories[i];
    return NULL;
}

static void judge_fail(rt_arena *arena, const char *code, rt_text place, rt_text message,
                       cnf_judgement *out)
{
    out->verdict = CNF_VERDICT_FAIL;
    out->signature =
        cnf_signature(arena, RT_TEXT("differential"), RT_TEXT("memory"), rt_text_of(code), place);
    out->message = message;
}

static rt_text difference_print(rt_arena *arena, const cnf_difference *difference)
{
    const char *comma = difference->distance.length > 0 ? ", " : "";
    return rt_arena_printf(
        arena,
        "at the end %.*s differs from sim's%s%.*s:\n  sim     %.*s\n  subject %.*s\n%" PRIu64
        " of %" PRIu64 " elements %s: %.*s",
        RT_TEXT_ARG(difference->name), comma, RT_TEXT_ARG(difference->distance),
        RT_TEXT_ARG(difference->expected), RT_TEXT_ARG(difference->got), difference->count,
        difference->total, difference->count == 1 ? "differs" : "differ",
        RT_TEXT_ARG(difference->pattern));
}

/* Compares one declared memory. Returns false, after judging the difference, if it differs. */
static bool memory_compare(rt_arena *arena, const scn_memory *memory, const cnf_messages *oracle,
                           const cnf_messages *other, cnf_judgement *out)
{
    const cnf_final_memory *expected = memory_find(oracle, memory->name);
    const cnf_final_memory *found = memory_find(other, memory->name);
    /* A subject that cannot read a memory back does not send it. */
    if (!expected || !found) return true;
    uint64_t size = memory->count * memory->layout.size;
    if (expected->data.size != size || found->data.size != size) {
        rt_text message = rt_arena_printf(
            arena, "memory %.*s has %zu bytes here and %zu on sim; the scenario declares %" PRIu64,
            RT_TEXT_ARG(memory->name), found->data.size, expected->data.size, size);
        judge_fail(arena, "size", memory->name, message, out);
        return false;
    }
    cnf_difference difference;
    if (cnf_elements_compare(arena, memory, expected->data, found->data, expected->defined,
                             &difference))
        return true;
    rt_text place = rt_arena_printf(arena, "%.*s/%.*s", RT_TEXT_ARG(memory->name),
                                    RT_TEXT_ARG(difference.place));
    judge_fail(arena, "differs", place, difference_print(arena, &difference), out);
    return false;
}

/* The branch of the step's one_of that held; 0 if none did. */
static uint32_t branch_at(const cnf_messages *messages, const cnf_check *like)
{
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        if (check->step == like->step && check->line == like->line && check->branches > 0)
            return check->observed ? check->branch : 0;
    }
    return 0;
}

/* True if both took the same branch of every choice that the documents leave open; if not, the rest
 * may legitimately differ. */
static bool chose_alike(const cnf_messages *oracle, const cnf_messages *other)
{
    for (uint32_t i = 0; i < oracle->check_count; i++) {
        const cnf_check *check = &oracle->checks[i];
        if (check->branches > 0 && branch_at(other, check) != check->branch) return false;
    }
    return true;
}

static bool is_declared(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t i = 0; i < scenario->memory_count; i++) {
        if (rt_text_equal(scenario->memories[i].name, name)) return true;
    }
    return false;
}

static void variables_compare(rt_arena *arena, const scn_scenario *scenario,
                              const cnf_messages *oracle, const cnf_messages *other,
                              cnf_judgement *out)
{
    const scn_layout byte = scn_layout_of(arena, SCN_TYPE_UCHAR, 1);
    for (uint32_t i = 0; i < oracle->memory_count; i++) {
        const cnf_final_memory *sent = &oracle->memories[i];
        if (is_declared(scenario, sent->name)) continue;
        const scn_memory variable = {.name = sent->name, .layout = byte, .count = sent->data.size};
        if (!memory_compare(arena, &variable, oracle, other, out)) return;
    }
}

void cnf_differential(rt_arena *arena, const scn_scenario *scenario, const cnf_messages *oracle,
                      const cnf_messages *other, cnf_judgement *inout_judgement)
{
    CHECK(oracle->end == CNF_MESSAGES_ENDED && other->end == CNF_MESSAGES_ENDED);
    if (!chose_alike(oracle, other)) return;
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        if (!scenario->memories[i].addresses &&
            !memory_compare(arena, &scenario->memories[i], oracle, other, inout_judgement))
            return;
    variables_compare(arena, scenario, oracle, other, inout_judgement);
}
