/* The invariants of a program manager between two public operations: tables, index, cache and
 * programs, with each relation checked in both directions.
 *
 * rt_program_manager_lock and rt_program_manager_unlock call this in builds with sanitizers
 * (CHECK_SLOW).  The cost is linear in the number of image names, programs and tuples. */
#include "reference/program/program_internal.h"

#include "reference/base/lock.h"
#include "reference/image/virtual_functions.h"

/* ---- Tables ------------------------------------------------------------------------------- */

static bool group_has(const rt_image_group *group, const rt_registered_image *image)
{
    for (uint32_t i = 0; i < group->images.count; i++) {
        if (group->images.items[i] == image) return true;
    }
    return false;
}

/* A group holds images of the tables, each once, in order of registration. */
static void check_group(const rt_program_tables *tables, const rt_image_group *group)
{
    for (uint32_t i = 0; i < group->images.count; i++) {
        CHECK(rt_program_tables_hold(tables, group->images.items[i]));
        CHECK_IMPLIES(i > 0, group->images.items[i - 1]->id < group->images.items[i]->id);
    }
}

/* A lookup of any name of the image finds the image. */
static void check_image(const rt_program_tables *tables, rt_set_id set,
                        const rt_registered_image *image)
{
    bool is_shipped = tables->profile == RT_PROFILE_DPCPP;
    for (uint32_t k = 0; k < image->image->kernel_count; k++) {
        rt_text kernel = image->image->kernels[k];
        CHECK(is_shipped || group_has(rt_program_tables_kernel(tables, kernel), image));
        rt_set_id kernel_set = rt_program_tables_symbol(tables, image->module, kernel);
        CHECK_IMPLIES(kernel_set != RT_SET_NONE, kernel_set < tables->sets.count);
    }
    const rt_property_set *exports = rt_image_set(image->image, RT_SET_EXPORTED_SYMBOLS);
    for (uint32_t i = 0; exports && i < exports->property_count; i++) {
        const rt_set_group *exporters =
            rt_program_tables_exporters(tables, exports->properties[i].name);
        bool is_exporter = false;
        for (uint32_t s = 0; s < exporters->ids.count; s++)
            is_exporter = is_exporter || exporters->ids.items[s] == set;
        CHECK(is_exporter);
    }
    rt_virtual_functions functions;
    if (!rt_virtual_functions_read(image->image, &functions) && functions.provides.length > 0)
        CHECK(group_has(rt_program_tables_function_set(tables, functions.provides), image));
}

static void check_tables(const rt_program_tables *tables)
{
    uint32_t held_count = 0, member_count = 0;
    for (uint32_t i = 0; i < tables->images.count; i++) {
        CHECK_IMPLIES(tables->images.items[i], tables->images.items[i]->id == i);
        held_count += tables->images.items[i] != NULL;
    }
    for (uint32_t i = 0; i < tables->kernels.count; i++)
        check_group(tables, &tables->kernels.items[i]);
    for (uint32_t i = 0; i < tables->function_sets.count; i++)
        check_group(tables, &tables->function_sets.items[i]);
    for (uint32_t i = 0; i < tables->exporters.count; i++) {
        const rt_set_group *exporters = &tables->exporters.items[i];
        for (uint32_t s = 0; s < exporters->ids.count; s++) {
            CHECK(exporters->ids.items[s] < tables->sets.count);
            CHECK(tables->sets.items[exporters->ids.items[s]].images.count > 0);
            for (uint32_t k = 0; k < s; k++)
                CHECK(exporters->ids.items[k] != exporters->ids.items[s]);
        }
    }
    /* Each image belongs to exactly one combination. */
    for (rt_set_id id = 0; id < tables->sets.count; id++) {
        const rt_image_group *set = &tables->sets.items[id];
        check_group(tables, set);
        for (uint32_t i = 0; i < set->images.count; i++)
            check_image(tables, id, set->images.items[i]);
        member_count += set->images.count;
    }
    CHECK(member_count == held_count);
}

/* ---- Programs and the cache --------------------------------------------------------------- */

