/* The application's three calls, with their traces and warnings.
 *
 * complete_fusion goes through these cases; the first that applies ends it:
 *
 *   the queue is not in fusion mode     the event of its last fusion (KF-QUEUE-09, KF-QUEUE-10)
 *   the list is empty                   COMPLETED immediately, with a warning
 *   promotions contradict each other    ERRC_INVALID; the queue stays in fusion mode
 *   the list cannot be fused            the kernels run one by one, with a warning (KF-GRAPH-09)
 *   another thread ended the fusion     the event of that fusion
 *   another thread added to the list    the kernels run one by one
 *   otherwise                           the fused kernel takes the list's place (KF-EVENT-03) */
#include "reference/fusion/fusion.h"

#include "reference/base/handover.h"

#include <stdio.h>
#include <string.h>

struct rt_fusion {
    rt_fusion_parts parts;
    rt_fused_kernels *kernels;
};

/* ---- Warnings ----------------------------------------------------------------------------- */

/* True if SYCL_RT_WARNING_LEVEL requests warnings. */
static bool warns(const rt_fusion *fusion)
{
    return fusion->parts.warning_level > 0;
}

static void warning_print(const rt_fusion *fusion, const char *text)
{
    fprintf(stderr, "WARNING: %s\n", text);
    RT_TRACE(fusion->parts.tools.trace, WARNING, RT_T("text", rt_text_of(text)));
}

static void warn(const rt_fusion *fusion, const char *text)
{
    if (warns(fusion)) warning_print(fusion, text);
}

static void trace_end(const rt_fusion *fusion, rt_queue_id queue, rt_sync_reason reason,
                      rt_status why)
{
    rt_text detail = {0};
    if (!rt_ok(why)) detail = rt_sink_diagnostic(fusion->parts.tools.sink, why)->message;
    RT_TRACE(fusion->parts.tools.trace, FUSION_CANCEL, RT_N("queue", queue),
             RT_T("reason", rt_text_of(rt_sync_reason_name(reason))),
             RT_T("rule", rt_text_of(rt_rule_name((rt_rule)why.rule))), RT_T("detail", detail));
}

/* Called when the scheduler has ended a fusion, on its own initiative or because of a call. */
static void ended(void *user, rt_queue_id queue, rt_sync_reason reason)
{
    const rt_fusion *fusion = user;
    if (reason == RT_SYNC_REASON_REJECTED) return; /* reject traces it with its cause */
    trace_end(fusion, queue, reason, RT_STATUS_OK);
    if (reason == RT_SYNC_REASON_CALL) return;
    if (RULE(KF_SYNC_08, warns(fusion))) warning_print(fusion, rt_sync_reason_warning(reason));
}

/* Shipped DPC++ warns that such a command cannot be fused (tag B16). */
static void not_fused(void *user, const char *kind)
{
    const rt_fusion *fusion = user;
    if (fusion->parts.tools.profile != RT_PROFILE_DPCPP) return;
    rt_arena arena = {0};
    warn(fusion, rt_arena_printf(&arena,
                                 "Not fusing '%s' command group. Can only fuse device kernel "
                                 "command groups.",
                                 kind)
                     .data);
    rt_arena_reset(&arena);
}

/* Warns that a list is not fused, and why. Shipped DPC++ prints its own warning around the
 * compiler's message (tags B19, B20). */
static void warn_refusal(const rt_fusion *fusion, rt_status why)
{
    CHECK(!rt_ok(why));
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(fusion->parts.tools.sink, why);
    rt_text message = diagnostic->message;
    const char *name = rt_rule_name(diagnostic->rule);
    bool shipped = fusion->parts.tools.profile == RT_PROFILE_DPCPP;
    if (!shipped || rt_text_is(message, RT_FUSED_NO_COMPILER)) {
        warn(fusion, message.data);
        return;
    }
    if (strncmp(name, "KF-TARGET-", 10) == 0) {
        warn(fusion, "No suitable IR available for fusion");
        return;
    }
    bool ranges = strncmp(name, "KF-RANGE-", 9) == 0;
    rt_arena arena = {0};
    rt_text text = rt_arena_printf(
        &arena,
        "ERROR: JIT compilation for kernel fusion failed with message:\n%s\nDetailed "
        "information:\n\t%.*s",
        ranges ? "Illegal ND-range combination" : "Kernel fusion failed", RT_TEXT_ARG(message));
    warn(fusion, text.data);
    rt_arena_reset(&arena);
}

/* ---- Life --------------------------------------------------------------------------------- */

rt_fusion *rt_fusion_create(const rt_fusion_parts *parts)
{
    rt_fusion *fusion = rt_alloc(sizeof *fusion);
    CHECK(parts->tools.programs && parts->scheduler && parts->tools.sink);
    CHECK(parts->tools.profile < RT_PROFILE_COUNT);
    fusion->parts = *parts;
    fusion->kernels = rt_fused_create(&parts->tools);
    rt_scheduler_observe(parts->scheduler, (rt_fusion_observer){fusion, ended, not_fused});
    return fusion;
}

