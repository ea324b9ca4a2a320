/* The tools that a driver lacks, and the fusion compiler, implemented over conformance/build. */
#include "conformance/subject/tools.h"

#include "conformance/build/packed_answer.h"

#include <stdio.h>

/* Time limit of one call of a tool; the scenario's own limit is higher. */
enum { TOOL_TIMEOUT_MS = 30000 };

/* Answers a request as cnf_compile_call does, or from the pack if the scenario came from one. */
static void answer_find(cnf_tool_store *store, rt_arena *arena, rt_bytes request,
                        rt_buffer *out_bytes, cnf_compile_answer *out_answer)
{
    pthread_mutex_lock(&store->lock);
    if (store->packed) {
        if (!cnf_packed_answer(store->packed, request, out_bytes)) store->misses = true;
    } else if (!store->cache) {
        rt_text warning;
        store->cache = cnf_cache_open(store->folder, &warning);
        if (warning.length) fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(warning));
    }
    pthread_mutex_unlock(&store->lock);
    if (!store->packed) {
        cnf_compile_call(store->cache, arena, request, TOOL_TIMEOUT_MS, out_bytes, out_answer);
        return;
    }
    rt_sink *sink = rt_sink_create();
    rt_status status = cnf_compile_answer_read(sink, arena, rt_buffer_bytes(out_bytes), out_answer);
    if (!rt_ok(status)) {
        rt_text message = rt_arena_text(arena, rt_sink_diagnostic(sink, status)->message);
        *out_answer = (cnf_compile_answer){.code = RT_MALFORMED, .message = message};
    }
    rt_sink_destroy(sink);
}

/* cnf_asker.ask, from the pack, the cache or a worker. */
static rt_status ask(void *user, rt_sink *sink, rt_bytes request, uint64_t codes,
                     rt_buffer *out_artefact)
{
    cnf_tool_store *store = user;
    rt_arena arena = {0};
    rt_buffer bytes = {0};
    cnf_compile_answer answer;
    answer_find(store, &arena, request, &bytes, &answer);
    if (store->records && cnf_answer_travels(&answer)) {
        const scn_artefact artefact = {rt_hash128(request.data, request.size),
                                       rt_buffer_bytes(&bytes)};
        pthread_mutex_lock(&store->lock);
        cnf_emit_artefact(store->records, &artefact);
        pthread_mutex_unlock(&store->lock);
    }
    rt_status status = cnf_answer_take(sink, &answer, codes, out_artefact);
    rt_buffer_free(&bytes);
    rt_arena_reset(&arena);
    return status;
}

rt_fusion_compiler cnf_tools_fusion_compiler(cnf_tool_store *store)
{
    return (rt_fusion_compiler){&store->asker, cnf_asker_fuse};
}

dev_tools cnf_tools_open(cnf_tool_store *store, rt_text folder)
{
    *store = (cnf_tool_store){.folder = folder, .asker = {.ask = ask, .user = store}};
    pthread_mutex_init(&store->lock, NULL);
    return cnf_asker_tools(&store->asker);
}

void cnf_tools_close(cnf_tool_store *store)
{
    if (store->cache) cnf_cache_close(store->cache);
    pthread_mutex_destroy(&store->lock);
}
