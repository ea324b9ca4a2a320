/* assay check: reads scenarios without running them. */
#include "conformance/cli/commands.h"
#include "conformance/scenario/model/scenario.h"

#include <stdio.h>

/* Prints the file's problems on stdout and returns their count. */
static uint32_t check_file(const cnf_file *file)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer text;
    scn_problems problems = {0};
    rt_status status = cnf_file_read(sink, file->file, RT_SCENARIO_SIZE_MAX, &text);
    uint32_t count = 0;
    if (!rt_ok(status)) {
        printf("%.*s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
        count = 1;
    } else if (!scn_read(&arena, rt_buffer_text(&text), file->file, file->path, &problems)) {
        CHECK(problems.count > 0);
        rt_buffer lines = {0};
        count = problems.count;
        scn_problems_write(&lines, file->file, &problems);
        printf("%s", rt_buffer_string(&lines));
        rt_buffer_free(&lines);
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return count;
}

int cnf_check_command(const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    cnf_files files;
    int status = cnf_command_files(arguments, &arena, &files);
    uint32_t wrong = 0;
    if (status == CNF_EXIT_EXPECTED && cnf_command_refuses_packs(&files, "check"))
        status = CNF_EXIT_USAGE;
    for (uint32_t i = 0; status == CNF_EXIT_EXPECTED && i < files.count; i++)
        wrong += check_file(&files.items[i]) > 0;
    if (status == CNF_EXIT_EXPECTED) {
        printf("%u scenario%s read, %u with problems\n", files.count, files.count == 1 ? "" : "s",
               wrong);
        if (wrong > 0) status = CNF_EXIT_USAGE;
    }
    rt_arena_reset(&arena);
    return status;
}
