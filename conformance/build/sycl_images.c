/* Takes the output of the SYCL compiler apart, and converts SYCLBIN to images.
 *
 * The set `SYCL/kernel names` of a binary lists kernels and exported functions, each twice: plain,
 * and prefixed with the name of the bundle ("rtc_0$…"), in no particular order. The kernels that
 * can be launched are the code's entry points, in the code's order.
 *
 * The name of the bundle also precedes the ids of device_globals in their set, but not elsewhere:
 * the code's HostAccessINTEL decorations and the mapping of ids to symbols have the ids without it.
 * That name distinguishes the bundles of one process, and every compilation here runs in a separate
 * process, in which the only bundle is "rtc_0". Translation units are distinguished by the prefix
 * that the driver of DPC++ gives to ids of variables with internal linkage (front_end.c). */
#include "conformance/build/sycl_images.h"

#include "conformance/build/sycl_constants.h"
#include "reference/base/spirv.h"
#include "reference/base/stream.h"
#include "reference/image/device_global.h"
#include "reference/image/syclbin.h"
#include "reference/image/virtual_functions.h"

#include <stdlib.h>
#include <string.h>

/* ---- Entry points -------------------------------------------------------------------------- */

/* SPIR-V specification, 3.42.6 "OpEntryPoint": model, function, then the name. */
enum { SPIRV_OP_ENTRY_POINT = 15, ENTRY_NAME_WORD = 3 };

/* ---- Images -------------------------------------------------------------------------------- */

static rt_status damaged(cnf_worker *worker, rt_text source, rt_text problem)
{
    return rt_fail(worker->sink, RT_TOOL, RT_RULE_NONE,
                   "the output of the SYCL compiler for source %.*s is damaged: %.*s",
                   RT_TEXT_ARG(source), RT_TEXT_ARG(problem));
}

rt_status cnf_sycl_output_read(cnf_worker *worker, rt_text source, rt_bytes output,
                               cnf_sycl_output *out_parts)
{
    rt_reader reader = rt_reader_of(output);
    *out_parts = (cnf_sycl_output){.syclbin = rt_read_bytes(&reader)};
    out_parts->header = rt_read_text(&reader);
    out_parts->footer = rt_read_text(&reader);
    if (rt_reader_finished(&reader)) return RT_STATUS_OK;
    return damaged(worker, source,
                   RT_TEXT("it is not a SYCLBIN, a header and a footer (if assay-sycl-compiler is "
                           "older than this program, ci/setup --with dpcpp builds it again)"));
}

/* The name of a compilation's only bundle, which libsycl prepends to names. */
#define BUNDLE_PREFIX "rtc_0$"

static rt_property bytes_property(rt_text name, rt_text value)
{
    return (rt_property){.name = name,
                         .type = RT_PROPERTY_BYTES,
                         .bytes = {(const uint8_t *)value.data, value.length}};
}

/* Adds assay's property sets, which the simulated device checks calls against
 * (virtual_functions.h). The compiler lists a provider's virtual functions among its kernels; one
 * set maps each to the name of its virtual-functions set. The other lists, as far as known, the
 * sets that the image's kernels may call: every kernel gets the image's whole list. */
static void name_virtual_functions(rt_arena *arena, rt_image *image)
{
    rt_virtual_functions functions;
    if (rt_virtual_functions_read(image, &functions)) return;
    const rt_property_set *names = rt_image_set(image, RT_SET_KERNEL_NAMES);
    rt_property_set *sets = rt_arena_alloc_array(arena, (size_t)image->set_count + 1, sizeof *sets);
    for (uint32_t i = 0; i < image->set_count; i++)
        sets[i] = image->sets[i];
    if (functions.provides.length > 0 && names && image->kernel_count == 0) {
        rt_property *properties =
            rt_arena_alloc_array(arena, names->property_count, sizeof *properties);
        uint32_t count = 0;
        for (uint32_t i = 0; i < names->property_count; i++)
            if (!rt_text_starts(names->properties[i].name, BUNDLE_PREFIX))
                properties[count++] = bytes_property(names->properties[i].name, functions.provides);
        sets[image->set_count++] =
            (rt_property_set){RT_TEXT(RT_SET_VIRTUAL_FUNCTION_SETS), properties, count};
    }
    if (functions.uses.length > 0 && image->kernel_count > 0) {
        rt_property *properties =
            rt_arena_alloc_array(arena, image->kernel_count, sizeof *properties);
        for (uint32_t i = 0; i < image->kernel_count; i++)
            properties[i] = bytes_property(image->kernels[i], functions.uses);
        sets[image->set_count++] =
            (rt_property_set){RT_TEXT(RT_SET_KERNEL_CALLS), properties, image->kernel_count};
    }
    image->sets = sets;
}

