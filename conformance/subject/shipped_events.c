/* The events of the shipped runtime that reach the trace, and where they are observed.
 *
 * Nothing is inferred. An event or field that is not in the table is unobserved, and so is every
 * expectation about it. */
#include "conformance/subject/shipped.h"

typedef struct observed_row {
    const char *fields; /* names of the observed fields, separated by spaces; they mean the same as
                         * in the reference runtime */
    rt_event_kind kind;
    bool identifies_program; /* the field `program` holds the layer's number for the program */
    bool by_layer;           /* observed by the OpenCL layer; otherwise by the modules and the
                              * caller */
} observed_row;

static const observed_row observed[] = {
    /* Constructors and destructors, and what they pass to the runtime. */
    {"module path", RT_EVENT_MODULE_LOAD, false, false},
    {"module", RT_EVENT_MODULE_UNLOAD, false, false},
    {"image module format", RT_EVENT_IMAGE_REGISTER, false, false},
    {"image module", RT_EVENT_IMAGE_UNREGISTER, false, false},
    /* Class, rule and names of a refusal exist in the reference runtime only. */
    {"", RT_EVENT_ERROR, false, false},
    {"process", RT_EVENT_RESTART, false, false},
    /* Calls to the driver. libsycl is free to choose the local size if the program leaves it open.
     */
    {"image executable", RT_EVENT_CREATE, false, true},
    {"inputs", RT_EVENT_LINK, true, true},
    {"images", RT_EVENT_BUILD, true, true},
    {"kernel", RT_EVENT_KERNEL_CREATE, true, true},
    {"kernel global", RT_EVENT_LAUNCH, true, true},
};

/* The row of an event kind; NULL if this run does not observe that kind. */
static const observed_row *row_of(const cnf_runtime *runtime, rt_event_kind kind)
{
    const cnf_shipped *shipped = (const cnf_shipped *)(const void *)runtime;
    for (size_t i = 0; i < sizeof observed / sizeof *observed; i++) {
        if (observed[i].kind != kind) continue;
        return observed[i].by_layer && !shipped->sees_driver ? NULL : &observed[i];
    }
    return NULL;
}

bool cnf_shipped_observes(const cnf_runtime *runtime, rt_event_kind kind, rt_text field)
{
    const observed_row *row = row_of(runtime, kind);
    if (!row || field.length == 0) return row != NULL;
    rt_text fields = rt_text_of(row->fields);
    while (fields.length > 0)
        if (rt_text_equal(rt_text_take_until(&fields, ' '), field)) return true;
    return false;
}

bool cnf_shipped_tells_program(const cnf_runtime *runtime, rt_event_kind kind)
{
    const observed_row *row = row_of(runtime, kind);
    return row && row->identifies_program;
}

/* A module registers all its images in one call, in order. */
static void trace_event(cnf_execution *execution, host_event kind, uint32_t index)
{
    const scn_module *module = &cnf_shipped_of(execution)->declared->modules[index];
    rt_trace *trace = execution->runtime->trace;
    uint32_t image_count = module->registers ? module->images.count : 0;
    switch (kind) {
    case HOST_EVENT_LOADED:
        RT_TRACE(trace, MODULE_LOAD, RT_T("module", module->name),
                 RT_T("path", cnf_host_file_name(&execution->arena, execution->scenario, index)));
        return;
    case HOST_EVENT_UNLOADED: RT_TRACE(trace, MODULE_UNLOAD, RT_T("module", module->name)); return;
    case HOST_EVENT_REGISTERED:
        for (uint32_t i = 0; i < image_count; i++) {
            const rt_image *image = &module->images.images[i];
            RT_TRACE(trace, IMAGE_REGISTER, RT_T("image", image->name),
                     RT_T("module", module->name),
                     RT_T("format", rt_text_of(rt_format_name(image->format))));
        }
        return;
    case HOST_EVENT_UNREGISTERED:
        for (uint32_t i = 0; i < image_count; i++)
            RT_TRACE(trace, IMAGE_UNREGISTER, RT_T("image", module->images.images[i].name),
                     RT_T("module", module->name));
        return;
    }
    UNREACHABLE();
}

void cnf_shipped_trace(cnf_execution *execution, cnf_host_events events)
{
    cnf_shipped_look(execution); /* earlier driver calls come first */
    for (uint32_t i = 0; i < events.count; i++) {
        CHECK(events.items[i].module < execution->scenario->module_count);
        trace_event(execution, events.items[i].kind, events.items[i].module);
    }
}
