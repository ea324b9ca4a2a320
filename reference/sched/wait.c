/* Waiting: a command's result is what its device says, after those it depends on have said theirs,
 * so that a failure is told where it began and not where it was passed on. */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"

#include <stdlib.h>

typedef RT_VECTOR(rt_command *) command_list;

uint64_t rt_command_rank(const rt_command *command)
{
    if (command->kind != RT_COMMAND_FUSION) return 2 * (uint64_t)command->id;
    /* It was made before the kernels that it waits for. */
    return 2 * (uint64_t)command->ended_after + 1;
}

static int by_rank(const void *a, const void *b)
{
    uint64_t first = rt_command_rank(*(rt_command *const *)a);
    uint64_t second = rt_command_rank(*(rt_command *const *)b);
    return (first > second) - (first < second);
}

/* Adds the command to the list unless this walk has met it. */
static void meet(rt_scheduler *scheduler, rt_command *command, command_list *list)
{
    if (command->visit == scheduler->visit_count) return;
    command->visit = scheduler->visit_count;
    *rt_vector_push(list) = command;
}

/* Completes the list, which holds commands that this walk has met, with their ancestors, and puts
 * the oldest first.  The walk ends at commands whose success is known.  Called with the lock held.
 */
static void add_ancestors(rt_scheduler *scheduler, command_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const rt_command *met = list->items[i];
        if (met->kind == RT_COMMAND_FUSION && !RULE(KF_GRAPH_03)) continue;
        for (uint32_t d = 0; d < met->dependencies.count; d++) {
            rt_command *other = scheduler->commands.items[met->dependencies.items[d]];
            CHECK(rt_command_rank(other) < rt_command_rank(met));
            bool succeeded = other->state == RT_COMMAND_DONE && rt_ok(other->result);
            if (!succeeded) meet(scheduler, other, list);
        }
    }
    if (list->count > 0) qsort(list->items, list->count, sizeof *list->items, by_rank);
}

/* A command with its ancestors, oldest first.  Called with the lock held; the caller frees the
 * list. */
static command_list command_and_ancestors(rt_scheduler *scheduler, rt_command_id id)
{
    CHECK(id < scheduler->commands.count);
    command_list list = {0};
    scheduler->visit_count++;
    meet(scheduler, scheduler->commands.items[id], &list);
    add_ancestors(scheduler, &list);
    return list;
}

/* Waits for one command whose predecessors are done, and books its end. */
static rt_status wait_one(rt_scheduler *scheduler, rt_command *command)
{
    pthread_mutex_lock(&scheduler->lock);
    bool done = command->state == RT_COMMAND_DONE;
    CHECK(done || command->state == RT_COMMAND_ENQUEUED);
    bool held_back = !command->event;
    rt_status waited = command->result;
    /* The end of a fusion has come when all that it stands for is done (KF-GRAPH-03). */
    CHECK_IMPLIES(held_back && !done, !rt_ok(waited) || command->kind == RT_COMMAND_FUSION);
    pthread_mutex_unlock(&scheduler->lock);
    /* The event stays until the scheduler goes, so several threads may wait for it at once. */
    if (!done && !held_back) waited = dev_event_wait(command->event);

    pthread_mutex_lock(&scheduler->lock);
    rt_program *finished = NULL;
    if (command->state != RT_COMMAND_DONE) {
        command->state = RT_COMMAND_DONE;
        command->result = waited;
        finished = command->program;
        command->program = NULL;
    }
    rt_status result = command->result;
    pthread_mutex_unlock(&scheduler->lock);
    rt_program_release(scheduler->programs, finished);
    return result;
}

/* Waits for every command of the list and returns the first failure; `again` tells whether one that
 * the application was told before counts. */
static rt_status wait_list(rt_scheduler *scheduler, const command_list *list, bool again)
{
    rt_status first_failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < list->count; i++) {
        rt_status result = wait_one(scheduler, list->items[i]);
        if (rt_ok(result)) continue;
        pthread_mutex_lock(&scheduler->lock);
        bool counts = again || !list->items[i]->failure_told;
        list->items[i]->failure_told = true;
        pthread_mutex_unlock(&scheduler->lock);
        if (counts && rt_ok(first_failure)) first_failure = result;
    }
    return first_failure;
}

