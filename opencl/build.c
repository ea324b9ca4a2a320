/* Compiles OpenCL C in the compile worker, `assay worker`, a process of its own. */
#include "opencl/report.h"

#include "conformance/build/compile.h"
#include "conformance/process/process.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKER_TIMEOUT_MS = 120000 };

/* Finds the program that has the worker: as `assay exec` says, or where the build or an
 * installation has it relative to this library. */
static bool worker_find(char path[PATH_MAX])
{
    static const char *const places[] = {"assay", "../../bin/assay"};
    const char *given = getenv(ICD_VARIABLE_PROGRAM);
    if (given && *given) {
        snprintf(path, PATH_MAX, "%s", given);
        return access(path, X_OK) == 0;
    }
    Dl_info info;
    if (!dladdr((const void *)&icd_dispatch, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    int folder = slash ? (int)(slash - info.dli_fname) : 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, PATH_MAX, "%.*s/%s", folder, info.dli_fname, places[i]);
        if (length < PATH_MAX && access(path, X_OK) == 0) return true;
    }
    return false;
}

/* The worker runs without what is meant for the program that uses OpenCL. */
static const char *const *worker_environment(rt_arena *arena)
{
    static const char *const dropped[] = {
        "LD_LIBRARY_PATH=", "LD_PRELOAD=", "OPENCL_LAYERS=", "OCL_ICD_"};
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    const char **variables = rt_arena_alloc_array(arena, count + 1, sizeof *variables);
    for (size_t i = 0; i < count; i++) {
        bool is_dropped = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped; k++)
            is_dropped |= strncmp(environ[i], dropped[k], strlen(dropped[k])) == 0;
        if (!is_dropped) variables[used++] = environ[i];
    }
    return variables;
}

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

/* Reads the worker's answer; false: it says why there is none. */
static bool answer_read(rt_arena *arena, const rt_buffer *bytes, icd_compilation *compilation)
{
    rt_sink *sink = rt_sink_create();
    cnf_compile_answer answer;
    bool is_compiled = false;
    if (rt_ok(cnf_compile_answer_read(sink, arena, rt_buffer_bytes(bytes), &answer))) {
        for (uint32_t i = 0; i < answer.message_count; i++)
            message_append(&compilation->log, &answer.messages[i]);
        is_compiled = answer.code == RT_OK;
        if (is_compiled)
            rt_buffer_append(&compilation->spirv, answer.artefact.data, answer.artefact.size);
        else if (answer.message_count == 0)
            rt_buffer_printf(&compilation->log, "%.*s\n", RT_TEXT_ARG(answer.message));
    }
    rt_sink_destroy(sink);
    return is_compiled;
}

bool icd_compile(icd_compilation *compilation)
{
    char path[PATH_MAX];
    if (!worker_find(path)) {
        rt_buffer_printf(&compilation->log, "the program assay, which has the compiler, was not "
                                            "found; set " ICD_VARIABLE_PROGRAM " to its path\n");
        return false;
    }
    rt_arena arena = {0};
    rt_buffer request = {0}, output = {0}, errors = {0};
    const cnf_program_source program = {compilation->name, compilation->source,
                                        compilation->options, compilation->option_count};
    cnf_compile_request_program(&request, &program);
    static const char *const arguments[] = {"assay", "worker", NULL};
    cnf_process process;
    int error = cnf_process_start(&process, path, arguments, worker_environment(&arena),
                                  rt_buffer_bytes(&request));
    cnf_process_result result = {CNF_PROCESS_NOT_STARTED, error};
    if (!error) result = cnf_process_finish(&process, WORKER_TIMEOUT_MS, &output, &errors);
    bool is_answered = result.end == CNF_PROCESS_EXITED && result.code == 0;
    bool is_compiled = is_answered && answer_read(&arena, &output, compilation);
    if (!is_answered) {
        rt_buffer_printf(&compilation->log, "the compiler worker ");
        cnf_process_describe(&compilation->log, result, WORKER_TIMEOUT_MS);
        rt_buffer_printf(&compilation->log, "\n%s", rt_buffer_string(&errors));
    }
    rt_buffer_free(&request);
    rt_buffer_free(&output);
    rt_buffer_free(&errors);
    rt_arena_reset(&arena);
    return is_compiled;
}
