/* Memory objects: a content that lives on the host, on devices, or on both.
 *
 * A memory is what a SYCL buffer is to the runtime: its host bytes and a copy per device that ever
 * used it, each valid or not.  This file keeps the books; the commands that move content are made
 * and ordered by sched/.  It does not lock: the scheduler does.
 * Source: SYCL 2020, 3.8.1 "SYCL application memory model" and 4.7.2 "Buffers". */
#ifndef REFERENCE_MEMORY_MEMORY_H
#define REFERENCE_MEMORY_MEMORY_H

#include "reference/program/program.h"

typedef struct rt_memory_copy {
    dev_memory *memory; /* NULL: the device never used it */
    bool valid;         /* holds the latest content, once the last writer is done */
} rt_memory_copy;

typedef struct rt_memory {
    uint32_t id;
    rt_text name;     /* borrowed from the runtime's owner */
    uint64_t size;    /* bytes, >= 1 */
    uint8_t *host;    /* size bytes */
    bool host_valid;  /* the host bytes are the latest content */
    bool initialised; /* false: nothing ever gave it a content, so none needs to be moved */
    RT_VECTOR(rt_memory_copy) copies; /* index is rt_device.id */
} rt_memory;

/* Makes a memory of size >= 1 bytes; initial holds its content (copied) or NULL: undefined.
 * ERRC_MEMORY_ALLOCATION: the host has not that much. */
RT_MUST_USE rt_status rt_memory_create(rt_sink *sink, uint32_t id, rt_text name, uint64_t size,
                                       const void *initial, rt_memory **out_memory);

/* Frees it with its copies; no command may use it any more.  NULL does nothing. */
void rt_memory_destroy(rt_memory *memory);

/* The device's copy, allocated when it is first asked for (its content then is not valid).  Codes
 * of dev_memory_create. */
RT_MUST_USE rt_status rt_memory_on_device(rt_memory *memory, const rt_device *device,
                                          dev_memory **out_copy);

/* True when the device's copy must receive the host's bytes before a kernel uses it. */
bool rt_memory_needs_upload(const rt_memory *memory, const rt_device *device);

/* The id of a device whose copy is valid, UINT32_MAX where none is. */
uint32_t rt_memory_valid_device(const rt_memory *memory);

/* Books that the device's copy now equals the host's bytes, or that the host's bytes now equal the
 * valid copy. */
void rt_memory_uploaded(rt_memory *memory, const rt_device *device);
void rt_memory_downloaded(rt_memory *memory);

/* Books that a command on the device writes the memory: every other content becomes stale. */
void rt_memory_written(rt_memory *memory, const rt_device *device);

#endif
