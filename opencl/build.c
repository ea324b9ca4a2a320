/* Compiles OpenCL C in the compile worker, `assay worker`, a process of its own, which serves many
 * programs: most of the time of a small one would be spent on loading LLVM. */
#include "opencl/report.h"

#include "conformance/build/compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORKER_TIMEOUT_MS = 600000 }; /* some programs keep clang busy for a minute */

static void message_append(rt_buffer *log, const cnf_compile_message *message)
{
    static const char *const words[CNF_SEVERITIES] = {
        [CNF_SEVERITY_WARNING] = "warning",
        [CNF_SEVERITY_ERROR] = "error",
        [CNF_SEVERITY_NOTE] = "note",
    };
    if (message->source.length > 0) rt_buffer_printf(log, "%.*s:", RT_TEXT_ARG(message->source));
    if (message->line > 0) rt_buffer_printf(log, "%u:%u:", message->line, message->column);
    rt_buffer_printf(log, "%s%s: %.*s\n", log->size > 0 ? " " : "", words[message->severity],
                     RT_TEXT_ARG(message->text));
}

/* ---- Servers ------------------------------------------------------------------------------- */

/* A worker that runs. It serves the process and the current folder in which it was started: a fork
 * of the program would share its socket, and the folder is where headers are searched for. */
typedef struct server {
    cnf_server worker;
    pid_t process;
    dev_t device;
    ino_t folder;
} server;

/* Workers that no thread uses; guarded by the platform's lock. Each of the threads that compile at
 * the same time takes one. */
static struct {
    server items[4];
    uint32_t count;
} idle;

static bool is_same(const server *one, const server *other)
{
    return one->process == other->process && one->device == other->device &&
           one->folder == other->folder;
}

/* Takes an idle server for this process and its current folder, or returns one that does not run
 * yet. */
static server server_take(void)
{
    struct stat folder = {0};
    (void)stat(".", &folder); /* no folder is current if it has been removed */
    const server wanted = {{-1, -1, -1}, getpid(), folder.st_dev, folder.st_ino};
    server taken = wanted;
    icd_lock();
    while (idle.count > 0 && taken.worker.service < 0) {
        server *last = &idle.items[--idle.count];
        if (is_same(last, &wanted))
            taken = *last;
        else
            cnf_server_stop(&last->worker);
    }
    icd_unlock();
    return taken;
}

static void server_return(server *returned)
{
    icd_lock();
    bool is_kept =
        returned->worker.service >= 0 && idle.count < sizeof idle.items / sizeof *idle.items;
    if (is_kept) idle.items[idle.count++] = *returned;
    icd_unlock();
    if (!is_kept) cnf_server_stop(&returned->worker);
}

/* ---- Compiling ----------------------------------------------------------------------------- */

bool icd_compile(icd_compilation *compilation)
{
    char path[PATH_MAX];
    if (!cnf_worker_find(path, getenv(ICD_VARIABLE_PROGRAM), &icd_dispatch)) {
        rt_buffer_printf(&compilation->log, "the program assay, which has the compiler, was not "
                                            "found; set " ICD_VARIABLE_PROGRAM " to its path\n");
        return false;
    }
    rt_arena arena = {0};
    rt_buffer request = {0}, output = {0};
    const cnf_program_source program = {compilation->name, compilation->source,
                                        compilation->options, compilation->option_count};
    cnf_compile_request_program(&request, &program);
    cnf_compile_answer answer;
    server compiler = server_take();
    cnf_worker_call_server(&compiler.worker, path, cnf_worker_environment(NULL, &arena), &arena,
                           rt_buffer_bytes(&request), WORKER_TIMEOUT_MS, &output, &answer);
    server_return(&compiler);
    for (uint32_t i = 0; i < answer.message_count; i++)
        message_append(&compilation->log, &answer.messages[i]);
    const bool is_compiled = answer.code == RT_OK;
    if (is_compiled)
        rt_buffer_append(&compilation->spirv, answer.artefact.data, answer.artefact.size);
    else if (answer.message_count == 0)
        rt_buffer_printf(&compilation->log, "%.*s\n", RT_TEXT_ARG(answer.message));
    rt_buffer_free(&request);
    rt_buffer_free(&output);
    rt_arena_reset(&arena);
    return is_compiled;
}
