/* The tool runs a script for each candidate. The script hands the candidate to a process of ours,
 * which tests it and answers: it is a separate one because nothing may run next to cnf_run. */
#include "conformance/cli/reduce_tool.h"

#include "conformance/cli/commands.h"
#include "conformance/process/files.h"
#include "conformance/process/process.h"
#include "conformance/process/scratch.h"
#include "conformance/report/output.h"
#include "reference/base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CODE_MAX = 1 << 24, NOT_FOUND = 127, QUESTION = 3, ANSWER = 4 };

/* `command` runs in the folder of the code, where `test` is the script; `show` is the part of the
 * script that prints the candidate, which is the script's argument or a file where it runs. */
static const struct tool_row {
    const char *language, *name, *file, *command, *show;
} tool_rows[] = {
    {"opencl-c", "C-Vise", "code.cl",
     "cvise --n 1 --tidy --pass-group opencl-120 \"$PWD/test\" code.cl", "cat code.cl"},
    {"opencl-cpp", "C-Vise", "code.cpp", "cvise --n 1 --tidy \"$PWD/test\" code.cpp",
     "cat code.cpp"},
    {"sycl", "C-Vise", "code.cpp", "cvise --n 1 --tidy \"$PWD/test\" code.cpp", "cat code.cpp"},
    {"llvm-ir", "llvm-reduce", "code.ll",
     "PATH=$PATH:/usr/lib/llvm-" ASSAY_LLVM_VERSION
     "/bin; llvm-reduce --test=\"$PWD/test\" code.ll",
     "cat \"$1\""},
    {"spirv-asm", "spirv-reduce", "code.spvasm",
     "spirv-as code.spvasm -o code.spv && spirv-reduce code.spv -o reduced.spv -- \"$PWD/test\"",
     "spirv-dis --no-color \"$1\""},
};

/* A run of a tool. */
typedef struct tool_run {
    rt_arena arena;
    const struct tool_row *row;
    red_source *source;
    rt_text folder;
} tool_run;

static const char *name_of(tool_run *run, const char *file)
{
    return rt_arena_printf(&run->arena, "%.*s/%s", RT_TEXT_ARG(run->folder), file).data;
}

static bool file_write(tool_run *run, const char *file, rt_text text)
{
    int error = cnf_file_replace(name_of(run, file), text);
    if (error != 0) fprintf(stderr, "assay: %s: %s\n", name_of(run, file), strerror(error));
    return error == 0;
}

/* Reads a file of the folder, which the tool may not have written. */
static bool file_read(tool_run *run, const char *file, rt_buffer *out)
{
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_file_read(sink, rt_text_of(name_of(run, file)), CODE_MAX, out);
    rt_sink_destroy(sink);
    return rt_ok(status);
}

static bool folder_fill(tool_run *run)
{
    static const char *const pipes[] = {"question", "answer"};
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        if (mkfifo(name_of(run, pipes[i]), 0600) != 0) {
            fprintf(stderr, "assay: %s: %s\n", name_of(run, pipes[i]), strerror(errno));
            return false;
        }
    rt_text script = rt_arena_printf(
        &run->arena,
        "#!/bin/sh\nfolder=${0%%/*}\n%s >\"$folder/candidate\" || exit 1\n"
        "echo >\"$folder/question\"\nread -r answer <\"$folder/answer\"\nexit \"$answer\"\n",
        run->row->show);
    return file_write(run, run->row->file, run->source->code) && file_write(run, "test", script) &&
           chmod(name_of(run, "test"), 0700) == 0;
}

/* ---- Answering ---------------------------------------------------------------------------- */

/* The body of the process that tests candidates, until it is told to end; keeps the last one that
 * passes. Returns its exit status: 0, or 1 if a test stopped. */
static int questions_answer(void *user)
{
    tool_run *run = user;
    char question;
    while (read(QUESTION, &question, 1) == 1 && question == '\n') {
        rt_buffer candidate = {0};
        bool passes = false;
        bool goes_on = !file_read(run, "candidate", &candidate) ||
                       red_source_test(run->source, rt_buffer_text(&candidate), &passes);
        if (passes) passes = file_write(run, "best", rt_buffer_text(&candidate));
        rt_buffer_free(&candidate);
        if (!goes_on || write(ANSWER, passes ? "0\n" : "1\n", 2) != 2) return 1;
    }
    return 0;
}

/* ---- The tool ----------------------------------------------------------------------------- */

