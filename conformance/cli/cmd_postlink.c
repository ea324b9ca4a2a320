/* assay postlink: builds images from device code, and prints and writes them. */
#include "conformance/build/compile.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/image_convert.h"
#include "conformance/cli/module_compile.h"
#include "conformance/cli/postlink_input.h"
#include "conformance/cli/postlink_text.h"
#include "conformance/cli/run_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct postlink_command {
    const cnf_arguments *arguments;
    rt_sink *sink;
    rt_arena arena;
    cnf_postlink_input input;
    cnf_postlinked *modules;    /* of the input, in its order */
    const cnf_image_kind *kind; /* NULL: no files are written */
    rt_fat_layout layout;
} postlink_command;

/* ---- Compilation --------------------------------------------------------------------------- */

static int module_make(postlink_command *command, cnf_cache *cache, const cnf_run_options *run,
                       uint32_t index)
{
    CHECK(index < command->input.module_count);
    const scn_module *module = &command->input.modules[index];
    cnf_postlinked *result = &command->modules[index];
    *result = (cnf_postlinked){.module = module->name, .split = cnf_split_name(module->split)};
    return cnf_module_compile(command->sink, &command->arena, cache, run, command->input.model,
                              module, false, &result->images, &result->device_globals);
}

/* Makes the images of all modules, even if one fails; returns the worst status. */
static int modules_make(postlink_command *command)
{
    cnf_run_options run;
    if (!cnf_run_options_read(command->arguments, &run)) return CNF_EXIT_USAGE;
    rt_text warning;
    cnf_cache *cache = cnf_cache_open(run.cache, &warning);
    if (warning.length > 0) fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(warning));
    uint32_t count = command->input.module_count;
    command->modules = rt_arena_alloc_array(&command->arena, count, sizeof *command->modules);
    int worst = CNF_EXIT_EXPECTED;
    for (uint32_t i = 0; i < count; i++) {
        int status = module_make(command, cache, &run, i);
        if (status > worst) worst = status;
    }
    cnf_cache_close(cache);
    return worst;
}

/* ---- Files --------------------------------------------------------------------------------- */

static int module_write(postlink_command *command, const cnf_postlinked *module, const char *folder)
{
    CHECK(command->kind);
    uint32_t count = module->images.count;
    rt_device_binary *binaries = rt_arena_alloc_array(&command->arena, count, sizeof *binaries);
    for (uint32_t i = 0; i < count; i++) {
        const rt_image *image = &module->images.images[i];
        binaries[i] = rt_device_binary_of(image);
        if (command->kind->names_functions)
            rt_device_binary_add_exports(&command->arena, image, &binaries[i]);
    }
    cnf_conversion conversion = {
        .sink = command->sink,
        .arena = &command->arena,
        .binaries = {binaries, count},
        .name = rt_arena_printf(&command->arena, "%s/%.*s", folder, RT_TEXT_ARG(module->module)),
        .layout = command->layout,
        .compresses = command->arguments->values[CNF_OPTION_COMPRESS] != NULL,
    };
    return cnf_image_convert(&conversion, command->kind, command->kind->ending, conversion.name);
}

static int modules_write(postlink_command *command)
{
    const char *folder = command->arguments->values[CNF_OPTION_OUT];
    if (!folder) return CNF_EXIT_EXPECTED;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "assay: -o %s: the folder cannot be created: %s\n", folder,
                strerror(errno));
        return CNF_EXIT_INFRASTRUCTURE;
    }
    int status = CNF_EXIT_EXPECTED;
    for (uint32_t i = 0; i < command->input.module_count && status == CNF_EXIT_EXPECTED; i++)
        status = module_write(command, &command->modules[i], folder);
    return status;
}

/* ---- The command --------------------------------------------------------------------------- */

/* Reads the options of the output files. Returns false after reporting an error on stderr. */
static bool files_choose(postlink_command *command)
{
    const char *const *values = command->arguments->values;
    const char *to = values[CNF_OPTION_TO];
    if (!cnf_layout_read(values[CNF_OPTION_LAYOUT], &command->layout)) return false;
    if (!values[CNF_OPTION_OUT]) {
        bool idle = to || values[CNF_OPTION_LAYOUT] || values[CNF_OPTION_COMPRESS];
        if (idle) fprintf(stderr, "assay: postlink: --to, --layout and --compress need -o DIR\n");
        return !idle;
    }
    command->kind = cnf_image_kind_find(to ? to : "text");
    if (!command->kind) fprintf(stderr, "assay: --to %s: expected text, syclbin or c\n", to);
    return command->kind != NULL;
}

static int images_print(postlink_command *command)
{
    rt_buffer text = {0};
    uint32_t count = command->input.module_count;
    if (command->arguments->values[CNF_OPTION_JSON]) {
        cnf_postlink_json(&text, &command->arena, command->modules, count);
    } else {
        for (uint32_t i = 0; i < count; i++)
            cnf_postlink_text(&text, &command->arena, &command->modules[i]);
    }
    return cnf_command_finish(&text, "the images");
}

int cnf_postlink_command(const cnf_arguments *arguments)
{
    postlink_command command = {.arguments = arguments, .sink = rt_sink_create()};
    int status = CNF_EXIT_USAGE;
    if (files_choose(&command))
        status = cnf_postlink_input_read(arguments, &command.arena, &command.input);
    if (status == CNF_EXIT_EXPECTED) status = modules_make(&command);
    if (status == CNF_EXIT_EXPECTED) status = modules_write(&command);
    if (status == CNF_EXIT_EXPECTED) status = images_print(&command);
    rt_arena_reset(&command.arena);
    rt_sink_destroy(command.sink);
    return status;
}
