/* The reference runtime, in this process, over a device of the subject's backend. */
#include "conformance/subject/reference.h"

#include "conformance/build/cache.h"
#include "conformance/subject/kept.h"
#include "conformance/subject/native_images.h"
#include "conformance/subject/probe.h"
#include "conformance/subject/unfused.h"

#include <stdio.h>
#include <string.h>

cnf_reference *cnf_reference_of(const cnf_execution *execution)
{
    CHECK(execution->runtime && execution->runtime->operations == &cnf_reference_operations);
    return (cnf_reference *)(void *)execution->runtime;
}

rt_scheduler *cnf_reference_scheduler(const cnf_execution *execution)
{
    return rt_runtime_scheduler(cnf_reference_of(execution)->runtime);
}

static rt_loader *loader_of(const cnf_execution *execution)
{
    return rt_runtime_loader(cnf_reference_of(execution)->runtime);
}

/* ---- Opening and closing ------------------------------------------------------------------ */

/* Opens the cache if the loader builds modules or the device compiles kernels. Returns the folder
 * in it where such a device keeps machine code; empty: none. */
static rt_text cache_open(cnf_execution *execution, cnf_reference *reference, rt_text selector)
{
    const bool compiles = memmem(selector.data, selector.length, "tier=", 5) != NULL;
    if (!compiles && !execution->options->real_loader) return (rt_text){0};
    rt_text warning;
    reference->cache = cnf_cache_open(execution->options->cache, &warning);
    if (warning.length && execution->options->real_loader)
        fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(warning));
    rt_text folder = cnf_cache_folder(reference->cache);
    if (!compiles || folder.length == 0) return (rt_text){0};
    return rt_arena_printf(&execution->arena, "%.*s/kernels", RT_TEXT_ARG(folder));
}

/* Opens the subject's device once for each device of the scenario, and creates the real loader if
 * the options select it. Reports what is missing if either is not possible. */
static rt_status reference_open(cnf_execution *execution, cnf_runtime **out_runtime)
{
    rt_arena *arena = &execution->arena;
    const cnf_subject *subject = execution->subject;
    uint32_t count = execution->scenario->device_count;
    cnf_reference *reference = rt_arena_alloc(arena, sizeof *reference);
    *reference = (cnf_reference){.base.operations = &cnf_reference_operations};
    reference->opened = rt_arena_alloc_array(arena, count, sizeof(dev_device *));
    *out_runtime = &reference->base;
    if (execution->options->real_loader) RT_TRY(cnf_host_loader_available(execution->sink));
    rt_text selector = cnf_unfused_device_settings(arena, execution->options->settings);
    CHECK_IMPLIES(selector.length > 0, subject->settings != NULL);
    if (selector.length == 0) selector = rt_text_of(subject->selector);
    const dev_open_parameters parameters = {
        .sink = execution->sink,
        .tools = execution->tools,
        .seed = execution->options->seed,
        .threads = execution->options->threads,
        .code_folder = cache_open(execution, reference, selector),
        .on_finding = cnf_execution_finding,
        .finding_user = execution,
        .keeps_writers = true,
        .choose_command = cnf_execution_choose,
        .on_order = cnf_execution_order,
        .order_user = execution,
    };
    for (uint32_t i = 0; i < count && execution->kept; i++)
        RT_TRY(cnf_kept_open(execution->kept, execution, i, &parameters, selector,
                             &reference->opened[i]));
    for (uint32_t i = 0; i < count && !execution->kept; i++)
        RT_TRY(dev_device_open(subject->backend, &parameters, selector, &reference->opened[i]));
    execution->calls.failing = execution->options->fail_call;
    for (uint32_t i = 0; i < count && execution->options->fail_call > 0; i++)
        dev_device_count_calls(reference->opened[i], &execution->calls);
    dev_device_capabilities(reference->opened[0], &reference->base.capabilities);
    cnf_images_prepare(execution, &reference->base.capabilities);
    if (execution->options->real_loader)
        reference->loader =
            cnf_host_loader_create(execution->sink, reference->cache, execution->scenario);
    return RT_STATUS_OK;
}

