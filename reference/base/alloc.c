/* Wraps the C library's allocator; ends the process when memory runs out (policy: alloc.h). */
#include "reference/base/alloc.h"

#include "reference/base/check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

RT_NORETURN static void out_of_memory(size_t size_bytes)
{
    fprintf(stderr, "assay: out of memory: could not allocate %zu bytes\n", size_bytes);
    fflush(stderr);
    _exit(RT_EXIT_OUT_OF_MEMORY);
}

void *rt_try_alloc(size_t size_bytes)
{
    return calloc(1, size_bytes ? size_bytes : 1);
}

void *rt_alloc(size_t size_bytes)
{
    void *block = rt_try_alloc(size_bytes);
    if (!block) out_of_memory(size_bytes);
    return block;
}

void *rt_alloc_array(size_t count, size_t size_bytes)
{
    CHECK(size_bytes > 0);
    if (count > SIZE_MAX / size_bytes) out_of_memory(SIZE_MAX);
    return rt_alloc(count * size_bytes);
}

void *rt_realloc(void *block, size_t size_bytes)
{
    CHECK(size_bytes > 0);
    void *moved = realloc(block, size_bytes);
    if (!moved) out_of_memory(size_bytes);
    return moved;
}

void rt_free(void *block)
{
    free(block);
}
