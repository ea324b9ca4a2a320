/* A host program as the system beneath the runtime's loader. */
#include "conformance/host/loader.h"

#include "conformance/host/host_internal.h"

#include "conformance/build/toolchain.h"
#include "reference/base/alloc.h"

#define REFERENCE_NAME "libassay_reference.so"

enum { CHANNEL = 0 }; /* the runtime's loader sends one request at a time */

struct cnf_host_loader {
    rt_sink *sink;
    cnf_cache *cache;
    const scn_scenario *scenario;
    cnf_host *host; /* NULL: not started */
    rt_arena arena; /* holds the images, which live as long as the registry */
};

static rt_status reference_find(rt_sink *sink, char path[PATH_MAX])
{
    if (cnf_toolchain_find_library(path, REFERENCE_NAME)) return RT_STATUS_OK;
    return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                   "no real loader: " REFERENCE_NAME " is neither next to assay nor in its library "
                   "folder; it is built and installed with assay");
}

rt_status cnf_host_loader_available(rt_sink *sink)
{
    char library[PATH_MAX];
    RT_TRY(reference_find(sink, library));
    return cnf_host_compiler_check(sink);
}

/* Converts events to the form that the runtime's loader expects. If a call failed because a signal
 * ended the process, ends this process in the same way. */
static rt_status events_convert(cnf_host_loader *loader, rt_status status, cnf_host_events events,
                                rt_system_events *out_events)
{
    static const rt_system_event_kind kinds[] = {
        [HOST_EVENT_LOADED] = RT_SYSTEM_LOADED,
        [HOST_EVENT_REGISTERED] = RT_SYSTEM_REGISTERED,
        [HOST_EVENT_UNREGISTERED] = RT_SYSTEM_UNREGISTERED,
        [HOST_EVENT_UNLOADED] = RT_SYSTEM_UNLOADED,
    };
    for (uint32_t i = 0; i < events.count && rt_ok(status); i++) {
        const cnf_host_event *event = &events.items[i];
        CHECK((size_t)event->kind < sizeof kinds / sizeof *kinds);
        CHECK(event->module < loader->scenario->module_count);
        rt_system_event converted = {.kind = kinds[event->kind], .module = event->module};
        if (event->kind == HOST_EVENT_REGISTERED)
            status = cnf_host_images(loader->host, CHANNEL, event->module, event->descriptor,
                                     &loader->arena, &converted.images);
        if (rt_ok(status)) *rt_vector_push(out_events) = converted;
    }
    if (!rt_ok(status) && loader->host) cnf_host_share_fate(loader->host);
    return status;
}

static rt_status loader_start(void *state, rt_module_id executable, const rt_module_id *preloaded,
                              uint32_t preloaded_count, rt_system_events *out_events)
{
    cnf_host_loader *loader = state;
    /* The files are built from the same scenario. */
    CHECK(executable == 0 && preloaded == loader->scenario->preloaded);
    CHECK(preloaded_count == loader->scenario->preloaded_count && !loader->host);
    char library[PATH_MAX];
    RT_TRY(reference_find(loader->sink, library));
    const cnf_host_runtime runtime = {.library = rt_text_of(library), .layout = RT_FAT_80};
    rt_status status =
        cnf_host_start(loader->sink, loader->cache, loader->scenario, &runtime, &loader->host);
    cnf_host_events events = {0};
    if (rt_ok(status)) events = cnf_host_started(loader->host);
    return events_convert(loader, status, events, out_events);
}

static rt_status loader_open(void *state, rt_module_id module, rt_system_events *out_events)
{
    cnf_host_loader *loader = state;
    cnf_host_events events;
    rt_status status = cnf_host_open(loader->host, CHANNEL, module, &loader->arena, &events);
    return events_convert(loader, status, events, out_events);
}

static rt_status loader_close(void *state, rt_module_id module, rt_system_events *out_events)
{
    cnf_host_loader *loader = state;
    cnf_host_events events;
    rt_status status = cnf_host_close(loader->host, CHANNEL, module, &loader->arena, &events);
    return events_convert(loader, status, events, out_events);
}

static rt_status loader_binds(void *state, rt_module_id from, rt_text symbol,
                              rt_module_id *out_module)
{
    _Static_assert(RT_MODULE_NONE == SCN_NONE, "SCN_NONE means no module to the loader too");
    cnf_host_loader *loader = state;
    rt_status status = cnf_host_binds(loader->host, CHANNEL, from, symbol, out_module);
    return events_convert(loader, status, (cnf_host_events){0}, NULL);
}

cnf_host_loader *cnf_host_loader_create(rt_sink *sink, cnf_cache *cache,
                                        const scn_scenario *scenario)
{
    cnf_host_loader *loader = rt_alloc(sizeof *loader);
    *loader = (cnf_host_loader){.sink = sink, .cache = cache, .scenario = scenario};
    return loader;
}

rt_system cnf_host_loader_system(cnf_host_loader *loader)
{
    static const rt_system_operations operations = {
        .start = loader_start,
        .open = loader_open,
        .close = loader_close,
        .binds = loader_binds,
    };
    return (rt_system){&operations, loader};
}

rt_status cnf_host_loader_leave(cnf_host_loader *loader)
{
    if (!loader || !loader->host) return RT_STATUS_OK;
    return events_convert(loader, cnf_host_leave(loader->host), (cnf_host_events){0}, NULL);
}

rt_status cnf_host_loader_destroy(cnf_host_loader *loader)
{
    if (!loader) return RT_STATUS_OK;
    rt_status status = cnf_host_end(loader->host);
    rt_arena_reset(&loader->arena);
    rt_free(loader);
    return status;
}
