/* assay check: reads scenarios without running them. */
#include "conformance/cli/commands.h"
/* Prints the file's problems on stdout; returns true if there are none. */
static bool file_check(const cnf_file *file)
{
    rt_arena arena = {0};
    rt_sink *sink = rt_sink_create();
    rt_buffer text;
    scn_problems problems = {0};
    rt_status status = cnf_file_read(sink, file->file, RT_SCENARIO_SIZE_MAX, &text);
    bool is_valid = rt_ok(status);
    if (!is_valid) {
        printf("%.*s\n", RT_TEXT_ARG(rt_sink_diagnostic(sink, status)->message));
    } else if (!scn_read(&arena, rt_buffer_text(&text), file->file, file->path, &problems)) {
        CHECK(problems.count > 0);
        cnf_command_problems(stdout, file->file, &problems);
        is_valid = false;
    }
    rt_buffer_free(&text);
    rt_sink_destroy(sink);
    rt_arena_reset(&arena);
    return is_valid;
}

int cnf_check_command(const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    cnf_files files;
    int status = cnf_command_files(arguments, &arena, &files);
    uint32_t wrong_count = 0;
    if (status == CNF_EXIT_EXPECTED && cnf_command_refuses_packs(&files, "check"))
        status = CNF_EXIT_USAGE;
    for (uint32_t i = 0; status == CNF_EXIT_EXPECTED && i < files.count; i++)
        wrong_count += !file_check(&files.items[i]);
    if (status == CNF_EXIT_EXPECTED) {
        CHECK(wrong_count <= files.count);
        printf("%u scenario%s read, %u with problems\n", files.count, files.count == 1 ? "" : "s",
               wrong_count);
        if (wrong_count > 0) status = CNF_EXIT_USAGE;
    }
    rt_arena_reset(&arena);
    return status;
}
