/* Kernel fusion as an application asks for it: start, complete, cancel.
 *
 * The list is in the command graph (reference/sched/fusion_command.h); here it is decided whether
 * and how it is fused, and told in trace and warnings what became of it.
 *
 * Threads.  All functions may be called from several threads.  The compiler runs without a lock: a
 * fusion that somebody ends meanwhile has ended.
 * Source: document 001 (KernelFusionJIT.md), "Scheduler Integration". */
#ifndef REFERENCE_FUSION_FUSION_H
#define REFERENCE_FUSION_FUSION_H

#include "reference/fusion/fused.h"

typedef struct rt_fusion rt_fusion;

/* Everything is borrowed. */
typedef struct rt_fusion_parts {
    rt_fused_tools tools;
    rt_scheduler *scheduler;
    uint32_t warning_level; /* SYCL_RT_WARNING_LEVEL, 0 where it is not set */
} rt_fusion_parts;

/* Makes it; it observes the scheduler from now on. */
rt_fusion *rt_fusion_create(const rt_fusion_parts *parts);

/* Frees it with every fused kernel, after the scheduler and before the program manager.  NULL does
 * nothing. */
void rt_fusion_destroy(rt_fusion *fusion);

/* start_fusion on a queue.  Codes of rt_fusion_command_start. */
RT_MUST_USE rt_status rt_fusion_start(rt_fusion *fusion, rt_queue_id queue);

/* cancel_fusion: what was collected runs kernel by kernel.  On a queue that is not in fusion mode
 * it does nothing but warn (KF-QUEUE-07). */
RT_MUST_USE rt_status rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue);

/* complete_fusion: what was collected runs as one kernel, or kernel by kernel where it cannot be
 * fused (KF-GRAPH-09).  *out_command is done when all of it is.  ERRC_INVALID: the queue was never
 * in fusion mode (KF-QUEUE-10), or promotions contradict each other; it then is in fusion mode
 * still. */
RT_MUST_USE rt_status rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                                         rt_command_id *out_command);

/* is_in_fusion_mode. */
bool rt_fusion_is_active(rt_fusion *fusion, rt_queue_id queue);

#endif
