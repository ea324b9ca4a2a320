/* What the folder needs of the cache beyond compile.h. */
#ifndef CONFORMANCE_COMPILE_CACHE_H
#define CONFORMANCE_COMPILE_CACHE_H

#include "conformance/build/compile.h"

/* The folder in use; empty when the cache holds nothing.  Borrowed from the cache. */
rt_text cnf_cache_folder(const cnf_cache *cache);

/* Removes the entries used longest ago when all together exceed size_max bytes, until at most
 * size_kept are left.  Files that vanish meanwhile are no error. */
void cnf_cache_sweep(cnf_cache *cache, uint64_t size_max, uint64_t size_kept);

/* Finds and keeps what one tool made of a request of its own, beside the answers of the worker: the
 * key covers `tool`, which tells this tool from every other and is not empty, and none of the other
 * compilers.  As cnf_cache_find and cnf_cache_keep otherwise. */
bool cnf_cache_find_of_tool(cnf_cache *cache, rt_text tool, rt_bytes request, rt_buffer *out_made);
void cnf_cache_keep_of_tool(cnf_cache *cache, rt_text tool, rt_bytes request, rt_bytes made);

#endif
