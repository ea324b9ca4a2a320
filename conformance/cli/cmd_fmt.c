/* assay fmt: formats scenario files, in place or from stdin to stdout. */
#include "conformance/cli/commands.h"
#include "conformance/tools/fmt/fmt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct fmt_command {
    bool check;
    uint32_t changed; /* files changed, or, with --check, to be changed */
    int status;       /* the worst exit status so far */
} fmt_command;

static void worsen(fmt_command *command, int status)
{
    if (status > command->status) command->status = status;
}

/* Formats a text. Returns false after reporting on stderr why it cannot be formatted. */
static bool text_format(fmt_command *command, rt_text file, rt_text text, rt_buffer *out)
{
    rt_arena arena = {0};
    scn_problems problems;
    cnf_fmt_end end = cnf_fmt_text(&arena, text, out, &problems);
    cnf_command_problems(stderr, file, &problems);
    if (end == CNF_FMT_REFUSED) worsen(command, CNF_EXIT_USAGE);
    if (end == CNF_FMT_BROKEN) worsen(command, CNF_EXIT_INFRASTRUCTURE);
    CHECK_IMPLIES(end != CNF_FMT_DONE, command->status != CNF_EXIT_EXPECTED);
    rt_arena_reset(&arena);
    return end == CNF_FMT_DONE;
}

/* Formats a file. If it changes, prints its name and, without --check, replaces its contents. */
static void file_format(fmt_command *command, const cnf_file *file)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer text = {0}, formatted = {0};
    rt_status status = cnf_file_read(sink, file->file, RT_SCENARIO_SIZE_MAX, &text);
    int failure = CNF_EXIT_USAGE;
    if (rt_ok(status) && text_format(command, file->file, rt_buffer_text(&text), &formatted) &&
        !rt_text_equal(rt_buffer_text(&text), rt_buffer_text(&formatted))) {
        failure = CNF_EXIT_INFRASTRUCTURE;
        if (command->check)
            worsen(command, CNF_EXIT_UNEXPECTED);
        else
            status = cnf_fmt_replace(sink, file->file, rt_buffer_text(&formatted));
        if (rt_ok(status)) {
            printf("%.*s\n", RT_TEXT_ARG(file->file));
            command->changed++;
        }
    }
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, (rt_text){0});
        worsen(command, failure);
    }
    rt_buffer_free(&text);
    rt_buffer_free(&formatted);
    rt_sink_destroy(sink);
}

static void files_format(fmt_command *command, const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    cnf_files files;
    int status = cnf_command_files(arguments, &arena, &files);
    if (status == CNF_EXIT_EXPECTED && cnf_command_refuses_packs(&files, "fmt"))
        status = CNF_EXIT_USAGE;
    worsen(command, status);
    if (status == CNF_EXIT_EXPECTED) {
        for (uint32_t i = 0; i < files.count; i++)
            file_format(command, &files.items[i]);
        CHECK(command->changed <= files.count);
        printf("%u scenario%s read, %u %s\n", files.count, files.count == 1 ? "" : "s",
               command->changed, command->check ? "not formatted" : "formatted");
    }
    rt_arena_reset(&arena);
}

/* Formats stdin to stdout. */
static void stream_format(fmt_command *command)
{
    rt_buffer text = {0}, formatted = {0};
    char portion[16384];
    ssize_t size = 1;
    while (size > 0 && text.size <= RT_SCENARIO_SIZE_MAX) {
        size = read(STDIN_FILENO, portion, sizeof portion);
        if (size > 0) rt_buffer_append(&text, portion, (size_t)size);
    }
    if (size < 0) {
        fprintf(stderr, "assay: stdin cannot be read: %s\n", strerror(errno));
        worsen(command, CNF_EXIT_USAGE);
    } else if (text_format(command, RT_TEXT("<stdin>"), rt_buffer_text(&text), &formatted)) {
        /* The formatter has refused a text that is too long. */
        bool changed = !rt_text_equal(rt_buffer_text(&text), rt_buffer_text(&formatted));
        if (command->check && changed) {
            printf("<stdin>\n");
            worsen(command, CNF_EXIT_UNEXPECTED);
        } else if (!command->check) {
            if (!cnf_command_print(&formatted, "the text"))
                worsen(command, CNF_EXIT_INFRASTRUCTURE);
        }
    }
    rt_buffer_free(&text);
    rt_buffer_free(&formatted);
}

int cnf_fmt_command(const cnf_arguments *arguments)
{
    fmt_command command = {.check = arguments->values[CNF_OPTION_CHECK] != NULL};
    bool stream = false;
    for (uint32_t i = 0; i < arguments->path_count; i++)
        stream = stream || rt_text_is(arguments->paths[i], "-");
    if (stream && arguments->path_count > 1) {
        fprintf(stderr, "assay: fmt: - (stdin) cannot be combined with other paths\n");
        return CNF_EXIT_USAGE;
    }
    if (stream)
        stream_format(&command);
    else
        files_format(&command, arguments);
    return command.status;
}
