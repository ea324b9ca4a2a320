/* Converts the modules of a SYCLBIN to device binaries, and device binaries to modules. */
#include "reference/image/syclbin.h"

#include <string.h>

/* ---- To binaries --------------------------------------------------------------------------- */

/* The bytes of a property as text; empty if there is none. */
static rt_text text_of(rt_property_sets metadata, const char *set, const char *name)
{
    for (uint32_t i = 0; i < metadata.count; i++) {
        for (uint32_t k = 0; k < metadata.sets[i].property_count; k++) {
            const rt_property *property = &metadata.sets[i].properties[k];
            if (rt_text_is(metadata.sets[i].name, set) && rt_text_is(property->name, name) &&
                property->type == RT_PROPERTY_BYTES)
                return (rt_text){(const char *)property->bytes.data, property->bytes.size};
        }
    }
    return (rt_text){0};
}

/* SYCLBIN names a target by its triple, "spir64-unknown-unknown"; fat binaries, and the runtime
 * that reads them, use only the first part. */
static rt_text target_of(rt_property_sets metadata, const char *set)
{
    rt_text target = text_of(metadata, set, "target");
    return rt_text_take_until(&target, '-');
}

static rt_device_binary *module_binaries(rt_arena *arena, const rt_syclbin_module *module,
                                         rt_device_binary *out)
{
    /* The names in `SYCL/kernel names` are the entries of every binary of the module. */
    const rt_image holder = {.sets = module->metadata.sets, .set_count = module->metadata.count};
    const rt_property_set *names = rt_image_set(&holder, RT_SET_KERNEL_NAMES);
    uint32_t entry_count = names ? names->property_count : 0;
    rt_text *entries = rt_arena_alloc_array(arena, entry_count, sizeof *entries);
    for (uint32_t i = 0; i < entry_count; i++)
        entries[i] = names->properties[i].name;
    const rt_device_binary common = {
        .properties = module->metadata, .entries = entries, .entry_count = entry_count};
    for (uint32_t i = 0; i < module->ir_count; i++, out++) {
        *out = common;
        out->format = rt_binary_format_of(module->ir[i].code);
        out->target = target_of(module->ir[i].metadata, RT_SET_SYCLBIN_IR);
        out->code = module->ir[i].code;
    }
    for (uint32_t i = 0; i < module->native_count; i++, out++) {
        *out = common;
        out->format = RT_BINARY_NATIVE;
        out->code = module->native[i].code;
        /* The metadata of native code states the target of its IR and, separately, an architecture;
         * for the CPU, a fat binary combines them into spir64_x86_64. */
        rt_text target = target_of(module->native[i].metadata, RT_SET_SYCLBIN_NATIVE);
        rt_text arch = text_of(module->native[i].metadata, RT_SET_SYCLBIN_NATIVE, "arch");
        if (rt_text_is(target, "spir64") && rt_text_is(arch, "x86_64"))
            target = RT_TEXT("spir64_x86_64");
        out->target = target.length > 0 ? target : arch;
    }
    return out;
}

rt_status rt_syclbin_binaries(rt_sink *sink, rt_arena *arena, const rt_syclbin *syclbin,
                              rt_device_binaries *out_binaries)
{
    *out_binaries = (rt_device_binaries){0};
    uint64_t count = 0;
    for (uint32_t i = 0; i < syclbin->module_count; i++)
        count += (uint64_t)syclbin->modules[i].ir_count + syclbin->modules[i].native_count;
    if (count > RT_IMAGE_COUNT_MAX) {
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "the SYCLBIN has %llu images; at most %u are allowed",
                       (unsigned long long)count, RT_IMAGE_COUNT_MAX);
    }
    rt_device_binary *items = rt_arena_alloc_array(arena, count, sizeof *items), *next = items;
    for (uint32_t i = 0; i < syclbin->module_count; i++)
        next = module_binaries(arena, &syclbin->modules[i], next);
    CHECK(next == items + count); /* as many as were counted */
    *out_binaries = (rt_device_binaries){items, (uint32_t)count};
    return RT_STATUS_OK;
}

/* ---- From binaries ------------------------------------------------------------------------- */

