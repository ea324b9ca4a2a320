/* The transitions of commands and of fusions: the tables of sched_internal.h and fusion_command.h
 * in code.  No other file assigns a state. */
#include "reference/sched/sched_internal.h"

#define FROM(state) (1u << RT_COMMAND_##state)

void rt_command_step(rt_command *command, rt_step step)
{
    static const struct {
        uint32_t from; /* bits of the states in which the step is permitted */
        rt_command_state to;
    } steps[] = {
        [RT_STEP_HOLD] = {FROM(SUBMITTED), RT_COMMAND_HELD},
        [RT_STEP_HAND_OVER] = {FROM(SUBMITTED) | FROM(HELD), RT_COMMAND_ENQUEUED},
        [RT_STEP_STOP] = {FROM(SUBMITTED) | FROM(HELD), RT_COMMAND_STOPPED},
        [RT_STEP_FINISH] = {FROM(SUBMITTED) | FROM(ENQUEUED) | FROM(STOPPED), RT_COMMAND_DONE},
        [RT_STEP_REMOVE] = {FROM(HELD), RT_COMMAND_REMOVED},
        [RT_STEP_RESTORE] = {FROM(REMOVED), RT_COMMAND_HELD},
    };
    CHECK((unsigned)step < sizeof steps / sizeof *steps);
    CHECK(steps[step].from >> command->state & 1);
    bool is_placeholder = command->kind == RT_COMMAND_FUSION;
    switch (step) {
    case RT_STEP_HOLD:
        CHECK(command->held && command->held->fusion->status == RT_FUSION_ACTIVE);
        CHECK(!is_placeholder && !command->event);
        break;
    case RT_STEP_HAND_OVER:
        CHECK(is_placeholder == !command->event);
        CHECK(rt_ok(command->result));
        break;
    case RT_STEP_STOP:
        CHECK(!command->event && !rt_ok(command->result));
        CHECK(!is_placeholder);
        break;
    case RT_STEP_FINISH:
        CHECK_IMPLIES(command->state == RT_COMMAND_SUBMITTED,
                      command->kind == RT_COMMAND_HOST_TASK);
        CHECK_IMPLIES(command->state == RT_COMMAND_STOPPED, !rt_ok(command->result));
        break;
    case RT_STEP_REMOVE:
    case RT_STEP_RESTORE:
        CHECK(command->kind == RT_COMMAND_LAUNCH && command->held && !command->held->auxiliary);
        CHECK(!command->event && rt_ok(command->result));
        break;
    }
    command->state = steps[step].to;
}

bool rt_command_is_pending(const rt_command *command)
{
    return command->state == RT_COMMAND_SUBMITTED || command->state == RT_COMMAND_HELD;
}

bool rt_command_is_open_event(const rt_command *command)
{
    return command->kind == RT_COMMAND_USER_EVENT && command->state == RT_COMMAND_ENQUEUED;
}

bool rt_command_is_over(const rt_command *command)
{
    return command->state == RT_COMMAND_DONE || command->state == RT_COMMAND_REMOVED;
}

void rt_fusion_set_status(rt_scheduler *scheduler, rt_fusion_command *fusion,
                          rt_fusion_status status)
{
    static const uint32_t next[RT_FUSION_STATUS_COUNT] = {
        [RT_FUSION_NEW] = 1u << RT_FUSION_ACTIVE,
        [RT_FUSION_ACTIVE] = 1u << RT_FUSION_CANCELLED | 1u << RT_FUSION_COMPLETED,
        [RT_FUSION_CANCELLED] = 1u << RT_FUSION_DELETE,
        [RT_FUSION_COMPLETED] = 1u << RT_FUSION_DELETE,
    };
    CHECK((unsigned)fusion->status < RT_FUSION_STATUS_COUNT);
    CHECK(next[fusion->status] >> status & 1);
    fusion->status = status;
    RT_TRACE(scheduler->trace, FUSION_STATUS, RT_N("queue", fusion->queue),
             RT_N("fusion", fusion->command),
             RT_T("status", rt_text_of(rt_fusion_status_name(status))));
}
