/* Evaluates the conditions `holds` and `not` on an event's images, and compares lists of images. */
#include "conformance/subject/execute.h"
#include "reference/image/virtual_functions.h"

/* True if the scenario has an image of that name which meets the condition. */
static bool image_is_like(const scn_scenario *scenario, rt_text name,
                          const scn_image_condition *condition)
{
    const rt_image *image = NULL;
    uint32_t module = SCN_NONE;
    for (uint32_t m = 0; m < scenario->module_count && !image; m++) {
        const rt_image_list *images = &scenario->modules[m].images;
        module = m;
        for (uint32_t i = 0; i < images->count && !image; i++)
            if (rt_text_equal(images->images[i].name, name)) image = &images->images[i];
    }
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

bool cnf_event_images_fit(const scn_scenario *scenario, const rt_event *event,
                          const scn_trace_event *expected)
{
    for (uint32_t c = 0; c < expected->condition_count; c++) {
        const scn_image_condition *condition = &expected->conditions[c];
        const char *key = scn_event_images_field(event->kind);
        CHECK(key); /* the reader rejects other events */
        const rt_event_field *field = rt_event_field_find(event, rt_text_of(key));
        /* At least one image of the event meets the condition; for `not`, none does. */
        bool found = false;
        for (uint32_t i = 0; field && i < field->value_count && !found; i++)
            found = image_is_like(scenario, field->values[i], condition);
        if (found == condition->negated) return false;
    }
    return true;
}

/* ---- Lists of images ------------------------------------------------------------------------ */

static bool holds(const rt_text *images, uint32_t count, rt_text image)
{
    for (uint32_t i = 0; i < count; i++)
        if (rt_text_equal(images[i], image)) return true;
    return false;
}

bool cnf_images_equal(const rt_text *images, uint32_t count, const rt_text *peers,
                      uint32_t peer_count)
{
    bool equal = count == peer_count;
    /* Compares in both directions, because {a, a} must not pass for {a, b}. */
    for (uint32_t i = 0; i < count && equal; i++)
        equal = holds(images, count, peers[i]) && holds(peers, count, images[i]);
    return equal;
}

rt_text cnf_images_print(rt_arena *arena, const rt_text *images, uint32_t count)
{
    rt_buffer list = {0};
    for (uint32_t i = 0; i < count; i++)
        rt_buffer_printf(&list, "%s%.*s", i ? ", " : "", RT_TEXT_ARG(images[i]));
    rt_text text = rt_arena_text(arena, rt_buffer_text(&list));
    rt_buffer_free(&list);
    return text;
}
