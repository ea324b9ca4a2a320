/* The simulated device: opening, capabilities, memory, programs, kernels.
 *
 * This file only translates: sim/ reads, links and executes SPIR-V, and simdev_queue.c decides the
 * order of commands. Source of the rules: reference/device/device.h; sim/sim.h. */
#include "backends/sim/simdev.h"

#include "backends/sim/simdev_internal.h"

#include <string.h>

/* ---- Memory ------------------------------------------------------------------------------- */

static bool is_usm(const simdev_memory *memory)
{
    dev_memory_kind kind = memory->base.kind;
    return kind != DEV_MEMORY_BUFFER && kind != DEV_MEMORY_GLOBAL;
}

void simdev_memory_release(simdev_memory *memory)
{
    CHECK(memory->references >= 1);
    if (--memory->references > 0) return;
    sim_world *world = memory->device->world;
    CHECK_IMPLIES(is_usm(memory), !sim_object_is_alive(world, memory->object));
    if (is_usm(memory)) {
        simdev_history_forget(&memory->device->history, memory->object);
        sim_object_retire(world, memory->object);
    }
    simdev_mappings_forget(memory->device, memory->object);
    if (memory->base.kind == DEV_MEMORY_BUFFER) sim_object_destroy(world, memory->object);
    if (memory->whole) simdev_memory_release(memory->whole);
    if (memory->program) simdev_program_release(memory->program);
    rt_free(memory);
}

static void simdev_memory_destroy(dev_memory *base)
{
    simdev_memory *memory = (simdev_memory *)base;
    simdev_device *device = memory->device;
    pthread_mutex_lock(&device->lock);
    if (is_usm(memory)) sim_object_destroy(device->world, memory->object);
    simdev_memory_release(memory);
    pthread_mutex_unlock(&device->lock);
}

static rt_status simdev_memory_defined(dev_memory *base, uint64_t offset, uint64_t size,
                                       uint8_t *out_bits)
{
    simdev_memory *memory = (simdev_memory *)base;
    const simdev_memory *owner = memory->whole ? memory->whole : memory;
    pthread_mutex_lock(&memory->device->lock);
    sim_object_defined(memory->device->world, owner->object, base->origin + offset, size, out_bits);
    pthread_mutex_unlock(&memory->device->lock);
    return RT_STATUS_OK;
}

static void simdev_memory_host_access(dev_memory *base, uint32_t tag, uint64_t offset,
                                      uint64_t size, bool is_write)
{
    simdev_memory *memory = (simdev_memory *)base;
    const sim_accessed accessed = {memory->object, offset, size, is_write, false};
    pthread_mutex_lock(&memory->device->lock);
    simdev_host_judge(memory->device, tag, &accessed);
    pthread_mutex_unlock(&memory->device->lock);
}

static bool simdev_memory_writer(dev_memory *base, uint64_t offset, dev_writer *out_writer)
{
    const simdev_memory *memory = (const simdev_memory *)base;
    const simdev_memory *owner = memory->whole ? memory->whole : memory;
    simdev_device *device = memory->device;
    sim_writer writer;
    offset += base->origin;
    pthread_mutex_lock(&device->lock);
    out_writer->is_kernel = sim_object_writer(device->world, owner->object, offset, &writer);
    out_writer->is_copy = writer.is_copy;
    out_writer->kernel = writer.kernel;
    memcpy(out_writer->work_item, writer.work_item, sizeof writer.work_item);
    out_writer->may_be_copied = sim_object_took_undefined(device->world, owner->object);
    pthread_mutex_unlock(&device->lock);
    return device->keeps_writers;
}

/* Also in the table for buffers, although the address of a buffer is never queried. */
static uint64_t simdev_memory_address(dev_memory *base)
{
    return sim_object_address(((simdev_memory *)base)->object);
}

static const dev_memory_ops simdev_memory_ops = {
    .destroy = simdev_memory_destroy,
    .defined = simdev_memory_defined,
    .address = simdev_memory_address,
    .writer = simdev_memory_writer,
    .host_access = simdev_memory_host_access,
    .mapping_access = simdev_mapping_access,
    .mapping_defined = simdev_mapping_defined,
};

static simdev_memory *memory_of(simdev_device *device, sim_object object)
{
    CHECK(object != 0);
    simdev_memory *memory = rt_alloc(sizeof *memory);
    memory->base.ops = &simdev_memory_ops;
    memory->device = device;
    memory->references = 1;
    memory->object = object;
    return memory;
}

