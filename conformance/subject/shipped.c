/* The shipped DPC++ runtime: the scenario's host program, built from real files and linked with
 * libsycl, receives a request for each step.
 *
 * The runtime is under test here, not a device: it is judged by what the documents require of a
 * runtime, but not by properties that only the reference runtime has (rules, texts, choices). */
#include "conformance/subject/shipped.h"

#include "conformance/build/packages.h"
#include "conformance/subject/layer.h"
#include "conformance/subject/native_images.h"
#include "conformance/subject/probe.h"
#include "conformance/subject/shipped_images.h"
#include "conformance/subject/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

cnf_shipped *cnf_shipped_of(const cnf_execution *execution)
{
    CHECK(execution->runtime && execution->runtime->operations == &cnf_shipped_operations);
    return (cnf_shipped *)(void *)execution->runtime;
}

/* ---- Opening and closing ------------------------------------------------------------------ */

/* The shipped runtime's capabilities on an OpenCL device; aspects are queried. */
static const dev_capabilities able = {
    .architecture = {"x86_64", 6}, /* that of Intel's OpenCL CPU runtime */
    .formats_taken = 1u << RT_FORMAT_SPIRV64,
    .executes = true,
    .program_variables = true,
    .globals_by_name = true,
    .function_pointers = true,
    .sub_groups = true,
    .sub_group_operations = true,
    .asserts = true,
    .usm = true,
    .spec_constants = true,
    .profiling = true,
    .maps = true,             /* host accessors */
    .host_events = true,      /* for which only host tasks can wait */
    .program_binaries = true, /* for libsycl's cache on disk */
};

/* The form of images that a release of libsycl reads: since version 9 they have no manifest. The
 * headers that assay's program was compiled with say the version; without them it is the current
 * one. Source: intel/llvm, sycl/source/detail/compiler.hpp. */
static rt_fat_layout layout_of(rt_arena *arena, rt_text headers)
{
    static const char define[] = "#define __LIBSYCL_MAJOR_VERSION ";
    rt_text path = rt_arena_printf(arena, "%.*s/sycl/version.hpp", RT_TEXT_ARG(headers));
    FILE *file = fopen(path.data, "re");
    char line[256];
    unsigned version = 9;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, define, sizeof define - 1) == 0)
            version = (unsigned)strtoul(line + sizeof define - 1, NULL, 10);
    if (file) fclose(file);
    return version < 9 ? RT_FAT_96 : RT_FAT_80;
}

/* Finds a file of the installation: libsycl, or assay's program, which ci/build-dpcpp puts there.
 * UNAVAILABLE: it is missing. */
static rt_status installed(cnf_execution *execution, const char *file, rt_text *out_path)
{
    rt_arena *arena = &execution->arena;
    const rt_text folder = cnf_packages_folder(arena);
    *out_path = rt_arena_printf(arena, "%.*s/lib/%s", RT_TEXT_ARG(folder), file);
    if (access(out_path->data, R_OK) == 0) return RT_STATUS_OK;
    const bool is_built = file == execution->subject->selector;
    return rt_fail(execution->sink, RT_UNAVAILABLE, RT_RULE_NONE, "%.*s is missing%s%.*s%s",
                   RT_TEXT_ARG(*out_path), is_built ? "; ci/build-dpcpp --runtime " : "",
                   RT_TEXT_ARG(is_built ? folder : RT_TEXT("")), is_built ? " builds it" : "");
}

/* The scenario's devices are the driver's first device, or sub-devices of it if there are several.
 */
