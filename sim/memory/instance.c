/* The module-scope variables of a program in one world: created together, with their initial
 * values, when the world first needs the program, and destroyed when the world releases it. */
#include "sim/memory/instance.h"

#include "reference/base/alloc.h"

#include <string.h>

/* Writes the addresses of variables and functions into initial values and the pool. */
static void relocate(sim_world *world, const sim_program *program, const sim_instance *instance)
{
    for (uint32_t i = 0; i < program->relocation_count; i++) {
        const sim_relocation *relocation = &program->relocations[i];
        uint32_t target = relocation->target;
        CHECK(target < (relocation->is_function ? program->function_count : program->global_count));
        uint64_t address =
            relocation->is_function
                ? sim_address_of(SIM_CLASS_FUNCTION, instance->function_first + target)
                : sim_object_address(instance->objects[target]);
        address += (uint64_t)relocation->addend;
        if (relocation->global == SIM_NONE) {
            instance->pool[relocation->offset] = address;
            continue;
        }
        sim_object_write(world, instance->objects[relocation->global], relocation->offset, 8,
                         &address);
    }
}

static void instance_free(sim_instance *instance)
{
    rt_free(instance->objects);
    rt_free(instance->pool);
    rt_free(instance->packable);
    sim_program_destroy(*instance->packed);
    rt_free(instance->packed);
    sim_program_destroy(instance->program);
}

/* Destroys the first `count` variables. */
static void objects_destroy(sim_world *world, const sim_instance *instance, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sim_object_destroy(world, instance->objects[i]);
}

static rt_status objects_create(sim_world *world, sim_instance *instance)
{
    const sim_program *program = instance->program;
    for (uint32_t i = 0; i < program->global_count; i++) {
        const sim_global *global = &program->globals[i];
        uint64_t size = global->size ? global->size : 1; /* an empty struct has an address too */
        rt_status status = sim_object_create(world, size, global->name, &instance->objects[i]);
        if (!rt_ok(status)) {
            objects_destroy(world, instance, i);
            return status;
        }
        sim_object object = instance->objects[i];
        if (global->is_constant) sim_world_memory(world, object)->constant_uses = 1;
        if (global->initial) sim_object_write(world, object, 0, global->size, global->initial);
        if (global->slot != SIM_NONE) instance->pool[global->slot] = sim_object_address(object);
    }
    return RT_STATUS_OK;
}

rt_status sim_instance_find(sim_world *world, sim_program *program, sim_instance *out_instance)
{
    for (uint32_t i = 0; i < world->instances.count; i++) {
        *out_instance = world->instances.items[i];
        if (out_instance->program == program) return RT_STATUS_OK;
    }
    uint32_t function_count = program->function_count;
    if (function_count >= SIM_OBJECT_COUNT_MAX - world->function_count) {
        return rt_fail(
            world->sink, RT_LIMIT, RT_RULE_NONE,
            "the programs used on one device during its lifetime have more than %u functions; open "
            "the device again",
            SIM_OBJECT_COUNT_MAX);
    }
    sim_instance instance = {
        .program = sim_program_retain(program),
        .function_first = world->function_count + 1,
        .objects = rt_alloc_array(program->global_count, sizeof *instance.objects),
        .pool = rt_alloc_array(program->pool_slot_count, sizeof *instance.pool),
        .packable = rt_alloc_array(program->kernel_count, sizeof *instance.packable),
        .packed = rt_alloc(sizeof *instance.packed),
    };
    memcpy(instance.pool, program->pool_slots, program->pool_slot_count * sizeof *instance.pool);
    rt_status status = objects_create(world, &instance);
    if (!rt_ok(status)) {
        instance_free(&instance);
        return status;
    }
    world->function_count += function_count;
    relocate(world, program, &instance);
    *rt_vector_push(&world->instances) = instance;
    CHECK_SLOW(sim_world_check(world));
    *out_instance = instance;
    return RT_STATUS_OK;
}

rt_status sim_world_variable(sim_world *world, sim_program *program, rt_text name,
                             sim_object *out_object)
{
    *out_object = 0;
    uint32_t index = rt_map_find(&program->host_names, name);
    if (index == RT_MAP_NONE) index = rt_map_find(&program->global_names, name);
    if (index == RT_MAP_NONE) return RT_STATUS_OK;
    CHECK(index < program->global_count);
    sim_instance instance = {0};
    RT_TRY(sim_instance_find(world, program, &instance));
    CHECK(instance.objects);
    *out_object = instance.objects[index];
    return RT_STATUS_OK;
}

rt_status sim_world_function(sim_world *world, sim_program *program, rt_text name,
                             uint64_t *out_address)
{
    *out_address = 0;
    uint32_t index = rt_map_find(&program->function_names, name);
    if (index == RT_MAP_NONE) return RT_STATUS_OK;
    CHECK(index < program->function_count && program->functions[index].signature != SIM_NONE);
    sim_instance instance = {0};
    RT_TRY(sim_instance_find(world, program, &instance));
    *out_address = sim_address_of(SIM_CLASS_FUNCTION, instance.function_first + index);
    return RT_STATUS_OK;
}

const sim_program *sim_instance_of_function(const sim_world *world, uint32_t number,
                                            uint32_t *out_function)
{
    for (uint32_t i = 0; i < world->instances.count; i++) {
        const sim_instance *instance = &world->instances.items[i];
        /* A number below the program's first one wraps around and is too large. */
        *out_function = number - instance->function_first;
        if (*out_function < instance->program->function_count) return instance->program;
    }
    return NULL;
}

void sim_world_forget(sim_world *world, const sim_program *program)
{
    for (uint32_t i = 0; i < world->instances.count; i++) {
        sim_instance *instance = &world->instances.items[i];
        if (instance->program != program) continue;
        objects_destroy(world, instance, program->global_count);
        instance_free(instance);
        *instance = world->instances.items[--world->instances.count];
        return;
    }
}

void sim_instances_free(sim_world *world)
{
    for (uint32_t i = 0; i < world->instances.count; i++)
        instance_free(&world->instances.items[i]);
    rt_vector_free(&world->instances);
}
