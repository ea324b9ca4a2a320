/* Lists kernels, and makes the files of their launches. */
#include "conformance/cli/kernels.h"

#include "conformance/cli/commands.h"
#include "conformance/cli/manifest.h"
#include "conformance/cli/module_compile.h"
#include "conformance/scenario/model/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROPOSED_COUNT = 64 }; /* work-items, and elements of buffers, of the proposed command */

static const cnf_launch_origin command_line = {.line = 0};

bool cnf_kernels_wanted(const cnf_arguments *arguments)
{
    return arguments->values[CNF_OPTION_KERNELS] ||
           (arguments->path_count > 0 && cnf_launch_is_kernel_file(arguments->paths[0]));
}

bool cnf_kernels_listed(const cnf_arguments *arguments)
{
    static const cnf_option_id launching[] = {
        CNF_OPTION_KERNEL, CNF_OPTION_RANGE,   CNF_OPTION_LOCAL, CNF_OPTION_OFFSET,
        CNF_OPTION_ARG,    CNF_OPTION_KERNELS, CNF_OPTION_DUMP,  CNF_OPTION_DUMP_NPY,
        CNF_OPTION_SAVE,   CNF_OPTION_BLESS};
    for (size_t i = 0; i < sizeof launching / sizeof *launching; i++)
        if (arguments->values[launching[i]]) return false;
    return true;
}

/* Reads the kernels of all images into one outline. */
static cnf_spirv_outline images_outline(rt_arena *arena, rt_image_list images)
{
    RT_VECTOR(cnf_kernel_outline) kernels = {0};
    for (uint32_t i = 0; i < images.count; i++) {
        cnf_spirv_outline outline;
        if (!cnf_spirv_outline_read(arena, images.images[i].code, &outline)) continue;
        for (uint32_t k = 0; k < outline.kernel_count; k++)
            *rt_vector_push(&kernels) = outline.kernels[k];
    }
    cnf_spirv_outline whole = {
        rt_arena_copy(arena, kernels.items, kernels.count, sizeof(cnf_kernel_outline)),
        kernels.count};
    rt_vector_free(&kernels);
    return whole;
}

int cnf_kernels_outline(rt_arena *arena, const cnf_run_options *run, const scn_scenario *scenario,
                        bool run_reports, cnf_spirv_outline *out)
{
    rt_sink *sink = rt_sink_create();
    rt_text warning;
    cnf_cache *cache = cnf_cache_open(run->cache, &warning);
    rt_image_list images = {0};
    rt_device_global_list globals;
    CHECK(scenario->module_count == 1);
    int status = cnf_module_compile(sink, arena, cache, run, scenario, &scenario->modules[0],
                                    run_reports, &images, &globals);
    *out = images_outline(arena, images);
    cnf_cache_close(cache);
    rt_sink_destroy(sink);
    return status;
}

/* Makes the launch's file and reads the kernels of its module, which is compiled here.
 * *out_is_refused: it does not compile, which the run of the file reports. Returns an exit status.
 */
static int launch_outline(rt_arena *arena, const cnf_run_options *run, const cnf_launch *launch,
                          cnf_file *out_file, cnf_spirv_outline *out, bool *out_is_refused)
{
    const scn_scenario *scenario = NULL;
    int status = cnf_launch_file(arena, launch, out_file, &scenario);
    *out = (cnf_spirv_outline){0};
    *out_is_refused = launch->errors != NULL;
    if (status != CNF_EXIT_EXPECTED || *out_is_refused) return status;
    status = cnf_kernels_outline(arena, run, scenario, true, out);
    *out_is_refused = status == CNF_EXIT_UNEXPECTED;
    return *out_is_refused ? CNF_EXIT_EXPECTED : status;
}

/* ---- Listing ------------------------------------------------------------------------------- */

/* Appends a parameter's declaration: "global float *in". */
static void parameter_append(rt_buffer *out, const cnf_parameter *parameter)
{
    static const char *const spaces[] = {
        [CNF_PARAMETER_GLOBAL] = "global ", [CNF_PARAMETER_CONSTANT] = "constant ",
        [CNF_PARAMETER_LOCAL] = "local ",   [CNF_PARAMETER_VALUE] = "",
        [CNF_PARAMETER_OTHER] = "",
    };
    bool is_pointer = parameter->kind == CNF_PARAMETER_GLOBAL ||
                      parameter->kind == CNF_PARAMETER_CONSTANT ||
                      parameter->kind == CNF_PARAMETER_LOCAL;
    rt_buffer_printf(out, "%s", spaces[parameter->kind]);
    if (parameter->type.length > 0)
        rt_buffer_append_text(out, parameter->type);
    else if (parameter->size > 0)
        rt_buffer_printf(out, "struct of %" PRIu64 " bytes", parameter->size);
    else
        rt_buffer_printf(out, "opaque");
    rt_buffer_printf(out, "%s%.*s",
                     is_pointer                   ? " *"
                     : parameter->name.length > 0 ? " "
                                                  : "",
                     RT_TEXT_ARG(parameter->name));
}

