/* Tuples in one table, found through the text of their key. */
#include "reference/program/cache.h"

/* One text per key, each part after its length, so that no two keys give the same. */
static void key_write(rt_buffer *out, const rt_cache_key *key)
{
    rt_write_text(out, key->kernel);
    rt_write_u32(out, RULE_ELSE(DL_CACHE_14, key->module, 0u));
    rt_spec_list_write(out, RULE_ELSE(DL_CACHE_03, key->constants, (rt_spec_list){0}));
    rt_write_text(out, RULE_ELSE(DL_CACHE_05, key->options, (rt_text){0}));
    rt_write_u32(out, key->device);
    rt_write_u32(out, key->context);
}

void rt_cache_free(rt_cache *cache)
{
    for (uint32_t i = 0; i < cache->tuples.count; i++)
        CHECK(!cache->tuples.items[i].program);
    rt_map_free(&cache->index);
    rt_vector_free(&cache->tuples);
    rt_arena_reset(&cache->arena);
}

static rt_cache_tuple *tuple_find(const rt_cache *cache, const rt_cache_key *key)
{
    rt_buffer text = {0};
    key_write(&text, key);
    uint32_t index = rt_map_find(&cache->index, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return index == RT_MAP_NONE ? NULL : &cache->tuples.items[index];
}

rt_program *rt_cache_find(const rt_cache *cache, const rt_cache_key *key)
{
    const rt_cache_tuple *tuple = tuple_find(cache, key);
    return tuple ? tuple->program : NULL;
}

bool rt_cache_store(rt_cache *cache, const rt_cache_key *key, const rt_registered_image *image,
                    rt_program *program)
{
    rt_cache_tuple *tuple = tuple_find(cache, key);
    if (tuple && tuple->program) return false;
    if (tuple) {
        tuple->image = image;
        tuple->program = program;
        return true;
    }
    rt_buffer text = {0};
    key_write(&text, key);
    rt_text kept = rt_arena_text(&cache->arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    rt_map_set(&cache->index, kept, cache->tuples.count);
    *rt_vector_push(&cache->tuples) = (rt_cache_tuple){
        .kernel = rt_arena_text(&cache->arena, key->kernel),
        .module = key->module,
        .image = image,
        .program = program,
    };
    CHECK(rt_cache_find(cache, key) == program);
    return true;
}

void rt_cache_drop(rt_cache *cache, void *user, bool (*wanted)(void *, const rt_cache_tuple *),
                   void (*dropped)(void *, const rt_cache_tuple *))
{
    for (uint32_t i = 0; i < cache->tuples.count; i++) {
        rt_cache_tuple *tuple = &cache->tuples.items[i];
        if (!tuple->program || !wanted(user, tuple)) continue;
        rt_cache_tuple copy = *tuple;
        tuple->program = NULL;
        dropped(user, &copy);
    }
}
