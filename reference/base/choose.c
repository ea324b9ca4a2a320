/* A generator whose n-th number depends on seed and n alone (SplitMix64's finaliser). */
#include "reference/base/choose.h"

#include "reference/base/check.h"

static uint64_t mixed(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

uint32_t rt_choose(rt_chooser *chooser, rt_rule rule, uint32_t alternative_count)
{
    CHECK(rule > RT_RULE_NONE && rule < RT_RULE_COUNT);
    CHECK(alternative_count >= 1);
    uint64_t number = chooser->drawn++;
    if (chooser->seed == 0) return 0;
    return (uint32_t)(mixed(chooser->seed + number * UINT64_C(0x9E3779B97F4A7C15)) %
                      alternative_count);
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
