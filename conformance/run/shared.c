/* Children that run several scenarios of one subject, one after another, on devices that stay open
 * (--reuse). What may run there, which child runs it, and the predecessors of each case.
 *
 * A result from such a child is believed only if it is as good as it can be (cases.c). Source:
 * docs/decisions/025-devices-that-stay-open.md. */
#include "conformance/run/run_internal.h"

#include <string.h>

/* True if the scenario has to have its process to itself. */
static bool scenario_is_alone(const scn_scenario *scenario, bool reports_faults)
{
    /* What all devices hide is hidden in the driver's own answers, for the whole process. */
    if (scn_scenario_hidden_aspects(scenario) != 0 || scenario->persistent_cache) return true;
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const scn_step *step = &scenario->steps[i];
        bool has_finding =
            scn_expects_contain(step->expect, step->expect_count, SCN_EXPECT_FINDING);
        if (step->verb == SCN_VERB_RESTART || (has_finding && reports_faults)) return true;
    }
    return false;
}

bool cnf_run_case_shares(const run_state *run, const run_scenario *scenario, uint32_t index)
{
    const cnf_run_options *options = run->options;
    const cnf_run_subject *column = &options->subjects[index];
    const run_case *test_case = &scenario->cases[index];
    if (options->reuse <= 1 || !column->subject->reusable || column->options) return false;
    bool reports_faults = !run->subjects[index].lacks_faults;
    if (test_case->is_alone || scenario_is_alone(scenario->scenario, reports_faults)) return false;
    CHECK(!options->real_loader && !test_case->explorer);
    return !options->runs_alone ||
           !options->runs_alone(run->user, scenario->file->path, column->name);
}

/* ---- The children -------------------------------------------------------------------------- */

static run_shared *shared_find(run_state *run, uint32_t child)
{
    for (uint32_t i = 0; child != 0 && i < run->shared.count; i++)
        if (run->shared.items[i].child == child) return &run->shared.items[i];
    return NULL;
}

static run_shared *shared_add(run_state *run, uint32_t subject)
{
    uint32_t row = 0;
    while (row < run->shared.count && run->shared.items[row].is_used)
        row++;
    if (row == run->shared.count) {
        run_shared *added = rt_vector_push(&run->shared);
        *added = (run_shared){0};
    }
    run_shared *shared = &run->shared.items[row];
    shared->is_used = true;
    shared->is_waiting = shared->is_doubted = false;
    shared->child = 0;
    shared->subject = subject;
    shared->served.count = 0;
    return shared;
}

static uint32_t shared_row(const run_state *run, const run_shared *shared)
{
    return (uint32_t)(shared - run->shared.items);
}

/* Names the scenarios that the child has run in the case, and adds the case to them. */
static void predecessors_note(run_shared *shared, run_scenario *scenario, run_case *test_case)
{
    test_case->predecessors = rt_arena_copy(&scenario->arena, shared->served.items,
                                            shared->served.count, sizeof *shared->served.items);
    test_case->predecessor_count = shared->served.count;
    test_case->child = shared->child;
    *rt_vector_push(&shared->served) = scenario->file->path;
}

void cnf_run_shared_start(run_state *run, uint32_t slot, uint32_t index, cnf_child_start *start)
{
    run_scenario *scenario = run->slots[slot];
    run_case *test_case = &scenario->cases[index];
    const uint32_t reuse = run->options->reuse;
    start->serves = true;
    for (uint32_t i = 0; i < run->shared.count; i++) {
        run_shared *shared = &run->shared.items[i];
        if (!shared->is_used || !shared->is_waiting || shared->subject != index) continue;
        shared->is_waiting = false;
        CHECK(shared->served.count > 0 && shared->served.count < reuse);
        start->is_last = shared->served.count + 1 == reuse;
        if (!cnf_pool_request(run->pool, shared->child, start)) continue; /* it has ended */
        predecessors_note(shared, scenario, test_case);
        return;
    }
    run_shared *shared = shared_add(run, index);
    start->is_last = false;
    start->child_tag = cnf_run_job_encode(JOB_SHARED, 0, shared_row(run, shared));
    shared->child = cnf_pool_start(run->pool, start);
    predecessors_note(shared, scenario, test_case);
}

