/* From options to the YAML of a scenario. Each option has its own lines there, so that a problem
 * that the scenario's reader finds can be reported at the option. */
#include "conformance/cli/launch.h"

#include "conformance/build/front_end.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/postlink_input.h"
#include "conformance/scenario/model/build_options.h"
#include "conformance/scenario/read/companion.h"
#include "conformance/verdict/scenario_text.h"
#include "reference/base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Options ------------------------------------------------------------------------------- */

static const struct option_row {
    cnf_option_id id;
    const char *name;
} option_rows[] = {
    {CNF_OPTION_KERNEL, "--kernel"}, {CNF_OPTION_RANGE, "--range"}, {CNF_OPTION_LOCAL, "--local"},
    {CNF_OPTION_OFFSET, "--offset"}, {CNF_OPTION_ARG, "--arg"},     {CNF_OPTION_DEFINE, "-D"},
    {CNF_OPTION_INCLUDE, "-I"},      {CNF_OPTION_CL, ""},
};

const char *cnf_launch_option(cnf_option_id id)
{
    for (size_t i = 0; i < sizeof option_rows / sizeof *option_rows; i++)
        if (option_rows[i].id == id) return option_rows[i].name;
    return NULL;
}

void cnf_shell_word_append(rt_buffer *out, rt_text word)
{
    bool is_plain = word.length > 0;
    for (size_t i = 0; i < word.length; i++) {
        char c = word.data[i];
        is_plain = is_plain && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                (c >= '0' && c <= '9') || (c && strchr("_-./,:=+@%", c)));
    }
    if (!is_plain) rt_buffer_append_byte(out, '\'');
    for (size_t i = 0; i < word.length; i++) {
        if (word.data[i] == '\'')
            rt_buffer_printf(out, "'\\''");
        else
            rt_buffer_append_byte(out, word.data[i]);
    }
    if (!is_plain) rt_buffer_append_byte(out, '\'');
}

/* The column of a text that points into a word of the manifest's line; 1 if it does not. */
static uint32_t column_of(const cnf_launch_origin *origin, const char *text)
{
    for (uint32_t i = 0; i < origin->word_count; i++) {
        const rt_text *word = &origin->words[i];
        if (text >= word->data && text <= word->data + word->length)
            return origin->columns[i] + (uint32_t)(text - word->data);
    }
    return 1;
}

int cnf_launch_report(const cnf_launch *launch, const cnf_given *given, uint32_t column,
                      const char *format, ...)
{
    const cnf_launch_origin *origin = launch->origin;
    rt_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    rt_buffer_vprintf(&text, format, arguments);
    va_end(arguments);
    if (origin->file.length > 0) {
        uint32_t at = given ? column_of(origin, given->value) + (column > 0 ? column - 1 : 0) : 1;
        fprintf(stderr, "%.*s:%u:%u: error: %s\n", RT_TEXT_ARG(origin->file), origin->line, at,
                rt_buffer_string(&text));
    } else {
        rt_buffer option = {0};
        if (given) {
            const char *name = cnf_launch_option(given->id);
            rt_buffer_printf(&option, "%s%s", name ? name : "", name && *name ? " " : "");
            cnf_shell_word_append(&option, rt_text_of(given->value));
            if (column > 0) rt_buffer_printf(&option, ", column %u", column);
            rt_buffer_printf(&option, ": ");
        }
        fprintf(stderr, "assay: %s%s\n", rt_buffer_string(&option), rt_buffer_string(&text));
        rt_buffer_free(&option);
    }
    rt_buffer_free(&text);
    return CNF_EXIT_USAGE;
}

/* The last occurrence of an option; NULL: absent. */
static const cnf_given *given_find(const cnf_arguments *arguments, cnf_option_id id)
{
    const cnf_given *found = NULL;
    for (uint32_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].id == id) found = &arguments->given[i];
    return found;
}

/* ---- Paths --------------------------------------------------------------------------------- */

bool cnf_launch_is_kernel_file(rt_text path)
{
    scn_language language;
    return cnf_source_language(path, &language);
}

