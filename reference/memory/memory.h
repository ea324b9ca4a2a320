/* Memory objects, whose contents are on the host, on devices, or on both; and unified shared
 * memory, which is a single allocation on one device.
 *
 * A memory is the runtime's representation of a SYCL buffer: its host bytes and one copy for each
 * device that has used it, each of them valid or stale. This folder records which are valid; sched/
 * creates and orders the commands that move data, and guards memories with its lock.
 *
 * Source: SYCL 2020, 3.8.1 "SYCL application memory model" and 4.7.2 "Buffers". */
#ifndef REFERENCE_MEMORY_MEMORY_H
#define REFERENCE_MEMORY_MEMORY_H

#include "reference/program/program.h"

/* Where the application asks a fused kernel to keep a buffer instead of in global memory (extension
 * sycl_ext_codeplay_kernel_fusion: properties promote_private and promote_local). */
typedef enum rt_promotion {
    RT_PROMOTION_NONE,
    RT_PROMOTION_PRIVATE, /* each work-item has its own part */
    RT_PROMOTION_LOCAL,   /* each work-group has its own part */
} rt_promotion;

typedef struct rt_memory_copy {
    dev_memory *memory; /* NULL: the device has never used the memory */
    bool valid;         /* holds the latest contents once the last writer is done */
} rt_memory_copy;

typedef struct rt_memory {
    uint32_t id;
    rt_text name;    /* borrowed from the runtime's owner */
    uint64_t size;   /* bytes, >= 1 */
    uint8_t *host;   /* size bytes */
    bool host_valid; /* the host bytes are the latest contents */
    dev_event
        *host_read;   /* of the newest command that was handed to a device and writes the host
                       * bytes, those of a part included; borrowed from the command. NULL: none */
    bool initialised; /* false: the memory has never had contents to move */
    RT_VECTOR(rt_memory_copy) copies; /* indexed by rt_device.id */
    /* For unified shared memory, its kind and its device, whose copy is the allocation itself; the
     * host bytes are then the contents last read from it. Otherwise BUFFER and NULL. */
    dev_memory_kind kind;
    const rt_device *usm_device;
    /* The id of the device on which a command last wrote the memory; that device may know which
     * bytes were never written. UINT32_MAX: none. */
    uint32_t written_on;
    /* A part of a buffer, which SYCL calls a sub-buffer: its host bytes are the buffer's, from
     * `origin`, and only the whole buffer records where the latest contents are. Otherwise NULL. */
    struct rt_memory *whole;
    uint64_t origin;                     /* bytes */
    RT_VECTOR(struct rt_memory *) parts; /* of a buffer: those created so far */
    uint32_t element_size;  /* size of a buffer's element in bytes, for promotion; 0: unknown */
    rt_promotion promotion; /* requested by the buffer's property, for all accessors */
} rt_memory;

/* Creates a memory of size >= 1 bytes; `initial` is its contents, which are copied, or NULL for
 * undefined contents. ERRC_MEMORY_ALLOCATION: the host cannot allocate that much. */
RT_MUST_USE rt_status rt_memory_create(rt_sink *sink, uint32_t id, rt_text name, uint64_t size,
                                       const void *initial, rt_memory **out_memory);

/* Creates a part of a buffer, for `size` >= 1 bytes from `offset`; the buffer is destroyed after
 * it. ERRC_INVALID: the memory is itself a part or is not a buffer, or the range is not inside it
 * (SYCL 2020, 4.7.2.1 "Buffer interface", constructor of a sub-buffer). */
RT_MUST_USE rt_status rt_memory_part_create(rt_sink *sink, uint32_t id, rt_text name,
                                            rt_memory *whole, uint64_t offset, uint64_t size,
                                            rt_memory **out_memory);

/* Frees the devices' copies of a part, which no later command may use. */
void rt_memory_part_end(rt_memory *part);

/* The memory with the contents: the buffer of a part, otherwise the memory itself. */
rt_memory *rt_memory_whole(rt_memory *memory);

/* True if the two parts of one buffer, or the buffer and a part, have a byte in common. */
bool rt_memory_overlap(const rt_memory *a, const rt_memory *b);

/* Creates unified shared memory of a USM kind on the device.  If `initial` is not NULL, its bytes
 * have yet to be copied there (rt_memory_needs_upload). Once a command has used the memory, the
 * host bytes never count as its latest contents again: a kernel may reach it through a pointer that
 * the runtime does not see.  ERRC_FEATURE_NOT_SUPPORTED: the device has no USM; also the codes of
 * rt_memory_create and dev_usm_create. */
RT_MUST_USE rt_status rt_memory_usm_create(rt_sink *sink, uint32_t id, rt_text name,
                                           const rt_device *device, dev_memory_kind kind,
                                           uint64_t size, const void *initial,
                                           rt_memory **out_memory);

/* Creates a memory that represents a variable of a program on the device, and takes ownership of
 * `variable`, the device's memory of kind GLOBAL. Commands treat it as unified shared memory, and
 * it has contents from the start. It must be destroyed before the program. Returns the codes of
 * rt_memory_create. */
RT_MUST_USE rt_status rt_memory_global_create(rt_sink *sink, uint32_t id, rt_text name,
                                              const rt_device *device, dev_memory *variable,
                                              rt_memory **out_memory);

/* True for unified shared memory and variables of programs: the runtime neither moves their
 * contents nor derives dependencies from them. */
bool rt_memory_is_usm(const rt_memory *memory);

/* Frees a memory and its copies; no command may use the memory any more.  NULL does nothing. */
void rt_memory_destroy(rt_memory *memory);

/* The device's copy, which is allocated on first request (its contents are then not valid). For
 * unified shared memory, the allocation itself; the device must be the one that owns it. Returns
 * the codes of dev_memory_create and, for a part, of dev_memory_part_create. */
RT_MUST_USE rt_status rt_memory_on_device(rt_memory *memory, const rt_device *device,
                                          dev_memory **out_copy);

/* True if the device's copy must receive the host's bytes before a kernel uses it. */
bool rt_memory_needs_upload(const rt_memory *memory, const rt_device *device);

/* The id of a device whose copy is valid; UINT32_MAX if there is none. */
uint32_t rt_memory_valid_device(const rt_memory *memory);

/* Records that the device's copy now equals the host's bytes, or that the host's bytes now equal
 * the valid copy. */
void rt_memory_uploaded(rt_memory *memory, const rt_device *device);
void rt_memory_downloaded(rt_memory *memory);

/* Records that the host wrote all of a buffer's host bytes: the devices' copies become stale. */
void rt_memory_host_written(rt_memory *memory);

/* Records that a command on the device writes the memory: all other copies become stale. */
void rt_memory_written(rt_memory *memory, const rt_device *device);

#endif
