/* The case of a run: one scenario on one subject, from the start of its child to its record.
 *
 * This file starts no child and judges nothing; a case that must run again returns to WAITING. The
 * states, and the transition of each event:
 *
 *               STARTED  DOUBTED  JUDGED              DECIDED  CUT_SHORT  COMPARABLE  ABANDONED
 *     WAITING   RUNNING  -        -                   DONE     HELD DONE  -           DONE
 *     RUNNING   -        PROBING  WAITING HELD DONE   -        -          -           DONE
 *     PROBING   -        -        WAITING HELD DONE   -        -          -           DONE
 *     HELD      -        -        -                   -        -          WAITING DONE  DONE
 *     DONE      -        -        -                   -        -          -           -
 *
 * JUDGED leads to WAITING if exploring has another script to run, to HELD if the oracle, with which
 * the case is compared, is not DONE, and to DONE otherwise; instead of DONE, JUDGED and COMPARABLE
 * lead to WAITING if the case is repeated, or if it must run again alone. Source:
 * docs/internals/conformance.md; design, "Reference runtime" (choices). */
#include "conformance/run/run_internal.h"

#include "conformance/verdict/differential.h"
#include "conformance/verdict/judge.h"
#include "conformance/verdict/parting.h"

#define TO(state) (1u << CASE_##state)
static const unsigned transitions[CASE_STATE_COUNT][CASE_EVENT_COUNT] = {
    [CASE_WAITING] = {[CASE_STARTED] = TO(RUNNING),
                      [CASE_DECIDED] = TO(DONE),
                      [CASE_CUT_SHORT] = TO(HELD) | TO(DONE),
                      [CASE_ABANDONED] = TO(DONE)},
    [CASE_RUNNING] = {[CASE_DOUBTED] = TO(PROBING),
                      [CASE_JUDGED] = TO(WAITING) | TO(HELD) | TO(DONE),
                      [CASE_ABANDONED] = TO(DONE)},
    [CASE_PROBING] =
        {[CASE_JUDGED] = TO(WAITING) | TO(HELD) | TO(DONE), [CASE_ABANDONED] = TO(DONE)},
    [CASE_HELD] = {[CASE_COMPARABLE] = TO(WAITING) | TO(DONE), [CASE_ABANDONED] = TO(DONE)},
};
#undef TO

/* The invariants of a scenario's cases between two events. */
static bool cases_check(const run_state *run, const run_scenario *scenario)
{
    uint32_t done_count = 0;
    for (uint32_t i = 0; i < run->options->subject_count; i++) {
        const run_case *checked = &scenario->cases[i];
        bool has_child = checked->state == CASE_RUNNING || checked->state == CASE_PROBING;
        CHECK((unsigned)checked->state < CASE_STATE_COUNT);
        done_count += checked->state == CASE_DONE;
        /* Children of cases get the images, so these exist; only a running child has a folder. */
        CHECK_IMPLIES(has_child || checked->state == CASE_HELD, scenario->is_complete);
        CHECK_IMPLIES(checked->scratch.length > 0, checked->state == CASE_RUNNING);
        /* Only a case whose child sent messages can be probed or compared. */
        CHECK_IMPLIES(checked->state == CASE_HELD, checked->has_messages);
        CHECK_IMPLIES(checked->state == CASE_HELD, run->oracle != SCN_NONE && i != run->oracle);
        CHECK_IMPLIES(checked->state == CASE_PROBING, checked->has_messages);
        CHECK_IMPLIES(checked->worst, checked->worst->has_messages);
        CHECK_IMPLIES(checked->worst, checked->explorer || checked->attempt_count > 0);
        /* A case that already has its record runs only so that others can be compared with it. */
        CHECK_IMPLIES(checked->is_recorded && i != run->oracle, checked->state == CASE_DONE);
    }
    CHECK(done_count == scenario->done_count);
    CHECK(scenario->done_count <= run->options->subject_count);
    return true;
}

bool cnf_run_check(const run_state *run)
{
    uint32_t child_count = 0;
    CHECK(run->next_file <= run->file_count);
    for (uint32_t slot = 0; slot < run->slot_count; slot++) {
        const run_scenario *scenario = run->slots[slot];
        if (!scenario) continue;
        CHECK(scenario->file >= run->files && scenario->file < run->files + run->next_file);
        for (uint32_t earlier = 0; earlier < slot; earlier++)
            CHECK(!run->slots[earlier] || run->slots[earlier]->file != scenario->file);
        CHECK(cases_check(run, scenario));
        for (uint32_t i = 0; i < run->options->subject_count; i++) {
            case_state state = scenario->cases[i].state;
            child_count += state == CASE_RUNNING || state == CASE_PROBING;
            CHECK_IMPLIES(state == CASE_HELD, scenario->cases[run->oracle].state != CASE_DONE);
        }
    }
    CHECK(child_count <= cnf_pool_count(run->pool)); /* the other children compile */
    CHECK(cnf_run_shared_check(run));
    return true;
}

