/* A generator whose n-th number depends only on the seed and n (SplitMix64's finaliser). */
#include "reference/base/choose.h"

#include "reference/base/check.h"
#include "reference/base/hash.h"

void rt_chooser_free(rt_chooser *chooser)
{
    rt_vector_free(&chooser->choices);
}

uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count)
{
    CHECK(rule > RT_RULE_NONE && rule < RT_RULE_COUNT);
    CHECK(alternative_count >= 1);
    uint64_t number = chooser->drawn++;
    if (alternative_count == 1) return 0;
    uint32_t alternative = 0; /* seed 0 always takes the first alternative */
    if (chooser->seed != 0)
        alternative =
            (uint32_t)(rt_mix64(chooser->seed + number * RT_MIX_STEP) % alternative_count);
    if (chooser->choices.count < chooser->script_count) {
        /* The script comes from a user or from a run that took other branches, so it may contain
         * any number. */
        alternative = chooser->script[chooser->choices.count];
        if (alternative >= alternative_count) alternative = alternative_count - 1;
    }
    *rt_vector_push(&chooser->choices) = (rt_choice){rule, alternative_count, alternative};
    CHECK(alternative < alternative_count);
    return alternative;
}
