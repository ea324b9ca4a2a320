/* The invariants of a scheduler between two public operations: the whole graph, every queue and
 * every fusion list, with each relation checked in both directions.
 *
 * rt_scheduler_lock and rt_scheduler_unlock call this in builds with sanitizers (CHECK_SLOW).  The
 * cost is linear in the number of commands, edges and memory uses. */
#include "reference/sched/sched_internal.h"

#include "reference/base/lock.h"

static const rt_command *command_at(const rt_scheduler *scheduler, rt_command_id id)
{
    CHECK(id < scheduler->commands.count);
    CHECK(scheduler->commands.items[id]->id == id);
    return scheduler->commands.items[id];
}

static bool is_in(const rt_command_list *list, rt_command_id id)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->items[i] == id) return true;
    }
    return false;
}

/* ---- Commands ----------------------------------------------------------------------------- */

/* The fields that each state requires (the table of states in sched_internal.h). */
static void check_state(const rt_scheduler *scheduler, const rt_command *command)
{
    bool is_placeholder = command->kind == RT_COMMAND_FUSION;
    CHECK((command->state == RT_COMMAND_HELD) == (command->held != NULL));
    switch (command->state) {
    case RT_COMMAND_SUBMITTED: {
        /* Every other command leaves this state before its submission ends. */
        CHECK(is_placeholder);
        const rt_fusion_command *fusion = scheduler->queues.items[command->queue].fusion;
        CHECK(fusion && fusion->command == command->id);
        CHECK(fusion->status == RT_FUSION_ACTIVE);
        break;
    }
    case RT_COMMAND_HELD:
        CHECK(!command->event && rt_ok(command->result));
        CHECK(command->held->fusion->status == RT_FUSION_ACTIVE);
        CHECK((command->kind == RT_COMMAND_LAUNCH) == !command->held->auxiliary);
        CHECK((command->kind == RT_COMMAND_LAUNCH) == (command->program != NULL));
        CHECK(is_in(command->held->auxiliary ? &command->held->fusion->auxiliary
                                             : &command->held->fusion->kernels,
                    command->id));
        break;
    case RT_COMMAND_ENQUEUED:
        CHECK(is_placeholder == !command->event);
        CHECK(rt_ok(command->result));
        CHECK_IMPLIES(command->kind == RT_COMMAND_LAUNCH, command->program);
        CHECK_IMPLIES(command->moves_variable, command->program);
        break;
    case RT_COMMAND_STOPPED:
        CHECK(!command->event && !rt_ok(command->result));
        CHECK(!is_placeholder && command->kind != RT_COMMAND_HOST_TASK);
        break;
    case RT_COMMAND_DONE:
        CHECK(!command->program);
        CHECK_IMPLIES(command->event, !is_placeholder);
        CHECK(!command->task);
        CHECK_IMPLIES(!command->event && !is_placeholder && command->kind != RT_COMMAND_HOST_TASK,
                      !rt_ok(command->result));
        break;
    case RT_COMMAND_REMOVED:
        CHECK(command->kind == RT_COMMAND_LAUNCH && !command->program);
        CHECK(!command->event && command->dependencies.count == 0);
        break;
    }
    CHECK_IMPLIES(command->failure_is_reported,
                  rt_command_is_over(command) && !rt_ok(command->result));
}

/* Checks the command's state and its edges, which lead to older commands; a command that was handed
 * over depends only on commands that were also handed over. */
static void check_command(const rt_scheduler *scheduler, uint32_t index)
{
    const rt_command *command = command_at(scheduler, index);
    CHECK((command->queue == RT_QUEUE_NONE) == (command->kind == RT_COMMAND_USER_EVENT));
    CHECK(command->queue == RT_QUEUE_NONE || command->queue < scheduler->queues.count);
    CHECK(command->device != NULL);
    CHECK_IMPLIES(command->barrier != RT_COMMAND_NONE,
                  is_in(&command->dependencies, command->barrier));
    CHECK(command->visit <= scheduler->visit_count);
    check_state(scheduler, command);
    bool is_placeholder = command->kind == RT_COMMAND_FUSION;
    for (uint32_t i = 0; i < command->dependencies.count; i++) {
        const rt_command *other = command_at(scheduler, command->dependencies.items[i]);
        CHECK(other != command);
        CHECK_IMPLIES(!is_placeholder, other->id < command->id);
        /* Ranks order the graph, so it has no cycle; a placeholder gets its rank when it ends. */
        if (!is_placeholder || !rt_command_is_pending(command))
            CHECK(rt_command_rank(other) < rt_command_rank(command));
        CHECK_IMPLIES(rt_command_is_pending(other), rt_command_is_pending(command));
        CHECK(other->state != RT_COMMAND_REMOVED);
    }
    if (command->dependent != RT_COMMAND_NONE) {
        /* The other side of the newest edge, unless the dependent command was removed from the
         * graph. */
        const rt_command *dependent = command_at(scheduler, command->dependent);
        if (dependent->state != RT_COMMAND_REMOVED && dependent->kind != RT_COMMAND_FUSION)
            CHECK(is_in(&dependent->dependencies, command->id));
    }
    if (index >= scheduler->settled) return;
    CHECK(rt_command_is_over(command));
    CHECK(rt_ok(command->result) || command->failure_is_reported);
}

