/* What needs LLVM: linking for devices whose driver does not link, and kernel fusion.  The program
 * assay does both in a worker process, so that a crash of LLVM does not end the program that uses
 * this library. */
#include "api/objects.h"

#include "conformance/build/compile.h"

enum { TOOL_TIMEOUT_MS = 30000 };

/* cnf_asker.ask, from a worker. */
static rt_status ask(void *user, rt_sink *sink, rt_bytes request, uint64_t codes,
                     rt_buffer *out_artefact)
{
    const assay_runtime *runtime = user;
    if (!runtime->worker[0])
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the program assay, which has the compiler, is not where it was installed "
                       "with libassay_reference.so; set assay_options.program to its path");
    rt_arena arena = {0};
    rt_buffer bytes = {0};
    cnf_compile_answer answer;
    cnf_worker_call(runtime->worker, cnf_worker_environment(NULL, &arena), &arena, request,
                    TOOL_TIMEOUT_MS, &bytes, &answer);
    rt_status status = cnf_answer_take(sink, &answer, codes, out_artefact);
    rt_buffer_free(&bytes);
    rt_arena_reset(&arena);
    return status;
}

void api_tools_open(assay_runtime *runtime, const char *program)
{
    static const char here; /* in this library */
    if (!cnf_worker_find(runtime->worker, program, &here)) runtime->worker[0] = '\0';
    runtime->asker = (cnf_asker){.ask = ask, .user = runtime};
    runtime->tools = cnf_asker_tools(&runtime->asker);
    runtime->fusion_compiler = (rt_fusion_compiler){&runtime->asker, cnf_asker_fuse};
}
