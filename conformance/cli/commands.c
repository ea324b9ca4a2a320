/* Functions shared by several commands. */
#include "conformance/cli/commands.h"

#include "conformance/report/output.h"
#include "reference/base/number.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cnf_command_colours(const cnf_arguments *arguments, bool *out_colours)
{
    enum { AUTO, ALWAYS, NEVER, WORD_COUNT };
    static const char *const words[WORD_COUNT] = {"auto", "always", "never"};
    const char *mode = arguments->values[CNF_OPTION_COLOR], *no_colour = getenv("NO_COLOR");
    uint32_t word = AUTO;
    while (mode && word < WORD_COUNT && strcmp(words[word], mode) != 0)
        word++;
    bool by_default = isatty(STDOUT_FILENO) && (!no_colour || *no_colour == '\0');
    *out_colours = word == ALWAYS || (word == AUTO && by_default);
    if (word < WORD_COUNT) return true;
    fprintf(stderr, "assay: --color %s: expected auto, always or never\n", mode);
    return false;
}

uint32_t cnf_command_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

rt_text cnf_command_scenarios(rt_arena *arena)
{
    /* As installed; in a build folder of a checkout. */
    static const char *const folders[] = {"../share/assay/scenarios", "../../scenarios"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (length <= 0 || length >= (ssize_t)sizeof program) return (rt_text){0};
    const char *slash = memrchr(program, '/', (size_t)length);
    CHECK(slash && slash < program + length);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        rt_text folder =
            rt_arena_printf(arena, "%.*s/%s", (int)(slash - program), program, folders[i]);
        if (access(folder.data, F_OK) == 0) return folder;
    }
    return (rt_text){0};
}

int cnf_command_files(const cnf_arguments *arguments, rt_arena *arena, cnf_files *out_files)
{
    const rt_text *paths = arguments->paths;
    uint32_t path_count = arguments->path_count;
    rt_text default_path = RT_TEXT("scenarios");
    if (path_count == 0) {
        /* The scenarios folder of the current directory; otherwise the program's own. */
        rt_text own = cnf_command_scenarios(arena);
        if (access(default_path.data, F_OK) != 0 && own.length > 0) default_path = own;
        paths = &default_path;
        path_count = 1;
    }
    rt_sink *sink = rt_sink_create();
    rt_status status;
    bool is_pack = false;
    for (uint32_t i = 0; i < path_count && !is_pack; i++) {
        is_pack = cnf_files_find_packed(sink, arena, paths[i], out_files, &status);
        /* A scenario in both a pack and a folder would be two files with the same name. */
        if (is_pack && rt_ok(status) && path_count > 1)
            status = rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                             "%.*s: a pack cannot be combined with other paths; to choose among "
                             "its scenarios write PACK:PATH",
                             RT_TEXT_ARG(paths[i]));
    }
    if (!is_pack) status = cnf_files_find(sink, arena, paths, path_count, out_files);
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status)) {
        fprintf(stderr, "assay: %.*s%s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message),
                paths == &default_path ? "; name the scenarios to use: assay COMMAND PATH…" : "");
        exit_status = CNF_EXIT_USAGE;
    } else if (out_files->count == 0) {
        fprintf(stderr, "assay: no scenario %s in the given paths\n",
                is_pack ? "of the pack" : "(*.yaml)");
        exit_status = CNF_EXIT_NOTHING_RAN;
    }
    rt_sink_destroy(sink);
    CHECK_IMPLIES(exit_status == CNF_EXIT_EXPECTED, out_files->count > 0);
    return exit_status;
}

int cnf_command_scenario(const cnf_arguments *arguments, const char *command, rt_arena *arena,
                         cnf_files *out_files)
{
    int status = CNF_EXIT_USAGE;
    if (arguments->path_count != 1) {
        fprintf(stderr, "assay: %s takes one scenario file\n", command);
        return status;
    }
    status = cnf_command_files(arguments, arena, out_files);
    if (status != CNF_EXIT_EXPECTED || out_files->count == 1) return status;
    fprintf(stderr, "assay: %s takes one scenario file; '%.*s' contains %u\n", command,
            RT_TEXT_ARG(arguments->paths[0]), out_files->count);
    return CNF_EXIT_USAGE;
}