static rt_status devices(cnf_execution *execution)
{
    enum { DEVICE_SIZE_MIN = 8 + 8 + 4 };
    dev_capabilities *capabilities = &execution->runtime->capabilities;
    cnf_question question = cnf_question_begin(HOST_DEVICES);
    rt_write_u32(&question.request, execution->scenario->device_count);
    rt_status status = cnf_shipped_ask(execution, &question);
    if (rt_ok(status)) {
        uint32_t count = rt_read_count(&question.answer, DEVICE_SIZE_MIN);
        execution->runtime->device_count = count;
        for (uint32_t i = 0; i < count; i++) {
            rt_text name = rt_read_text(&question.answer), driver = rt_read_text(&question.answer);
            uint32_t aspects = rt_read_u32(&question.answer);
            if (i > 0) continue;
            capabilities->name = rt_arena_text(&execution->arena, name);
            capabilities->driver =
                rt_arena_printf(&execution->arena, "%.*s on %.*s",
                                RT_TEXT_ARG(capabilities->driver), RT_TEXT_ARG(driver));
            capabilities->aspects = aspects;
        }
        status = cnf_shipped_answered(execution, &question);
        if (rt_ok(status) && count == 0)
            status = rt_fail(execution->sink, RT_UNAVAILABLE, RT_RULE_NONE, "%.*s finds no device",
                             RT_TEXT_ARG(capabilities->driver));
    }
    cnf_question_end(&question);
    return status;
}

/* Queries a process that has just started for its runtime, its modules and its devices. */
static rt_status begin(cnf_execution *execution, rt_text library)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    shipped->processes++;
    shipped->base.capabilities.driver = cnf_host_runs_on(shipped->host);
    if (shipped->base.capabilities.driver.length == 0)
        return rt_fail(execution->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "%.*s has no runtime: it was not built by ci/setup --with dpcpp",
                       RT_TEXT_ARG(library));
    cnf_shipped_trace(execution, cnf_host_started(shipped->host));
    RT_TRY(devices(execution));
    /* Querying the devices has loaded the driver, and with it the layer if there is one. */
    shipped->sees_driver = execution->layer && execution->layer->log >= 0;
    cnf_shipped_look(execution);
    return RT_STATUS_OK;
}

static rt_status start(cnf_execution *execution, const cnf_host_runtime *linked)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    rt_text warning;
    shipped->cache = cnf_cache_open(execution->options->cache, &warning);
    if (warning.length) fprintf(stderr, "assay: %.*s\n", RT_TEXT_ARG(warning));
    rt_status status = cnf_host_start(execution->sink, shipped->cache, execution->scenario, linked,
                                      &shipped->host);
    if (shipped->host) status = cnf_shipped_fate(execution, status);
    RT_TRY(status);
    return begin(execution, linked->library);
}

/* libsycl's cache on disk is in the folder that the scenario's processes share. */
static void cache_variables_add(cnf_execution *execution)
{
    const char **variables = cnf_shipped_of(execution)->environment;
    if (!execution->scenario->persistent_cache) return;
    while (*variables)
        variables++;
    *variables++ = "SYCL_CACHE_PERSISTENT=1";
    *variables++ = rt_arena_printf(&execution->arena, "SYCL_CACHE_DIR=%.*s",
                                   RT_TEXT_ARG(execution->options->scratch))
                       .data;
    *variables = NULL;
}

/* If the program does not start although everything is installed, the scenario has failed, and
 * set-up reports it; the device is then assumed to have every aspect. */
static rt_status shipped_open(cnf_execution *execution, cnf_runtime **out_runtime)
{
    cnf_shipped *shipped = rt_arena_alloc(&execution->arena, sizeof *shipped);
    *shipped = (cnf_shipped){
        .base = {.operations = &cnf_shipped_operations, .capabilities = able},
        .findings = -1,
    };
    *out_runtime = &shipped->base;
    rt_text program, library;
    RT_TRY(installed(execution, execution->subject->selector, &program));
    RT_TRY(installed(execution, "libsycl.so", &library));
    if (cnf_skip_reason(execution->scenario, &cnf_shipped_operations)) return RT_STATUS_OK;
    /* The simulated device's native code stays out: libsycl has no target for it. */
    if (!cnf_shipped_is_simulated())
        shipped->base.capabilities.formats_taken |=
            1u << RT_FORMAT_SPIRV64_X86_64 | 1u << RT_FORMAT_NATIVE;
    cnf_images_prepare(execution, &shipped->base.capabilities);
    shipped->declared = execution->scenario;
    execution->scenario = cnf_shipped_images(&execution->arena, execution->scenario);
    const char *const libraries[] = {library.data, NULL};
    uint32_t variables = cnf_shipped_layer_variables(execution, shipped->environment);
    if (cnf_shipped_is_simulated())
        RT_TRY(cnf_shipped_simulate(execution, shipped->environment + variables));
    cache_variables_add(execution);
    shipped->base.trace = rt_trace_create();
    const rt_text headers = rt_arena_printf(&execution->arena, "%.*s/include",
                                            RT_TEXT_ARG(cnf_packages_folder(&execution->arena)));
    const cnf_host_runtime linked = {program, libraries, headers, shipped->environment,
                                     layout_of(&execution->arena, headers)};
    shipped->started = start(execution, &linked);
    if (shipped->started.code == RT_UNAVAILABLE) return shipped->started;
    if (!rt_ok(shipped->started))
        shipped->base.capabilities.aspects = shipped->base.device_count = UINT32_MAX;
    return RT_STATUS_OK;
}