/* Keys the set of device_globals by the ids in the code. The shipped compiler has a single list of
 * the virtual-functions sets that an image calls or creates; under the documents' profile it
 * becomes the documents' second list. That is safe: every image linked because of it suits the
 * device, and an image whose kernels call a set requires the set's aspects anyway. */
static void rename_properties(rt_arena *arena, rt_image *image, rt_profile profile)
{
    rt_property_set *sets = rt_arena_alloc_array(arena, image->set_count, sizeof *sets);
    for (uint32_t i = 0; i < image->set_count; i++) {
        sets[i] = image->sets[i];
        bool is_globals = rt_text_is(sets[i].name, RT_SET_DEVICE_GLOBALS);
        bool is_functions =
            profile == RT_PROFILE_DOCUMENTS && rt_text_is(sets[i].name, RT_SET_VIRTUAL_FUNCTIONS);
        if (!is_globals && !is_functions) continue;
        rt_property *properties =
            rt_arena_alloc_array(arena, sets[i].property_count, sizeof *properties);
        for (uint32_t k = 0; k < sets[i].property_count; k++) {
            properties[k] = sets[i].properties[k];
            if (is_globals)
                rt_text_take_prefix(&properties[k].name, BUNDLE_PREFIX);
            else if (rt_text_is(properties[k].name, RT_VIRTUAL_FUNCTIONS_USES))
                properties[k].name = RT_TEXT(RT_VIRTUAL_FUNCTIONS_CREATES);
        }
        sets[i].properties = properties;
    }
    image->sets = sets;
}

/* ---- Device libraries ----------------------------------------------------------------------- */

/* Adds the set `SYCL/exported symbols` to an image of a device library. A SYCLBIN holds the library
 * for bfloat16 as an image without kernels and without the sets that the driver of DPC++ gives it
 * (libsycl-fallback-bfloat16), among them the symbols that other images import from it. */
static void name_library_functions(rt_arena *arena, rt_image *image)
{
    /* SPIR-V specification, 3.20 "Decoration", 3.17 "Linkage Type". */
    enum { OP_DECORATE = 71, LINKAGE_ATTRIBUTES = 41, NAME_WORD = 3, EXPORT = 0 };
    if (image->kernel_count > 0 || rt_image_set(image, RT_SET_EXPORTED_SYMBOLS)) return;
    RT_VECTOR(rt_property) symbols = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode != OP_DECORATE || rt_spirv_word(&at, 2) != LINKAGE_ATTRIBUTES) continue;
        if (rt_spirv_word(&at, at.word_count - 1) != EXPORT) continue;
        rt_text name = rt_spirv_text(&at, NAME_WORD);
        if (rt_text_starts(name, "__devicelib_"))
            *rt_vector_push(&symbols) =
                (rt_property){.name = name, .type = RT_PROPERTY_UINT32, .number = 1};
    }
    if (symbols.count > 0) {
        rt_property_set *sets =
            rt_arena_alloc_array(arena, (size_t)image->set_count + 1, sizeof *sets);
        for (uint32_t i = 0; i < image->set_count; i++)
            sets[i] = image->sets[i];
        rt_property *copied =
            rt_arena_copy(arena, symbols.items, symbols.count, sizeof *symbols.items);
        sets[image->set_count++] =
            (rt_property_set){RT_TEXT(RT_SET_EXPORTED_SYMBOLS), copied, symbols.count};
        image->sets = sets;
    }
    rt_vector_free(&symbols);
}

