/* assay history: verdicts over time and driver versions. */
#include "conformance/cli/commands.h"
#include "conformance/verdict/verdict_history.h"

#include <stdio.h>

/* Returns the name that records use for a scenario given as a file; otherwise the text itself. */
static rt_text scenario_name(rt_arena *arena, rt_text written)
{
    rt_sink *sink = rt_sink_create();
    cnf_files files;
    bool found = rt_ok(cnf_files_find(sink, arena, &written, 1, &files)) && files.count == 1;
    rt_sink_destroy(sink);
    return found ? files.items[0].path : written;
}

int cnf_history_command(const cnf_arguments *arguments)
{
    if (arguments->path_count < 1 || arguments->path_count > 2) {
        fprintf(stderr,
                "assay: history needs FILE, which run --history wrote, and takes an optional "
                "SCENARIO (assay history --help)\n");
        return CNF_EXIT_USAGE;
    }
    bool is_flaky = arguments->values[CNF_OPTION_FLAKY] != NULL;
    if (is_flaky && arguments->path_count > 1) {
        fprintf(stderr, "assay: --flaky lists all scenarios; leave out '%.*s'\n",
                RT_TEXT_ARG(arguments->paths[1]));
        return CNF_EXIT_USAGE;
    }
    rt_arena arena = {0};
    rt_buffer text = {0};
    cnf_history *history = NULL;
    rt_sink *sink = rt_sink_create();
    rt_text scenario = {0};
    if (arguments->path_count == 2) scenario = scenario_name(&arena, arguments->paths[1]);
    bool found = true;
    rt_status status = cnf_history_open_read(sink, arguments->paths[0].data, &history);
    if (rt_ok(status) && is_flaky)
        status = cnf_history_flaky_write(sink, history, &text);
    else if (rt_ok(status))
        status = cnf_history_write(sink, history, scenario, &text, &found);
    int exit_status = rt_ok(status) ? CNF_EXIT_EXPECTED : CNF_EXIT_USAGE;
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, (rt_text){0});
    } else if (!cnf_command_print(&text, "the history")) {
        exit_status = CNF_EXIT_INFRASTRUCTURE;
    } else if (!found) {
        fprintf(stderr, "assay: %.*s: no verdict on %.*s\n", RT_TEXT_ARG(arguments->paths[0]),
                RT_TEXT_ARG(scenario));
        exit_status = CNF_EXIT_NOTHING_RAN;
    }
    cnf_history_close(history);
    rt_sink_destroy(sink);
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
    return exit_status;
}
