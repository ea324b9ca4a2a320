/* Composes the runtime: owns the parts, and creates and destroys them in the right order. */
#include "reference/runtime.h"

#include "reference/base/lock.h"
#include "reference/vfunc/vfunc.h"

#include <string.h>

typedef struct rt_context {
    const rt_device **devices; /* NULL: all */
    uint32_t device_count;
} rt_context;

struct rt_runtime {
    rt_runtime_parameters parameters;
    rt_trace *trace;
    rt_chooser chooser;
    uint32_t process_count; /* 1 before the first restart */
    /* The parts that belong to one process; see process_begin. */
    rt_registry registry;
    rt_loader loader;
    rt_program_manager *programs;
    rt_global_database *globals;
    rt_scheduler *scheduler;
    rt_fusion *fusion;
    pthread_mutex_t lock; /* guards the tables below */
    RT_VECTOR(rt_device *) devices;
    RT_VECTOR(rt_context) contexts;  /* owned by the process */
    RT_VECTOR(rt_memory *) memories; /* owned by the process */
    RT_VECTOR(rt_bundle *) bundles;  /* owned by the process */
};

/* Reserves an id for a memory; no other thread gets the same id.  The table entry is filled once
 * the memory exists, and stays empty if another part owns the memory. */
static uint32_t memory_reserve(void *user)
{
    rt_runtime *runtime = user;
    rt_lock_take(&runtime->lock);
    uint32_t id = runtime->memories.count;
    *rt_vector_push(&runtime->memories) = NULL;
    rt_lock_release(&runtime->lock);
    return id;
}

static void global_registered(void *user, rt_module_id module, const rt_device_global *global)
{
    (void)module;
    rt_global_database_add(user, global);
}

static void global_removed(void *user, rt_module_id module, const rt_device_global *global)
{
    (void)module;
    rt_global_database_remove(user, global);
}

static void process_begin(rt_runtime *runtime)
{
    const rt_runtime_parameters *parameters = &runtime->parameters;
    runtime->process_count++;
    rt_registry_init(&runtime->registry, runtime->trace);
    rt_loader_init(&runtime->loader, parameters->sink, &runtime->registry, parameters->modules,
                   parameters->module_count);
    if (parameters->system) rt_loader_use(&runtime->loader, *parameters->system);
    runtime->programs = rt_program_manager_create(&(rt_program_parameters){
        .sink = parameters->sink,
        .trace = runtime->trace,
        .chooser = &runtime->chooser,
        .loader = &runtime->loader,
        .registry = &runtime->registry,
        .profile = parameters->profile,
        .prefer_preloaded = parameters->prefer_preloaded,
        .contribute = rt_vfunc_contribute,
        .persistent = parameters->persistent_cache,
    });
    /* The database observes registrations by host code and the creation of programs. */
    runtime->globals = rt_global_database_create(&(rt_global_database_parameters){
        .sink = parameters->sink,
        .trace = runtime->trace,
        .memory_id = memory_reserve,
        .user = runtime,
    });
    rt_loader_observe_globals(
        &runtime->loader, (rt_global_observer){global_registered, global_removed, runtime->globals},
        &runtime->chooser);
    rt_program_manager_observe(runtime->programs,
                               (rt_program_observer){runtime->globals, rt_global_program_created,
                                                     rt_global_program_released});
    runtime->scheduler =
        rt_scheduler_create(parameters->sink, runtime->trace, runtime->programs, runtime->globals);
    runtime->fusion = rt_fusion_create(&(rt_fusion_parts){
        .tools = {.sink = parameters->sink,
                  .trace = runtime->trace,
                  .programs = runtime->programs,
                  .profile = parameters->profile,
                  .compiler = parameters->fusion_compiler},
        .scheduler = runtime->scheduler,
        .warning_level = parameters->warning_level,
    });
    *rt_vector_push(&runtime->contexts) = (rt_context){0};
}

