/* Derives rows of declared sets from an image's property sets. */
#include "reference/program/declared_sets.h"

#include "reference/image/virtual_functions.h"

/* One row per property of the set. */
static dev_declared_sets *rows_of(rt_arena *arena, const rt_property_set *set)
{
    dev_declared_sets *rows = rt_arena_alloc_array(arena, set->property_count, sizeof *rows);
    for (uint32_t i = 0; i < set->property_count; i++)
        rows[i] = (dev_declared_sets){set->properties[i].name,
                                      rt_property_text_value(&set->properties[i])};
    return rows;
}

/* The row that applies to all names; NULL if there is nothing to declare. */
static dev_declared_sets *row_for_all(rt_arena *arena, rt_text sets)
{
    if (sets.length == 0) return NULL;
    dev_declared_sets *row = rt_arena_alloc(arena, sizeof *row);
    row->sets = sets;
    return row;
}

void rt_declared_sets_of_image(rt_arena *arena, const rt_image *image, dev_code *code)
{
    rt_virtual_functions sets; /* empty if the property set is damaged: the launch is refused */
    (void)rt_virtual_functions_read(image, &sets);
    const rt_property_set *functions = rt_image_set(image, RT_SET_VIRTUAL_FUNCTION_SETS);
    code->function_sets = functions ? rows_of(arena, functions) : row_for_all(arena, sets.provides);
    code->function_set_count = functions ? functions->property_count : code->function_sets ? 1 : 0;
    const rt_property_set *kernels = rt_image_set(image, RT_SET_KERNEL_CALLS);
    rt_text calls = sets.calls.length > 0 ? sets.calls : sets.uses;
    code->kernel_sets = kernels ? rows_of(arena, kernels) : row_for_all(arena, calls);
    code->kernel_set_count = kernels ? kernels->property_count : code->kernel_sets ? 1 : 0;
}
