/* Judges steps, which succeed or are refused, against the error or the outcomes that they expect.
 */
#include "conformance/subject/execute.h"

#include <string.h>

static bool is_name_part(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* True if the text contains the name as a whole word, not just as part of a longer name. */
static bool mentions(rt_text text, rt_text name)
{
    CHECK(name.length > 0);
    const char *at = text.data, *end = text.data + text.length;
    while ((at = memmem(at, (size_t)(end - at), name.data, name.length))) {
        bool begins = at == text.data || !is_name_part(at[-1]);
        bool ends = at + name.length == end || !is_name_part(at[name.length]);
        if (begins && ends) return true;
        at++;
    }
    return false;
}

static bool names_all(const cnf_execution *execution, const rt_diagnostic *diagnostic,
                      const scn_error *error, rt_text *out_missing)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t i = 0; i < error->name_count; i++) {
        bool named = false;
        for (uint32_t k = 0; k < diagnostic->name_count && !named; k++)
            named = rt_text_equal(diagnostic->names[k], error->names[i]);
        /* The shipped runtime never sees the names of memories, which only the scenario uses. */
        bool is_reference = execution->runtime->operations->is_reference;
        for (uint32_t m = 0; !is_reference && m < scenario->memory_count && !named; m++)
            named = rt_text_equal(scenario->memories[m].name, error->names[i]);
        /* A driver's linker names the symbols in its log, and the log is part of the message. */
        if (named || mentions(diagnostic->message, error->names[i])) continue;
        *out_missing = error->names[i];
        return false;
    }
    return true;
}

/* How the diagnostic differs from the expected error: a code for the signature and a sentence, both
 * empty if there is no difference. */
static rt_text error_difference(cnf_execution *execution, const scn_error *error,
                                const rt_diagnostic *diagnostic, rt_text *out_sentence)
{
    rt_arena *arena = &execution->arena;
    const char *class_name = rt_code_name(diagnostic->code);
    rt_text missing = {0};
    bool ours = execution->runtime->operations->is_reference;
    *out_sentence = (rt_text){0};
    /* The shipped runtime reports what the application sees, which may be less specific than the
     * documents' failure class: for example, errc::build if a linker refused. */
    rt_code documented = rt_code_find(error->documents);
    bool is_less_specific =
        !ours && documented != RT_CODE_COUNT && rt_code_matches(documented, rt_text_of(class_name));
    if (error->documents.length && !is_less_specific &&
        !rt_code_matches(diagnostic->code, error->documents)) {
        *out_sentence = rt_arena_printf(arena, "expected the documents' class %.*s, got %s",
                                        RT_TEXT_ARG(error->documents), class_name);
        return RT_TEXT("documents-class");
    }
    if (ours && error->reference_class.length && !rt_text_is(error->reference_class, class_name)) {
        *out_sentence = rt_arena_printf(arena, "expected class %.*s, got %s",
                                        RT_TEXT_ARG(error->reference_class), class_name);
        return RT_TEXT("reference-class");
    }
    if (!names_all(execution, diagnostic, error, &missing)) {
        *out_sentence =
            rt_arena_printf(arena, "expected the refusal to name '%.*s'", RT_TEXT_ARG(missing));
        return RT_TEXT("names");
    }
    if (ours && error->reference_text.length &&
        !memmem(diagnostic->message.data, diagnostic->message.length, error->reference_text.data,
                error->reference_text.length)) {
        *out_sentence = rt_arena_printf(arena, "expected a message that contains \"%.*s\"",
                                        RT_TEXT_ARG(error->reference_text));
        return RT_TEXT("text");
    }
    return (rt_text){0};
}

/* How a step that returned `status` differs from one outcome: a code for the signature, and
 * sentences for people. Empty if it matches, or if only our runtime must refuse the step and no
 * document requires the shipped runtime to (*out_observed is then false). */
