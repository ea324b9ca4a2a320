/* One expectation: evaluated by its kind, then emitted. */
#include "conformance/subject/unfused.h"

void cnf_judged(cnf_execution *execution, const cnf_emitted_check *check)
{
    if (!check->ok) execution->failed = true;
    CHECK_IMPLIES(!check->ok, check->code.length > 0 && check->message.length > 0);
    cnf_emit_check(execution->emitter, check);
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
    bool active = queue != CNF_NOT_MADE &&
                  execution->runtime->operations->fusion->is_active(execution, queue);
    check->ok = active == expect->fusion_mode.is_active;
    if (check->ok) return;
    check->code = RT_TEXT("fusion-mode");
    check->message = rt_arena_printf(
        &execution->arena, "queue '%.*s' was expected %sto be in fusion mode, and is%s",
        RT_TEXT_ARG(name), expect->fusion_mode.is_active ? "" : "not ", active ? "" : " not");
}

/* ---- One of several outcomes -------------------------------------------------------------- */

static void evaluate_visible(cnf_execution *execution, const scn_expect *expect,
                             cnf_emitted_check *check);

/* True if everything in the branch holds; otherwise the first failing check's message is appended.
 */
static bool branch_holds(cnf_execution *execution, const scn_outcome *outcome, uint32_t number,
                         bool *inout_observed, rt_buffer *out_reasons)
{
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

/* The first branch that holds decides; a branch that this subject can show takes precedence over
 * one that it cannot. */
static void evaluate_one_of(cnf_execution *execution, const scn_expect *expect,
                            cnf_emitted_check *check)
{
    rt_buffer reasons = {0};
    rt_buffer_printf(&reasons, "none of %u outcomes:", expect->one_of.outcome_count);
    check->kind = "one_of";
    check->what = RT_TEXT("outcome");
    check->branch_count = expect->one_of.outcome_count;
    for (uint32_t i = 0; i < expect->one_of.outcome_count && !(check->ok && check->observed); i++) {
        bool observed = true;
        bool holds =
            branch_holds(execution, &expect->one_of.outcomes[i], i + 1, &observed, &reasons);
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
    [SCN_EXPECT_BUNDLE] = cnf_evaluate_bundle,
    [SCN_EXPECT_VARIABLE] = cnf_evaluate_variable,
    [SCN_EXPECT_FUSION_MODE] = cnf_evaluate_fusion_mode,
    [SCN_EXPECT_EVENT] = cnf_evaluate_event,
};

static void evaluate_visible(cnf_execution *execution, const scn_expect *expect,
                             cnf_emitted_check *check)
{
    CHECK((unsigned)expect->kind < SCN_EXPECT_KIND_COUNT && evaluators[expect->kind]);
    evaluators[expect->kind](execution, expect, check);
    if (cnf_unfused_hides(execution, expect)) cnf_leave_unobserved(check);
}

/* Counts and output restart after an expectation about them, whichever branch held. */
static void cursors_advance(cnf_execution *execution, const scn_expect *expect)
{
    if (expect->kind == SCN_EXPECT_COUNT) {
        rt_event_kind kind = rt_event_find(expect->count.event);
        execution->counted[kind] = rt_trace_count(execution->runtime->trace);
    }
    if (expect->kind == SCN_EXPECT_OUTPUT) cnf_output_seen(execution);
    for (uint32_t i = 0; i < scn_expect_outcome_count(expect); i++) {
        for (uint32_t k = 0; k < expect->one_of.outcomes[i].expect_count; k++)
            cursors_advance(execution, &expect->one_of.outcomes[i].expects[k]);
    }
}

void cnf_judge_expect(cnf_execution *execution, uint32_t step, const scn_expect *expect)
{
    if (expect->kind == SCN_EXPECT_FINDING) return;
    cnf_emitted_check check = {.step = step, .line = expect->at.line, .observed = true};
    evaluate_visible(execution, expect, &check);
    cursors_advance(execution, expect);
    cnf_judged(execution, &check);
}