static void reference_close(cnf_execution *execution, cnf_runtime *runtime)
{
    cnf_reference *reference = (cnf_reference *)(void *)runtime;
    if (!reference) return;
    rt_vector_free(&reference->bundles);
    rt_runtime_destroy(reference->runtime);
    /* reference_end has already reported how the program ended. */
    rt_status ended = cnf_host_loader_destroy(reference->loader);
    (void)ended;
    if (reference->cache) cnf_cache_close(reference->cache);
    for (uint32_t i = execution->kept ? 0 : execution->scenario->device_count; i-- > 0;)
        dev_device_destroy(reference->opened[i]);
}

static bool reference_probe(cnf_execution *execution, rt_buffer *out_message)
{
    return cnf_probe_device(cnf_reference_of(execution)->opened[0], execution->sink, out_message);
}

/* ---- Setting up --------------------------------------------------------------------------- */

static rt_status create_memory(cnf_execution *execution, uint32_t index)
{
    static const dev_memory_kind kinds[SCN_MEMORY_KIND_COUNT] = {
        [SCN_MEMORY_BUFFER] = DEV_MEMORY_BUFFER,
        [SCN_MEMORY_USM_DEVICE] = DEV_MEMORY_USM_DEVICE,
        [SCN_MEMORY_USM_HOST] = DEV_MEMORY_USM_HOST,
        [SCN_MEMORY_USM_SHARED] = DEV_MEMORY_USM_SHARED,
    };
    cnf_reference *reference = cnf_reference_of(execution);
    const scn_memory *memory = &execution->scenario->memories[index];
    rt_memory **created = &reference->memories[index];
    uint64_t size = memory->count * memory->layout.size;
    CHECK(!memory->initial.data || memory->initial.size == size);
    CHECK((unsigned)memory->kind < SCN_MEMORY_KIND_COUNT);
    if (memory->kind != SCN_MEMORY_BUFFER)
        return rt_runtime_usm_create(reference->runtime, memory->name,
                                     reference->devices[memory->device], kinds[memory->kind], size,
                                     memory->initial.data, created);
    RT_TRY(rt_runtime_memory_create(reference->runtime, memory->name, size, memory->initial.data,
                                    created));
    /* The element size, and the kind of memory to which fusion may promote the buffer. */
    (*created)->element_size = memory->layout.size;
    (*created)->promotion = cnf_reference_promotion(memory->promotion);
    return RT_STATUS_OK;
}

static rt_runtime *create_runtime(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    const cnf_subject_options *options = execution->options;
    rt_module *modules =
        rt_arena_alloc_array(&execution->arena, scenario->module_count, sizeof *modules);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const scn_module *module = &scenario->modules[i];
        modules[i] = (rt_module){.name = module->name,
                                 .path = cnf_host_file_name(&execution->arena, scenario, i),
                                 .needs = module->needs,
                                 .need_count = module->need_count,
                                 .host_symbols = module->host_symbols,
                                 .host_symbol_count = module->host_symbol_count,
                                 .globals = module->device_globals};
        if (module->registers) modules[i].images = module->images;
    }
    rt_runtime_parameters parameters = {
        .sink = execution->sink,
        .modules = modules,
        .module_count = scenario->module_count,
        .profile = options->profile,
        .seed = options->seed,
        .prefer_preloaded = scenario->prefer_preloaded,
        .fusion_compiler = execution->fusion_compiler,
        .warning_level = scenario->warning_level,
    };
    if (scenario->persistent_cache) parameters.persistent_cache = options->scratch;
    rt_system system;
    cnf_host_loader *loader = cnf_reference_of(execution)->loader;
    if (loader) {
        system = cnf_host_loader_system(loader);
        parameters.system = &system;
    }
    cnf_choices_read(&execution->arena, options->choices, &parameters.choices,
                     &parameters.choice_count);
    return rt_runtime_create(&parameters);
}

