/* The launches whose work-items may have been the last to write a byte; see writers.h. */
#include "sim/check/writers.h"

#include "reference/base/alloc.h"

#include <string.h>

enum {
    LAUNCHES_MAX = 1 << 12,  /* that are kept; then the older half is dropped */
    INTERVALS_MAX = 1 << 20, /* likewise, of all of them */
};

typedef struct kept_launch {
    uint32_t first, next; /* stamps [first, next) */
    rt_text kernel;       /* in the world's arena */
    sim_range range;
    sim_race_clock clock; /* its intervals alone, owned */
} kept_launch;

typedef struct sim_writers {
    RT_VECTOR(kept_launch) launches; /* in order of their stamps */
    uint64_t interval_count;
} sim_writers;

/* Drops the oldest launches. */
static void launches_drop(sim_writers *writers, uint32_t count)
{
    if (count == 0) return;
    for (uint32_t i = 0; i < count; i++) {
        writers->interval_count -= writers->launches.items[i].clock.intervals.count;
        rt_vector_free(&writers->launches.items[i].clock.intervals);
    }
    writers->launches.count -= count;
    memmove(writers->launches.items, writers->launches.items + count,
            writers->launches.count * sizeof(kept_launch));
}

static void writers_free(sim_writers *writers)
{
    launches_drop(writers, writers->launches.count);
    rt_vector_free(&writers->launches);
    rt_free(writers);
}

void sim_world_keep_writers(sim_world *world)
{
    CHECK(!world->writers);
    world->writers = rt_alloc(sizeof *world->writers);
    world->writers_free = writers_free;
}

void sim_writers_restart(sim_world *world)
{
    if (world->writers) launches_drop(world->writers, world->writers->launches.count);
}

void sim_writers_keep(sim_launch_state *l)
{
    sim_writers *writers = l->world->writers;
    sim_race_clock *clock = &l->race->clocks[SIM_RACE_GLOBAL];
    if (clock->intervals.count == 0) return;
    uint32_t count = writers->launches.count;
    if (count == LAUNCHES_MAX || writers->interval_count > INTERVALS_MAX)
        launches_drop(writers, count / 2 + 1);
    const kept_launch *last =
        writers->launches.count ? &writers->launches.items[writers->launches.count - 1] : NULL;
    bool is_same = last && rt_text_equal(last->kernel, l->kernel->name);
    rt_text kernel = is_same ? last->kernel : rt_arena_text(&l->world->arena, l->kernel->name);
    kept_launch *kept = rt_vector_push(&writers->launches);
    *kept = (kept_launch){.first = clock->intervals.items[0].first,
                          .next = clock->next,
                          .kernel = kernel,
                          .range = *l->range};
    kept->clock = (sim_race_clock){.next = clock->next};
    kept->clock.intervals.items = clock->intervals.items;
    kept->clock.intervals.count = clock->intervals.count;
    kept->clock.intervals.capacity = clock->intervals.capacity;
    writers->interval_count += clock->intervals.count;
    clock->intervals.items = NULL;
    clock->intervals.count = clock->intervals.capacity = 0;
}

void sim_writers_pass(sim_world *world, const sim_memory *window)
{
    const sim_race_shadow *from = window->race;
    if (window->whole == 0 || !from) return;
    sim_race_shadow *to = sim_race_shadow_of(sim_world_memory(world, window->whole));
    for (uint32_t k = 0; k < SIM_RACE_KINDS_WRITING; k++) {
        if (!from->cells[k]) continue;
        sim_race_cells_make(to, (sim_race_kind)k, window->origin | (from->shift ? 0 : 1));
        for (uint64_t i = 0; i < window->size; i += UINT64_C(1) << to->shift) {
            uint32_t cell = from->cells[k][i >> from->shift];
            uint32_t *kept = &to->cells[k][(window->origin + i) >> to->shift];
            if ((cell & SIM_RACE_STAMP) > (*kept & SIM_RACE_STAMP)) *kept = cell;
        }
    }
}

/* Forgets who wrote an object; for a window, also the same bytes of its object. */
static void shadow_forget(sim_world *world, const sim_memory *memory)
{
    if (memory->race) sim_race_shadow_forget(memory->race, 0, memory->size);
    const sim_memory *whole = memory->whole ? sim_world_memory(world, memory->whole) : NULL;
    if (whole && whole->race) sim_race_shadow_forget(whole->race, memory->origin, memory->size);
}

void sim_writers_forget(const sim_launch_state *l, const sim_argument *arguments)
{
    const sim_access_set *written = &l->kernel->written;
    bool all = written->anything || written->variables;
    for (uint32_t i = 1; all && i < l->world->objects.count; i++)
        shadow_forget(l->world, &l->world->objects.items[i]);
    for (uint32_t i = 0; i < l->kernel->parameter_count && !all; i++)
        if (arguments[i].kind == SIM_PARAMETER_GLOBAL && arguments[i].object &&
            written->parameters[i])
            shadow_forget(l->world, sim_world_memory(l->world, arguments[i].object));
}

/* The stamp of the last store to the byte; 0: none is known. */
static uint32_t stamp_at(const sim_race_shadow *shadow, uint64_t offset)
{
    uint32_t newest = 0;
    for (uint32_t k = 0; k < SIM_RACE_KINDS_WRITING; k++) {
        if (!shadow->cells[k]) continue;
        uint32_t stamp = shadow->cells[k][offset >> shadow->shift] & SIM_RACE_STAMP;
        if (stamp > newest) newest = stamp;
    }
    return newest;
}

/* Sets the global id of the work-item with that local linear id in the group with that number. */
static void work_item_set(const sim_range *range, uint64_t group, uint64_t lid,
                          uint64_t out_id[RT_ND_RANGE_DIMENSIONS])
{
    for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++) {
        uint64_t groups = sim_range_groups(range, k), at = group % groups;
        uint64_t size = sim_range_group_size(range, k, at);
        out_id[k] = range->offset[k] + at * range->local[k] + lid % size;
        group /= groups;
        lid /= size;
    }
}

bool sim_object_writer(sim_world *world, sim_object object, uint64_t offset, sim_writer *out_writer)
{
    const sim_memory *memory = sim_world_memory(world, object);
    CHECK(memory->data && offset < memory->size);
    *out_writer = (sim_writer){0};
    uint32_t stamp = world->writers && memory->race ? stamp_at(memory->race, offset) : 0;
    for (uint32_t i = 0; stamp != 0 && i < world->writers->launches.count; i++) {
        const kept_launch *kept = &world->writers->launches.items[i];
        if (stamp < kept->first || stamp >= kept->next) continue;
        uint64_t group, items = 1;
        uint32_t lid = sim_race_lid(&kept->clock, stamp, &group);
        for (uint32_t k = 0; k < RT_ND_RANGE_DIMENSIONS; k++)
            items *= kept->range.local[k];
        out_writer->kernel = kept->kernel;
        out_writer->is_copy = lid >= items;
        if (!out_writer->is_copy) work_item_set(&kept->range, group, lid, out_writer->work_item);
        return true;
    }
    return false;
}
