/* Ends a launch, with a finding, when a work-item's stack is exhausted.
 *
 * A work-item's stack has three limits, which fragment.c defines: on the depth of calls, on live
 * private variables and on the registers of all activations. The host's stack does not grow with a
 * work-item's stack. */
#include "sim/exec/exec.h"

static void exhausted(sim_exec *x, uint32_t site, uint32_t lane, uint64_t lanes, rt_text cause)
{
    sim_launch_state *l = x->launch;
    CHECK(lanes >= 1 && lane < x->wave->lane_count);
    rt_text text =
        rt_arena_printf(&l->findings.arena, "the stack is exhausted: %.*s", RT_TEXT_ARG(cause));
    sim_note(x, site, SIM_FINDING_STACK_EXHAUSTED, lane, lanes, text.data);
    x->stop = true;
    l->status = rt_fail(l->world->sink, RT_BUDGET, RT_RULE_NONE, "kernel '%.*s': %.*s",
                        RT_TEXT_ARG(l->kernel->name), RT_TEXT_ARG(text));
}

void sim_call_exhausted(sim_exec *x, uint32_t site, uint32_t function)
{
    const sim_frame *caller = x->frame;
    const sim_code_function *callee = &x->launch->program->functions[function];
    uint64_t private_bytes =
        caller->private_first + caller->function->private_bytes + callee->private_bytes;
    rt_text cause = rt_arena_printf(
        &x->launch->findings.arena,
        "call of '%.*s' at depth %u, with %llu bytes of private variables",
        RT_TEXT_ARG(callee->name), caller->depth + 1, (unsigned long long)private_bytes);
    /* The call in a translator's wrapper around a kernel has no line, so the kernel's own site is
     * used. */
    if (x->launch->program->sites[site].line == 0) site = callee->blocks[0].site;
    exhausted(x, site, sim_first_lane(x), x->active, cause);
}

void sim_kernel_exhausted(sim_exec *x, sim_wave *wave)
{
    const sim_code_function *kernel = &x->launch->program->functions[x->launch->kernel->function];
    rt_text cause = rt_arena_printf(&x->launch->findings.arena,
                                    "the kernel has %llu bytes of private variables",
                                    (unsigned long long)kernel->private_bytes);
    x->wave = wave;
    exhausted(x, kernel->blocks[0].site, 0, wave->lane_count, cause);
}
