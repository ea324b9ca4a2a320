/* A request for each tool; see asker.h. */
#include "conformance/build/asker.h"

#include "conformance/build/compile.h"

static rt_status ask(const cnf_asker *asker, rt_sink *sink, rt_buffer *request, uint64_t codes,
                     rt_buffer *out_artefact)
{
    rt_status status = asker->ask(asker->user, sink, rt_buffer_bytes(request), codes, out_artefact);
    rt_buffer_free(request);
    return status;
}

static rt_status link_to_bitcode(void *asker, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    rt_buffer request = {0};
    cnf_compile_request_link(&request, codes, count);
    return ask(asker, sink, &request, CNF_CODE(LINK_ERROR), out_bitcode);
}

static rt_status spirv_to_ptx(void *asker, rt_sink *sink, const dev_code *code, rt_buffer *out_ptx)
{
    rt_buffer request = {0};
    cnf_compile_request_ptx(&request, code);
    return ask(asker, sink, &request, CNF_CODE(UNSUPPORTED), out_ptx);
}

dev_tools cnf_asker_tools(cnf_asker *asker)
{
    CHECK(asker->ask != NULL);
    return (dev_tools){asker, link_to_bitcode, spirv_to_ptx};
}

rt_status cnf_asker_fuse(void *user, rt_sink *sink, const rt_fusion_request *fusion,
                         rt_buffer *out_result)
{
    const cnf_asker *asker = user;
    rt_buffer request = {0};
    cnf_compile_request_fusion(&request, fusion, asker->fuses_as_shipped);
    return ask(asker, sink, &request, CNF_CODE(FUSION_REJECTED) | CNF_CODE(UNSUPPORTED),
               out_result);
}