void rt_fusion_destroy(rt_fusion *fusion)
{
    rt_fused_destroy(fusion->kernels);
    rt_free(fusion);
}

/* ---- Calls -------------------------------------------------------------------------------- */

rt_status rt_fusion_start(rt_fusion *fusion, rt_queue_id queue)
{
    return rt_fusion_command_start(fusion->parts.scheduler, queue);
}

bool rt_fusion_is_active(rt_fusion *fusion, rt_queue_id queue)
{
    return rt_fusion_command_is_active(fusion->parts.scheduler, queue);
}

rt_status rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue)
{
    bool is_active = rt_fusion_command_cancel(fusion->parts.scheduler, queue, RT_SYNC_REASON_CALL);
    /* Shipped DPC++ does not warn (requirements.yaml, key dpcpp, tag B5). */
    bool is_silent = is_active || fusion->parts.tools.profile == RT_PROFILE_DPCPP;
    if (!is_silent && RULE(KF_QUEUE_07, warns(fusion)))
        warning_print(fusion,
                      "Calling cancel_fusion on a queue that is not in fusion mode has no effect");
    return RT_STATUS_OK;
}

/* complete_fusion on a queue that is no longer in fusion mode: returns the event of the queue's
 * last fusion (KF-QUEUE-09). */
static rt_status complete_late(rt_fusion *fusion, rt_queue_id queue, rt_command_id *out_command)
{
    *out_command = rt_fusion_command_event(fusion->parts.scheduler, queue);
    if (*out_command == RT_COMMAND_NONE) {
        return rt_fail(fusion->parts.tools.sink, RULE(KF_QUEUE_10, RT_ERRC_INVALID),
                       RT_RULE_KF_QUEUE_10,
                       "complete_fusion on queue %u, which was never in "
                       "fusion mode; call start_fusion first",
                       queue);
    }
    return RT_STATUS_OK;
}

/* Runs the list kernel by kernel; the application sees no failure (KF-GRAPH-09), whatever the
 * kernels' target (KF-TARGET-06, KF-TARGET-07). */
static rt_status reject(rt_fusion *fusion, rt_queue_id queue, rt_status why,
                        rt_command_id *out_command)
{
    trace_end(fusion, queue, RT_SYNC_REASON_REJECTED, why);
    if (!rt_ok(why)) warn_refusal(fusion, why);
    rt_fusion_command_cancel(fusion->parts.scheduler, queue, RT_SYNC_REASON_REJECTED);
    *out_command = rt_fusion_command_event(fusion->parts.scheduler, queue);
    return RT_STATUS_OK;
}

static rt_status complete_list(rt_fusion *fusion, rt_arena *arena, rt_queue_id queue,
                               const rt_fusion_list *list, bool no_barriers,
                               rt_command_id *out_command)
{
    if (list->count == 0) {
        warn(fusion, "Fusion list is empty");
        rt_fusion_command_finish_empty(fusion->parts.scheduler, list);
        *out_command = rt_fusion_command_event(fusion->parts.scheduler, queue);
        return RT_STATUS_OK;
    }
    rt_fused_plan plan;
    rt_launch launch;
    bool replaced = false;
    rt_status status = rt_fused_plan_make(fusion->kernels, arena, list, queue, !no_barriers, &plan);
    if (status.code == RT_ERRC_INVALID) return status; /* the application's mistake */
    CHECK_IMPLIES(rt_ok(status), plan.list == list && plan.queue == queue);
    /* Only now is the compiler called (KF-JIT-15, KF-QUEUE-11). */
    if (rt_ok(status)) status = rt_fused_launch(fusion->kernels, arena, &plan, &launch);
    rt_command_id fused = RT_COMMAND_NONE;
    if (rt_ok(status))
        status =
            rt_fusion_command_replace(fusion->parts.scheduler, list, &launch, &replaced, &fused);
    if (!rt_ok(status)) return reject(fusion, queue, status, out_command);
    CHECK(replaced == (fused != RT_COMMAND_NONE));
    /* Another thread ended the fusion, or added to the list, while it was compiled. */
    if (!replaced && !rt_fusion_is_active(fusion, queue))
        return complete_late(fusion, queue, out_command);
    if (!replaced) return reject(fusion, queue, RT_STATUS_OK, out_command);
    *out_command = RULE(KF_EVENT_03, fused);
    return RT_STATUS_OK;
}

rt_status rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                             rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    rt_handover_point();
    rt_arena arena = {0};
    rt_fusion_list list;
    if (!rt_fusion_list_open(fusion->parts.scheduler, queue, &arena, &list))
        return complete_late(fusion, queue, out_command);
    rt_status status = complete_list(fusion, &arena, queue, &list, no_barriers, out_command);
    rt_fusion_list_close(fusion->parts.scheduler, &list);
    rt_arena_reset(&arena);
    return status;
}
