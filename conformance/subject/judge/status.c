/* Judges the status of an event, queried without waiting. */
#include "conformance/subject/execute.h"

void cnf_evaluate_event(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check)
{
    const cnf_runtime_operations *operations = execution->runtime->operations;
    uint32_t command = execution->results[expect->event.step].command;
    check->kind = "event";
    check->what = execution->scenario->steps[expect->event.step].id;
    if (command == CNF_NO_OBJECT) {
        check->code = RT_TEXT("no-event");
        check->message = rt_arena_printf(&execution->arena, "step '%.*s' has no event to query",
                                         RT_TEXT_ARG(check->what));
        return;
    }
    if (!operations->status || !execution->runtime->capabilities.executes) {
        cnf_leave_unobserved(check);
        return;
    }
    bool known = true;
    scn_event_status got = operations->status(execution, command, &known);
    CHECK_IMPLIES(!known, got == SCN_EVENT_SUBMITTED);
    /* A command that has not ended, and may or may not have started, contradicts only `complete`.
     */
    bool complete = expect->event.status == SCN_EVENT_COMPLETE;
    check->observed = known || complete;
    check->ok = known ? got == expect->event.status : !complete;
    if (check->ok) return;
    check->code = RT_TEXT("event-status");
    check->message = rt_arena_printf(
        &execution->arena, "expected the event of step '%.*s' to be %s, but it is %s%s",
        RT_TEXT_ARG(check->what), scn_event_status_name(expect->event.status),
        scn_event_status_name(got), known ? "" : " or running");
}
