/* Expected trace events: names and fields from reference/trace's vocabulary, values as text, and
 * conditions on the event's images. check.c checks that the event has these fields and that what
 * they name exists; the subject compares the events and their order. */
#include "reference/trace/trace.h"
#include "conformance/scenario/schema/schema.h"

/* ---- Conditions --------------------------------------------------------------------------- */

static const scn_shape shape_set = {SCN_TEXT("the name of a virtual-function set")};
static const scn_shape shape_dummy = {SCN_TRUTH("whether the image is a dummy")};
static const scn_shape shape_symbol = {SCN_TEXT("a symbol")};

static const scn_row condition_rows[] = {
    {"set", &shape_set, 0, SCN_FIELD(scn_image_condition, set),
     "A virtual-function set that the image provides."},
    {"dummy", &shape_dummy, 0, SCN_FIELD_IF(scn_image_condition, dummy, has_dummy),
     "Whether the image is a dummy, whose virtual functions are empty."},
    {"module", &scn_shape_module_reference, SCN_OR_NONE, SCN_FIELD(scn_image_condition, module),
     "The module that the image belongs to."},
    {"kernel", &scn_shape_kernel, 0, SCN_FIELD(scn_image_condition, kernel),
     "A kernel that the image has."},
    {"exports", &shape_symbol, 0, SCN_FIELD(scn_image_condition, exported),
     "A symbol that the image exports."},
    SCN_HIDDEN(&scn_shape_flag, scn_image_condition, negated),
};

static bool condition_finish(scn_reader *reader, const scn_node *node, void *object)
{
    (void)object;
    if (node->count > 0) return true;
    return scn_report(reader->reporter, node->at,
                      "an empty condition matches every image; say what the image must be like");
}

const scn_shape scn_shape_image_condition = {
    SCN_OBJECT("a condition on images", condition_rows),
    .also = "{'minProperties': 1}",
    .finish = condition_finish,
};

/* ---- Events ------------------------------------------------------------------------------- */

static bool field_read(scn_reader *reader, const scn_entry *entry, scn_trace_field *out_field)
{
    const scn_node *node = &entry->value;
    bool is_list = node->kind == SCN_NODE_LIST;
    uint32_t count = is_list ? node->count : 1;
    rt_text *values = rt_arena_alloc_array(reader->arena, count, sizeof *values);
    *out_field = (scn_trace_field){entry->key, is_list, values, count};
    scn_locate(reader, out_field, entry->at, node->at);
    for (uint32_t i = 0; i < count; i++) {
        const scn_node *value = is_list ? &node->items[i] : node;
        if (value->kind != SCN_NODE_SCALAR)
            return scn_report_expected(reader, value, "a text or a number");
        values[i] = value->text;
        scn_locate(reader, &values[i], entry->at, value->at);
    }
    return true;
}

static const char *event_word(uint32_t index)
{
    return index < RT_EVENT_COUNT ? rt_event_name((rt_event_kind)index) : NULL;
}
const scn_shape scn_shape_event_name = {SCN_WORD("an event", event_word)};

static bool event_read(scn_reader *reader, const scn_node *node, void *out)
{
    const scn_entry *name = scn_node_entry(node, "event");
    scn_trace_event *event = out;
    if (!name) {
        return scn_report(reader->reporter, node->at,
                          "expected an event such as {event: link, inputs: [app/0]}, found %s%s",
                          scn_node_describe(reader->arena, node),
                          node->kind == SCN_NODE_MAPPING ? " without the key 'event'" : "");
    }
    event->at = node->at;
    if (!scn_value_read(reader, &scn_shape_event_name, &name->value, &event->kind)) return false;
    scn_trace_field *fields = rt_arena_alloc_array(reader->arena, node->count, sizeof *fields);
    scn_image_condition *conditions =
        rt_arena_alloc_array(reader->arena, node->count, sizeof *conditions);
    event->fields = fields;
    event->conditions = conditions;
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_entry *entry = &node->entries[i];
        bool negated = rt_text_is(entry->key, "not");
        if (entry == name) continue;
        if (rt_text_is(entry->key, "program_of")) {
            scn_locate(reader, &event->program_of, entry->at, entry->value.at);
            valid = scn_value_read(reader, &scn_shape_kernel, &entry->value, &event->program_of) &&
                    valid;
        } else if (negated || rt_text_is(entry->key, "holds")) {
            scn_image_condition *condition = &conditions[event->condition_count++];
            condition->negated = negated;
            scn_locate(reader, &condition->negated, entry->at, entry->value.at);
            valid = scn_object_read(reader, &scn_shape_image_condition, &entry->value, condition) &&
                    valid;
        } else {
            valid = field_read(reader, entry, &fields[event->field_count++]) && valid;
        }
    }
    return valid;
}

/* ---- Trace events in the model -------------------------------------------------------------- */

static const scn_shape shape_values = {SCN_TABLE(rt_text, &scn_shape_text)};
static const scn_row field_rows[] = {
    SCN_HIDDEN(&scn_shape_text, scn_trace_field, key),
    SCN_HIDDEN(&scn_shape_flag, scn_trace_field, is_list),
    SCN_HIDDEN_ITEMS(&shape_values, scn_trace_field, values, value_count),
};
static const scn_shape shape_field = {SCN_STRUCT(field_rows)};
static const scn_shape shape_fields = {SCN_TABLE(scn_trace_field, &shape_field)};
static const scn_shape shape_conditions = {
    SCN_TABLE(scn_image_condition, &scn_shape_image_condition),
};
static const scn_row event_rows[] = {
    SCN_HIDDEN(&scn_shape_position, scn_trace_event, at),
    SCN_HIDDEN(&scn_shape_event_name, scn_trace_event, kind),
    SCN_HIDDEN(&scn_shape_text, scn_trace_event, program_of),
    SCN_HIDDEN_ITEMS(&shape_fields, scn_trace_event, fields, field_count),
    SCN_HIDDEN_ITEMS(&shape_conditions, scn_trace_event, conditions, condition_count),
};
static const scn_shape shape_stored_event = {SCN_STRUCT(event_rows)};

const scn_shape scn_shape_trace_event = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an event",
    .read = event_read,
    .stored = &shape_stored_event,
    .alternatives = {&scn_shape_image_condition},
};
const scn_shape scn_shape_trace = {
    SCN_LIST("the list of events", scn_trace_event, &scn_shape_trace_event),
    .least = 1,
};
