/* Whole-structure checks of a world, of findings and of a launch. */
#include "sim/memory/instance.h"
#include "sim/memory/race_shadow.h"
#include "sim/memory/state.h"

static bool race_shadow_is_sound(const sim_race_shadow *shadow)
{
    CHECK(shadow->shift == 0 || shadow->shift == 2);
    CHECK(shadow->class < SIM_RACE_CLASSES);
    CHECK(sim_race_cells(shadow) << shadow->shift >= shadow->size);
    return true;
}

static bool memory_is_sound(const sim_memory *memory)
{
    if (!memory->data) {
        CHECK(!memory->defined && !memory->race); /* freed together with data, or a closed window */
        return true;
    }
    CHECK(memory->size >= 1 && memory->size <= RT_MEMORY_SIZE_MAX);
    CHECK(memory->all_defined == (memory->defined == NULL));
    if (!memory->race) return true;
    CHECK(memory->race->class == SIM_RACE_GLOBAL && memory->race->size == memory->size);
    return race_shadow_is_sound(memory->race);
}

bool sim_world_check(const sim_world *world)
{
    CHECK(world->objects.count >= 1 && world->objects.count <= SIM_OBJECT_COUNT_MAX + 1u);
    CHECK(world->objects.items[0].size == 0); /* object 0 does not exist */
    CHECK(world->race_next <= SIM_RACE_STAMP + 1u);
    for (uint32_t i = 1; i < world->objects.count; i++) {
        const sim_memory *memory = &world->objects.items[i];
        CHECK(memory_is_sound(memory));
        CHECK_IMPLIES(memory->data && memory->is_mapped,
                      (uintptr_t)memory->data == sim_object_address(i));
    }
    for (uint32_t i = 0; i < world->instances.count; i++) {
        const sim_instance *instance = &world->instances.items[i];
        const sim_program *program = instance->program;
        CHECK(instance->function_first >= 1);
        CHECK(instance->function_first - 1 + program->function_count <= world->function_count);
        for (uint32_t k = 0; k < program->global_count; k++) {
            CHECK(instance->objects[k] != 0 && instance->objects[k] < world->objects.count);
            CHECK_IMPLIES(program->globals[k].is_constant,
                          world->objects.items[instance->objects[k]].constant_uses >= 1);
        }
        for (uint32_t k = 0; k < i; k++) { /* function numbers are disjoint, and no program has two
                                            * instances */
            const sim_instance *other = &world->instances.items[k];
            CHECK(other->program != program);
            CHECK(other->function_first + other->program->function_count <=
                      instance->function_first ||
                  instance->function_first + program->function_count <= other->function_first);
        }
    }
    return true;
}

bool sim_findings_check(const sim_findings *findings)
{
    for (uint32_t i = 0; i < findings->rows.count; i++) {
        const sim_finding_row *row = &findings->rows.items[i];
        CHECK(row->kind < SIM_FINDING_KINDS && row->count >= 1);
        uint64_t key = (uint64_t)row->site * SIM_FINDING_KINDS + row->kind;
        CHECK(rt_map_find_number(&findings->index, key) == i);
    }
    return true;
}

bool sim_launch_check(const sim_launch_state *launch)
{
    CHECK(launch->program == launch->kernel->program);
    uint64_t end = 0;
    for (uint32_t i = 0; i < launch->locals.count; i++) {
        const sim_local_object *local = &launch->locals.items[i];
        CHECK(local->offset % 64 == 0 && local->offset >= end);
        CHECK(launch->parts ? local->stride >= local->size : local->stride == 0);
        end = local->offset + sim_local_bytes(launch, local);
    }
    CHECK(end <= SIM_LOCAL_SIZE_MAX);
    CHECK(launch->locals_memory.size >= end && launch->locals_defined.size >= end);
    for (uint32_t i = 0; launch->local_races && i < launch->locals.count; i++) {
        const sim_race_shadow *shadow = &launch->local_races[i];
        CHECK(shadow->class == SIM_RACE_LOCAL);
        CHECK(shadow->size == sim_local_bytes(launch, &launch->locals.items[i]));
        CHECK(race_shadow_is_sound(shadow));
    }
    return sim_findings_check(&launch->findings);
}
