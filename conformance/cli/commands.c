/* What several commands need. */
#include "conformance/cli/commands.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

uint32_t cnf_command_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

/* Packed scenarios are of the design, but not of this version; reading one as YAML would only say
 * that it is none. */
static const rt_text *pack_among(const cnf_arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->path_count; i++) {
        const rt_text *path = &arguments->paths[i];
        if (path->length <= 6) continue;
        const rt_text ending = {path->data + path->length - 6, 6};
        if (rt_text_is(ending, ".assay")) return path;
    }
    return NULL;
}

int cnf_command_files(const cnf_arguments *arguments, rt_arena *arena, cnf_files *out_files)
{
    static const rt_text default_path = {"scenarios", 9};
    bool given = arguments->path_count > 0;
    const rt_text *pack = pack_among(arguments);
    if (pack) {
        fprintf(stderr, "assay: %.*s: packed scenarios are not built yet in this version\n",
                RT_TEXT_ARG(*pack));
        return CNF_EXIT_USAGE;
    }
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_files_find(sink, arena, given ? arguments->paths : &default_path,
                                      given ? arguments->path_count : 1, out_files);
    int exit_status = CNF_EXIT_EXPECTED;
    if (!rt_ok(status)) {
        fprintf(stderr, "assay: %.*s%s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message),
                given ? "" : "; name the scenarios to use: assay COMMAND PATH…");
        exit_status = CNF_EXIT_USAGE;
    } else if (out_files->count == 0) {
        fprintf(stderr, "assay: no scenario (*.yaml) in the given paths\n");
        exit_status = CNF_EXIT_NOTHING_RAN;
    }
    rt_sink_destroy(sink);
    return exit_status;
}

bool cnf_command_print(const rt_buffer *text, const char *what)
{
    errno = 0;
    bool written = text->size == 0 || fwrite(text->data, 1, text->size, stdout) == text->size;
    if ((written && fflush(stdout) == 0) || errno == EPIPE) return true;
    fprintf(stderr, "assay: %s could not be written: %s\n", what, strerror(errno));
    return false;
}

bool cnf_command_number(const cnf_arguments *arguments, cnf_option_id option, const char *name,
                        uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *out_number)
{
    const char *text = arguments->values[option];
    *out_number = otherwise;
    if (!text || cnf_number_read(text, least, most, out_number)) return true;
    fprintf(stderr, "assay: %s %s: expected a number from %llu to %llu\n", name, text,
            (unsigned long long)least, (unsigned long long)most);
    return false;
}