static rt_text outcome_difference(cnf_execution *execution, const scn_error *error,
                                  rt_status status, rt_text *out_message, bool *out_observed)
{
    rt_arena *arena = &execution->arena;
    bool must_succeed = !error || error->none;
    *out_message = (rt_text){0};
    *out_observed = true;
    if (rt_ok(status)) {
        if (must_succeed) return (rt_text){0};
        *out_observed = error->documents.length || execution->runtime->operations->is_reference;
        if (!*out_observed) return (rt_text){0};
        rt_text expected = error->documents.length ? error->documents : error->reference_class;
        *out_message = rt_arena_printf(arena, "expected a refusal (%.*s), but the step succeeded",
                                       RT_TEXT_ARG(expected));
        return RT_TEXT("succeeded");
    }
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
    const char *class_name = rt_code_name(diagnostic->code);
    if (must_succeed) {
        *out_message = rt_arena_printf(arena, "refused (%s): %.*s", class_name,
                                       RT_TEXT_ARG(diagnostic->message));
        return rt_text_of(class_name);
    }
    /* The failure of a request that did not reach the shipped runtime is not a refusal by that
     * runtime. */
    if (!execution->runtime->operations->is_reference &&
        !rt_code_matches(diagnostic->code, RT_TEXT("exception"))) {
        *out_message = diagnostic->message;
        return rt_text_of(class_name);
    }
    rt_text sentence;
    rt_text code = error_difference(execution, error, diagnostic, &sentence);
    if (code.length == 0) return code;
    *out_message = rt_arena_printf(arena, "%.*s\nthe refusal was (%s): %.*s", RT_TEXT_ARG(sentence),
                                   class_name, RT_TEXT_ARG(diagnostic->message));
    return code;
}

void cnf_judge_step(cnf_execution *execution, uint32_t index, const char *kind, rt_text what,
                    rt_status status)
{
    const scn_step *step = &execution->scenario->steps[index];
    cnf_emitted_check check = {
        .step = index,
        .line = step->error ? step->error->at.line : step->at.line,
        .kind = step->error ? "error" : kind,
        .what = what,
        .observed = true,
    };
    execution->stop_is_returned = execution->stop_is_returned || status.code == RT_BUDGET;
    cnf_failure_note(execution, status);
    if (!rt_ok(status)) {
        const rt_diagnostic *diagnostic = rt_sink_diagnostic(execution->sink, status);
        RT_TRACE(execution->runtime->trace, ERROR,
                 RT_T("class", rt_text_of(rt_code_name(diagnostic->code))),
                 RT_T("rule", rt_text_of(rt_rule_name(diagnostic->rule))),
                 RT_TS("names", diagnostic->names, diagnostic->name_count));
        check.rule = diagnostic->rule;
    }
    bool is_unreachable = !rt_ok(status) && status.code == RT_UNSUPPORTED &&
                          !execution->runtime->operations->is_reference;
    if (is_unreachable || step->outcome_count == 0) {
        check.code =
            outcome_difference(execution, step->error, status, &check.message, &check.observed);
        check.ok = check.code.length == 0;
    } else {
        /* The first outcome that holds decides; if none does, the message explains every branch. */
        rt_buffer text = {0};
        rt_buffer_printf(&text, "none of the %u outcomes holds:", step->outcome_count);
        check.kind = "one_of";
        check.branch_count = step->outcome_count;
        for (uint32_t i = 0; i < step->outcome_count && !check.ok; i++) {
            rt_text message;
            rt_text difference = outcome_difference(execution, step->outcomes[i].error, status,
                                                    &message, &check.observed);
            if (difference.length > 0)
                rt_buffer_printf(&text, "\n  %u: %.*s", i + 1, RT_TEXT_ARG(message));
            else
                check.ok =
                    cnf_outcome_holds(execution, &step->outcomes[i], i + 1, &check.observed, &text);
            if (check.ok) check.branch = i + 1;
        }
        cnf_outcomes_judged(execution, step->outcomes, step->outcome_count,
                            check.observed ? check.branch : 0);
        CHECK(check.ok == (check.branch > 0) && check.branch <= check.branch_count);
        if (!check.ok) {
            check.code = RT_TEXT("no-outcome");
            check.message = rt_arena_text(&execution->arena, rt_buffer_text(&text));
        }
        rt_buffer_free(&text);
    }
    if (!rt_ok(status) && !check.ok && status.code == RT_ERRC_KERNEL_NOT_SUPPORTED &&
        !execution->lack)
        execution->lack = rt_sink_diagnostic(execution->sink, status);
    execution->refused = execution->refused || (!rt_ok(status) && check.ok);
    if (!rt_ok(status) && check.ok && atomic_load(&execution->calls.failed))
        execution->has_other_failure = true;
    execution->results[index].failed = !rt_ok(status) && !check.ok;
    cnf_step_memories(execution, step, &check);
    /* That a step succeeds without being expected to fail is not an observation in itself: a PASS
     * must rest on observed results. */
    bool expected = step->error || step->outcome_count > 0;
    if (expected || !check.ok) cnf_judged(execution, &check);
}
