/* Growth by doubling, so that n pushes cost O(n). */
#include "reference/base/vector.h"

#include "reference/base/check.h"

void *rt_vector_grow(void *items, uint32_t count, uint32_t *capacity, size_t item_size_bytes)
{
    CHECK(count <= *capacity);
    CHECK(item_size_bytes > 0);
    if (count < *capacity) return items;
    CHECK(*capacity <= UINT32_MAX / 2);
#ifdef RT_ARENA_BLOCKS
    /* A sanitizer sees accesses past the last item, and pointers that are kept across a push. */
    bool is_exact = *capacity < 64;
#else
    bool is_exact = false;
#endif
    *capacity = is_exact ? *capacity + 1 : *capacity ? 2 * *capacity : 8;
    return rt_realloc(items, (size_t)*capacity * item_size_bytes);
}