static bool index_has(const rt_program_index *index, rt_image_id image, uint32_t program)
{
    CHECK(image < index->by_image.count);
    const rt_program_ids *list = &index->by_image.items[image];
    for (uint32_t i = 0; i < list->ids.count; i++) {
        if (list->ids.items[i] == program) return true;
    }
    return false;
}

static void check_index(const rt_program_manager *manager)
{
    const rt_program_index *index = &manager->index;
    uint32_t alive_count = 0;
    for (uint32_t i = 0; i < index->programs.count; i++) {
        const rt_program *program = index->programs.items[i];
        if (!program) continue;
        CHECK(program->id == i && program->id < manager->program_count);
        CHECK(program->references >= 1);
        CHECK(program->references >= program->tuples.count); /* the cache holds one per tuple */
        CHECK((program->injected != NULL) == (program->image_count == 0));
        CHECK_IMPLIES(program->lost_provider, manager->profile == RT_PROFILE_DPCPP);
        CHECK_IMPLIES(program->lost_image && manager->profile != RT_PROFILE_DPCPP,
                      program->tuples.count == 0);
        for (uint32_t k = 0; k < program->image_count; k++)
            CHECK(index_has(index, program->images[k]->id, program->id));
        for (uint32_t k = 0; k < program->kernels.count; k++)
            CHECK(rt_map_find(&program->kernel_index, program->kernels.items[k].name) == k);
        for (uint32_t k = 0; k < program->tuples.count; k++) {
            CHECK(program->tuples.items[k] < manager->cache.tuples.count);
            CHECK(manager->cache.tuples.items[program->tuples.items[k]].program == program);
        }
        alive_count++;
    }
    CHECK(alive_count == manager->programs_alive);
    for (rt_image_id image = 0; image < index->by_image.count; image++) {
        const rt_program_ids *list = &index->by_image.items[image];
        for (uint32_t i = 0; i < list->ids.count; i++)
            CHECK(list->ids.items[i] < manager->program_count);
    }
}

/* Tuples and programs refer to each other; a tuple's image is registered and has the kernel. */
static void check_cache(const rt_program_manager *manager)
{
    const rt_cache *cache = &manager->cache;
    uint32_t stored_count = 0, listed_count = 0;
    for (uint32_t i = 0; i < cache->groups.count; i++)
        CHECK(rt_map_find(&cache->index, cache->groups.items[i].kernel) == i);
    for (uint32_t i = 0; i < cache->tuples.count; i++) {
        const rt_cache_tuple *tuple = &cache->tuples.items[i];
        if (!tuple->program) continue;
        CHECK(tuple->program->id < manager->index.programs.count);
        CHECK(manager->index.programs.items[tuple->program->id] == tuple->program);
        CHECK(index_has(&manager->index, tuple->image->id, tuple->program->id));
        CHECK(rt_program_tables_hold(&manager->tables, tuple->image));
        CHECK(rt_image_kernel(tuple->image->image, tuple->kernel) != RT_KERNEL_NONE);
        CHECK(rt_map_find(&cache->index, tuple->kernel) != RT_MAP_NONE);
        stored_count++;
    }
    for (uint32_t i = 0; i < manager->index.programs.count; i++)
        if (manager->index.programs.items[i])
            listed_count += manager->index.programs.items[i]->tuples.count;
    CHECK(stored_count == listed_count);
}

/* ---- The manager as a whole --------------------------------------------------------------- */

bool rt_program_manager_check(const rt_program_manager *manager)
{
    check_tables(&manager->tables);
    check_index(manager);
    check_cache(manager);
    CHECK(manager->programs_alive <= manager->program_count);
    CHECK(manager->pending.count <= manager->program_count);
    for (uint32_t i = 0; i < manager->pending.count; i++) {
        for (uint32_t k = 0; k < i; k++)
            CHECK(manager->pending.items[k] != manager->pending.items[i]);
    }
    return true;
}

void rt_program_manager_lock(rt_program_manager *manager)
{
    rt_lock_take(&manager->lock);
    CHECK_SLOW(rt_program_manager_check(manager));
}

void rt_program_manager_unlock(rt_program_manager *manager)
{
    CHECK_SLOW(rt_program_manager_check(manager));
    rt_lock_release(&manager->lock);
}
