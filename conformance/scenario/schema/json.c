/* The JSON Schema of the format, from the table that drives the reader, so that editors can
 * complete and check scenarios. It accepts more than the reader does: only the reader checks what
 * names refer to, what numbers amount to together, and how texts are spelled
 * (ci/checks/schema_validates compares the two). Every object becomes a definition that others
 * refer to, because objects can contain each other.
 *
 * Source: JSON Schema draft 2020-12, Core and Validation. */
#include "conformance/json/json.h"
#include "conformance/scenario/schema/objects.h"
#include "conformance/scenario/schema/values.h"
#include "reference/trace/trace.h"

#include <string.h>

#define NAME_PATTERN "^" SCN_NAME_CHARACTERS "$"

/* The definition of events, which no object of the table describes, because each kind of event has
 * its own fields. */
#define EVENT_NAME "event"

static json_t *shape_schema(const scn_objects *objects, const scn_shape *shape);

static json_t *typed(const char *type)
{
    return cnf_json_checked(json_pack("{s:s}", "type", type));
}

/* Sets a key to a list or object, or releases the value if it is empty. */
static void set_unless_empty(json_t *schema, const char *key, json_t *value)
{
    if (json_array_size(value) + json_object_size(value) > 0)
        cnf_json_set(schema, key, value);
    else
        json_decref(value);
}

/* Parses a shape's own piece of schema, which is written with ' in place of ". */
static json_t *also_schema(const char *also)
{
    rt_buffer text = {0};
    for (; *also; also++)
        rt_buffer_append_byte(&text, *also == '\'' ? '"' : *also);
    json_t *schema =
        cnf_json_checked(json_loads(rt_buffer_string(&text), JSON_REJECT_DUPLICATES, NULL));
    rt_buffer_free(&text);
    return schema;
}

/* A text may look like a number: the format allows a kernel that is called 7. */
static json_t *scalar_schema(void)
{
    return cnf_json_checked(json_pack("{s:[s,s]}", "type", "string", "number"));
}

static json_t *text_schema(const scn_shape *shape)
{
    json_t *schema = scalar_schema();
    if (!shape->empty) cnf_json_set(schema, "minLength", json_integer(1));
    if (shape->pattern) cnf_json_set(schema, "pattern", json_string(shape->pattern));
    if (shape->also) cnf_json_set(schema, "allOf", json_pack("[o]", also_schema(shape->also)));
    return schema;
}

static json_t *name_schema(const scn_shape *shape)
{
    const char *pattern = shape->pattern ? shape->pattern : NAME_PATTERN;
    return cnf_json_checked(json_pack("{s:s,s:s}", "type", "string", "pattern", pattern));
}

static json_t *integer_schema(const scn_shape *shape)
{
    CHECK(shape->least <= shape->most && shape->least <= INT64_MAX);
    json_t *schema = typed("integer");
    cnf_json_set(schema, "minimum", json_integer((json_int_t)shape->least));
    /* A scenario may deliberately give a size that is too large and needs all 64 bits, which
     * jansson's integers cannot hold.
     */
    if (shape->most <= INT64_MAX)
        cnf_json_set(schema, "maximum", json_integer((json_int_t)shape->most));
    return schema;
}

/* The vocabulary of a CHOICE or WORD. */
static json_t *words_schema(const scn_shape *shape)
{
    json_t *words = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->choice_count; i++)
        if (shape->choices[i].is_accepted)
            cnf_json_append(words, json_string(shape->choices[i].name));
    for (uint32_t i = 0; shape->word && shape->word(i); i++)
        cnf_json_append(words, json_string(shape->word(i)));
    CHECK(json_array_size(words) > 0);
    return cnf_json_checked(json_pack("{s:o}", "enum", words));
}

static json_t *list_schema(const scn_objects *objects, const scn_shape *shape)
{
    json_t *schema = typed("array");
    cnf_json_set(schema, "items", shape_schema(objects, shape->element));
    if (shape->least > 0) cnf_json_set(schema, "minItems", json_integer((json_int_t)shape->least));
    if (shape->most > 0) cnf_json_set(schema, "maxItems", json_integer((json_int_t)shape->most));
    if (shape->unique) cnf_json_set(schema, "uniqueItems", json_true());
    return schema;
}

static json_t *map_schema(const scn_objects *objects, const scn_shape *shape)
{
    json_t *schema = typed("object");
    if (shape->typing == SCN_TYPED_BY_KEY) {
        json_t *properties = cnf_json_checked(json_object());
        for (uint32_t i = 0; shape->keys->word(i); i++)
            cnf_json_set(properties, shape->keys->word(i),
                         scn_value_reference(shape->keys->word(i)));
        cnf_json_set(schema, "properties", properties);
        cnf_json_set(schema, "additionalProperties", json_false());
    } else {
        if (!shape->any_key)
            cnf_json_set(schema, "propertyNames",
                         shape->keys ? words_schema(shape->keys) : name_schema(shape));
        cnf_json_set(schema, "additionalProperties", shape_schema(objects, shape->element));
    }
    if (shape->least > 0)
        cnf_json_set(schema, "minProperties", json_integer((json_int_t)shape->least));
    if (shape->most > 0)
        cnf_json_set(schema, "maxProperties", json_integer((json_int_t)shape->most));
    return schema;
}

