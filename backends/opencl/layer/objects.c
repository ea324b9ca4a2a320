/* Numbers instead of addresses: a new object gets the next number of its kind, so that two runs of
 * one program have the same records. */
#include "backends/opencl/layer/layer_internal.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"

#include <pthread.h>

typedef struct layer_block {
    const char *first;
    size_t size;
    uint32_t number;
} layer_block;

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

void layer_block_add(const void *first, size_t size)
{
    if (!first) return;
    pthread_mutex_lock(&objects.lock);
    uint32_t number = number_next(LAYER_BLOCK, first);
    *rt_vector_push(&objects.blocks) = (layer_block){first, size, number};
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

bool layer_block_find(const void *pointer, uint32_t *out_number, size_t *out_offset)
{
    bool found = false;
    uintptr_t address = (uintptr_t)pointer;
    pthread_mutex_lock(&objects.lock);
    for (uint32_t i = 0; i < objects.blocks.count && !found; i++) {
        const layer_block *block = &objects.blocks.items[i];
        uintptr_t first = (uintptr_t)block->first;
        found = address >= first && address - first < (block->size > 0 ? block->size : 1);
        if (!found) continue;
        CHECK(block->number < objects.counts[LAYER_BLOCK]);
        *out_number = block->number;
        *out_offset = address - first;
    }
    pthread_mutex_unlock(&objects.lock);
    return found;
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
