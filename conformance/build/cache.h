/* The part of the cache that users of compiled images need not know. */
#ifndef CONFORMANCE_BUILD_CACHE_H
#define CONFORMANCE_BUILD_CACHE_H

#include "conformance/build/compile.h"

/* The folder in use; empty when nothing is cached. Borrowed from the cache. */
rt_text cnf_cache_folder(const cnf_cache *cache);

/* If the entries exceed size_max bytes in total, removes the least recently used ones until at most
 * size_kept bytes are left. Files that vanish meanwhile are not an error. */
void cnf_cache_sweep(cnf_cache *cache, uint64_t size_max, uint64_t size_kept);

/* Like cnf_cache_find and cnf_cache_keep, but for the output of a single tool, which has requests
 * of its own and is stored next to the worker's answers. The key covers `tool`, which is not empty
 * and identifies the tool and its version, but none of the other compilers. */
bool cnf_cache_tool_find(cnf_cache *cache, rt_text tool, rt_bytes request, rt_buffer *out_answer);
void cnf_cache_tool_keep(cnf_cache *cache, rt_text tool, rt_bytes request, rt_bytes answer);

#endif