/* Appends a zero of the type, as --arg takes it. */
static void zero_append(rt_buffer *out, const cnf_parameter *parameter)
{
    if (parameter->type.length == 0) {
        rt_buffer_printf(out, "bytes:");
        for (uint64_t i = 0; i < parameter->size; i++)
            rt_buffer_printf(out, "00");
        return;
    }
    rt_buffer_printf(out, "%.*s:", RT_TEXT_ARG(parameter->type));
    scn_type type;
    uint32_t lanes = 1;
    (void)scn_type_find(parameter->type, &type, &lanes);
    for (uint32_t lane = 0; lane < lanes; lane++)
        rt_buffer_printf(out, "%s1", lanes == 1 ? "" : lane == 0 ? "[" : ",");
    if (lanes > 1) rt_buffer_append_byte(out, ']');
}

/* Appends the argument that the proposed command passes. */
static void argument_append(rt_buffer *out, const cnf_parameter *parameter, uint32_t index)
{
    rt_buffer word = {0};
    if (parameter->name.length > 0)
        rt_buffer_printf(&word, "%.*s=", RT_TEXT_ARG(parameter->name));
    else
        rt_buffer_printf(&word, "p%u=", index + 1);
    rt_text type = parameter->type;
    bool is_scalar =
        type.length > 0 && (type.data[type.length - 1] < '0' || type.data[type.length - 1] > '9');
    uint64_t count = PROPOSED_COUNT;
    if (type.length == 0 && parameter->kind != CNF_PARAMETER_VALUE) {
        type = RT_TEXT("uchar");
        count *= parameter->size > 0 ? parameter->size : 1;
    }
    switch (parameter->kind) {
    case CNF_PARAMETER_GLOBAL:
    case CNF_PARAMETER_CONSTANT:
        rt_buffer_printf(&word, "%.*s[%" PRIu64 "]%s", RT_TEXT_ARG(type), count,
                         is_scalar && parameter->type.length > 0 ? ":iota" : ":random");
        break;
    case CNF_PARAMETER_LOCAL:
        rt_buffer_printf(&word, "local %.*s[%" PRIu64 "]", RT_TEXT_ARG(type), count);
        break;
    case CNF_PARAMETER_VALUE: zero_append(&word, parameter); break;
    case CNF_PARAMETER_OTHER: UNREACHABLE(); /* kernel_to_propose */
    }
    rt_buffer_printf(out, " --arg ");
    cnf_shell_word_append(out, rt_buffer_text(&word));
    rt_buffer_free(&word);
}

/* The first kernel whose parameters can all be passed from the command line; NULL: none. */
static const cnf_kernel_outline *kernel_to_propose(const cnf_spirv_outline *outline)
{
    for (uint32_t i = 0; i < outline->kernel_count; i++) {
        const cnf_kernel_outline *kernel = &outline->kernels[i];
        uint32_t index = 0;
        while (index < kernel->parameter_count &&
               kernel->parameters[index].kind != CNF_PARAMETER_OTHER)
            index++;
        if (index == kernel->parameter_count) return kernel;
    }
    return NULL;
}

static void proposal_append(rt_buffer *out, const cnf_arguments *arguments,
                            const cnf_spirv_outline *outline)
{
    const cnf_kernel_outline *kernel = kernel_to_propose(outline);
    if (!kernel) {
        rt_buffer_printf(out, "no kernel can be run from here: each has an opaque parameter, such "
                              "as an image, for which there is no argument\n");
        return;
    }
    rt_buffer_printf(out, "run it: assay run");
    for (uint32_t i = 0; i < arguments->path_count; i++) {
        rt_buffer_append_byte(out, ' ');
        cnf_shell_word_append(out, arguments->paths[i]);
    }
    rt_buffer_printf(out, " --kernel ");
    cnf_shell_word_append(out, kernel->name);
    rt_buffer_printf(out, " --range %u", PROPOSED_COUNT);
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        const cnf_given *given = &arguments->given[i];
        const char *name = cnf_launch_option(given->id);
        if (!name) continue;
        rt_buffer_printf(out, " %s%s", name, *name ? " " : "");
        cnf_shell_word_append(out, rt_text_of(given->value));
    }
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        argument_append(out, &kernel->parameters[i], i);
    rt_buffer_append_byte(out, '\n');
}

