/* A growing array as a plain struct: {items, count, capacity}.
 *
 *     RT_VECTOR(uint32_t) ids = {0};
 *     *rt_vector_push(&ids) = 7;
 *     rt_vector_free(&ids);
 *
 * A push may move the items, so a pointer to one is valid only until the next push. */
#ifndef REFERENCE_BASE_VECTOR_H
#define REFERENCE_BASE_VECTOR_H

#include "reference/base/alloc.h"

#include <stddef.h>
#include <stdint.h>

#define RT_VECTOR(type)                                                                            \
    struct {                                                                                       \
        type *items;                                                                               \
        uint32_t count;                                                                            \
        uint32_t capacity;                                                                         \
    }

/* Appends one item, whose value is unspecified, and evaluates to its address. */
#define rt_vector_push(vector)                                                                     \
    ((vector)->items = rt_vector_grow((vector)->items, (vector)->count, &(vector)->capacity,       \
                                      sizeof *(vector)->items),                                    \
     &(vector)->items[(vector)->count++])

/* Frees the items and leaves the vector empty and usable. */
#define rt_vector_free(vector)                                                                     \
    (rt_free((vector)->items), (vector)->items = NULL, (vector)->count = (vector)->capacity = 0)

/* Makes room for one more item; returns the items' (new) address.  Used by rt_vector_push. */
void *rt_vector_grow(void *items, uint32_t count, uint32_t *capacity, size_t item_size_bytes);

#endif
