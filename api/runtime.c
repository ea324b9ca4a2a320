/* Runtimes, devices and contexts, and statuses. */
#include "api/objects.h"

#include "conformance/devices/devices.h"
#include "reference/base/nearest.h"

#include <stdio.h>

/* ---- Statuses ------------------------------------------------------------------------------ */

/* The header's codes are the runtime's. */
#define SAME(code) _Static_assert((int)ASSAY_##code == (int)RT_##code, #code)
SAME(OK);
SAME(ERRC_RUNTIME);
SAME(ERRC_INVALID);
SAME(ERRC_BACKEND_MISMATCH);
SAME(LINK_ERROR);
SAME(COMPILE_TIME);
SAME(FUSION_REJECTED);
SAME(BUDGET);
SAME(UNAVAILABLE);
SAME(TOOL);
_Static_assert(RT_CODE_COUNT == ASSAY_TOOL + 1, "every code is in the header");

uint32_t assay_interface_version(void)
{
    return ASSAY_INTERFACE_VERSION;
}

const char *assay_code_name(assay_code code)
{
    return (unsigned)code < RT_CODE_COUNT ? rt_code_name((rt_code)code) : "unknown";
}

assay_status api_ok(void)
{
    return (assay_status){ASSAY_OK, "", ""};
}

assay_status api_status(const assay_runtime *runtime, rt_status status)
{
    if (rt_ok(status)) return api_ok();
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(runtime->sink, status);
    CHECK(diagnostic && diagnostic->message.data[diagnostic->message.length] == '\0');
    return (assay_status){
        .code = (assay_code)diagnostic->code,
        .message = diagnostic->message.data,
        .rule = diagnostic->rule == RT_RULE_NONE ? "" : rt_rule_name(diagnostic->rule),
    };
}

/* ---- Runtimes ------------------------------------------------------------------------------ */

static rt_text text_of(const char *string)
{
    return string ? rt_text_of(string) : (rt_text){0};
}

assay_runtime *assay_runtime_create(const assay_options *options)
{
    assay_runtime *runtime = rt_alloc(sizeof *runtime);
    if (options) runtime->options = *options;
    runtime->sink = rt_sink_create();
    rt_lock_init(&runtime->usm_reads);
    rt_lock_init(&runtime->lock);
    api_tools_open(runtime, runtime->options.program);
    runtime->options.program = NULL;
    rt_module *modules = rt_arena_alloc_array(&runtime->arena, API_MODULES_MAX, sizeof *modules);
    modules[API_EXECUTABLE].name = modules[API_EXECUTABLE].path = RT_TEXT("process");
    const rt_system system = api_module_system(runtime);
    rt_text cache = rt_arena_text(&runtime->arena, text_of(runtime->options.persistent_cache));
    runtime->options.persistent_cache = NULL;
    runtime->runtime = rt_runtime_create(&(rt_runtime_parameters){
        .sink = runtime->sink,
        .modules = modules,
        .module_count = API_MODULES_MAX,
        .system = &system,
        .profile = runtime->options.as_shipped ? RT_PROFILE_DPCPP : RT_PROFILE_DOCUMENTS,
        .seed = runtime->options.seed,
        .persistent_cache = cache,
        .fusion_compiler = &runtime->fusion_compiler,
        .warning_level = runtime->options.warning_level,
        .no_trace = true,
    });
    rt_status status =
        rt_loader_start(rt_runtime_loader(runtime->runtime), API_EXECUTABLE, NULL, 0);
    CHECK(rt_ok(status));
    api_modules_follow(runtime);
    return runtime;
}

void assay_runtime_destroy(assay_runtime *runtime)
{
    if (!runtime) return;
    rt_runtime_destroy(runtime->runtime);
    for (uint32_t i = runtime->devices.count; i-- > 0;)
        dev_device_destroy(runtime->devices.items[i]->opened);
    rt_vector_free(&runtime->devices);
    rt_vector_free(&runtime->modules);
    rt_vector_free(&runtime->refused);
    rt_arena_reset(&runtime->arena);
    pthread_mutex_destroy(&runtime->lock);
    pthread_mutex_destroy(&runtime->usm_reads);
    rt_sink_destroy(runtime->sink);
    rt_free(runtime);
}

assay_status assay_runtime_wait(assay_runtime *runtime)
{
    API_REQUIRE(runtime, "the runtime is a null pointer");
    return api_status(runtime, rt_scheduler_wait(rt_runtime_scheduler(runtime->runtime)));
}

/* ---- Devices ------------------------------------------------------------------------------- */

static void finding_print(const dev_finding *finding)
{
    fprintf(stderr, "assay: %s: %.*s\n        in kernel '%.*s'", finding->kind,
            RT_TEXT_ARG(finding->message), RT_TEXT_ARG(finding->kernel));
    if (finding->source_line > 0)
        fprintf(stderr, " at %.*s:%u:%u", RT_TEXT_ARG(finding->source), finding->source_line,
                finding->source_column);
    fputc('\n', stderr);
}

