/* dev_tools over conformance/compile. */
#include "conformance/subject/tools.h"

#include <stdio.h>

/* Longest time that one link by a tool may take; the scenario's own limit is above it. */
enum { LINK_TIMEOUT_MS = 30000 };

/* What dev_tools may return; an answer with another code means that the tool misbehaved. */
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

static rt_status link_to_bitcode(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                                 rt_buffer *out_bitcode)
{
    rt_arena arena = {0};
    rt_buffer request = {0}, bytes = {0};
    cnf_compile_answer answer;
    cnf_compile_request_link(&request, codes, count);
    cnf_compile_call(store_cache(user), &arena, rt_buffer_bytes(&request), LINK_TIMEOUT_MS, &bytes,
                     &answer);
    rt_status status = RT_STATUS_OK;
    if (answer.code == RT_OK) {
        rt_buffer_append(out_bitcode, answer.artefact.data, answer.artefact.size);
    } else {
        status = rt_fail_naming(sink, tool_code(answer.code), RT_RULE_NONE, answer.names,
                                answer.name_count, "%.*s", RT_TEXT_ARG(answer.message));
    }
    rt_buffer_free(&bytes);
    rt_buffer_free(&request);
    rt_arena_reset(&arena);
    return status;
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