rt_text cnf_launch_folder(rt_text path)
{
    while (path.length > 0 && path.data[path.length - 1] != '/')
        path.length--;
    return path;
}

/* The path from `folder` (followed by '/', or empty) to a file; the real paths of both decide,
 * unless the file is written as one in the folder. The path itself if one of them does not exist.
 */
static rt_text path_from(rt_arena *arena, rt_text folder, rt_text path)
{
    if (rt_text_equal(cnf_launch_folder(path), folder)) return rt_text_skip(path, folder.length);
    char from[PATH_MAX], to[PATH_MAX];
    rt_text start = folder.length > 0 ? rt_arena_text(arena, folder) : RT_TEXT(".");
    if (!realpath(start.data, from) || !realpath(rt_arena_text(arena, path).data, to)) return path;
    size_t common = 0; /* after the last '/' of the common part */
    size_t length = strlen(from);
    if (length > 1 && length + 1 < sizeof from) memcpy(from + length, "/", sizeof "/");
    for (size_t i = 0; from[i] && from[i] == to[i]; i++)
        if (from[i] == '/') common = i + 1;
    rt_buffer result = {0};
    for (size_t i = common; from[i]; i++)
        if (from[i] == '/') rt_buffer_printf(&result, "../");
    rt_buffer_printf(&result, "%s", to + common);
    rt_text relative = rt_arena_text(arena, rt_buffer_text(&result));
    rt_buffer_free(&result);
    return relative;
}

static rt_text path_join(rt_arena *arena, rt_text folder, rt_text path)
{
    if (folder.length == 0 || rt_text_starts(path, "/")) return rt_arena_text(arena, path);
    return rt_arena_printf(arena, "%.*s%.*s", RT_TEXT_ARG(folder), RT_TEXT_ARG(path));
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Appends a build option; it must be one word, and one that scenarios may give. */
static int build_option_add(const cnf_launch *launch, const cnf_given *given, rt_buffer *out)
{
    const char *prefix = given->id == CNF_OPTION_DEFINE ? "-D" : "";
    rt_text refused, value = rt_text_of(given->value);
    size_t start = out->size;
    rt_buffer_printf(out, "%s%s%s", start > 0 ? " " : "", prefix, given->value);
    for (size_t i = 0; i < value.length; i++)
        if (value.data[i] == ' ' || value.data[i] == '\t' || value.data[i] == '\n')
            return cnf_launch_report(launch, given, (uint32_t)i + 1,
                                     "build options are separated by blanks and cannot contain "
                                     "one; define the macro in the source");
    rt_text added = rt_text_skip(rt_buffer_text(out), start);
    if (scn_build_options_check(added, &refused)) return CNF_EXIT_EXPECTED;
    return cnf_launch_report(launch, given, 0,
                             "'%.*s' is not an option that kernels may be built "
                             "with",
                             RT_TEXT_ARG(refused));
}

/* Checks that a value is up to three numbers; the scenario's reader checks their ranges. */
static int sizes_check(const cnf_launch *launch, const cnf_given *given)
{
    rt_text rest = rt_text_of(given->value);
    uint32_t count = 0;
    bool is_valid = rest.length > 0 && rest.data[rest.length - 1] != ',';
    for (uint64_t number; is_valid && rest.length > 0; count++)
        is_valid = rt_number_next(&rest, UINT64_MAX, &number);
    if (is_valid && count <= 3) return CNF_EXIT_EXPECTED;
    return cnf_launch_report(launch, given, 0,
                             "expected one to three numbers, such as 1024 or 64,64");
}

static int options_read(rt_arena *arena, cnf_launch *launch)
{
    const cnf_arguments *arguments = launch->arguments;
    rt_buffer build = {0};
    int status = CNF_EXIT_EXPECTED;
    cnf_launch_argument *items =
        rt_arena_alloc_array(arena, arguments->given_count + 1, sizeof *items);
    for (uint32_t i = 0; i < arguments->given_count && status == CNF_EXIT_EXPECTED; i++) {
        const cnf_given *given = &arguments->given[i];
        if (given->id == CNF_OPTION_DEFINE || given->id == CNF_OPTION_CL)
            status = build_option_add(launch, given, &build);
        if (given->id == CNF_OPTION_RANGE || given->id == CNF_OPTION_LOCAL ||
            given->id == CNF_OPTION_OFFSET)
            status = sizes_check(launch, given);
        if (given->id != CNF_OPTION_ARG) continue;
        cnf_launch_argument *item = &items[launch->item_count];
        cnf_launch_mistake mistake;
        if (!cnf_launch_argument_read(arena, rt_text_of(given->value), item, &mistake)) {
            status =
                cnf_launch_report(launch, given, mistake.column, "%.*s", RT_TEXT_ARG(mistake.text));
            continue;
        }
        rt_text file = path_join(arena, launch->origin->folder, item->file);
        if (item->file.length > 0 && access(file.data, R_OK) != 0)
            status =
                cnf_launch_report(launch, given, (uint32_t)(item->file.data - given->value) + 1,
                                  "the file cannot be read: %s", strerrordesc_np(errno));
        for (uint32_t k = 0; k < launch->item_count; k++)
            if (rt_text_equal(items[k].name, item->name))
                status = cnf_launch_report(launch, given, 1,
                                           "another argument is called '%.*s'; names differ",
                                           RT_TEXT_ARG(item->name));
        launch->item_count++;
    }
    launch->items = items;
    launch->build_options = rt_arena_text(arena, rt_buffer_text(&build));
    rt_buffer_free(&build);
    return status;
}

/* The options of the preprocessor, NULL-terminated, in the arena. */
static const char *const *preprocessor_options(rt_arena *arena, const cnf_launch *launch)
{
    const cnf_arguments *arguments = launch->arguments;
    const char **options =
        rt_arena_alloc_array(arena, 2 * (size_t)arguments->given_count + 1, sizeof *options);
    uint32_t count = 0;
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        const cnf_given *given = &arguments->given[i];
        rt_text value = rt_text_of(given->value);
        if (given->id == CNF_OPTION_INCLUDE) {
            options[count++] = "-I";
            options[count++] = path_join(arena, launch->origin->folder, value).data;
        } else if (given->id == CNF_OPTION_DEFINE) {
            options[count++] = rt_arena_printf(arena, "-D%s", given->value).data;
        } else if (given->id == CNF_OPTION_CL) {
            options[count++] = given->value;
        }
    }
    return options;
}

