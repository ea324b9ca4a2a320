/* Numbers instead of addresses: a new object gets the next number of its kind, so that two runs of
 * one program have the same records. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock; /* guards all members */
    rt_map numbers[LAYER_KIND_COUNT];
    uint32_t counts[LAYER_KIND_COUNT];
    RT_VECTOR(layer_block) blocks; /* blocks that have not been freed */
} objects = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t number_next(layer_kind kind, const void *object)
{
    CHECK(kind < LAYER_KIND_COUNT && object != NULL);
    uint32_t number = objects.counts[kind]++;
    CHECK(number != LAYER_UNKNOWN);
    rt_map_set_number(&objects.numbers[kind], (uintptr_t)object, number);
    return number;
}

void layer_object_add(layer_kind kind, const void *object)
{
    if (!object) return;
    pthread_mutex_lock(&objects.lock);
    number_next(kind, object);
    pthread_mutex_unlock(&objects.lock);
}

uint32_t layer_object_number(layer_kind kind, const void *object)
{
    CHECK(kind < LAYER_KIND_COUNT);
    if (!object) return LAYER_UNKNOWN;
    pthread_mutex_lock(&objects.lock);
    uint32_t number = rt_map_find_number(&objects.numbers[kind], (uintptr_t)object);
    _Static_assert(RT_MAP_NONE == LAYER_UNKNOWN, "an object that the map lacks is unknown");
    CHECK(number == LAYER_UNKNOWN || number < objects.counts[kind]);
    if (number == LAYER_UNKNOWN && kind == LAYER_DEVICE) number = number_next(kind, object);
    pthread_mutex_unlock(&objects.lock);
    return number;
}

void layer_block_add(layer_block_kind kind, const void *first, size_t size)
{
    if (!first) return;
    uintptr_t at = (uintptr_t)first, end = at + (size > 0 ? size : 1);
    pthread_mutex_lock(&objects.lock);
    /* Blocks are freed by calls that the layer does not see, too, such as the release of a program.
     */
    for (uint32_t i = 0; i < objects.blocks.count; i++) {
        const layer_block *block = &objects.blocks.items[i];
        uintptr_t other = (uintptr_t)block->first;
        if (other < end && at < other + (block->size > 0 ? block->size : 1))
            objects.blocks.items[i--] = objects.blocks.items[--objects.blocks.count];
    }
    uint32_t number = number_next(LAYER_BLOCK, first);
    *rt_vector_push(&objects.blocks) = (layer_block){first, size, kind, number};
    pthread_mutex_unlock(&objects.lock);
}

void layer_block_remove(const void *first)
{
    pthread_mutex_lock(&objects.lock);
    for (uint32_t i = 0; i < objects.blocks.count; i++) {
        if (objects.blocks.items[i].first != (const char *)first) continue;
        objects.blocks.items[i] = objects.blocks.items[--objects.blocks.count];
        break;
    }
    pthread_mutex_unlock(&objects.lock);
}

bool layer_block_at(uintptr_t address, layer_block *out_block)
{
    bool found = false;
    pthread_mutex_lock(&objects.lock);
    for (uint32_t i = 0; i < objects.blocks.count && !found; i++) {
        const layer_block *block = &objects.blocks.items[i];
        uintptr_t first = (uintptr_t)block->first;
        found = address >= first && address - first < (block->size > 0 ? block->size : 1);
        if (!found) continue;
        CHECK(block->number < objects.counts[LAYER_BLOCK]);
        *out_block = *block;
    }
    pthread_mutex_unlock(&objects.lock);
    return found;
}

bool layer_block_find(const void *pointer, uint32_t *out_number, size_t *out_offset)
{
    layer_block block;
    if (!layer_block_at((uintptr_t)pointer, &block)) return false;
    *out_number = block.number;
    *out_offset = (uintptr_t)pointer - (uintptr_t)block.first;
    return true;
}

bool layer_blocks_span(uintptr_t *out_first, uintptr_t *out_end)
{
    *out_first = UINTPTR_MAX;
    *out_end = 0;
    pthread_mutex_lock(&objects.lock);
    for (uint32_t i = 0; i < objects.blocks.count; i++) {
        uintptr_t first = (uintptr_t)objects.blocks.items[i].first;
        uintptr_t end = first + objects.blocks.items[i].size;
        if (first < *out_first) *out_first = first;
        if (end > *out_end) *out_end = end;
    }
    pthread_mutex_unlock(&objects.lock);
    return *out_first < *out_end;
}

void layer_objects_clear(void)
{
    pthread_mutex_lock(&objects.lock);
    for (int kind = 0; kind < LAYER_KIND_COUNT; kind++) {
        rt_map_free(&objects.numbers[kind]);
        objects.counts[kind] = 0;
    }
    rt_vector_free(&objects.blocks);
    pthread_mutex_unlock(&objects.lock);
}
