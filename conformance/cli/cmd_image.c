/* assay image: shows and converts files with device images. */
#include "conformance/cli/commands.h"
#include "conformance/cli/image_text.h"
#include "reference/base/vector.h"
#include "reference/image/compression.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a file with images; an ELF file has code for the host beside them. */
#define IMAGE_FILE_SIZE_MAX (1024u << 20)

/* A file that a conversion makes; name and content live in the command's arena. */
typedef struct made_file {
    const char *name;
    rt_bytes content;
} made_file;

typedef struct image_command {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer content; /* of the file; what is read points into it */
    rt_image_file file;
    rt_device_binaries decompressed;
    RT_VECTOR(made_file) made; /* written when nothing is refused any more */
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

static void file_make(image_command *command, const char *name, const rt_buffer *content)
{
    rt_bytes bytes = rt_arena_bytes(&command->arena, rt_buffer_bytes(content));
    *rt_vector_push(&command->made) = (made_file){name, bytes};
}

/* One conversion: appends what goes to the file OUT, and makes what goes beside it. */
typedef rt_status converter(image_command *command, const cnf_arguments *arguments, rt_buffer *out);

static rt_status to_syclbin(image_command *command, const cnf_arguments *arguments, rt_buffer *out)
{
    (void)arguments;
    rt_syclbin syclbin = command->file.syclbin;
    if (command->file.kind != RT_IMAGE_FILE_SYCLBIN)
        RT_TRY(rt_syclbin_of(command->sink, &command->arena, command->decompressed, &syclbin));
    return rt_syclbin_write(command->sink, out, &syclbin);
}

static rt_status to_c(image_command *command, const cnf_arguments *arguments, rt_buffer *out)
{
    const char *layout = arguments->values[CNF_OPTION_LAYOUT];
    rt_device_binaries binaries = command->decompressed;
    if (arguments->values[CNF_OPTION_COMPRESS])
        binaries = rt_device_binaries_compress(&command->arena, binaries);
    return rt_fat_binary_write_c(
        command->sink, out, layout && strcmp(layout, "96") == 0 ? RT_FAT_96 : RT_FAT_80, binaries);
}

/* Makes the file OUT_0.spv or its like; the table has its name without folders. */
static const char *part_make(image_command *command, rt_text name, uint32_t index,
                             const char *ending, const rt_buffer *content)
{
    rt_text part = rt_arena_printf(&command->arena, "%.*s_%u.%s", RT_TEXT_ARG(name), index, ending);
    file_make(command, part.data, content);
    const char *slash = strrchr(part.data, '/');
    return slash ? slash + 1 : part.data;
}

static const char *code_ending(rt_bytes code)
{
    rt_binary_format format = rt_binary_format_of(code);
    if (format == RT_BINARY_SPIRV) return "spv";
    return format == RT_BINARY_LLVM_BITCODE ? "bc" : "bin";
}

static rt_status row_make(image_command *command, rt_text name, uint32_t index, rt_buffer *out)
{
    const rt_device_binary *binary = &command->decompressed.items[index];
    if (binary->compile_options.length > 0 || binary->link_options.length > 0) {
        return rt_fail(command->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "image %u has options, which the text form has no place for", index);
    }
    rt_buffer code = {0}, properties = {0}, entries = {0};
    rt_buffer_append(&code, binary->code.data, binary->code.size);
    for (uint32_t i = 0; i < binary->entry_count; i++) {
        rt_buffer_append_text(&entries, binary->entries[i]);
        rt_buffer_append_byte(&entries, '\n');
    }
    rt_status status = rt_property_text_write(command->sink, &properties, binary->properties);
    if (rt_ok(status)) {
        const char *ending = code_ending(binary->code);
        rt_buffer_printf(out, "%s|", part_make(command, name, index, ending, &code));
        rt_buffer_printf(out, "%s|", part_make(command, name, index, "prop", &properties));
        rt_buffer_printf(out, "%s\n", part_make(command, name, index, "sym", &entries));
    }
    rt_buffer_free(&code);
    rt_buffer_free(&properties);
    rt_buffer_free(&entries);
    return status;
}

static rt_status to_text(image_command *command, const cnf_arguments *arguments, rt_buffer *out)
{
    rt_buffer_printf(out, "[Code|Properties|Symbols]\n");
    for (uint32_t i = 0; i < command->decompressed.count; i++)
        RT_TRY(row_make(command, arguments->paths[2], i, out));
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
    rt_buffer out = {0};
    rt_status status = conversion->convert(command, arguments, &out);
    if (rt_ok(status))
        file_make(command, rt_arena_text(&command->arena, arguments->paths[2]).data, &out);
    rt_buffer_free(&out);
    if (!rt_ok(status)) return refused(command, arguments->paths[1], status);
    for (uint32_t i = 0; i < command->made.count; i++)
        if (!file_write(command->made.items[i].name, command->made.items[i].content))
            return CNF_EXIT_INFRASTRUCTURE;
    return CNF_EXIT_EXPECTED;
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
    rt_vector_free(&command.made);
    rt_buffer_free(&command.content);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return exit_status;
}
