/* Records what a test program executes: if ASSAY_EXECUTED names a file, the program replaces it by
 * the names of all instructions in the functions that its launched kernels can reach, one per line
 * and each once. check_executed.py compares them with the rows marked EXEC. */
#ifndef SIM_TEST_EXECUTED_H
#define SIM_TEST_EXECUTED_H

#include "reference/base/alloc.h"
#include "reference/base/vector.h"
#include "sim/decode/program.h"

#include <stdio.h>
#include <stdlib.h>

/* Marks a function and all that it calls; a function that calls through a pointer reaches every
 * function that can be called in this way. */
static inline void sim_test_reach(const sim_program *program, uint32_t index, bool *reached)
{
    if (reached[index]) return;
    reached[index] = true;
    const sim_code_function *function = &program->functions[index];
    for (uint32_t b = 0; b < function->block_count; b++) {
        const sim_code_block *block = &function->blocks[b];
        if (block->end == SIM_END_CALL) {
            sim_test_reach(program, function->calls[block->extra].function, reached);
        }
        for (uint32_t i = 0; block->end == SIM_END_CALL_POINTER && i < program->function_count; i++)
            if (program->functions[i].signature != SIM_NONE) sim_test_reach(program, i, reached);
    }
}

static inline void sim_test_executed(const sim_kernel *kernel)
{
    /* Names are static strings, so equal pointers suffice: a name that has two is written twice. */
    static RT_VECTOR(const char *) written;
    const char *path = getenv("ASSAY_EXECUTED");
    if (!path) return;
    FILE *file = fopen(path, written.count == 0 ? "w" : "a");
    CHECK(file);
    const sim_program *program = kernel->program;
    bool *reached = rt_alloc_array(program->function_count, sizeof *reached);
    sim_test_reach(program, kernel->function, reached);
    for (uint32_t i = 1; i < program->site_count; i++) {
        const sim_site *site = &program->sites[i];
        bool is_written = !reached[site->function];
        for (uint32_t k = 0; k < written.count && !is_written; k++)
            is_written = written.items[k] == site->name;
        if (is_written) continue;
        *rt_vector_push(&written) = site->name;
        fprintf(file, "%s\n", site->name);
    }
    fclose(file);
    rt_free(reached);
}

#endif
