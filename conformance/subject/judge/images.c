/* What the images of an event are like: the conditions `holds` and `not`. */
#include "conformance/subject/execute.h"
#include "reference/image/virtual_functions.h"

/* The scenario's image with a name; NULL: it has none. */
static const rt_image *image_of(const scn_scenario *scenario, rt_text name, uint32_t *out_module)
{
    for (uint32_t m = 0; m < scenario->module_count; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        *out_module = m;
        for (uint32_t i = 0; i < images->count; i++) {
            if (rt_text_equal(images->images[i].name, name)) return &images->images[i];
        }
    }
    return NULL;
}

static bool image_is_like(const scn_scenario *scenario, rt_text name,
                          const scn_image_condition *condition)
{
    uint32_t module;
    const rt_image *image = image_of(scenario, name, &module);
    if (!image) return false;
    rt_virtual_functions functions;
    (void)rt_virtual_functions_read(image, &functions);
    const rt_property_set *exported = rt_image_set(image, RT_SET_EXPORTED_SYMBOLS);
    if (condition->set.length > 0 && !rt_text_equal(functions.provides, condition->set))
        return false;
    if (condition->has_dummy && functions.dummy != condition->dummy) return false;
    if (condition->module != SCN_NONE && condition->module != module) return false;
    if (condition->kernel.length > 0 && rt_image_kernel(image, condition->kernel) == RT_KERNEL_NONE)
        return false;
    return condition->exported.length == 0 || rt_property_set_has(exported, condition->exported);
}

/* True if some image of the event meets the condition or, for `not`, none does. */
static bool condition_fits(const scn_scenario *scenario, const rt_event *event,
                           const scn_image_condition *condition)
{
    const char *key = scn_event_images_field(event->kind);
    CHECK(key); /* the reader refuses other events */
    const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
    bool found = false;
    for (uint32_t i = 0; field && i < field->value_count && !found; i++)
        found = image_is_like(scenario, field->values[i], condition);
    return found != condition->negated;
}

bool cnf_event_images_fit(const scn_scenario *scenario, const rt_event *event,
                          const scn_trace_event *expected)
{
    for (uint32_t i = 0; i < expected->condition_count; i++) {
        if (!condition_fits(scenario, event, &expected->conditions[i])) return false;
    }
    return true;
}