/* How the program ends is the last observation of the shipped runtime. */
static rt_status shipped_end(cnf_execution *execution)
{
    return cnf_shipped_fate(execution, cnf_host_leave(cnf_shipped_of(execution)->host));
}

static void shipped_close(cnf_execution *execution, cnf_runtime *runtime)
{
    cnf_shipped *shipped = (cnf_shipped *)(void *)runtime;
    (void)execution;
    if (!shipped) return;
    /* shipped_end has already reported how the program ended. */
    rt_status ended = cnf_host_end(shipped->host);
    (void)ended;
    if (shipped->findings >= 0) close(shipped->findings);
    if (shipped->cache) cnf_cache_close(shipped->cache);
    rt_trace_destroy(shipped->base.trace);
}

/* ---- Setting up --------------------------------------------------------------------------- */

static rt_status shipped_set_up(cnf_execution *execution)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    uint32_t count = execution->scenario->memory_count;
    RT_TRY(shipped->started);
    shipped->memories = rt_arena_alloc_array(&execution->arena, count, sizeof(uint32_t));
    for (uint32_t i = 0; i < count; i++) {
        const scn_memory *memory = &execution->scenario->memories[i];
        if (scn_part_step(execution->scenario, i) != SCN_NONE) continue;
        cnf_question question = cnf_question_begin(HOST_MEMORY);
        rt_write_u32(&question.request, (uint32_t)memory->kind);
        rt_write_u32(&question.request, memory->kind == SCN_MEMORY_BUFFER ? 0 : memory->device);
        rt_write_u64(&question.request, memory->count * memory->layout.size);
        rt_write_u8(&question.request, memory->initial.data != NULL);
        rt_write_bytes(&question.request, memory->initial);
        RT_TRY(cnf_shipped_ask_number(execution, &question, &shipped->memories[i]));
    }
    return RT_STATUS_OK;
}

/* The new process runs the files of the old one, and finds the same cache on disk. */
static rt_status shipped_restart(cnf_execution *execution)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    rt_status ended = cnf_shipped_fate(execution, cnf_host_leave(shipped->host));
    cnf_shipped_look(execution);
    cnf_shipped_findings(execution);
    RT_TRACE(shipped->base.trace, RESTART, RT_N("process", shipped->processes));
    rt_status started =
        cnf_shipped_fate(execution, cnf_host_restart(shipped->host, shipped->environment));
    if (rt_ok(started)) started = begin(execution, RT_TEXT("libassay_dpcpp.so"));
    if (rt_ok(started)) started = shipped_set_up(execution);
    return rt_ok(ended) ? started : ended;
}

/* ---- Modules ------------------------------------------------------------------------------ */

/* Loads or unloads a module in the host program and traces what its constructors or destructors
 * did. */
static rt_status module_change(cnf_execution *execution, uint32_t module, bool opens)
{
    cnf_host *host = cnf_shipped_of(execution)->host;
    rt_arena arena = {0};
    cnf_host_events events = {0};
    rt_status status =
        (opens ? cnf_host_open : cnf_host_close)(host, execution->thread, module, &arena, &events);
    if (rt_ok(status)) cnf_shipped_trace(execution, events);
    rt_arena_reset(&arena);
    return cnf_shipped_fate(execution, status);
}