static rt_status object_create(dev_device *base, uint64_t size, rt_text label, bool is_mapped,
                               dev_memory **out_memory)
{
    simdev_device *device = (simdev_device *)base;
    sim_object object = 0;
    pthread_mutex_lock(&device->lock);
    rt_status status = is_mapped ? sim_object_create_mapped(device->world, size, label, &object)
                                 : sim_object_create(device->world, size, label, &object);
    pthread_mutex_unlock(&device->lock);
    if (rt_ok(status)) *out_memory = &memory_of(device, object)->base;
    return status;
}

static rt_status simdev_memory_create(dev_device *base, uint64_t size, rt_text label,
                                      dev_memory **out_memory)
{
    return object_create(base, size, label, false, out_memory);
}

/* A part is a window of the device, so that accesses past its end are found; copies use the bytes
 * of its whole memory. */
static rt_status simdev_memory_part_create(dev_memory *base, uint64_t offset, uint64_t size,
                                           rt_text label, dev_memory **out_memory)
{
    simdev_memory *whole = (simdev_memory *)base;
    simdev_device *device = whole->device;
    RT_TRY(dev_part_validate(base->device->sink, label, offset));
    sim_object object = 0;
    pthread_mutex_lock(&device->lock);
    rt_status status =
        sim_object_create_window(device->world, whole->object, offset, size, label, &object);
    if (rt_ok(status)) {
        simdev_memory *part = memory_of(device, object);
        part->whole = whole;
        whole->references++;
        *out_memory = &part->base;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* The kinds of USM differ only in where their bytes are; here all are in the same world, and that
 * of the host only if it is mapped. */
static rt_status simdev_usm_create(dev_device *base, dev_memory_kind kind, uint64_t size,
                                   rt_text label, dev_memory **out_memory)
{
    simdev_device *device = (simdev_device *)base;
    bool is_mapped = device->maps_usm && kind != DEV_MEMORY_USM_DEVICE;
    return object_create(base, size, label, is_mapped, out_memory);
}

/* ---- Kernels ------------------------------------------------------------------------------ */

void simdev_kernel_release(simdev_kernel *kernel)
{
    CHECK(kernel->references >= 1);
    if (--kernel->references > 0) return;
    simdev_program_release(kernel->program);
    rt_free(kernel);
}

static void simdev_kernel_destroy(dev_kernel *base)
{
    simdev_kernel *kernel = (simdev_kernel *)base;
    simdev_device *device = kernel->device;
    pthread_mutex_lock(&device->lock);
    simdev_kernel_release(kernel);
    pthread_mutex_unlock(&device->lock);
}

static uint32_t simdev_kernel_argument_count(dev_kernel *base)
{
    return sim_kernel_parameter_count(((simdev_kernel *)base)->kernel);
}

static dev_parameter simdev_kernel_parameter(dev_kernel *base, uint32_t index)
{
    static const dev_argument_kind kinds[] = {
        [SIM_PARAMETER_GLOBAL] = DEV_ARGUMENT_MEMORY,
        [SIM_PARAMETER_LOCAL] = DEV_ARGUMENT_LOCAL,
        [SIM_PARAMETER_VALUE] = DEV_ARGUMENT_BYTES,
    };
    sim_parameter parameter = sim_kernel_parameter(((simdev_kernel *)base)->kernel, index);
    return (dev_parameter){kinds[parameter.kind], parameter.size, parameter.is_constant};
}

static uint64_t simdev_kernel_local_bytes(dev_kernel *base)
{
    return sim_kernel_local_bytes(((simdev_kernel *)base)->kernel);
}

static const dev_kernel_ops simdev_kernel_ops = {
    .destroy = simdev_kernel_destroy,
    .argument_count = simdev_kernel_argument_count,
    .parameter = simdev_kernel_parameter,
    .local_bytes = simdev_kernel_local_bytes,
};

static rt_status simdev_kernel_create(dev_program *base, rt_text name, dev_kernel **out_kernel)
{
    simdev_program *program = (simdev_program *)base;
    simdev_device *device = program->device;
    CHECK(program->program != NULL);
    const sim_kernel *found = sim_program_kernel(program->program, name);
    if (!found)
        return rt_fail_naming(base->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                              "the linked program has no kernel '%.*s'", RT_TEXT_ARG(name));
    simdev_kernel *kernel = rt_alloc(sizeof *kernel);
    kernel->base.ops = &simdev_kernel_ops;
    kernel->device = device;
    kernel->references = 1;
    kernel->program = program;
    kernel->kernel = found;
    pthread_mutex_lock(&device->lock);
    program->references++;
    pthread_mutex_unlock(&device->lock);
    *out_kernel = &kernel->base;
    return RT_STATUS_OK;
}

/* ---- Programs ----------------------------------------------------------------------------- */

void simdev_program_release(simdev_program *program)
{
    CHECK(program->references >= 1);
    if (--program->references > 0) return;
    if (program->program) sim_world_forget(program->device->world, program->program);
    sim_native_free(&program->code);
    sim_program_destroy(program->program);
    for (uint32_t i = 0; i < program->input_count; i++)
        simdev_program_release(program->inputs[i]); /* compiled, so it has no inputs itself */
    rt_free(program->inputs);
    rt_free(program);
}

static void simdev_program_destroy(dev_program *base)
{
    simdev_program *program = (simdev_program *)base;
    simdev_device *device = program->device;
    pthread_mutex_lock(&device->lock);
    simdev_program_release(program);
    pthread_mutex_unlock(&device->lock);
}

static rt_status simdev_global_find(dev_program *base, rt_text name, dev_memory **out_memory)
{
    simdev_program *program = (simdev_program *)base;
    simdev_device *device = program->device;
    CHECK(program->program != NULL);
    sim_object object;
    pthread_mutex_lock(&device->lock);
    rt_status status = sim_world_variable(device->world, program->program, name, &object);
    if (rt_ok(status) && object != 0) {
        simdev_memory *memory = memory_of(device, object);
        memory->base.size = sim_object_size(device->world, object);
        memory->program = program;
        program->references++;
        *out_memory = &memory->base;
    }
    pthread_mutex_unlock(&device->lock);
    if (!rt_ok(status) || object != 0) return status;
    return rt_fail_naming(base->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the linked program exports no variable '%.*s' in global memory",
                          RT_TEXT_ARG(name));
}

rt_status simdev_function_find(dev_program *base, rt_text name, uint64_t *out_address)
{
    simdev_program *program = (simdev_program *)base;
    simdev_device *device = program->device;
    CHECK(program->program != NULL);
    pthread_mutex_lock(&device->lock);
    rt_status status = sim_world_function(device->world, program->program, name, out_address);
    pthread_mutex_unlock(&device->lock);
    if (!rt_ok(status) || *out_address != 0) return status;
    return rt_fail_naming(base->device->sink, RT_ERRC_INVALID, RT_RULE_NONE, &name, 1,
                          "the linked program exports no function '%.*s' that has an address; a "
                          "function has one if the program takes it, or decorates the function "
                          "with ReferencedIndirectlyINTEL, and kernels have none",
                          RT_TEXT_ARG(name));
}

/* Modules of an executable program: its own and those of its inputs. */
typedef RT_VECTOR(const sim_module *) module_list;

static void modules_add(module_list *modules, const simdev_program *program)
{
    for (uint32_t i = 0; i < program->code.module_count; i++)
        *rt_vector_push(modules) = program->code.modules[i];
}

/* A program's binary is an image of the device's native format. */
static rt_status simdev_program_binary(dev_program *base, rt_buffer *out_binary)
{
    const simdev_program *program = (const simdev_program *)base;
    module_list modules = {0};
    modules_add(&modules, program);
    for (uint32_t i = 0; i < program->input_count; i++)
        modules_add(&modules, program->inputs[i]);
    rt_status status =
        sim_native_write(base->device->sink, modules.items, modules.count, out_binary);
    rt_vector_free(&modules);
    return status;
}

static const sim_native no_code;

static uint64_t simdev_program_global_bytes(dev_program *base)
{
    return sim_program_global_bytes(((simdev_program *)base)->program);
}

static const dev_program_ops simdev_program_ops = {
    .destroy = simdev_program_destroy,
    .global_bytes = simdev_program_global_bytes,
    .kernel_create = simdev_kernel_create,
    .global_find = simdev_global_find,
    .binary = simdev_program_binary,
};

/* Creates a program that takes over an image's modules, the result of a link, or both. */
static simdev_program *program_make(simdev_device *device, sim_native code, sim_program *linked)
{
    CHECK(code.module_count > 0 || linked != NULL);
    simdev_program *program = rt_alloc(sizeof *program);
    program->base.ops = &simdev_program_ops;
    program->device = device;
    program->references = 1;
    program->code = code;
    program->program = linked;
    return program;
}

/* Links the modules into an executable program; frees them on failure. */
static rt_status executable_make(simdev_device *device, sim_native code, dev_program **out_program)
{
    sim_program *linked = NULL;
    rt_status status = sim_program_link(device->base.sink, (const sim_module *const *)code.modules,
                                        code.module_count, &linked);
    if (rt_ok(status))
        *out_program = &program_make(device, code, linked)->base;
    else
        sim_native_free(&code);
    return status;
}

/* Code is read and linked without the lock: no object of the world is touched, and in a run with
 * many threads builds take the longest. */

/* SPIR-V has no build options that change the meaning of a program, so options are ignored. */
static rt_status simdev_program_compile(dev_device *device, const dev_code *code,
                                        dev_program **out_program)
{
    sim_native modules;
    RT_TRY(simdev_code_read(device->sink, code, &modules));
    *out_program = &program_make((simdev_device *)device, modules, NULL)->base;
    return RT_STATUS_OK;
}

static rt_status simdev_program_link(dev_device *device, dev_program *const *programs,
                                     uint32_t count, rt_text options, dev_program **out_program)
{
    (void)options;
    module_list modules = {0};
    for (uint32_t i = 0; i < count; i++)
        modules_add(&modules, (const simdev_program *)programs[i]);
    CHECK(modules.count >= count);
    sim_program *linked = NULL;
    rt_status status = sim_program_link(device->sink, modules.items, modules.count, &linked);
    rt_vector_free(&modules);
    if (!rt_ok(status)) return status;
    simdev_program *program = program_make((simdev_device *)device, no_code, linked);
    program->inputs = rt_alloc_array(count, sizeof *program->inputs);
    program->input_count = count;
    pthread_mutex_lock(&program->device->lock);
    for (uint32_t i = 0; i < count; i++) {
        program->inputs[i] = (simdev_program *)programs[i];
        CHECK(program->inputs[i]->references >= 1);
        program->inputs[i]->references++;
    }
    pthread_mutex_unlock(&program->device->lock);
    *out_program = &program->base;
    return status;
}

static rt_status simdev_program_build(dev_device *device, const dev_code *code,
                                      dev_program **out_program)
{
    sim_native modules;
    RT_TRY(simdev_code_read(device->sink, code, &modules));
    return executable_make((simdev_device *)device, modules, out_program);
}

static rt_status simdev_program_load(dev_device *device, rt_bytes binary, dev_program **out_program)
{
    sim_native modules;
    RT_TRY(sim_native_read(device->sink, binary, &modules));
    return executable_make((simdev_device *)device, modules, out_program);
}

/* ---- The device --------------------------------------------------------------------------- */

static void simdev_device_destroy(dev_device *base)
{
    simdev_device *device = (simdev_device *)base;
    /* checked.c has verified that every queue has been destroyed, and destroying a queue completes
     * its commands. */
    CHECK(device->pending_count == 0);
    CHECK(device->ready.count == 0);
    CHECK(device->mappings.count == 0);
    rt_vector_free(&device->mappings);
    rt_vector_free(&device->ready);
    simdev_history_free(&device->history);
    sim_world_destroy(device->world);
    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->lock);
    rt_free(device);
}

static void simdev_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    (void)device;
    static const char *const extensions[] = {
        "pi_ext_spirv64_linking", "pi_ext_spirv64_x86_64_linking", "pi_ext_spirv64_gen_linking",
        "pi_ext_spirv64_fpga_linking", "assay_ext_native_linking"};
    *out_capabilities = (dev_capabilities){
        .name = RT_TEXT("assay simulated device"),
        .driver = RT_TEXT("assay sim"),
        .architecture = RT_TEXT("assay_sim"),
        .formats_taken = simdev_formats_taken(),
        .extensions = extensions,
        .extension_count = sizeof extensions / sizeof *extensions,
        .aspects = 1u << DEV_ASPECT_FP16 | 1u << DEV_ASPECT_FP64 | 1u << DEV_ASPECT_ATOMIC64 |
                   1u << DEV_ASPECT_VIRTUAL_FUNCTIONS,
        .executes = true,
        .maps = true,
        .program_variables = true,
        .globals_by_name = true,
        .usm = true,
        .non_uniform_groups = true,
        .sub_groups = true,
        .sub_group_operations = true,
        .asserts = true,
        .host_events = true,
        .part_alignment = DEV_PART_ALIGNMENT,
        .parameters = true,
        .function_pointers = true,
        .spec_constants = true,
        .program_binaries = true,
        .profiling = true,
        .finds_faults = true,
        .local_size_max = SIM_LOCAL_SIZE_MAX,
        .group_size_max = RT_WORK_GROUP_SIZE_MAX,
        .sub_group_size = SIM_SUBGROUP_SIZE,
        .sub_group_sizes = 1u << (8 - 1) | 1u << (16 - 1) | 1u << (32 - 1),
    };
}

