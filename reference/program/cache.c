/* Groups by kernel (DL-CACHE-06); within a group, a tuple is found by the rest of its key, written
 * as text.
 *
 * A tuple keeps its index in the table when its program is dropped, so that the same key finds it
 * again; rt_program.tuples lists the indices of a program's tuples. */
#include "reference/program/cache.h"

/* Writes a key as text, each part of variable size preceded by its length, so that different keys
 * have different texts. */
static void key_write(rt_buffer *out, const rt_cache_key *key)
{
    RULE(DL_CACHE_14, rt_write_u32(out, key->module));
    RULE(DL_CACHE_03, rt_spec_list_write(out, key->constants));
    RULE(DL_CACHE_05, rt_write_text(out, key->options));
    rt_write_u32(out, key->device);
    rt_write_u32(out, key->context);
}

void rt_cache_free(rt_cache *cache)
{
    for (uint32_t i = 0; i < cache->tuples.count; i++)
        CHECK(!cache->tuples.items[i].program);
    for (uint32_t i = 0; i < cache->groups.count; i++)
        rt_map_free(&cache->groups.items[i].index);
    rt_map_free(&cache->index);
    rt_vector_free(&cache->groups);
    rt_vector_free(&cache->tuples);
    rt_arena_reset(&cache->arena);
}

static rt_cache_group *group_find(const rt_cache *cache, const rt_cache_key *key)
{
    uint32_t index = rt_map_find(&cache->index, key->kernel);
    CHECK_IMPLIES(index != RT_MAP_NONE, index < cache->groups.count);
    return index == RT_MAP_NONE ? NULL : &cache->groups.items[index];
}

static rt_cache_tuple *tuple_find(const rt_cache *cache, const rt_cache_group *group,
                                  const rt_buffer *text)
{
    uint32_t index = rt_map_find(&group->index, rt_buffer_text(text));
    CHECK_IMPLIES(index != RT_MAP_NONE, index < cache->tuples.count);
    return index == RT_MAP_NONE ? NULL : &cache->tuples.items[index];
}

rt_program *rt_cache_find(const rt_cache *cache, const rt_cache_key *key)
{
    const rt_cache_group *group = group_find(cache, key);
    if (!group) return NULL;
    rt_buffer text = {0};
    key_write(&text, key);
    const rt_cache_tuple *tuple = tuple_find(cache, group, &text);
    rt_buffer_free(&text);
    return tuple ? tuple->program : NULL;
}

bool rt_cache_store(rt_cache *cache, const rt_cache_key *key, const rt_registered_image *image,
                    rt_program *program)
{
    CHECK(program->device->id == key->device && program->context == key->context);
    rt_cache_group *group = group_find(cache, key);
    if (!group) {
        rt_text copy = rt_arena_text(&cache->arena, key->kernel);
        rt_map_set(&cache->index, copy, cache->groups.count);
        group = rt_vector_push(&cache->groups);
        *group = (rt_cache_group){.kernel = copy};
    }
    rt_buffer text = {0};
    key_write(&text, key);
    rt_cache_tuple *tuple = tuple_find(cache, group, &text);
    bool stored = !tuple || !tuple->program;
    if (!tuple) {
        rt_text copy = rt_arena_text(&cache->arena, rt_buffer_text(&text));
        rt_map_set(&group->index, copy, cache->tuples.count);
        tuple = rt_vector_push(&cache->tuples);
        *tuple = (rt_cache_tuple){.kernel = group->kernel, .module = key->module};
    }
    if (stored) {
        tuple->image = image;
        tuple->program = program;
        CHECK(tuple >= cache->tuples.items && tuple < cache->tuples.items + cache->tuples.count);
        *rt_vector_push(&program->tuples) = (uint32_t)(tuple - cache->tuples.items);
    }
    CHECK(tuple->program != NULL);
    CHECK_IMPLIES(stored, tuple->program == program && tuple->image == image);
    rt_buffer_free(&text);
    return stored;
}

void rt_cache_drop(rt_cache *cache, rt_program *program, const rt_registered_image *image,
                   rt_cache_dropped *dropped, void *user)
{
    uint32_t kept_count = 0, count = program->tuples.count;
    RT_VECTOR(rt_cache_tuple) dropped_tuples = {0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = program->tuples.items[i];
        CHECK(place < cache->tuples.count);
        rt_cache_tuple *tuple = &cache->tuples.items[place];
        CHECK(tuple->program == program);
        if (image && tuple->image != image) {
            program->tuples.items[kept_count++] = place;
            continue;
        }
        *rt_vector_push(&dropped_tuples) = *tuple;
        tuple->program = NULL;
    }
    program->tuples.count = kept_count;
    CHECK(kept_count + dropped_tuples.count == count);
    CHECK_IMPLIES(!image, kept_count == 0);
    /* This is the last step, because the program may be freed when its last reference is released.
     */
    for (uint32_t i = 0; i < dropped_tuples.count; i++)
        dropped(user, &dropped_tuples.items[i]);
    rt_vector_free(&dropped_tuples);
}
