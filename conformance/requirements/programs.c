/* Proof programs: the tests of tools and units, for rules that no scenario can show.
 *
 * A proof program is a cmocka program that takes a pattern of test names as its argument; a test
 * whose name begins with a rule's id, with '_' for '-', is a test of that rule.  Every program runs
 * green once, and the marks that it reaches are noted.  Then, for every mark of a rule whose
 * `proof:` is tool, unit or vendor, the tests of that rule alone run with the mark's fault armed,
 * in one program that reaches it after the other until they fail.  To fail is to say so: the exit
 * status counts the failed tests.  A crash, also one that cmocka catches, is an assertion at most.
 * A line "front-end PROGRAM" of the list is a program whose green run alone says something
 * (front_end.c); where that front end is not installed, which its exit status says, it is a note.
 *
 * It does not know what the programs test, nor build them.  Source: ARCHITECTURE.md, "Rules in the
 * code"; cmocka's output and exit status, cmocka.c. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    FAILED_TESTS_MAX = 111, /* higher statuses are a shell's or a sanitizer's */
    NOT_INSTALLED = 77      /* CTest's status of a skipped test */
};

typedef struct program {
    rt_text file; /* path to execute; a NUL byte follows */
    rt_text name; /* as in the list */
    bool front_end;
} program;

/* A mark with its fault, and the next program to try. */
typedef struct program_site {
    cnf_site site;
    uint32_t next_program;
} program_site;

typedef struct programs_state {
    cnf_prove_run *run;
    RT_VECTOR(program) programs;
    RT_VECTOR(program_site) sites;
    cnf_sites shown;             /* shown by front ends, without faults */
    RT_VECTOR(uint64_t) reached; /* pairs program << 32 | site: its green run reached the site */
} programs_state;

/* ---- The list ------------------------------------------------------------------------------ */

#define ADVICE "proofs by programs need a build with tests (-DBUILD_TESTING=ON): "

/* Adds the program of a line; its path is relative to the list's folder. */
static void program_add(programs_state *state, rt_text list, rt_text name)
{
    static const char mark[] = "front-end ";
    bool front_end = rt_text_starts(name, mark);
    if (front_end) name = (rt_text){name.data + sizeof mark - 1, name.length - (sizeof mark - 1)};
    size_t folder = list.length;
    while (folder > 0 && list.data[folder - 1] != '/')
        folder--;
    rt_arena *arena = state->run->arena;
    rt_text file = rt_arena_printf(arena, "%.*s%.*s", (int)folder, list.data, RT_TEXT_ARG(name));
    if (access(file.data, X_OK) == 0) {
        *rt_vector_push(&state->programs) = (program){file, rt_arena_text(arena, name), front_end};
    } else {
        *rt_vector_push(&state->run->notes) =
            rt_arena_printf(arena, ADVICE "%s: %s", file.data, strerror(errno));
    }
}

