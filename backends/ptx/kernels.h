/* The kernels of PTX texts, with what an adapter needs to launch one: the parameters, from the
 * text's header (reference/base/ptx.h), and the size of group that a kernel requires. */
#ifndef BACKENDS_PTX_KERNELS_H
#define BACKENDS_PTX_KERNELS_H

#include "reference/base/limits.h"
#include "reference/base/ptx.h"
#include "reference/base/stream.h"

typedef struct ptx_kernel {
    rt_ptx_kernel entry;
    /* The work-items of a group, as ".reqntid" has them; all 0: the launch is free. */
    uint32_t required_local[RT_ND_RANGE_DIMENSIONS];
} ptx_kernel;

/* The kernels of a program.  Zero-initialise it; ptx_kernels_free ends it. */
typedef struct ptx_kernels {
    rt_arena arena; /* of the rows and all that they point to */
    ptx_kernel *rows;
    uint32_t count;
} ptx_kernels;

/* Adds the kernels of a text, which may go afterwards.  MALFORMED: its header does not read, or a
 * kernel of it requires a group that is none; the rows are as they were. */
RT_MUST_USE rt_status ptx_kernels_add(rt_sink *sink, ptx_kernels *kernels, rt_text ptx);

/* Adds the kernels of another table. */
void ptx_kernels_join(ptx_kernels *kernels, const ptx_kernels *added);

/* Finds a kernel by name; NULL where there is none.  Valid until the table is freed. */
const ptx_kernel *ptx_kernels_find(const ptx_kernels *kernels, rt_text name);

/* Appends the table in a form that ptx_kernels_read takes back. */
void ptx_kernels_write(rt_buffer *out, const ptx_kernels *kernels);

/* Reads such a form into an empty table; what is not a table marks the reader as failed. */
void ptx_kernels_read(rt_reader *reader, ptx_kernels *out_kernels);

/* Frees the table, an empty one too. */
void ptx_kernels_free(ptx_kernels *kernels);

#endif
