/* Prints capabilities line by line; a table lists the flags. */
#include "conformance/subject/capabilities.h"

#include "conformance/subject/skip.h"

#include <inttypes.h>

static const struct flag_row {
    const char *name;
    size_t at; /* offset of the bool in dev_capabilities */
} flag_rows[] = {
    {"executes kernels", offsetof(dev_capabilities, executes)},
    {"unified shared memory", offsetof(dev_capabilities, usm)},
    {"specialisation constants", offsetof(dev_capabilities, spec_constants)},
    {"function pointers", offsetof(dev_capabilities, function_pointers)},
    {"program-scope variables", offsetof(dev_capabilities, program_variables)},
    {"variables by name", offsetof(dev_capabilities, globals_by_name)},
    {"program binaries", offsetof(dev_capabilities, program_binaries)},
    {"work-groups of different sizes", offsetof(dev_capabilities, non_uniform_groups)},
    {"sub-groups", offsetof(dev_capabilities, sub_groups)},
    {"non-uniform operations on sub-groups", offsetof(dev_capabilities, sub_group_operations)},
    {"assertions in kernels", offsetof(dev_capabilities, asserts)},
    {"events that the host completes", offsetof(dev_capabilities, host_events)},
    {"maps of buffers", offsetof(dev_capabilities, maps)},
    {"profiling times", offsetof(dev_capabilities, profiling)},
    {"reports kernel faults", offsetof(dev_capabilities, finds_faults)},
    {"needs a tool to link", offsetof(dev_capabilities, links_with_tool)},
};

static void words_write(rt_buffer *out, const char *name, uint32_t bits, uint32_t count,
                        const char *(*word_of)(uint32_t index))
{
    rt_buffer_printf(out, "%s:", name);
    for (uint32_t i = 0; i < count; i++)
        if (bits >> i & 1) rt_buffer_printf(out, " %s", word_of(i));
    rt_buffer_printf(out, "%s\n", bits == 0 ? " none" : "");
}

static const char *format_word(uint32_t index)
{
    return rt_format_name((rt_format)index);
}

static const char *aspect_word(uint32_t index)
{
    return dev_aspect_name((dev_aspect)index);
}

void cnf_capabilities_shipped_write(rt_buffer *out, const dev_capabilities *capabilities)
{
    words_write(out, "aspects", capabilities->aspects, DEV_ASPECT_COUNT, aspect_word);
    rt_buffer_printf(out, "skips scenarios that need:");
    cnf_skip_words_write(out);
    rt_buffer_append_byte(out, '\n');
}

void cnf_capabilities_write(rt_buffer *out, const dev_capabilities *capabilities)
{
    const uint32_t spirv_forms = 1u << RT_FORMAT_SPIRV64 | 1u << RT_FORMAT_SPIRV64_X86_64 |
                                 1u << RT_FORMAT_SPIRV64_GEN | 1u << RT_FORMAT_SPIRV64_FPGA;
    words_write(out, "accepts", capabilities->formats_taken, RT_FORMAT_COUNT, format_word);
    /* A device that takes no SPIR-V has no line about its version. */
    if (capabilities->spirv_max > 0)
        rt_buffer_printf(out, "SPIR-V: up to %u.%u\n", capabilities->spirv_max >> 16,
                         capabilities->spirv_max >> 8 & 0xff);
    else if (capabilities->formats_taken & spirv_forms)
        rt_buffer_printf(out, "SPIR-V: version not reported\n");
    rt_buffer_printf(out, "links:");
    for (uint32_t i = 0; i < capabilities->extension_count; i++)
        rt_buffer_printf(out, " %s", capabilities->extensions[i]);
    rt_buffer_printf(out, "%s\n", capabilities->extension_count == 0 ? " nothing" : "");
    words_write(out, "aspects", capabilities->aspects, DEV_ASPECT_COUNT, aspect_word);
    for (size_t i = 0; i < sizeof flag_rows / sizeof *flag_rows; i++) {
        const bool *flag = (const bool *)((const char *)capabilities + flag_rows[i].at);
        rt_buffer_printf(out, "%s: %s\n", flag_rows[i].name, *flag ? "yes" : "no");
    }
    rt_buffer_printf(out, "local memory: %" PRIu64 " bytes\nwork-group: %u work-items\n",
                     capabilities->local_size_max, capabilities->group_size_max);
    if (capabilities->part_alignment > 0)
        rt_buffer_printf(out, "sub-buffers: at multiples of %u bytes\n",
                         capabilities->part_alignment);
    rt_buffer_printf(out, "sub-groups:");
    for (uint32_t size = 1; size <= 64; size++)
        if (capabilities->sub_group_sizes >> (size - 1) & 1) rt_buffer_printf(out, " %u", size);
    rt_buffer_printf(out, "%s\n",
                     capabilities->sub_group_sizes == 0 ? " none that can be required" : "");
}
