/* Synchronisation: a command that needs a command held back by a fusion ends that fusion.
 *
 * Every command, of any kind, passes through rt_sync_dependencies on its way to a device
 * (KF-SYNC-06).  Commands that are held themselves do not go to a device, so they are examined at
 * construction (KF-SYNC-09).
 *
 * Source: document 001 (KernelFusionJIT.md), "Synchronization Behavior". */
#include "reference/sched/sched_internal.h"

bool rt_queue_in_fusion_mode(const rt_scheduler *scheduler, rt_queue_id queue)
{
    CHECK(queue < scheduler->queues.count);
    const rt_fusion_command *fusion = scheduler->queues.items[queue].fusion;
    return fusion && fusion->status == RT_FUSION_ACTIVE;
}

/* The ACTIVE fusion of which the command is a kernel or the event; NULL: none. */
static rt_fusion_command *fusion_of(const rt_scheduler *scheduler, const rt_command *command)
{
    if (!rt_command_is_pending(command)) return NULL;
    CHECK_IMPLIES(command->kind == RT_COMMAND_FUSION, command->state == RT_COMMAND_SUBMITTED);
    rt_fusion_command *fusion = NULL;
    bool listed = command->held && !command->held->auxiliary;
    if (listed) fusion = RULE_ELSE(KF_GRAPH_01, command->held->fusion, NULL);
    if (command->kind == RT_COMMAND_FUSION) fusion = scheduler->queues.items[command->queue].fusion;
    /* While a fusion is ending, it is not ACTIVE, and its kernels are being handed over one after
     * the other. */
    return fusion && fusion->status == RT_FUSION_ACTIVE ? fusion : NULL;
}

static bool is_move(const rt_command *command)
{
    return command->kind == RT_COMMAND_UPLOAD || command->kind == RT_COMMAND_HOST_READ;
}

/* True if the command, which depends on a kernel of a list, ends that list's fusion.  There is a
 * rule for each kind of command.  Broken: a command of that kind runs as if the kernel had not been
 * submitted. */
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

/* Used only by the faults of must_end: removes an edge. */
static void forget_dependency(rt_command *command, uint32_t index)
{
    rt_command_list *list = &command->dependencies;
    for (uint32_t i = index + 1; i < list->count; i++)
        list->items[i - 1] = list->items[i];
    list->count--;
}

/* Used only by the fault of KF-SYNC-05: any submission to another queue ends every fusion. */
static void end_other_fusions(rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool is_holder = command->held && command->held->fusion == fusion;
        if (fusion->status == RT_FUSION_ACTIVE && !is_holder)
            rt_fusion_end(scheduler, fusion, scheduler->cause);
    }
}

void rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command)
{
    if (scheduler->active_count == 0 || command->kind == RT_COMMAND_FUSION) return;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        rt_command_id id = command->dependencies.items[i];
        const rt_command *other = scheduler->commands.items[id];
        if (fusion_of(scheduler, other) && !must_end(scheduler, command))
            forget_dependency(command, i--);
        else
            rt_sync_command(scheduler, id);
    }
    if (scheduler->active_count > 0 && !is_move(command) && !RULE(KF_SYNC_05))
        end_other_fusions(scheduler, command);
}

void rt_sync_at_construction(rt_scheduler *scheduler, const rt_command *command,
                             const rt_fusion_command *holder)
{
    CHECK(holder->status == RT_FUSION_ACTIVE && command->state == RT_COMMAND_SUBMITTED);
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        rt_fusion_command *fusion = fusion_of(scheduler, other);
        if (fusion && fusion != holder && RULE(KF_SYNC_09))
            rt_fusion_end(scheduler, fusion, RT_SYNC_REASON_OTHER_QUEUE);
    }
}

rt_fusion_command *rt_sync_keeper(rt_scheduler *scheduler, const rt_command *command)
{
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        rt_fusion_command *fusion = fusion_of(scheduler, other);
        if (fusion && !RULE(KF_SYNC_10)) return fusion;
    }
    return NULL;
}

void rt_sync_command(rt_scheduler *scheduler, rt_command_id id)
{
    if (id == RT_COMMAND_NONE) return;
    CHECK(id < scheduler->commands.count);
    rt_command *command = scheduler->commands.items[id];
    rt_fusion_command *fusion = fusion_of(scheduler, command);
    if (fusion)
        rt_fusion_end(scheduler, fusion, scheduler->cause);
    else if (command->state == RT_COMMAND_HELD)
        rt_held_enqueue(scheduler, command); /* Another command needs the contents that this one
                                              * moves for a kernel. */
    CHECK(!rt_command_is_pending(command));
}

void rt_sync_queue(rt_scheduler *scheduler, rt_queue_id queue, rt_sync_reason reason)
{
    for (uint32_t i = 0; i < scheduler->fusions.count && scheduler->active_count > 0; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool is_concerned = queue == RT_QUEUE_ALL || fusion->queue == queue;
        bool holds_kernels = fusion->status == RT_FUSION_ACTIVE && fusion->kernels.count > 0;
        /* An empty list has no kernel to wait for, and stays open (KF-SYNC-05). */
        if (is_concerned && holds_kernels) rt_fusion_end(scheduler, fusion, reason);
        CHECK_IMPLIES(is_concerned && holds_kernels, fusion->status != RT_FUSION_ACTIVE);
    }
}