int cnf_kernels_list(rt_arena *arena, const cnf_arguments *arguments, const cnf_run_options *run,
                     cnf_files *out_files)
{
    cnf_toolchain toolchain;
    cnf_toolchain_find(&toolchain);
    cnf_launch launch;
    cnf_file *file = rt_arena_alloc(arena, sizeof *file);
    cnf_spirv_outline outline = {0};
    bool is_refused = false;
    *out_files = (cnf_files){file, 0};
    int status = cnf_launch_read(arena, &toolchain, arguments, &command_line, &launch);
    if (status == CNF_EXIT_EXPECTED)
        status = launch_outline(arena, run, &launch, file, &outline, &is_refused);
    out_files->count = is_refused;
    if (status != CNF_EXIT_EXPECTED || is_refused) return status;
    rt_buffer text = {0};
    for (uint32_t i = 0; i < outline.kernel_count; i++) {
        const cnf_kernel_outline *kernel = &outline.kernels[i];
        rt_buffer_printf(&text, "%.*s(", RT_TEXT_ARG(kernel->name));
        for (uint32_t k = 0; k < kernel->parameter_count; k++) {
            if (k > 0) rt_buffer_printf(&text, ", ");
            parameter_append(&text, &kernel->parameters[k]);
        }
        rt_buffer_printf(&text, ")\n");
    }
    if (outline.kernel_count > 0) {
        proposal_append(&text, arguments, &outline);
    } else {
        fprintf(stderr, "assay: %.*s has no kernel\n", RT_TEXT_ARG(launch.sources[0].file));
        status = CNF_EXIT_NOTHING_RAN;
    }
    int printed = cnf_command_finish(&text, "the kernels");
    return status == CNF_EXIT_EXPECTED ? printed : status;
}

/* ---- Running ------------------------------------------------------------------------------- */

/* The launch of the command line. The module is compiled here, which also fills the cache for the
 * run, so that the kernel and its parameters can be checked if there are any. */
static int launch_make(rt_arena *arena, const cnf_toolchain *toolchain,
                       const cnf_arguments *arguments, const cnf_run_options *run,
                       cnf_files *out_files, cnf_launch *out_launch)
{
    if (!arguments->values[CNF_OPTION_KERNEL]) {
        fprintf(stderr,
                "assay: the launch needs --kernel NAME; without options, assay run %.*s "
                "lists the kernels\n",
                RT_TEXT_ARG(arguments->paths[0]));
        return CNF_EXIT_USAGE;
    }
    cnf_file *file = rt_arena_alloc(arena, sizeof *file);
    cnf_spirv_outline outline;
    int status = cnf_launch_read(arena, toolchain, arguments, &command_line, out_launch);
    if (status == CNF_EXIT_EXPECTED)
        status = launch_outline(arena, run, out_launch, file, &outline, &out_launch->is_refused);
    if (status == CNF_EXIT_EXPECTED && !out_launch->is_refused)
        status = cnf_launch_check(out_launch, &outline);
    *out_files = (cnf_files){file, 1};
    return status;
}

int cnf_kernels_files(rt_arena *arena, const cnf_arguments *arguments, const cnf_run_options *run,
                      cnf_files *out_files, cnf_launch *out_launch)
{
    *out_launch = (cnf_launch){0};
    cnf_toolchain toolchain;
    cnf_toolchain_find(&toolchain);
    const char *manifest = arguments->values[CNF_OPTION_KERNELS];
    if (!manifest) return launch_make(arena, &toolchain, arguments, run, out_files, out_launch);
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        const char *name = cnf_launch_option(arguments->given[i].id);
        bool bars = name || arguments->given[i].id == CNF_OPTION_SAVE;
        if (!bars) continue;
        fprintf(stderr,
                "assay: %s %s cannot be combined with --kernels, whose manifest has the "
                "options of each launch\n",
                name ? name : "--save", arguments->given[i].value);
        return CNF_EXIT_USAGE;
    }
    if (arguments->path_count > 0) {
        fprintf(stderr,
                "assay: '%.*s' cannot be combined with --kernels, whose manifest names the "
                "files\n",
                RT_TEXT_ARG(arguments->paths[0]));
        return CNF_EXIT_USAGE;
    }
    return cnf_manifest_read(arena, &toolchain, manifest, out_files);
}