/* Creates the objects that exist when the program's process starts, and starts the program. */
static rt_status process_begin(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    for (uint32_t i = 0; i < scenario->memory_count; i++)
        if (scn_part_step(scenario, i) == SCN_NONE) RT_TRY(create_memory(execution, i));
    return rt_loader_start(loader_of(execution), 0, scenario->preloaded, scenario->preloaded_count);
}

static rt_status reference_set_up(cnf_execution *execution)
{
    const scn_scenario *scenario = execution->scenario;
    cnf_reference *reference = cnf_reference_of(execution);
    rt_arena *arena = &execution->arena;
    reference->devices =
        rt_arena_alloc_array(arena, scenario->device_count, sizeof(const rt_device *));
    reference->memories =
        rt_arena_alloc_array(arena, scenario->memory_count, sizeof *reference->memories);
    reference->runtime = create_runtime(execution);
    reference->base.trace = rt_runtime_trace(reference->runtime);
    for (uint32_t i = 0; i < scenario->device_count; i++) {
        const scn_device *device = &scenario->devices[i];
        reference->devices[i] = rt_runtime_device_add(reference->runtime, device->name,
                                                      reference->opened[i], device->hidden_aspects);
        if (device->architecture.length > 0)
            rt_runtime_device_rename_architecture(reference->runtime, reference->devices[i],
                                                  device->architecture);
        uint32_t unlinked = ~device->links & ((1u << RT_FORMAT_COUNT) - 1);
        if (device->links_given)
            rt_runtime_device_hide_links(reference->runtime, reference->devices[i], unlinked);
    }
    return process_begin(execution);
}

/* The documents describe no effect of a program's end, so a simulated one does nothing. */
static rt_status reference_end(cnf_execution *execution)
{
    return cnf_host_loader_leave(cnf_reference_of(execution)->loader);
}

/* After a restart, a real program is a new process. The old process has exited by then, and its
 * record is freed once nothing refers to its modules. */
static rt_status reference_restart(cnf_execution *execution)
{
    cnf_reference *reference = cnf_reference_of(execution);
    cnf_host_loader *ended = reference->loader;
    rt_status leave = cnf_host_loader_leave(ended);
    rt_system system;
    if (ended) {
        reference->loader =
            cnf_host_loader_create(execution->sink, reference->cache, execution->scenario);
        system = cnf_host_loader_system(reference->loader);
    }
    reference->bundles.count = 0;
    rt_runtime_restart(reference->runtime, ended ? &system : NULL);
    rt_status destroy = cnf_host_loader_destroy(ended);
    rt_status begin = process_begin(execution);
    return !rt_ok(leave) ? leave : !rt_ok(destroy) ? destroy : begin;
}

/* ---- Modules ------------------------------------------------------------------------------ */

static rt_status reference_load(cnf_execution *execution, uint32_t module)
{
    return rt_loader_open(loader_of(execution), module);
}

static rt_status reference_unload(cnf_execution *execution, uint32_t module)
{
    return rt_loader_close(loader_of(execution), module);
}

static rt_status reference_load_image(cnf_execution *execution, uint32_t index, uint32_t image)
{
    const scn_module *module = &execution->scenario->modules[index];
    if (image >= module->images.count) {
        return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                       "module '%.*s' has only %u images; there is no image %.*s/%u",
                       RT_TEXT_ARG(module->name), module->images.count, RT_TEXT_ARG(module->name),
                       image);
    }
    return rt_runtime_image_load(cnf_reference_of(execution)->runtime, index,
                                 &module->images.images[image]);
}

static rt_status reference_host_symbol(cnf_execution *execution, uint32_t by, rt_text symbol,
                                       bool *out_loaded, uint32_t *out_found)
{
    CHECK(by < execution->scenario->module_count);
    rt_loader *loader = loader_of(execution);
    *out_found = SCN_NONE;
    *out_loaded = loader->modules[by].loaded;
    if (!*out_loaded) return RT_STATUS_OK;
    _Static_assert(RT_MODULE_NONE == SCN_NONE, "both constants mean no module");
    return rt_loader_binds(loader, by, symbol, out_found);
}

