/* NVIDIA's driver library, opened at run time, as a table of the entry points that the adapter
 * uses.
 */
#ifndef BACKENDS_CUDA_CUDA_LIBRARY_H
#define BACKENDS_CUDA_CUDA_LIBRARY_H

#include "backends/cuda/cuda_api.h"
#include "reference/base/status.h"

typedef struct cuda_library {
    void *handle;
#define CUDA_ENTRY_MEMBER(name, parameters) name##_call *name;
    CUDA_ENTRIES(CUDA_ENTRY_MEMBER)
#undef CUDA_ENTRY_MEMBER
} cuda_library;

/* Opens the driver at `path` (with dlopen's search rules) and fills the table.  The caller passes
 * its handle to vendor_library_close.  UNAVAILABLE: the driver is missing, or lacks an entry point,
 * which the message names. */
RT_MUST_USE rt_status cuda_library_open(rt_sink *sink, const char *path, cuda_library *out_library);

#endif
