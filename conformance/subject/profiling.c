/* The question for a command's times, and what must be true of the answer.
 *
 * Times are a device's, and no two runs have the same; that they are in order within one command
 * checked.c sees to, or the adapter refuses them. */
#include "conformance/subject/execute.h"

static rt_status times_of(cnf_execution *execution, uint32_t step, dev_times *out_times)
{
    uint32_t command = execution->results[step].command;
    CHECK(execution->runtime->operations->profiling); /* otherwise the scenario would have been
                                                       * skipped */
    if (command != CNF_NOT_MADE)
        return execution->runtime->operations->profiling->times(execution, command, out_times);
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "step '%.*s' has given no event that could be asked",
                   RT_TEXT_ARG(execution->scenario->steps[step].id));
}

/* A check of the times of two commands; the sentence states the expectation. */
static void judge_pair(cnf_execution *execution, uint32_t index, uint32_t other, bool holds,
                       const char *sentence, const dev_times times[2])
{
    const scn_scenario *scenario = execution->scenario;
    rt_text asked = scenario->steps[scenario->steps[index].profiling.step].id;
    cnf_emitted_check check = {.step = index,
                               .line = scenario->steps[index].at.line,
                               .kind = "profiling",
                               .what = asked,
                               .observed = execution->runtime->capabilities.executes,
                               .ok = holds || !execution->runtime->capabilities.executes};
    rt_buffer message = {0};
    if (!check.ok) {
        check.code = RT_TEXT("times");
        rt_buffer_printf(&message, "step '%.*s' was expected to %s '%.*s'", RT_TEXT_ARG(asked),
                         sentence, RT_TEXT_ARG(scenario->steps[other].id));
        const rt_text steps[] = {asked, scenario->steps[other].id};
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
    const scn_profiling *asked = &step->profiling;
    CHECK(step->verb == SCN_VERB_PROFILING);
    dev_times own = {0}, after[2] = {0}, same[2] = {0};
    rt_status status = times_of(execution, asked->step, &own);
    if (rt_ok(status) && asked->after != SCN_NONE)
        status = times_of(execution, asked->after, &after[1]);
    if (rt_ok(status) && asked->same_as != SCN_NONE)
        status = times_of(execution, asked->same_as, &same[1]);
    cnf_judge_step(execution, index, "profiling", execution->scenario->steps[asked->step].id,
                   status);
    if (!rt_ok(status)) return;
    after[0] = same[0] = own;
    if (asked->after != SCN_NONE)
        judge_pair(execution, index, asked->after, own.start >= after[1].end, "begin behind",
                   after);
    bool equal =
        asked->same_as == SCN_NONE ||
        (own.submit == same[1].submit && own.start == same[1].start && own.end == same[1].end);
    if (asked->same_as != SCN_NONE)
        judge_pair(execution, index, asked->same_as, equal, "have the times of", same);
}