static rt_status make_image(cnf_worker *worker, rt_text source, const rt_device_binary *binary,
                            rt_profile profile, rt_image *out_image)
{
    RT_TRY(rt_device_binary_image(worker->sink, source, binary, out_image));
    /* The image's kernels are the entry points. */
    RT_VECTOR(rt_text) names = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(binary->code);
    bool is_named = true;
    for (rt_spirv_instruction at; is_named && rt_spirv_walk_next(&walk, &at);) {
        if (at.opcode != SPIRV_OP_ENTRY_POINT) continue;
        rt_text name = rt_spirv_text(&at, ENTRY_NAME_WORD);
        is_named = name.length > 0;
        if (is_named) *rt_vector_push(&names) = name;
    }
    rt_text *kernels = rt_arena_alloc_array(&worker->arena, names.count, sizeof *kernels);
    for (uint32_t i = 0; i < names.count; i++)
        kernels[i] = names.items[i];
    out_image->kernels = kernels;
    out_image->kernel_count = names.count;
    rt_vector_free(&names);
    if (!is_named || walk.is_damaged)
        return damaged(worker, source, RT_TEXT("its code is not SPIR-V"));
    const char *problem;
    if (!cnf_sycl_constants_place(&worker->arena, out_image, &problem))
        return rt_fail(worker->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "get_specialization_constant: the constants of source %.*s cannot be "
                       "resolved: %s; read them in an OpenCL C function, with SPEC_CONSTANT",
                       RT_TEXT_ARG(source), problem);
    name_library_functions(&worker->arena, out_image);
    name_virtual_functions(&worker->arena, out_image);
    rename_properties(&worker->arena, out_image, profile);
    rt_image_hash(out_image);
    return RT_STATUS_OK;
}

/* Identifies an image by a hash over everything except the names of kernels and functions, which
 * not every binary of an image lists. */
static rt_hash identity(rt_arena *arena, const rt_image *image)
{
    rt_image bare = *image;
    rt_property_set *sets = rt_arena_alloc_array(arena, image->set_count, sizeof *sets);
    bare.set_count = 0;
    for (uint32_t i = 0; i < image->set_count; i++)
        if (!rt_text_is(image->sets[i].name, RT_SET_KERNEL_NAMES) &&
            !rt_text_is(image->sets[i].name, RT_SET_VIRTUAL_FUNCTION_SETS))
            sets[bare.set_count++] = image->sets[i];
    bare.sets = sets;
    rt_image_hash(&bare);
    return bare.hash;
}

static uint32_t named_count(const rt_image *image)
{
    const rt_property_set *names = rt_image_set(image, RT_SET_KERNEL_NAMES);
    return names ? names->property_count : 0;
}

/* Adds an image; of duplicates, keeps the one that lists the most names. */
static void add_image(rt_arena *arena, rt_image *images, uint32_t *count, const rt_image *image)
{
    rt_hash hash = identity(arena, image);
    for (uint32_t i = 0; i < *count; i++) {
        rt_hash existing = identity(arena, &images[i]);
        if (existing.low != hash.low || existing.high != hash.high) continue;
        if (named_count(image) > named_count(&images[i])) images[i] = *image;
        return;
    }
    images[(*count)++] = *image;
}

/* The name that an image is sorted by: its first kernel; without kernels, the first function that
 * it exports or, for images with virtual functions, defines. */
static rt_text name_of(const rt_image *image)
{
    const rt_property_set *names = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    rt_text first = {0};
    if (image->kernel_count > 0) return image->kernels[0];
    if (!names || names->property_count == 0) names = rt_image_set(image, RT_SET_KERNEL_NAMES);
    for (uint32_t i = 0; names && i < names->property_count; i++) {
        rt_text name = names->properties[i].name;
        if (rt_text_starts(name, BUNDLE_PREFIX)) continue;
        if (first.length == 0 || rt_text_compare(name, first) < 0) first = name;
    }
    return first;
}

static int compare_names(const void *left, const void *right)
{
    return rt_text_compare(name_of(left), name_of(right));
}

rt_status cnf_sycl_images(cnf_worker *worker, rt_text source, rt_bytes bytes, rt_profile profile,
                          rt_image_list *out_images)
{
    *out_images = (rt_image_list){0};
    rt_syclbin syclbin;
    rt_device_binaries binaries = {0};
    rt_status status = rt_syclbin_read(worker->sink, &worker->arena, bytes, &syclbin);
    if (rt_ok(status))
        status = rt_syclbin_binaries(worker->sink, &worker->arena, &syclbin, &binaries);
    if (!rt_ok(status))
        return damaged(worker, source, rt_sink_diagnostic(worker->sink, status)->message);
    rt_image *images = rt_arena_alloc_array(&worker->arena, binaries.count, sizeof *images);
    for (uint32_t i = 0; i < binaries.count; i++) {
        rt_image image = {0};
        RT_TRY(make_image(worker, source, &binaries.items[i], profile, &image));
        add_image(&worker->arena, images, &out_images->count, &image);
    }
    /* The compiler's order of images varies from run to run. */
    if (out_images->count > 1) qsort(images, out_images->count, sizeof *images, compare_names);
    out_images->images = images;
    return RT_STATUS_OK;
}
