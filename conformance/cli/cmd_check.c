/* assay check: reads scenarios, and compiles their device code, without running them. */
#include "conformance/cli/columns.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/results.h"
#include "conformance/cli/run_options.h"

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

/* What compiling found. */
typedef struct check_compile {
    uint32_t wrong_count;
    bool is_incomplete; /* a compiler is missing or failed, so the code is unchecked */
} check_compile;

static bool on_compiled(void *user, const cnf_record *record, const cnf_run_detail *detail)
{
    (void)detail;
    check_compile *compile = user;
    const cnf_judgement *judgement = &record->judgement;
    if (judgement->verdict == CNF_VERDICT_PASS) return true;
    rt_buffer text = {0};
    rt_buffer_printf(&text, "%.*s", RT_TEXT_ARG(judgement->message));
    bool is_wrong =
        judgement->verdict == CNF_VERDICT_INVALID || judgement->verdict == CNF_VERDICT_FAIL;
    if (is_wrong)
        printf("%s\n", rt_buffer_string(&text));
    else
        fprintf(stderr, "assay: %.*s: not compiled: %s\n", RT_TEXT_ARG(record->file),
                rt_buffer_string(&text));
    rt_buffer_free(&text);
    compile->wrong_count += is_wrong;
    compile->is_incomplete = compile->is_incomplete || !is_wrong;
    return true;
}

/* Compiles the modules of scenarios that can be read, for the reference subject. Adds to
 * *inout_wrong_count; returns an exit status. */
static int files_compile(const cnf_arguments *arguments, rt_arena *arena, const cnf_file *files,
                         uint32_t count, uint32_t *inout_wrong_count)
{
    cnf_run_options options;
    cnf_columns columns;
    if (!cnf_run_options_read(arguments, &options) ||
        !cnf_columns_read(arena, "", cnf_results_oracle(), &columns))
        return CNF_EXIT_USAGE;
    options.subjects = columns.subjects;
    options.subject_count = columns.count;
    options.compile_only = true;
    check_compile compile = {0};
    cnf_run_end end = cnf_run(&options, files, count, on_compiled, &compile);
    *inout_wrong_count += compile.wrong_count;
    bool is_complete = end == CNF_RUN_COMPLETE && !compile.is_incomplete;
    return is_complete ? CNF_EXIT_EXPECTED : CNF_EXIT_INFRASTRUCTURE;
}

int cnf_check_command(const cnf_arguments *arguments)
{
    rt_arena arena = {0};
    cnf_files files;
    int status = cnf_command_files(arguments, &arena, &files);
    uint32_t wrong_count = 0, read_count = 0;
    if (status == CNF_EXIT_EXPECTED && cnf_command_refuses_packs(&files, "check"))
        status = CNF_EXIT_USAGE;
    if (status == CNF_EXIT_EXPECTED) {
        cnf_file *readable = rt_arena_alloc_array(&arena, files.count + 1, sizeof *readable);
        for (uint32_t i = 0; i < files.count; i++)
            if (file_check(&files.items[i])) readable[read_count++] = files.items[i];
        wrong_count = files.count - read_count;
        if (arguments->values[CNF_OPTION_COMPILE] && read_count > 0)
            status = files_compile(arguments, &arena, readable, read_count, &wrong_count);
        CHECK(wrong_count <= files.count);
        printf("%u scenario%s read, %u with problems\n", files.count, files.count == 1 ? "" : "s",
               wrong_count);
        if (wrong_count > 0) status = CNF_EXIT_USAGE;
    }
    rt_arena_reset(&arena);
    return status;
}
