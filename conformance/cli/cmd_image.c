/* assay image: prints and converts files with device images. */
#include "conformance/cli/commands.h"
#include "conformance/cli/image_convert.h"
#include "conformance/cli/image_runtime.h"
#include "conformance/cli/image_text.h"
#include "reference/image/compression.h"

/* The largest file with images, in bytes; an ELF file also contains host code. */
#define IMAGE_FILE_SIZE_MAX (1024u << 20)

typedef struct image_command {
    rt_sink *sink;
    rt_arena arena;
    rt_buffer content; /* the file's bytes, into which `file` points */
    rt_image_file file;
    rt_device_binaries decompressed;
} image_command;

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
    return cnf_image_convert(&conversion, kind, "", arguments->paths[1]);
}

int cnf_image_command(const cnf_arguments *arguments)
{
    const bool runs = arguments->values[CNF_OPTION_RUNTIME] != NULL;
    if (runs && arguments->path_count >= 2 && rt_text_is(arguments->paths[0], "show"))
        return cnf_image_runtime(arguments);
    bool shows = !runs && arguments->path_count == 2 && rt_text_is(arguments->paths[0], "show");
    bool converts =
        !runs && arguments->path_count == 3 && rt_text_is(arguments->paths[0], "convert");
    if (!shows && !converts) {
        fprintf(stderr, "assay: image: expected show FILE, show --runtime PROGRAM, or "
                        "convert FILE --to KIND OUT\n");
        return CNF_EXIT_USAGE;
    }
    const cnf_image_kind *kind = cnf_image_kind_find(arguments->values[CNF_OPTION_TO]);
    if (converts && !kind) {
        fprintf(stderr, "assay: image convert: expected --to syclbin, --to text or --to c\n");
        return CNF_EXIT_USAGE;
    }
    rt_fat_layout layout;
    if (!cnf_layout_read(arguments->values[CNF_OPTION_LAYOUT], &layout)) return CNF_EXIT_USAGE;
    image_command command = {.sink = rt_sink_create()};
    rt_text name = arguments->paths[1];
    rt_status status = cnf_file_read(command.sink, name, IMAGE_FILE_SIZE_MAX, &command.content);
    if (rt_ok(status))
        status = rt_image_file_read(command.sink, &command.arena, rt_buffer_bytes(&command.content),
                                    &command.file);
    if (rt_ok(status))
        status = rt_device_binaries_decompress(command.sink, &command.arena, command.file.binaries,
                                               &command.decompressed);
    int exit_status = CNF_EXIT_USAGE;
    if (!rt_ok(status)) {
        cnf_command_fail(command.sink, status, name);
    } else if (converts) {
        exit_status = convert(&command, arguments, kind, layout);
    } else {
        rt_buffer text = {0};
        CHECK(command.file.binaries.count == command.decompressed.count);
        cnf_image_text(&text, &command.file, command.decompressed);
        exit_status = cnf_command_finish(&text, "the text");
    }
    rt_buffer_free(&command.content);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return exit_status;
}