rt_status rt_command_wait(rt_scheduler *scheduler, rt_command_id id)
{
    pthread_mutex_lock(&scheduler->lock);
    command_list list = command_and_ancestors(scheduler, id);
    pthread_mutex_unlock(&scheduler->lock);
    rt_status status = wait_list(scheduler, &list, true);
    rt_vector_free(&list);
    return status;
}

/* Moves `settled` past commands that no wait for everything has to look at again, so that many
 * waits cost no more than the commands. */
static void settle(rt_scheduler *scheduler)
{
    pthread_mutex_lock(&scheduler->lock);
    while (scheduler->settled < scheduler->commands.count) {
        const rt_command *command = scheduler->commands.items[scheduler->settled];
        bool told = rt_ok(command->result) || command->failure_told;
        if (command->state != RT_COMMAND_DONE || !told) break;
        scheduler->settled++;
    }
    pthread_mutex_unlock(&scheduler->lock);
}

/* What is not is an empty fusion, or content for a kernel that nobody waits for. */
static bool is_handed_over(const rt_command *command)
{
    return command->state != RT_COMMAND_SUBMITTED;
}

rt_status rt_commands_wait(rt_scheduler *scheduler)
{
    command_list list = {0};
    pthread_mutex_lock(&scheduler->lock);
    rt_sync_queue(scheduler, RT_QUEUE_ALL, RT_SYNC_REASON_WAIT);
    for (uint32_t i = scheduler->settled; i < scheduler->commands.count; i++) {
        if (is_handed_over(scheduler->commands.items[i]))
            *rt_vector_push(&list) = scheduler->commands.items[i];
    }
    if (list.count > 0) qsort(list.items, list.count, sizeof *list.items, by_rank);
    pthread_mutex_unlock(&scheduler->lock);
    rt_status status = wait_list(scheduler, &list, false);
    rt_vector_free(&list);
    settle(scheduler);
    return status;
}

rt_status rt_scheduler_wait(rt_scheduler *scheduler)
{
    rt_handover_point();
    pthread_mutex_lock(&scheduler->lock);
    uint32_t count = scheduler->commands.count;
    pthread_mutex_unlock(&scheduler->lock);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", count));
    return rt_commands_wait(scheduler);
}

rt_status rt_scheduler_wait_queue(rt_scheduler *scheduler, rt_queue_id queue)
{
    command_list list = {0};
    rt_handover_point();
    pthread_mutex_lock(&scheduler->lock);
    CHECK(queue < scheduler->queues.count);
    rt_sync_queue(scheduler, queue, RT_SYNC_REASON_WAIT);
    scheduler->visit_count++;
    for (uint32_t i = scheduler->settled; i < scheduler->commands.count; i++) {
        rt_command *command = scheduler->commands.items[i];
        if (command->queue == queue && is_handed_over(command)) meet(scheduler, command, &list);
    }
    add_ancestors(scheduler, &list);
    pthread_mutex_unlock(&scheduler->lock);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", list.count), RT_N("queue", queue));
    rt_status status = wait_list(scheduler, &list, false);
    rt_vector_free(&list);
    settle(scheduler);
    return status;
}

rt_status rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command)
{
    rt_handover_point();
    pthread_mutex_lock(&scheduler->lock);
    scheduler->cause = RT_SYNC_REASON_WAIT;
    rt_sync_command(scheduler, command);
    /* Broken: the event of a fusion that is over stands for whichever the queue has now. */
    const rt_command *awaited = scheduler->commands.items[command];
    if (awaited->kind == RT_COMMAND_FUSION && !RULE(KF_EVENT_08))
        rt_sync_queue(scheduler, awaited->queue, RT_SYNC_REASON_WAIT);
    command_list list = command_and_ancestors(scheduler, command);
    /* Broken: the event leads to nothing once the kernels are gone. */
    if (awaited->kind == RT_COMMAND_FUSION && !RULE(KF_EVENT_02)) list.count = 0;
    pthread_mutex_unlock(&scheduler->lock);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", list.count), RT_N("command", command));
    rt_status status = wait_list(scheduler, &list, false);
    rt_vector_free(&list);
    return status;
}