static rt_status shipped_load(cnf_execution *execution, uint32_t module)
{
    return module_change(execution, module, true);
}

static rt_status shipped_unload(cnf_execution *execution, uint32_t module)
{
    return module_change(execution, module, false);
}

/* Never called: scenarios with this step are skipped before anything runs (skip.c). */
static rt_status shipped_load_image(cnf_execution *execution, uint32_t module, uint32_t image)
{
    (void)execution;
    (void)module;
    (void)image;
    UNREACHABLE();
}

static rt_status shipped_host_symbol(cnf_execution *execution, uint32_t by, rt_text symbol,
                                     bool *out_loaded, uint32_t *out_found)
{
    rt_status status =
        cnf_host_binds(cnf_shipped_of(execution)->host, execution->thread, by, symbol, out_found);
    *out_loaded = status.code != RT_ERRC_INVALID; /* the only refusal: `by` is not loaded */
    return *out_loaded ? cnf_shipped_fate(execution, status) : RT_STATUS_OK;
}

/* ---- Contexts and queues ------------------------------------------------------------------ */

static rt_status shipped_context(cnf_execution *execution, const uint32_t *devices,
                                 uint32_t device_count, uint32_t *out_context)
{
    cnf_question question = cnf_question_begin(HOST_CONTEXT);
    rt_write_u32(&question.request, device_count);
    for (uint32_t i = 0; i < device_count; i++)
        rt_write_u32(&question.request, devices[i]);
    return cnf_shipped_ask_number(execution, &question, out_context);
}

static rt_status shipped_queue(cnf_execution *execution, const scn_queue *queue, uint32_t context,
                               uint32_t *out_queue)
{
    cnf_question question = cnf_question_begin(HOST_QUEUE);
    rt_write_u32(&question.request, queue->device);
    rt_write_u32(&question.request, context == CNF_NO_OBJECT ? HOST_NONE : context);
    rt_write_u8(&question.request, queue->in_order);
    rt_write_u8(&question.request, queue->enable_profiling);
    return cnf_shipped_ask_number(execution, &question, out_queue);
}

/* ---- Waiting and reading ------------------------------------------------------------------ */

static rt_status wait_for(cnf_execution *execution, host_awaited awaited, uint32_t number)
{
    cnf_question question = cnf_question_begin(HOST_WAIT);
    rt_write_u8(&question.request, (uint8_t)awaited);
    rt_write_u32(&question.request, number);
    return cnf_shipped_ask_done(execution, &question);
}

static rt_status shipped_wait(cnf_execution *execution)
{
    rt_status status = wait_for(execution, HOST_AWAIT_ALL, 0);
    cnf_shipped_findings(execution);
    return status;
}

static rt_status shipped_wait_queue(cnf_execution *execution, uint32_t queue)
{
    return wait_for(execution, HOST_AWAIT_QUEUE, queue);
}

static rt_status shipped_wait_command(cnf_execution *execution, uint32_t command)
{
    return wait_for(execution, HOST_AWAIT_COMMAND, command);
}

static rt_status shipped_read(cnf_execution *execution, uint32_t index, cnf_content *out_content)
{
    const scn_memory *memory = &execution->scenario->memories[index];
    cnf_question question = cnf_question_begin(HOST_READ);
    rt_write_u32(&question.request, cnf_shipped_of(execution)->memories[index]);
    return cnf_shipped_ask_content(execution, &question, memory->count * memory->layout.size,
                                   out_content);
}

/* ---- Profiling ---------------------------------------------------------------------------- */

/* OpenCL 3.0, 5.14 "Profiling Operations": a command is submitted, starts and ends in this order.
 */
