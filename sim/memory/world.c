/* Memory objects of the simulated device, as the host sees them. Kernel accesses are checked as
 * they happen (exec/memory.c). */
#include "sim/memory/world.h"

#include "reference/base/alloc.h"
#include "sim/memory/instance.h"
#include "sim/memory/race_shadow.h"

#include <string.h>

/* Takes the interpreter a few milliseconds. */
#define PACK_STEPS (UINT64_C(1) << 16)

sim_world *sim_world_create(rt_sink *sink, uint64_t seed)
{
    CHECK(sink);
    sim_world *world = rt_alloc(sizeof *world);
    world->sink = sink;
    world->seed = seed;
    world->engine = SIM_ENGINE_BEST;
    world->race_limit = SIM_RACE_STAMP;
    world->pack_steps = PACK_STEPS;
    *rt_vector_push(&world->objects) = (sim_memory){0};
    return world;
}

void sim_race_shadow_forget(sim_race_shadow *shadow, uint64_t offset, uint64_t size)
{
    CHECK(!shadow->is_tracked && offset <= shadow->size && size <= shadow->size - offset);
    uint64_t first = offset >> shadow->shift;
    uint64_t end = (offset + size + (1u << shadow->shift) - 1) >> shadow->shift;
    for (uint32_t k = 0; k < SIM_RACE_KINDS_WRITING; k++)
        if (shadow->cells[k])
            memset(shadow->cells[k] + first, 0, (size_t)(end - first) * sizeof(uint32_t));
}

void sim_race_shadow_clear(sim_race_shadow *shadow)
{
    for (uint32_t k = 0; k < SIM_RACE_KINDS; k++) {
        rt_free(shadow->cells[k]);
        shadow->cells[k] = NULL;
    }
}

void sim_race_shadow_free(sim_race_shadow *shadow)
{
    if (!shadow) return;
    sim_race_shadow_clear(shadow);
    rt_free(shadow);
}

static void memory_free(sim_memory *memory)
{
    if (memory->is_mapped)
        sim_mapped_free(memory);
    else
        rt_free(memory->data);
    rt_free(memory->defined);
    sim_race_shadow_free(memory->race);
    memory->race = NULL;
    memory->data = NULL;
    memory->defined = NULL;
}

void sim_world_destroy(sim_world *world)
{
    if (!world) return;
    if (world->tier) world->tier_free(world->tier);
    if (world->writers) world->writers_free(world->writers);
    for (uint32_t i = 0; i < world->objects.count; i++)
        memory_free(&world->objects.items[i]);
    sim_instances_free(world);
    rt_vector_free(&world->objects);
    rt_arena_reset(&world->arena);
    rt_free(world);
}