static const dev_device_ops simdev_device_ops = {
    .destroy = simdev_device_destroy,
    .capabilities = simdev_device_capabilities,
    .memory_create = simdev_memory_create,
    .usm_create = simdev_usm_create,
    .program_compile = simdev_program_compile,
    .program_link = simdev_program_link,
    .program_build = simdev_program_build,
    .queue_create = simdev_queue_create,
    .queue_create_profiling = simdev_queue_create, /* times cost nothing, so every queue records
                                                    * them */
    .program_load = simdev_program_load,
    .host_event_create = simdev_host_event_create,
    .memory_part_create = simdev_memory_part_create,
};

/* The values in a selector; each is empty if the selector does not contain it. */
typedef struct selection {
    rt_text schedule, engine, clock, tier, usm;
} selection;

/* Reads a selector, a comma-separated list of "NAME=value".  False if a name is unknown or occurs
 * twice, or a value is empty. */
static bool selection_read(rt_text selector, selection *out)
{
    const struct {
        const char *prefix;
        rt_text *value;
    } known[] = {{"schedule=", &out->schedule},
                 {"engine=", &out->engine},
                 {"clock=", &out->clock},
                 {"tier=", &out->tier},
                 {"usm=", &out->usm}};
    const size_t count = sizeof known / sizeof *known;
    *out = (selection){0};
    while (selector.length > 0) {
        rt_text choice = rt_text_take_until(&selector, ',');
        size_t i = 0;
        while (i < count && !rt_text_take_prefix(&choice, known[i].prefix))
            i++;
        if (i == count || known[i].value->length > 0 || choice.length == 0) return false;
        *known[i].value = choice;
    }
    return true;
}

