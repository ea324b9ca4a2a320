/* assay compare: the changes between the records of two runs. */
#include "conformance/cli/commands.h"
#include "conformance/verdict/comparison.h"

#include <math.h>
#include <stdlib.h>

static const double slower_default = 2, slower_least_s = 0.2;

/* Reads --slower. Returns false after reporting on stderr that it is not a number of at least 1. */
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
    if (bound_read(arguments, &bound) &&
        cnf_command_records(&arena, "", arguments->paths[0], &old_run) &&
        cnf_command_records(&arena, "", arguments->paths[1], &new_run)) {
        CHECK(bound.factor >= 1);
        bool worse = cnf_comparison_write(&text, &old_run, &new_run, bound,
                                          arguments->values[CNF_OPTION_MARKDOWN] != NULL);
        status = worse ? CNF_EXIT_UNEXPECTED : CNF_EXIT_EXPECTED;
        if (!cnf_command_print(&text, "the comparison")) status = CNF_EXIT_INFRASTRUCTURE;
    }
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
    return status;
}