/* ---- Queues and memories ------------------------------------------------------------------ */

static void check_queue(const rt_scheduler *scheduler, uint32_t index)
{
    const rt_queue *queue = &scheduler->queues.items[index];
    CHECK(queue->queue && queue->device);
    CHECK_IMPLIES(queue->fusion, queue->enable_fusion && queue->fusion->queue == index);
    CHECK_IMPLIES(queue->fusion, queue->fusion->status != RT_FUSION_DELETE);
    CHECK_IMPLIES(queue->ended && queue->fusion,
                  queue->fusion->status != RT_FUSION_ACTIVE || queue->fusion->kernels.count == 0);
    if (queue->last == RT_COMMAND_NONE) return;
    const rt_command *last = command_at(scheduler, queue->last);
    CHECK(last->queue == index);
    CHECK(last->kind <= RT_COMMAND_HOST_TASK); /* a command of the application */
    CHECK(last->state != RT_COMMAND_REMOVED && last->state != RT_COMMAND_SUBMITTED);
}

static void check_use(const rt_scheduler *scheduler, const rt_memory_use *use)
{
    if (use->writer != RT_COMMAND_NONE)
        CHECK(command_at(scheduler, use->writer)->state != RT_COMMAND_REMOVED);
    for (uint32_t i = 0; i < use->readers.count; i++) {
        const rt_command *reader = command_at(scheduler, use->readers.items[i]);
        CHECK(reader->state != RT_COMMAND_REMOVED);
        CHECK_IMPLIES(use->writer != RT_COMMAND_NONE, reader->id >= use->writer);
    }
    if (use->download != RT_COMMAND_NONE)
        CHECK(command_at(scheduler, use->download)->kind == RT_COMMAND_HOST_READ);
}

/* ---- Fusions ------------------------------------------------------------------------------ */

/* The list of an ACTIVE fusion, its placeholder and the held commands refer to each other. */
static void check_fusion(const rt_scheduler *scheduler, const rt_fusion_command *fusion)
{
    const rt_command *node = command_at(scheduler, fusion->command);
    CHECK(fusion->queue < scheduler->queues.count);
    bool is_newest = scheduler->queues.items[fusion->queue].fusion == fusion;
    CHECK(fusion->status > RT_FUSION_NEW && fusion->status < RT_FUSION_STATUS_COUNT);
    CHECK(node->kind == RT_COMMAND_FUSION && node->queue == fusion->queue);
    CHECK(fusion->covered <= fusion->kernels.count);
    CHECK_IMPLIES(fusion->last_before != RT_COMMAND_NONE, fusion->last_before < fusion->command);
    for (uint32_t i = 0; i < fusion->leaves.count; i++) {
        CHECK(fusion->leaves.items[i].memory < scheduler->uses.count);
        for (uint32_t k = 0; k < i; k++)
            CHECK(fusion->leaves.items[k].memory != fusion->leaves.items[i].memory);
    }
    CHECK((fusion->status == RT_FUSION_DELETE) != is_newest);
    if (fusion->status != RT_FUSION_ACTIVE) {
        CHECK(!rt_command_is_pending(node));
        return;
    }
    CHECK(node->state == RT_COMMAND_SUBMITTED);
    CHECK(node->dependencies.count == fusion->kernels.count);
    for (uint32_t i = 0; i < fusion->kernels.count; i++) {
        const rt_command *kernel = command_at(scheduler, fusion->kernels.items[i]);
        CHECK(kernel->state == RT_COMMAND_HELD && kernel->held->fusion == fusion);
        CHECK(kernel->queue == fusion->queue && kernel->id > fusion->command);
        CHECK_IMPLIES(i > 0, fusion->kernels.items[i - 1] < kernel->id);
        CHECK(node->dependencies.items[i] == kernel->id);
    }
    for (uint32_t i = 0; i < fusion->auxiliary.count; i++) {
        const rt_command *move = command_at(scheduler, fusion->auxiliary.items[i]);
        CHECK(move->kind == RT_COMMAND_UPLOAD || move->kind == RT_COMMAND_HOST_READ);
        CHECK_IMPLIES(move->held, move->held->fusion == fusion && move->held->auxiliary);
    }
}

/* ---- The whole scheduler ------------------------------------------------------------------ */

bool rt_scheduler_check(const rt_scheduler *scheduler)
{
    CHECK(scheduler->settled <= scheduler->commands.count);
    for (uint32_t i = 0; i < scheduler->queues.count; i++)
        check_queue(scheduler, i);
    for (uint32_t i = 0; i < scheduler->commands.count; i++)
        check_command(scheduler, i);
    for (uint32_t i = 0; i < scheduler->uses.count; i++)
        check_use(scheduler, &scheduler->uses.items[i]);
    for (uint32_t i = 0; i < scheduler->fusions.count; i++)
        check_fusion(scheduler, scheduler->fusions.items[i]);
    return true;
}

void rt_scheduler_lock(rt_scheduler *scheduler)
{
    rt_lock_take(&scheduler->lock);
    CHECK_SLOW(rt_scheduler_check(scheduler));
}

void rt_scheduler_unlock(rt_scheduler *scheduler)
{
    CHECK_SLOW(rt_scheduler_check(scheduler));
    rt_lock_release(&scheduler->lock);
}
