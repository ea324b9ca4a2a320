/* Finds the contents of device_globals: property sets and host code list the variables, events say
 * where their contents are. */
#include "conformance/explain/contents.h"

/* ---- Which variables there are -------------------------------------------------------------- */

static cnf_xpl_variable *variable_of(cnf_contents *contents, rt_text id)
{
    uint32_t index = rt_map_find(&contents->ids, id);
    if (index == RT_MAP_NONE) {
        index = contents->variables.count;
        rt_map_set(&contents->ids, id, index);
        *rt_vector_push(&contents->variables) = (cnf_xpl_variable){.id = id, .name = id};
    }
    return &contents->variables.items[index];
}

static void registered_collect(cnf_contents *contents, rt_device_global_list list)
{
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        cnf_xpl_variable *variable = variable_of(contents, global->unique_id);
        variable->name = global->name;
        variable->size = global->size;
        variable->image_scope = global->image_scope;
    }
}

static void described_collect(cnf_contents *contents, const rt_image *image)
{
    const rt_property_set *set = rt_image_set(image, RT_SET_DEVICE_GLOBALS);
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        cnf_xpl_variable *variable = variable_of(contents, set->properties[i].name);
        rt_device_global_value value;
        if (variable->size > 0 || !rt_device_global_value_read(&set->properties[i], &value))
            continue;
        variable->size = value.size;
        variable->image_scope = value.image_scope;
    }
}

static void scenario_collect(cnf_contents *contents, const scn_scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->module_count; i++)
        registered_collect(contents, scenario->modules[i].device_globals);
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const rt_image_list *list = &scenario->modules[i].images;
        for (uint32_t j = 0; j < list->count; j++)
            described_collect(contents, &list->images[j]);
    }
}

/* ---- Where their contents are --------------------------------------------------------------- */

static bool same_field(const rt_event *one, const rt_event *other, const char *key)
{
    return rt_text_equal(cnf_event_text(one, key), cnf_event_text(other, key));
}

/* True for an event of the kind about the variable's name and the device of an allocation; the
 * event of the zeros says no more. */
static bool is_about(const rt_event *event, rt_event_kind kind, const rt_event *allocation)
{
    return event->kind == kind && same_field(event, allocation, "variable") &&
           same_field(event, allocation, "device");
}

/* The command that filled an allocation with zeros. Variables with the same name on one device are
 * distinguished by order: every allocation is filled once, in sequence. */
static rt_text zero_command(const cnf_history *history, uint32_t index, uint32_t begin)
{
    const rt_event *allocation = &history->events[index];
    uint32_t before = 0;
    for (uint32_t i = begin; i < index; i++)
        before += is_about(&history->events[i], RT_EVENT_DEVICE_GLOBAL_ALLOCATE, allocation);
    for (uint32_t i = begin; i < history->event_count; i++) {
        const rt_event *event = &history->events[i];
        if (event->kind == RT_EVENT_RESTART) break;
        if (!is_about(event, RT_EVENT_DEVICE_GLOBAL_ZERO, allocation)) continue;
        if (before-- == 0) return cnf_event_text(event, "command");
    }
    return (rt_text){0};
}

/* The newest memory on the device, preferably in the program's context: contexts of a device may
 * share it. */
static uint32_t target_of(const cnf_history *history, const cnf_xpl_variable *variable,
                          const cnf_xpl_place *pointer)
{
    const rt_event *build =
        pointer->program == SCN_NONE ? NULL : history->programs.items[pointer->program].build;
    rt_text context = build ? cnf_event_text(build, "context") : (rt_text){0};
    uint32_t shared = SCN_NONE;
    for (uint32_t i = variable->places.count; i-- > 0;) {
        const cnf_xpl_place *place = &variable->places.items[i];
        if (place->kind != CNF_PLACE_DEVICE || place->process != pointer->process ||
            !rt_text_equal(place->device, pointer->device))
            continue;
        if (rt_text_equal(place->context, context)) return i;
        if (shared == SCN_NONE) shared = i;
    }
    return shared;
}

/* The host object and the instance in one program are reported at every copy, or by every image. */
static bool is_there(const cnf_xpl_variable *variable, const cnf_xpl_place *place)
{
    if (place->kind != CNF_PLACE_HOST && place->kind != CNF_PLACE_INSIDE) return false;
    for (uint32_t i = 0; i < variable->places.count; i++) {
        const cnf_xpl_place *other = &variable->places.items[i];
        if (other->kind == place->kind && other->process == place->process &&
            other->program == place->program)
            return true;
    }
    return false;
}

/* False for an event that does not describe a place. */
static bool place_kind(const rt_event *event, cnf_place_kind *out_kind)
{
    switch (event->kind) {
    case RT_EVENT_DEVICE_GLOBAL_HOST: *out_kind = CNF_PLACE_HOST; return true;
    case RT_EVENT_DEVICE_GLOBAL_ALLOCATE: *out_kind = CNF_PLACE_DEVICE; return true;
    case RT_EVENT_DEVICE_GLOBAL_POINT: *out_kind = CNF_PLACE_POINTER; return true;
    case RT_EVENT_DEVICE_GLOBAL_DESCRIBE:
        *out_kind = CNF_PLACE_INSIDE;
        return rt_text_is(cnf_event_text(event, "image_scope"), "true");
    default: return false;
    }
}

/* `begin` is the first event of the process. */
static void event_note(cnf_contents *contents, const cnf_history *history, uint32_t index,
                       uint32_t begin, uint32_t process)
{
    const rt_event *event = &history->events[index];
    cnf_xpl_place place = {.process = process,
                           .device = cnf_event_text(event, "device"),
                           .context = cnf_event_text(event, "context"),
                           .size = cnf_event_text(event, "size"),
                           .program = history->event_programs[index],
                           .command = cnf_event_text(event, "command"),
                           .target = SCN_NONE};
    rt_text id = cnf_event_text(event, "id"), name = cnf_event_text(event, "variable");
    if (id.length == 0 || !place_kind(event, &place.kind)) return;
    cnf_xpl_variable *variable = variable_of(contents, id);
    if (name.length > 0) variable->name = name;
    if (is_there(variable, &place)) return;
    if (place.kind == CNF_PLACE_DEVICE) place.command = zero_command(history, index, begin);
    if (place.kind == CNF_PLACE_POINTER) place.target = target_of(history, variable, &place);
    *rt_vector_push(&variable->places) = place;
}

void cnf_contents_find(const scn_scenario *scenario, const cnf_history *history,
                       cnf_contents *out_contents)
{
    *out_contents = (cnf_contents){0};
    scenario_collect(out_contents, scenario);
    uint32_t begin = 0, process = 0;
    for (uint32_t i = 0; i < history->event_count; i++) {
        if (history->events[i].kind == RT_EVENT_RESTART) {
            begin = i + 1;
            process++;
        }
        event_note(out_contents, history, i, begin, process);
    }
}

void cnf_contents_free(cnf_contents *contents)
{
    for (uint32_t i = 0; i < contents->variables.count; i++)
        rt_vector_free(&contents->variables.items[i].places);
    rt_vector_free(&contents->variables);
    rt_map_free(&contents->ids);
}
