/* Mappings of buffers on devices that cannot map them themselves: the host gets a copy of the
 * bytes, which the unmap writes back.  The adapter transfers them; this file refuses what no device
 * permits. */
#ifndef BACKENDS_VENDOR_MAPPINGS_H
#define BACKENDS_VENDOR_MAPPINGS_H

#include "reference/device/device.h"

#include <pthread.h>

/* The first member of an adapter's mapping, which the adapter allocates and frees. */
typedef struct vendor_mapping {
    dev_mapping base;
    uint64_t begin, end; /* addresses on the device */
    bool writes;
    struct vendor_mapping *next; /* in the device's list, under its lock */
} vendor_mapping;

/* The open mappings of a device. */
typedef struct vendor_mappings {
    pthread_mutex_t lock;
    vendor_mapping *first;
} vendor_mappings;

/* Before the device's first mapping. */
void vendor_mappings_begin(vendor_mappings *out_mappings);
/* Every mapping has been closed. */
void vendor_mappings_end(vendor_mappings *mappings);

/* Opens a mapping of bytes of the memory that has this address.  ERRC_INVALID: it is for writing,
 * and an open one for writing shares a byte with it, through this memory or another part of the
 * same buffer.  Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer Objects" (clEnqueueMapBuffer:
 * CL_INVALID_OPERATION). */
RT_MUST_USE rt_status vendor_mapping_open(vendor_mappings *mappings, rt_sink *sink,
                                          uint64_t address, dev_map map,
                                          vendor_mapping *out_mapping);
/* Closes a mapping; the adapter frees it. */
void vendor_mapping_close(vendor_mappings *mappings, vendor_mapping *mapping);

#endif
