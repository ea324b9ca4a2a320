/* Whether a launch ran compiled, and if not, why: a launch that was undone needlessly has the same
 * results, and would not be noticed otherwise. */
#ifndef SIM_TEST_TIER_FATE_H
#define SIM_TEST_TIER_FATE_H

#include "sim/sim.h"

#include <string.h>

#define TIER_RACE      "makes accesses that may not be ordered"
#define TIER_UNDEFINED "has undefined bits that may matter"
#define TIER_ACCESS    "makes an access that may be wrong"
#define TIER_MISUSE    "computes with operands for which the result is undefined"
#define TIER_BARRIER   "has a place that not all work-items of a group reach together"
#define TIER_BUDGET    "may use up its instruction budget"

/* The tests' kernels that are interpreted although nothing is found. In text modules, `k` and
 * `main` are many kernels. */
static const struct {
    const char *reason, *kernels;
} tier_interpreted[] = {
    {"has several kinds of atomics", " atomics64 "},
    {"calls printf", " main "},
    {"is recursive", " main "},
    {"has atomics whose order matters",
     " k main flags good_exchange hand_over_fence_wrong hand_over_fences hand_over_half "
     "hand_over_seq_cst hand_over handed_counter local_flag locked narrow_load_first_wrong spin "},
    {"may write through pointers loaded from memory",
     " main apply by_choice by_struct by_table good_call pointer_in_memory recursive spinning "},
    {"has operations of the work-group",
     " k good_broadcast good_reduce lanes many_in_a_loop two_waves work_group "},
    {"has barriers of a sub-group", " neighbour subgroup_reduce "},
    {"may write variables of the program", " module_variables variable "},
    {"has asynchronous copies",
     " main async copied copy_ahead copy_back copy_in copy_out_reads copy_out_wrong copy_out "
     "copy_same copy_shared_event copy_target_differs_wrong copy_two good_async wait_same "},
    {"has atomics of floats", " lanes "},
    {"uses the results of atomics",
     " k atomics good_counter last_group_barrier last_group_fences last_group spin tickets "},
    {"has atomics that order work-items", " narrow_first_wrong scope_wrong scope subgroup_scope "},
    /* Compiled code gives up at undefined bits and leaves it to the interpreter whether they
     * matter; padding of structures is undefined, too. */
    {TIER_UNDEFINED, " k main by_value flow_kernel_struct good_address good_bits good_copy "
                     "good_dividend good_fields good_first good_record good_select good_sign "
                     "padding vector3 "},
    /* A collective over a mask without the lane, whose result is undefined. */
    {TIER_MISUSE, " k "},
    /* A pointer that is private in some work-items and not in others. */
    {TIER_ACCESS, " mixed_spaces "},
};

/* Findings, and why compiled code leaves them to the interpreter. */
static const struct {
    const char *kind, *reason, *other; /* `other`: what may come before it */
} tier_found[] = {
    {"race", TIER_RACE, TIER_UNDEFINED},       {"same-value-race", TIER_RACE, ""},
    {"uninitialised", TIER_UNDEFINED, ""},     {"array-overrun", TIER_ACCESS, ""},
    {"out-of-bounds", TIER_ACCESS, ""},        {"use-after-free", TIER_ACCESS, ""},
    {"null-pointer", TIER_ACCESS, ""},         {"misaligned", TIER_ACCESS, ""},
    {"undefined-arithmetic", TIER_MISUSE, ""}, {"subgroup-misuse", TIER_MISUSE, TIER_BARRIER},
    {"divergent-barrier", TIER_BARRIER, ""},   {"budget", TIER_BUDGET, ""},
};

/* True if the kernel may have been interpreted for the reason. */
static inline bool tier_is_interpreted(rt_text reason, const char *kernel)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", kernel);
    for (size_t i = 0; i < sizeof tier_interpreted / sizeof *tier_interpreted; i++) {
        bool is_reason = rt_text_is(reason, tier_interpreted[i].reason);
        if (is_reason && strstr(tier_interpreted[i].kernels, word)) return true;
    }
    return false;
}

static inline bool tier_is_found(rt_text reason, const char *kind)
{
    for (size_t i = 0; i < sizeof tier_found / sizeof *tier_found; i++) {
        if (strcmp(tier_found[i].kind, kind) == 0)
            return rt_text_is(reason, tier_found[i].reason) ||
                   rt_text_is(reason, tier_found[i].other);
    }
    return true;
}

/* Fails unless a launch that the tier `compiled` has tried went as it must. `kind`: of the first
 * finding, or NULL. A kernel that was undone twice is interpreted without a reason. */
static inline void tier_fate_check(const char *kernel, const char *kind, sim_tier_report before,
                                   sim_tier_report after)
{
    bool ran = after.compiled != before.compiled, is_undone = after.undone != before.undone;
    if (ran && (kind || is_undone || after.reason.length))
        fail_msg("%s ran compiled, with %s; it %.*s", kernel, kind ? kind : "no finding",
                 RT_TEXT_ARG(after.reason));
    bool is_tired = after.reason.length == 0 && before.undone >= 2;
    if (!ran && !kind && !is_tired && !tier_is_interpreted(after.reason, kernel))
        fail_msg("%s was interpreted because it '%.*s'", kernel, RT_TEXT_ARG(after.reason));
    if (is_undone && kind && !tier_is_found(after.reason, kind))
        fail_msg("%s, with %s, was interpreted because it '%.*s'", kernel, kind,
                 RT_TEXT_ARG(after.reason));
}

#endif
