/* Judges one expectation: evaluates it by its kind and emits the check. */
#include "conformance/subject/unfused.h"

#include <string.h>

bool cnf_is_on_demand(rt_text message)
{
    return message.length > 0 && memmem(message.data, message.length, DEV_FAILED_ON_DEMAND,
                                        strlen(DEV_FAILED_ON_DEMAND)) != NULL;
}

void cnf_failure_note(cnf_execution *execution, rt_status status)
{
    if (rt_ok(status) || !atomic_load(&execution->calls.failed)) return;
    rt_text message = rt_sink_diagnostic(execution->sink, status)->message;
    execution->failure_is_returned = execution->failure_is_returned || cnf_is_on_demand(message);
}

void cnf_judged(cnf_execution *execution, const cnf_emitted_check *check)
{
    CHECK_IMPLIES(!check->ok, check->code.length > 0 && check->message.length > 0);
    /* A host program that has ended, or whose answers are malformed, cannot be queried any further.
     */
    bool is_lost = !check->ok && !execution->runtime->operations->is_reference &&
                   (rt_text_is(check->code, rt_code_name(RT_TOOL)) ||
                    rt_text_is(check->code, rt_code_name(RT_MALFORMED)));
    execution->stopped = execution->stopped || is_lost;
    if (execution->skipped) return;
    /* What no program can do says nothing about the runtime. */
    bool is_unreachable = !check->ok && !execution->runtime->operations->is_reference &&
                          rt_text_is(check->code, rt_code_name(RT_UNSUPPORTED));
    if (is_unreachable) {
        execution->stopped = execution->skipped = true;
        cnf_emit_skip(execution->emitter, "real-program", "no", check->message);
        return;
    }
    cnf_emitted_check emitted = *check;
    if (!check->ok && atomic_load(&execution->calls.failed) && !execution->call_is_judged) {
        bool is_returned = execution->failure_is_returned || cnf_is_on_demand(check->message);
        bool is_content = strcmp(check->kind, "memory") == 0 ||
                          strcmp(check->kind, "mapped") == 0 ||
                          strcmp(check->kind, "variable") == 0;
        execution->failure_is_returned = is_returned;
        execution->is_wrong_since |= is_content && !is_returned;
        emitted.ok = true;
        emitted.code = emitted.message = (rt_text){0};
    }
    if (check->step != SCN_NONE) emitted.step_id = execution->scenario->steps[check->step].id;
    cnf_emit_check(execution->emitter, &emitted);
}

void cnf_leave_unobserved(cnf_emitted_check *check)
{
    check->ok = true;
    check->observed = false;
    check->code = check->message = (rt_text){0};
}

void cnf_evaluate_host_symbol(cnf_execution *execution, const scn_expect *expect,
                              cnf_emitted_check *check)
{
    const scn_scenario *scenario = execution->scenario;
    rt_text by = scenario->modules[expect->host_symbol.by].name;
    bool loaded = false;
    uint32_t found = SCN_NONE;
    check->kind = "host_symbol";
    check->what = expect->host_symbol.symbol;
    rt_status status = execution->runtime->operations->host_symbol(
        execution, expect->host_symbol.by, expect->host_symbol.symbol, &loaded, &found);
    if (!rt_ok(status)) {
        check->code = rt_text_of(rt_code_name(status.code));
        check->message = rt_sink_diagnostic(execution->sink, status)->message;
        return;
    }
    if (!loaded) {
        check->code = RT_TEXT("not-loaded");
        check->message = rt_arena_printf(&execution->arena,
                                         "module '%.*s' is not loaded, so it refers to nothing",
                                         RT_TEXT_ARG(by));
        return;
    }
    rt_text expected_name = RT_TEXT("nothing"), found_name = RT_TEXT("nothing");
    if (expect->host_symbol.from != SCN_NONE)
        expected_name = scenario->modules[expect->host_symbol.from].name;
    if (found != SCN_NONE) found_name = scenario->modules[found].name;
    check->ok = found == expect->host_symbol.from;
    if (check->ok) return;
    check->code = RT_TEXT("binding");
    check->message =
        rt_arena_printf(&execution->arena,
                        "host symbol '%.*s' was expected to bind to %.*s; in '%.*s' it binds to "
                        "%.*s",
                        RT_TEXT_ARG(expect->host_symbol.symbol), RT_TEXT_ARG(expected_name),
                        RT_TEXT_ARG(by), RT_TEXT_ARG(found_name));
}

