/* Adds the driver calls of the shipped runtime, which the OpenCL layer records in the host program,
 * to the trace as events of the reference runtime.
 *
 * Code that belongs to no image of the scenario is the runtime's own and is left out. */
#include "conformance/subject/layer.h"
#include "conformance/subject/shipped.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The calls read from the log so far, and the trace to which they are added. */
typedef struct call_reader {
    rt_trace *trace;
    rt_arena arena;
    const cnf_image_name *names;
    uint32_t name_count;
    cnf_observations found;
} call_reader;

uint32_t cnf_shipped_layer_variables(cnf_execution *execution,
                                     const char *variables[CNF_LAYER_VARIABLES])
{
    static const char *const inherited[] = {"OPENCL_LAYERS", OCL_LAYER_HIDE};
    rt_arena *arena = &execution->arena;
    if (!execution->layer || execution->layer->log < 0) return 0;
    uint32_t count = 0;
    variables[count++] = rt_arena_printf(arena, OCL_LAYER_LOG "=/proc/%d/fd/%d", (int)getpid(),
                                         execution->layer->log)
                             .data;
    for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++) {
        const char *value = getenv(inherited[i]);
        if (value) variables[count++] = rt_arena_printf(arena, "%s=%s", inherited[i], value).data;
    }
    CHECK(count <= CNF_LAYER_VARIABLES);
    return count;
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Returns those of the call's images that belong to the scenario, in the arena. */
static const rt_text *scenario_images(call_reader *reader, const cnf_observed *call,
                                      uint32_t *out_count)
{
    rt_text *images = rt_arena_alloc_array(&reader->arena, call->image_count, sizeof *images);
    *out_count = 0;
    for (uint32_t i = 0; i < call->image_count; i++) {
        for (uint32_t k = 0; k < reader->name_count; k++) {
            if (!rt_text_equal(call->images[i], reader->names[k].name)) continue;
            images[(*out_count)++] = call->images[i];
            break;
        }
    }
    return images;
}

/* The number of the program that provided a launch's kernel; "?" if the kernel's creation was not
 * seen. */
static rt_text program_of(call_reader *reader, const cnf_observed *launch)
{
    uint64_t kernel, created;
    if (!ocl_call_number(launch->call, "kernel", &kernel)) return RT_TEXT("?");
    for (uint32_t i = reader->found.count; i-- > 0;) {
        const cnf_observed *maker = &reader->found.items[i];
        if (maker->kind != RT_EVENT_KERNEL_CREATE || maker->program == UINT64_MAX ||
            maker->call->process != launch->call->process ||
            !ocl_call_number(maker->call, "made", &created) || created != kernel)
            continue;
        return rt_arena_printf(&reader->arena, "%llu", (unsigned long long)maker->program);
    }
    return RT_TEXT("?");
}

static void trace_call(call_reader *reader, const cnf_observed *call)
{
    uint32_t count;
    const rt_text *images = scenario_images(reader, call, &count);
    rt_trace *trace = reader->trace;
    switch (call->kind) {
    case RT_EVENT_CREATE:
        if (count == 0) return;
        RT_TRACE(trace, CREATE, RT_T("image", images[0]),
                 RT_T("executable", call->executable ? RT_TEXT("true") : RT_TEXT("false")));
        return;
    case RT_EVENT_LINK:
        if (count > 0)
            RT_TRACE(trace, LINK, RT_N("program", call->program), RT_TS("inputs", images, count));
        return;
    case RT_EVENT_BUILD:
        if (count > 0 && call->ok)
            RT_TRACE(trace, BUILD, RT_N("program", call->program), RT_TS("images", images, count));
        return;
    case RT_EVENT_KERNEL_CREATE:
        if (call->ok)
            RT_TRACE(trace, KERNEL_CREATE, RT_T("kernel", call->kernel),
                     RT_N("program", call->program));
        return;
    case RT_EVENT_LAUNCH:
        if (call->ok)
            RT_TRACE(trace, LAUNCH, RT_T("kernel", call->kernel),
                     RT_T("program", program_of(reader, call)),
                     RT_NS("global", call->range.global, call->range.dimensions));
        return;
    default: return;
    }
}

/* ---- The log -------------------------------------------------------------------------------- */

void cnf_shipped_look(cnf_execution *execution)
{
    cnf_shipped *shipped = cnf_shipped_of(execution);
    if (!shipped->sees_driver) return;
    call_reader reader = {.trace = shipped->base.trace};
    ocl_call_log log = {0};
    rt_buffer text = {0};
    /* Once a log has been unusable, it is not read again. */
    shipped->sees_driver = cnf_layer_read(execution->layer, &text) &&
                           rt_ok(ocl_call_log_read(execution->sink, &reader.arena,
                                                   rt_buffer_text(&text), false, &log)) &&
                           log.process_count > 0 && !log.is_full;
    rt_buffer_free(&text);
    if (shipped->sees_driver) {
        reader.names = cnf_scenario_images(execution, &reader.name_count);
        reader.found = cnf_observe(&reader.arena, &log, reader.names, reader.name_count);
        uint32_t at = 0;
        /* The remaining calls have not returned yet; they are added once they have. */
        while (at < reader.found.count && reader.found.items[at].call->returned)
            at++;
        for (; shipped->calls_seen < at; shipped->calls_seen++)
            trace_call(&reader, &reader.found.items[shipped->calls_seen]);
    }
    rt_arena_reset(&reader.arena);
}