/* ---- Contexts and queues ------------------------------------------------------------------ */

static rt_status reference_context(cnf_execution *execution, const uint32_t *devices,
                                   uint32_t device_count, uint32_t *out_context)
{
    cnf_reference *reference = cnf_reference_of(execution);
    const rt_device **members = rt_alloc_array(device_count, sizeof *members);
    for (uint32_t i = 0; i < device_count; i++)
        members[i] = reference->devices[devices[i]];
    *out_context = rt_runtime_context_create(reference->runtime, members, device_count);
    rt_free(members);
    return RT_STATUS_OK;
}

rt_status cnf_reference_check_context(cnf_execution *execution, rt_context_id context,
                                      const rt_device *device)
{
    rt_runtime *runtime = cnf_reference_of(execution)->runtime;
    if (rt_runtime_context_holds(runtime, context, device)) return RT_STATUS_OK;
    return rt_fail(execution->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "the context does not hold device '%.*s'", RT_TEXT_ARG(device->name));
}

static rt_status reference_queue(cnf_execution *execution, const scn_queue *queue, uint32_t number,
                                 uint32_t *out_queue)
{
    cnf_reference *reference = cnf_reference_of(execution);
    rt_scheduler *scheduler = cnf_reference_scheduler(execution);
    CHECK(queue->device < execution->scenario->device_count);
    const rt_device *device = reference->devices[queue->device];
    rt_context_id context = number == CNF_NO_OBJECT ? 0 : number;
    RT_TRY(cnf_reference_check_context(execution, context, device));
    RT_TRY(rt_scheduler_queue_create(scheduler, device, context, queue->in_order, out_queue));
    if (!queue->enable_profiling) return RT_STATUS_OK;
    return rt_scheduler_queue_enable_profiling(scheduler, *out_queue);
}

/* ---- Waiting and reading ------------------------------------------------------------------ */

static rt_status reference_wait(cnf_execution *execution)
{
    return rt_scheduler_wait(cnf_reference_scheduler(execution));
}

static rt_status reference_wait_queue(cnf_execution *execution, uint32_t queue)
{
    return rt_scheduler_wait_queue(cnf_reference_scheduler(execution), queue);
}

static rt_status reference_wait_command(cnf_execution *execution, uint32_t command)
{
    return rt_scheduler_wait_command(cnf_reference_scheduler(execution), command);
}

static rt_status reference_read(cnf_execution *execution, uint32_t index, cnf_content *out_content)
{
    rt_memory *memory = cnf_reference_of(execution)->memories[index];
    RT_TRY(rt_scheduler_host_read(cnf_reference_scheduler(execution), memory));
    if (!out_content) return RT_STATUS_OK;
    out_content->bytes = (rt_bytes){memory->host, memory->size};
    if (!execution->runtime->capabilities.finds_faults) return RT_STATUS_OK;
    /* The device that wrote the memory last reports which bytes are defined; if no device wrote it,
     * either all bytes are defined or none are. */
    size_t bits_size = (size_t)(memory->size + 7) / 8;
    uint8_t *bits = rt_arena_alloc(&out_content->arena, bits_size);
    out_content->defined = bits;
    const rt_memory *whole = rt_memory_whole(memory);
    if (whole->written_on == UINT32_MAX) {
        memset(bits, whole->initialised ? 255 : 0, bits_size);
        return RT_STATUS_OK;
    }
    CHECK(whole->written_on < whole->copies.count);
    dev_memory *copy = whole->copies.items[whole->written_on].memory;
    return dev_memory_defined(copy, memory->origin, memory->size, bits);
}

static bool reference_writer(cnf_execution *execution, uint32_t index, uint64_t offset,
                             dev_writer *out_writer)
{
    rt_memory *memory = cnf_reference_of(execution)->memories[index];
    const rt_memory *whole = rt_memory_whole(memory);
    if (whole->written_on == UINT32_MAX) return false; /* the host alone has written it */
    CHECK(whole->written_on < whole->copies.count);
    dev_memory *copy = whole->copies.items[whole->written_on].memory;
    return dev_memory_writer(copy, memory->origin + offset, out_writer);
}

