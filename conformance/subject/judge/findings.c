/* Judges the device's findings once every command has ended. */
#include "conformance/scenario/model/scenario.h"
#include "conformance/subject/unfused.h"

#include <string.h>

/* True if a finding matches an expectation.  An unfused run has no fused kernel to name, so kernel
 * names are not compared there. */
static bool finding_matches(const cnf_execution *execution, const cnf_finding *finding,
                            const scn_expect *expect)
{
    bool is_kind = rt_text_is(expect->finding.kind, finding->kind);
    for (uint32_t i = 0; i < expect->finding.alternative_count && !is_kind; i++)
        is_kind = rt_text_is(expect->finding.alternatives[i], finding->kind);
    if (!is_kind) return false;
    bool named = expect->finding.kernel.length > 0 && !execution->unfused;
    if (named && !rt_text_equal(expect->finding.kernel, finding->kernel)) return false;
    /* A driver below another runtime does not know the scenario's names of memories. */
    bool has_labels = execution->runtime->operations->is_reference;
    if (has_labels && expect->finding.memory.length &&
        !rt_text_equal(expect->finding.memory, finding->object))
        return false;
    return !expect->finding.has_offset || expect->finding.offset == finding->offset;
}

/* A place in a source of the scenario or another file; line 0: unknown. */
typedef struct source_place {
    rt_text source;
    uint32_t line, column;
} source_place;

static source_place place_of(const cnf_finding *finding)
{
    return (source_place){finding->source, finding->source_line, finding->source_column};
}

/* The scenario's source with that name; NULL: unknown, or not one of them. */
static const scn_source *source_of(const scn_scenario *scenario, rt_text name)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const scn_module *module = &scenario->modules[m];
        for (uint32_t s = 0; s < module->source_count; s++) {
            const scn_source *source = &module->sources[s];
            if (rt_text_equal(source->name, name)) return source;
        }
    }
    return NULL;
}

/* Converts a source line to a line of the scenario; returns 0 if the line is unknown or the code is
 * not in the scenario itself. */
static uint32_t scenario_line(const scn_scenario *scenario, source_place place)
{
    const scn_source *source = source_of(scenario, place.source);
    if (place.line == 0 || !source || source->file.length > 0) return 0;
    return source->code_at.line + place.line - 1;
}

/* The same place with the path of its file; line 0: unknown, or in the scenario itself. */
static source_place file_place(cnf_execution *execution, source_place place)
{
    const scn_scenario *scenario = execution->scenario;
    if (place.line == 0 || scenario_line(scenario, place) > 0) return (source_place){0};
    const scn_source *source = source_of(scenario, place.source);
    if (source) place.source = scn_companion_path(&execution->arena, scenario, source->file);
    return place;
}

/* " at line 10" of the scenario, or " at kernel.cl:3:14" of another file. */
static void place_print(cnf_execution *execution, source_place place, rt_buffer *out)
{
    uint32_t line = scenario_line(execution->scenario, place);
    if (line > 0) rt_buffer_printf(out, " at line %u", line);
    place = file_place(execution, place);
    if (place.line == 0) return;
    rt_buffer_printf(out, " at %.*s:%u", RT_TEXT_ARG(place.source), place.line);
    if (place.column > 0) rt_buffer_printf(out, ":%u", place.column);
}

/* The step that created the command; SCN_NONE if the runtime issued the command on its own. */
static uint32_t step_of_command(const cnf_execution *execution, uint32_t command)
{
    for (uint32_t i = 0; i < execution->scenario->step_count; i++) {
        if (execution->results[i].command == command) return i;
    }
    return SCN_NONE;
}

/* The step whose command caused the finding, or SCN_NONE. */
static uint32_t step_of(const cnf_execution *execution, const cnf_finding *finding)
{
    if (finding < execution->findings.items + execution->settled) return finding->step;
    if (finding->is_host) return finding->command;
    return step_of_command(execution, finding->command);
}

void cnf_findings_settle(cnf_execution *execution)
{
    for (uint32_t i = execution->settled; i < execution->findings.count; i++) {
        cnf_finding *finding = &execution->findings.items[i];
        finding->step = step_of(execution, finding);
        finding->other_step = step_of_command(execution, finding->other_command);
    }
    CHECK(execution->settled <= execution->findings.count);
    execution->settled = execution->findings.count;
}

/* Names the step of the other command of a race of commands, and what would order the two. */
static void other_command_print(cnf_execution *execution, const cnf_finding *finding,
                                rt_buffer *out)
{
    const scn_scenario *scenario = execution->scenario;
    bool is_settled = finding < execution->findings.items + execution->settled;
    uint32_t index =
        is_settled ? finding->other_step : step_of_command(execution, finding->other_command);
    if (index == SCN_NONE) return;
    const scn_step *step = &scenario->steps[index];
    rt_buffer_printf(out, "; the other one is step");
    if (step->id.length) rt_buffer_printf(out, " '%.*s'", RT_TEXT_ARG(step->id));
    if (step->at.line > 0) rt_buffer_printf(out, " at line %u", step->at.line);
    if (finding->is_host)
        rt_buffer_printf(out, "; wait for it before the host's access");
    else if (step->id.length)
        rt_buffer_printf(out, "; add 'after: [%.*s]' to the later step, or wait between the two",
                         RT_TEXT_ARG(step->id));
    else
        rt_buffer_printf(out, "; give it an id and add 'after: [ID]' to the later step, or wait "
                              "between the two");
}

