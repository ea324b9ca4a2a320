/* Sorts symbols into a text (combination.h). */
#include "reference/program/combination.h"

#include "reference/base/alloc.h"

#include <stdlib.h>

/* Writes the names in sorted order; sorts them in place. */
static void write_sorted(rt_buffer *out, rt_text *names, uint32_t count)
{
    qsort(names, count, sizeof *names, rt_text_order);
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++)
        rt_write_text(out, names[i]);
}

void rt_combination_write(rt_buffer *out, const rt_image *image, const rt_property_set *exports)
{
    uint32_t export_count = exports ? exports->property_count : 0;
    rt_text *names = rt_alloc_array((size_t)image->kernel_count + export_count + 1, sizeof *names);
    for (uint32_t i = 0; i < image->kernel_count; i++)
        names[i] = image->kernels[i];
    write_sorted(out, names, image->kernel_count);
    for (uint32_t i = 0; i < export_count; i++)
        names[i] = exports->properties[i].name;
    write_sorted(out, names, export_count);
    rt_free(names);
}
