/* Finds the target of a call through a function pointer, or the reason why it is invalid.
 *
 * A valid target is a function of the launched program whose type matches the call. A function has
 * an address only if the module takes that address or permits the host to take it, so a number
 * computed by arithmetic is never valid.  A virtual function is the same function in every program
 * that its module is linked into, so one program can construct an object that another uses (reading
 * at VF-SPLIT-08).
 *
 * Source: SPV_INTEL_function_pointers, OpFunctionPointerCallINTEL; document 004
 * (VirtualFunctions.md), "Overview". */
#include "sim/exec/exec.h"

#include "reference/base/rule.h"
#include "sim/memory/instance.h"

#include <stdio.h>

/* What an address refers to: a function of the launched program, or the reason why it is not one.
 */
typedef struct target {
    uint32_t function;        /* index in the launched program; SIM_NONE: none */
    const sim_program *maker; /* the other program that has the function; NULL: freed, or never
                               * existed */
    uint32_t index;           /* index of the function in `maker` */
    bool specialised;         /* the module is linked here, but with different constants */
} target;

static bool hashes_equal(rt_hash a, rt_hash b)
{
    return a.low == b.low && a.high == b.high;
}

static target target_of(const sim_exec *x, uint64_t address)
{
    target t = {.function = SIM_NONE};
    const sim_program *program = x->launch->program;
    bool is_first_byte = sim_address_offset(address) == 0;
    if (sim_address_class_of(address) != SIM_CLASS_FUNCTION) return t;
    uint32_t number = sim_address_object(address), index = number - x->launch->function_first;
    if (index < program->function_count) {
        if (is_first_byte) t.function = index;
        return t;
    }
    t.maker = sim_instance_of_function(x->launch->world, number, &t.index);
    if (!t.maker || !is_first_byte) return t;
    CHECK(t.maker != program && t.index < t.maker->function_count);
    /* The launched program's own instance of another program's virtual function. */
    const sim_code_function *original = &t.maker->functions[t.index];
    const sim_program_module *from = &t.maker->modules[original->module];
    bool is_virtual = original->set.length > 0;
    if (!RULE(VF_SPLIT_08, is_virtual)) return t;
    for (uint32_t m = 0; m < program->module_count && t.function == SIM_NONE; m++) {
        if (!hashes_equal(program->modules[m].code, from->code)) continue;
        t.specialised = !hashes_equal(program->modules[m].constants, from->constants);
        if (!t.specialised) t.function = program->modules[m].functions[original->place];
    }
    return t;
}

/* Describes what is wrong with the address. */
static void describe(const sim_exec *x, const target *t, uint64_t address, char *text, size_t size)
{
    const sim_program *program = x->launch->program;
    uint32_t number = sim_address_object(address), index = number - x->launch->function_first;
    const sim_code_function *original = t->maker ? &t->maker->functions[t->index] : NULL;
    if (address == 0) {
        snprintf(text, size, "call through a null pointer");
    } else if (sim_address_class_of(address) != SIM_CLASS_FUNCTION) {
        snprintf(text, size, "call through a pointer that is not the address of a function,");
    } else if (index < program->function_count && program->functions[index].signature == SIM_NONE) {
        snprintf(text, size, "call through a pointer to a function of another program");
    } else if (t->function != SIM_NONE) {
        snprintf(text, size, "call of function '%.100s', whose type does not match the call,",
                 program->functions[t->function].name.data);
    } else if (index < program->function_count) {
        snprintf(text, size, "call through a pointer %lld bytes away from function '%.100s'",
                 (long long)sim_address_offset(address), program->functions[index].name.data);
    } else if (!original && number <= x->launch->world->function_count) {
        snprintf(text, size,
                 "call through a pointer to a function of a program that no longer exists,");
    } else if (!original || original->set.length == 0 || sim_address_offset(address) != 0) {
        snprintf(text, size, "call through a pointer to a function of another program");
    } else {
        snprintf(text, size, "call of virtual function '%.100s' of set '%.60s', %s,",
                 original->name.data, original->set.data,
                 t->specialised ? "whose image is specialised differently here"
                                : "whose image is not linked into this program");
    }
}

static bool list_has(rt_text list, rt_text name)
{
    while (list.length > 0) {
        if (rt_text_equal(rt_text_take_until(&list, ','), name)) return true;
    }
    return false;
}

void sim_target_judge(sim_exec *x, uint32_t site, uint32_t function, uint32_t lane, uint64_t count)
{
    const sim_code_function *called = &x->launch->program->functions[function];
    const sim_kernel *kernel = x->launch->kernel;
    if (called->set.length == 0 || list_has(kernel->sets, called->set)) return;
    char text[512];
    snprintf(text, sizeof text,
             "call of virtual function '%.100s' of set '%.100s', which kernel '%.100s' does not "
             "declare,",
             called->name.data, called->set.data, kernel->name.data);
    sim_note(x, site, SIM_FINDING_UNDECLARED_CALL, lane, count, text);
}

uint32_t sim_target_find(sim_exec *x, uint32_t site, uint32_t signature, uint64_t address,
                         uint32_t lane, uint64_t count)
{
    const sim_program *program = x->launch->program;
    CHECK(signature < program->signature_count && site < program->site_count);
    target t = target_of(x, address);
    /* Pointers work across linked modules, from the application into a library and back (DL-REQ-10,
     * DL-REQ-13). */
    if (t.function != SIM_NONE && program->functions[t.function].signature == signature)
        return t.function;
    char text[256];
    describe(x, &t, address, text, sizeof text);
    sim_note(x, site, SIM_FINDING_WRONG_CALL_TARGET, lane, count, text);
    return SIM_NONE;
}
