/* The declared sets of a module's virtual functions and of the kernels that call them. */
#include "sim/module/module.h"

static const sim_declared_sets *rows_copy(rt_arena *arena, const sim_declared_sets *rows,
                                          uint32_t count)
{
    sim_declared_sets *copies = rt_arena_alloc_array(arena, count, sizeof *copies);
    for (uint32_t i = 0; i < count; i++)
        copies[i] = (sim_declared_sets){rt_arena_text(arena, rows[i].name),
                                        rt_arena_text(arena, rows[i].sets)};
    return copies;
}

void sim_module_declare(sim_module *module, const sim_declarations *declarations)
{
    sim_declarations *copy = &module->declarations;
    *copy = *declarations;
    copy->functions = rows_copy(&module->arena, declarations->functions, copy->function_count);
    copy->kernels = rows_copy(&module->arena, declarations->kernels, copy->kernel_count);
}

/* The sets of the row with the given name or, failing that, of the row for all names. */
static rt_text sets_of(const sim_declared_sets *rows, uint32_t count, rt_text name)
{
    rt_text sets = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (rt_text_equal(rows[i].name, name)) return rows[i].sets;
        if (rows[i].name.length == 0) sets = rows[i].sets;
    }
    return sets;
}

rt_text sim_module_function_set(const sim_module *module, const sim_function *function)
{
    const sim_declarations *declared = &module->declarations;
    /* A kernel cannot be called, so it belongs to no set. */
    if (!sim_linkage_is_exported(function->linkage) || sim_module_is_entry(module, function))
        return (rt_text){0};
    return sets_of(declared->functions, declared->function_count, function->link_name);
}

bool sim_module_function_is_open(const sim_module *module, const sim_function *function)
{
    bool is_referenced = sim_module_decoration(module, function->id, SIM_NONE,
                                               SIM_DecorationReferencedIndirectlyINTEL) != NULL;
    if (is_referenced && !sim_module_is_entry(module, function)) return true;
    return sim_module_function_set(module, function).length > 0;
}

rt_text sim_module_kernel_sets(const sim_module *module, rt_text kernel)
{
    return sets_of(module->declarations.kernels, module->declarations.kernel_count, kernel);
}