static void process_end(rt_runtime *runtime)
{
    /* Commands refer to programs and memories, and programs to images, so the referring objects are
     * destroyed first. */
    rt_scheduler_destroy(runtime->scheduler);
    rt_fusion_destroy(runtime->fusion);
    for (uint32_t i = 0; i < runtime->memories.count; i++)
        rt_memory_destroy(runtime->memories.items[i]);
    rt_vector_free(&runtime->memories);
    for (uint32_t i = 0; i < runtime->bundles.count; i++)
        rt_bundle_release(runtime->programs, runtime->bundles.items[i]);
    rt_vector_free(&runtime->bundles);
    rt_program_manager_destroy(runtime->programs);
    rt_global_database_destroy(runtime->globals);
    rt_loader_free(&runtime->loader);
    rt_registry_free(&runtime->registry);
    for (uint32_t i = 0; i < runtime->contexts.count; i++)
        rt_free(runtime->contexts.items[i].devices);
    rt_vector_free(&runtime->contexts);
    for (uint32_t i = 0; i < runtime->devices.count; i++) {
        const dev_live live = dev_device_live(runtime->devices.items[i]->device);
        CHECK(dev_live_is_none(&live));
    }
}

rt_runtime *rt_runtime_create(const rt_runtime_parameters *parameters)
{
    rt_runtime *runtime = rt_alloc(sizeof *runtime);
    runtime->parameters = *parameters;
    runtime->trace = rt_trace_create();
    if (parameters->no_trace) rt_trace_stop(runtime->trace);
    rt_chooser_init(&runtime->chooser, parameters->seed, parameters->choices,
                    parameters->choice_count);
    rt_lock_init(&runtime->lock);
    process_begin(runtime);
    return runtime;
}

void rt_runtime_destroy(rt_runtime *runtime)
{
    if (!runtime) return;
    process_end(runtime);
    rt_chooser_free(&runtime->chooser);
    for (uint32_t i = 0; i < runtime->devices.count; i++) {
        rt_free(runtime->devices.items[i]->visible_extensions);
        rt_free(runtime->devices.items[i]);
    }
    rt_vector_free(&runtime->devices);
    pthread_mutex_destroy(&runtime->lock);
    rt_trace_destroy(runtime->trace);
    rt_free(runtime);
}

void rt_runtime_restart(rt_runtime *runtime, const rt_system *system)
{
    process_end(runtime);
    runtime->parameters.system = system;
    RT_TRACE(runtime->trace, RESTART, RT_N("process", runtime->process_count));
    process_begin(runtime);
}

rt_trace *rt_runtime_trace(rt_runtime *runtime)
{
    return runtime->trace;
}

/* ---- Devices and contexts ----------------------------------------------------------------- */

const rt_device *rt_runtime_device_add(rt_runtime *runtime, rt_text name, dev_device *device,
                                       uint32_t masked_aspects)
{
    rt_device *added = rt_alloc(sizeof *added);
    added->name = name;
    added->device = device;
    dev_device_capabilities(device, &added->capabilities);
    added->capabilities.aspects &= ~masked_aspects;
    rt_lock_take(&runtime->lock);
    added->id = runtime->devices.count;
    *rt_vector_push(&runtime->devices) = added;
    rt_lock_release(&runtime->lock);
    return added;
}

void rt_runtime_device_rename_architecture(rt_runtime *runtime, const rt_device *device,
                                           rt_text architecture)
{
    CHECK(device->id < runtime->devices.count);
    rt_device *changed = runtime->devices.items[device->id];
    CHECK(changed == device);
    changed->capabilities.architecture = architecture;
}

void rt_runtime_device_hide_links(rt_runtime *runtime, const rt_device *device, uint32_t formats)
{
    CHECK(device->id < runtime->devices.count && formats >> RT_FORMAT_COUNT == 0);
    rt_device *changed = runtime->devices.items[device->id];
    CHECK(changed == device && !changed->visible_extensions);
    dev_capabilities *visible = &changed->capabilities;
    changed->visible_extensions =
        rt_alloc_array(visible->extension_count + 1u, sizeof(const char *));
    uint32_t visible_count = 0;
    for (uint32_t i = 0; i < visible->extension_count; i++) {
        bool hidden = false;
        for (uint32_t format = 0; format < RT_FORMAT_COUNT; format++) {
            const char *extension = rt_format_link_extension((rt_format)format);
            bool matches = strcmp(visible->extensions[i], extension) == 0;
            hidden = hidden || (matches && formats >> format & 1);
        }
        if (!hidden) changed->visible_extensions[visible_count++] = visible->extensions[i];
    }
    visible->extensions = changed->visible_extensions;
    visible->extension_count = visible_count;
}

