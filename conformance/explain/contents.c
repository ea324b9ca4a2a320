/* Finds the contents of device_globals: property sets and host code list the variables, and events
 * say where their contents are. */
#include "conformance/explain/contents.h"

/* ---- The variables -------------------------------------------------------------------------- */

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

static void scenario_collect(cnf_contents *contents, const scn_scenario *scenario)
{
    /* Host code registers variables with names; images add those that no host code registers. */
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const rt_device_global_list list = scenario->modules[i].device_globals;
        for (uint32_t k = 0; k < list.count; k++) {
            cnf_xpl_variable *variable = variable_of(contents, list.globals[k].unique_id);
            variable->name = list.globals[k].name;
            variable->size = list.globals[k].size;
            variable->image_scope = list.globals[k].image_scope;
        }
    }
    for (uint32_t i = 0; i < scenario->module_count; i++) {
        const rt_image_list *list = &scenario->modules[i].images;
        for (uint32_t j = 0; j < list->count; j++) {
            const rt_property_set *set = rt_image_set(&list->images[j], RT_SET_DEVICE_GLOBALS);
            for (uint32_t k = 0; set && k < set->property_count; k++) {
                cnf_xpl_variable *variable = variable_of(contents, set->properties[k].name);
                rt_device_global_value value;
                if (variable->size > 0 || !rt_device_global_value_read(&set->properties[k], &value))
                    continue;
                variable->size = value.size;
                variable->image_scope = value.image_scope;
            }
        }
    }
}

/* ---- The places of their contents ----------------------------------------------------------- */

/* True if the event has this kind and names the allocation's variable and device. An event that
 * writes zeros has nothing else that identifies the allocation. */
static bool is_about(const rt_event *event, rt_event_kind kind, const rt_event *allocation)
{
    return event->kind == kind &&
           rt_text_equal(cnf_event_text(event, "variable"),
                         cnf_event_text(allocation, "variable")) &&
           rt_text_equal(cnf_event_text(event, "device"), cnf_event_text(allocation, "device"));
}

/* Finds the command that filled an allocation with zeros. Variables with the same name on one
 * device are distinguished by order: every allocation is filled once, in sequence. */
static rt_text zero_command(const cnf_history *history, uint32_t index, uint32_t begin)
{
    const rt_event *allocation = &history->events[index];
    uint32_t before = 0;
    for (uint32_t i = begin; i < index; i++)
        before += is_about(&history->events[i], RT_EVENT_DEVICE_GLOBAL_ALLOCATE, allocation);
    for (uint32_t i = begin; i < history->event_count; i++) {
        const rt_event *event = &history->events[i];
        if (event->kind == RT_EVENT_RESTART) break;
        if (!is_about(event, RT_EVENT_DEVICE_GLOBAL_ZERO, allocation) &&
            !is_about(event, RT_EVENT_DEVICE_GLOBAL_INITIAL, allocation))
            continue;
        if (before-- == 0) return cnf_event_text(event, "command");
    }
    return (rt_text){0};
}

/* The variable's newest memory on the device, preferably in the program's context; contexts of a
 * device may share memory. */
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

/* Adds the place that an event describes, unless it is known; `begin` is the process's first event.
 */
static void event_note(cnf_contents *contents, const cnf_history *history, uint32_t index,
                       uint32_t begin, uint32_t process)
{
    CHECK(begin <= index + 1 && index < history->event_count);
    const rt_event *event = &history->events[index];
    cnf_xpl_place place = {.process = process,
                           .device = cnf_event_text(event, "device"),
                           .context = cnf_event_text(event, "context"),
                           .size = cnf_event_text(event, "size"),
                           .program = history->event_programs[index],
                           .command = cnf_event_text(event, "command"),
                           .target = SCN_NONE};
    switch (event->kind) {
    case RT_EVENT_DEVICE_GLOBAL_HOST: place.kind = CNF_PLACE_HOST; break;
    case RT_EVENT_DEVICE_GLOBAL_ALLOCATE: place.kind = CNF_PLACE_DEVICE; break;
    case RT_EVENT_DEVICE_GLOBAL_POINT: place.kind = CNF_PLACE_POINTER; break;
    case RT_EVENT_DEVICE_GLOBAL_DESCRIBE:
        if (!rt_text_is(cnf_event_text(event, "image_scope"), "true")) return;
        place.kind = CNF_PLACE_INSIDE;
        break;
    default: return; /* does not describe a place */
    }
    rt_text id = cnf_event_text(event, "id"), name = cnf_event_text(event, "variable");
    if (id.length == 0) return;
    cnf_xpl_variable *variable = variable_of(contents, id);
    if (name.length > 0) variable->name = name;
    /* Every copy reports the host object again, and every image of a program reports the program's
     * instance again. */
    bool is_repeated = place.kind == CNF_PLACE_HOST || place.kind == CNF_PLACE_INSIDE;
    for (uint32_t i = 0; i < variable->places.count && is_repeated; i++) {
        const cnf_xpl_place *other = &variable->places.items[i];
        if (other->kind == place.kind && other->process == process &&
            other->program == place.program)
            return;
    }
    if (place.kind == CNF_PLACE_DEVICE) place.command = zero_command(history, index, begin);
    if (place.kind == CNF_PLACE_POINTER) place.target = target_of(history, variable, &place);
    CHECK(place.target == SCN_NONE || place.target < variable->places.count);
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