/* "out-of-bounds in kernel 'k' at line 10, step 'first' at line 17: store of ..." */
static void finding_print(cnf_execution *execution, const cnf_finding *finding, rt_buffer *out)
{
    const scn_scenario *scenario = execution->scenario;
    uint32_t index = step_of(execution, finding);
    rt_buffer_printf(out, "%s", finding->kind);
    if (finding->kernel.length)
        rt_buffer_printf(out, " in kernel '%.*s'", RT_TEXT_ARG(finding->kernel));
    place_print(execution, place_of(finding), out);
    if (index != SCN_NONE && scenario->steps[index].at.line > 0) {
        const scn_step *step = &scenario->steps[index];
        rt_buffer_printf(out, ", step");
        if (step->id.length) rt_buffer_printf(out, " '%.*s'", RT_TEXT_ARG(step->id));
        rt_buffer_printf(out, " at line %u", step->at.line);
    }
    rt_buffer_printf(out, ": %.*s", RT_TEXT_ARG(finding->message));
    if (finding->has_other) other_command_print(execution, finding, out);
    if (finding->other_line == 0) return;
    rt_buffer_printf(out, "; the other access is");
    place_print(execution, (source_place){finding->other_source, finding->other_line, 0}, out);
}

/* One expectation covers all findings that match it: a single mistake is reported at every place
 * that it affects, and which report comes first depends on the order of the work-items. */
static void judge_finding(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    cnf_emitted_check check = {.step = step,
                               .line = expect->at.line,
                               .kind = "finding",
                               .what = expect->finding.kind,
                               .observed = true};
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        cnf_finding *finding = &execution->findings.items[i];
        if (!finding_matches(execution, finding, expect)) continue;
        finding->expected = true;
        check.ok = true;
    }
    execution->permits_findings =
        execution->permits_findings || (check.ok && expect->finding.others);
    /* A device that executes nothing has no findings. */
    bool executes = execution->runtime->capabilities.executes;
    if (!executes || (!check.ok && cnf_unfused_hides(execution, expect)))
        cnf_leave_unobserved(&check);
    rt_buffer text = {0};
    if (!check.ok) {
        check.code = RT_TEXT("not-found");
        rt_buffer_printf(&text, "expected a finding '%.*s'", RT_TEXT_ARG(expect->finding.kind));
        for (uint32_t i = 0; i < expect->finding.alternative_count; i++)
            rt_buffer_printf(&text, " or '%.*s'", RT_TEXT_ARG(expect->finding.alternatives[i]));
        rt_buffer_printf(&text, ", but the device reported none");
        for (uint32_t i = 0; i < execution->findings.count; i++) {
            if (execution->findings.items[i].expected) continue;
            rt_buffer_printf(&text, "\n  but ");
            finding_print(execution, &execution->findings.items[i], &text);
        }
        check.message = rt_buffer_text(&text);
    }
    cnf_judged(execution, &check);
    rt_buffer_free(&text);
}

/* True if both are reported with the same signature. */
static bool findings_are_alike(const cnf_finding *a, const cnf_finding *b)
{
    return strcmp(a->kind, b->kind) == 0 && rt_text_equal(a->object, b->object) &&
           rt_text_equal(a->kernel, b->kernel);
}

/* Reports an unexpected finding. A verdict keeps the first of those with the same signature, so its
 * message lists the others. */
static void judge_unexpected(cnf_execution *execution, uint32_t index)
{
    const cnf_finding *finding = &execution->findings.items[index];
    rt_buffer text = {0};
    finding_print(execution, finding, &text);
    for (uint32_t i = index + 1; i < execution->findings.count; i++) {
        const cnf_finding *other = &execution->findings.items[i];
        if (other->expected || !findings_are_alike(finding, other)) continue;
        rt_buffer_printf(&text, "\n  and ");
        finding_print(execution, other, &text);
    }
    uint32_t line = scenario_line(execution->scenario, place_of(finding));
    uint32_t step = step_of(execution, finding);
    if (line == 0 && step != SCN_NONE) line = execution->scenario->steps[step].at.line;
    rt_text message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
    source_place code = file_place(execution, place_of(finding));
    cnf_judged(execution, &(cnf_emitted_check){.step = SCN_NONE,
                                               .line = line,
                                               .code_file = code.source,
                                               .code_line = code.line,
                                               .code_column = code.column,
                                               .kind = "finding",
                                               .what = finding->object,
                                               .observed = true,
                                               .code = rt_text_of(finding->kind),
                                               .place = finding->kernel,
                                               .message = message});
    rt_buffer_free(&text);
}

/* Counts races of equal values as expected where the scenario permits them; a driver below another
 * runtime does not know which of its memories that is. */
static void permit_same_values(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    bool has_labels = execution->runtime->operations->is_reference;
    for (uint32_t i = 0; i < execution->findings.count; i++) {
        cnf_finding *finding = &execution->findings.items[i];
        for (uint32_t m = 0; m < scenario->memory_count && !finding->expected; m++)
            finding->expected =
                scenario->memories[m].same_value_writes &&
                strcmp(finding->kind, "same-value-race") == 0 &&
                (!has_labels || rt_text_equal(finding->object, scenario->memories[m].name));
    }
}

void cnf_judge_findings(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    permit_same_values(execution);
    for (uint32_t s = 0; s < scenario->step_count; s++) {
        if (!execution->results[s].begun) continue;
        const scn_step *step = &scenario->steps[s];
        for (uint32_t i = 0; i < step->expect_count; i++) {
            if (step->expect[i].kind == SCN_EXPECT_FINDING) {
                judge_finding(execution, s, &step->expect[i]);
            }
        }
    }
    for (uint32_t i = 0; i < execution->findings.count && !execution->permits_findings; i++)
        if (!execution->findings.items[i].expected) judge_unexpected(execution, i);
}
