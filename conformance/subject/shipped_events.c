/* What is seen of the shipped runtime: which events reach the trace, and by whom.
 *
 * Nothing is inferred.  An event or field that is not in the table is unobserved, and so is every
 * expectation that asks for it. */
#include "conformance/subject/shipped.h"

#include <string.h>

typedef struct observed_row {
    rt_event_kind kind;
    const char *fields; /* of the event that are seen, separated by spaces */
    const char *by;     /* who sees it, for readers of this table */
} observed_row;

static const observed_row observed[] = {
    {RT_EVENT_MODULE_LOAD, "module", "the constructor that ld.so runs"},
    {RT_EVENT_MODULE_UNLOAD, "module", "the destructor that ld.so runs"},
    {RT_EVENT_IMAGE_REGISTER, "image module format", "the module's call of __sycl_register_lib"},
    {RT_EVENT_IMAGE_UNREGISTER, "image module", "the module's call of __sycl_unregister_lib"},
    /* Class, rule and names are the reference runtime's own. */
    {RT_EVENT_ERROR, "", "the caller, who is refused"},
};

static bool has_word(const char *words, rt_text word)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, " ");
        if (rt_text_equal((rt_text){at, length}, word)) return true;
        at += length + strspn(at + length, " ");
    }
    return false;
}

bool cnf_shipped_observes(const cnf_runtime *runtime, rt_event_kind kind, rt_text field)
{
    (void)runtime;
    for (size_t i = 0; i < sizeof observed / sizeof *observed; i++) {
        if (observed[i].kind != kind) continue;
        return field.length == 0 || has_word(observed[i].fields, field);
    }
    return false;
}

/* A module hands over all of its images in one call, in order. */
static void trace_event(cnf_execution *execution, host_event kind, const scn_module *module)
{
    rt_trace *trace = execution->runtime->trace;
    uint32_t image_count = module->registers ? module->images.count : 0;
    switch (kind) {
    case HOST_EVENT_LOADED: RT_TRACE(trace, MODULE_LOAD, RT_T("module", module->name)); return;
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
    for (uint32_t i = 0; i < events.count; i++) {
        CHECK(events.items[i].module < execution->scenario->module_count);
        trace_event(execution, events.items[i].kind,
                    &execution->scenario->modules[events.items[i].module]);
    }
}