/* {"required": [KEY]} */
static json_t *required(const char *key)
{
    return cnf_json_checked(json_pack("{s:[s]}", "required", key));
}

/* [{"required": [KEY]}, ...] for all rows with the flag. */
static json_t *required_one_by_one(const scn_shape *shape, uint32_t flag)
{
    json_t *list = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (shape->rows[i].flags & flag && scn_row_is_documented(&shape->rows[i]))
            cnf_json_append(list, required(shape->rows[i].key));
    return list;
}

/* {"anyOf": LIST} */
static json_t *any_of(json_t *list)
{
    return cnf_json_checked(json_pack("{s:o}", "anyOf", list));
}

/* Requires exactly one alternative or, instead, a key that suffices. */
static void put_alternatives(json_t *schema, const scn_shape *shape)
{
    json_t *alternatives = required_one_by_one(shape, SCN_ALTERNATIVE);
    json_t *sufficient = required_one_by_one(shape, SCN_SUFFICES);
    if (json_array_size(alternatives) == 0) {
        json_decref(alternatives);
        set_unless_empty(schema, "anyOf", sufficient);
        return;
    }
    if (json_array_size(sufficient) > 0) {
        json_t *instead = any_of(json_incref(sufficient));
        cnf_json_set(instead, "not", any_of(required_one_by_one(shape, SCN_ALTERNATIVE)));
        cnf_json_append(alternatives, instead);
    }
    cnf_json_set(schema, "oneOf", alternatives);
    json_decref(sufficient);
}

/* The relations between keys, grouped by key. A relation with a misspelt key would have no effect,
 * so it fails a CHECK. */
static json_t *relations_schema(const scn_shape *shape)
{
    json_t *dependent = cnf_json_checked(json_object());
    for (uint32_t i = 0; i < shape->relation_count; i++) {
        const scn_relation *relation = &shape->relations[i];
        CHECK(scn_shape_row(shape, rt_text_of(relation->key)));
        json_t *keys = cnf_json_checked(json_array());
        for (uint32_t k = 0; k < SCN_RELATION_KEYS_MAX && relation->others[k]; k++) {
            CHECK(scn_shape_row(shape, rt_text_of(relation->others[k])));
            cnf_json_append(keys, required(relation->others[k]));
        }
        json_t *rule = any_of(keys);
        if (relation->kind == SCN_BARS) rule = cnf_json_checked(json_pack("{s:o}", "not", rule));
        json_t *all = json_object_get(dependent, relation->key);
        if (all)
            cnf_json_append(json_object_get(all, "allOf"), rule);
        else
            cnf_json_set(dependent, relation->key, json_pack("{s:[o]}", "allOf", rule));
    }
    return dependent;
}

static json_t *object_schema(const scn_objects *objects, const scn_shape *shape)
{
    json_t *schema = typed("object"), *properties = cnf_json_checked(json_object());
    json_t *needs = cnf_json_checked(json_array()), *further = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        if (!scn_row_is_documented(row)) continue;
        json_t *value = shape_schema(objects, row->shape);
        cnf_json_set(value, "description", json_string(row->doc));
        cnf_json_set(properties, row->key, value);
        if (row->flags & SCN_REQUIRED) cnf_json_append(needs, json_string(row->key));
    }
    cnf_json_set(schema, "properties", properties);
    cnf_json_set(schema, "additionalProperties", json_false());
    set_unless_empty(schema, "required", needs);
    put_alternatives(schema, shape);
    /* Only a companion file has a hash. */
    static const char file[] = "file", hash[] = "sha256";
    if (scn_shape_row(shape, rt_text_of(hash)))
        cnf_json_set(schema, "dependentRequired", json_pack("{s:[s]}", hash, file));
    set_unless_empty(schema, "dependentSchemas", relations_schema(shape));
    /* Conditions that the table cannot express, and that the reader's code checks. */
    if (shape->also) cnf_json_append(further, also_schema(shape->also));
    if (shape->typing == SCN_TYPED_MEMORY) scn_typed_values_add(further, "values", true);
    if (shape->typing == SCN_TYPED_VARIABLE) scn_typed_values_add(further, "equals", false);
    set_unless_empty(schema, "allOf", further);
    return schema;
}

static json_t *definition_reference(const char *name)
{
    return cnf_json_checked(json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name)));
}

/* ---- Events -------------------------------------------------------------------------------- */

static json_t *condition_schema(const scn_objects *objects)
{
    return definition_reference(scn_objects_name(objects, &scn_shape_image_condition).data);
}