void cnf_evaluate_fusion_mode(cnf_execution *execution, const scn_expect *expect,
                              cnf_emitted_check *check)
{
    uint32_t queue = execution->results[expect->fusion_mode.queue].queue;
    rt_text name = execution->scenario->steps[expect->fusion_mode.queue].id;
    check->kind = "fusion_mode";
    check->what = name;
    bool active = queue != CNF_NO_OBJECT &&
                  execution->runtime->operations->fusion->is_active(execution, queue);
    check->ok = active == expect->fusion_mode.is_active;
    if (check->ok) return;
    check->code = RT_TEXT("fusion-mode");
    check->message = rt_arena_printf(
        &execution->arena, "queue '%.*s' was expected %sto be in fusion mode, but is%s",
        RT_TEXT_ARG(name), expect->fusion_mode.is_active ? "" : "not ", active ? "" : " not");
}

/* ---- One of several outcomes -------------------------------------------------------------- */

static void evaluate_visible(cnf_execution *execution, const scn_expect *expect,
                             cnf_emitted_check *check);

/* The judged outcome with the given name; NULL if there is none so far. */
static const cnf_named_outcome *named_find(const cnf_execution *execution, rt_text name)
{
    for (uint32_t i = 0; i < execution->outcomes.count; i++)
        if (rt_text_equal(execution->outcomes.items[i].name, name))
            return &execution->outcomes.items[i];
    return NULL;
}

bool cnf_outcome_holds(cnf_execution *execution, const scn_outcome *outcome, uint32_t number,
                       bool *inout_observed, rt_buffer *out_reasons)
{
    const cnf_named_outcome *named = named_find(execution, outcome->name);
    if (named && !named->held) {
        rt_buffer_printf(out_reasons, "\n  %u (line %u): outcome '%.*s' did not hold earlier",
                         number, outcome->at.line, RT_TEXT_ARG(outcome->name));
        return false;
    }
    for (uint32_t i = 0; i < outcome->expect_count; i++) {
        cnf_emitted_check check = {.line = outcome->at.line, .observed = true};
        evaluate_visible(execution, &outcome->expects[i], &check);
        *inout_observed = *inout_observed && check.observed;
        if (check.ok) continue;
        rt_buffer_printf(out_reasons, "\n  %u (line %u): %.*s", number, outcome->at.line,
                         RT_TEXT_ARG(check.message));
        return false;
    }
    return true;
}

/* The first branch that holds decides, but a branch that this subject can show takes precedence
 * over one that it cannot. */
static void evaluate_one_of(cnf_execution *execution, const scn_expect *expect,
                            cnf_emitted_check *check)
{
    rt_buffer reasons = {0};
    rt_buffer_printf(&reasons, "none of the %u outcomes holds:", expect->one_of.outcome_count);
    check->kind = "one_of";
    check->what = RT_TEXT("outcome");
    check->branch_count = expect->one_of.outcome_count;
    for (uint32_t i = 0; i < expect->one_of.outcome_count && !(check->ok && check->observed); i++) {
        bool observed = true;
        bool holds =
            cnf_outcome_holds(execution, &expect->one_of.outcomes[i], i + 1, &observed, &reasons);
        if (!holds || (check->ok && !observed)) continue;
        check->ok = true;
        check->branch = i + 1;
        check->observed = observed;
    }
    CHECK(check->ok == (check->branch > 0) && check->branch <= check->branch_count);
    if (!check->ok) {
        check->code = RT_TEXT("no-outcome");
        check->message = rt_arena_text(&execution->arena, rt_buffer_text(&reasons));
    }
    rt_buffer_free(&reasons);
}

