/* Reads files into modules; a file's ending determines its language. */
#include "conformance/cli/postlink_input.h"

#include "conformance/cli/commands.h"
#include "conformance/process/files.h"
#include "conformance/scenario/model/build_options.h"
#include "conformance/scenario/model/scenario.h"

#include <stdio.h>
#include <string.h>

#define SCENARIO_ENDING ".yaml"

static const struct ending_row {
    const char *ending;
    scn_language language;
} ending_rows[] = {
    {".cl", SCN_LANGUAGE_OPENCL_C},      {".clcpp", SCN_LANGUAGE_OPENCL_CPP},
    {".ll", SCN_LANGUAGE_LLVM_IR},       {".bc", SCN_LANGUAGE_LLVM_IR},
    {".spvasm", SCN_LANGUAGE_SPIRV_ASM}, {".spv", SCN_LANGUAGE_SPIRV},
};

static const char *const split_names[] = {
#define SPLIT_NAME(split, name) name,
    RT_SPLITS(SPLIT_NAME)
#undef SPLIT_NAME
};

const char *cnf_split_name(rt_split split)
{
    CHECK((unsigned)split < RT_SPLIT_COUNT);
    return split_names[split];
}

/* ---- Files --------------------------------------------------------------------------------- */

/* The part of the file name from its last dot on; empty if it has no dot. */
static rt_text ending_of(rt_text path)
{
    for (size_t i = path.length; i-- > 0 && path.data[i] != '/';)
        if (path.data[i] == '.') return (rt_text){path.data + i, path.length - i};
    return (rt_text){0};
}

/* The file's name without folders or ending. */
static rt_text stem_of(rt_text path)
{
    size_t start = path.length, end = path.length - ending_of(path).length;
    while (start > 0 && path.data[start - 1] != '/')
        start--;
    return (rt_text){path.data + start, end - start};
}

bool cnf_source_language(rt_text path, scn_language *out_language)
{
    rt_text ending = ending_of(path);
    for (size_t i = 0; i < sizeof ending_rows / sizeof *ending_rows; i++) {
        *out_language = ending_rows[i].language;
        if (rt_text_is(ending, ending_rows[i].ending)) return true;
    }
    return false;
}

/* Reads a file into the arena. Returns false after reporting an error on stderr. */
static bool content_read(rt_arena *arena, rt_text path, size_t size_max, rt_text *out_content)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer content = {0};
    rt_status status = cnf_file_read(sink, path, size_max, &content);
    if (rt_ok(status))
        *out_content = rt_arena_text(arena, rt_buffer_text(&content));
    else
        cnf_command_fail(sink, status, (rt_text){0});
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

static int sources_read(const cnf_arguments *arguments, rt_arena *arena, cnf_postlink_input *out)
{
    uint32_t count = arguments->path_count;
    CHECK(count > 0);
    scn_source *sources = rt_arena_alloc_array(arena, count, sizeof *sources);
    for (uint32_t i = 0; i < count; i++) {
        rt_text path = arguments->paths[i];
        scn_language language;
        if (!cnf_source_language(path, &language)) {
            fprintf(stderr,
                    "assay: postlink: %.*s: expected a file *.cl, *.clcpp, *.ll, *.bc, *.spvasm or "
                    "*.spv, or one scenario *.yaml\n",
                    RT_TEXT_ARG(path));
            return CNF_EXIT_USAGE;
        }
        sources[i] = (scn_source){.language = language, .name = path, .file = path};
        if (!content_read(arena, path, RT_IMAGE_SIZE_MAX, &sources[i].code)) return CNF_EXIT_USAGE;
        if (sources[i].code.length > 0) continue;
        fprintf(stderr, "assay: postlink: %.*s is empty\n", RT_TEXT_ARG(path));
        return CNF_EXIT_USAGE;
    }
    out->modules = rt_arena_alloc(arena, sizeof *out->modules);
    out->module_count = 1;
    *out->modules = (scn_module){
        .name = stem_of(arguments->paths[0]), .sources = sources, .source_count = count};
    return CNF_EXIT_EXPECTED;
}

/* ---- Scenarios ----------------------------------------------------------------------------- */

static int scenario_read(rt_text file, rt_arena *arena, cnf_postlink_input *out)
{
    rt_text text;
    scn_problems problems = {0};
    if (!content_read(arena, file, RT_SCENARIO_SIZE_MAX, &text)) return CNF_EXIT_USAGE;
    const scn_scenario *scenario = scn_read(arena, text, file, file, &problems);
    if (!scenario) {
        cnf_command_problems(stderr, file, &problems);
        return CNF_EXIT_USAGE;
    }
    out->model = scenario;
    out->modules = rt_arena_alloc_array(arena, scenario->module_count, sizeof *out->modules);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        if (module->source_count + module->hand_image_count > 0)
            out->modules[out->module_count++] = *module;
    }
    CHECK(out->module_count <= scenario->module_count);
    if (out->module_count > 0) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: postlink: no module of %.*s has device code\n", RT_TEXT_ARG(file));
    return CNF_EXIT_USAGE;
}

/* ---- Options ------------------------------------------------------------------------------- */

/* Applies --split, --format and --build-options to all modules. Returns false after reporting a
 * wrong value on stderr. */
static bool options_apply(const char *const *values, cnf_postlink_input *input)
{
    const char *split_word = values[CNF_OPTION_SPLIT], *format_word = values[CNF_OPTION_FORMAT];
    const char *build_options = values[CNF_OPTION_BUILD];
    uint32_t split = 0;
    while (split_word && split < RT_SPLIT_COUNT && strcmp(split_word, split_names[split]) != 0)
        split++;
    if (split == RT_SPLIT_COUNT) {
        fprintf(stderr, "assay: --split %s: expected off, per_source, per_kernel or auto\n",
                split_word);
        return false;
    }
    rt_format format = format_word ? rt_format_find(rt_text_of(format_word)) : RT_FORMAT_SPIRV64;
    if (format != RT_FORMAT_SPIRV64 && format != RT_FORMAT_NATIVE && format != RT_FORMAT_PTX) {
        fprintf(stderr, "assay: --format %s: expected spirv64, native or ptx\n", format_word);
        return false;
    }
    rt_text refused;
    if (build_options && !scn_build_options_check(rt_text_of(build_options), &refused)) {
        fprintf(stderr, "assay: --build-options: '%.*s' is refused\n", RT_TEXT_ARG(refused));
        return false;
    }
    for (uint32_t i = 0; i < input->module_count; i++) {
        scn_module *module = &input->modules[i];
        if (split_word) module->split = (rt_split)split;
        if (format_word) module->formats = 1u << format;
        if (build_options) module->build_options = rt_text_of(build_options);
    }
    return true;
}

int cnf_postlink_input_read(const cnf_arguments *arguments, rt_arena *arena,
                            cnf_postlink_input *out_input)
{
    *out_input = (cnf_postlink_input){0};
    if (arguments->path_count == 0) {
        fprintf(stderr, "assay: postlink: expected a source file, or a scenario\n");
        return CNF_EXIT_USAGE;
    }
    rt_text first = arguments->paths[0];
    bool scenario = arguments->path_count == 1 && rt_text_is(ending_of(first), SCENARIO_ENDING);
    int status = scenario ? scenario_read(first, arena, out_input)
                          : sources_read(arguments, arena, out_input);
    if (status != CNF_EXIT_EXPECTED) return status;
    CHECK(out_input->module_count > 0);
    return options_apply(arguments->values, out_input) ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}
