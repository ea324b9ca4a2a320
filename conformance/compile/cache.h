/* What the folder needs of the cache beyond compile.h. */
#ifndef CONFORMANCE_COMPILE_CACHE_H
#define CONFORMANCE_COMPILE_CACHE_H

#include "conformance/compile/compile.h"

/* The folder in use; empty when the cache holds nothing.  Borrowed from the cache. */
rt_text cnf_cache_folder(const cnf_cache *cache);

/* Removes the entries used longest ago when all together exceed size_max bytes, until at most
 * size_kept are left.  Files that vanish meanwhile are no error. */
void cnf_cache_sweep(cnf_cache *cache, uint64_t size_max, uint64_t size_kept);

#endif
