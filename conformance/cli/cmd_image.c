/* assay image: shows and converts files with device images. */
#include "conformance/cli/commands.h"
#include "conformance/cli/image_text.h"
#include "reference/image/compression.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a file with images; an ELF file has code for the host beside them. */
#define IMAGE_FILE_SIZE_MAX (1024u << 20)

typedef struct image_command {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer content; /* of the file; what is read points into it */
    rt_image_file file;
    rt_device_binaries decompressed;
} image_command;

static int refused(const image_command *command, rt_text name, rt_status status)
{
    rt_text message = rt_sink_diagnostic(command->sink, status)->message;
    fprintf(stderr, "assay: %.*s: %.*s\n", RT_TEXT_ARG(name), RT_TEXT_ARG(message));
    return CNF_EXIT_USAGE;
}

static rt_status file_open(image_command *command, rt_text name)
{
    RT_TRY(cnf_file_read(command->sink, name, IMAGE_FILE_SIZE_MAX, &command->content));
    RT_TRY(rt_image_file_read(command->sink, &command->arena, rt_buffer_bytes(&command->content),
                              &command->file));
    return rt_device_binaries_decompress(command->sink, &command->arena, command->file.binaries,
                                         &command->decompressed);
}

static int show(image_command *command)
{
    rt_buffer text = {0};
    cnf_image_text(&text, &command->file, command->decompressed);
    bool printed = cnf_command_print(&text, "the text");
    rt_buffer_free(&text);
    return printed ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}

/* ---- Conversion ---------------------------------------------------------------------------- */

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

/* One conversion: appends what goes to the file OUT, and writes what goes beside it. */
typedef rt_status converter(image_command *command, const cnf_arguments *arguments, rt_text name,
                            rt_buffer *out, bool *out_written);

static rt_status to_syclbin(image_command *command, const cnf_arguments *arguments, rt_text name,
                            rt_buffer *out, bool *out_written)
{
    (void)arguments;
    (void)name;
    *out_written = true;
    rt_syclbin syclbin = command->file.syclbin;
    if (command->file.kind != RT_IMAGE_FILE_SYCLBIN)
        RT_TRY(rt_syclbin_of(command->sink, &command->arena, command->decompressed, &syclbin));
    return rt_syclbin_write(command->sink, out, &syclbin);
}

static rt_status to_c(image_command *command, const cnf_arguments *arguments, rt_text name,
                      rt_buffer *out, bool *out_written)
{
    (void)name;
    *out_written = true;
    const char *layout = arguments->values[CNF_OPTION_LAYOUT];
    rt_device_binaries binaries = command->decompressed;
    if (arguments->values[CNF_OPTION_COMPRESS])
        binaries = rt_device_binaries_compress(&command->arena, binaries);
    return rt_fat_binary_write_c(
        command->sink, out, layout && strcmp(layout, "96") == 0 ? RT_FAT_96 : RT_FAT_80, binaries);
}

/* The file that a row of the table names: OUT_0.spv and so on.  The table has the name alone. */
static const char *part_write(image_command *command, rt_text name, uint32_t index,
                              const char *ending, rt_bytes content, bool *written)
{
    rt_text part = rt_arena_printf(&command->arena, "%.*s_%u.%s", RT_TEXT_ARG(name), index, ending);
    *written = *written && file_write(part.data, content);
    const char *slash = strrchr(part.data, '/');
    return slash ? slash + 1 : part.data;
}

