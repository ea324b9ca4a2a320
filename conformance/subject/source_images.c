/* Converts SPIR-V images to equivalent images in OpenCL C.
 *
 * Post-link has determined what each image contains; a device that accepts source needs the source
 * itself. Each image is then one translation unit, so a module whose sources post-link joins or
 * splits cannot be converted, nor can code in another language. Floating-point operations are not
 * contracted, as in our front end's output: otherwise two subjects would compute different results.
 */
#include "conformance/subject/source_images.h"

#include "conformance/build/prelude.h"
#include "conformance/subject/images_change.h"

#include <string.h>

/* ---- Obstacles ------------------------------------------------------------------------------ */

/* A handwritten image that claims another format is ignored: it is not for this device. */
static bool has_other_language(const scn_module *module)
{
    for (uint32_t i = 0; i < module->source_count; i++) {
        if (module->sources[i].language != SCN_LANGUAGE_OPENCL_C) return true;
    }
    for (uint32_t i = 0; i < module->hand_image_count; i++) {
        const scn_hand_image *image = &module->hand_images[i];
        if (image->format != RT_FORMAT_SPIRV64) continue;
        if (image->source.language != SCN_LANGUAGE_OPENCL_C) return true;
    }
    return false;
}

static bool fixes_formats(const scn_module *module)
{
    return module->formats != 0;
}

static bool is_cut(const scn_module *module)
{
    return module->truncate > 0;
}

/* The number of images compiled from the module's sources; they precede the handwritten images. */
static uint32_t compiled_count(const scn_module *module)
{
    CHECK(module->images.count >= module->hand_image_count);
    return module->images.count - module->hand_image_count;
}

/* True if the module's images may not correspond one to one to its sources: post-link copies
 * functions from other sources into a kernel's image, and a split distributes one source over
 * several images. */
static bool is_joined_or_parted(const scn_module *module)
{
    return module->source_count > 1 || compiled_count(module) > 1;
}

static bool has_spec_constants(const scn_module *module)
{
    for (uint32_t i = 0; i < module->images.count; i++) {
        if (rt_image_set(&module->images.images[i], RT_SET_SPEC_CONSTANTS)) return true;
    }
    return false;
}

typedef struct obstacle_row {
    cnf_source_obstacle obstacle;
    bool (*stands)(const scn_module *module);
} obstacle_row;

static const obstacle_row obstacles[] = {
    {{"opencl-c-sources",
      "a source of the scenario is not OpenCL C, the only language that this device accepts"},
     has_other_language},
    {{"formats",
      "a module of the scenario fixes the formats of its images; this device accepts only OpenCL "
      "C"},
     fixes_formats},
    {{"truncate",
      "the scenario cuts the code of an image, which is SPIR-V or native; source is not cut"},
     is_cut},
    {{"split", "post-link joins or splits sources of the scenario; an image in OpenCL C is "
               "exactly one source"},
     is_joined_or_parted},
    {{"spec_constants", "the scenario's code has specialisation constants; OpenCL C has none"},
     has_spec_constants},
};

bool cnf_takes_source(const dev_capabilities *capabilities)
{
    bool spirv = capabilities->formats_taken >> RT_FORMAT_SPIRV64 & 1;
    return !spirv && (capabilities->formats_taken >> RT_FORMAT_OPENCL_C & 1);
}

const cnf_source_obstacle *cnf_source_obstacle_find(const scn_scenario *scenario)
{
    for (size_t i = 0; i < sizeof obstacles / sizeof *obstacles; i++) {
        for (uint32_t m = 0; m < scenario->module_count; m++) {
            if (obstacles[i].stands(&scenario->modules[m])) return &obstacles[i].obstacle;
        }
    }
    return NULL;
}

/* ---- Images -------------------------------------------------------------------------------- */

/* Passed for every source, before the scenario's options, which override it. OpenCL C 3.0 makes
 * features of 2.0 optional: on a device without generic pointers, a pointer without an address
 * space is private, as that device's built-in functions expect. */
#define LANGUAGE_OPTION "-cl-std=CL3.0"
static const rt_text no_contraction = {"#pragma OPENCL FP_CONTRACT OFF\n", 31};

static rt_status image_source(void *user, const scn_module *module, uint32_t index, rt_image *image)
{
    rt_arena *arena = user;
    if (image->format != RT_FORMAT_SPIRV64) return RT_STATUS_OK;
    uint32_t compiled_sources = compiled_count(module);
    CHECK(index >= compiled_sources || (compiled_sources == 1 && module->source_count == 1));
    const scn_source *source = index >= compiled_sources
                                   ? &module->hand_images[index - compiled_sources].source
                                   : &module->sources[0];
    CHECK(source->language == SCN_LANGUAGE_OPENCL_C);
    rt_buffer unit = {0};
    rt_buffer_append_text(&unit, no_contraction);
    cnf_prelude_used_unit(&unit, source->name, source->code);
    image->format = RT_FORMAT_OPENCL_C;
    image->code = rt_arena_bytes(arena, rt_buffer_bytes(&unit));
    rt_text before = module->build_options, behind = image->compile_options;
    image->compile_options =
        rt_arena_printf(arena, LANGUAGE_OPTION "%s%.*s%s%.*s", before.length > 0 ? " " : "",
                        RT_TEXT_ARG(before), behind.length > 0 ? " " : "", RT_TEXT_ARG(behind));
    rt_buffer_free(&unit);
    rt_image_hash(image);
    return RT_STATUS_OK;
}

const scn_scenario *cnf_source_images(rt_arena *arena, const scn_scenario *scenario)
{
    CHECK(cnf_source_obstacle_find(scenario) == NULL);
    const scn_scenario *result = NULL;
    rt_status status = cnf_images_change(arena, scenario, image_source, arena, &result);
    CHECK(rt_ok(status));
    return result;
}