rt_context_id rt_runtime_context_create(rt_runtime *runtime, const rt_device *const *devices,
                                        uint32_t device_count)
{
    CHECK(device_count >= 1);
    rt_context context = {.device_count = device_count};
    context.devices = rt_alloc_array(device_count, sizeof(const rt_device *));
    for (uint32_t i = 0; i < device_count; i++)
        context.devices[i] = devices[i];
    rt_lock_take(&runtime->lock);
    rt_context_id id = runtime->contexts.count;
    *rt_vector_push(&runtime->contexts) = context;
    rt_lock_release(&runtime->lock);
    return id;
}

bool rt_runtime_context_holds(rt_runtime *runtime, rt_context_id context, const rt_device *device)
{
    rt_lock_take(&runtime->lock);
    CHECK(context < runtime->contexts.count);
    const rt_context found = runtime->contexts.items[context];
    rt_lock_release(&runtime->lock);
    bool holds = !found.devices;
    for (uint32_t i = 0; i < found.device_count; i++)
        holds = holds || found.devices[i] == device;
    return holds;
}

/* ---- The parts ---------------------------------------------------------------------------- */

rt_status rt_runtime_image_load(rt_runtime *runtime, rt_module_id module, const rt_image *image)
{
    return rt_loader_image_load(&runtime->loader, module, image);
}

void rt_runtime_choices(rt_runtime *runtime, const rt_choice **out_choices, uint32_t *out_count)
{
    *out_choices = runtime->chooser.choices.items;
    *out_count = runtime->chooser.choices.count;
}

rt_loader *rt_runtime_loader(rt_runtime *runtime)
{
    return &runtime->loader;
}

rt_program_manager *rt_runtime_programs(rt_runtime *runtime)
{
    return runtime->programs;
}

void rt_runtime_bundle_keep(rt_runtime *runtime, rt_bundle *bundle)
{
    CHECK(bundle);
    rt_lock_take(&runtime->lock);
    *rt_vector_push(&runtime->bundles) = bundle;
    rt_lock_release(&runtime->lock);
}

rt_global_database *rt_runtime_globals(rt_runtime *runtime)
{
    return runtime->globals;
}

rt_scheduler *rt_runtime_scheduler(rt_runtime *runtime)
{
    return runtime->scheduler;
}

rt_fusion *rt_runtime_fusion(rt_runtime *runtime)
{
    return runtime->fusion;
}

/* ---- Memories ----------------------------------------------------------------------------- */

static void memory_keep(rt_runtime *runtime, uint32_t id, rt_memory *memory)
{
    CHECK(memory->id == id);
    rt_lock_take(&runtime->lock);
    CHECK(id < runtime->memories.count && !runtime->memories.items[id]);
    runtime->memories.items[id] = memory;
    rt_lock_release(&runtime->lock);
}

rt_status rt_runtime_memory_create(rt_runtime *runtime, rt_text name, uint64_t size,
                                   const void *initial, rt_memory **out_memory)
{
    uint32_t id = memory_reserve(runtime);
    RT_TRY(rt_memory_create(runtime->parameters.sink, id, name, size, initial, out_memory));
    memory_keep(runtime, id, *out_memory);
    return RT_STATUS_OK;
}

rt_status rt_runtime_part_create(rt_runtime *runtime, rt_text name, rt_memory *whole,
                                 uint64_t offset, uint64_t size, rt_memory **out_memory)
{
    uint32_t id = memory_reserve(runtime);
    RT_TRY(
        rt_memory_part_create(runtime->parameters.sink, id, name, whole, offset, size, out_memory));
    memory_keep(runtime, id, *out_memory);
    return RT_STATUS_OK;
}

rt_status rt_runtime_usm_create(rt_runtime *runtime, rt_text name, const rt_device *device,
                                dev_memory_kind kind, uint64_t size, const void *initial,
                                rt_memory **out_memory)
{
    uint32_t id = memory_reserve(runtime);
    RT_TRY(rt_memory_usm_create(runtime->parameters.sink, id, name, device, kind, size, initial,
                                out_memory));
    memory_keep(runtime, id, *out_memory);
    return RT_STATUS_OK;
}
