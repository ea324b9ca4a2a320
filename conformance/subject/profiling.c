/* Reads the profiling times of commands and judges them.
 *
 * The device supplies the times, and they differ from run to run. checked.c, or the adapter,
 * ensures that the times of each command are in order. */
#include "conformance/subject/execute.h"

static rt_status times_of(cnf_execution *execution, uint32_t step, dev_times *out_times)
{
    uint32_t command = execution->results[step].command;
    CHECK(execution->runtime->operations->profiling); /* otherwise the scenario would have been
                                                       * skipped */
    if (command != CNF_NO_OBJECT)
        return execution->runtime->operations->profiling->times(execution, command, out_times);
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "step '%.*s' has no event to query",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

/* Emits the check of two commands' times; `sentence` states the expectation. */
static void judge_pair(cnf_execution *execution, uint32_t index, uint32_t peer, bool holds,
                       const char *sentence, const dev_times times[2])
{
    const scn_scenario *scenario = execution->scenario;
    rt_text name = scenario->steps[scenario->steps[index].profiling.step].id;
    cnf_emitted_check check = {.step = index,
                               .line = scenario->steps[index].at.line,
                               .kind = "profiling",
                               .what = name,
                               .observed = execution->runtime->capabilities.executes,
                               .ok = holds || !execution->runtime->capabilities.executes};
    rt_buffer message = {0};
    if (!check.ok) {
        check.code = RT_TEXT("times");
        rt_buffer_printf(&message, "step '%.*s' was expected to %s '%.*s'", RT_TEXT_ARG(name),
                         sentence, RT_TEXT_ARG(scenario->steps[peer].id));
        const rt_text steps[] = {name, scenario->steps[peer].id};
        for (size_t i = 0; i < 2; i++)
            rt_buffer_printf(&message, "\n  %.*s: submitted %llu, began %llu, ended %llu",
                             RT_TEXT_ARG(steps[i]), (unsigned long long)times[i].submit,
                             (unsigned long long)times[i].start, (unsigned long long)times[i].end);
        check.message = rt_arena_text(&execution->arena, rt_buffer_text(&message));
    }
    rt_buffer_free(&message);
    cnf_judged(execution, &check);
}

void cnf_run_profiling(cnf_execution *execution, uint32_t index)
{
    const scn_step *step = &execution->scenario->steps[index];
    const scn_profiling *profiling = &step->profiling;
    CHECK(step->verb == SCN_VERB_PROFILING);
    dev_times times = {0}, after[2] = {0}, equals[2] = {0};
    rt_status status = times_of(execution, profiling->step, &times);
    if (rt_ok(status) && profiling->after != SCN_NONE)
        status = times_of(execution, profiling->after, &after[1]);
    if (rt_ok(status) && profiling->same_as != SCN_NONE)
        status = times_of(execution, profiling->same_as, &equals[1]);
    cnf_judge_step(execution, index, "profiling", execution->scenario->steps[profiling->step].id,
                   status);
    if (!rt_ok(status)) return;
    after[0] = equals[0] = times;
    if (profiling->after != SCN_NONE)
        judge_pair(execution, index, profiling->after, times.start >= after[1].end, "begin after",
                   after);
    bool equal = profiling->same_as == SCN_NONE ||
                 (times.submit == equals[1].submit && times.start == equals[1].start &&
                  times.end == equals[1].end);
    if (profiling->same_as != SCN_NONE)
        judge_pair(execution, index, profiling->same_as, equal, "have the same times as", equals);
}
