/* Commands that transfer the bytes of memories.  With unified addressing every memory has an
 * address, variables of programs included, so cuMemcpyAsync handles them all.  An offset into a
 * variable has to be added to the variable's address, since the call takes no offset.  A pattern
 * that no CUDA memset can repeat is set piecewise: one of its bytes or words at a time, in all
 * repetitions at once.
 *
 * Source: CUDA Driver API reference manual, "Memory Management"; DeviceGlobal.md, "New PI interface
 * to copy to or from a module scope variable". */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/rule.h"

#include <string.h>

/* Returns the address of byte `offset` of a memory. */
static cuda_address address_of(const dev_memory *base, uint64_t offset)
{
    const cuda_memory *memory = (const cuda_memory *)base;
    CHECK(offset < base->size);
    /* The document's interface takes an offset; cuModuleGetGlobal does not. */
    return memory->address + RULE(DG_PLUGIN_12, offset);
}

/* ---- Between the host and a memory -------------------------------------------------------- */

/* Moves bytes through a page-locked block: from `source` to `memory` or, if `source` is NULL, from
 * `memory` to `destination`. */
static rt_status host_transfer(cuda_command *command, cuda_address memory, uint64_t size,
                               const void *source, void *destination)
{
    CHECK((source == NULL) != (destination == NULL));
    struct cuda_staging *staging;
    RT_TRY(cuda_staging_take(command->device, size, &staging));
    if (source) memcpy(cuda_staging_bytes(staging), source, (size_t)size);
    cuda_address block = (cuda_address)(uintptr_t)cuda_staging_bytes(staging);
    cuda_result result = command->device->library.cuMemcpyAsync(
        source ? memory : block, source ? block : memory, (size_t)size, command->stream);
    if (result == CUDA_SUCCESS) return cuda_staging_release(command, staging, destination, size);
    cuda_staging_give(staging);
    return cuda_fail(command->device, CUDA_STAGE_QUEUE, "cuMemcpyAsync", result, (rt_text){0});
}

rt_status cuda_enqueue_read(dev_queue *base, dev_command command, dev_memory *memory,
                            uint64_t offset, uint64_t size, void *destination,
                            dev_event **out_event)
{
    cuda_command begun;
    RT_TRY(cuda_command_begin((cuda_queue *)base, command, &begun));
    rt_status status = host_transfer(&begun, address_of(memory, offset), size, NULL, destination);
    return cuda_command_end(&begun, status, out_event);
}

rt_status cuda_enqueue_write(dev_queue *base, dev_command command, dev_memory *memory,
                             uint64_t offset, uint64_t size, const void *source,
                             dev_event **out_event)
{
    cuda_command begun;
    RT_TRY(cuda_command_begin((cuda_queue *)base, command, &begun));
    rt_status status = host_transfer(&begun, address_of(memory, offset), size, source, NULL);
    return cuda_command_end(&begun, status, out_event);
}

/* ---- Between memories --------------------------------------------------------------------- */

rt_status cuda_enqueue_copy(dev_queue *base, dev_command command, dev_memory *source,
                            uint64_t source_offset, dev_memory *destination,
                            uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    cuda_command begun;
    RT_TRY(cuda_command_begin((cuda_queue *)base, command, &begun));
    cuda_result result = begun.device->library.cuMemcpyAsync(
        address_of(destination, destination_offset), address_of(source, source_offset),
        (size_t)size, begun.stream);
    rt_status status = cuda_check(begun.device, CUDA_STAGE_QUEUE, "cuMemcpyAsync", result);
    return cuda_command_end(&begun, status, out_event);
}

/* ---- Fills -------------------------------------------------------------------------------- */

/* A longer pattern is set byte by byte, or word by word; words need an aligned address, which a
 * variable may not have. */
static rt_status fill_enqueue(const cuda_command *command, cuda_address to, uint64_t size,
                              rt_bytes pattern)
{
    uint32_t word;
    CHECK(pattern.size >= 1 && size % pattern.size == 0);
    if (pattern.size == 1) {
        CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuMemsetD8Async, to, pattern.data[0],
                 (size_t)size, command->stream);
        return RT_STATUS_OK;
    }
    size_t count = (size_t)size / pattern.size;
    size_t unit = pattern.size % sizeof word == 0 && to % sizeof word == 0 ? sizeof word : 1;
    for (size_t at = 0; at < pattern.size; at += unit) {
        if (unit == 1) {
            CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuMemsetD2D8Async, to + at, pattern.size,
                     pattern.data[at], 1, count, command->stream);
            continue;
        }
        memcpy(&word, pattern.data + at, sizeof word);
        CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuMemsetD2D32Async, to + at, pattern.size, word,
                 1, count, command->stream);
    }
    return RT_STATUS_OK;
}

rt_status cuda_enqueue_fill(dev_queue *base, dev_command command, dev_memory *memory,
                            uint64_t offset, uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    cuda_command begun;
    RT_TRY(cuda_command_begin((cuda_queue *)base, command, &begun));
    rt_status status = fill_enqueue(&begun, address_of(memory, offset), size, pattern);
    return cuda_command_end(&begun, status, out_event);
}
