/* Mistakes of the execution that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "sim/exec/exec.h"

uint32_t __real_sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                                uint32_t lane, uint64_t count);
uint32_t __wrap_sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                                uint32_t lane, uint64_t count);

/* True if the fault is planted that keeps a pointer in the module that defines its function; the
 * application is the first module. */
static bool is_kept(uint32_t from, uint32_t to)
{
    if (from == 0 && to != 0)
        return RT_FAULT(DL_REQ_10, "the application cannot call a function of a library");
    if (from != 0 && to == 0)
        return RT_FAULT(DL_REQ_10, "a library cannot call a function of the application") ||
               RT_FAULT(DL_REQ_13, "a library cannot call a function that it was passed");
    return false;
}

uint32_t __wrap_sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                                uint32_t lane, uint64_t count)
{
    const sim_program *program = x->launch->program;
    uint32_t function = __real_sim_target_find(x, site, signature, address, lane, count);
    if (function == SIM_NONE) return SIM_NONE;
    const sim_code_function *functions = program->functions;
    if (!is_kept(functions[program->sites[site].function].module, functions[function].module))
        return function;
    sim_note(x, site, SIM_FINDING_WRONG_CALL_TARGET, lane, count,
             "call of another module's function");
    return SIM_NONE;
}
