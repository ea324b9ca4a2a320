/* What an unfused run shows of a scenario; see unfused.h. */
#include "conformance/subject/unfused.h"

#include <stdlib.h>
#include <string.h>

static const rt_text off = {"fusion=off", sizeof "fusion=off" - 1};

/* Removes the text up to the next comma from the front and returns it. */
static rt_text part_take(rt_text *inout_text)
{
    const char *comma = memchr(inout_text->data, ',', inout_text->length);
    size_t length = comma ? (size_t)(comma - inout_text->data) : inout_text->length;
    size_t used = comma ? length + 1 : length;
    rt_text part = {inout_text->data, length};
    *inout_text = (rt_text){inout_text->data + used, inout_text->length - used};
    return part;
}

static bool has_off(rt_text settings)
{
    while (settings.length > 0) {
        if (rt_text_equal(part_take(&settings), off)) return true;
    }
    return false;
}

bool cnf_unfused(const cnf_subject_options *options)
{
    const char *variable = getenv("ASSAY_FUSION");
    return has_off(options->settings) || (variable && strcmp(variable, "off") == 0);
}

static bool is_of_fusion(rt_text part)
{
    static const char name[] = "fusion=";
    return part.length >= sizeof name - 1 && memcmp(part.data, name, sizeof name - 1) == 0;
}

rt_text cnf_unfused_rest(rt_arena *arena, rt_text settings)
{
    rt_text rest = {"", 0};
    while (settings.length > 0) {
        rt_text part = part_take(&settings);
        if (is_of_fusion(part)) continue;
        rest = rt_arena_printf(arena, "%.*s%s%.*s", RT_TEXT_ARG(rest), rest.length ? "," : "",
                               RT_TEXT_ARG(part));
    }
    return rest;
}

/* True if some accessor of the memory asks for promotion. */
static bool is_promoted(const scn_scenario *scenario, uint32_t memory)
{
    if (scenario->memories[memory].promotion != SCN_PROMOTION_NONE) return true;
    for (uint32_t s = 0; s < scenario->step_count; s++) {
        const scn_submit *submit = &scenario->steps[s].submit;
        if (scenario->steps[s].verb != SCN_VERB_SUBMIT) continue;
        for (uint32_t i = 0; i < submit->argument_count; i++) {
            const scn_argument *argument = &submit->arguments[i];
            if (argument->kind == SCN_ARGUMENT_MEMORY && argument->memory == memory &&
                argument->promotion != SCN_PROMOTION_NONE)
                return true;
        }
    }
    return false;
}

bool cnf_unfused_hides_memory(const cnf_execution *execution, uint32_t memory)
{
    return execution->unfused && is_promoted(execution->scenario, memory);
}

bool cnf_unfused_hides(const cnf_execution *execution, const scn_expect *expect)
{
    if (!execution->unfused) return false;
    switch (expect->kind) {
    case SCN_EXPECT_COUNT:
    case SCN_EXPECT_TRACE:
    case SCN_EXPECT_NEVER:
    case SCN_EXPECT_OUTPUT: /* kernels without dependencies print in any order */
    case SCN_EXPECT_FINDING: return true;
    case SCN_EXPECT_MEMORY: return is_promoted(execution->scenario, expect->memory.index);
    default: return false;
    }
}
