/* Property sets; which of them an image has is decided where it is made. */
#include "reference/compiler/properties.h"

#include "reference/base/stream.h"

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

void pl_properties_add_requirements(pl_job *job, pl_properties *properties, pl_aspects aspects)
{
    rt_buffer numbers = {0};
    for (uint32_t number = 0; number < 64; number++)
        if (aspects >> number & 1) rt_write_u32(&numbers, number);
    if (numbers.size > 0) {
        rt_property *item = rt_arena_alloc(&job->arena, sizeof *item);
        *item = (rt_property){.name = RT_TEXT("aspects"),
                              .type = RT_PROPERTY_BYTES,
                              .bytes = rt_arena_bytes(&job->arena, rt_buffer_bytes(&numbers))};
        pl_properties_add(properties, RT_SET_DEVICE_REQUIREMENTS, item, 1);
    }
    rt_buffer_free(&numbers);
}

void pl_properties_finish(pl_job *job, const pl_properties *properties, rt_image *image)
{
    CHECK(image->set_count == 0);
    rt_property_set *sets = rt_arena_alloc_array(&job->arena, properties->count, sizeof *sets);
    if (properties->count > 0) memcpy(sets, properties->sets, properties->count * sizeof *sets);
    image->sets = sets;
    image->set_count = properties->count;
}
