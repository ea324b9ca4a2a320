/* Reads files into modules; a file's ending gives its language. */
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

/* The file name's text from its last dot on; empty without one. */
static rt_text ending_of(rt_text path)
{
    for (size_t i = path.length; i-- > 0 && path.data[i] != '/';)
        if (path.data[i] == '.') return (rt_text){path.data + i, path.length - i};
    return (rt_text){0};
}

/* The file's name without folders and ending. */
static rt_text stem_of(rt_text path)
{
    size_t start = path.length, end = path.length - ending_of(path).length;
    while (start > 0 && path.data[start - 1] != '/')
        start--;
    return (rt_text){path.data + start, end - start};
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

static bool source_read(rt_arena *arena, rt_text path, scn_source *out_source)
{
    const rt_text ending = ending_of(path);
    const struct ending_row *row = NULL;
    for (size_t i = 0; i < sizeof ending_rows / sizeof *ending_rows; i++)
        if (rt_text_is(ending, ending_rows[i].ending)) row = &ending_rows[i];
    if (!row) {
        fprintf(stderr,
                "assay: postlink: %.*s: expected a file *.cl, *.clcpp, *.ll, *.bc, *.spvasm or "
                "*.spv, or one scenario *.yaml\n",
                RT_TEXT_ARG(path));
        return false;
    }
    *out_source = (scn_source){.language = row->language, .name = path, .file = path};
    if (!content_read(arena, path, RT_IMAGE_SIZE_MAX, &out_source->code)) return false;
    if (out_source->code.length > 0) return true;
    fprintf(stderr, "assay: postlink: %.*s is empty\n", RT_TEXT_ARG(path));
    return false;
}

static int sources_read(const cnf_arguments *arguments, rt_arena *arena, cnf_postlink_input *out)
{
    uint32_t count = arguments->path_count;
    scn_source *sources = rt_arena_alloc_array(arena, count, sizeof *sources);
    for (uint32_t i = 0; i < count; i++)
        if (!source_read(arena, arguments->paths[i], &sources[i])) return CNF_EXIT_USAGE;
    out->modules = rt_arena_alloc(arena, sizeof *out->modules);
    out->module_count = 1;
    *out->modules = (scn_module){
        .name = stem_of(arguments->paths[0]), .sources = sources, .source_count = count};
    return CNF_EXIT_EXPECTED;
}

/* ---- Scenarios ----------------------------------------------------------------------------- */

static void problems_print(rt_text file, const scn_problems *problems)
{
    rt_buffer told = {0};
    scn_problems_write(&told, file, problems);
    if (told.size > 0) fprintf(stderr, "%s", rt_buffer_string(&told));
    rt_buffer_free(&told);
}

static int scenario_read(rt_text file, rt_arena *arena, cnf_postlink_input *out)
{
    rt_text text;
    scn_problems problems = {0};
    if (!content_read(arena, file, RT_SCENARIO_SIZE_MAX, &text)) return CNF_EXIT_USAGE;
    const scn_scenario *scenario = scn_read(arena, text, file, file, &problems);
    if (!scenario) {
        problems_print(file, &problems);
        return CNF_EXIT_USAGE;
    }
    out->scenario = file;
    out->modules = rt_arena_alloc_array(arena, scenario->module_count, sizeof *out->modules);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        if (module->source_count + module->hand_image_count > 0)
            out->modules[out->module_count++] = *module;
    }
    if (out->module_count > 0) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: postlink: no module of %.*s has device code\n", RT_TEXT_ARG(file));
    return CNF_EXIT_USAGE;
}

/* ---- Options ------------------------------------------------------------------------------- */

/* The index of a word in a list of names; `count` if it is absent. */
static uint32_t word_find(const char *word, const char *const *names, uint32_t count)
{
    uint32_t index = 0;
    while (index < count && strcmp(word, names[index]) != 0)
        index++;
    return index;
}

static bool split_apply(const char *word, cnf_postlink_input *input)
{
    if (!word) return true;
    uint32_t split = word_find(word, split_names, RT_SPLIT_COUNT);
    for (uint32_t i = 0; split < RT_SPLIT_COUNT && i < input->module_count; i++)
        input->modules[i].split = (rt_split)split;
    if (split == RT_SPLIT_COUNT)
        fprintf(stderr, "assay: --split %s: expected off, per_source, per_kernel or auto\n", word);
    return split < RT_SPLIT_COUNT;
}

static bool format_apply(const char *word, cnf_postlink_input *input)
{
    if (!word) return true;
    rt_format format = rt_format_find(rt_text_of(word));
    if (format != RT_FORMAT_SPIRV64 && format != RT_FORMAT_NATIVE && format != RT_FORMAT_PTX) {
        fprintf(stderr, "assay: --format %s: expected spirv64, native or ptx\n", word);
        return false;
    }
    for (uint32_t i = 0; i < input->module_count; i++)
        input->modules[i].formats = 1u << format;
    return true;
}

static bool build_options_apply(const char *options, cnf_postlink_input *input)
{
    if (!options) return true;
    rt_text refused;
    if (!scn_build_options_check(rt_text_of(options), &refused)) {
        fprintf(stderr, "assay: --build-options: '%.*s' is refused\n", RT_TEXT_ARG(refused));
        return false;
    }
    for (uint32_t i = 0; i < input->module_count; i++)
        input->modules[i].build_options = rt_text_of(options);
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
    bool applied = split_apply(arguments->values[CNF_OPTION_SPLIT], out_input) &&
                   format_apply(arguments->values[CNF_OPTION_FORMAT], out_input) &&
                   build_options_apply(arguments->values[CNF_OPTION_BUILD], out_input);
    return applied ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}
