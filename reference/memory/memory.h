/* Memory objects: content on the host, on devices, or on both; and unified shared memory, which is
 * one allocation of one device.
 *
 * A memory is the runtime's representation of a SYCL buffer: its host bytes and a copy per device
 * that has used it, each valid or not.  This folder records which is which; sched/ creates and
 * orders the commands that move content, and guards memories with its lock.
 *
 * Source: SYCL 2020, 3.8.1 "SYCL application memory model" and 4.7.2 "Buffers". */
#ifndef REFERENCE_MEMORY_MEMORY_H
#define REFERENCE_MEMORY_MEMORY_H

#include "reference/program/program.h"

/* Where an application asks a fused kernel to keep a buffer, instead of in global memory (extension
 * sycl_ext_codeplay_kernel_fusion: properties promote_private and promote_local). */
typedef enum rt_promotion {
    RT_PROMOTION_NONE,
    RT_PROMOTION_PRIVATE, /* each work-item has its own part */
    RT_PROMOTION_LOCAL,   /* each work-group has its own part */
} rt_promotion;

typedef struct rt_memory_copy {
    dev_memory *memory; /* NULL: the device never used it */
    bool valid;         /* holds the latest content, once the last writer is done */
} rt_memory_copy;

typedef struct rt_memory {
    uint32_t id;
    rt_text name;                     /* borrowed from the runtime's owner */
    uint64_t size;                    /* bytes, >= 1 */
    uint8_t *host;                    /* size bytes */
    bool host_valid;                  /* the host bytes are the latest content */
    bool initialised;                 /* false: it has never had content to move */
    RT_VECTOR(rt_memory_copy) copies; /* index is rt_device.id */
    /* Unified shared memory: its kind, and its device, whose copy is the allocation itself.  The
     * host bytes are then the content last read from it.  BUFFER and NULL otherwise. */
    dev_memory_kind kind;
    const rt_device *usm_device;
    /* The device on which a command last wrote it, which may know which bytes were never written;
     * UINT32_MAX: none has. */
    uint32_t written_on;
    uint32_t element_size;  /* size of a buffer's element in bytes, for promotion; 0: unknown */
    rt_promotion promotion; /* requested by the buffer's property, for all accessors */
} rt_memory;

/* Creates a memory of size >= 1 bytes; initial holds its content (copied) or NULL: undefined.
 * ERRC_MEMORY_ALLOCATION: the host cannot allocate that much. */
RT_MUST_USE rt_status rt_memory_create(rt_sink *sink, uint32_t id, rt_text name, uint64_t size,
                                       const void *initial, rt_memory **out_memory);

/* Creates unified shared memory of a USM kind on the device.  If initial is not NULL, its content
 * has yet to be copied there (rt_memory_needs_upload).  Once a command has used it the host bytes
 * never count as its latest content again: a kernel may reach it through a pointer that the runtime
 * does not see.  ERRC_FEATURE_NOT_SUPPORTED: the device has no USM; also the codes of
 * rt_memory_create and dev_usm_create. */
RT_MUST_USE rt_status rt_memory_usm_create(rt_sink *sink, uint32_t id, rt_text name,
                                           const rt_device *device, dev_memory_kind kind,
                                           uint64_t size, const void *initial,
                                           rt_memory **out_memory);

/* Creates a memory that represents a variable of a program on the device, and takes ownership of
 * the device's memory of kind GLOBAL.  Commands treat it as unified shared memory, and it has its
 * content from the start.  It must be destroyed before the program.  Codes of rt_memory_create. */
RT_MUST_USE rt_status rt_memory_global_create(rt_sink *sink, uint32_t id, rt_text name,
                                              const rt_device *device, dev_memory *variable,
                                              rt_memory **out_memory);

/* True for unified shared memory and variables of programs: the runtime neither moves
 * its content nor derives dependencies from it. */
bool rt_memory_is_usm(const rt_memory *memory);

/* Frees a memory with its copies; no command may still use it.  NULL does nothing. */
void rt_memory_destroy(rt_memory *memory);

/* The device's copy, allocated on first request (its content then is not valid); for unified shared
 * memory the allocation, and the device must be its own.  Codes of dev_memory_create. */
RT_MUST_USE rt_status rt_memory_on_device(rt_memory *memory, const rt_device *device,
                                          dev_memory **out_copy);

/* True if the device's copy must receive the host's bytes before a kernel uses it. */
bool rt_memory_needs_upload(const rt_memory *memory, const rt_device *device);

/* The id of a device whose copy is valid, UINT32_MAX if there is none. */
uint32_t rt_memory_valid_device(const rt_memory *memory);

/* Records that the device's copy now equals the host's bytes, or that the host's bytes now equal
 * the valid copy. */
void rt_memory_uploaded(rt_memory *memory, const rt_device *device);
void rt_memory_downloaded(rt_memory *memory);

/* Records that the host wrote all of a buffer's host bytes: the copies of devices become stale. */
void rt_memory_host_written(rt_memory *memory);

/* Records that a command on the device writes the memory: all other copies become stale. */
void rt_memory_written(rt_memory *memory, const rt_device *device);

#endif