/* ---- Records ------------------------------------------------------------------------------- */

void cnf_run_record_send(run_state *run, const cnf_record *record, const cnf_run_detail *detail)
{
    if (run->stopped) return;
    cnf_record sent = *record;
    sent.conditions = run->options->conditions;
    sent.host = run->options->host;
    run->stopped = !run->listener(run->user, &sent, detail);
}

/* Notes in the record, and in a warning, what the case's first result was, which was not believed.
 */
static void reuse_note(const run_case *test_case, cnf_record *record, rt_buffer *warning)
{
    const cnf_attempt *shared = &test_case->shared;
    const cnf_judgement *alone = &test_case->judgement;
    bool is_same =
        shared->verdict == alone->verdict && rt_text_equal(shared->signature, alone->signature);
    record->reuse = is_same ? RT_TEXT(CNF_REUSE_CONFIRMED) : RT_TEXT(CNF_REUSE_POISONED);
    record->reuse_verdict = rt_text_of(cnf_verdict_word(shared->verdict));
    record->reuse_signature = shared->signature;
    if (is_same) return;
    rt_buffer_printf(warning, "%s%s alone, but %s %.*s on a device that had run",
                     warning->size ? "\n" : "", cnf_verdict_word(alone->verdict),
                     cnf_verdict_word(shared->verdict), RT_TEXT_ARG(shared->signature));
    if (test_case->predecessor_count == 0) rt_buffer_printf(warning, " nothing before it");
    for (uint32_t i = 0; i < test_case->predecessor_count; i++)
        rt_buffer_printf(warning, "%s %.*s", i ? "," : "", RT_TEXT_ARG(test_case->predecessors[i]));
}

/* Sends the record of a case that is DONE. */
static void record_send(run_state *run, run_scenario *scenario, uint32_t subject)
{
    const run_case *test_case = &scenario->cases[subject];
    CHECK(test_case->state == CASE_DONE);
    rt_buffer warning = {0};
    if (test_case->explorer) {
        cnf_explorer_warn(test_case->explorer, &warning);
        cnf_explorer_free(test_case->explorer);
    }
    /* The number of the step came from a child and may be out of range. */
    const scn_scenario *model = scenario->scenario;
    uint32_t step = test_case->judgement.step;
    bool has_step = model && step != SCN_NONE && step < model->step_count;
    /* The oracle's messages prove nothing unless it passed, and it passes without messages if a
     * module is refused as the scenario expects. */
    const run_case *oracle = run->oracle != SCN_NONE ? &scenario->cases[run->oracle] : NULL;
    bool oracle_passed = oracle && oracle->state == CASE_DONE && oracle->has_messages &&
                         oracle->judgement.verdict == CNF_VERDICT_PASS;
    cnf_record record = {.scenario = scenario->file->path,
                         .file = scenario->file->file,
                         .again = scenario->file->again,
                         .subject = run->options->subjects[subject].name,
                         .judgement = test_case->judgement,
                         .predecessors = test_case->predecessors,
                         .predecessor_count = test_case->predecessor_count,
                         .step_id = has_step ? model->steps[step].id : (rt_text){0},
                         .seconds = test_case->seconds,
                         .device = test_case->messages.device,
                         .driver = test_case->messages.driver,
                         .hash = scenario->hash,
                         .choices = test_case->script};
    if (test_case->is_alone) reuse_note(test_case, &record, &warning);
    const run_build *build = cnf_run_build(run, scenario, subject);
    const cnf_run_detail detail = {.scenario = build->compiled,
                                   .modules = &build->modules,
                                   .source = rt_buffer_text(&scenario->text),
                                   .messages =
                                       test_case->has_messages ? &test_case->messages : NULL,
                                   .oracle = oracle_passed ? &oracle->messages : NULL,
                                   .log = test_case->log,
                                   .log_is_tail = test_case->log_is_tail,
                                   .warning = rt_buffer_text(&warning)};
    if (!test_case->is_recorded) cnf_run_record_send(run, &record, &detail);
    rt_buffer_free(&warning);
}

/* ---- Comparing ----------------------------------------------------------------------------- */