/* ---- Every kind --------------------------------------------------------------------------- */

/* The evaluator of each kind of expectation; findings have none, since they are judged at the end.
 */
static cnf_evaluate *const evaluators[SCN_EXPECT_KIND_COUNT] = {
    [SCN_EXPECT_MEMORY] = cnf_evaluate_memory,
    [SCN_EXPECT_COUNT] = cnf_evaluate_count,
    [SCN_EXPECT_PROGRAM_OF] = cnf_evaluate_program,
    [SCN_EXPECT_TRACE] = cnf_evaluate_trace,
    [SCN_EXPECT_NEVER] = cnf_evaluate_never,
    [SCN_EXPECT_HOST_SYMBOL] = cnf_evaluate_host_symbol,
    [SCN_EXPECT_ONE_OF] = evaluate_one_of,
    [SCN_EXPECT_OUTPUT] = cnf_evaluate_output,
    [SCN_EXPECT_WARNINGS] = cnf_evaluate_warnings,
    [SCN_EXPECT_BUNDLE] = cnf_evaluate_bundle,
    [SCN_EXPECT_VARIABLE] = cnf_evaluate_variable,
    [SCN_EXPECT_FUSION_MODE] = cnf_evaluate_fusion_mode,
    [SCN_EXPECT_EVENT] = cnf_evaluate_event,
    [SCN_EXPECT_MAPPED] = cnf_evaluate_mapped,
};

static void evaluate_visible(cnf_execution *execution, const scn_expect *expect,
                             cnf_emitted_check *check)
{
    CHECK((unsigned)expect->kind < SCN_EXPECT_KIND_COUNT && evaluators[expect->kind]);
    evaluators[expect->kind](execution, expect, check);
    if (cnf_unfused_hides(execution, expect)) cnf_leave_unobserved(check);
}

/* After an expectation about a count or about what was printed, the next such expectation considers
 * only what follows. */
static void cursor_advance(cnf_execution *execution, const scn_expect *expect)
{
    if (expect->kind == SCN_EXPECT_COUNT) {
        rt_event_kind kind = rt_event_find(expect->count.event);
        execution->counted[kind] = rt_trace_count(execution->runtime->trace);
    }
    if (expect->kind == SCN_EXPECT_OUTPUT || expect->kind == SCN_EXPECT_WARNINGS)
        cnf_output_judged(execution, expect);
}

void cnf_outcomes_judged(cnf_execution *execution, const scn_outcome *outcomes, uint32_t count,
                         uint32_t branch)
{
    CHECK(branch <= count);
    const rt_text taken = branch > 0 ? outcomes[branch - 1].name : (rt_text){0};
    for (uint32_t i = 0; i < count; i++) {
        /* Counting restarts whichever outcome held. */
        for (uint32_t k = 0; k < outcomes[i].expect_count; k++)
            cursor_advance(execution, &outcomes[i].expects[k]);
        rt_text name = outcomes[i].name;
        if (branch == 0 || name.length == 0 || named_find(execution, name)) continue;
        *rt_vector_push(&execution->outcomes) =
            (cnf_named_outcome){name, rt_text_equal(name, taken)};
    }
}

void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    if (expect->kind == SCN_EXPECT_FINDING) return;
    cnf_emitted_check check = {.step = step, .line = expect->at.line, .observed = true};
    evaluate_visible(execution, expect, &check);
    if (cnf_expect_lacks_object(execution, expect)) cnf_leave_unobserved(&check);
    cursor_advance(execution, expect);
    if (expect->kind == SCN_EXPECT_ONE_OF)
        cnf_outcomes_judged(execution, expect->one_of.outcomes, expect->one_of.outcome_count,
                            check.observed ? check.branch : 0);
    cnf_expect_memories(execution, expect, &check);
    cnf_judged(execution, &check);
}
