/* Conversion of device images, one function per kind of file. */
#include "conformance/cli/image_convert.h"

#include "reference/image/compression.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void file_make(cnf_conversion *conversion, const char *name, const rt_buffer *content)
{
    rt_bytes bytes = rt_arena_bytes(conversion->arena, rt_buffer_bytes(content));
    *rt_vector_push(&conversion->made) = (cnf_made_file){name, bytes};
}

static rt_status to_syclbin(cnf_conversion *conversion, rt_buffer *out)
{
    if (conversion->syclbin) return rt_syclbin_write(conversion->sink, out, conversion->syclbin);
    rt_syclbin syclbin;
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

static const char *code_ending(const rt_device_binary *binary)
{
    rt_binary_format format = rt_binary_format_of(binary->code);
    /* An NVIDIA image may also be machine code; PTX is text, which LLVM starts with a comment. */
    rt_text text = {(const char *)binary->code.data, binary->code.size};
    bool ptx = rt_text_is(binary->target, rt_format_target(RT_FORMAT_PTX));
    if (ptx && rt_text_starts(text, "//")) return "ptx";
    if (format == RT_BINARY_SPIRV) return "spv";
    return format == RT_BINARY_LLVM_BITCODE ? "bc" : "bin";
}

static rt_status row_make(cnf_conversion *conversion, uint32_t index, rt_buffer *out)
{
    const rt_device_binary *binary = &conversion->binaries.items[index];
    if (binary->compile_options.length > 0 || binary->link_options.length > 0) {
        return rt_fail(conversion->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %u has options, which the text form has no place for", index);
    }
    rt_buffer code = {0}, properties = {0}, entries = {0};
    rt_buffer_append(&code, binary->code.data, binary->code.size);
    for (uint32_t i = 0; i < binary->entry_count; i++) {
        rt_buffer_append_text(&entries, binary->entries[i]);
        rt_buffer_append_byte(&entries, '\n');
    }
    rt_status status = rt_property_text_write(conversion->sink, &properties, binary->properties);
    if (rt_ok(status)) {
        const char *ending = code_ending(binary);
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

rt_status cnf_image_convert(cnf_conversion *conversion, const cnf_image_kind *kind,
                            const char *ending)
{
    CHECK(conversion->name.length > 0);
    rt_buffer out = {0};
    rt_status status = kind->convert(conversion, &out);
    rt_text file =
        rt_arena_printf(conversion->arena, "%.*s%s", RT_TEXT_ARG(conversion->name), ending);
    if (rt_ok(status)) file_make(conversion, file.data, &out);
    rt_buffer_free(&out);
    return status;
}

/* ---- Files --------------------------------------------------------------------------------- */

static bool file_write(const char *name, rt_bytes content)
{
    errno = 0;
    FILE *file = fopen(name, "wb");
    bool written =
        file && (content.size == 0 || fwrite(content.data, 1, content.size, file) == content.size);
    if (file && fclose(file) != 0) written = false;
    if (!written) fprintf(stderr, "assay: %s cannot be written: %s\n", name, strerror(errno));
    return written;
}

bool cnf_made_files_write(const cnf_conversion *conversion)
{
    for (uint32_t i = 0; i < conversion->made.count; i++)
        if (!file_write(conversion->made.items[i].name, conversion->made.items[i].content))
            return false;
    return true;
}

void cnf_made_files_free(cnf_conversion *conversion)
{
    rt_vector_free(&conversion->made);
}

bool cnf_layout_read(const char *text, rt_fat_layout *out_layout)
{
    *out_layout = text && strcmp(text, "96") == 0 ? RT_FAT_96 : RT_FAT_80;
    if (!text || *out_layout == RT_FAT_96 || strcmp(text, "80") == 0) return true;
    fprintf(stderr, "assay: --layout %s: expected 80 or 96\n", text);
    return false;
}
