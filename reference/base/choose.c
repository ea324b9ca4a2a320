/* A generator whose n-th number depends only on the seed and n (SplitMix64's finaliser). */
#include "reference/base/choose.h"

#include "reference/base/check.h"
#include "reference/base/hash.h"
#include "reference/base/lock.h"

void rt_chooser_init(rt_chooser *chooser, uint64_t seed, const uint32_t *script,
                     uint32_t script_count)
{
    *chooser = (rt_chooser){.seed = seed, .script = script, .script_count = script_count};
    rt_lock_init(&chooser->lock);
}

void rt_chooser_free(rt_chooser *chooser)
{
    rt_vector_free(&chooser->choices);
    pthread_mutex_destroy(&chooser->lock);
}

/* Called with the lock held. */
static uint32_t choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count)
{
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

uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count)
{
    CHECK(rule > RT_RULE_NONE && rule < RT_RULE_COUNT);
    CHECK(alternative_count >= 1);
    rt_lock_take(&chooser->lock);
    uint32_t alternative = choose(chooser, rule, alternative_count);
    rt_lock_release(&chooser->lock);
    return alternative;
}