static json_t *event_schema(const scn_objects *objects, rt_event_kind kind)
{
    const char *fields = rt_event_fields(kind);
    json_t *properties =
        cnf_json_checked(json_pack("{s:{s:s}}", "event", "const", rt_event_name(kind)));
    while (*fields) {
        size_t length = strcspn(fields, " ");
        bool is_list = length > 2 && fields[length - 1] == ']';
        char key[32];
        CHECK(length < sizeof key);
        memcpy(key, fields, length);
        key[is_list ? length - 2 : length] = '\0';
        /* The reader takes any scalar as text. */
        json_t *value = scalar_schema();
        cnf_json_append(json_object_get(value, "type"), json_string("boolean"));
        if (is_list)
            value = cnf_json_checked(json_pack("{s:s,s:o}", "type", "array", "items", value));
        cnf_json_set(properties, key, value);
        if (strcmp(key, "program") == 0) cnf_json_set(properties, "program_of", scalar_schema());
        fields += length + strspn(fields + length, " ");
    }
    if (scn_event_images_field(kind)) {
        cnf_json_set(properties, "holds", condition_schema(objects));
        cnf_json_set(properties, "not", condition_schema(objects));
    }
    if (scn_event_counts_work_items(kind, RT_TEXT("work_items")))
        cnf_json_set(properties, "work_items",
                     cnf_json_checked(json_pack("{s:s,s:i}", "type", "integer", "minimum", 1)));
    return cnf_json_checked(json_pack("{s:s,s:o,s:[s],s:b}", "type", "object", "properties",
                                      properties, "required", "event", "additionalProperties", 0));
}

/* ---- Shapes -------------------------------------------------------------------------------- */

static json_t *other_schema(const scn_objects *objects, const scn_shape *shape)
{
    if (shape == &scn_shape_trace_event) return definition_reference(EVENT_NAME);
    CHECK(shape->alternatives[0]);
    if (!shape->alternatives[1]) return shape_schema(objects, shape->alternatives[0]);
    json_t *list = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++)
        cnf_json_append(list, shape_schema(objects, shape->alternatives[i]));
    return any_of(list);
}

static json_t *shape_schema(const scn_objects *objects, const scn_shape *shape)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT: return text_schema(shape);
    case SCN_SHAPE_NAME: return name_schema(shape);
    case SCN_SHAPE_INTEGER: return integer_schema(shape);
    case SCN_SHAPE_TRUTH: return typed("boolean");
    case SCN_SHAPE_CHOICE:
    case SCN_SHAPE_WORD: return shape == &scn_shape_null ? typed("null") : words_schema(shape);
    case SCN_SHAPE_LIST: return list_schema(objects, shape);
    case SCN_SHAPE_MAP: return map_schema(objects, shape);
    case SCN_SHAPE_REFERENCE: return name_schema(&scn_shape_name);
    case SCN_SHAPE_OBJECT: {
        json_t *object = definition_reference(scn_objects_name(objects, shape).data);
        if (!shape->shorthand) return object;
        json_t *scalar = shape_schema(objects, shape->rows[0].shape);
        return cnf_json_checked(json_pack("{s:[o,o]}", "anyOf", scalar, object));
    }
    case SCN_SHAPE_OTHER: return other_schema(objects, shape);
    default: UNREACHABLE(); /* part of the model only */
    }
}

/* The definitions of all objects except the first, which is the schema's root. */
static json_t *definitions(const scn_objects *objects)
{
    json_t *list = cnf_json_checked(json_object());
    for (uint32_t i = 1; i < objects->list.count; i++) {
        const scn_named_object *object = &objects->list.items[i];
        CHECK(strcmp(object->name.data, EVENT_NAME) != 0);
        cnf_json_set(list, object->name.data, object_schema(objects, object->shape));
    }
    return list;
}

/* Adds the definitions of what scenarios have in addition to objects: events and values. */
static void scenario_definitions_add(const scn_objects *objects, json_t *list)
{
    json_t *events = cnf_json_checked(json_array());
    for (rt_event_kind kind = 0; kind < RT_EVENT_COUNT; kind++)
        cnf_json_append(events, event_schema(objects, kind));
    cnf_json_set(list, EVENT_NAME, any_of(events));
    scn_value_definitions_add(list);
}

void scn_schema_of(rt_buffer *out, const scn_shape *root, const char *title)
{
    rt_arena arena = {0};
    scn_objects objects;
    scn_objects_find(&arena, root, &objects);
    json_t *schema = cnf_json_checked(json_pack(
        "{s:s,s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema", "title", title));
    json_t *format = object_schema(&objects, root);
    int failed = json_object_update(schema, format);
    CHECK(failed == 0);
    json_decref(format);
    json_t *list = definitions(&objects);
    if (root == &scn_shape_scenario) scenario_definitions_add(&objects, list);
    cnf_json_set(schema, "$defs", list);
    cnf_json_write(out, schema, JSON_INDENT(2));
    rt_buffer_append_byte(out, '\n');
    rt_vector_free(&objects.list);
    rt_arena_reset(&arena);
}

void scn_schema_write(rt_buffer *out)
{
    scn_schema_of(out, &scn_shape_scenario, "assay scenario");
}
