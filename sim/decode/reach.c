/* The properties of everything that a kernel can reach, which decide how its launches are run
 * (sim_reach). */
#include "reference/base/alloc.h"
#include "sim/decode/program.h"

typedef struct reach {
    const sim_program *program;
    bool *seen;     /* by function */
    uint32_t *work; /* functions seen but not yet examined */
    uint32_t work_count;
} reach;

static void see(reach *r, uint32_t function)
{
    if (r->seen[function]) return;
    r->seen[function] = true;
    r->work[r->work_count++] = function;
}

/* Adds the functions that the block may call. True if it ends in a meeting. */
static bool block_look(reach *r, const sim_code_function *function, const sim_code_block *block)
{
    if (block->end == SIM_END_CALL) see(r, function->calls[block->extra].function);
    if (block->end == SIM_END_CALL_POINTER) {
        uint32_t signature = function->calls[block->extra].function;
        for (uint32_t i = 0; i < r->program->function_count; i++) {
            if (r->program->functions[i].signature == signature) see(r, i);
        }
    }
    return block->end == SIM_END_MEET;
}

static void function_add(reach *r, const sim_code_function *function, sim_reach *all, bool *locals)
{
    const sim_reach *does = &function->does;
    all->atomics |= does->atomics;
    all->far_atomics |= does->far_atomics;
    all->copies |= does->copies;
    all->prints |= does->prints;
    for (uint32_t i = 0; does->locals && i < r->program->local_count; i++)
        locals[i] |= does->locals[i];
    for (uint32_t i = 0; i < function->block_count; i++)
        all->meets |= block_look(r, function, &function->blocks[i]);
}

sim_reach sim_function_reach(sim_program *program, uint32_t function)
{
    reach r = {.program = program};
    r.seen = rt_alloc_array(program->function_count, sizeof *r.seen);
    r.work = rt_alloc_array(program->function_count, sizeof *r.work);
    bool *locals = rt_arena_alloc_array(&program->arena, program->local_count + 1u, sizeof *locals);
    sim_reach all = {.locals = locals};
    see(&r, function);
    while (r.work_count > 0)
        function_add(&r, &program->functions[r.work[--r.work_count]], &all, locals);
    rt_free(r.seen);
    rt_free(r.work);
    CHECK_IMPLIES(all.far_atomics, all.atomics);
    return all;
}
