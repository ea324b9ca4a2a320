/* Arguments that a kernel's code does not take.
 *
 * DPC++'s compiler drops parameters that a kernel does not use, and records this in the image's set
 * `SYCL/kernel param opt`: a property with the kernel's name whose bit i represents argument i of
 * the source.  The application passes all arguments; the runtime passes only the remaining ones to
 * the device.  A dropped argument still causes dependencies, because the order that the application
 * requests must not depend on a compiler's analysis.
 *
 * Source: sycl/doc/design/PropertySets.md of intel/llvm names the set; the meaning of the bits was
 * observed with libsycl 9. */
#include "reference/sched/sched_internal.h"

#define SET_ELIMINATED "SYCL/kernel param opt"

/* The kernel's property in the image of the program that contains it, whose bytes may be too few;
 * NULL if the kernel takes all arguments. */
static const rt_property *mask_find(const rt_program *program, rt_text kernel)
{
    for (uint32_t i = 0; i < program->image_count; i++) {
        const rt_property_set *set = rt_image_set(program->images[i]->image, SET_ELIMINATED);
        const rt_property *mask = rt_property_set_find(set, kernel);
        if (mask) return mask;
    }
    return NULL;
}

static bool is_eliminated(const rt_property *mask, uint32_t argument)
{
    size_t byte = argument / 8;
    return byte < mask->bytes.size && (mask->bytes.data[byte] >> argument % 8 & 1) != 0;
}

uint32_t rt_launch_eliminated(const rt_program *program, rt_text kernel)
{
    const rt_property *mask = mask_find(program, kernel);
    uint32_t count = 0;
    for (uint32_t i = 0; mask && i < mask->bytes.size * 8 && i < RT_KERNEL_ARGUMENT_MAX; i++)
        count += is_eliminated(mask, i);
    return count;
}

rt_launch rt_launch_pass(rt_arena *arena, const rt_program *program, const rt_launch *launch)
{
    rt_launch passed = *launch;
    const rt_property *mask = mask_find(program, launch->kernel);
    if (!mask) return passed;
    rt_argument *remaining = rt_arena_alloc_array(arena, launch->argument_count, sizeof *remaining);
    passed.arguments = remaining;
    passed.argument_count = 0;
    for (uint32_t i = 0; i < launch->argument_count; i++)
        if (!is_eliminated(mask, i)) remaining[passed.argument_count++] = launch->arguments[i];
    CHECK(passed.argument_count <= launch->argument_count);
    return passed;
}
