/* Findings of the device, judged when every command is done. */
#include "conformance/subject/execute.h"

static bool finding_matches(const cnf_kept_finding *finding, const scn_expect *expect)
{
    if (finding->expected || !rt_text_is(expect->finding, finding->kind)) return false;
    if (expect->kernel.length && !rt_text_equal(expect->kernel, finding->kernel)) return false;
    if (expect->finding_memory.length && !rt_text_equal(expect->finding_memory, finding->object)) {
        return false;
    }
    return !expect->has_finding_offset || expect->finding_offset == finding->offset;
}

/* What is said when an expected finding is missing: which others there are. */
static rt_text other_findings(cnf_execution *execution, const scn_expect *expect)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "expected a finding '%.*s'; the device reported no such one",
                     RT_TEXT_ARG(expect->finding));
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const cnf_kept_finding *finding = &execution->findings.items[i];
        if (finding->expected) continue;
        rt_buffer_printf(&text, "\n  but %s in kernel '%.*s': %.*s", finding->kind,
                         RT_TEXT_ARG(finding->kernel), RT_TEXT_ARG(finding->message));
    }
    rt_text message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return message;
}

static void judge_finding(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    cnf_emitted_check check = {.step = step,
                               .line = expect->at.line,
                               .kind = "finding",
                               .what = expect->finding,
                               .observed = true};
    for (uint32_t i = 0; i < execution->findings.count && !check.ok; i++) {
        cnf_kept_finding *finding = &execution->findings.items[i];
        if (!finding_matches(finding, expect)) continue;
        finding->expected = true;
        check.ok = true;
    }
    if (!check.ok) {
        check.code = RT_TEXT("not-found");
        check.message = other_findings(execution, expect);
    }
    cnf_judged(execution, &check);
}

/* A source's own line as the scenario's, 0 where the source is not one of the scenario's. */
static uint32_t scenario_line(const scn_scenario *scenario, const cnf_kept_finding *finding)
{
    if (finding->source_line == 0) return 0;
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const scn_module *module = &scenario->modules[m];
        for (uint32_t s = 0; s < module->source_count; s++) {
            const scn_source *source = &module->sources[s];
            if (!rt_text_equal(source->name, finding->source)) continue;
            return source->code_at.line + finding->source_line - 1;
        }
    }
    return 0;
}

void cnf_judge_findings(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t s = 0; s < scenario->step_count; s++) {
        if (!execution->results[s].begun) continue;
        const scn_step *step = &scenario->steps[s];
        for (uint32_t i = 0; i < step->expect_count; i++) {
            if (step->expect[i].kind == SCN_EXPECT_FINDING) {
                judge_finding(execution, s, &step->expect[i]);
            }
        }
    }
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        const cnf_kept_finding *finding = &execution->findings.items[i];
        if (finding->expected) continue;
        uint32_t line = scenario_line(scenario, finding);
        rt_text message =
            line ? rt_arena_printf(&execution->arena, "%s in kernel '%.*s' at line %u: %.*s",
                                   finding->kind, RT_TEXT_ARG(finding->kernel), line,
                                   RT_TEXT_ARG(finding->message))
                 : rt_arena_printf(&execution->arena, "%s in kernel '%.*s': %.*s", finding->kind,
                                   RT_TEXT_ARG(finding->kernel), RT_TEXT_ARG(finding->message));
        cnf_judged(execution, &(cnf_emitted_check){.step = SCN_NONE,
                                                   .line = line,
                                                   .kind = "finding",
                                                   .what = finding->object,
                                                   .observed = true,
                                                   .code = rt_text_of(finding->kind),
                                                   .place = finding->kernel,
                                                   .message = message});
    }
}
