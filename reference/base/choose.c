/* A generator whose n-th number depends on seed and n alone (SplitMix64's finaliser). */
#include "reference/base/choose.h"

#include "reference/base/check.h"
#include "reference/base/hash.h"

uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count)
{
    CHECK(rule > RT_RULE_NONE && rule < RT_RULE_COUNT);
    CHECK(alternative_count >= 1);
    uint64_t number = chooser->drawn++;
    if (chooser->seed == 0) return 0;
    return (uint32_t)(rt_mix64(chooser->seed + number * RT_MIX_STEP) % alternative_count);
}

void rt_choose_order(rt_chooser *chooser, rt_rule rule, uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t other = i + rt_choose(chooser, rule, count - i);
        uint32_t moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}
