/* Collects, over all code that a kernel can reach, the properties that decide how the kernel's
 * launches are run (sim_reach). */
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
    CHECK(function < r->program->function_count);
    if (r->seen[function]) return;
    r->seen[function] = true;
    r->work[r->work_count++] = function;
}

sim_reach sim_function_reach(sim_program *program, uint32_t function)
{
    reach r = {.program = program};
    r.seen = rt_alloc_array(program->function_count, sizeof *r.seen);
    r.work = rt_alloc_array(program->function_count, sizeof *r.work);
    bool *locals = rt_arena_alloc_array(&program->arena, program->local_count + 1u, sizeof *locals);
    sim_reach all = {.locals = locals};
    see(&r, function);
    while (r.work_count > 0) {
        const sim_code_function *f = &program->functions[r.work[--r.work_count]];
        all.atomics |= f->does.atomics;
        all.far_atomics |= f->does.far_atomics;
        all.copies |= f->does.copies;
        all.prints |= f->does.prints;
        all.collects |= f->does.collects;
        for (uint32_t i = 0; f->does.locals && i < program->local_count; i++)
            locals[i] |= f->does.locals[i];
        for (uint32_t b = 0; b < f->block_count; b++) {
            const sim_code_block *block = &f->blocks[b];
            all.meets |= block->end == SIM_END_MEET;
            if (block->end == SIM_END_CALL) see(&r, f->calls[block->extra].function);
            if (block->end != SIM_END_CALL_POINTER) continue;
            all.points = true;
            for (uint32_t i = 0; i < program->function_count; i++) {
                if (program->functions[i].signature == f->calls[block->extra].function) see(&r, i);
            }
        }
    }
    rt_free(r.seen);
    rt_free(r.work);
    CHECK_IMPLIES(all.far_atomics, all.atomics);
    return all;
}
