/* Conversion of device images, one function per kind of file. */
#include "conformance/cli/image_convert.h"

#include "conformance/cli/commands.h"
#include "reference/image/compression.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void file_make(cnf_conversion *conversion, const char *name, const rt_buffer *content)
{
    rt_bytes bytes = rt_arena_bytes(conversion->arena, rt_buffer_bytes(content));
    *rt_vector_push(&conversion->outputs) = (cnf_output_file){name, bytes};
}

static rt_status to_syclbin(cnf_conversion *conversion, rt_buffer *out)
{
    rt_syclbin syclbin;
    if (conversion->syclbin)
        syclbin = *conversion->syclbin;
    else
        RT_TRY(rt_syclbin_of(conversion->sink, conversion->arena, conversion->binaries, &syclbin));
    return rt_syclbin_write(conversion->sink, out, &syclbin);
}

static rt_status to_c(cnf_conversion *conversion, rt_buffer *out)
{
    rt_device_binaries binaries = conversion->binaries;
    if (conversion->compresses) binaries = rt_device_binaries_compress(conversion->arena, binaries);
    return rt_fat_binary_write_c(conversion->sink, out, conversion->layout, binaries);
}

/* Adds a file like OUT_0.spv; returns the name that the table uses, without folders. */
static const char *part_make(cnf_conversion *conversion, uint32_t index, const char *ending,
                             const rt_buffer *content)
{
    rt_text part = rt_arena_printf(conversion->arena, "%.*s_%u.%s", RT_TEXT_ARG(conversion->name),
                                   index, ending);
    file_make(conversion, part.data, content);
    const char *slash = strrchr(part.data, '/');
    return slash ? slash + 1 : part.data;
}

static rt_status row_make(cnf_conversion *conversion, uint32_t index, rt_buffer *out)
{
    const rt_device_binary *binary = &conversion->binaries.items[index];
    if (binary->compile_options.length > 0 || binary->link_options.length > 0) {
        return rt_fail(conversion->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %u has options, which the text form cannot represent", index);
    }
    rt_buffer code = {0}, properties = {0}, entries = {0};
    rt_buffer_append(&code, binary->code.data, binary->code.size);
    for (uint32_t i = 0; i < binary->entry_count; i++) {
        rt_buffer_append_text(&entries, binary->entries[i]);
        rt_buffer_append_byte(&entries, '\n');
    }
    rt_status status = rt_property_text_write(conversion->sink, &properties, binary->properties);
    if (rt_ok(status)) {
        rt_binary_format format = rt_binary_format_of(binary->code);
        /* An NVIDIA image may also be machine code; PTX is text, which LLVM starts with a comment.
         */
        bool is_ptx = rt_text_is(binary->target, rt_format_target(RT_FORMAT_PTX)) &&
                      rt_text_starts(rt_buffer_text(&code), "//");
        const char *ending = is_ptx                             ? "ptx"
                             : format == RT_BINARY_SPIRV        ? "spv"
                             : format == RT_BINARY_LLVM_BITCODE ? "bc"
                                                                : "bin";
        rt_buffer_printf(out, "%s|", part_make(conversion, index, ending, &code));
        rt_buffer_printf(out, "%s|", part_make(conversion, index, "prop", &properties));
        rt_buffer_printf(out, "%s\n", part_make(conversion, index, "sym", &entries));
    }
    rt_buffer_free(&code);
    rt_buffer_free(&properties);
    rt_buffer_free(&entries);
    return status;
}

static rt_status to_text(cnf_conversion *conversion, rt_buffer *out)
{
    rt_buffer_printf(out, "[Code|Properties|Symbols]\n");
    for (uint32_t i = 0; i < conversion->binaries.count; i++)
        RT_TRY(row_make(conversion, i, out));
    return RT_STATUS_OK;
}

static const cnf_image_kind kinds[] = {
    {"syclbin", ".syclbin", false, to_syclbin},
    {"text", ".table", true, to_text},
    {"c", ".c", true, to_c},
};

const cnf_image_kind *cnf_image_kind_find(const char *name)
{
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

int cnf_image_convert(cnf_conversion *conversion, const cnf_image_kind *kind, const char *ending,
                      rt_text context)
{
    CHECK(conversion->name.length > 0);
    CHECK(conversion->outputs.count == 0);
    rt_buffer out = {0};
    rt_status status = kind->convert(conversion, &out);
    rt_text file =
        rt_arena_printf(conversion->arena, "%.*s%s", RT_TEXT_ARG(conversion->name), ending);
    if (rt_ok(status))
        file_make(conversion, file.data, &out);
    else
        cnf_command_fail(conversion->sink, status, context);
    rt_buffer_free(&out);
    int exit_status = rt_ok(status) ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
    for (uint32_t i = 0; i < conversion->outputs.count && exit_status == CNF_EXIT_EXPECTED; i++) {
        const cnf_output_file *output = &conversion->outputs.items[i];
        errno = 0;
        FILE *stream = fopen(output->name, "wb");
        bool written = stream && (output->content.size == 0 ||
                                  fwrite(output->content.data, 1, output->content.size, stream) ==
                                      output->content.size);
        if (stream && fclose(stream) != 0) written = false;
        if (written) continue;
        fprintf(stderr, "assay: %s cannot be written: %s\n", output->name, strerror(errno));
        exit_status = CNF_EXIT_INFRASTRUCTURE;
    }
    rt_vector_free(&conversion->outputs);
    return exit_status;
}

bool cnf_layout_read(const char *text, rt_fat_layout *out_layout)
{
    *out_layout = text && strcmp(text, "96") == 0 ? RT_FAT_96 : RT_FAT_80;
    if (!text || *out_layout == RT_FAT_96 || strcmp(text, "80") == 0) return true;
    fprintf(stderr, "assay: --layout %s: expected 80 or 96\n", text);
    return false;
}
