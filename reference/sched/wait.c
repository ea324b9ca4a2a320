/* Waiting.  A command is waited for after all of its predecessors, so that a failure is reported
 * for the command in which it occurred and not for one that inherited it. */
#include "reference/sched/sched_internal.h"

#include "reference/base/handover.h"
#include "reference/base/lock.h"

#include <stdlib.h>

typedef RT_VECTOR(rt_command *) command_list;

static int by_rank(const void *a, const void *b)
{
    uint64_t first = rt_command_rank(*(rt_command *const *)a);
    uint64_t second = rt_command_rank(*(rt_command *const *)b);
    return (first > second) - (first < second);
}

/* Adds the command to the list unless this walk has reached it before. */
static void reach(rt_scheduler *scheduler, rt_command *command, command_list *list)
{
    if (command->visit == scheduler->visit_count) return;
    command->visit = scheduler->visit_count;
    *rt_vector_push(list) = command;
}

/* Adds the ancestors of the commands in the list, all of which this walk has already reached, and
 * sorts the list, oldest first: the end of a fusion is done when its ancestors are (KF-GRAPH-03).
 * The walk stops at commands that are known to have succeeded, and at barriers that only order,
 * whose failure is not that of the command, unless `through_barriers`.
 * Called with the lock held. */
static void add_ancestors(rt_scheduler *scheduler, command_list *list, bool through_barriers)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const rt_command *command = list->items[i];
        for (uint32_t d = 0; d < command->dependencies.count; d++) {
            rt_command *other = scheduler->commands.items[command->dependencies.items[d]];
            CHECK(rt_command_rank(other) < rt_command_rank(command));
            bool succeeded = rt_command_is_over(other) && rt_ok(other->result);
            if (other->id == command->barrier && !through_barriers) continue;
            if (!succeeded) RULE(KF_GRAPH_03, reach(scheduler, other, list));
        }
    }
    if (list->count > 0) qsort(list->items, list->count, sizeof *list->items, by_rank);
}

/* The application's commands of one queue, or all commands (RT_QUEUE_ALL), that no wait has
 * settled, with their ancestors, oldest first.  A command that is still pending is an empty fusion,
 * or a move of content that was added for a kernel and that no other command needs.  Called with
 * the lock held; the caller frees the list. */
static command_list unsettled(rt_scheduler *scheduler, rt_queue_id queue)
{
    command_list list = {0};
    scheduler->visit_count++;
    for (uint32_t i = scheduler->settled; i < scheduler->commands.count; i++) {
        rt_command *command = scheduler->commands.items[i];
        /* A user event is only waited for on behalf of a command, or by name. */
        bool is_concerned = queue == RT_QUEUE_ALL
                                ? command->kind != RT_COMMAND_USER_EVENT
                                : command->queue == queue && command->kind < RT_COMMAND_UPLOAD;
        if (is_concerned && !rt_command_is_pending(command)) reach(scheduler, command, &list);
    }
    add_ancestors(scheduler, &list, false);
    return list;
}

/* A command with its ancestors, oldest first.  Called with the lock held; the caller frees the
 * list. */
static command_list command_and_ancestors(rt_scheduler *scheduler, rt_command_id id)
{
    CHECK(id < scheduler->commands.count);
    command_list list = {0};
    scheduler->visit_count++;
    reach(scheduler, scheduler->commands.items[id], &list);
    add_ancestors(scheduler, &list, false);
    return list;
}

/* ---- Waits that would never end ----------------------------------------------------------- */

/* The oldest command that the application has to release, among those of a list, which the last
 * walk has reached, and their ancestors; NULL: there is none. */
static const rt_command *opener_of(rt_scheduler *scheduler, const command_list *list)
{
    if (scheduler->open_events == 0) return NULL;
    command_list awaited = {0};
    for (uint32_t i = 0; i < list->count; i++)
        *rt_vector_push(&awaited) = list->items[i];
    add_ancestors(scheduler, &awaited, true);
    const rt_command *opener = NULL;
    for (uint32_t i = 0; i < awaited.count && !opener; i++)
        if (rt_command_is_open_event(awaited.items[i]) || awaited.items[i]->task)
            opener = awaited.items[i];
    rt_vector_free(&awaited);
    return opener;
}

/* Refuses a wait for the commands of such a list. */
static rt_status check_list(rt_scheduler *scheduler, const command_list *list)
{
    const rt_command *opener = opener_of(scheduler, list);
    if (!opener) return RT_STATUS_OK;
    if (opener->task)
        return rt_fail(
            scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
            "a wait would never end, because it depends on host task %u, which waits for "
            "a user event that is not complete; complete the event first",
            opener->id);
    return rt_fail(scheduler->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "a wait would never end, because it depends on user event %u, which is not "
                   "complete; complete the event first",
                   opener->id);
}

const rt_command *rt_command_opener(rt_scheduler *scheduler, rt_command_id id)
{
    if (scheduler->open_events == 0) return NULL;
    command_list list = command_and_ancestors(scheduler, id);
    const rt_command *opener = opener_of(scheduler, &list);
    rt_vector_free(&list);
    return opener;
}

rt_status rt_command_wait_check(rt_scheduler *scheduler, rt_command_id id)
{
    if (scheduler->open_events == 0) return RT_STATUS_OK;
    command_list list = command_and_ancestors(scheduler, id);
    rt_status status = check_list(scheduler, &list);
    rt_vector_free(&list);
    return status;
}

/* ---- Waiting ------------------------------------------------------------------------------ */

