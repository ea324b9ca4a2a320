/* A PTX kernel's launch in CUDA's terms: the blocks of threads, the parameter values and the
 * dynamic shared memory, as reference/base/ptx.h defines them. */
#ifndef BACKENDS_PTX_LAUNCH_H
#define BACKENDS_PTX_LAUNCH_H

#include "backends/ptx/kernels.h"
#include "reference/device/device.h"

/* The device's limits for one launch. */
typedef struct ptx_limits {
    uint32_t group_size_max; /* threads per block, for this kernel */
    uint32_t local_max[RT_ND_RANGE_DIMENSIONS];
    uint32_t grid_max[RT_ND_RANGE_DIMENSIONS]; /* blocks */
    uint64_t shared_max;                       /* bytes of dynamic shared memory */
} ptx_limits;

typedef struct ptx_launch {
    uint32_t grid[RT_ND_RANGE_DIMENSIONS]; /* blocks; a 0 if the range is empty, which CUDA does not
                                            * launch */
    uint32_t block[RT_ND_RANGE_DIMENSIONS]; /* threads per block */
    uint32_t shared_size;                   /* bytes */
    void **parameters; /* addresses of the values, including the hidden last one; in the arena */
    uint32_t parameter_count;
} ptx_launch;

/* Prepares a launch; its parameter values live as long as the arena. The address of a memory is the
 * result of the memory's address operation.  ERRC_KERNEL_ARGUMENT: an argument does not fit its
 * parameter, or there are too many or too few; ERRC_ND_RANGE: the local size does not divide the
 * global size, differs from the one that the kernel requires, or is too large; LIMIT: more groups
 * or more local memory than the device supports. */
RT_MUST_USE rt_status ptx_launch_make(rt_sink *sink, rt_arena *arena, const ptx_limits *limits,
                                      const ptx_kernel *kernel, const dev_nd_range *range,
                                      const dev_argument *arguments, uint32_t argument_count,
                                      ptx_launch *out_launch);

#endif