/* Compares a case with the oracle, which is DONE, if both ran with the same script. An oracle that
 * did not pass proves nothing about the others; the judgement then notes that memories were not
 * compared. A run in which a call fails is not compared either: what that call was for is missing.
 */
static void case_compare(const run_state *run, run_scenario *scenario, uint32_t subject)
{
    if (run->oracle == SCN_NONE || run->oracle == subject) return;
    if (run->options->fail_max > 0 && scenario->cases[subject].attempt_count > 0) return;
    const run_case *oracle = &scenario->cases[run->oracle];
    run_case *test_case = &scenario->cases[subject];
    CHECK(oracle->state == CASE_DONE);
    if (oracle->judgement.verdict != CNF_VERDICT_PASS) {
        if (test_case->messages.memory_count > 0)
            cnf_judge_uncompared(&scenario->arena, &test_case->judgement);
        return;
    }
    if (!rt_text_equal(oracle->script, test_case->script)) return;
    if (test_case->judgement.verdict == CNF_VERDICT_PASS ||
        (test_case->judgement.verdict == CNF_VERDICT_FAIL &&
         test_case->messages.end == CNF_MESSAGES_ENDED))
        cnf_differential(&scenario->arena, cnf_run_build(run, scenario, subject)->compiled,
                         &oracle->messages, &test_case->messages, &test_case->judgement);
    if (test_case->judgement.verdict == CNF_VERDICT_FAIL)
        cnf_traces_part(&scenario->arena, &oracle->messages, &test_case->messages,
                        &test_case->judgement);
}

/* ---- Running again alone ------------------------------------------------------------------- */

bool cnf_run_case_follows(const run_case *test_case)
{
    return test_case->child != 0 && test_case->predecessor_count > 0;
}

/* Takes back the result of a case that ran on a device which stays open for several scenarios,
 * unless nothing is wrong with it: what an earlier scenario left may be the reason. Returns true if
 * the case runs again, in a process of its own. */
static bool case_retract(run_state *run, run_scenario *scenario, uint32_t subject)
{
    run_case *test_case = &scenario->cases[subject];
    cnf_verdict verdict = test_case->judgement.verdict;
    bool is_good =
        verdict == CNF_VERDICT_PASS || verdict == CNF_VERDICT_LINKED || verdict == CNF_VERDICT_SKIP;
    /* Without a process or a device, nothing has run; but an earlier scenario may be the reason
     * that there is no device. */
    bool has_run = verdict == CNF_VERDICT_UNAVAILABLE ? cnf_run_case_follows(test_case)
                                                      : verdict != CNF_VERDICT_NOT_RUN;
    if (test_case->child == 0 || is_good || !has_run) return false;
    cnf_run_shared_doubt(run, test_case->child);
    if (run->subjects[subject].lost) return false;
    CHECK(!test_case->is_alone);
    test_case->is_alone = true;
    test_case->child = 0;
    test_case->shared = (cnf_attempt){verdict, test_case->judgement.signature,
                                      test_case->seconds - test_case->attempted_seconds};
    return true;
}

/* ---- Exploring ----------------------------------------------------------------------------- */

/* Makes the worst run of a case its result, with the total time of all runs. */
static void worst_restore(run_case *test_case)
{
    const run_case last = *test_case;
    CHECK(last.worst && last.worst->has_messages);
    *test_case = *last.worst;
    test_case->state = last.state;
    test_case->seconds = last.seconds;
    test_case->is_alone = last.is_alone;
    test_case->shared = last.shared;
    test_case->attempts = last.attempts;
    test_case->judgement.attempts = last.attempts;
    test_case->attempt_count = test_case->judgement.attempt_count = last.attempt_count;
}

/* Adds the choices that led to an unexpected verdict to its message. */
static void choices_explain(run_scenario *scenario, run_case *explored)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, "with --choices %.*s", RT_TEXT_ARG(explored->script));
    for (uint32_t i = 0; i < explored->messages.choice_count; i++) {
        const cnf_choice *choice = &explored->messages.choices[i];
        rt_buffer_printf(&text, "%s%.*s: %u of %u", i ? ", " : " (", RT_TEXT_ARG(choice->rule),
                         choice->alternative, choice->alternative_count);
    }
    rt_buffer_printf(&text, "%s:\n%.*s", explored->messages.choice_count ? ")" : "",
                     RT_TEXT_ARG(explored->judgement.message));
    explored->judgement.message = rt_arena_text(&scenario->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
}

/* Records the result of one script's run. Returns true if the case has another script to run, and
 * false if not; the result of the case is then that of its worst run. */
