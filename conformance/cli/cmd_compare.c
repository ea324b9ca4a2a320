/* assay compare: the changes between the records of two runs. */
#include "conformance/cli/commands.h"
#include "conformance/verdict/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS_MAX = 1 << 30 };
static const double slower_default = 2, slower_least_s = 0.2;

static bool bound_read(const cnf_arguments *arguments, cnf_slower_bound *out_bound)
{
    const char *text = arguments->values[CNF_OPTION_SLOWER];
    *out_bound = (cnf_slower_bound){slower_default, slower_least_s};
    if (!text) return true;
    char *end;
    out_bound->factor = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(out_bound->factor) && out_bound->factor >= 1)
        return true;
    fprintf(stderr, "assay: --slower %s: expected a number of at least 1, such as 1.5\n", text);
    return false;
}

static bool records_read(rt_arena *arena, rt_text file, cnf_records *out_records)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer content = {0};
    rt_status status = cnf_file_read(sink, file, RECORDS_MAX, &content);
    if (rt_ok(status))
        status = cnf_records_read(sink, arena, file, rt_buffer_text(&content), out_records);
    if (!rt_ok(status)) cnf_command_fail(sink, status, (rt_text){0});
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

int cnf_compare_command(const cnf_arguments *arguments)
{
    if (arguments->path_count != 2) {
        fprintf(stderr, "assay: compare needs two files of records, OLD and NEW, as run --json "
                        "writes them (assay compare --help)\n");
        return CNF_EXIT_USAGE;
    }
    rt_arena arena = {0};
    rt_buffer text = {0};
    cnf_records old_run, new_run;
    cnf_slower_bound bound;
    int status = CNF_EXIT_USAGE;
    if (bound_read(arguments, &bound) && records_read(&arena, arguments->paths[0], &old_run) &&
        records_read(&arena, arguments->paths[1], &new_run)) {
        bool worse = cnf_comparison_write(&text, &old_run, &new_run, bound,
                                          arguments->values[CNF_OPTION_MARKDOWN] != NULL);
        status = worse ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
        if (!cnf_command_print(&text, "the comparison")) status = CNF_EXIT_INFRASTRUCTURE;
    }
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
    return status;
}