/* Keeps the errors among the messages for the report of the run. One about an option has no place,
 * so it begins with the file. */
static const cnf_file_errors *errors_of(rt_arena *arena, rt_text file,
                                        const cnf_message_list *messages)
{
    cnf_file_errors *errors = rt_arena_alloc(arena, sizeof *errors);
    rt_buffer text = {0};
    *errors = (cnf_file_errors){0};
    for (uint32_t i = 0; i < messages->count; i++) {
        const cnf_compile_message *message = &messages->items[i];
        if (message->severity != CNF_SEVERITY_ERROR) continue;
        bool has_place = message->source.length > 0 && message->line > 0;
        if (text.size == 0 && has_place)
            *errors = (cnf_file_errors){{0}, message->source, message->line, message->column};
        rt_buffer_printf(&text, "%s%.*s:", text.size > 0 ? "\n" : "",
                         RT_TEXT_ARG(has_place ? message->source : file));
        if (has_place) rt_buffer_printf(&text, "%u:%u:", message->line, message->column);
        rt_buffer_printf(&text, " error: %.*s", RT_TEXT_ARG(message->text));
    }
    CHECK(text.size > 0);
    errors->message = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return errors;
}

/* Runs the preprocessor over a source. Returns an exit status. */
static int source_expand(rt_arena *arena, rt_sink *sink, const cnf_toolchain *toolchain,
                         const cnf_launch_source *source, rt_text content,
                         const char *const *options, cnf_expansion *out)
{
    const cnf_request_source request = {source->language, source->file, content};
    rt_text folder = cnf_launch_folder(source->file), expanded;
    cnf_message_list messages = {0};
    *out = (cnf_expansion){0};
    rt_status status = cnf_front_end_expand(sink, arena, toolchain, &request,
                                            folder.length > 0 ? folder : RT_TEXT("."), options,
                                            &expanded, &messages);
    bool is_refused = status.code == RT_COMPILE_TIME;
    if (is_refused) out->errors = errors_of(arena, source->file, &messages);
    rt_vector_free(&messages);
    if (!rt_ok(status) && !is_refused) {
        cnf_command_fail(sink, status, (rt_text){0});
        return CNF_EXIT_INFRASTRUCTURE;
    }
    if (!is_refused && !rt_text_equal(expanded, content)) out->code = expanded;
    return CNF_EXIT_EXPECTED;
}

