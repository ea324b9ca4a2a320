/* The kernels of PTX texts with the data needed to launch them: the parameters, from the text's
 * header (reference/base/ptx.h), and the work-group size that a kernel requires. */
#ifndef BACKENDS_PTX_KERNELS_H
#define BACKENDS_PTX_KERNELS_H

#include "reference/base/limits.h"
#include "reference/base/ptx.h"
#include "reference/base/stream.h"

typedef struct ptx_kernel {
    rt_ptx_kernel entry;
    /* Work-group size required by ".reqntid"; all 0 if the launch may choose. */
    uint32_t required_local[RT_ND_RANGE_DIMENSIONS];
} ptx_kernel;

/* The kernels of a program.  Zero-initialise; ptx_kernels_free frees the contents. */
typedef struct ptx_kernels {
    rt_arena arena; /* holds the rows and everything they point to */
    ptx_kernel *rows;
    uint32_t count;
} ptx_kernels;

/* Adds the kernels of a text, which is not referenced afterwards.  MALFORMED: the text's header is
 * invalid, or a kernel requires an invalid work-group size; the table then has the same kernels as
 * before. */
RT_MUST_USE rt_status ptx_kernels_add(rt_sink *sink, ptx_kernels *kernels, rt_text ptx);

/* Adds the kernels of another table. */
void ptx_kernels_join(ptx_kernels *kernels, const ptx_kernels *added);

/* Finds a kernel by its name in the image; NULL if there is none. The result is valid until kernels
 * are added or the table is freed. */
const ptx_kernel *ptx_kernels_find(const ptx_kernels *kernels, rt_text name);

/* Appends the table in the form that ptx_kernels_read reads. */
void ptx_kernels_write(rt_buffer *out, const ptx_kernels *kernels);

/* Reads a serialised table into an empty one; malformed input marks the reader as failed. */
void ptx_kernels_read(rt_reader *reader, ptx_kernels *out_kernels);

/* Frees the table, which may be empty. */
void ptx_kernels_free(ptx_kernels *kernels);

#endif