static bool case_explore(run_scenario *scenario, run_case *test_case)
{
    const cnf_verdict verdict = test_case->judgement.verdict;
    rt_text reason;
    if (test_case->messages.end == CNF_MESSAGES_ENDED &&
        !cnf_explorer_add(test_case->explorer, test_case->script, &test_case->messages, &reason)) {
        cnf_judge_strayed(&scenario->arena, reason, &test_case->judgement);
    } else if (test_case->messages.choice_count > 0) {
        test_case->script = cnf_explorer_script(&scenario->arena, &test_case->messages);
    }
    bool is_first = !test_case->worst;
    if (is_first) test_case->worst = rt_arena_alloc(&scenario->arena, sizeof *test_case->worst);
    if (is_first || cnf_verdict_effect(test_case->judgement.verdict) >
                        cnf_verdict_effect(test_case->worst->judgement.verdict)) {
        *test_case->worst = *test_case;
        if (cnf_verdict_effect(test_case->judgement.verdict) != CNF_EFFECT_EXPECTED)
            choices_explain(scenario, test_case->worst);
    }
    /* A subject that cannot run the scenario cannot run it with another script either, and further
     * time-outs would only waste time.
     */
    bool goes_on = cnf_verdict_ran(verdict) && verdict != CNF_VERDICT_TIMEOUT &&
                   verdict != CNF_VERDICT_HANG && verdict != CNF_VERDICT_LINKED;
    if (goes_on && cnf_explorer_next(test_case->explorer, &test_case->script)) return true;
    worst_restore(test_case);
    return false;
}

/* ---- Repeating ----------------------------------------------------------------------------- */

/* Two runs on a deterministic subject must not differ. */
static void attempts_differ(run_scenario *scenario, run_case *test_case)
{
    const cnf_attempt *attempts = test_case->attempts;
    for (uint32_t i = 1; i < test_case->attempt_count; i++) {
        if (attempts[i].verdict == attempts[0].verdict &&
            rt_text_equal(attempts[i].signature, attempts[0].signature))
            continue;
        cnf_judge_differing(&scenario->arena, &attempts[0], &attempts[i], i + 1,
                            &test_case->judgement);
        return;
    }
}

uint32_t cnf_run_fail_call(const cnf_run_options *options, const run_case *test_case)
{
    if (options->fail_max == 0) return 0;
    if (test_case->attempt_count == 0) return CNF_FAIL_NONE;
    uint32_t count = test_case->call_count, index = test_case->attempt_count - 1;
    if (count <= options->fail_max) return index + 1;
    /* Only some calls: one of each part of the run, drawn by the seed. */
    uint64_t begin = (uint64_t)index * count / options->fail_max;
    uint64_t end = ((uint64_t)index + 1) * count / options->fail_max;
    return (uint32_t)(begin + options->seed % (end - begin)) + 1;
}

/* Says which call failed in the run whose verdict is unexpected. */
static void failure_explain(run_scenario *scenario, run_case *failed, uint32_t call)
{
    failed->judgement.message =
        rt_arena_printf(&scenario->arena, "with call %u of %u of the device failing:\n%.*s", call,
                        failed->call_count, RT_TEXT_ARG(failed->judgement.message));
}

static bool is_unexpected(const run_state *run, const run_scenario *scenario, uint32_t subject)
{
    const cnf_run_options *options = run->options;
    const run_case *test_case = &scenario->cases[subject];
    const cnf_record record = {.scenario = scenario->file->path,
                               .file = scenario->file->file,
                               .subject = options->subjects[subject].name,
                               .judgement = test_case->judgement,
                               .driver = test_case->messages.driver};
    if (options->is_unexpected) return options->is_unexpected(run->user, &record);
    return cnf_verdict_effect(test_case->judgement.verdict) != CNF_EFFECT_EXPECTED;
}

/* Notes the run that has just been judged and compared. Returns true if the case runs again, and
 * false if not; its result is then the worst run or, if it was tried again until it was as
 * expected, FLAKE. With `fail_max`, another call fails in each further run. The oracle is
 * deterministic, so it is repeated, but never retried. */
