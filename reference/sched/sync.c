/* Synchronisation: a command that needs a command held back by a fusion ends that fusion.
 *
 * Every command, of any kind, passes through rt_sync_dependencies on its way to a device
 * (KF-SYNC-06): kernels of other queues (KF-SYNC-01), host tasks (KF-SYNC-02), memory operations
 * (KF-SYNC-03), and the moves of contents that a wait or an access of the host needs (KF-SYNC-04).
 * So a fused kernel never waits for a command that waits for a kernel of its list (KF-SYNC-10), and
 * commands without such a dependency leave every fusion alone (KF-SYNC-05).  Commands that are held
 * themselves do not go to a device, so they are examined at construction (KF-SYNC-09).
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
    if (listed) fusion = RULE(KF_GRAPH_01, command->held->fusion);
    if (command->kind == RT_COMMAND_FUSION) fusion = scheduler->queues.items[command->queue].fusion;
    /* While a fusion is ending, it is not ACTIVE, and its kernels are being handed over one after
     * the other. */
    return fusion && fusion->status == RT_FUSION_ACTIVE ? fusion : NULL;
}

void rt_sync_dependencies(rt_scheduler *scheduler, rt_command *command)
{
    CHECK(command->kind != RT_COMMAND_FUSION);
    for (uint32_t i = 0; i < command->dependencies.count; i++)
        rt_sync_command(scheduler, command->dependencies.items[i]);
}

void rt_sync_at_construction(rt_scheduler *scheduler, const rt_command *command,
                             const rt_fusion_command *holder)
{
    CHECK(holder->status == RT_FUSION_ACTIVE && command->state == RT_COMMAND_SUBMITTED);
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = scheduler->commands.items[command->dependencies.items[i]];
        rt_fusion_command *fusion = fusion_of(scheduler, other);
        if (fusion && fusion != holder)
            RULE(KF_SYNC_09, rt_fusion_end(scheduler, fusion, scheduler->cause));
    }
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
    for (uint32_t i = 0; i < scheduler->fusions.count; i++) {
        rt_fusion_command *fusion = scheduler->fusions.items[i];
        bool is_concerned = queue == RT_QUEUE_ALL || fusion->queue == queue;
        bool holds_kernels = fusion->status == RT_FUSION_ACTIVE && fusion->kernels.count > 0;
        /* An empty list has no kernel to wait for, and stays open (KF-SYNC-05).  But it may hold
         * moves of contents for a launch that was then refused. */
        if (is_concerned && holds_kernels)
            rt_fusion_end(scheduler, fusion, reason);
        else if (is_concerned && fusion->status == RT_FUSION_ACTIVE)
            rt_fusion_moves_enqueue(scheduler, fusion);
        CHECK_IMPLIES(is_concerned && holds_kernels, fusion->status != RT_FUSION_ACTIVE);
    }
}
