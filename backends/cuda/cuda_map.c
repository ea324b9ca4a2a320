/* Mappings of buffers.  CUDA cannot map device memory into the host's address space: a map copies
 * the bytes into a page-locked block, whose address the host gets, and an unmap of a mapping for
 * writing copies them back.  Queries do not tell what the host has written, so all bytes count as
 * defined.
 *
 * An unmap may be enqueued before its map is done, in another stream, so it waits for an event that
 * follows the map's copy; the block is free once the stream of the unmap is done with it.
 *
 * Source: OpenCL 3.0 API, 5.2.4 "Mapping Buffer Objects", 5.5.2 "Unmapping Mapped Memory Objects";
 * CUDA Driver API reference manual, "Memory Management", "Event Management". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

typedef struct cuda_mapping {
    vendor_mapping base;
    cuda_address address;         /* of the first byte */
    struct cuda_staging *staging; /* the host's bytes; NULL until they are allocated */
    cuda_driver_event *mapped;    /* recorded after the map's copy */
} cuda_mapping;

/* Copies the mapped bytes to the host or, with `is_unmap`, back. */
static rt_status mapped_copy(const cuda_command *command, const cuda_mapping *mapping,
                             uint64_t size, bool is_unmap)
{
    cuda_address block = (cuda_address)(uintptr_t)cuda_staging_bytes(mapping->staging);
    CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuMemcpyAsync, is_unmap ? mapping->address : block,
             is_unmap ? block : mapping->address, (size_t)size, command->stream);
    return RT_STATUS_OK;
}

static rt_status map_run(const cuda_command *command, dev_map map, cuda_mapping *mapping)
{
    const cuda_device *device = command->device;
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuEventCreate, &mapping->mapped, CUDA_EVENT_DEFAULT);
    if (map.access != DEV_MAP_WRITE_INVALIDATE)
        RT_TRY(mapped_copy(command, mapping, map.size, false));
    CUDA_TRY(device, CUDA_STAGE_QUEUE, cuEventRecord, mapping->mapped, command->stream);
    return RT_STATUS_OK;
}

/* Closes and frees a mapping, but not its block. */
static void mapping_free(cuda_device *device, cuda_mapping *mapping)
{
    vendor_mapping_close(&device->mappings, &mapping->base);
    if (mapping->mapped) device->library.cuEventDestroy_v2(mapping->mapped);
    rt_free(mapping);
}

static rt_status map_enqueue(cuda_queue *queue, dev_command command, dev_map map,
                             cuda_mapping *mapping, dev_event **out_event)
{
    cuda_command begun;
    RT_TRY(cuda_command_begin(queue, command, &begun));
    rt_status status = cuda_staging_take(queue->device, map.size, &mapping->staging);
    if (rt_ok(status)) status = map_run(&begun, map, mapping);
    /* The copy may have been enqueued; its block is given back below. */
    if (!rt_ok(status)) queue->device->library.cuStreamSynchronize(begun.stream);
    RT_TRY(cuda_command_end(&begun, status, out_event));
    if (map.is_blocking) status = vendor_event_wait(*out_event);
    if (rt_ok(status)) return status;
    (*out_event)->ops->destroy(*out_event);
    *out_event = NULL;
    return status;
}

rt_status cuda_enqueue_map(dev_queue *base, dev_command command, dev_memory *memory, dev_map map,
                           dev_mapping **out_mapping, dev_event **out_event)
{
    cuda_queue *queue = (cuda_queue *)base;
    cuda_device *device = queue->device;
    cuda_mapping *mapping = rt_alloc(sizeof *mapping);
    uint64_t address = ((const cuda_memory *)memory)->address;
    rt_status status =
        vendor_mapping_open(&device->mappings, device->sink, address, map, &mapping->base);
    if (!rt_ok(status)) {
        rt_free(mapping);
        return status;
    }
    mapping->address = address + map.offset;
    status = map_enqueue(queue, command, map, mapping, out_event);
    if (!rt_ok(status)) {
        if (mapping->staging) cuda_staging_give(mapping->staging);
        mapping_free(device, mapping);
        return status;
    }
    mapping->base.base.bytes = cuda_staging_bytes(mapping->staging);
    *out_mapping = &mapping->base.base;
    return status;
}

static rt_status unmap_run(cuda_command *command, const cuda_mapping *mapping)
{
    uint64_t size = mapping->base.end - mapping->base.begin;
    CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuStreamWaitEvent, command->stream, mapping->mapped,
             0);
    if (mapping->base.writes) RT_TRY(mapped_copy(command, mapping, size, true));
    return cuda_staging_release(command, mapping->staging, NULL, size);
}

/* After a failure, the block stays in use until the device is destroyed: the map's copy may still
 * write it. */
rt_status cuda_enqueue_unmap(dev_queue *base, dev_command command, dev_mapping *unmapped,
                             dev_event **out_event)
{
    cuda_queue *queue = (cuda_queue *)base;
    cuda_mapping *mapping = (cuda_mapping *)unmapped;
    CHECK(mapping->staging && mapping->mapped);
    cuda_command begun;
    rt_status status = cuda_command_begin(queue, command, &begun);
    if (rt_ok(status)) status = cuda_command_end(&begun, unmap_run(&begun, mapping), out_event);
    mapping_free(queue->device, mapping);
    return status;
}