static rt_status shipped_times(cnf_execution *execution, uint32_t command, dev_times *out_times)
{
    cnf_question question = cnf_question_begin(HOST_TIMES);
    rt_write_u32(&question.request, command);
    rt_status status = cnf_shipped_ask(execution, &question);
    if (rt_ok(status)) {
        out_times->submit = rt_read_u64(&question.answer);
        out_times->start = rt_read_u64(&question.answer);
        out_times->end = rt_read_u64(&question.answer);
        status = cnf_shipped_answered(execution, &question);
    }
    cnf_question_end(&question);
    bool in_order = out_times->submit <= out_times->start && out_times->start <= out_times->end;
    if (!rt_ok(status) || in_order) return status;
    return rt_fail(execution->sink, RT_ERRC_PROFILING, RT_RULE_NONE,
                   "the command was submitted at %llu ns, began at %llu ns and ended at %llu ns, "
                   "which must be in this order",
                   (unsigned long long)out_times->submit, (unsigned long long)out_times->start,
                   (unsigned long long)out_times->end);
}

static const cnf_profiling_operations cnf_shipped_profiling = {.times = shipped_times};

/* ---- What the runtime makes observable ------------------------------------------------------ */

static void shipped_choices(const cnf_runtime *runtime, const rt_choice **out_choices,
                            uint32_t *out_count)
{
    (void)runtime;
    *out_choices = NULL;
    *out_count = 0;
}

/* Every step of a scenario goes to the runtime under test. */
static bool shipped_was_used(const cnf_runtime *runtime)
{
    (void)runtime;
    return true;
}

/* ---- The known computation ---------------------------------------------------------------- */

static bool shipped_probe(cnf_execution *execution, rt_buffer *out_message)
{
    uint32_t queue = CNF_NO_OBJECT, command;
    cnf_content content = {0};
    rt_status status = shipped_set_up(execution);
    if (rt_ok(status))
        status = shipped_queue(execution, &(scn_queue){.context = SCN_NONE}, CNF_NO_OBJECT, &queue);
    if (rt_ok(status))
        status = cnf_shipped_submit(execution, queue, &execution->scenario->steps[0].submit,
                                    CNF_NO_OBJECT, (cnf_after){0}, &command);
    if (rt_ok(status)) status = shipped_read(execution, 0, &content);
    bool right = rt_ok(status) && cnf_probe_answers(content.bytes, out_message);
    if (!rt_ok(status))
        rt_buffer_append_text(out_message, rt_sink_diagnostic(execution->sink, status)->message);
    rt_arena_reset(&content.arena);
    return right;
}

const cnf_runtime_operations cnf_shipped_operations = {
    .is_reference = false,
    .open = shipped_open,
    .close = shipped_close,
    .probe = shipped_probe,
    .set_up = shipped_set_up,
    .restart = shipped_restart,
    .end = shipped_end,
    .load = shipped_load,
    .unload = shipped_unload,
    .load_image = shipped_load_image,
    .context = shipped_context,
    .queue = shipped_queue,
    .bundle = cnf_shipped_bundle,
    .bundle_show = cnf_shipped_bundle_show,
    .submit = cnf_shipped_submit,
    .transfer = cnf_shipped_transfer,
    .marker = cnf_shipped_marker,
    .user_event = cnf_shipped_user_event,
    .complete_event = cnf_shipped_complete_event,
    .map = cnf_shipped_map,
    .unmap = cnf_shipped_unmap,
    .mapped_read = cnf_shipped_mapped_read,
    .mapped_write = cnf_shipped_mapped_write,
    .host_task = cnf_shipped_host_task,
    .part = cnf_shipped_part,
    .end_part = cnf_shipped_end_part,
    .wait = shipped_wait,
    .wait_queue = shipped_wait_queue,
    .wait_command = shipped_wait_command,
    .read = shipped_read,
    .read_global = cnf_shipped_read_global,
    .host_symbol = shipped_host_symbol,
    .profiling = &cnf_shipped_profiling,
    .look = cnf_shipped_look,
    .observes = cnf_shipped_observes,
    .identifies_program = cnf_shipped_tells_program,
    .choices = shipped_choices,
    .was_used = shipped_was_used,
};
