/* assay image: prints and converts files with device images. */
#include "conformance/cli/commands.h"
#include "conformance/cli/image_convert.h"
#include "conformance/cli/image_text.h"
#include "reference/image/compression.h"

#include <stdio.h>

/* The largest file with images, in bytes; an ELF file also contains host code. */
#define IMAGE_FILE_SIZE_MAX (1024u << 20)

typedef struct image_command {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer content; /* the file's bytes, into which `file` points */
    rt_image_file file;
    rt_device_binaries decompressed;
} image_command;

static int refused(const image_command *command, rt_text name, rt_status status)
{
    cnf_command_fail(command->sink, status, name);
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

static const cnf_image_kind *kind_find(const cnf_arguments *arguments)
{
    const cnf_image_kind *kind = cnf_image_kind_find(arguments->values[CNF_OPTION_TO]);
    if (!kind)
        fprintf(stderr, "assay: image convert: expected --to syclbin, --to text or --to c\n");
    return kind;
}

static int convert(image_command *command, const cnf_arguments *arguments,
                   const cnf_image_kind *kind, rt_fat_layout layout)
{
    const rt_image_file *file = &command->file;
    cnf_conversion conversion = {
        .sink = command->sink,
        .arena = &command->arena,
        .binaries = command->decompressed,
        .syclbin = file->kind == RT_IMAGE_FILE_SYCLBIN ? &file->syclbin : NULL,
        .name = arguments->paths[2],
        .layout = layout,
        .compresses = arguments->values[CNF_OPTION_COMPRESS] != NULL,
    };
    rt_status status = cnf_image_convert(&conversion, kind, "");
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status))
        exit_status = refused(command, arguments->paths[1], status);
    else if (!cnf_made_files_write(&conversion))
        exit_status = CNF_EXIT_INFRASTRUCTURE;
    cnf_made_files_free(&conversion);
    return exit_status;
}

/* ---- The command --------------------------------------------------------------------------- */

int cnf_image_command(const cnf_arguments *arguments)
{
    bool shows = arguments->path_count == 2 && rt_text_is(arguments->paths[0], "show");
    bool converts = arguments->path_count == 3 && rt_text_is(arguments->paths[0], "convert");
    if (!shows && !converts) {
        fprintf(stderr, "assay: image: expected show FILE, or convert FILE --to KIND OUT\n");
        return CNF_EXIT_USAGE;
    }
    const cnf_image_kind *kind = converts ? kind_find(arguments) : NULL;
    rt_fat_layout layout;
    if (converts && !kind) return CNF_EXIT_USAGE;
    if (!cnf_layout_read(arguments->values[CNF_OPTION_LAYOUT], &layout)) return CNF_EXIT_USAGE;
    image_command command = {.sink = rt_sink_create()};
    rt_status status = file_open(&command, arguments->paths[1]);
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status))
        exit_status = refused(&command, arguments->paths[1], status);
    else
        exit_status = kind ? convert(&command, arguments, kind, layout) : show(&command);
    rt_buffer_free(&command.content);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return exit_status;
}
