/* Where a call through a pointer leads, or why it leads nowhere.
 *
 * Right is the address of a function of the launched program whose type is that of the call.  A
 * function whose address nothing takes has none, so a number made by arithmetic is never right.
 * Source: SPV_INTEL_function_pointers, OpFunctionPointerCallINTEL. */
#include "sim/exec.h"

#include "reference/base/rule.h"

#include <stdio.h>

/* What is wrong with the address, written into the text. */
static void describe(const sim_exec *x, uint64_t address, char *text, size_t size)
{
    const sim_program *program = x->launch->program;
    uint32_t index = sim_address_object(address) - x->launch->function_first;
    if (address == 0) {
        snprintf(text, size, "call through a null pointer");
    } else if (sim_address_class_of(address) != SIM_CLASS_FUNCTION) {
        snprintf(text, size, "call through a pointer that holds no address of a function");
    } else if (index >= program->function_count ||
               program->functions[index].signature == SIM_NONE) {
        snprintf(text, size, "call through a pointer to a function of another program");
    } else if (sim_address_offset(address) != 0) {
        snprintf(text, size, "call through a pointer %lld bytes beside function '%.100s'",
                 (long long)sim_address_offset(address), program->functions[index].name.data);
    } else {
        snprintf(text, size, "call of function '%.100s', whose type is not that of the call,",
                 program->functions[index].name.data);
    }
}

/* A pointer leads across the border between linked modules, from the application's (the first one)
 * into a library's and back (document 003, requirements list; document 000, "Requirements").
 * Broken: a pointer is good only where it was made, or not in a library. */
static bool may_cross(const sim_program *program, uint32_t caller, uint32_t callee)
{
    uint32_t from = program->functions[caller].module, to = program->functions[callee].module;
    if (from != to && !RULE(DL_REQ_10)) return false;
    return !(from != 0 && to == 0 && !RULE(DL_REQ_13));
}

uint32_t sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                         uint32_t lane, uint64_t count)
{
    const sim_program *program = x->launch->program;
    uint32_t index = sim_address_object(address) - x->launch->function_first;
    CHECK(signature < program->signature_count);
    if (sim_address_class_of(address) == SIM_CLASS_FUNCTION && sim_address_offset(address) == 0 &&
        index < program->function_count && program->functions[index].signature == signature &&
        may_cross(program, program->sites[site].function, index)) {
        return index;
    }
    char text[256];
    describe(x, address, text, sizeof text);
    sim_note(x, site, SIM_FINDING_WRONG_CALL_TARGET, lane, count, text);
    return SIM_NONE;
}
