/* Moves of a memory's contents that the runtime itself adds: to the device that needs them, and
 * back to the host. */
#include "reference/sched/sched_internal.h"

/* The newest barrier of a queue, unless it is known to be done; NULL: none. */
static const rt_command *unfinished_barrier(const rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_command_id id = scheduler->queues.items[queue].barrier;
    const rt_command *barrier = id == RT_COMMAND_NONE ? NULL : scheduler->commands.items[id];
    return barrier && !rt_command_is_over(barrier) ? barrier : NULL;
}

/* Adds a move and enqueues it.  A move for a kernel in a fusion list is held together with that
 * kernel (KF-QUEUE-05, KF-GRAPH-05). */
static rt_status add_move(rt_scheduler *scheduler, rt_command_kind kind, rt_queue_id queue,
                          rt_memory *memory, rt_fusion_command *fusion, rt_command_id *out_command)
{
    rt_access access = kind == RT_COMMAND_UPLOAD ? RT_ACCESS_WRITE : RT_ACCESS_READ;
    rt_command *command = rt_graph_add(scheduler, kind, queue);
    rt_graph_depend_on_memory(scheduler, command, memory, access);
    const rt_command *barrier = unfinished_barrier(scheduler, queue);
    if (barrier) rt_graph_depend(scheduler, command, command->barrier = barrier->id);
    rt_status status = RT_STATUS_OK;
    if (RULE(KF_GRAPH_05, fusion)) {
        rt_sync_at_construction(scheduler, command, fusion);
        rt_hold_move(fusion, command, memory);
    } else {
        status = rt_enqueue_move(scheduler, command, memory);
    }
    if (!rt_ok(status)) {
        rt_graph_remove_last(scheduler, command);
        return status;
    }
    CHECK(command->state != RT_COMMAND_SUBMITTED);
    CHECK_IMPLIES(!fusion, !command->held);
    rt_graph_book_access(scheduler, command, memory, access);
    *out_command = command->id;
    return RT_STATUS_OK;
}

/* The queue that reads a device's copies: the first one that no barrier holds back, since only the
 * memory orders a read, otherwise the first.  There is one, because contents reach a device only
 * through a command of one of its queues. */
static rt_queue_id queue_for_reads(const rt_scheduler *scheduler, uint32_t device)
{
    rt_queue_id first = RT_QUEUE_ALL;
    for (rt_queue_id i = 0; i < scheduler->queues.count; i++) {
        if (scheduler->queues.items[i].device->id != device) continue;
        if (!unfinished_barrier(scheduler, i)) return i;
        if (first == RT_QUEUE_ALL) first = i;
    }
    CHECK(first != RT_QUEUE_ALL);
    return first;
}

rt_status rt_content_read(rt_scheduler *scheduler, rt_memory *memory, rt_fusion_command *fusion,
                          rt_command_id *out_command)
{
    uint32_t device = rt_memory_valid_device(rt_memory_whole(memory));
    rt_queue_id queue = queue_for_reads(scheduler, device);
    dev_memory *copy = NULL;
    RT_TRY(rt_memory_on_device(memory, scheduler->queues.items[queue].device, &copy));
    RT_TRY(add_move(scheduler, RT_COMMAND_HOST_READ, queue, memory, fusion, out_command));
    if (!rt_memory_is_usm(memory) && !memory->whole) rt_memory_downloaded(memory);
    return RT_STATUS_OK;
}

rt_status rt_content_bring(rt_scheduler *scheduler, rt_queue_id queue, rt_memory *memory,
                           bool overwrites, rt_fusion_command *fusion)
{
    CHECK(queue < scheduler->queues.count);
    const rt_device *device = scheduler->queues.items[queue].device;
    dev_memory *copy = NULL;
    RT_TRY(rt_memory_on_device(memory, device, &copy));
    /* A command that fails writes nothing: unified shared memory then keeps what it began with. */
    overwrites =
        overwrites && memory->size == rt_memory_whole(memory)->size && !rt_memory_is_usm(memory);
    memory = rt_memory_whole(memory);
    if (overwrites || !rt_memory_needs_upload(memory, device)) return RT_STATUS_OK;
    /* The upload waits for the read, as it does for every reader of the memory. */
    rt_command_id move = RT_COMMAND_NONE;
    if (!memory->host_valid) RT_TRY(rt_content_read(scheduler, memory, fusion, &move));
    RT_TRY(add_move(scheduler, RT_COMMAND_UPLOAD, queue, memory, fusion, &move));
    CHECK(move != RT_COMMAND_NONE && memory->host_valid);
    rt_memory_uploaded(memory, device);
    return RT_STATUS_OK;
}
