/* A case's way from the judgement of its child to its record: exploring, comparing, sending.
 *
 * It starts nothing; a case that is to run again is set to wait.
 * Source: docs/internals/conformance.md. */
#include "conformance/run/run_internal.h"

#include "conformance/verdict/differential.h"
#include "conformance/verdict/parting.h"

/* ---- Records ------------------------------------------------------------------------------- */

void cnf_run_record_send(run_state *run, const cnf_record *record, const cnf_run_detail *detail)
{
    if (run->stopped) return;
    cnf_record sent = *record;
    sent.conditions = run->options->conditions;
    run->stopped = !run->listener(run->user, &sent, detail);
}

/* What the oracle's child said, where that proves something.  It passes without one where a module
 * is refused as the scenario expects. */
static const cnf_messages *oracle_messages(const run_state *run, const run_scenario *scenario)
{
    if (run->oracle == SCN_NONE) return NULL;
    const run_case *oracle = &scenario->cases[run->oracle];
    bool passed = oracle->state == CASE_DONE && oracle->judgement.verdict == CNF_VERDICT_PASS;
    return passed && oracle->heard ? &oracle->messages : NULL;
}

static rt_text step_id(const run_scenario *scenario, uint32_t step)
{
    if (step == SCN_NONE || !scenario->scenario) return (rt_text){0};
    /* The number came from a child. */
    if (step >= scenario->scenario->step_count) return (rt_text){0};
    return scenario->scenario->steps[step].id;
}

void cnf_run_case_done(run_state *run, run_scenario *scenario, uint32_t subject)
{
    run_case *one = &scenario->cases[subject];
    CHECK(one->state != CASE_DONE);
    one->state = CASE_DONE;
    scenario->done_count++;
    rt_buffer warning = {0};
    if (one->explorer) {
        cnf_explorer_warn(one->explorer, &warning);
        cnf_explorer_free(one->explorer);
    }
    const cnf_record record = {.scenario = scenario->file->path,
                               .file = scenario->file->file,
                               .subject = run->options->subjects[subject].name,
                               .judgement = one->judgement,
                               .step_id = step_id(scenario, one->judgement.step),
                               .seconds = one->seconds,
                               .device = one->messages.device,
                               .driver = one->messages.driver,
                               .hash = scenario->hash,
                               .choices = one->script};
    const run_build *build = cnf_run_build(run, scenario, subject);
    const cnf_run_detail detail = {.scenario = build->compiled,
                                   .modules = &build->modules,
                                   .source = rt_buffer_text(&scenario->text),
                                   .messages = one->heard ? &one->messages : NULL,
                                   .oracle = oracle_messages(run, scenario),
                                   .log = one->log,
                                   .log_is_tail = one->log_is_tail,
                                   .warning = rt_buffer_text(&warning)};
    if (!one->unsaid) cnf_run_record_send(run, &record, &detail);
    rt_buffer_free(&warning);
}

void cnf_run_case_decide(run_state *run, run_scenario *scenario, uint32_t subject,
                         const cnf_judgement *judgement)
{
    CHECK(scenario->cases[subject].state == CASE_WAITING);
    scenario->cases[subject].judgement = *judgement;
    cnf_run_case_done(run, scenario, subject);
}

static bool oracle_settled(const run_state *run, const run_scenario *scenario)
{
    return run->oracle == SCN_NONE || scenario->cases[run->oracle].state == CASE_DONE;
}

/* A subject is compared with the oracle where both chose alike; scripts say what was prescribed. */
static void case_compare(run_scenario *scenario, const scn_scenario *compiled,
                         const run_case *oracle, run_case *other)
{
    CHECK(oracle->judgement.verdict == CNF_VERDICT_PASS);
    if (!rt_text_equal(oracle->script, other->script)) return;
    if (other->judgement.verdict == CNF_VERDICT_PASS)
        cnf_differential(&scenario->arena, compiled, &oracle->messages, &other->messages,
                         &other->judgement);
    if (other->judgement.verdict == CNF_VERDICT_FAIL)
        cnf_traces_part(&scenario->arena, &oracle->messages, &other->messages, &other->judgement);
}

/* An oracle that did not pass proves nothing about others: what would have been compared with it
 * was not observed. */