static rt_status row_write(image_command *command, rt_text name, uint32_t index, rt_buffer *out,
                           bool *written)
{
    const rt_device_binary *binary = &command->decompressed.items[index];
    if (binary->compile_options.length > 0 || binary->link_options.length > 0) {
        return rt_fail(command->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %u has options, which the text form has no place for", index);
    }
    rt_buffer properties = {0}, entries = {0};
    rt_status status = rt_property_text_write(command->sink, &properties, binary->properties);
    for (uint32_t i = 0; i < binary->entry_count; i++) {
        rt_buffer_append_text(&entries, binary->entries[i]);
        rt_buffer_append_byte(&entries, '\n');
    }
    if (rt_ok(status)) {
        rt_binary_format format = rt_binary_format_of(binary->code);
        const char *ending = format == RT_BINARY_SPIRV          ? "spv"
                             : format == RT_BINARY_LLVM_BITCODE ? "bc"
                                                                : "bin";
        const char *code = part_write(command, name, index, ending, binary->code, written);
        const char *prop =
            part_write(command, name, index, "prop", rt_buffer_bytes(&properties), written);
        const char *sym =
            part_write(command, name, index, "sym", rt_buffer_bytes(&entries), written);
        rt_buffer_printf(out, "%s|%s|%s\n", code, prop, sym);
    }
    rt_buffer_free(&properties);
    rt_buffer_free(&entries);
    return status;
}

static rt_status to_text(image_command *command, const cnf_arguments *arguments, rt_text name,
                         rt_buffer *out, bool *out_written)
{
    (void)arguments;
    *out_written = true;
    rt_buffer_printf(out, "[Code|Properties|Symbols]\n");
    for (uint32_t i = 0; i < command->decompressed.count; i++)
        RT_TRY(row_write(command, name, i, out, out_written));
    return RT_STATUS_OK;
}

static const struct conversion {
    const char *name;
    converter *convert;
} conversions[] = {{"syclbin", to_syclbin}, {"text", to_text}, {"c", to_c}};

static const struct conversion *conversion_find(const cnf_arguments *arguments)
{
    const char *name = arguments->values[CNF_OPTION_TO];
    for (size_t i = 0; name && i < sizeof conversions / sizeof *conversions; i++)
        if (strcmp(conversions[i].name, name) == 0) return &conversions[i];
    fprintf(stderr, "assay: image convert: expected --to syclbin, --to text or --to c\n");
    return NULL;
}

static int convert(image_command *command, const cnf_arguments *arguments,
                   const struct conversion *conversion)
{
    rt_text name = arguments->paths[2];
    rt_buffer out = {0};
    bool written = true;
    int exit_status = CNF_EXIT_EXPECTED;
    rt_status status = conversion->convert(command, arguments, name, &out, &written);
    if (!rt_ok(status)) {
        exit_status = refused(command, arguments->paths[1], status);
    } else if (!written ||
               !file_write(rt_arena_text(&command->arena, name).data, rt_buffer_bytes(&out))) {
        exit_status = CNF_EXIT_INFRASTRUCTURE;
    }
    rt_buffer_free(&out);
    return exit_status;
}

/* ---- The command --------------------------------------------------------------------------- */

static bool layout_known(const cnf_arguments *arguments)
{
    const char *layout = arguments->values[CNF_OPTION_LAYOUT];
    if (!layout || strcmp(layout, "80") == 0 || strcmp(layout, "96") == 0) return true;
    fprintf(stderr, "assay: --layout %s: expected 80 or 96\n", layout);
    return false;
}

int cnf_image_command(const cnf_arguments *arguments)
{
    bool shows = arguments->path_count == 2 && rt_text_is(arguments->paths[0], "show");
    bool converts = arguments->path_count == 3 && rt_text_is(arguments->paths[0], "convert");
    if (!shows && !converts) {
        fprintf(stderr, "assay: image: expected show FILE, or convert FILE --to KIND OUT\n");
        return CNF_EXIT_USAGE;
    }
    const struct conversion *conversion = converts ? conversion_find(arguments) : NULL;
    if ((converts && !conversion) || !layout_known(arguments)) return CNF_EXIT_USAGE;
    image_command command = {.sink = rt_sink_create()};
    rt_status status = file_open(&command, arguments->paths[1]);
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status))
        exit_status = refused(&command, arguments->paths[1], status);
    else
        exit_status = conversion ? convert(&command, arguments, conversion) : show(&command);
    rt_buffer_free(&command.content);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return exit_status;
}
