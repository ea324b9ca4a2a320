/* Page-locked host memory through which bytes pass between pageable host memory and the device.
 *
 * In CUDA an asynchronous copy to or from pageable memory is not asynchronous: the call may block
 * until the stream reaches the copy, and an enqueue must not block (device.h).  A read therefore
 * goes into a page-locked block, and a host function that follows it in the stream copies the bytes
 * to their destination; a write is copied into such a block immediately.  Blocks are kept for later
 * commands, since locking pages is slow.
 *
 * A host function must not call the driver, so it only copies and marks the block as free.  If the
 * context is lost, the function is never called, and the block is freed with the device.
 *
 * Source: CUDA Driver API reference manual, "API synchronization behavior"; cuLaunchHostFunc. */
#include "backends/cuda/cuda_internal.h"
#include "reference/base/alloc.h"

#include <string.h>

/* Size of the smallest block in bytes: most transfers in scenarios are smaller. */
enum { STAGING_SIZE_MIN = 1 << 16 };

typedef struct cuda_staging {
    struct cuda_staging *next; /* in the device's list */
    void *bytes;               /* page-locked */
    uint64_t size;
    atomic_bool in_use;
    void *destination; /* for a read, the destination of the bytes; otherwise NULL */
    uint64_t copied;   /* bytes to copy there */
} cuda_staging;

rt_status cuda_staging_take(cuda_device *device, uint64_t size, cuda_staging **out_staging)
{
    pthread_mutex_lock(&device->lock);
    cuda_staging *found = device->staging;
    while (found && (found->size < size || atomic_exchange(&found->in_use, true)))
        found = found->next;
    pthread_mutex_unlock(&device->lock);
    *out_staging = found;
    if (found) return RT_STATUS_OK;
    void *bytes = NULL;
    uint64_t room = size < STAGING_SIZE_MIN ? STAGING_SIZE_MIN : size;
    CUDA_MAKE(device, CUDA_STAGE_QUEUE, cuMemHostAlloc, &bytes, (size_t)room, CUDA_HOST_PORTABLE);
    cuda_staging *block = rt_alloc(sizeof *block);
    block->bytes = bytes;
    block->size = room;
    atomic_init(&block->in_use, true);
    pthread_mutex_lock(&device->lock);
    block->next = device->staging;
    device->staging = block;
    pthread_mutex_unlock(&device->lock);
    *out_staging = block;
    return RT_STATUS_OK;
}

void *cuda_staging_bytes(const cuda_staging *staging)
{
    return staging->bytes;
}

void cuda_staging_give(cuda_staging *staging)
{
    CHECK(atomic_load(&staging->in_use));
    atomic_store(&staging->in_use, false);
}

/* Called by the driver on one of its own threads. */
static void staging_finish(void *user)
{
    cuda_staging *staging = user;
    if (staging->destination) memcpy(staging->destination, staging->bytes, (size_t)staging->copied);
    cuda_staging_give(staging);
}

rt_status cuda_staging_release(cuda_command *command, cuda_staging *staging, void *destination,
                               uint64_t size)
{
    CHECK(size <= staging->size);
    CHECK(atomic_load(&staging->in_use));
    staging->destination = destination;
    staging->copied = size;
    CUDA_TRY(command->device, CUDA_STAGE_QUEUE, cuLaunchHostFunc, command->stream, staging_finish,
             staging);
    return RT_STATUS_OK;
}

void cuda_staging_free(cuda_device *device)
{
    while (device->staging) {
        cuda_staging *block = device->staging;
        device->staging = block->next;
        device->library.cuMemFreeHost(block->bytes);
        rt_free(block);
    }
}
