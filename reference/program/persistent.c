/* Loads programs from the persistent cache and stores them there (persistent.h). */
#include "reference/program/persistent.h"

#include "reference/program/persistent_key.h"

#include <stdatomic.h>
#include <string.h>

struct rt_persistent {
    rt_store *store;
    atomic_flag failure_is_traced;
};

/* A requested program, with its key. */
typedef struct program_request {
    rt_program_manager *manager;
    const rt_build_target *target;
    const rt_link_set *set;
    uint32_t id;
    rt_buffer key;
} program_request;

rt_persistent *rt_persistent_open(rt_text folder, const rt_store_calls *calls)
{
    rt_persistent *persistent = rt_alloc(sizeof *persistent);
    persistent->store = rt_store_create(&(rt_store_parameters){.folder = folder,
                                                               .size_max = RT_PERSISTENT_SIZE_MAX,
                                                               .size_kept = RT_PERSISTENT_SIZE_KEPT,
                                                               .calls = calls});
    atomic_flag_clear(&persistent->failure_is_traced);
    return persistent;
}

void rt_persistent_close(rt_persistent *persistent)
{
    if (!persistent) return;
    rt_store_destroy(persistent->store);
    rt_free(persistent);
}

/* Traces that an entry was stored (`reason` is NULL), could not be stored, or was rejected. */
static void trace_entry(const program_request *request, rt_event_kind kind, const char *reason)
{
    rt_arena arena = {0};
    const rt_trace_value values[] = {
        RT_N("program", request->id),
        RT_TS("images", rt_program_image_names(&arena, request->set), request->set->images.count),
        RT_N("device", request->target->device->id),
        RT_T("reason", rt_text_of(reason)),
    };
    rt_trace_emit(request->manager->trace, kind, values, reason ? 4 : 3);
    rt_arena_reset(&arena);
}

/* Loads the program from the cache; NULL if the cache has no entry that the device accepts. */
static dev_program *entry_load(const program_request *request)
{
    rt_buffer binary = {0};
    dev_program *program = NULL;
    rt_store_answer answer =
        rt_store_find(request->manager->persistent->store, rt_buffer_bytes(&request->key), &binary);
    if (answer == RT_STORE_FOUND) {
        rt_status status =
            dev_program_load(request->target->device->device, rt_buffer_bytes(&binary), &program);
        /* A driver may refuse its own binary; the program is then rebuilt and stored again. */
        if (!rt_ok(status))
            trace_entry(request, RT_EVENT_PERSISTENT_REJECT, rt_code_name((rt_code)status.code));
    } else if (answer != RT_STORE_ABSENT) {
        trace_entry(request, RT_EVENT_PERSISTENT_REJECT, rt_store_answer_name(answer));
    }
    rt_buffer_free(&binary);
    return program;
}

/* Stores the program; a failure to store is traced once, and does not fail the run. */
static void entry_keep(const program_request *request, dev_program *program)
{
    const rt_persistent *persistent = request->manager->persistent;
    rt_buffer binary = {0};
    rt_status status = dev_program_binary(program, &binary);
    const char *failure = rt_ok(status) ? NULL : rt_code_name((rt_code)status.code);
    int error = 0;
    if (!failure)
        error = rt_store_keep(persistent->store, rt_buffer_bytes(&request->key),
                              rt_buffer_bytes(&binary));
    if (error != 0) failure = strerrorname_np(error) ? strerrorname_np(error) : "unknown";
    if (!failure)
        trace_entry(request, RT_EVENT_PERSISTENT_STORE, NULL);
    else if (!atomic_flag_test_and_set(&request->manager->persistent->failure_is_traced))
        trace_entry(request, RT_EVENT_PERSISTENT_FAIL, failure);
    rt_buffer_free(&binary);
}

/* True if the program may be loaded from the cache or stored there. */
static bool takes_part(const rt_program_manager *manager, const rt_device *device,
                       const rt_link_set *set)
{
    if (!manager->persistent || !device->capabilities.program_binaries) return false;
    /* Shipped DPC++ caches only programs that it compiles just in time (requirements.yaml, key
     * dpcpp, tag A52). */
    return manager->profile != RT_PROFILE_DPCPP ||
           set->images.items[0]->image->format == RT_FORMAT_SPIRV64;
}

rt_status rt_persistent_build(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t program_id, const rt_link_set *set,
                              dev_program **out_executable, bool *out_loaded)
{
    *out_loaded = false;
    if (!takes_part(manager, target->device, set))
        return rt_program_build(manager, target, program_id, set, out_executable);
    program_request request = {manager, target, set, program_id, {0}};
    rt_persistent_key(&request.key, manager, target, set);
    CHECK(request.key.size > 0 && set->images.count >= 1);
    *out_executable = entry_load(&request);
    *out_loaded = *out_executable != NULL;
    rt_status status = RT_STATUS_OK;
    if (!*out_loaded) {
        /* A changed set of providers is an ordinary miss (VF-CACHE-03). */
        status = rt_program_build(manager, target, program_id, set, out_executable);
        if (rt_ok(status)) entry_keep(&request, *out_executable);
    }
    CHECK_IMPLIES(*out_loaded, rt_ok(status));
    CHECK(rt_ok(status) == (*out_executable != NULL));
    rt_buffer_free(&request.key);
    return status;
}
