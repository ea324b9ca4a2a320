/* Splits the lines of a manifest into words, and parses them like a command line. */
#include "conformance/cli/manifest.h"

#include "conformance/cli/commands.h"
#include "reference/base/number.h"
#include "reference/base/vector.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MANIFEST_SIZE_MAX = 64 << 20 }; /* bytes */

static const cnf_option line_options[] = {CNF_LAUNCH_OPTIONS};
static const cnf_command line_command = {
    .name = "run",
    .operands = "FILE…",
    .options = line_options,
    .option_count = sizeof line_options / sizeof *line_options,
};

typedef struct line_words {
    RT_VECTOR(rt_text) words; /* NUL-terminated, in the arena */
    RT_VECTOR(uint32_t) columns;
} line_words;

typedef struct manifest {
    rt_arena *arena;
    const cnf_toolchain *toolchain;
    rt_text file, folder;
    RT_VECTOR(cnf_file) files;
    cnf_expansions expansions;
    int status; /* the worst so far */
} manifest;

/* ---- Words --------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Takes a word off the line, without its quotes. False: a quote is not closed. */
static bool word_take(rt_text *rest, rt_buffer *out)
{
    char quote = 0;
    size_t at = 0;
    for (; at < rest->length && (quote || !is_blank(rest->data[at])); at++) {
        char c = rest->data[at];
        bool escapes = c == '\\' && quote != '\'' && at + 1 < rest->length;
        if (escapes)
            rt_buffer_append_byte(out, rest->data[++at]);
        else if (quote ? c == quote : c == '\'' || c == '"')
            quote = quote ? 0 : c;
        else
            rt_buffer_append_byte(out, c);
    }
    *rest = rt_text_skip(*rest, at);
    return quote == 0;
}

/* Splits a line into words. False: a quote is not closed; *out_column is where it begins. */
static bool line_split(rt_arena *arena, rt_text line, line_words *out, uint32_t *out_column)
{
    rt_text rest = line;
    for (;;) {
        while (rest.length > 0 && is_blank(rest.data[0]))
            rest = rt_text_skip(rest, 1);
        if (rest.length == 0 || rest.data[0] == '#') return true;
        uint32_t column = (uint32_t)(line.length - rest.length) + 1;
        bool is_quoted = rest.data[0] == '\'' || rest.data[0] == '"';
        rt_buffer word = {0};
        *out_column = column;
        bool is_closed = word_take(&rest, &word);
        *rt_vector_push(&out->words) = rt_arena_text(arena, rt_buffer_text(&word));
        *rt_vector_push(&out->columns) = column + is_quoted;
        rt_buffer_free(&word);
        if (!is_closed) return false;
    }
}

/* ---- Lines --------------------------------------------------------------------------------- */

static int mistake_report(const manifest *read, uint32_t line, uint32_t column, const char *text)
{
    fprintf(stderr, "%.*s:%u:%u: error: %s\n", RT_TEXT_ARG(read->file), line, column, text);
    return CNF_EXIT_USAGE;
}

/* Makes the file of a line's launch. */
static int launch_add(manifest *read, uint32_t line, const line_words *words)
{
    rt_arena *arena = read->arena;
    uint32_t count = words->words.count;
    char **argv = rt_arena_alloc_array(arena, count + 1, sizeof *argv);
    for (uint32_t i = 0; i < count; i++)
        argv[i] = (char *)words->words.items[i].data;
    cnf_arguments *arguments = rt_arena_alloc(arena, sizeof *arguments);
    rt_buffer error = {0};
    bool parsed = cnf_arguments_parse(&line_command, (int)count, argv, arena, arguments, &error);
    int status = CNF_EXIT_EXPECTED;
    if (!parsed) status = mistake_report(read, line, 1, rt_buffer_string(&error));
    rt_buffer_free(&error);
    if (!parsed) return status;
    if (arguments->path_count == 0)
        return mistake_report(read, line, 1, "expected the file of a kernel");
    if (!arguments->values[CNF_OPTION_KERNEL])
        return mistake_report(read, line, 1, "the launch needs --kernel NAME");
    cnf_launch_origin *origin = rt_arena_alloc(arena, sizeof *origin);
    *origin = (cnf_launch_origin){.file = read->file,
                                  .line = line,
                                  .words = words->words.items,
                                  .columns = words->columns.items,
                                  .word_count = count,
                                  .folder = read->folder,
                                  .expansions = &read->expansions};
    cnf_launch launch;
    status = cnf_launch_read(arena, read->toolchain, arguments, origin, &launch);
    cnf_file file;
    if (status == CNF_EXIT_EXPECTED) status = cnf_launch_file(arena, &launch, &file, NULL);
    if (status == CNF_EXIT_EXPECTED) *rt_vector_push(&read->files) = file;
    return status;
}

