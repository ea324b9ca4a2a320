/* Which functions can reach operations for which the work-items of a sub-group meet. */
#include "reference/base/alloc.h"
#include "sim/program.h"

typedef struct reach {
    const sim_program *program;
    bool *seen;     /* by function */
    uint32_t *work; /* functions seen and not looked at */
    uint32_t work_count;
} reach;

static void see(reach *r, uint32_t function)
{
    if (r->seen[function]) return;
    r->seen[function] = true;
    r->work[r->work_count++] = function;
}

/* Adds what the block may call; true where it ends in a meeting. */
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

bool sim_function_meets(const sim_program *program, uint32_t function)
{
    reach r = {.program = program};
    r.seen = rt_alloc_array(program->function_count, sizeof *r.seen);
    r.work = rt_alloc_array(program->function_count, sizeof *r.work);
    bool meets = false;
    see(&r, function);
    while (r.work_count > 0 && !meets) {
        const sim_code_function *next = &program->functions[r.work[--r.work_count]];
        for (uint32_t i = 0; i < next->block_count; i++)
            meets |= block_look(&r, next, &next->blocks[i]);
    }
    rt_free(r.seen);
    rt_free(r.work);
    return meets;
}
