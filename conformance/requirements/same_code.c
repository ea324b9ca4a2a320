/* Asks the build which of the unnoticed mutants compile to the original's code. One process is
 * started for each file, because it parses and compiles the original once. */
#include "conformance/requirements/prove_internal.h"

#include "reference/base/lines.h"

#include <stdio.h>
#include <string.h>

enum { SAME_TIMEOUT_MS = 600000 };

typedef struct same_state {
    cnf_prove_run *run;
    cnf_reached *reached;
    RT_VECTOR(rt_text) files; /* that have unnoticed mutants */
} same_state;

/* The file of a fault "ID@FILE:LINE.NUMBER". */
static rt_text file_of(const cnf_site *site)
{
    rt_text rest = site->text;
    rt_text_take_until(&rest, '@');
    return rt_text_take_until(&rest, ':');
}

/* True if the equality matters: the fault is a mutant that nothing noticed. */
static bool is_asked(const cnf_reached_site *site)
{
    return site->site.is_chosen && site->site.state <= CNF_PROOF_SURVIVED &&
           site->site.original.length > 0;
}

static void file_start(void *user, uint64_t number)
{
    same_state *state = user;
    RT_VECTOR(const char *) words = {0};
    for (const char *const *word = state->run->options->same_command + 1; *word; word++)
        *rt_vector_push(&words) = *word;
    for (uint32_t i = 0; i < state->reached->sites.count; i++) {
        const cnf_reached_site *site = &state->reached->sites.items[i];
        if (is_asked(site) && rt_text_equal(file_of(&site->site), state->files.items[number]))
            *rt_vector_push(&words) = site->site.text.data;
    }
    *rt_vector_push(&words) = NULL;
    const cnf_child_start start = {.program = state->run->options->same_command[0],
                                   .arguments = words.items,
                                   .messages = 1,
                                   .timeout_ms = SAME_TIMEOUT_MS,
                                   .messages_max = CNF_REPORT_MAX,
                                   .tag = number};
    cnf_pool_start(state->run->pool, &start);
    rt_vector_free(&words);
}

static void file_ended(void *user, cnf_child_result *result)
{
    same_state *state = user;
    rt_text rest = rt_buffer_text(&result->messages);
    state->run->done++;
    for (rt_text line; rt_line_take(&rest, &line);) {
        uint32_t index = rt_map_find(&state->reached->by_name, line);
        if (index != RT_MAP_NONE) state->reached->sites.items[index].site.is_equivalent = true;
    }
    if (result->end == CNF_PROCESS_EXITED && result->code == 0) return;
    *rt_vector_push(&state->run->complaints) = rt_arena_printf(
        state->run->arena, "%.*s: its unnoticed mutants cannot be compared with the original: %s",
        RT_TEXT_ARG(state->files.items[result->tag]), rt_buffer_string(&result->output));
}

rt_status cnf_same_code_find(cnf_prove_run *run, cnf_reached *inout_reached)
{
    same_state state = {.run = run, .reached = inout_reached};
    if (!run->options->same_command) return RT_STATUS_OK;
    for (uint32_t i = 0; i < inout_reached->sites.count; i++) {
        const cnf_reached_site *site = &inout_reached->sites.items[i];
        if (!is_asked(site)) continue;
        rt_text file = file_of(&site->site);
        bool is_known = false;
        for (uint32_t k = 0; k < state.files.count && !is_known; k++)
            is_known = rt_text_equal(state.files.items[k], file);
        if (!is_known) *rt_vector_push(&state.files) = file;
    }
    const cnf_prove_phase phase = {"same code", state.files.count, file_start, file_ended, &state};
    rt_status status = cnf_prove_phase_run(run, &phase, state.files.count);
    rt_vector_free(&state.files);
    return status;
}
