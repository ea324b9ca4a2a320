/* Heap memory.  All of assay allocates through these functions.
 *
 * Running out of memory ends the process with exit status RT_EXIT_OUT_OF_MEMORY after one line on
 * stderr: each scenario runs in a separate child process, so only that scenario is lost, and the
 * parent process records why.  Sizes that come from a file or a scenario (images, device buffers)
 * are checked against limits first and allocated with rt_try_alloc, which may fail. */
#ifndef REFERENCE_BASE_ALLOC_H
#define REFERENCE_BASE_ALLOC_H

#include <stddef.h>

/* Exit status of a process that ran out of memory; the runner recognises it. */
enum { RT_EXIT_OUT_OF_MEMORY = 112 };

/* Returns size_bytes zeroed bytes, aligned for any object; never NULL (for size 0, a pointer that
 * may be freed).  The caller frees it with rt_free. */
void *rt_alloc(size_t size_bytes);

/* Like rt_alloc for count objects of size_bytes each; the product must not overflow. */
void *rt_alloc_array(size_t count, size_t size_bytes);

/* Like rt_alloc, but returns NULL if the system refuses. */
void *rt_try_alloc(size_t size_bytes);

/* Resizes a block from rt_alloc (or NULL) to size_bytes > 0; new bytes are not zeroed.  Never
 * returns NULL. */
void *rt_realloc(void *block, size_t size_bytes);

/* Frees a block from rt_alloc, rt_try_alloc or rt_realloc; NULL does nothing. */
void rt_free(void *block);

#endif
