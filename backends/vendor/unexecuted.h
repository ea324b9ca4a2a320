/* The memories, queues and events of a device that executes nothing, because it is only a compiler
 * and a linker (capabilities.executes is false).
 *
 * Memories have addresses but no contents: reads and maps return zeros.  Commands are complete when
 * their enqueue returns.  Times are steps, one per command. */
#ifndef BACKENDS_VENDOR_UNEXECUTED_H
#define BACKENDS_VENDOR_UNEXECUTED_H

#include "backends/vendor/mappings.h"

#include <stdatomic.h>

/* Part of an adapter's device; outlives its queues. */
typedef struct vendor_unexecuted {
    _Atomic uint64_t next_address; /* next free address for memories and programs */
    _Atomic uint64_t steps;        /* commands so far; serves as the device's clock */
    vendor_mappings mappings;
} vendor_unexecuted;

/* Before any command; no memory will have address 0. */
void vendor_unexecuted_begin(vendor_unexecuted *out_device);
/* After all mappings have ended. */
void vendor_unexecuted_end(vendor_unexecuted *device);

/* Reserves `size` bytes of unused address space; returns a multiple of 256. */
uint64_t vendor_address_take(vendor_unexecuted *device, uint64_t size);

/* Creates a memory object at an address. */
dev_memory *vendor_memory_make(uint64_t address, uint64_t size);

/* The operation memory_part_create. */
dev_memory_part_create_op vendor_memory_part_create;

/* Refuses a launch that the device could not make: the codes of dev_enqueue_kernel. */
typedef rt_status vendor_launch_check(dev_queue *queue, dev_kernel *kernel,
                                      const dev_nd_range *range, const dev_argument *arguments,
                                      uint32_t argument_count);

/* Creates a queue whose launches are only checked.  It records times. */
dev_queue *vendor_queue_make(vendor_unexecuted *device, vendor_launch_check *check);

#endif
