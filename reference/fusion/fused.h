/* Fused kernels: turns a list into a program on a device, built once for every distinct list.
 *
 * A fused kernel is stored under its serialised request to the compiler: code, ranges, identities,
 * promotions and constants, but neither addresses nor names that the runtime chooses, so that the
 * same list finds its kernel again. Source: document 001 (KernelFusionJIT.md), "Fusion Process";
 * requirements.yaml, key dpcpp, tag B47. */
#ifndef REFERENCE_FUSION_FUSED_H
#define REFERENCE_FUSION_FUSED_H

#include "reference/fusion/compiler.h"
#include "reference/fusion/parameters.h"
#include "reference/fusion/shared_variables.h"
#include "reference/program/injected.h"

typedef struct rt_fused_kernels rt_fused_kernels;

/* The message with which every list is refused if there is no fusion compiler. */
#define RT_FUSED_NO_COMPILER "Kernel fusion not supported by this build"

/* What the store uses; everything is borrowed. */
typedef struct rt_fused_tools {
    rt_sink *sink;
    rt_trace *trace;
    rt_program_manager *programs;
    rt_profile profile;
    const rt_fusion_compiler *compiler; /* NULL: none */
} rt_fused_tools;

/* Creates an empty store; the caller destroys it before the program manager. */
rt_fused_kernels *rt_fused_create(const rt_fused_tools *tools);
void rt_fused_destroy(rt_fused_kernels *fused);

/* A list whose range and arguments have been decided; lives in the arena in which it was planned.
 */
typedef struct rt_fused_plan {
    const rt_fusion_list *list;
    rt_queue_id queue;
    const rt_fusion_input *inputs; /* one for each kernel */
    rt_fusion_range range;
    rt_fusion_parameters parameters;
    rt_shared_variables variables;
    bool barriers;
} rt_fused_plan;

/* Decides the range and the arguments.  ERRC_INVALID: the application requests contradicting
 * promotions. FUSION_REJECTED: the ranges cannot be combined (plan.h), or a kernel cannot be fused.
 */
RT_MUST_USE rt_status rt_fused_plan_make(rt_fused_kernels *fused, rt_arena *arena,
                                         const rt_fusion_list *list, rt_queue_id queue,
                                         bool barriers, rt_fused_plan *out_plan);

/* Finds or creates the fused kernel of a plan, and its launch; the launch's tables are in the
 * arena, and its bundle lives as long as the store. Called without locks. Returns the codes of the
 * compiler's hook and of rt_bundle_inject. */
RT_MUST_USE rt_status rt_fused_launch(rt_fused_kernels *fused, rt_arena *arena,
                                      const rt_fused_plan *plan, rt_launch *out_launch);

#endif