uint64_t sim_world_choose(const sim_world *world, uint64_t key)
{
    /* The finaliser of the splitmix64 generator: every bit of the key affects every bit of the
     * result. */
    uint64_t z = world->seed + key * UINT64_C(0x9e3779b97f4a7c15) + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

rt_status sim_object_size_check(const sim_world *world, uint64_t size, rt_text label)
{
    CHECK(size >= 1);
    if (size <= RT_MEMORY_SIZE_MAX) return RT_STATUS_OK;
    return rt_fail(world->sink, RT_LIMIT, RT_RULE_NONE,
                   "memory '%.*s' of %llu bytes is larger than the limit of %llu bytes",
                   RT_TEXT_ARG(label), (unsigned long long)size,
                   (unsigned long long)RT_MEMORY_SIZE_MAX);
}

static rt_status object_count_check(const sim_world *world, rt_text label)
{
    if (world->objects.count <= SIM_OBJECT_COUNT_MAX) return RT_STATUS_OK;
    return rt_fail(world->sink, RT_LIMIT, RT_RULE_NONE,
                   "memory '%.*s' cannot be created: a device can have at most %u objects in its "
                   "lifetime; open the device again",
                   RT_TEXT_ARG(label), SIM_OBJECT_COUNT_MAX);
}

rt_status sim_object_create(sim_world *world, uint64_t size, rt_text label, sim_object *out_object)
{
    *out_object = 0;
    RT_TRY(sim_object_size_check(world, size, label));
    RT_TRY(object_count_check(world, label));
    sim_memory memory = {.data = rt_try_alloc(size), .defined = rt_try_alloc(size), .size = size};
    if (!memory.data || !memory.defined) {
        memory_free(&memory);
        return rt_fail(world->sink, RT_ERRC_MEMORY_ALLOCATION, RT_RULE_NONE,
                       "the system cannot provide %llu bytes for memory '%.*s'",
                       (unsigned long long)size, RT_TEXT_ARG(label));
    }
    *out_object = world->objects.count;
    /* Undefined contents are a pattern chosen by the seed, so that a kernel that relies on zeros
     * fails. */
    memset(memory.data, (int)(sim_world_choose(world, *out_object) & 0xff), size);
    memory.label = rt_arena_text(&world->arena, label);
    *rt_vector_push(&world->objects) = memory;
    CHECK_SLOW(sim_world_check(world));
    return RT_STATUS_OK;
}

rt_status sim_object_create_window(sim_world *world, sim_object whole, uint64_t offset,
                                   uint64_t size, rt_text label, sim_object *out_object)
{
    *out_object = 0;
    CHECK(size >= 1 && sim_object_is_alive(world, whole));
    CHECK(size <= sim_object_size(world, whole) && offset <= sim_object_size(world, whole) - size);
    RT_TRY(object_count_check(world, label));
    *out_object = world->objects.count;
    *rt_vector_push(&world->objects) = (sim_memory){.whole = whole,
                                                    .origin = offset,
                                                    .size = size,
                                                    .label = rt_arena_text(&world->arena, label)};
    return RT_STATUS_OK;
}

void sim_window_open(sim_world *world, sim_memory *memory)
{
    if (memory->whole == 0 || memory->data) return;
    const sim_memory *whole = sim_world_memory(world, memory->whole);
    if (!whole->data) return; /* destroyed: accesses are findings */
    memory->data = whole->data + memory->origin;
    memory->all_defined = whole->all_defined;
    memory->shares_defined = !whole->all_defined;
    memory->defined = whole->all_defined ? NULL : whole->defined + memory->origin;
}

void sim_window_close(sim_world *world, sim_memory *memory)
{
    if (memory->whole == 0 || !memory->data) return;
    sim_memory *whole = sim_world_memory(world, memory->whole);
    if (memory->defined && !memory->shares_defined) { /* the launch stored undefined bits */
        if (whole->all_defined) sim_memory_unsettle(whole);
        memcpy(whole->defined + memory->origin, memory->defined, memory->size);
        rt_free(memory->defined);
    }
    sim_race_shadow_free(memory->race);
    memory->race = NULL;
    memory->data = memory->defined = NULL;
    memory->all_defined = false;
}

uint64_t sim_object_address(sim_object object)
{
    CHECK(object != 0);
    return sim_address_of(SIM_CLASS_GLOBAL, object);
}

sim_memory *sim_world_memory(sim_world *world, sim_object object)
{
    CHECK(object != 0 && object < world->objects.count);
    return &world->objects.items[object];
}

/* Returns the memory of an object, which must exist and contain the range. */
static sim_memory *memory_range(const sim_world *world, sim_object object, uint64_t offset,
                                uint64_t size)
{
    CHECK(object != 0 && object < world->objects.count);
    sim_memory *memory = &world->objects.items[object];
    CHECK(memory->data);
    CHECK(size <= memory->size && offset <= memory->size - size);
    return memory;
}

bool sim_object_is_alive(const sim_world *world, sim_object object)
{
    CHECK(object != 0 && object < world->objects.count);
    return world->objects.items[object].data != NULL;
}

rt_text sim_object_label(const sim_world *world, sim_object object)
{
    CHECK(object != 0 && object < world->objects.count);
    return world->objects.items[object].label;
}

uint64_t sim_object_size(const sim_world *world, sim_object object)
{
    CHECK(sim_object_is_alive(world, object));
    return world->objects.items[object].size;
}

void sim_object_destroy(sim_world *world, sim_object object)
{
    sim_memory *memory = sim_world_memory(world, object);
    CHECK(memory->whole != 0 ? memory->data == NULL : memory->data != NULL);
    memory->whole = 0; /* a window never opens again */
    memory_free(memory);
    CHECK_SLOW(sim_world_check(world));
}

void sim_object_read(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                     void *destination)
{
    const sim_memory *memory = memory_range(world, object, offset, size);
    if (size) memcpy(destination, memory->data + offset, size);
}

void sim_memory_settle(sim_memory *memory)
{
    CHECK(memory->defined && !memory->all_defined);
    memory->all_defined = true;
    rt_free(memory->defined);
    memory->defined = NULL;
}

/* Bytes that something else than a launch has written have no work-item that wrote them. */
static void writers_forget(const sim_world *world, const sim_memory *memory, uint64_t offset,
                           uint64_t size)
{
    if (world->writers && memory->race) sim_race_shadow_forget(memory->race, offset, size);
}

void sim_object_write(sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                      const void *source)
{
    sim_memory *memory = memory_range(world, object, offset, size);
    if (!size) return;
    memcpy(memory->data + offset, source, size);
    writers_forget(world, memory, offset, size);
    if (memory->all_defined) return;
    memset(memory->defined + offset, 0xff, size);
    if (size == memory->size) sim_memory_settle(memory);
}

void sim_memory_unsettle(sim_memory *memory)
{
    CHECK(memory->all_defined && !memory->defined);
    memory->defined = rt_alloc(memory->size);
    memset(memory->defined, 0xff, memory->size);
    memory->all_defined = false;
}

void sim_object_undefine(sim_world *world, sim_object object, uint64_t offset, uint64_t size)
{
    sim_memory *memory = memory_range(world, object, offset, size);
    if (!size) return;
    memset(memory->data + offset, (int)(sim_world_choose(world, object) & 0xff), size);
    writers_forget(world, memory, offset, size);
    if (memory->all_defined) sim_memory_unsettle(memory);
    memset(memory->defined + offset, 0, size);
}

bool sim_defined_all(const uint8_t *defined, uint64_t size)
{
    /* All bits are 1 if those of the first byte are and every other byte equals the one before it.
     */
    return size == 0 || (defined[0] == 0xff && memcmp(defined, defined + 1, size - 1) == 0);
}

void sim_object_copy(sim_world *world, sim_object source, uint64_t source_offset,
                     sim_object destination, uint64_t destination_offset, uint64_t size)
{
    sim_memory *from = memory_range(world, source, source_offset, size);
    sim_memory *to = memory_range(world, destination, destination_offset, size);
    if (!size) return;
    memmove(to->data + destination_offset, from->data + source_offset, size);
    writers_forget(world, to, destination_offset, size);
    if (from->all_defined && to->all_defined) return;
    if (to->all_defined) sim_memory_unsettle(to);
    if (from->all_defined) {
        memset(to->defined + destination_offset, 0xff, size);
        if (size == to->size) sim_memory_settle(to);
    } else {
        memmove(to->defined + destination_offset, from->defined + source_offset, size);
        to->took_undefined |= !sim_defined_all(to->defined + destination_offset, size);
    }
}

bool sim_object_took_undefined(const sim_world *world, sim_object object)
{
    return memory_range(world, object, 0, 0)->took_undefined;
}

void sim_object_defined(const sim_world *world, sim_object object, uint64_t offset, uint64_t size,
                        uint8_t *out_bits)
{
    const sim_memory *memory = memory_range(world, object, offset, size);
    memset(out_bits, 0, (size + 7) / 8);
    for (uint64_t i = 0; i < size; i++) {
        if (!memory->all_defined && memory->defined[offset + i] != 0xff) continue;
        out_bits[i / 8] = (uint8_t)(out_bits[i / 8] | 1u << (i % 8));
    }
}
