/* Formats of device binaries, and the conversion between binaries and images. */
#include "reference/image/device_binary.h"

#include "reference/image/virtual_functions.h"

#include <string.h>

const char *rt_binary_format_name(rt_binary_format format)
{
    static const char *const names[RT_BINARY_FORMAT_COUNT] = {
#define RT_BINARY_NAME(format, number, name) [number] = name,
        RT_BINARY_FORMATS(RT_BINARY_NAME)
#undef RT_BINARY_NAME
    };
    CHECK((unsigned)format < RT_BINARY_FORMAT_COUNT);
    return names[format];
}

rt_binary_format rt_binary_format_of(rt_bytes code)
{
    static const struct magic {
        char bytes[5];
        rt_binary_format format;
    } magics[] = {
        {"\x28\xB5\x2F\xFD", RT_BINARY_COMPRESSED},   {"\x03\x02\x23\x07", RT_BINARY_SPIRV},
        {"\x07\x23\x02\x03", RT_BINARY_SPIRV},        {"BC\xC0\xDE", RT_BINARY_LLVM_BITCODE},
        {"\xDE\xC0\x17\x0B", RT_BINARY_LLVM_BITCODE},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (code.size >= 4 && memcmp(code.data, magics[i].bytes, 4) == 0) return magics[i].format;
    return RT_BINARY_NATIVE;
}

rt_status rt_device_binary_image(rt_sink *sink, rt_text name, const rt_device_binary *binary,
                                 rt_image *out_image)
{
    *out_image = (rt_image){0};
    rt_binary_format format = binary->format;
    CHECK(format != RT_BINARY_COMPRESSED);
    if (format == RT_BINARY_UNKNOWN) format = rt_binary_format_of(binary->code);
    rt_format target = 0;
    while (target < RT_FORMAT_COUNT && !rt_text_is(binary->target, rt_format_target(target)))
        target++;
    if (target == RT_FORMAT_COUNT) {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %.*s is for the target '%.*s', which assay has no format for",
                       RT_TEXT_ARG(name), RT_TEXT_ARG(binary->target));
    }
    bool is_readable =
        target == RT_FORMAT_SPIRV64 ? format == RT_BINARY_SPIRV : format == RT_BINARY_NATIVE;
    if (!is_readable) {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %.*s for the target '%.*s' is %s, which assay does not accept for it",
                       RT_TEXT_ARG(name), RT_TEXT_ARG(binary->target),
                       rt_binary_format_name(format));
    }
    *out_image = (rt_image){
        .name = name,
        .format = target,
        .compile_options = binary->compile_options,
        .link_options = binary->link_options,
        .kernels = binary->entries,
        .kernel_count = binary->entry_count,
        .sets = binary->properties.sets,
        .set_count = binary->properties.count,
        .code = binary->code,
    };
    CHECK(out_image->format < RT_FORMAT_COUNT);
    rt_image_hash(out_image);
    return RT_STATUS_OK;
}

rt_device_binary rt_device_binary_of(const rt_image *image)
{
    return (rt_device_binary){
        .format = image->format == RT_FORMAT_SPIRV64 ? RT_BINARY_SPIRV : RT_BINARY_NATIVE,
        .target = rt_text_of(rt_format_target(image->format)),
        .compile_options = image->compile_options,
        .link_options = image->link_options,
        .entries = image->kernels,
        .entry_count = image->kernel_count,
        .properties = {image->sets, image->set_count},
        .code = image->code,
    };
}

/* The property sets that list functions for other images; NULL for a set that the image lacks. */
typedef struct function_sets {
    const rt_property_set *sets[2];
} function_sets;

/* DPC++ has no notion of dummy images for virtual functions.  Without entries, libsycl ignores the
 * binary of a dummy instead of treating it as a second provider. */
static function_sets function_sets_of(const rt_image *image)
{
    rt_virtual_functions functions;
    bool dummy = !rt_virtual_functions_read(image, &functions) && functions.dummy;
    return (function_sets){{
        rt_image_set(image, RT_SET_EXPORTED_SYMBOLS),
        dummy ? NULL : rt_image_set(image, RT_SET_VIRTUAL_FUNCTION_SETS),
    }};
}

static bool is_function(const function_sets *listed, rt_text name)
{
    return rt_property_set_has(listed->sets[0], name) || rt_property_set_has(listed->sets[1], name);
}

void rt_image_drop_exported_entries(rt_arena *arena, rt_image *image)
{
    function_sets functions = function_sets_of(image);
    rt_text *kernels = rt_arena_alloc_array(arena, image->kernel_count + 1, sizeof *kernels);
    uint32_t count = 0;
    for (uint32_t i = 0; i < image->kernel_count; i++) {
        if (!is_function(&functions, image->kernels[i])) kernels[count++] = image->kernels[i];
    }
    image->kernels = kernels;
    image->kernel_count = count;
}

void rt_device_binary_add_exports(rt_arena *arena, const rt_image *image,
                                  rt_device_binary *inout_binary)
{
    function_sets functions = function_sets_of(image);
    size_t most = inout_binary->entry_count;
    for (size_t s = 0; s < 2; s++)
        most += functions.sets[s] ? functions.sets[s]->property_count : 0;
    rt_text *entries = rt_arena_alloc_array(arena, most + 1, sizeof *entries);
    uint32_t count = 0;
    for (uint32_t i = 0; i < inout_binary->entry_count; i++) {
        if (!is_function(&functions, inout_binary->entries[i]))
            entries[count++] = inout_binary->entries[i];
    }
    for (size_t s = 0; s < 2; s++) {
        const rt_property_set *set = functions.sets[s];
        for (uint32_t i = 0; set && i < set->property_count; i++) {
            /* A virtual function may also be exported. */
            bool listed = s > 0 && rt_property_set_has(functions.sets[0], set->properties[i].name);
            if (!listed) entries[count++] = set->properties[i].name;
        }
    }
    inout_binary->entries = entries;
    inout_binary->entry_count = count;
}
