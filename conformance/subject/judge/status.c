/* The status of an event, asked without waiting. */
#include "conformance/subject/execute.h"

/* A command that has not ended, with an unknown start, contradicts only `complete`. */
static bool status_fits(scn_event_status expected, scn_event_status got, bool known, bool *out_seen)
{
    bool complete = expected == SCN_EVENT_COMPLETE;
    *out_seen = known || complete;
    return known ? got == expected : !complete;
}

void cnf_evaluate_event(cnf_execution *execution, const scn_expect *expect,
                        cnf_emitted_check *check)
{
    const cnf_runtime_operations *operations = execution->runtime->operations;
    uint32_t command = execution->results[expect->event.step].command;
    check->kind = "event";
    check->what = execution->scenario->steps[expect->event.step].id;
    if (command == CNF_NOT_MADE) {
        check->code = RT_TEXT("no-event");
        check->message =
            rt_arena_printf(&execution->arena, "step '%.*s' has given no event that could be asked",
                            RT_TEXT_ARG(check->what));
        return;
    }
    if (!operations->status || !execution->runtime->capabilities.executes) {
        check->ok = true;
        check->observed = false;
        return;
    }
    bool known = true;
    scn_event_status got = operations->status(execution, command, &known);
    CHECK_IMPLIES(!known, got == SCN_EVENT_SUBMITTED);
    check->ok = status_fits(expect->event.status, got, known, &check->observed);
    if (check->ok) return;
    check->code = RT_TEXT("event-status");
    check->message = rt_arena_printf(
        &execution->arena, "the event of step '%.*s' was expected to be %s, and is %s%s",
        RT_TEXT_ARG(check->what), scn_event_status_name(expect->event.status),
        scn_event_status_name(got), known ? "" : " or running");
}
