/* What an unfused run can show about a scenario; see unfused.h. */
#include "conformance/subject/unfused.h"

#include <stdlib.h>
#include <string.h>

/* True if the options, or the environment of this process, set fusion to the word. */
static bool is_set(const cnf_subject_options *options, const char *word)
{
    const char *variable = getenv("ASSAY_FUSION");
    bool is_word = variable && strcmp(variable, word) == 0;
    rt_text settings = options->settings;
    while (settings.length > 0) {
        rt_text value = rt_text_take_until(&settings, ',');
        rt_text name = rt_text_take_until(&value, '=');
        is_word = is_word || (rt_text_is(name, "fusion") && rt_text_is(value, word));
    }
    return is_word;
}

bool cnf_unfused(const cnf_subject_options *options)
{
    return is_set(options, "off");
}

bool cnf_fuses_as_shipped(const cnf_subject_options *options)
{
    return is_set(options, "shipped");
}

rt_text cnf_unfused_device_settings(rt_arena *arena, rt_text settings)
{
    rt_text device_settings = {"", 0};
    while (settings.length > 0) {
        rt_text part = rt_text_take_until(&settings, ',');
        if (rt_text_starts(part, "fusion=")) continue;
        device_settings = rt_arena_printf(arena, "%.*s%s%.*s", RT_TEXT_ARG(device_settings),
                                          device_settings.length ? "," : "", RT_TEXT_ARG(part));
    }
    return device_settings;
}

/* True if any accessor of the memory requests promotion. */
static bool is_promoted(const scn_scenario *scenario, uint32_t memory)
{
    CHECK(memory < scenario->memory_count);
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
    case SCN_EXPECT_WARNINGS:
    case SCN_EXPECT_OUTPUT: /* kernels without dependencies print in any order */
    case SCN_EXPECT_FINDING: return true;
    case SCN_EXPECT_MEMORY: return is_promoted(execution->scenario, expect->memory.index);
    default: return false;
    }
}