static void case_uncompared(run_scenario *scenario, run_case *one)
{
    cnf_judgement *judgement = &one->judgement;
    if (judgement->verdict != CNF_VERDICT_PASS || one->messages.memory_count == 0) return;
    uint32_t count = judgement->unobserved_count;
    rt_text *kinds = rt_arena_alloc_array(&scenario->arena, count + 1, sizeof *kinds);
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = judgement->unobserved[i];
    kinds[count] = RT_TEXT("final memories, since the oracle did not pass");
    judgement->unobserved = kinds;
    judgement->unobserved_count = count + 1;
    judgement->expected++;
}

void cnf_run_cases_release(run_state *run, run_scenario *scenario)
{
    if (!oracle_settled(run, scenario)) return;
    const run_case *oracle = run->oracle == SCN_NONE ? NULL : &scenario->cases[run->oracle];
    for (uint32_t i = 0; i < run->options->subject_count; i++) {
        run_case *one = &scenario->cases[i];
        if (one->state != CASE_HELD) continue;
        bool proves = oracle && oracle->judgement.verdict == CNF_VERDICT_PASS;
        if (proves) case_compare(scenario, cnf_run_build(run, scenario, i)->compiled, oracle, one);
        if (oracle && !proves) case_uncompared(scenario, one);
        cnf_run_case_done(run, scenario, i);
    }
}

void cnf_run_case_settle(run_state *run, run_scenario *scenario, uint32_t subject)
{
    if (subject == run->oracle) {
        cnf_run_case_done(run, scenario, subject);
    } else {
        scenario->cases[subject].state = CASE_HELD;
    }
    cnf_run_cases_release(run, scenario);
}

/* ---- Exploring ----------------------------------------------------------------------------- */

/* What a run of a script showed is unexpected: says which choices led there. */
static void explored_explain(run_scenario *scenario, run_case *one)
{
    if (cnf_verdict_effect(one->judgement.verdict) == CNF_EFFECT_EXPECTED) return;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "with --choices %.*s", RT_TEXT_ARG(one->script));
    for (uint32_t i = 0; i < one->messages.choice_count; i++) {
        const cnf_choice *choice = &one->messages.choices[i];
        rt_buffer_printf(&text, "%s%.*s: %u of %u", i ? ", " : " (", RT_TEXT_ARG(choice->rule),
                         choice->taken, choice->of);
    }
    rt_buffer_printf(&text, "%s:\n%.*s", one->messages.choice_count ? ")" : "",
                     RT_TEXT_ARG(one->judgement.message));
    one->judgement.message = rt_arena_text(&scenario->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

/* Keeps the run if it is the first or worse than those before it. */
static void explored_keep(run_scenario *scenario, run_case *one)
{
    if (!one->worst) {
        one->worst = rt_arena_alloc(&scenario->arena, sizeof *one->worst);
    } else if (cnf_verdict_effect(one->judgement.verdict) <=
               cnf_verdict_effect(one->worst->judgement.verdict)) {
        return;
    }
    *one->worst = *one;
    explored_explain(scenario, one->worst);
}

/* Takes what the run of one script came to.  True: the case has another script to run. */
static bool case_explore(run_scenario *scenario, run_case *one)
{
    const cnf_verdict verdict = one->judgement.verdict;
    rt_text reason;
    if (one->messages.end == CNF_MESSAGES_ENDED &&
        !cnf_explorer_add(one->explorer, one->script, &one->messages, &reason)) {
        one->judgement.verdict = CNF_VERDICT_FAIL;
        one->judgement.signature = cnf_signature(&scenario->arena, RT_TEXT("finish"),
                                                 RT_TEXT("choices"), (rt_text){0}, (rt_text){0});
        one->judgement.message = rt_arena_printf(
            &scenario->arena, "the run did not follow its script: %.*s", RT_TEXT_ARG(reason));
    } else if (one->messages.choice_count > 0) {
        one->script = cnf_explorer_script(&scenario->arena, &one->messages);
    }
    explored_keep(scenario, one);
    /* What cannot be asked stays so, and further time limits would only cost time. */
    bool goes_on = cnf_verdict_ran(verdict) && verdict != CNF_VERDICT_TIMEOUT &&
                   verdict != CNF_VERDICT_HANG && verdict != CNF_VERDICT_LINKED;
    if (goes_on && cnf_explorer_next(one->explorer, &one->script)) return true;
    double seconds = one->seconds;
    *one = *one->worst;
    one->seconds = seconds;
    return false;
}

void cnf_run_case_judged(run_state *run, run_scenario *scenario, uint32_t subject)
{
    run_case *one = &scenario->cases[subject];
    if (one->explorer && case_explore(scenario, one)) {
        one->state = CASE_WAITING;
    } else {
        cnf_run_case_settle(run, scenario, subject);
    }
}