static rt_status reference_look_at(cnf_execution *execution, uint32_t step, uint32_t index)
{
    return rt_scheduler_host_look(cnf_reference_scheduler(execution),
                                  cnf_reference_of(execution)->memories[index], step);
}

/* ---- What the runtime makes observable ------------------------------------------------------ */

static bool reference_observes(const cnf_runtime *runtime, rt_event_kind kind, rt_text field)
{
    (void)runtime;
    return field.length == 0 || rt_event_has_field(kind, field, NULL);
}

static bool reference_tells_program(const cnf_runtime *runtime, rt_event_kind kind)
{
    (void)runtime;
    return rt_event_has_field(kind, RT_TEXT("program"), NULL);
}

/* Events enter the trace as they happen. */
static void reference_look(cnf_execution *execution)
{
    (void)execution;
}

static void reference_choices(const cnf_runtime *runtime, const rt_choice **out_choices,
                              uint32_t *out_count)
{
    rt_runtime_choices(((const cnf_reference *)(const void *)runtime)->runtime, out_choices,
                       out_count);
}

/* True once a device has received something with a visible effect; on a device that executes
 * nothing, only code counts. */
static bool reference_was_used(const cnf_runtime *runtime)
{
    static const rt_event_kind asking[] = {RT_EVENT_CREATE,
                                           RT_EVENT_LAUNCH,
                                           RT_EVENT_COPY,
                                           RT_EVENT_FILL,
                                           RT_EVENT_UPLOAD,
                                           RT_EVENT_DEVICE_GLOBAL_ZERO,
                                           RT_EVENT_DEVICE_GLOBAL_INITIAL,
                                           RT_EVENT_BARRIER,
                                           RT_EVENT_MARKER,
                                           RT_EVENT_MAP};
    enum { CODE = 1 };
    size_t kinds = runtime->capabilities.executes ? sizeof asking / sizeof *asking : CODE;
    uint32_t count = rt_trace_count(runtime->trace);
    for (uint32_t i = 0; i < count; i++) {
        rt_event_kind kind = rt_trace_event(runtime->trace, i)->kind;
        for (size_t k = 0; k < kinds; k++) {
            if (kind == asking[k]) return true;
        }
    }
    return false;
}

const cnf_runtime_operations cnf_reference_operations = {
    .is_reference = true,
    .open = reference_open,
    .close = reference_close,
    .probe = reference_probe,
    .set_up = reference_set_up,
    .restart = reference_restart,
    .end = reference_end,
    .load = reference_load,
    .unload = reference_unload,
    .load_image = reference_load_image,
    .context = reference_context,
    .queue = reference_queue,
    .bundle = cnf_reference_bundle,
    .bundle_show = cnf_reference_bundle_show,
    .submit = cnf_reference_submit,
    .transfer = cnf_reference_transfer,
    .marker = cnf_reference_marker,
    .part = cnf_reference_part,
    .end_part = cnf_reference_end_part,
    .user_event = cnf_reference_user_event,
    .complete_event = cnf_reference_complete_event,
    .map = cnf_reference_map,
    .unmap = cnf_reference_unmap,
    .mapped_read = cnf_reference_mapped_read,
    .mapped_write = cnf_reference_mapped_write,
    .host_task = cnf_reference_host_task,
    .wait = reference_wait,
    .wait_queue = reference_wait_queue,
    .wait_command = reference_wait_command,
    .status = cnf_reference_status,
    .read = reference_read,
    .writer = reference_writer,
    .look_at = reference_look_at,
    .read_global = cnf_reference_read_global,
    .host_symbol = reference_host_symbol,
    .fusion = &cnf_reference_fusion,
    .profiling = &cnf_reference_profiling,
    .look = reference_look,
    .observes = reference_observes,
    .identifies_program = reference_tells_program,
    .choices = reference_choices,
    .was_used = reference_was_used,
};
