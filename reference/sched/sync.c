/* Synchronisation: who needs a command that a fusion holds back ends that fusion first.
 *
 * Every command passes here before it goes to a device, so that it is one place that finds out,
 * whatever way the command came (KF-SYNC-06).  Commands that are themselves held do not, so of
 * them it is found out when they are made (KF-SYNC-09).
 * Source: document 001 (KernelFusionJIT.md), "Synchronization Behavior". */
#include "reference/sched/sched_internal.h"

bool rt_queue_in_fusion_mode(const rt_scheduler *scheduler, rt_queue_id queue)
{
    CHECK(queue < scheduler->queues.count);
    const rt_fusion_command *fusion = scheduler->queues.items[queue].fusion;
    return fusion && fusion->status == RT_FUSION_ACTIVE;
}

rt_fusion_command *rt_fusion_of(const rt_scheduler *scheduler, const rt_command *command)
{
    rt_fusion_command *fusion = NULL;
    if (command->state != RT_COMMAND_SUBMITTED) return NULL;
    bool listed = command->held && !command->held->auxiliary;
    if (listed) fusion = RULE_ELSE(KF_GRAPH_01, command->held->fusion, NULL);
    if (command->kind == RT_COMMAND_FUSION) fusion = scheduler->queues.items[command->queue].fusion;
    /* While a fusion ends, its kernels are handed over one after the other. */
    return fusion && fusion->status == RT_FUSION_ACTIVE ? fusion : NULL;
}

static bool is_move(const rt_command *command)
{
    return command->kind == RT_COMMAND_UPLOAD || command->kind == RT_COMMAND_HOST_READ;
}

/* True: who depends on a kernel of a list ends the list's fusion.  Every kind of command has its
 * rule; broken, that kind runs as if the kernel had not been submitted. */
static bool must_end(const rt_scheduler *scheduler, const rt_command *command)
{
    if (is_move(command) && !RULE(KF_SYNC_06)) return false;
    switch (scheduler->cause) {
    case RT_SYNC_REASON_OTHER_QUEUE: return RULE(KF_SYNC_01);
    case RT_SYNC_REASON_HOST_TASK: return RULE(KF_SYNC_02);
    case RT_SYNC_REASON_MEMORY_OPERATION: return RULE(KF_SYNC_03);
    default: return RULE(KF_SYNC_04);
    }
}

/* Takes an edge away: only a fault does. */
static void forget_dependency(rt_command *command, uint32_t index)
{
    rt_command_list *list = &command->dependencies;
    for (uint32_t i = index + 1; i < list->count; i++)
        list->items[i - 1] = list->items[i];
    list->count--;
}

/* A fault only (see KF-SYNC-05): whatever is submitted elsewhere ends every fusion. */
static void end_others(rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool own = command->held && command->held->fusion == fusion;
        if (fusion->status == RT_FUSION_ACTIVE && !own)
            rt_fusion_end(scheduler, fusion, scheduler->cause);
    }
}

void rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command)
{
    if (scheduler->active_count == 0 || command->kind == RT_COMMAND_FUSION) return;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        rt_command_id id = command->dependencies.items[i];
        const rt_command *other = scheduler->commands.items[id];
        if (rt_fusion_of(scheduler, other) && !must_end(scheduler, command))
            forget_dependency(command, i--);
        else
            rt_sync_command(scheduler, id);
    }
    if (scheduler->active_count > 0 && !is_move(command) && !RULE(KF_SYNC_05))
        end_others(scheduler, command);
}

void rt_sync_at_construction(rt_scheduler *scheduler, const rt_command *command,
                             const rt_fusion_command *own)
{
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        rt_fusion_command *fusion = rt_fusion_of(scheduler, other);
        if (fusion && fusion != own && RULE(KF_SYNC_09))
            rt_fusion_end(scheduler, fusion, RT_SYNC_REASON_OTHER_QUEUE);
    }
}

rt_fusion_command *rt_sync_keeper(rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        rt_fusion_command *fusion = rt_fusion_of(scheduler, other);
        if (fusion && !RULE(KF_SYNC_10)) return fusion;
    }
    return NULL;
}

void rt_sync_command(rt_scheduler *scheduler, rt_command_id id)
{
    if (id == RT_COMMAND_NONE) return;
    rt_command *command = scheduler->commands.items[id];
    rt_fusion_command *fusion = rt_fusion_of(scheduler, command);
    if (fusion)
        rt_fusion_end(scheduler, fusion, scheduler->cause);
    else if (command->state == RT_COMMAND_SUBMITTED && command->held)
        rt_held_enqueue(scheduler, command); /* Content for a kernel may be needed by others. */
    CHECK(command->state != RT_COMMAND_SUBMITTED);
}

void rt_sync_queue(rt_scheduler *scheduler, rt_queue_id queue, rt_sync_reason reason)
{
    for (uint32_t i = 0; i < scheduler->fusions.count && scheduler->active_count > 0; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool concerned = queue == RT_QUEUE_ALL || fusion->queue == queue;
        bool waits = fusion->status == RT_FUSION_ACTIVE && fusion->kernels.count > 0;
        /* Nobody waits for a kernel of an empty list (KF-SYNC-05). */
        if (concerned && waits) rt_fusion_end(scheduler, fusion, reason);
    }
}
