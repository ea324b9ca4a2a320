/* Expected trace events: names and fields of reference/trace's vocabulary, values as texts.  The
 * order of the events and comparing them is the subject's work. */
#include "reference/trace/trace.h"
#include "conformance/scenario/read/variable.h"

static bool field_name_check(scn_reader *reader, const scn_entry *entry, rt_event_kind kind,
                             bool *out_is_list)
{
    if (rt_event_has_field(kind, entry->key, out_is_list)) return true;
    const char *shown = scn_shown(reader->arena, entry->key);
    return scn_report(reader->reporter, entry->at,
                      "an event '%s' has no field '%s'; its fields are: %s", rt_event_name(kind),
                      shown, rt_event_fields(kind));
}

static bool module_check(scn_reader *reader, scn_position at, rt_text name)
{
    return scn_names_resolve(reader, &reader->modules, at, name, "module") != SCN_NONE;
}

static bool memory_check(scn_reader *reader, scn_position at, rt_text name)
{
    return scn_names_resolve(reader, &reader->memories, at, name, "memory") != SCN_NONE;
}

/* Either end of a copy, the content of a device_global's host object. */
static bool content_check(scn_reader *reader, scn_position at, rt_text name)
{
    return scn_variable_may_be(reader, name) || memory_check(reader, at, name);
}

static bool variable_check(scn_reader *reader, scn_position at, rt_text name)
{
    if (scn_variable_may_be(reader, name)) return true;
    return scn_report(reader->reporter, at,
                      "no module has a device_global '%s': no source mentions it; declare it with "
                      "DEVICE_GLOBAL in the code",
                      scn_shown(reader->arena, name));
}

static bool image_check(scn_reader *reader, scn_position at, rt_text name)
{
    uint32_t module, image;
    return scn_image_name_read(reader, at, name, &module, &image);
}

/* Fields that name what the scenario declares.  A mistyped name would never be found in a trace: an
 * event that must not happen would be a check that cannot fail. */
static const struct name_row {
    const char *field;
    bool (*check)(scn_reader *reader, scn_position at, rt_text name);
} name_rows[] = {
    {"module", module_check},    {"image", image_check},  {"provider", image_check},
    {"inputs", image_check},     {"images", image_check}, {"memory", content_check},
    {"from", content_check},     {"to", content_check},   {"variable", variable_check},
    {"stands_for", image_check},
};

static bool name_check(scn_reader *reader, rt_text field, const scn_node *value)
{
    for (size_t i = 0; i < sizeof name_rows / sizeof *name_rows; i++) {
        if (rt_text_is(field, name_rows[i].field))
            return name_rows[i].check(reader, value->at, value->text);
    }
    return true;
}

static bool field_read(scn_reader *reader, const scn_entry *entry, rt_event_kind kind,
                       scn_trace_field *out_field)
{
    const scn_node *node = &entry->value;
    bool is_list;
    if (!field_name_check(reader, entry, kind, &is_list)) return false;
    if (is_list != (node->kind == SCN_NODE_LIST) || node->kind == SCN_NODE_MAPPING) {
        return scn_report(reader->reporter, node->at, "field '%.*s' holds %s, found %s",
                          RT_TEXT_ARG(entry->key), is_list ? "a list" : "one value",
                          scn_node_describe(reader->arena, node));
    }
    uint32_t count = is_list ? node->count : 1;
    rt_text *values = rt_arena_alloc_array(reader->arena, count, sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        const scn_node *value = is_list ? &node->items[i] : node;
        if (value->kind != SCN_NODE_SCALAR) {
            return scn_report(reader->reporter, value->at, "expected a text or a number, found %s",
                              scn_node_describe(reader->arena, value));
        }
        if (!name_check(reader, entry->key, value)) return false;
        values[i] = value->text;
    }
    *out_field = (scn_trace_field){entry->key, is_list, values, count};
    return true;
}

/* `program_of: KERNEL`: the event is about the program that the kernel was launched from. */
static bool program_of_read(scn_reader *reader, const scn_entry *entry, rt_event_kind kind,
                            rt_text *out_kernel)
{
    bool is_list;
    if (!rt_event_has_field(kind, RT_TEXT("program"), &is_list)) {
        return scn_report(reader->reporter, entry->at, "an event '%s' is about no program",
                          rt_event_name(kind));
    }
    return scn_value_read(reader, &scn_shape_kernel, &entry->value, out_kernel);
}

static const char *event_word(uint32_t index)
{
    return index < RT_EVENT_COUNT ? rt_event_name((rt_event_kind)index) : NULL;
}
const scn_shape scn_shape_event_name = {
    .kind = SCN_SHAPE_WORD,
    .noun = "an event",
    .word = event_word,
};

static bool event_read(scn_reader *reader, const scn_node *node, void *out)
{
    const scn_entry *name = scn_node_entry(node, "event");
    if (!name) {
        return scn_report(reader->reporter, node->at,
                          "expected an event such as {event: link, inputs: [app/0]}, found %s%s",
                          scn_node_describe(reader->arena, node),
                          node->kind == SCN_NODE_MAPPING ? " without the key 'event'" : "");
    }
    rt_text word;
    if (!scn_value_read(reader, &scn_shape_event_name, &name->value, &word)) return false;
    rt_event_kind kind = rt_event_find(word);
    CHECK(kind != RT_EVENT_COUNT);
    scn_trace_field *fields = rt_arena_alloc_array(reader->arena, node->count, sizeof *fields);
    scn_image_condition *conditions =
        rt_arena_alloc_array(reader->arena, node->count, sizeof *conditions);
    scn_trace_event *event = out;
    *event =
        (scn_trace_event){.at = node->at, .kind = word, .fields = fields, .conditions = conditions};
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_entry *entry = &node->entries[i];
        bool read = true;
        if (rt_text_is(entry->key, "program_of"))
            read = program_of_read(reader, entry, kind, &event->program_of);
        else if (scn_is_condition(entry->key))
            read = scn_condition_read(reader, entry, kind, &conditions[event->condition_count++]);
        else if (entry != name)
            read = field_read(reader, entry, kind, &fields[event->field_count++]);
        fine = read && fine;
    }
    return fine;
}

const scn_shape scn_shape_trace_event = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an event",
    .read = event_read,
    .alternatives = {&scn_shape_image_condition},
};
const scn_shape scn_shape_trace = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of events",
    .element = &scn_shape_trace_event,
    .element_size = sizeof(scn_trace_event),
    .least = 1,
};
