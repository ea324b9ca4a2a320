/* Destruction of queues and buffers. */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

rt_status rt_scheduler_queue_end(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_status status = RT_STATUS_OK;
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    rt_queue *ending = &scheduler->queues.items[queue];
    if (ending->ended)
        status = rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                         "queue %u has already ended", queue);
    scheduler->cause = RT_SYNC_REASON_QUEUE_END;
    RULE(KF_SYNC_04, rt_sync_queue(scheduler, queue, scheduler->cause));
    ending->ended = true;
    rt_scheduler_unlock(scheduler);
    return status;
}

static void add_users(const rt_scheduler *scheduler, const rt_memory *memory,
                      rt_command_list *users)
{
    if (memory->id >= scheduler->uses.count) return;
    const rt_memory_use *use = &scheduler->uses.items[memory->id];
    if (use->writer != RT_COMMAND_NONE) *rt_vector_push(users) = use->writer;
    for (uint32_t i = 0; i < use->readers.count; i++)
        *rt_vector_push(users) = use->readers.items[i];
}

rt_status rt_scheduler_memory_end(rt_scheduler *scheduler, rt_memory *memory)
{
    CHECK(!rt_memory_is_usm(memory));
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    scheduler->cause = RT_SYNC_REASON_BUFFER_END;
    if (memory->whole) { /* the buffer lives on, and with it the contents */
        rt_memory_part_end(memory);
        rt_scheduler_unlock(scheduler);
        return RT_STATUS_OK;
    }
    /* Hands over the commands that use the memory, so that they can be waited for without the lock.
     */
    rt_command_list users = {0};
    add_users(scheduler, memory, &users);
    for (uint32_t i = 0; i < memory->parts.count; i++)
        add_users(scheduler, memory->parts.items[i], &users);
    for (uint32_t i = 0; i < users.count; i++)
        rt_sync_command(scheduler, users.items[i]);
    rt_scheduler_unlock(scheduler);
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < users.count; i++) {
        rt_status waited = rt_command_wait(scheduler, users.items[i]);
        if (rt_ok(status)) status = waited;
    }
    rt_vector_free(&users);
    return rt_ok(status) ? rt_scheduler_host_read(scheduler, memory) : status;
}