bool cnf_command_records(rt_arena *arena, const char *option, rt_text file,
                         cnf_records *out_records)
{
    enum { SIZE_BYTES_MAX = 1 << 30 };
    rt_sink *sink = rt_sink_create();
    rt_buffer content;
    rt_status status = cnf_file_read(sink, file, SIZE_BYTES_MAX, &content);
    if (rt_ok(status))
        status = cnf_records_read(sink, arena, file, rt_buffer_text(&content), out_records);
    if (!rt_ok(status)) cnf_command_fail(sink, status, rt_text_of(option));
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

int cnf_command_rules(rt_sink *sink, rt_arena *arena, const char *prefix, rt_text file,
                      cnf_rules *out_rules)
{
    rt_text root = cnf_files_root(arena, file);
    if (root.length == 0) {
        fprintf(stderr,
                "assay: %sno requirements.yaml next to or above %.*s; name scenarios of a folder "
                "that has one\n",
                prefix, RT_TEXT_ARG(file));
        return CNF_EXIT_USAGE;
    }
    rt_text table = rt_arena_printf(arena, "%.*s/requirements.yaml", RT_TEXT_ARG(root));
    rt_status status = cnf_rules_read(sink, arena, table, out_rules);
    if (rt_ok(status)) return CNF_EXIT_EXPECTED;
    fprintf(stderr, "assay: %s%.*s\n", prefix,
            RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    return CNF_EXIT_USAGE;
}

bool cnf_command_refuses_packs(const cnf_files *files, const char *command)
{
    if (files->count == 0 || !files->items[0].packed) return false;
    fprintf(stderr, "assay: %.*s: %s takes scenario files, not packs\n",
            RT_TEXT_ARG(files->items[0].file), command);
    return true;
}

bool cnf_command_print(const rt_buffer *text, const char *name)
{
    errno = 0;
    bool written = text->size == 0 || fwrite(text->data, 1, text->size, stdout) == text->size;
    if ((written && fflush(stdout) == 0) || errno == EPIPE) return true;
    fprintf(stderr, "assay: %s could not be written: %s\n", name, strerror(errno));
    return false;
}

int cnf_command_finish(rt_buffer *text, const char *name)
{
    bool printed = cnf_command_print(text, name);
    rt_buffer_free(text);
    return printed ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}

void cnf_command_problems(FILE *stream, rt_text file, const scn_problems *problems)
{
    rt_buffer lines = {0};
    scn_problems_write(&lines, file, problems);
    fprintf(stream, "%s", rt_buffer_string(&lines));
    rt_buffer_free(&lines);
}

int cnf_command_unknown(const char *prefix, const char *kind, const char *word,
                        const char *const *names, uint32_t count)
{
    CHECK(count > 0);
    rt_buffer message = {0};
    cnf_suggest(&message, word, names, count);
    fprintf(stderr, "assay: %sunknown %s '%s'%s\n", prefix, kind, word, rt_buffer_string(&message));
    rt_buffer_free(&message);
    return CNF_EXIT_USAGE;
}

void cnf_command_fail(rt_sink *sink, rt_status status, rt_text context)
{
    CHECK(!rt_ok(status));
    fprintf(stderr, "assay: %.*s%s%.*s\n", RT_TEXT_ARG(context), context.length > 0 ? ": " : "",
            RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
}

bool cnf_command_file_replace(const char *option, const char *name, rt_buffer *content)
{
    CHECK(*option == '-');
    int error = cnf_file_replace(name, rt_buffer_text(content));
    if (error != 0) fprintf(stderr, "assay: %s %s: %s\n", option, name, strerror(error));
    rt_buffer_free(content);
    return error == 0;
}

bool cnf_command_number(const cnf_arguments *arguments, cnf_option_id option, const char *name,
                        uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out_number)
{
    CHECK(least <= most);
    const char *text = arguments->values[option];
    *out_number = otherwise;
    if (!text || rt_number_read(rt_text_of(text), least, most, out_number)) return true;
    fprintf(stderr, "assay: %s %s: expected a number from %llu to %llu\n", name, text,
            (unsigned long long)least, (unsigned long long)most);
    return false;
}
