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
    const char *given = arguments->values[CNF_OPTION_COLOR], *no_colour = getenv("NO_COLOR");
    uint32_t word = AUTO;
    while (given && word < WORD_COUNT && strcmp(words[word], given) != 0)
        word++;
    bool wanted = isatty(STDOUT_FILENO) && (!no_colour || *no_colour == '\0');
    *out_colours = word == ALWAYS || (word == AUTO && wanted);
    if (word < WORD_COUNT) return true;
    fprintf(stderr, "assay: --color %s: expected auto, always or never\n", given);
    return false;
}

uint32_t cnf_command_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

/* Reads the scenarios of the pack among the paths; false: no path is a pack. A pack cannot be
 * combined with other paths: a scenario in both would have two files with one name. */
static bool pack_find(rt_sink *sink, const cnf_arguments *arguments, rt_arena *arena,
                      cnf_files *out_files, rt_status *out_status)
{
    for (uint32_t i = 0; i < arguments->path_count; i++) {
        if (!cnf_files_of_pack(sink, arena, arguments->paths[i], out_files, out_status)) continue;
        if (rt_ok(*out_status) && arguments->path_count > 1) {
            *out_status =
                rt_fail(sink, RT_UNSUPPORTED, RT_RULE_NONE,
                        "%.*s: a pack is run alone; to choose among its scenarios write PACK:PATH",
                        RT_TEXT_ARG(arguments->paths[i]));
        }
        return true;
    }
    return false;
}

/* The default scenarios: those of this folder, else those installed with the running program. */
static rt_text scenarios_find(rt_arena *arena)
{
    static const rt_text here = {"scenarios", 9};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    if (access(here.data, F_OK) == 0 || length <= 0 || length == sizeof program) return here;
    const char *slash = memrchr(program, '/', (size_t)length);
    CHECK(slash);
    CHECK(slash < program + length);
    rt_text installed =
        rt_arena_printf(arena, "%.*s/../share/assay/scenarios", (int)(slash - program), program);
    return access(installed.data, F_OK) == 0 ? installed : here;
}

int cnf_command_files(const cnf_arguments *arguments, rt_arena *arena, cnf_files *out_files)
{
    bool given = arguments->path_count > 0;
    rt_text default_path = given ? (rt_text){0} : scenarios_find(arena);
    rt_sink *sink = rt_sink_create();
    rt_status status;
    bool packed = pack_find(sink, arguments, arena, out_files, &status);
    if (!packed)
        status = cnf_files_find(sink, arena, given ? arguments->paths : &default_path,
                                given ? arguments->path_count : 1, out_files);
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status)) {
        fprintf(stderr, "assay: %.*s%s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message),
                given ? "" : "; name the scenarios to use: assay COMMAND PATH…");
        exit_status = CNF_EXIT_USAGE;
    } else if (out_files->count == 0) {
        fprintf(stderr, "assay: no scenario %s in the given paths\n",
                packed ? "of the pack" : "(*.yaml)");
        exit_status = CNF_EXIT_NOTHING_RAN;
    }
    rt_sink_destroy(sink);
    return exit_status;
}

bool cnf_command_refuses_packs(const cnf_files *files, const char *command)
{
    if (files->count == 0 || !files->items[0].packed) return false;
    fprintf(stderr, "assay: %.*s: %s takes scenario files, not packs\n",
            RT_TEXT_ARG(files->items[0].file), command);
    return true;
}

bool cnf_command_print(const rt_buffer *text, const char *what)
{
    errno = 0;
    bool written = text->size == 0 || fwrite(text->data, 1, text->size, stdout) == text->size;
    if ((written && fflush(stdout) == 0) || errno == EPIPE) return true;
    fprintf(stderr, "assay: %s could not be written: %s\n", what, strerror(errno));
    return false;
}

void cnf_command_fail(rt_sink *sink, rt_status status, rt_text what)
{
    CHECK(!rt_ok(status));
    fprintf(stderr, "assay: %.*s%s%.*s\n", RT_TEXT_ARG(what), what.length > 0 ? ": " : "",
            RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
}

bool cnf_command_file_replace(const char *option, const char *name, rt_text content)
{
    CHECK(*option == '-');
    int error = cnf_file_replace(name, content);
    if (error != 0) fprintf(stderr, "assay: %s %s: %s\n", option, name, strerror(error));
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