static void finding_report(void *user, const dev_finding *finding)
{
    const assay_options *options = user;
    rt_arena arena = {0};
    if (!options->on_finding) {
        finding_print(finding);
        return;
    }
    const assay_finding converted = {
        .kind = finding->kind,
        .message = rt_arena_text(&arena, finding->message).data,
        .kernel = rt_arena_text(&arena, finding->kernel).data,
        .source = rt_arena_text(&arena, finding->source).data,
        .line = finding->source_line,
        .column = finding->source_column,
    };
    options->on_finding(options->user, &converted);
    rt_arena_reset(&arena);
}

static void output_report(void *user, rt_text text)
{
    const assay_options *options = user;
    options->on_output(options->user, text.data, text.length);
}

static rt_status device_refuse(assay_runtime *runtime, const char *subject)
{
    rt_nearest nearest = rt_nearest_to(rt_text_of(subject));
    for (uint32_t i = 0; i < cnf_device_count; i++)
        rt_nearest_offer(&nearest, rt_text_of(cnf_devices[i].name));
    rt_buffer hint = {0};
    rt_nearest_hint(&nearest, &hint);
    rt_status status = rt_fail(runtime->sink, RT_ERRC_INVALID, RT_RULE_NONE,
                               "unknown device '%s'%s", subject, rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    return status;
}

/* Adds to a message that the device is not available the environment with which its driver is
 * found; this library does not change the environment of the program that uses it. */
static rt_status environment_hint(assay_runtime *runtime, const cnf_device *found, rt_status status)
{
    rt_arena arena = {0};
    rt_buffer hint = {0};
    const char *const *variables =
        found->environment ? found->environment(&arena, (rt_text){0}) : NULL;
    for (uint32_t i = 0; variables && variables[i]; i++)
        rt_buffer_printf(&hint, "%s%s", i == 0 ? "; or start the program with " : " ",
                         variables[i]);
    rt_text message = rt_sink_diagnostic(runtime->sink, status)->message;
    if (hint.size > 0)
        status = rt_fail(runtime->sink, RT_UNAVAILABLE, RT_RULE_NONE, "%.*s%s",
                         RT_TEXT_ARG(message), rt_buffer_string(&hint));
    rt_buffer_free(&hint);
    rt_arena_reset(&arena);
    return status;
}

static rt_status device_open(assay_runtime *runtime, const char *subject, dev_device **out_opened)
{
    const cnf_device *found = cnf_device_find(rt_text_of(subject));
    if (!found) return device_refuse(runtime, subject);
    const assay_options *options = &runtime->options;
    const dev_open_parameters parameters = {
        .sink = runtime->sink,
        .tools = &runtime->tools,
        .seed = options->seed,
        .threads = options->threads,
        .on_finding = finding_report,
        .finding_user = &runtime->options,
        .on_output = options->on_output ? output_report : NULL,
        .output_user = &runtime->options,
    };
    rt_status status =
        dev_device_open(found->backend, &parameters, rt_text_of(found->selector), out_opened);
    return status.code == RT_UNAVAILABLE ? environment_hint(runtime, found, status) : status;
}

assay_status assay_device_open(assay_runtime *runtime, const char *subject,
                               assay_device **out_device)
{
    API_REQUIRE(out_device, "the result's place is a null pointer");
    *out_device = NULL;
    API_REQUIRE(runtime, "the runtime is a null pointer");
    API_REQUIRE(subject, "the device's name is a null pointer");
    dev_device *opened = NULL;
    rt_status status = device_open(runtime, subject, &opened);
    if (!rt_ok(status)) return api_status(runtime, status);
    rt_lock_take(&runtime->lock);
    assay_device *device = rt_arena_alloc(&runtime->arena, sizeof *device);
    rt_text name = rt_arena_text(&runtime->arena, rt_text_of(subject));
    *device =
        (assay_device){runtime, opened, rt_runtime_device_add(runtime->runtime, name, opened, 0)};
    *rt_vector_push(&runtime->devices) = device;
    rt_lock_release(&runtime->lock);
    *out_device = device;
    return api_ok();
}

const char *assay_device_name(const assay_device *device)
{
    return device ? device->device->capabilities.name.data : "";
}

bool assay_device_executes(const assay_device *device)
{
    return device && device->device->capabilities.executes;
}

assay_status assay_context_create(assay_device *const *devices, uint32_t count,
                                  assay_context **out_context)
{
    API_REQUIRE(out_context, "the result's place is a null pointer");
    *out_context = NULL;
    API_REQUIRE(devices && count > 0, "a context needs at least one device");
    for (uint32_t i = 0; i < count; i++) {
        API_REQUIRE(devices[i], "a device of the context is a null pointer");
        API_REQUIRE(devices[i]->runtime == devices[0]->runtime,
                    "a device of the context belongs to another runtime");
    }
    assay_runtime *runtime = devices[0]->runtime;
    const rt_device **members = rt_alloc_array(count, sizeof *members);
    for (uint32_t i = 0; i < count; i++)
        members[i] = devices[i]->device;
    rt_lock_take(&runtime->lock);
    *out_context = rt_arena_alloc(&runtime->arena, sizeof **out_context);
    **out_context =
        (assay_context){runtime, rt_runtime_context_create(runtime->runtime, members, count)};
    rt_lock_release(&runtime->lock);
    rt_free(members);
    return api_ok();
}