static bool case_repeat(const run_state *run, run_scenario *scenario, uint32_t subject)
{
    const cnf_run_options *options = run->options;
    run_case *test_case = &scenario->cases[subject];
    const cnf_verdict verdict = test_case->judgement.verdict;
    bool is_deterministic = options->subjects[subject].subject->oracle;
    bool retries = options->repeat <= 1 && options->fail_max == 0;
    bool fails = options->fail_max > 0;
    if (fails && test_case->attempt_count == 0)
        test_case->call_count = test_case->messages.call_count;
    uint32_t most = retries ? options->retries + 1 : options->repeat;
    uint32_t failing =
        test_case->call_count < options->fail_max ? test_case->call_count : options->fail_max;
    if (fails) most = failing + 1;
    if (most <= 1 || test_case->is_recorded || test_case->explorer) return false;
    if (retries && is_deterministic) return false;
    bool is_bad = is_unexpected(run, scenario, subject);
    if (test_case->attempt_count == 0 && (retries ? !is_bad : !cnf_verdict_ran(verdict)))
        return false;
    const uint32_t failed_call = cnf_run_fail_call(options, test_case);
    if (test_case->attempt_count == 0)
        test_case->attempts = rt_arena_alloc_array(&scenario->arena, most, sizeof(cnf_attempt));
    CHECK(test_case->attempt_count < most);
    test_case->attempts[test_case->attempt_count++] = (cnf_attempt){
        verdict, test_case->judgement.signature, test_case->seconds - test_case->attempted_seconds};
    test_case->attempted_seconds = test_case->seconds;
    bool is_first = !test_case->worst;
    if (is_first) test_case->worst = rt_arena_alloc(&scenario->arena, sizeof *test_case->worst);
    if (is_first ||
        cnf_verdict_effect(verdict) > cnf_verdict_effect(test_case->worst->judgement.verdict)) {
        run_case *worst = test_case->worst;
        *worst = *test_case;
        if (fails && is_bad && failed_call != CNF_FAIL_NONE)
            failure_explain(scenario, worst, failed_call);
    }
    bool can_run =
        cnf_verdict_ran(verdict) && verdict != CNF_VERDICT_HANG && !run->subjects[subject].lost;
    bool goes_on = retries ? is_bad : !fails || !is_bad;
    if (can_run && test_case->attempt_count < most && goes_on) return true;
    worst_restore(test_case);
    if (retries && !is_bad) {
        CHECK(test_case->judgement.signature.length > 0);
        test_case->judgement.verdict = CNF_VERDICT_FLAKE;
    }
    if (is_deterministic && !fails) attempts_differ(scenario, test_case);
    return false;
}

/* ---- The transition ------------------------------------------------------------------------ */

void cnf_run_case_advance(run_state *run, run_scenario *scenario, uint32_t subject,
                          case_event event)
{
    CHECK(subject < run->options->subject_count && (unsigned)event < CASE_EVENT_COUNT);
    CHECK_SLOW(cases_check(run, scenario));
    run_case *test_case = &scenario->cases[subject];
    bool is_oracle = subject == run->oracle;
    bool waits_for_oracle =
        !is_oracle && run->oracle != SCN_NONE && scenario->cases[run->oracle].state != CASE_DONE;
    bool has_result = event == CASE_JUDGED || event == CASE_CUT_SHORT;
    case_state next = CASE_DONE;
    if (event == CASE_STARTED) next = CASE_RUNNING;
    if (event == CASE_DOUBTED) next = CASE_PROBING;
    if (event == CASE_CUT_SHORT) worst_restore(test_case);
    bool is_retracted = event == CASE_JUDGED && case_retract(run, scenario, subject);
    if (is_retracted ||
        (event == CASE_JUDGED && test_case->explorer && case_explore(scenario, test_case)))
        next = CASE_WAITING;
    else if (has_result && waits_for_oracle)
        next = CASE_HELD;
    bool was_compared = event == CASE_CUT_SHORT && test_case->attempt_count > 0;
    if (next == CASE_DONE && (has_result || event == CASE_COMPARABLE) && !was_compared) {
        case_compare(run, scenario, subject);
        if (event != CASE_CUT_SHORT &&
            (case_retract(run, scenario, subject) || case_repeat(run, scenario, subject)))
            next = CASE_WAITING;
    }
    CHECK(transitions[test_case->state][event] & 1u << next);
    test_case->state = next;
    if (next == CASE_DONE) {
        scenario->done_count++;
        record_send(run, scenario, subject);
    }
    /* Cases held for the oracle can be compared now; an interrupted run compares none. */
    for (uint32_t i = 0; next == CASE_DONE && is_oracle && event != CASE_ABANDONED &&
                         i < run->options->subject_count;
         i++)
        if (scenario->cases[i].state == CASE_HELD)
            cnf_run_case_advance(run, scenario, i, CASE_COMPARABLE);
    CHECK_SLOW(cases_check(run, scenario));
}

void cnf_run_case_decide(run_state *run, run_scenario *scenario, uint32_t subject,
                         const cnf_judgement *judgement)
{
    scenario->cases[subject].judgement = *judgement;
    cnf_run_case_advance(run, scenario, subject, CASE_DECIDED);
}