static void failure_print(const tool_run *run, cnf_process_result result, rt_text errors)
{
    rt_buffer how = {0};
    if (result.end == CNF_PROCESS_EXITED && result.code == NOT_FOUND) {
        rt_buffer_printf(&how, "is not installed, so that code is left as it is; run ci/setup "
                               "--with reduce");
    } else {
        cnf_process_describe(&how, result, 0);
        rt_text reason = rt_lines_last(errors, 1);
        if (reason.length > 0) rt_buffer_printf(&how, ": \"%.*s\"", RT_TEXT_ARG(reason));
    }
    fprintf(stderr, "assay: reduce: %s %s\n", run->row->name, rt_buffer_string(&how));
    rt_buffer_free(&how);
}

/* Runs the tool. A tool that takes too long has done what it could. */
static void tool_execute(tool_run *run, uint32_t seconds)
{
    rt_text line = rt_arena_printf(&run->arena, "cd \"$TMPDIR\" && %s", run->row->command);
    const char *const arguments[] = {"sh", "-c", line.data, NULL};
    rt_text temporary = rt_arena_printf(&run->arena, "TMPDIR=%.*s", RT_TEXT_ARG(run->folder));
    const char *const changes[] = {temporary.data, NULL};
    cnf_process process;
    cnf_process_result result = {CNF_PROCESS_NOT_STARTED, 0};
    rt_buffer output = {0}, errors = {0};
    result.code = cnf_process_start(&process, "/bin/sh", arguments,
                                    cnf_start_environment(&run->arena, changes), (rt_bytes){0});
    if (result.code == 0) result = cnf_process_finish(&process, seconds * 1000, &output, &errors);
    bool is_done = result.end == CNF_PROCESS_EXITED && result.code == 0;
    if (!is_done && result.end != CNF_PROCESS_TIMED_OUT)
        failure_print(run, result, rt_buffer_text(&errors));
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
}

/* Starts the process that tests, runs the tool, and ends that process. Returns false if a test
 * stopped. */
static bool tool_run_with_tests(tool_run *run, uint32_t seconds)
{
    int question = open(name_of(run, "question"), O_RDWR | O_CLOEXEC);
    int answer = open(name_of(run, "answer"), O_RDWR | O_CLOEXEC);
    int descriptors[] = {-1, STDOUT_FILENO, STDERR_FILENO, question, answer};
    const cnf_start start = {.body = questions_answer,
                             .user = run,
                             .descriptors = descriptors,
                             .descriptor_count = sizeof descriptors / sizeof *descriptors};
    pid_t tester;
    int status = 1;
    fflush(NULL);
    bool is_open = question >= 0 && answer >= 0;
    int error = is_open ? cnf_start_process(&start, &tester) : errno;
    if (is_open && error == 0) {
        tool_execute(run, seconds);
        bool is_told = write(question, "e", 1) == 1;
        CHECK(is_told);
        while (waitpid(tester, &status, 0) < 0 && errno == EINTR) {
        }
    } else {
        fprintf(stderr, "assay: reduce: %s: %s\n", run->row->name, strerror(error));
    }
    if (question >= 0) close(question);
    if (answer >= 0) close(answer);
    return status == 0;
}

static const struct tool_row *row_of(rt_text language)
{
    for (size_t i = 0; i < sizeof tool_rows / sizeof *tool_rows; i++)
        if (rt_text_is(language, tool_rows[i].language)) return &tool_rows[i];
    return NULL;
}

bool cnf_reduce_by_tool(red_source *source, uint32_t seconds)
{
    tool_run run = {.row = row_of(source->language), .source = source};
    if (!run.row) return true;
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_scratch_make(sink, &run.arena, &run.folder);
    bool goes_on = true;
    if (!rt_ok(status)) {
        cnf_command_fail(sink, status, RT_TEXT("reduce"));
    } else if (folder_fill(&run)) {
        goes_on = tool_run_with_tests(&run, seconds);
        rt_buffer best = {0};
        bool passes;
        if (goes_on && access(name_of(&run, "best"), F_OK) == 0 && file_read(&run, "best", &best))
            goes_on = red_source_test(source, rt_buffer_text(&best), &passes);
        rt_buffer_free(&best);
    }
    if (run.folder.length > 0) cnf_scratch_remove(run.folder);
    rt_sink_destroy(sink);
    rt_arena_reset(&run.arena);
    return goes_on;
}