static void list_read(programs_state *state)
{
    rt_text list = state->run->options->program_list;
    if (list.length == 0) return;
    rt_buffer text;
    rt_sink *sink = rt_sink_create(); /* A build without tests has no list, which is a note, not a
                                       * failure. */
    rt_status status = cnf_file_read(sink, list, CNF_REPORT_MAX, &text);
    rt_text rest = rt_ok(status) ? rt_buffer_text(&text) : (rt_text){0};
    for (rt_text line; rt_line_take(&rest, &line);) {
        if (line.length > 0) program_add(state, list, line);
    }
    if (!rt_ok(status)) {
        *rt_vector_push(&state->run->notes) =
            rt_arena_printf(state->run->arena, ADVICE "%.*s",
                            RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
}

/* ---- One run ------------------------------------------------------------------------------- */

/* A front end's program may take the time of this many others: each of its tests starts another
 * project's compiler, which takes seconds. */
enum { FRONT_END_LIMITS = 4 };

/* Starts the tests that match the pattern; `variable` is an entry of the environment. */
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

/* The number of tests started whose names begin with `names`. */
static uint32_t tests_begun(cnf_child_result *result, const char *names)
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

static bool proof_is_ours(const cnf_rules *rules, uint32_t rule)
{
    static const char *const ours[] = {"tool", "unit", "vendor"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (rt_text_is(rules->items[rule].proof, ours[i])) return true;
    return false;
}

static void site_reached(programs_state *state, uint32_t number, const cnf_hit *hit)
{
    uint32_t site = 0;
    while (site < state->sites.count &&
           !rt_text_equal(state->sites.items[site].site.text, hit->site))
        site++;
    if (site == state->sites.count) {
        const cnf_site added = {.text = hit->site, .rule = hit->rule, .by_program = true};
        *rt_vector_push(&state->sites) = (program_site){.site = added};
    }
    *rt_vector_push(&state->reached) = (uint64_t)number << 32 | site;
}

static rt_text hits_file(const programs_state *state, uint32_t number)
{
    return rt_arena_printf(state->run->arena, "%.*s/program%u.hits",
                           RT_TEXT_ARG(state->run->scratch), number);
}

static void complain(programs_state *state, uint32_t number, const char *what, rt_text detail)
{
    CHECK(state->programs.items && number < state->programs.count);
    *rt_vector_push(&state->run->complaints) =
        rt_arena_printf(state->run->arena, "%.*s: proves nothing, %s%.*s",
                        RT_TEXT_ARG(state->programs.items[number].name), what, RT_TEXT_ARG(detail));
}

/* True if the program's front end is not installed, which is noted. */
static bool lacks_front_end(programs_state *state, const program *about,
                            const cnf_child_result *result)
{
    CHECK(about);
    bool lacks =
        about->front_end && result->end == CNF_PROCESS_EXITED && result->code == NOT_INSTALLED;
    if (lacks)
        *rt_vector_push(&state->run->notes) = rt_arena_printf(
            state->run->arena, "%.*s: its front end is not installed (ci/setup --with dpcpp)",
            RT_TEXT_ARG(about->name));
    return lacks;
}

static void green_ended(programs_state *state, cnf_child_result *result)
{
    cnf_prove_run *run = state->run;
    uint32_t number = (uint32_t)result->tag;
    const program *about = &state->programs.items[number];
    if (lacks_front_end(state, about, result)) return;
    if (result->end != CNF_PROCESS_EXITED || result->code != 0 || tests_begun(result, "") == 0) {
        complain(state, number,
                 "its tests do not pass without a fault: ", end_text(run->arena, result));
        return;
    }
    if (about->front_end) {
        cnf_front_end_judge(run, about->name, rt_buffer_text(&result->messages), &state->shown);
        return;
    }
    cnf_hits hits;
    cnf_hits_read(run->arena, run->rules, hits_file(state, number), &hits);
    if (hits.count == 0) complain(state, number, "it reaches no mark of a rule", RT_TEXT(""));
    for (uint32_t i = 0; i < hits.count; i++) {
        if (proof_is_ours(run->rules, hits.items[i].rule))
            site_reached(state, number, &hits.items[i]);
    }
}

static rt_status green_run(programs_state *state)
{
    cnf_prove_run *run = state->run;
    uint32_t next = 0;
    run->done = 0;
    run->total = state->programs.count;
    for (;;) {
        while (next < state->programs.count &&
               cnf_pool_count(run->pool) < run->options->job_count) {
            rt_text variable =
                rt_arena_printf(run->arena, "ASSAY_RULE_HITS=%s", hits_file(state, next).data);
            program_start(state, next, "*", variable.data, next);
            next++;
        }
        cnf_prove_progress(run, "proof programs");
        if (cnf_pool_count(run->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(run->pool, &result) == CNF_POOL_INTERRUPTED)
            return cnf_prove_interrupted(run);
        green_ended(state, &result);
        cnf_child_result_free(&result);
        run->done++;
    }
}

/* ---- The runs with faults ------------------------------------------------------------------ */

static bool reached(const programs_state *state, uint32_t number, uint32_t site)
{
    for (uint32_t i = 0; i < state->reached.count; i++)
        if (state->reached.items[i] == ((uint64_t)number << 32 | site)) return true;
    return false;
}

void cnf_test_names_write(char out_names[CNF_TEST_NAMES_MAX], rt_text id)
{
    int length = snprintf(out_names, CNF_TEST_NAMES_MAX, "%.*s_", RT_TEXT_ARG(id));
    CHECK(length > 1 && length < CNF_TEST_NAMES_MAX);
    for (char *at = out_names; *at; at++)
        if (*at == '-') *at = '_';
}

/* Starts the rule's tests in the next program that reaches the site; false if there is none. */
static bool fault_start(programs_state *state, uint32_t number)
{
    program_site *site = &state->sites.items[number];
    while (site->next_program < state->programs.count) {
        uint32_t tried = site->next_program++;
        if (!reached(state, tried, number)) continue;
        char beginning[CNF_TEST_NAMES_MAX];
        cnf_test_names_write(beginning, state->run->rules->items[site->site.rule].id);
        const char *pattern = rt_arena_printf(state->run->arena, "%s*", beginning).data;
        rt_text variable =
            rt_arena_printf(state->run->arena, "ASSAY_FAULT=%.*s", RT_TEXT_ARG(site->site.text));
        program_start(state, tried, pattern, variable.data, (uint64_t)number << 32 | tried);
        return true;
    }
    return false;
}

static cnf_proof_state fault_state(cnf_child_result *result)
{
    if (result->end != CNF_PROCESS_EXITED) return CNF_PROOF_ASSERTED;
    if (result->code == 0)
        return tests_begun(result, "") > 0 ? CNF_PROOF_SURVIVED : CNF_PROOF_UNTESTED;
    /* cmocka reports some signals as failures; these are its words. */
    bool crashed = strstr(rt_buffer_string(&result->output), "Test failed with exception") != NULL;
    bool said = strstr(rt_buffer_string(&result->output), "[  FAILED  ] ") != NULL;
    return said && !crashed && result->code <= FAILED_TESTS_MAX ? CNF_PROOF_COVERED
                                                                : CNF_PROOF_ASSERTED;
}

static rt_text fault_detail(const programs_state *state, cnf_proof_state found,
                            cnf_child_result *result)
{
    rt_arena *arena = state->run->arena;
    rt_text name = state->programs.items[(uint32_t)result->tag].name;
    if (found == CNF_PROOF_UNTESTED)
        return rt_arena_printf(arena, "%.*s: no test of this rule", RT_TEXT_ARG(name));
    if (found == CNF_PROOF_ASSERTED) {
        return rt_arena_printf(arena, "%.*s: %.*s", RT_TEXT_ARG(name),
                               RT_TEXT_ARG(end_text(arena, result)));
    }
    return rt_arena_printf(arena, "%.*s: %d of %u tests of this rule failed", RT_TEXT_ARG(name),
                           result->code, tests_begun(result, ""));
}

static void fault_ended(programs_state *state, cnf_child_result *result)
{
    uint64_t index = result->tag >> 32;
    CHECK(state->sites.items && index < state->sites.count);
    cnf_site *site = &state->sites.items[index].site;
    char names[CNF_TEST_NAMES_MAX];
    cnf_test_names_write(names, state->run->rules->items[site->rule].id);
    cnf_proof_state found = fault_state(result);
    if (tests_begun(result, names) != tests_begun(result, "")) {
        /* The failed test may be another rule's. */
        found = CNF_PROOF_UNTESTED;
        complain(state, (uint32_t)result->tag,
                 "it runs other tests than its argument asks for: ", rt_text_of(names));
    }
    CHECK(found >= CNF_PROOF_UNTESTED && found < CNF_PROOF_STATES);
    if (found <= site->state) return;
    site->state = found;
    site->detail = fault_detail(state, found, result);
}

static rt_status fault_run(programs_state *state)
{
    cnf_prove_run *run = state->run;
    uint32_t next = 0;
    run->done = 0;
    run->total = state->sites.count;
    for (;;) {
        while (next < state->sites.count && cnf_pool_count(run->pool) < run->options->job_count) {
            bool started = fault_start(state, next++);
            CHECK(started); /* every site was reached by a program */
        }
        cnf_prove_progress(run, "faults of proof programs");
        if (cnf_pool_count(run->pool) == 0) return RT_STATUS_OK;
        cnf_child_result result;
        if (cnf_pool_wait(run->pool, &result) == CNF_POOL_INTERRUPTED)
            return cnf_prove_interrupted(run);
        fault_ended(state, &result);
        uint32_t site = (uint32_t)(result.tag >> 32);
        bool covered = state->sites.items[site].site.state == CNF_PROOF_COVERED;
        run->done += covered || !fault_start(state, site);
        cnf_child_result_free(&result);
    }
}

/* ---- The whole ----------------------------------------------------------------------------- */

/* A test that bears a rule's id claims to show the rule. If it passes with the rule broken, the
 * claim is as false as an unfounded citation. */
static void survivors_complain(programs_state *state)
{
    for (uint32_t i = 0; i < state->sites.count; i++) {
        const cnf_site *site = &state->sites.items[i].site;
        if (site->state != CNF_PROOF_SURVIVED) continue;
        *rt_vector_push(&state->run->complaints) = rt_arena_printf(
            state->run->arena, "%.*s: the tests that bear its id pass with the rule broken (%.*s)",
            RT_TEXT_ARG(site->text), RT_TEXT_ARG(site->detail));
    }
}

/* Keeps the sites with faults, then those shown by front ends. */
static uint32_t sites_keep(const programs_state *state, const cnf_site **out_sites)
{
    uint32_t count = state->sites.count + state->shown.count;
    cnf_site *sites = rt_arena_alloc_array(state->run->arena, (size_t)count + 1, sizeof *sites);
    for (uint32_t i = 0; i < state->sites.count; i++)
        sites[i] = state->sites.items[i].site;
    for (uint32_t i = 0; i < state->shown.count; i++)
        sites[state->sites.count + i] = state->shown.items[i];
    *out_sites = sites;
    return count;
}

rt_status cnf_programs_prove(cnf_prove_run *run, const cnf_site **out_sites, uint32_t *out_count)
{
    *out_sites = NULL;
    *out_count = 0;
    programs_state state = {.run = run};
    list_read(&state);
    rt_status status = green_run(&state);
    if (rt_ok(status)) status = fault_run(&state);
    if (rt_ok(status)) {
        survivors_complain(&state);
        *out_count = sites_keep(&state, out_sites);
    }
    rt_vector_free(&state.programs);
    rt_vector_free(&state.sites);
    rt_vector_free(&state.shown);
    rt_vector_free(&state.reached);
    return status;
}
