/* What needs LLVM: linking for devices whose driver does not link, and kernel fusion.  The program
 * assay does both in a worker process, so that a crash of LLVM does not end the program that uses
 * this library. */
#include "api/objects.h"

#include "conformance/build/compile.h"

enum { TOOL_TIMEOUT_MS = 30000 };

/* Appends the artefact with which a worker answers the request; `codes` as in cnf_answer_take. */
static rt_status ask(const assay_runtime *runtime, rt_sink *sink, const rt_buffer *request,
                     uint64_t codes, rt_buffer *out_artefact)
{
    if (!runtime->worker[0])
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the program assay, which has the compiler, is not where it was installed "
                       "with libassay_reference.so; set assay_options.program to its path");
    rt_arena arena = {0};
    rt_buffer bytes = {0};
    cnf_compile_answer answer;
    cnf_worker_call(runtime->worker, cnf_worker_environment(NULL, &arena), &arena,
                    rt_buffer_bytes(request), TOOL_TIMEOUT_MS, &bytes, &answer);
    rt_status status = cnf_answer_take(sink, &answer, codes, out_artefact);
    rt_buffer_free(&bytes);
    rt_arena_reset(&arena);
    return status;
}

static rt_status link_to_bitcode(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    rt_buffer request = {0};
    cnf_compile_request_link(&request, codes, count);
    rt_status status = ask(user, sink, &request, CNF_CODE(LINK_ERROR), out_bitcode);
    rt_buffer_free(&request);
    return status;
}

static rt_status spirv_to_ptx(void *user, rt_sink *sink, const dev_code *code, rt_buffer *out_ptx)
{
    rt_buffer request = {0};
    cnf_compile_request_ptx(&request, code);
    rt_status status = ask(user, sink, &request, CNF_CODE(UNSUPPORTED), out_ptx);
    rt_buffer_free(&request);
    return status;
}

static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *fusion,
                      rt_buffer *out_result)
{
    rt_buffer request = {0};
    cnf_compile_request_fusion(&request, fusion, false);
    rt_status status =
        ask(user, sink, &request, CNF_CODE(FUSION_REJECTED) | CNF_CODE(UNSUPPORTED), out_result);
    rt_buffer_free(&request);
    return status;
}

void api_tools_open(assay_runtime *runtime, const char *program)
{
    static const char here; /* in this library */
    if (!cnf_worker_find(runtime->worker, program, &here)) runtime->worker[0] = '\0';
    runtime->tools = (dev_tools){runtime, link_to_bitcode, spirv_to_ptx};
    runtime->fusion_compiler = (rt_fusion_compiler){runtime, fuse};
}