static rt_status simdev_open(const dev_open_parameters *parameters, rt_text selector,
                             dev_device **out_device)
{
    selection chosen;
    bool is_known = selection_read(selector, &chosen);
    sim_schedule schedule = SIM_SCHEDULE_LOCKSTEP;
    while (chosen.schedule.length > 0 && schedule < SIM_SCHEDULES &&
           !rt_text_is(chosen.schedule, sim_schedule_name(schedule)))
        schedule++;
    bool has_host_clock = rt_text_is(chosen.clock, "host");
    bool is_clock = chosen.clock.length == 0 || has_host_clock || rt_text_is(chosen.clock, "steps");
    bool maps_usm = rt_text_is(chosen.usm, "mapped");
    bool is_usm = chosen.usm.length == 0 || maps_usm;
    if (!is_known || schedule == SIM_SCHEDULES || !is_clock || !is_usm)
        return rt_fail(parameters->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "'%.*s' does not select the simulated device; write schedule= with "
                       "lockstep, forward, backward or seeded, engine= with base, v3 or v4, "
                       "clock= with steps or host, tier= with interpreted, compiled or measured, "
                       "usm= with mapped, or several of these separated by commas",
                       RT_TEXT_ARG(selector));
    sim_world *world = sim_world_create(parameters->sink, parameters->seed);
    rt_status status = RT_STATUS_OK;
    if (chosen.engine.length) status = sim_world_choose_engine(world, chosen.engine);
    if (rt_ok(status) && chosen.tier.length)
        status = sim_world_choose_tier(world, chosen.tier, NULL);
    if (rt_ok(status) && parameters->code_folder.length)
        sim_world_keep_code(world, parameters->code_folder);
    if (!rt_ok(status)) {
        sim_world_destroy(world);
        return status;
    }
    if (maps_usm) sim_world_reserve_mapped(world);
    if (parameters->keeps_writers) sim_world_keep_writers(world);
    if (parameters->threads > 1) sim_world_use_threads(world, parameters->threads);
    simdev_device *device = rt_alloc(sizeof *device);
    device->base.ops = &simdev_device_ops;
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->changed, NULL);
    device->world = world;
    device->schedule = schedule;
    device->choice = parameters->seed;
    device->on_finding = parameters->on_finding;
    device->on_host_write = parameters->on_host_write;
    device->finding_user = parameters->finding_user;
    device->on_output = parameters->on_output;
    device->output_user = parameters->output_user;
    device->keeps_writers = parameters->keeps_writers;
    device->choose_command = parameters->choose_command;
    device->on_order = parameters->on_order;
    device->order_user = parameters->order_user;
    device->history.is_kept = parameters->on_order != NULL;
    device->has_host_clock = has_host_clock;
    device->maps_usm = maps_usm;
    *out_device = &device->base;
    return RT_STATUS_OK;
}

const dev_backend simdev_backend = {.name = "sim", .open = simdev_open};
