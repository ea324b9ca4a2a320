/* Proof programs: the tests of tools and units, for rules that no scenario can show. A proof
 * program is a cmocka program that takes a pattern of test names as its argument; a test whose name
 * begins with a rule's id, with '_' for '-', is a test of that rule.
 *
 * Every program runs green once, and the faults that it reaches are recorded. Then each fault that
 * no scenario has noticed, of a rule whose `proof:` is tool, unit or vendor, is planted in one
 * program after another that reaches it, in which only the tests of that rule run, until they fail.
 * Only a test that reports its failure proves the rule: the exit status is the number of failed
 * tests. A crash, even one that cmocka catches, counts at most as ASSERTED. A line "front-end
 * PROGRAM" of the list names a program whose green run is sufficient (front_end.c); if its exit
 * status reports that the front end is not installed, the proof has a note.
 *
 * This file neither builds the programs nor knows what they test. Source: ARCHITECTURE.md, "Rules
 * in the code"; cmocka's output and exit status, cmocka.c. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    FAILED_TESTS_MAX = 111, /* a higher status comes from a shell or a sanitizer */
    NOT_INSTALLED = 77      /* CTest's status of a skipped test */
};

typedef struct program {
    rt_text file; /* path to execute; a NUL byte follows */
    rt_text name; /* as in the list */
    bool front_end;
} program;

typedef struct programs_state {
    cnf_prove_run *run;
    RT_VECTOR(program) programs;
    cnf_reached *reached;
    cnf_sites *front_end; /* sites of rules that tests of front ends show, without faults */
} programs_state;

/* ---- The list ------------------------------------------------------------------------------ */

#define ADVICE "proofs by programs need a build with tests (-DBUILD_TESTING=ON): "

/* True if tests can close the rule. */
static bool rule_has_tests(const cnf_rule *rule)
{
    return rt_text_is(rule->proof, "tool") || rt_text_is(rule->proof, "unit") ||
           rt_text_is(rule->proof, "vendor");
}

/* True if programs of this kind can prove one of the rules whose faults are planted. */
static bool program_is_wanted(const cnf_prove_run *run, bool front_end)
{
    for (uint32_t i = 0; i < run->rules->count; i++) {
        const cnf_rule *rule = &run->rules->items[i];
        bool is_able = front_end ? rt_text_is(rule->proof, "front-end") : rule_has_tests(rule);
        if (run->is_wanted[i] && is_able) return true;
    }
    return run->options->rules.length == 0;
}

