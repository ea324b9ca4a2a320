/* Collects, from property sets and decorations, the device_globals that host code registers. */
#include "conformance/build/sycl_globals.h"

#include "conformance/build/sycl_constants.h"
#include "conformance/scenario/resolve/sycl_kernels.h"
#include "reference/base/spirv.h"
#include "reference/base/vector.h"

#include <stdlib.h>

/* Words of OpDecorate: the decoration, the access qualifier, the name. */
enum { OP_DECORATE = 71, DECORATION_WORD = 2, ACCESS_WORD = 3, NAME_WORD = 4 };

/* HostAccessINTEL in its two extensions, which number the access qualifiers differently. */
enum { ACCESS_COUNT = 4 };
static const struct decoration_row {
    uint32_t decoration;
    rt_host_access accesses[ACCESS_COUNT];
} decoration_rows[] = {
    /* SPV_INTEL_global_variable_decorations */
    {6147,
     {RT_HOST_ACCESS_READ, RT_HOST_ACCESS_WRITE, RT_HOST_ACCESS_READ_WRITE, RT_HOST_ACCESS_NONE}},
    /* SPV_INTEL_global_variable_host_access */
    {6188,
     {RT_HOST_ACCESS_NONE, RT_HOST_ACCESS_READ, RT_HOST_ACCESS_WRITE, RT_HOST_ACCESS_READ_WRITE}},
};

static rt_host_access access_of(rt_bytes code, rt_text id)
{
    enum { ROW_COUNT = sizeof decoration_rows / sizeof *decoration_rows };
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
        if (instruction.opcode != OP_DECORATE) continue;
        uint32_t decoration = rt_spirv_word(&instruction, DECORATION_WORD);
        uint32_t access = rt_spirv_word(&instruction, ACCESS_WORD);
        size_t row = 0;
        while (row < ROW_COUNT && decoration_rows[row].decoration != decoration)
            row++;
        if (row == ROW_COUNT || access >= ACCESS_COUNT) continue;
        if (id.length > 0 && rt_text_equal(rt_spirv_text(&instruction, NAME_WORD), id))
            return decoration_rows[row].accesses[access];
    }
    return RT_HOST_ACCESS_READ_WRITE;
}

static int compare_ids(const void *left, const void *right)
{
    return rt_text_compare(((const rt_device_global *)left)->unique_id,
                           ((const rt_device_global *)right)->unique_id);
}

rt_device_global_list cnf_sycl_globals(rt_arena *arena, rt_image_list images)
{
    RT_VECTOR(rt_device_global) found = {0};
    for (uint32_t m = 0; m < images.count; m++) {
        const rt_image *image = &images.images[m];
        const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
        for (uint32_t i = 0; set && i < set->property_count; i++) {
            const rt_property *property = &set->properties[i];
            rt_device_global_value value;
            bool known = false;
            for (uint32_t k = 0; k < found.count && !known; k++)
                known = rt_text_equal(found.items[k].unique_id, property->name);
            if (known || !rt_device_global_value_read(property, &value)) continue;
            rt_text name = scn_sycl_variable_name(arena, property->name);
            *rt_vector_push(&found) = (rt_device_global){
                .unique_id = property->name,
                .name = name.length > 0 ? name : property->name,
                .size = value.size,
                .image_scope = value.image_scope,
                .host_access = access_of(image->code, property->name),
                .initial = value.image_scope ? (rt_bytes){0} /* in the program's own variable */
                                             : cnf_sycl_initial_value(arena, image->code,
                                                                      property->name, value.size),
            };
        }
    }
    rt_device_global *globals = rt_arena_alloc_array(arena, found.count, sizeof *globals);
    for (uint32_t i = 0; i < found.count; i++)
        globals[i] = found.items[i];
    rt_device_global_list list = {globals, found.count};
    rt_vector_free(&found);
    /* The compiler's order of variables varies from run to run. */
    if (list.count > 1) qsort(globals, list.count, sizeof *globals, compare_ids);
    for (uint32_t i = 1; i < list.count; i++)
        CHECK(compare_ids(&globals[i - 1], &globals[i]) < 0);
    return list;
}
