/* Kernel fusion as requested by the application: start, complete, cancel.
 *
 * The list is in the command graph (reference/sched/fusion_command.h, with the table of states).
 * This folder decides whether and how it is fused, and reports the outcome in the trace and in
 * warnings.
 *
 * Threads: all functions may be called from several threads.  The compiler runs without a lock; if
 * another thread ends the fusion in the meantime, the compiler's result is discarded.
 *
 * Source: document 001 (KernelFusionJIT.md), "Scheduler Integration". */
#ifndef REFERENCE_FUSION_FUSION_H
#define REFERENCE_FUSION_FUSION_H

#include "reference/fusion/fused.h"

typedef struct rt_fusion rt_fusion;

/* Everything is borrowed. */
typedef struct rt_fusion_parts {
    rt_fused_tools tools;
    rt_scheduler *scheduler;
    uint32_t warning_level; /* the value of SYCL_RT_WARNING_LEVEL; 0 if it is not set */
} rt_fusion_parts;

/* Creates the fusion object, which observes the scheduler from then on. */
rt_fusion *rt_fusion_create(const rt_fusion_parts *parts);

/* Frees the fusion object and every fused kernel; call after destroying the scheduler and before
 * destroying the program manager. */
void rt_fusion_destroy(rt_fusion *fusion);

/* start_fusion on a queue. Returns the codes of rt_fusion_command_start. */
RT_MUST_USE rt_status rt_fusion_start(rt_fusion *fusion, rt_queue_id queue);

/* cancel_fusion: the collected kernels run one by one.  On a queue that is not in fusion mode, it
 * only warns (KF-QUEUE-07). */
RT_MUST_USE rt_status rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue);

/* complete_fusion: the collected kernels run as one kernel, or one by one if they cannot be fused
 * (KF-GRAPH-09).  *out_command is done when all of them are.  ERRC_INVALID: the queue was never in
 * fusion mode (KF-QUEUE-10), or promotions contradict each other; in the latter case, the queue
 * stays in fusion mode. *out_command is RT_COMMAND_NONE on failure. */
RT_MUST_USE rt_status rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                                         rt_command_id *out_command);

/* is_in_fusion_mode: true if the queue is in fusion mode. */
bool rt_fusion_is_active(rt_fusion *fusion, rt_queue_id queue);

#endif