static int line_read(manifest *read, uint32_t line, rt_text text)
{
    line_words words = {0};
    uint32_t column = 1;
    int status = CNF_EXIT_EXPECTED;
    if (!line_split(read->arena, text, &words, &column))
        status = mistake_report(read, line, column, "the quote is not closed");
    else if (words.words.count > 0)
        status = launch_add(read, line, &words);
    rt_vector_free(&words.words);
    rt_vector_free(&words.columns);
    return status;
}

/* ---- The manifest -------------------------------------------------------------------------- */

/* Splits ":N" off a name that is not itself a path. */
static uint32_t line_of(rt_text *inout_name)
{
    struct stat info;
    const char *colon = memrchr(inout_name->data, ':', inout_name->length);
    uint32_t line = 0;
    if (!colon || stat(inout_name->data, &info) == 0) return 0;
    rt_text number = rt_text_skip(*inout_name, (size_t)(colon + 1 - inout_name->data));
    if (rt_number_read_u32(number, 1, UINT32_MAX, &line))
        inout_name->length = (size_t)(colon - inout_name->data);
    return line;
}

int cnf_manifest_read(rt_arena *arena, const cnf_toolchain *toolchain, const char *name,
                      cnf_files *out_files)
{
    manifest read = {.arena = arena, .toolchain = toolchain, .file = rt_text_of(name)};
    uint32_t only = line_of(&read.file);
    read.file = rt_arena_text(arena, read.file);
    struct stat info;
    if (stat(read.file.data, &info) == 0 && S_ISDIR(info.st_mode)) {
        while (read.file.length > 1 && read.file.data[read.file.length - 1] == '/')
            read.file.length--;
        read.file = rt_arena_printf(arena, "%.*s/" CNF_MANIFEST_NAME, RT_TEXT_ARG(read.file));
    }
    read.folder = read.file;
    while (read.folder.length > 0 && read.folder.data[read.folder.length - 1] != '/')
        read.folder.length--;
    rt_sink *sink = rt_sink_create();
    rt_buffer content = {0};
    rt_status status = cnf_file_read(sink, read.file, MANIFEST_SIZE_MAX, &content);
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, RT_TEXT("--kernels"));
        read.status = CNF_EXIT_USAGE;
    }
    rt_text rest = rt_buffer_text(&content);
    for (uint32_t line = 1; rt_ok(status) && rest.length > 0; line++) {
        rt_text text = rt_text_take_until(&rest, '\n');
        int found = only == 0 || only == line ? line_read(&read, line, text) : CNF_EXIT_EXPECTED;
        if (found > read.status) read.status = found;
    }
    if (read.status == CNF_EXIT_EXPECTED && read.files.count == 0) {
        fprintf(stderr, "assay: --kernels %s: no launch in %.*s\n", name, RT_TEXT_ARG(read.file));
        read.status = CNF_EXIT_NOTHING_RAN;
    }
    *out_files =
        (cnf_files){rt_arena_copy(arena, read.files.items, read.files.count, sizeof(cnf_file)),
                    read.files.count};
    rt_vector_free(&read.files);
    rt_vector_free(&read.expansions.items);
    rt_map_free(&read.expansions.places);
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return read.status;
}