/* Identifies a source with its options. A line feed separates them, since it ends a line of a
 * manifest. */
static rt_text expansion_key(rt_arena *arena, rt_text file, const char *const *options)
{
    rt_buffer key = {0};
    rt_buffer_append_text(&key, file);
    for (uint32_t i = 0; options[i]; i++)
        rt_buffer_printf(&key, "\n%s", options[i]);
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&key));
    rt_buffer_free(&key);
    return copy;
}

/* Expands the includes of a source that has any; they may be reached through macros, so the word
 * alone decides whether clang is run. */
static int includes_expand(rt_arena *arena, rt_sink *sink, const cnf_toolchain *toolchain,
                           cnf_launch *launch, rt_text content, cnf_launch_source *source)
{
    bool is_opencl =
        source->language == SCN_LANGUAGE_OPENCL_C || source->language == SCN_LANGUAGE_OPENCL_CPP;
    static const char word[] = "include";
    if (!is_opencl || !memmem(content.data, content.length, word, strlen(word)))
        return CNF_EXIT_EXPECTED;
    const char *const *options = preprocessor_options(arena, launch);
    cnf_expansions *kept = launch->origin->expansions;
    rt_text key = kept ? expansion_key(arena, source->file, options) : (rt_text){0};
    uint32_t place = kept ? rt_map_find(&kept->places, key) : RT_MAP_NONE;
    cnf_expansion expansion;
    if (place != RT_MAP_NONE) {
        expansion = kept->items.items[place];
    } else {
        int status = source_expand(arena, sink, toolchain, source, content, options, &expansion);
        if (status != CNF_EXIT_EXPECTED) return status;
        if (kept) {
            rt_map_set(&kept->places, key, kept->items.count);
            *rt_vector_push(&kept->items) = expansion;
        }
    }
    source->code = expansion.code;
    if (!launch->errors) launch->errors = expansion.errors;
    return CNF_EXIT_EXPECTED;
}

