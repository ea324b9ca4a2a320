/* Compiles OpenCL C in the compile worker, `assay worker`, a process of its own. */
#include "opencl/report.h"

#include "conformance/build/compile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

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
    cnf_worker_call(path, cnf_worker_environment(NULL, &arena), &arena, rt_buffer_bytes(&request),
                    WORKER_TIMEOUT_MS, &output, &answer);
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
