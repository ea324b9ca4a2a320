/* Property sets; which of them an image has is decided where it is made.
 *
 * Numbers of aspects: SYCL aspects as DPC++ has them (sycl/include/sycl/info/aspects.def);
 * capabilities: SPIR-V specification, 3.31 "Capability". */
#include "reference/compiler/properties.h"

#include "reference/base/stream.h"
#include "reference/compiler/spirv_walk.h"

#include <string.h>

void pl_properties_add(pl_properties *properties, const char *name, const rt_property *items,
                       uint32_t count)
{
    CHECK(count > 0 && properties->count < PL_SET_COUNT_MAX);
    properties->sets[properties->count++] = (rt_property_set){rt_text_of(name), items, count};
}

void pl_properties_add_symbols(pl_job *job, pl_properties *properties, const char *name,
                               const rt_text *symbols, uint32_t count)
{
    rt_property *items = rt_arena_alloc_array(&job->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        items[i] = (rt_property){.name = symbols[i], .type = RT_PROPERTY_UINT32, .number = 1};
    pl_properties_add(properties, name, items, count);
}

/* ---- Requirements -------------------------------------------------------------------------- */

enum { OP_CAPABILITY = 17 };

typedef struct aspect_row {
    uint32_t capability;
    uint32_t aspect;
} aspect_row;

/* In the order of the aspects' numbers. */
static const aspect_row aspect_rows[] = {
    {9, 5},   /* Float16: fp16 */
    {10, 6},  /* Float64: fp64 */
    {12, 27}, /* Int64Atomics: atomic64 */
};

static bool has_capability(rt_bytes spirv, uint32_t capability)
{
    pl_walk walk = pl_walk_start(spirv);
    pl_instruction instruction;
    while (pl_walk_next(&walk, &instruction)) {
        if (instruction.opcode == OP_CAPABILITY &&
            pl_instruction_word(&instruction, 1) == capability)
            return true;
    }
    CHECK(!walk.damaged);
    return false;
}

void pl_properties_add_requirements(pl_job *job, pl_properties *properties, rt_bytes spirv)
{
    rt_buffer aspects = {0};
    for (size_t i = 0; i < sizeof aspect_rows / sizeof *aspect_rows; i++) {
        if (has_capability(spirv, aspect_rows[i].capability)) {
            rt_write_u32(&aspects, aspect_rows[i].aspect);
        }
    }
    if (aspects.size > 0) {
        rt_property *item = rt_arena_alloc(&job->arena, sizeof *item);
        *item = (rt_property){.name = RT_TEXT("aspects"),
                              .type = RT_PROPERTY_BYTES,
                              .bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&aspects))};
        pl_properties_add(properties, RT_SET_DEVICE_REQUIREMENTS, item, 1);
    }
    rt_buffer_free(&aspects);
}

void pl_properties_finish(pl_job *job, const pl_properties *properties, rt_image *image)
{
    CHECK(image->set_count == 0);
    rt_property_set *sets = rt_arena_alloc_array(&job->arena, properties->count, sizeof *sets);
    if (properties->count > 0) memcpy(sets, properties->sets, properties->count * sizeof *sets);
    image->sets = sets;
    image->set_count = properties->count;
}
