/* Compares final memories: reads the memories that two children sent and turns a difference into a
 * verdict. elements.c defines when the contents of two memories are equal. Traces are not compared
 * here. A memory that the scenario does not declare is a device_global of unknown type, and is
 * compared as bytes. */
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

/* True if a failing check is about the memory, whose difference is then not reported again. */
static bool is_reported(const cnf_judgement *judgement, rt_text memory)
{
    for (uint32_t i = 0; i < judgement->failure_count; i++) {
        const cnf_failure *failure = &judgement->failures[i];
        for (uint32_t k = 0; k < failure->memory_count; k++)
            if (rt_text_equal(failure->memories[k], memory)) return true;
    }
    return false;
}

/* Compares one memory, and adds a failure to the judgement if it differs. */
static void memory_compare(rt_arena *arena, const scn_memory *memory, const cnf_messages *oracle,
                           const cnf_messages *subject, cnf_judgement *inout)
{
    const cnf_final_memory *expected = memory_find(oracle, memory->name);
    const cnf_final_memory *found = memory_find(subject, memory->name);
    /* A subject that cannot read a memory back does not send that memory. */
    if (!expected || !found || is_reported(inout, memory->name)) return;
    uint64_t size = memory->count * memory->layout.size;
    cnf_difference difference;
    rt_text code = RT_TEXT("size"), place = memory->name, message;
    if (expected->data.size != size || found->data.size != size) {
        message = rt_arena_printf(
            arena, "memory %.*s has %zu bytes here and %zu on sim; the scenario declares %" PRIu64,
            RT_TEXT_ARG(memory->name), found->data.size, expected->data.size, size);
    } else if (!cnf_elements_compare(arena, memory, expected->data, found->data, expected->defined,
                                     &difference)) {
        code = RT_TEXT("differs");
        place = rt_arena_printf(arena, "%.*s/%.*s", RT_TEXT_ARG(memory->name),
                                RT_TEXT_ARG(difference.place));
        message = rt_arena_printf(
            arena,
            "at the end %.*s differs from sim's%s%.*s:\n  sim     %.*s\n  subject %.*s\n%" PRIu64
            " of %" PRIu64 " elements %s: %.*s%.*s",
            RT_TEXT_ARG(difference.name), difference.distance.length > 0 ? ", " : "",
            RT_TEXT_ARG(difference.distance), RT_TEXT_ARG(difference.expected),
            RT_TEXT_ARG(difference.got), difference.count, difference.total,
            difference.count == 1 ? "differs" : "differ", RT_TEXT_ARG(difference.pattern),
            RT_TEXT_ARG(difference.table));
    } else {
        return;
    }
    const cnf_failure failure = {
        .cause = CNF_CAUSE_CHECK,
        .signature =
            cnf_signature(arena, RT_TEXT(CNF_STAGE_DIFFERENTIAL), RT_TEXT("memory"), code, place),
        .message = message,
        .step = SCN_NONE,
        .memories = rt_arena_copy(arena, &memory->name, 1, sizeof memory->name),
        .memory_count = 1};
    inout->verdict = CNF_VERDICT_FAIL;
    cnf_judgement_add(arena, inout, &failure, 1);
}

/* The branch of the one_of expectation that held; 0 if none did. */
static uint32_t branch_at(const cnf_messages *messages, const cnf_check *like)
{
    for (uint32_t i = 0; i < messages->check_count; i++) {
        const cnf_check *check = &messages->checks[i];
        if (check->step == like->step && check->line == like->line && check->branches > 0)
            return check->observed ? check->branch : 0;
    }
    return 0;
}

/* True if both took the same branch of every one_of. If not, everything else may legitimately
 * differ, since the documents leave the choice open. */
static bool chose_alike(const cnf_messages *oracle, const cnf_messages *subject)
{
    for (uint32_t i = 0; i < oracle->check_count; i++) {
        const cnf_check *check = &oracle->checks[i];
        if (check->branches > 0 && branch_at(subject, check) != check->branch) return false;
    }
    return true;
}

void cnf_differential(rt_arena *arena, const scn_scenario *scenario, const cnf_messages *oracle,
                      const cnf_messages *subject, cnf_judgement *inout_judgement)
{
    CHECK(oracle->end == CNF_MESSAGES_ENDED && subject->end == CNF_MESSAGES_ENDED);
    if (!chose_alike(oracle, subject)) return;
    inout_judgement->compared = oracle->memory_count;
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        if (!scenario->memories[i].addresses)
            memory_compare(arena, &scenario->memories[i], oracle, subject, inout_judgement);
    /* A memory that the scenario does not declare is a device_global of unknown type. */
    const scn_layout byte = scn_layout_of(arena, SCN_TYPE_UCHAR, 1);
    for (uint32_t i = 0; i < oracle->memory_count; i++) {
        const cnf_final_memory *sent = &oracle->memories[i];
        bool is_declared = false;
        for (uint32_t j = 0; j < scenario->memory_count && !is_declared; j++)
            is_declared = rt_text_equal(scenario->memories[j].name, sent->name);
        const scn_memory variable = {.name = sent->name, .layout = byte, .count = sent->data.size};
        if (!is_declared) memory_compare(arena, &variable, oracle, subject, inout_judgement);
    }
}