static rt_property_sets single_set(rt_arena *arena, const char *name, const rt_property *properties,
                                   uint32_t count)
{
    rt_property_set *set = rt_arena_alloc(arena, sizeof *set);
    *set = (rt_property_set){rt_text_of(name),
                             rt_arena_copy(arena, properties, count, sizeof *properties), count};
    return (rt_property_sets){set, 1};
}

static rt_status module_of(rt_sink *sink, rt_arena *arena, const rt_device_binary *binary,
                           rt_syclbin_module *out_module)
{
    if (binary->compile_options.length > 0 || binary->link_options.length > 0) {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "SYCLBIN has no place for the options of an image");
    }
    rt_binary_format format = binary->format;
    if (format == RT_BINARY_UNKNOWN) format = rt_binary_format_of(binary->code);
    if (format != RT_BINARY_SPIRV && format != RT_BINARY_NATIVE) {
        return rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "SYCLBIN cannot hold an image of format %s", rt_binary_format_name(format));
    }
    /* The triple of a target; its suffix is the vendor's convention. */
    static const struct triple_row {
        const char *begin, *suffix;
    } rows[] = {
        {"spir64", "-unknown-unknown"}, {"nvptx64", "-nvidia-cuda"}, {"amdgcn", "-amd-amdhsa"}};
    rt_text triple = binary->target;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rt_text_starts(binary->target, rows[i].begin))
            triple = rt_arena_printf(arena, "%.*s%s", RT_TEXT_ARG(binary->target), rows[i].suffix);
    const rt_property metadata[] = {
        {.name = RT_TEXT("target"),
         .type = RT_PROPERTY_BYTES,
         .bytes = {(const uint8_t *)triple.data, triple.length}},
        {.name = RT_TEXT("type"), .type = RT_PROPERTY_UINT32, .number = 0}, /* SPIR-V */
    };
    rt_syclbin_code *code = rt_arena_alloc(arena, sizeof *code);
    bool native = format == RT_BINARY_NATIVE;
    code->metadata = single_set(arena, native ? RT_SET_SYCLBIN_NATIVE : RT_SET_SYCLBIN_IR, metadata,
                                native ? 1 : 2);
    code->code = binary->code;
    *out_module = (rt_syclbin_module){.metadata = binary->properties};
    *(native ? &out_module->native : &out_module->ir) = code;
    *(native ? &out_module->native_count : &out_module->ir_count) = 1;
    /* The entries become a set, unless the binary already has one. */
    const rt_property_sets stated = binary->properties;
    const rt_image holder = {.sets = stated.sets, .set_count = stated.count};
    if (binary->entry_count == 0 || rt_image_set(&holder, RT_SET_KERNEL_NAMES)) return RT_STATUS_OK;
    rt_property_set *sets = rt_arena_alloc_array(arena, stated.count + 1, sizeof *sets);
    rt_property *names = rt_arena_alloc_array(arena, binary->entry_count, sizeof *names);
    for (uint32_t i = 0; i < binary->entry_count; i++)
        names[i] =
            (rt_property){.name = binary->entries[i], .type = RT_PROPERTY_UINT32, .number = 1};
    if (stated.count > 0) memcpy(sets, stated.sets, stated.count * sizeof *sets);
    sets[stated.count] =
        (rt_property_set){RT_TEXT(RT_SET_KERNEL_NAMES), names, binary->entry_count};
    out_module->metadata = (rt_property_sets){sets, stated.count + 1};
    return RT_STATUS_OK;
}

rt_status rt_syclbin_of(rt_sink *sink, rt_arena *arena, rt_device_binaries binaries,
                        rt_syclbin *out_syclbin)
{
    *out_syclbin = (rt_syclbin){0};
    rt_syclbin_module *modules = rt_arena_alloc_array(arena, binaries.count, sizeof *modules);
    bool executable = binaries.count > 0;
    for (uint32_t i = 0; i < binaries.count; i++) {
        RT_TRY(module_of(sink, arena, &binaries.items[i], &modules[i]));
        executable = executable && modules[i].native_count > 0;
    }
    const rt_property state = {.name = RT_TEXT("state"),
                               .type = RT_PROPERTY_UINT32,
                               .number = executable ? RT_SYCLBIN_EXECUTABLE : RT_SYCLBIN_OBJECT};
    *out_syclbin =
        (rt_syclbin){single_set(arena, RT_SET_SYCLBIN_GLOBAL, &state, 1), modules, binaries.count};
    return RT_STATUS_OK;
}