static int sources_read(rt_arena *arena, rt_sink *sink, const cnf_toolchain *toolchain,
                        cnf_launch *launch)
{
    const cnf_arguments *arguments = launch->arguments;
    CHECK(arguments->path_count > 0);
    cnf_launch_source *sources =
        rt_arena_alloc_array(arena, arguments->path_count, sizeof *sources);
    launch->sources = sources;
    for (uint32_t i = 0; i < arguments->path_count; i++) {
        cnf_launch_source *source = &sources[launch->source_count++];
        source->file = path_join(arena, launch->origin->folder, arguments->paths[i]);
        if (!cnf_source_language(source->file, &source->language)) {
            const cnf_given path = {CNF_OPTION_COUNT, arguments->paths[i].data};
            return cnf_launch_report(launch, &path, 0,
                                     "expected a file *.cl, *.clcpp, *.ll, *.bc, *.spvasm or "
                                     "*.spv; kernels and scenarios run separately");
        }
        rt_buffer content = {0};
        rt_status read = cnf_file_read(sink, source->file, RT_IMAGE_SIZE_MAX, &content);
        if (!rt_ok(read)) {
            fprintf(stderr, "%.*s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, read)->message));
            return CNF_EXIT_USAGE;
        }
        int status =
            includes_expand(arena, sink, toolchain, launch, rt_buffer_text(&content), source);
        rt_buffer_free(&content);
        if (status != CNF_EXIT_EXPECTED) return status;
    }
    return CNF_EXIT_EXPECTED;
}

int cnf_launch_read(rt_arena *arena, const cnf_toolchain *toolchain, const cnf_arguments *arguments,
                    const cnf_launch_origin *origin, cnf_launch *out_launch)
{
    *out_launch = (cnf_launch){.arguments = arguments, .origin = origin};
    const cnf_given *kernel = given_find(arguments, CNF_OPTION_KERNEL);
    int status = options_read(arena, out_launch);
    if (status != CNF_EXIT_EXPECTED) return status;
    if (kernel) out_launch->kernel = rt_text_of(kernel->value);
    if (kernel && !given_find(arguments, CNF_OPTION_RANGE))
        return cnf_launch_report(out_launch, kernel, 0,
                                 "the launch needs --range N[,N[,N]], the number of work-items");
    rt_sink *sink = rt_sink_create();
    status = sources_read(arena, sink, toolchain, out_launch);
    rt_sink_destroy(sink);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------- */

typedef struct launch_writer {
    rt_buffer *out;
    rt_arena *arena;
    const cnf_launch *launch;
    const cnf_launch_style *style;
    cnf_launch_lines *lines;
    size_t counted; /* bytes of `out` whose line feeds are in `line` */
    uint32_t line;
} launch_writer;

/* Notes that the line being written comes from an option. */
static void line_note(launch_writer *writer, const cnf_given *given)
{
    if (!writer->lines || !given) return;
    for (; writer->counted < writer->out->size; writer->counted++)
        writer->line += rt_buffer_text(writer->out).data[writer->counted] == '\n';
    *rt_vector_push(writer->lines) = (cnf_launch_line){writer->line, given};
}

/* Appends a file's name, relative to the scenario, and its hash if the style wants it. */
static void file_append(launch_writer *writer, rt_text file, const char *separator)
{
    cnf_quoted_append(writer->out, path_from(writer->arena, writer->style->folder, file));
    if (!writer->style->is_pinned) return;
    rt_sink *sink = rt_sink_create();
    rt_buffer content = {0};
    if (rt_ok(cnf_file_read(sink, file, RT_IMAGE_SIZE_MAX, &content)))
        rt_buffer_printf(writer->out, "%ssha256: %s", separator,
                         scn_companion_hash(writer->arena, rt_buffer_text(&content)).data);
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
}

static void source_write(launch_writer *writer, const cnf_launch_source *source)
{
    rt_buffer *out = writer->out;
    rt_buffer_printf(out, "      - language: %s\n", scn_language_name(source->language));
    if (source->code.length == 0) {
        rt_buffer_printf(out, "        file: ");
        file_append(writer, source->file, "\n        ");
        rt_buffer_append_byte(out, '\n');
        return;
    }
    rt_buffer_printf(out, "        code: |\n");
    rt_text rest = source->code;
    while (rest.length > 0) {
        rt_text line = rt_text_take_until(&rest, '\n');
        rt_buffer_printf(out, "%s%.*s\n", line.length > 0 ? "          " : "", RT_TEXT_ARG(line));
    }
}

static void memories_write(launch_writer *writer)
{
    const cnf_launch *launch = writer->launch;
    rt_buffer *out = writer->out;
    bool is_first = true;
    uint32_t index = 0;
    for (uint32_t i = 0; i < launch->arguments->given_count; i++) {
        const cnf_given *given = &launch->arguments->given[i];
        if (given->id != CNF_OPTION_ARG) continue;
        const cnf_launch_argument *item = &launch->items[index++];
        if (item->memory.length == 0) continue;
        if (is_first) rt_buffer_printf(out, "memory:\n");
        is_first = false;
        line_note(writer, given);
        rt_buffer_printf(out, "  %.*s: ", RT_TEXT_ARG(item->name));
        const char *place = memmem(item->memory.data, item->memory.length, CNF_LAUNCH_FILE,
                                   strlen(CNF_LAUNCH_FILE));
        if (!place) {
            rt_buffer_append_text(out, item->memory);
        } else {
            size_t before = (size_t)(place - item->memory.data);
            rt_buffer_append_text(out, (rt_text){item->memory.data, before});
            file_append(writer, path_join(writer->arena, launch->origin->folder, item->file), ", ");
            rt_buffer_append_text(out,
                                  rt_text_skip(item->memory, before + strlen(CNF_LAUNCH_FILE)));
        }
        rt_buffer_append_byte(out, '\n');
    }
    CHECK(index == launch->item_count);
}

/* True if the work-groups do not divide the range. The command line launches kernels of OpenCL,
 * where the last groups are then smaller; a device that requires equal groups is skipped. */
static bool is_non_uniform(const cnf_arguments *arguments)
{
    const cnf_given *range = given_find(arguments, CNF_OPTION_RANGE);
    const cnf_given *local = given_find(arguments, CNF_OPTION_LOCAL);
    if (!range || !local) return false;
    rt_text sizes = rt_text_of(range->value), groups = rt_text_of(local->value);
    uint64_t size, group;
    while (rt_number_next(&sizes, UINT64_MAX, &size) && rt_number_next(&groups, UINT64_MAX, &group))
        if (group > 0 && size % group != 0) return true;
    return false;
}

static void submit_write(launch_writer *writer)
{
    static const struct {
        cnf_option_id id;
        const char *key;
    } sizes[] = {
        {CNF_OPTION_RANGE, "range"}, {CNF_OPTION_LOCAL, "local"}, {CNF_OPTION_OFFSET, "offset"}};
    const cnf_launch *launch = writer->launch;
    const cnf_arguments *arguments = launch->arguments;
    rt_buffer *out = writer->out;
    rt_buffer_printf(out, "  - submit:\n");
    line_note(writer, given_find(arguments, CNF_OPTION_KERNEL));
    rt_buffer_printf(out, "      kernel: ");
    cnf_quoted_append(out, launch->kernel);
    rt_buffer_append_byte(out, '\n');
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const cnf_given *given = given_find(arguments, sizes[i].id);
        if (!given) continue;
        line_note(writer, given);
        rt_buffer_printf(out, "      %s: [%s]\n", sizes[i].key, given->value);
    }
    if (is_non_uniform(arguments)) {
        line_note(writer, given_find(arguments, CNF_OPTION_LOCAL));
        rt_buffer_printf(out, "      non_uniform: true\n");
    }
    if (launch->item_count > 0) rt_buffer_printf(out, "      args:\n");
    uint32_t index = 0;
    for (uint32_t i = 0; i < arguments->given_count; i++) {
        if (arguments->given[i].id != CNF_OPTION_ARG) continue;
        line_note(writer, &arguments->given[i]);
        rt_buffer_printf(out, "        - %.*s\n", RT_TEXT_ARG(launch->items[index].argument));
        index++;
    }
}

void cnf_launch_write(rt_buffer *out, rt_arena *arena, const cnf_launch *launch,
                      const cnf_launch_style *style, cnf_launch_lines *out_lines)
{
    launch_writer writer = {.out = out,
                            .arena = arena,
                            .launch = launch,
                            .style = style,
                            .lines = out_lines,
                            .counted = out->size,
                            .line = 1};
    rt_text first = path_from(arena, style->folder, launch->sources[0].file);
    rt_buffer_printf(out, "assay: 1\nsummary: ");
    rt_text summary = style->summary;
    if (summary.length == 0)
        summary = rt_arena_printf(arena, "Kernel %.*s of %.*s; without expected values.",
                                  RT_TEXT_ARG(launch->kernel), RT_TEXT_ARG(first));
    cnf_quoted_append(out, summary);
    rt_buffer_printf(out, "\nmodules:\n  app:\n");
    if (launch->build_options.length > 0) {
        const cnf_given *given = given_find(launch->arguments, CNF_OPTION_CL);
        line_note(&writer, given ? given : given_find(launch->arguments, CNF_OPTION_DEFINE));
        rt_buffer_printf(out, "    build_options: ");
        cnf_quoted_append(out, launch->build_options);
        rt_buffer_append_byte(out, '\n');
    }
    rt_buffer_printf(out, "    sources:\n");
    for (uint32_t i = 0; i < launch->source_count; i++)
        source_write(&writer, &launch->sources[i]);
    memories_write(&writer);
    rt_buffer_printf(out, "steps:\n");
    bool launches = launch->kernel.length > 0;
    if (launches) submit_write(&writer);
    if (style->expectations.length > 0)
        rt_buffer_append_text(out, style->expectations);
    else
        rt_buffer_printf(out, "  - expect: {launches: %d}\n", launches);
}

/* ---- The file of a run --------------------------------------------------------------------- */

/* Reports a problem of the written scenario at the option that caused it. */
static void problem_report(const cnf_launch *launch, const cnf_launch_lines *lines,
                           const scn_problem *problem)
{
    const cnf_given *given = NULL;
    for (uint32_t i = 0; i < lines->count; i++)
        if (lines->items[i].line == problem->at.line) given = lines->items[i].given;
    if (given) {
        cnf_launch_report(launch, given, 0, "%.*s", RT_TEXT_ARG(problem->text));
        return;
    }
    rt_text file = launch->sources[0].file;
    cnf_launch_report(launch, NULL, 0, "%.*s: %.*s", RT_TEXT_ARG(file), RT_TEXT_ARG(problem->text));
}

/* The words after `assay run` that repeat the launch. */
static rt_text again_of(rt_arena *arena, const cnf_launch *launch)
{
    const cnf_launch_origin *origin = launch->origin;
    rt_buffer words = {0};
    if (origin->file.length > 0) {
        rt_buffer_printf(&words, "--kernels ");
        cnf_shell_word_append(
            &words, rt_arena_printf(arena, "%.*s:%u", RT_TEXT_ARG(origin->file), origin->line));
    }
    for (uint32_t i = 0; origin->file.length == 0 && i < launch->source_count; i++) {
        if (i > 0) rt_buffer_append_byte(&words, ' ');
        cnf_shell_word_append(&words, launch->sources[i].file);
    }
    for (uint32_t i = 0; origin->file.length == 0 && i < launch->arguments->given_count; i++) {
        const cnf_given *given = &launch->arguments->given[i];
        const char *name = cnf_launch_option(given->id);
        if (!name) continue;
        rt_buffer_printf(&words, " %s%s", name, *name ? " " : "");
        cnf_shell_word_append(&words, rt_text_of(given->value));
    }
    rt_text again = rt_arena_text(arena, rt_buffer_text(&words));
    rt_buffer_free(&words);
    return again;
}

int cnf_launch_file(rt_arena *arena, const cnf_launch *launch, cnf_file *out_file,
                    const scn_scenario **out_scenario)
{
    rt_text main = launch->sources[0].file;
    const cnf_launch_style style = {.folder = cnf_launch_folder(main), .is_pinned = true};
    const cnf_launch_origin *origin = launch->origin;
    rt_text written = launch->arguments->paths[0];
    rt_text path = written;
    if (launch->kernel.length > 0)
        path =
            rt_arena_printf(arena, "%.*s:%.*s", RT_TEXT_ARG(written), RT_TEXT_ARG(launch->kernel));
    if (origin->file.length > 0) /* a kernel may be launched by several lines */
        path = rt_arena_printf(arena, "%.*s:%u", RT_TEXT_ARG(path), origin->line);
    rt_buffer text = {0};
    cnf_launch_lines lines = {0};
    cnf_launch_write(&text, arena, launch, &style, &lines);
    *out_file = (cnf_file){.file = main,
                           .path = path,
                           .text = rt_arena_text(arena, rt_buffer_text(&text)),
                           .again = again_of(arena, launch),
                           .errors = launch->errors};
    rt_buffer_free(&text);
    scn_problems problems;
    rt_arena scratch = {0};
    const scn_scenario *scenario =
        scn_read(out_scenario ? arena : &scratch, out_file->text, main, path, &problems);
    for (uint32_t i = 0; i < problems.count; i++)
        problem_report(launch, &lines, &problems.items[i]);
    bool is_valid = scenario != NULL;
    if (out_scenario) *out_scenario = scenario;
    rt_arena_reset(&scratch);
    rt_vector_free(&lines);
    return is_valid ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
}

/* ---- The kernel ---------------------------------------------------------------------------- */

/* What an argument is, in the kinds of parameters; a buffer may also be constant. */
static bool argument_fits(const cnf_launch_argument *item, const cnf_parameter *parameter)
{
    bool is_local = rt_text_starts(item->argument, "{local:");
    bool is_null = rt_text_is(item->argument, "null");
    switch (parameter->kind) {
    case CNF_PARAMETER_GLOBAL:
    case CNF_PARAMETER_CONSTANT: return item->memory.length > 0 || is_null;
    case CNF_PARAMETER_LOCAL: return is_local;
    case CNF_PARAMETER_VALUE: return item->memory.length == 0 && !is_local && !is_null;
    case CNF_PARAMETER_OTHER: return false;
    }
    UNREACHABLE();
}

static const char *const parameter_nouns[] = {
    [CNF_PARAMETER_GLOBAL] = "a pointer to global memory",
    [CNF_PARAMETER_CONSTANT] = "a pointer to constant memory",
    [CNF_PARAMETER_LOCAL] = "a pointer to local memory",
    [CNF_PARAMETER_VALUE] = "a value",
    [CNF_PARAMETER_OTHER] = "of a type that cannot be passed from here",
};

static int arguments_check(const cnf_launch *launch, const cnf_kernel_outline *kernel)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < launch->arguments->given_count; i++) {
        const cnf_given *given = &launch->arguments->given[i];
        if (given->id != CNF_OPTION_ARG || index == kernel->parameter_count) continue;
        const cnf_launch_argument *item = &launch->items[index];
        const cnf_parameter *parameter = &kernel->parameters[index++];
        for (uint32_t k = 0; k < kernel->parameter_count; k++) {
            if (!rt_text_equal(kernel->parameters[k].name, item->name) || k + 1 == index) continue;
            return cnf_launch_report(
                launch, given, 1,
                "'%.*s' is parameter %u of kernel '%.*s', but this is argument "
                "%u; arguments are in the order of the parameters",
                RT_TEXT_ARG(item->name), k + 1, RT_TEXT_ARG(kernel->name), index);
        }
        if (!argument_fits(item, parameter))
            return cnf_launch_report(launch, given, 0, "parameter %u of kernel '%.*s' is %s", index,
                                     RT_TEXT_ARG(kernel->name), parameter_nouns[parameter->kind]);
    }
    if (launch->item_count == kernel->parameter_count) return CNF_EXIT_EXPECTED;
    return cnf_launch_report(launch, given_find(launch->arguments, CNF_OPTION_KERNEL), 0,
                             "the kernel has %u parameter%s, but the launch has %u; give one --arg "
                             "for each",
                             kernel->parameter_count, kernel->parameter_count == 1 ? "" : "s",
                             launch->item_count);
}

int cnf_launch_check(const cnf_launch *launch, const cnf_spirv_outline *outline)
{
    const cnf_kernel_outline *kernel = cnf_spirv_outline_kernel(outline, launch->kernel);
    if (kernel) return arguments_check(launch, kernel);
    rt_nearest nearest = rt_nearest_to(launch->kernel);
    for (uint32_t i = 0; i < outline->kernel_count; i++)
        rt_nearest_offer(&nearest, outline->kernels[i].name);
    rt_buffer hint = {0};
    rt_nearest_hint(&nearest, &hint);
    cnf_launch_report(launch, given_find(launch->arguments, CNF_OPTION_KERNEL), 0,
                      "%.*s has no such kernel%s", RT_TEXT_ARG(launch->sources[0].file),
                      rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return CNF_EXIT_USAGE;
}
