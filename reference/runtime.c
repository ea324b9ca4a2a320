/* Composition: who owns whom, and in which order they come and go. */
#include "reference/runtime.h"

struct rt_runtime {
    rt_sink *sink; /* borrowed */
    rt_trace *trace;
    rt_chooser chooser;
    rt_registry registry;
    rt_loader loader;
    rt_program_manager *programs;
    rt_scheduler *scheduler;
    RT_VECTOR(rt_device *) devices;
    RT_VECTOR(rt_memory *) memories;
};

rt_runtime *rt_runtime_create(rt_sink *sink, const rt_module *modules, uint32_t module_count,
                              uint64_t seed)
{
    rt_runtime *runtime = rt_alloc(sizeof *runtime);
    runtime->sink = sink;
    runtime->trace = rt_trace_create();
    runtime->chooser = (rt_chooser){.seed = seed};
    rt_registry_init(&runtime->registry, runtime->trace);
    rt_loader_init(&runtime->loader, sink, &runtime->registry, modules, module_count);
    runtime->programs = rt_program_manager_create(sink, runtime->trace, &runtime->chooser,
                                                  &runtime->loader, &runtime->registry);
    runtime->scheduler = rt_scheduler_create(sink, runtime->trace, runtime->programs);
    return runtime;
}

void rt_runtime_destroy(rt_runtime *runtime)
{
    if (!runtime) return;
    /* Commands hold programs and memories, programs hold images: users go before what they use. */
    rt_scheduler_destroy(runtime->scheduler);
    for (uint32_t i = 0; i < runtime->memories.count; i++) {
        rt_memory_destroy(runtime->memories.items[i]);
    }
    rt_vector_free(&runtime->memories);
    rt_program_manager_destroy(runtime->programs);
    rt_loader_free(&runtime->loader);
    rt_registry_free(&runtime->registry);
    for (uint32_t i = 0; i < runtime->devices.count; i++) {
        CHECK(runtime->devices.items[i]->device->live_objects == 0);
        rt_free(runtime->devices.items[i]);
    }
    rt_vector_free(&runtime->devices);
    rt_trace_destroy(runtime->trace);
    rt_free(runtime);
}

rt_trace *rt_runtime_trace(rt_runtime *runtime)
{
    return runtime->trace;
}

const rt_device *rt_runtime_device_add(rt_runtime *runtime, rt_text name, dev_device *device)
{
    rt_device *added = rt_alloc(sizeof *added);
    added->id = runtime->devices.count;
    added->name = name;
    added->device = device;
    dev_device_capabilities(device, &added->capabilities);
    *rt_vector_push(&runtime->devices) = added;
    return added;
}

rt_loader *rt_runtime_loader(rt_runtime *runtime)
{
    return &runtime->loader;
}

rt_scheduler *rt_runtime_scheduler(rt_runtime *runtime)
{
    return runtime->scheduler;
}

rt_status rt_runtime_memory_create(rt_runtime *runtime, rt_text name, uint64_t size,
                                   const void *initial, rt_memory **out_memory)
{
    RT_TRY(
        rt_memory_create(runtime->sink, runtime->memories.count, name, size, initial, out_memory));
    *rt_vector_push(&runtime->memories) = *out_memory;
    return RT_STATUS_OK;
}