/* Waits for a command whose predecessors are done, and records its end. */
static rt_status command_finish(rt_scheduler *scheduler, rt_command *command)
{
    rt_lock_take(&scheduler->lock);
    CHECK(!rt_command_is_pending(command));
    /* A command that no device runs has no event; nor has the end of a fusion, which is done when
     * all its commands are (KF-GRAPH-03). */
    bool has_event = !rt_command_is_over(command) && command->event;
    CHECK_IMPLIES(command->state == RT_COMMAND_STOPPED, !has_event && !rt_ok(command->result));
    rt_status answer = command->result;
    rt_lock_release(&scheduler->lock);
    /* The event lives as long as the scheduler, so several threads may wait for it concurrently. */
    if (has_event) answer = dev_event_wait(command->event);

    rt_lock_take(&scheduler->lock);
    rt_program *finished_program = NULL;
    if (!rt_command_is_over(command)) {
        command->result = answer;
        rt_command_step(command, RT_STEP_FINISH);
        finished_program = command->program;
        command->program = NULL;
    }
    CHECK(rt_command_is_over(command));
    rt_status result = command->result;
    rt_lock_release(&scheduler->lock);
    rt_program_release(scheduler->programs, finished_program);
    return result;
}

/* Waits for every command of the list and returns the first failure; with `repeat`, that includes
 * failures already reported to the application. */
static rt_status wait_list(rt_scheduler *scheduler, const command_list *list, bool repeat)
{
    rt_status first_failure = RT_STATUS_OK;
    for (uint32_t i = 0; i < list->count; i++) {
        rt_status result = command_finish(scheduler, list->items[i]);
        if (rt_ok(result)) continue;
        rt_lock_take(&scheduler->lock);
        CHECK(rt_command_is_over(list->items[i]));
        bool is_news = repeat || !list->items[i]->failure_is_reported;
        list->items[i]->failure_is_reported = true;
        rt_lock_release(&scheduler->lock);
        if (is_news && rt_ok(first_failure)) first_failure = result;
    }
    return first_failure;
}

rt_status rt_command_wait(rt_scheduler *scheduler, rt_command_id id)
{
    rt_scheduler_lock(scheduler);
    command_list list = command_and_ancestors(scheduler, id);
    rt_status status = check_list(scheduler, &list);
    rt_scheduler_unlock(scheduler);
    if (rt_ok(status)) status = wait_list(scheduler, &list, true);
    rt_vector_free(&list);
    return status;
}

/* Moves `settled` past commands that no later wait has to examine, so that the total cost of all
 * waits is linear in the number of commands. */
static void skip_settled(rt_scheduler *scheduler)
{
    rt_scheduler_lock(scheduler);
    while (scheduler->settled < scheduler->commands.count) {
        const rt_command *command = scheduler->commands.items[scheduler->settled];
        bool is_reported = rt_ok(command->result) || command->failure_is_reported;
        if (!rt_command_is_over(command) || !is_reported) break;
        scheduler->settled++;
    }
    CHECK(scheduler->settled <= scheduler->commands.count);
    rt_scheduler_unlock(scheduler);
}

rt_status rt_commands_wait(rt_scheduler *scheduler)
{
    rt_scheduler_lock(scheduler);
    RULE(KF_SYNC_04, rt_sync_queue(scheduler, RT_QUEUE_ALL, RT_SYNC_REASON_WAIT));
    command_list list = unsettled(scheduler, RT_QUEUE_ALL);
    rt_status status = check_list(scheduler, &list);
    rt_scheduler_unlock(scheduler);
    if (rt_ok(status)) status = wait_list(scheduler, &list, false);
    rt_vector_free(&list);
    skip_settled(scheduler);
    return status;
}

rt_status rt_scheduler_wait(rt_scheduler *scheduler)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    uint32_t count = scheduler->commands.count;
    rt_scheduler_unlock(scheduler);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", count));
    return rt_commands_wait(scheduler);
}

rt_status rt_scheduler_wait_queue(rt_scheduler *scheduler, rt_queue_id queue)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    CHECK(queue < scheduler->queues.count);
    RULE(KF_SYNC_04, rt_sync_queue(scheduler, queue, RT_SYNC_REASON_WAIT));
    command_list list = unsettled(scheduler, queue);
    rt_status status = check_list(scheduler, &list);
    rt_scheduler_unlock(scheduler);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", list.count), RT_N("queue", queue));
    if (rt_ok(status)) status = wait_list(scheduler, &list, false);
    rt_vector_free(&list);
    skip_settled(scheduler);
    return status;
}

/* Waits for a command; `repeat` as in wait_list. */
static rt_status wait_command(rt_scheduler *scheduler, rt_command_id command, bool repeat)
{
    rt_handover_point();
    rt_scheduler_lock(scheduler);
    scheduler->cause = RT_SYNC_REASON_WAIT;
    rt_sync_command(scheduler, command);
    command_list list = command_and_ancestors(scheduler, command);
    rt_status status = check_list(scheduler, &list);
    rt_scheduler_unlock(scheduler);
    RT_TRACE(scheduler->trace, WAIT, RT_N("commands", list.count), RT_N("command", command));
    if (rt_ok(status)) status = wait_list(scheduler, &list, repeat);
    rt_vector_free(&list);
    return status;
}

rt_status rt_scheduler_wait_command(rt_scheduler *scheduler, rt_command_id command)
{
    return wait_command(scheduler, command, false);
}

rt_status rt_scheduler_command_result(rt_scheduler *scheduler, rt_command_id command)
{
    return wait_command(scheduler, command, true);
}
