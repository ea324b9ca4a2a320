/* Markers and barriers: commands that only order others.
 *
 * A barrier holds back what its queue gets later.  The device's queue does that, so a later command
 * of the queue depends on the barrier in the graph, but not in its wait list (enqueue.c).
 *
 * Source: sycl_ext_oneapi_enqueue_barrier; OpenCL 3.0 API, 5.12 "Markers, Barriers and Waiting for
 * Events". */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

/* Makes a marker wait for every unfinished command that the application has submitted to its queue.
 * The newest barrier that did so already stands for everything before it. */
static void depend_on_queue(rt_scheduler *scheduler, rt_command *marker)
{
    uint32_t first = marker->id;
    bool is_covered = false;
    while (first > scheduler->settled && !is_covered) {
        const rt_command *command = scheduler->commands.items[--first];
        is_covered = command->queue == marker->queue && command->kind == RT_COMMAND_MARKER &&
                     command->marker.is_barrier && command->marker.waits_for_all &&
                     command->state != RT_COMMAND_STOPPED;
    }
    for (uint32_t id = first; id < marker->id; id++) {
        const rt_command *command = scheduler->commands.items[id];
        /* The end of a fusion is done when the fusion's kernels are, which are in the queue, too;
         * the runtime's moves of contents are ordered by their memories. */
        bool is_submitted = command->kind < RT_COMMAND_FUSION && command->queue == marker->queue;
        bool is_awaited = !rt_command_is_over(command) && command->state != RT_COMMAND_STOPPED;
        if (is_submitted && is_awaited) rt_graph_depend(scheduler, marker, id);
    }
}

rt_status rt_scheduler_marker(rt_scheduler *scheduler, rt_queue_id queue, const rt_marker *marker,
                              rt_command_id *out_command)
{
    *out_command = RT_COMMAND_NONE;
    CHECK_IMPLIES(marker->waits_for_all, marker->after_count == 0);
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    const rt_access_list no_accesses = {0};
    const rt_submission submission = {.queue = queue,
                                      .kind = RT_COMMAND_MARKER,
                                      .accesses = &no_accesses,
                                      .after = marker->after,
                                      .after_count = marker->after_count};
    rt_command *command = NULL;
    rt_status status = rt_submission_begin(scheduler, &submission, &command);
    if (rt_ok(status)) {
        command->marker = (dev_marker){marker->waits_for_all, marker->is_barrier};
        if (marker->waits_for_all) depend_on_queue(scheduler, command);
        status = rt_enqueue_marker(scheduler, command);
        status = rt_submission_end(scheduler, command, &no_accesses, status, out_command);
    }
    if (rt_ok(status) && marker->is_barrier) scheduler->queues.items[queue].barrier = *out_command;
    rt_scheduler_unlock(scheduler);
    return status;
}