/* Adds the programs of the list; their paths are relative to its folder. */
static void list_read(programs_state *state)
{
    rt_text list = state->run->options->program_list;
    if (list.length == 0) return;
    size_t folder = list.length;
    while (folder > 0 && list.data[folder - 1] != '/')
        folder--;
    rt_arena *arena = state->run->arena;
    rt_buffer text;
    /* Uses a separate sink: in a build without tests, the missing list is a note, not a failure. */
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, list, CNF_REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    for (rt_text name; rt_line_take(&rest, &name);) {
        if (name.length == 0) continue;
        bool front_end = rt_text_take_prefix(&name, "front-end ");
        if (!program_is_wanted(state->run, front_end)) continue;
        rt_text file =
            rt_arena_printf(arena, "%.*s%.*s", (int)folder, list.data, RT_TEXT_ARG(name));
        if (access(file.data, X_OK) == 0)
            *rt_vector_push(&state->programs) =
                (program){file, rt_arena_text(arena, name), front_end};
        else
            *rt_vector_push(&state->run->notes) =
                rt_arena_printf(arena, ADVICE "%s: %s", file.data, strerror(errno));
    }
    if (!rt_ok(status))
        *rt_vector_push(&state->run->notes) = rt_arena_printf(
            arena, ADVICE "%.*s", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

/* ---- One run ------------------------------------------------------------------------------- */

/* A front end's program may take this many times as long as others: each of its tests starts
 * another project's compiler, which takes seconds. */
enum { FRONT_END_LIMITS = 4 };

/* Starts the tests that match the pattern; `variable` is an entry for the environment. */
static void program_start(const programs_state *state, uint32_t number, const char *pattern,
                          const char *variable, uint64_t tag)
{
    CHECK(number < state->programs.count);
    const program *started = &state->programs.items[number];
    uint32_t limit_ms = cnf_prove_limit_ms(state->run->options);
    const char *arguments[] = {pattern, NULL};
    const char *environment[] = {variable, "CMOCKA_MESSAGE_OUTPUT=STDOUT", NULL};
    const cnf_child_start start = {.program = started->file.data,
                                   .arguments = arguments,
                                   .environment = environment,
                                   .messages = 1,
                                   .timeout_ms =
                                       started->front_end ? FRONT_END_LIMITS * limit_ms : limit_ms,
                                   .messages_max = CNF_REPORT_MAX,
                                   .tag = tag};
    cnf_pool_start(state->run->pool, &start);
}

/* The number of tests that were started and whose names begin with `names`. */
static uint32_t tests_started(cnf_child_result *result, const char *names)
{
    char beginning[CNF_TEST_NAMES_MAX + 16];
    snprintf(beginning, sizeof beginning, "[ RUN      ] %s", names);
    uint32_t count = 0;
    rt_text rest = rt_buffer_text(&result->messages);
    for (rt_text line; rt_line_take(&rest, &line);)
        count += rt_text_starts(line, beginning);
    return count;
}

/* Describes the end of a program. */
static rt_text end_text(rt_arena *arena, const cnf_child_result *result)
{
    switch (result->end) {
    case CNF_PROCESS_EXITED: return rt_arena_printf(arena, "exit status %d", result->code);
    case CNF_PROCESS_SIGNALLED: return rt_arena_printf(arena, "signal %d", result->code);
    case CNF_PROCESS_TIMED_OUT: return RT_TEXT("time limit");
    case CNF_PROCESS_OVERFLOWED: return RT_TEXT("too much output");
    case CNF_PROCESS_NOT_STARTED: break;
    }
    CHECK(result->end == CNF_PROCESS_NOT_STARTED);
    return rt_arena_printf(arena, "not started: %s", strerror(result->code));
}

/* ---- The green runs ------------------------------------------------------------------------ */

static rt_text hits_file(const programs_state *state, uint32_t number)
{
    return rt_arena_printf(state->run->arena, "%.*s/program%u.hits",
                           RT_TEXT_ARG(state->run->scratch), number);
}

static void complain(programs_state *state, uint32_t number, const char *reason, rt_text detail)
{
    CHECK(state->programs.items && number < state->programs.count);
    *rt_vector_push(&state->run->complaints) = rt_arena_printf(
        state->run->arena, "%.*s: proves nothing because %s%.*s",
        RT_TEXT_ARG(state->programs.items[number].name), reason, RT_TEXT_ARG(detail));
}

static void green_start(void *user, uint64_t number)
{
    const programs_state *state = user;
    rt_text variable = rt_arena_printf(state->run->arena, "ASSAY_RULE_HITS=%s",
                                       hits_file(state, (uint32_t)number).data);
    program_start(state, (uint32_t)number, "*", variable.data, number);
}

static void green_ended(void *user, cnf_child_result *result)
{
    programs_state *state = user;
    cnf_prove_run *run = state->run;
    uint32_t number = (uint32_t)result->tag;
    CHECK(number < state->programs.count);
    const program *about = &state->programs.items[number];
    bool exited = result->end == CNF_PROCESS_EXITED;
    run->done++;
    if (about->front_end && exited && result->code == NOT_INSTALLED) {
        *rt_vector_push(&run->notes) = rt_arena_printf(
            run->arena, "%.*s: its front end is not installed (ci/setup --with dpcpp)",
            RT_TEXT_ARG(about->name));
        return;
    }
    if (!exited || result->code != 0 || tests_started(result, "") == 0) {
        complain(state, number,
                 "its tests do not pass without a fault: ", end_text(run->arena, result));
        return;
    }
    if (about->front_end) {
        cnf_front_end_judge(run, about->name, rt_buffer_text(&result->messages), state->front_end);
        return;
    }
    if (cnf_hits_read(run, hits_file(state, number), number, true, state->reached) == 0)
        complain(state, number, "it reaches no mark of a rule", RT_TEXT(""));
}

/* ---- The runs with faults ------------------------------------------------------------------ */

void cnf_test_names_write(char out_names[CNF_TEST_NAMES_MAX], rt_text id)
{
    int length = snprintf(out_names, CNF_TEST_NAMES_MAX, "%.*s_", RT_TEXT_ARG(id));
    CHECK(length > 1 && length < CNF_TEST_NAMES_MAX);
    for (char *at = out_names; *at; at++)
        if (*at == '-') *at = '_';
}

/* Starts the rule's tests in the next program that reaches the fault; false if there is none. */
static bool fault_try(programs_state *state, uint32_t number)
{
    cnf_reached_site *site = &state->reached->sites.items[number];
    if (site->next == site->programs.count) return false;
    uint32_t candidate = site->programs.items[site->next++];
    char beginning[CNF_TEST_NAMES_MAX];
    cnf_test_names_write(beginning, state->run->rules->items[site->site.rule].id);
    const char *pattern = rt_arena_printf(state->run->arena, "%s*", beginning).data;
    rt_text variable =
        rt_arena_printf(state->run->arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
    program_start(state, candidate, pattern, variable.data, (uint64_t)number << 32 | candidate);
    return true;
}

static void fault_start(void *user, uint64_t number)
{
    programs_state *state = user;
    cnf_reached_site *site = &state->reached->sites.items[number];
    site->next = 0;
    bool is_tried = site->site.is_chosen && site->site.state != CNF_PROOF_COVERED &&
                    rule_has_tests(&state->run->rules->items[site->site.rule]);
    state->run->done += !is_tried || !fault_try(state, (uint32_t)number);
}

static void fault_ended(void *user, cnf_child_result *result)
{
    programs_state *state = user;
    uint32_t index = (uint32_t)(result->tag >> 32), number = (uint32_t)result->tag;
    CHECK(index < state->reached->sites.count);
    CHECK(number < state->programs.count);
    cnf_site *site = &state->reached->sites.items[index].site;
    rt_arena *arena = state->run->arena;
    rt_text name = state->programs.items[number].name;
    char names[CNF_TEST_NAMES_MAX];
    cnf_test_names_write(names, state->run->rules->items[site->rule].id);
    uint32_t started = tests_started(result, "");
    /* cmocka reports some signals as failures; these are its words. */
    bool crashed = strstr(rt_buffer_string(&result->output), "Test failed with exception") != NULL;
    bool failed = strstr(rt_buffer_string(&result->output), "[  FAILED  ] ") != NULL;
    cnf_proof_state outcome = CNF_PROOF_ASSERTED;
    if (result->end == CNF_PROCESS_EXITED && result->code == 0)
        outcome = started > 0 ? CNF_PROOF_SURVIVED : CNF_PROOF_UNTESTED;
    else if (result->end == CNF_PROCESS_EXITED && failed && !crashed &&
             result->code <= FAILED_TESTS_MAX)
        outcome = CNF_PROOF_COVERED;
    if (tests_started(result, names) != started) {
        /* The failed test may belong to another rule. */
        outcome = CNF_PROOF_UNTESTED;
        complain(state, number,
                 "it runs tests that its argument does not request: ", rt_text_of(names));
    }
    CHECK(outcome >= CNF_PROOF_UNTESTED && outcome < CNF_PROOF_STATES);
    if (outcome > site->state) {
        site->state = outcome;
        site->by_program = true;
        if (outcome == CNF_PROOF_UNTESTED)
            site->detail = rt_arena_printf(arena, "%.*s: no test of this rule", RT_TEXT_ARG(name));
        else if (outcome == CNF_PROOF_ASSERTED)
            site->detail = rt_arena_printf(arena, "%.*s: %.*s", RT_TEXT_ARG(name),
                                           RT_TEXT_ARG(end_text(arena, result)));
        else
            site->detail = rt_arena_printf(arena, "%.*s: %d of %u tests of this rule failed",
                                           RT_TEXT_ARG(name), result->code, started);
    }
    state->run->done += site->state == CNF_PROOF_COVERED || !fault_try(state, index);
}

/* ---- The whole ----------------------------------------------------------------------------- */

rt_status cnf_programs_prove(cnf_prove_run *run, cnf_reached *inout_reached,
                             cnf_sites *out_front_end)
{
    programs_state state = {.run = run, .reached = inout_reached, .front_end = out_front_end};
    list_read(&state);
    const cnf_prove_phase green = {"proof programs", state.programs.count, green_start, green_ended,
                                   &state};
    rt_status status = cnf_prove_phase_run(run, &green, state.programs.count);
    if (rt_ok(status)) {
        cnf_sample_choose(run, inout_reached);
        uint32_t count = inout_reached->sites.count;
        const cnf_prove_phase faults = {"faults of proof programs", count, fault_start, fault_ended,
                                        &state};
        status = cnf_prove_phase_run(run, &faults, count);
    }
    rt_vector_free(&state.programs);
    return status;
}
