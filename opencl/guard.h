/* Finds what the host does to the destination of a read before the read is done. Source: OpenCL
 * 3.0 API, clEnqueueReadBuffer ("blocking_read") and clEnqueueMapBuffer ("blocking_map"). */
#ifndef OPENCL_GUARD_H
#define OPENCL_GUARD_H

#include <stddef.h>
#include <stdint.h>

/* Makes the destination of a read, which must not have been enqueued yet, inaccessible until
 * icd_guard_end; `tag` is that of the command. An access of the host is a finding and makes it
 * accessible; one of the system on behalf of the host fails with EFAULT. Only whole pages are
 * guarded, and none of this thread's stack. */
void icd_guard_begin(uint32_t tag, void *destination, size_t size);

/* Makes the destination of a read accessible, if it is guarded, and reports an access of the host
 * (dev_open_parameters.on_host_write). */
void icd_guard_end(void *user, void *destination, uint64_t size);

#endif