static void shared_free(run_shared *shared)
{
    shared->is_used = shared->is_waiting = false;
    shared->child = 0;
}

void cnf_run_shared_answered(run_state *run, uint32_t child, bool waits)
{
    run_shared *shared = shared_find(run, child);
    CHECK(shared && !shared->is_waiting);
    if (!waits) {
        shared_free(shared);
        return;
    }
    if (shared->is_doubted || shared->served.count >= run->options->reuse)
        cnf_pool_dismiss(run->pool, child, run->options->timeout_ms);
    else
        shared->is_waiting = true;
}

void cnf_run_shared_doubt(run_state *run, uint32_t child)
{
    run_shared *shared = shared_find(run, child);
    if (!shared) return;
    shared->is_doubted = true;
    if (shared->is_waiting) cnf_pool_dismiss(run->pool, child, run->options->timeout_ms);
    shared->is_waiting = false;
}

void cnf_run_shared_dismiss(run_state *run)
{
    for (uint32_t i = 0; i < run->shared.count; i++) {
        run_shared *shared = &run->shared.items[i];
        if (!shared->is_waiting) continue;
        cnf_pool_dismiss(run->pool, shared->child, run->options->timeout_ms);
        shared->is_waiting = false;
    }
}

/* How a child that had no request ended; empty: as it should. */
static rt_text end_text(rt_arena *arena, const cnf_child_result *result)
{
    const char *name;
    switch (result->end) {
    case CNF_PROCESS_SIGNALLED:
        name = sigabbrev_np(result->code);
        return name ? rt_arena_printf(arena, "was ended by SIG%s", name)
                    : rt_arena_printf(arena, "was ended by signal %d", result->code);
    case CNF_PROCESS_TIMED_OUT: return RT_TEXT("did not end within its time limit");
    case CNF_PROCESS_OVERFLOWED: return RT_TEXT("sent messages without a scenario");
    case CNF_PROCESS_EXITED:
        if (result->code == 0) return (rt_text){0};
        return rt_arena_printf(arena, "ended with status %d", result->code);
    case CNF_PROCESS_NOT_STARTED: break;
    }
    UNREACHABLE();
}

void cnf_run_shared_ended(run_state *run, uint32_t row, const cnf_child_result *result)
{
    CHECK(row < run->shared.count && run->shared.items[row].is_used);
    run_shared *shared = &run->shared.items[row];
    rt_arena arena = {0};
    rt_text end = end_text(&arena, result);
    if (end.length > 0 && !shared->is_doubted && run->options->child_lost) {
        rt_buffer text = {0};
        rt_buffer_printf(&text, "the process %.*s after %u scenario%s:", RT_TEXT_ARG(end),
                         shared->served.count, shared->served.count == 1 ? "" : "s");
        for (uint32_t i = 0; i < shared->served.count; i++)
            rt_buffer_printf(&text, "%s %.*s", i ? "," : "", RT_TEXT_ARG(shared->served.items[i]));
        run->options->child_lost(run->user, run->options->subjects[shared->subject].name,
                                 rt_buffer_text(&text));
        rt_buffer_free(&text);
    }
    rt_arena_reset(&arena);
    shared_free(shared);
}

void cnf_run_shared_free(run_state *run)
{
    for (uint32_t i = 0; i < run->shared.count; i++)
        rt_vector_free(&run->shared.items[i].served);
    rt_vector_free(&run->shared);
}

bool cnf_run_shared_check(const run_state *run)
{
    for (uint32_t i = 0; i < run->shared.count; i++) {
        const run_shared *shared = &run->shared.items[i];
        CHECK_IMPLIES(shared->is_waiting, shared->is_used && !shared->is_doubted);
        CHECK(shared->is_used == (shared->child != 0));
        CHECK(shared->served.count <= run->options->reuse);
        for (uint32_t k = 0; k < i; k++)
            CHECK(!shared->is_used || run->shared.items[k].child != shared->child);
    }
    return true;
}
