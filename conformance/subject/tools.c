/* The tools that a driver lacks and the fusion compiler, over conformance/build. */
#include "conformance/subject/tools.h"

#include "conformance/build/packed_answer.h"

#include <stdio.h>

/* Time limit of one call of a tool; the scenario's own limit is higher. */
enum { TOOL_TIMEOUT_MS = 30000 };

/* Maps to the codes that dev_tools may return; any other code means that the tool misbehaved. */
static rt_code tool_code(rt_code code)
{
    switch (code) {
    case RT_LINK_ERROR:
    case RT_MALFORMED:
    case RT_LIMIT:
    case RT_IO:
    case RT_UNAVAILABLE: return code;
    default: return RT_TOOL;
    }
}

static cnf_cache *store_cache(cnf_tool_store *store)
{
    pthread_mutex_lock(&store->lock);
    if (!store->cache) {
        rt_text warning;
        store->cache = cnf_cache_open(store->folder, &warning);
        if (warning.length) fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(warning));
    }
    cnf_cache *cache = store->cache;
    pthread_mutex_unlock(&store->lock);
    return cache;
}

/* Maps to the codes that a fusion compiler may return. */
static rt_code fusion_code(rt_code code)
{
    switch (code) {
    case RT_FUSION_REJECTED:
    case RT_MALFORMED:
    case RT_LIMIT:
    case RT_IO:
    case RT_UNSUPPORTED:
    case RT_UNAVAILABLE: return code;
    default: return RT_TOOL;
    }
}

/* Answers a request as cnf_compile_call does, or from the pack if the scenario came in one. */
static void answer_find(cnf_tool_store *store, rt_arena *arena, rt_bytes request,
                        rt_buffer *out_bytes, cnf_compile_answer *out_answer)
{
    if (!store->packed) {
        cnf_compile_call(store_cache(store), arena, request, TOOL_TIMEOUT_MS, out_bytes,
                         out_answer);
        return;
    }
    rt_sink *sink = rt_sink_create();
    if (!cnf_packed_answer(store->packed, request, out_bytes)) {
        pthread_mutex_lock(&store->lock);
        store->misses = true;
        pthread_mutex_unlock(&store->lock);
    }
    rt_status status = cnf_compile_answer_read(sink, arena, rt_buffer_bytes(out_bytes), out_answer);
    if (!rt_ok(status)) {
        rt_text message = rt_arena_text(arena, rt_sink_diagnostic(sink, status)->message);
        *out_answer = (cnf_compile_answer){.code = RT_MALFORMED, .message = message};
    }
    rt_sink_destroy(sink);
}

static void answer_record(cnf_tool_store *store, rt_bytes request, rt_bytes answer)
{
    const scn_artefact artefact = {rt_hash128(request.data, request.size), answer};
    pthread_mutex_lock(&store->lock);
    cnf_emit_artefact(store->records, &artefact);
    pthread_mutex_unlock(&store->lock);
}

/* Appends the artefact of a request, from the cache or a worker. */
static rt_status ask(cnf_tool_store *store, rt_sink *sink, rt_bytes request,
                     rt_code (*code_of)(rt_code code), rt_buffer *out_artefact)
{
    rt_arena arena = {0};
    rt_buffer bytes = {0};
    cnf_compile_answer answer;
    answer_find(store, &arena, request, &bytes, &answer);
    if (store->records && cnf_answer_travels(&answer))
        answer_record(store, request, rt_buffer_bytes(&bytes));
    rt_status status = RT_STATUS_OK;
    if (answer.code == RT_OK) {
        rt_buffer_append(out_artefact, answer.artefact.data, answer.artefact.size);
    } else {
        status = rt_fail_naming(sink, code_of(answer.code), RT_RULE_NONE, answer.names,
                                answer.name_count, "%.*s", RT_TEXT_ARG(answer.message));
    }
    rt_buffer_free(&bytes);
    rt_arena_reset(&arena);
    return status;
}

static rt_status link_to_bitcode(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    rt_buffer request = {0};
    cnf_compile_request_link(&request, codes, count);
    rt_status status = ask(user, sink, rt_buffer_bytes(&request), tool_code, out_bitcode);
    rt_buffer_free(&request);
    return status;
}

static rt_status fuse(void *user, rt_sink *sink, const rt_fusion_request *fusion,
                      rt_buffer *out_result)
{
    rt_buffer request = {0};
    cnf_compile_request_fusion(&request, fusion);
    rt_status status = ask(user, sink, rt_buffer_bytes(&request), fusion_code, out_result);
    rt_buffer_free(&request);
    return status;
}

rt_fusion_compiler cnf_tools_fusion_compiler(cnf_tool_store *store)
{
    return (rt_fusion_compiler){store, fuse};
}

dev_tools cnf_tools_open(cnf_tool_store *store, rt_text folder)
{
    *store = (cnf_tool_store){.folder = folder};
    pthread_mutex_init(&store->lock, NULL);
    return (dev_tools){store, link_to_bitcode};
}

void cnf_tools_close(cnf_tool_store *store)
{
    if (store->cache) cnf_cache_close(store->cache);
    pthread_mutex_destroy(&store->lock);
}
