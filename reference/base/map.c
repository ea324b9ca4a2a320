/* Open addressing with linear probing; a number is a key without bytes. */
#include "reference/base/map.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"

typedef enum slot_state { SLOT_FREE = 0, SLOT_USED, SLOT_REMOVED } slot_state;

typedef struct rt_map_slot {
    rt_text key;   /* empty if the key is a number */
    uint64_t hash; /* hash of the text, or the number itself */
    uint32_t value;
    slot_state state;
} rt_map_slot;

static uint32_t start_of(const rt_map *map, uint64_t hash)
{
    /* Keys that are numbers often come in runs; this spreads them, so that they do not cluster. */
    return (uint32_t)((hash * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map->slot_count - 1);
}

static rt_map_slot *slot_find(const rt_map *map, rt_text key, uint64_t hash)
{
    if (map->slot_count == 0) return NULL;
    for (uint32_t i = start_of(map, hash);; i = (i + 1) & (map->slot_count - 1)) {
        rt_map_slot *slot = &map->slots[i];
        if (slot->state == SLOT_FREE) return NULL;
        if (slot->state == SLOT_USED && slot->hash == hash && rt_text_equal(slot->key, key)) {
            return slot;
        }
    }
}

static void slot_insert(rt_map *map, rt_text key, uint64_t hash, uint32_t value)
{
    CHECK(map->used < map->slot_count);
    uint32_t i = start_of(map, hash);
    while (map->slots[i].state != SLOT_FREE)
        i = (i + 1) & (map->slot_count - 1);
    map->slots[i] = (rt_map_slot){key, hash, value, SLOT_USED};
    map->used++;
    map->count++;
}

static void map_grow(rt_map *map)
{
    rt_map old = *map;
    /* The new size depends on the entries, not on the used slots, because a rehash drops the
     * tombstones. */
    map->slot_count = 16;
    while (map->slot_count < 3 * (old.count + 1))
        map->slot_count *= 2;
    map->slots = rt_alloc_array(map->slot_count, sizeof *map->slots);
    map->used = map->count = 0;
    for (uint32_t i = 0; i < old.slot_count; i++) {
        const rt_map_slot *slot = &old.slots[i];
        if (slot->state == SLOT_USED) slot_insert(map, slot->key, slot->hash, slot->value);
    }
    CHECK(map->count == old.count);
    rt_free(old.slots);
}

static void map_set(rt_map *map, rt_text key, uint64_t hash, uint32_t value)
{
    CHECK(value != RT_MAP_NONE);
    rt_map_slot *slot = slot_find(map, key, hash);
    if (slot) {
        slot->key = key; /* The old key's bytes may not live as long as the new key's. */
        slot->value = value;
        return;
    }
    if (2 * (map->used + 1) > map->slot_count) map_grow(map);
    slot_insert(map, key, hash, value);
}

void rt_map_set(rt_map *map, rt_text key, uint32_t value)
{
    map_set(map, key, rt_hash64(key.data, key.length), value);
}

void rt_map_set_number(rt_map *map, uint64_t key, uint32_t value)
{
    map_set(map, (rt_text){0}, key, value);
}

uint32_t rt_map_find(const rt_map *map, rt_text key)
{
    const rt_map_slot *slot = slot_find(map, key, rt_hash64(key.data, key.length));
    return slot ? slot->value : RT_MAP_NONE;
}

uint32_t rt_map_find_number(const rt_map *map, uint64_t key)
{
    const rt_map_slot *slot = slot_find(map, (rt_text){0}, key);
    return slot ? slot->value : RT_MAP_NONE;
}

bool rt_map_remove(rt_map *map, rt_text key)
{
    rt_map_slot *slot = slot_find(map, key, rt_hash64(key.data, key.length));
    if (!slot) return false;
    CHECK(map->count > 0);
    slot->state = SLOT_REMOVED;
    map->count--;
    return true;
}

void rt_map_free(rt_map *map)
{
    rt_free(map->slots);
    *map = (rt_map){0};
}
