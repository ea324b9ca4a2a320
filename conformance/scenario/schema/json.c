/* The JSON Schema of the format, from the table that drives the reader, so that editors can
 * complete and check scenarios. It accepts more than the reader does: only the reader checks the
 * meaning of names, the results of numbers and the spelling of texts (ci/checks/schema_validates
 * lists the differences). Every object is a definition that others refer to, because objects can be
 * nested.
 *
 * Source: JSON Schema draft 2020-12, Core and Validation. */
#include "conformance/json/json.h"
#include "conformance/scenario/schema/objects.h"
#include "conformance/scenario/schema/values.h"
#include "reference/trace/trace.h"

#include <stdlib.h>
#include <string.h>

#define NAME_PATTERN "^" SCN_NAME_CHARACTERS "$"

/* The definition of events, which are not an object of the table: each kind has its own fields. */
#define EVENT_NAME "event"

static json_t *shape_schema(const scn_objects *objects, const scn_shape *shape);

static json_t *typed(const char *type)
{
    json_t *schema = cnf_json_checked(json_object());
    cnf_json_set(schema, "type", json_string(type));
    return schema;
}

/* A shape's own piece of schema, written with ' for ". */
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

/* Texts may be written like numbers: a kernel may be called 7 for all the format cares. */
static json_t *scalar_schema(void)
{
    json_t *schema = cnf_json_checked(json_object()), *types = cnf_json_checked(json_array());
    cnf_json_append(types, json_string("string"));
    cnf_json_append(types, json_string("number"));
    cnf_json_set(schema, "type", types);
    return schema;
}

static json_t *text_schema(const scn_shape *shape)
{
    json_t *schema = scalar_schema();
    if (!shape->empty) cnf_json_set(schema, "minLength", json_integer(1));
    if (shape->pattern) cnf_json_set(schema, "pattern", json_string(shape->pattern));
    if (!shape->also) return schema;
    json_t *all = cnf_json_checked(json_array());
    cnf_json_append(all, also_schema(shape->also));
    cnf_json_set(schema, "allOf", all);
    return schema;
}

static json_t *name_schema(const scn_shape *shape)
{
    json_t *schema = typed("string");
    cnf_json_set(schema, "pattern", json_string(shape->pattern ? shape->pattern : NAME_PATTERN));
    return schema;
}

static json_t *integer_schema(const scn_shape *shape)
{
    json_t *schema = typed("integer");
    cnf_json_set(schema, "minimum", json_integer((json_int_t)shape->least));
    /* A size that is meant to be too large may need all 64 bits, more than jansson's integers have.
     */
    if (shape->most > INT64_MAX) return schema;
    cnf_json_set(schema, "maximum", json_integer((json_int_t)shape->most));
    return schema;
}

static json_t *choice_schema(const scn_shape *shape)
{
    json_t *schema = cnf_json_checked(json_object()), *names = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->choice_count; i++) {
        if (shape->choices[i].taken) cnf_json_append(names, json_string(shape->choices[i].name));
    }
    cnf_json_set(schema, "enum", names);
    return schema;
}

static json_t *words_schema(const scn_shape *shape)
{
    json_t *schema = cnf_json_checked(json_object()), *words = cnf_json_checked(json_array());
    for (uint32_t i = 0; shape->word(i); i++)
        cnf_json_append(words, json_string(shape->word(i)));
    cnf_json_set(schema, "enum", words);
    return schema;
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

/* The value of each key that names a type. */
static json_t *typed_by_key(const scn_shape *shape)
{
    json_t *properties = cnf_json_checked(json_object());
    for (uint32_t i = 0; shape->keys->word(i); i++)
        cnf_json_set(properties, shape->keys->word(i), scn_value_reference(shape->keys->word(i)));
    return properties;
}

static json_t *map_schema(const scn_objects *objects, const scn_shape *shape)
{
    json_t *schema = typed("object");
    if (shape->typing == SCN_TYPED_BY_KEY) {
        cnf_json_set(schema, "properties", typed_by_key(shape));
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

/* The schema of a row's value: that of its shape, and the row's sentence. */
static json_t *row_schema(const scn_objects *objects, const scn_row *row)
{
    json_t *schema = shape_schema(objects, row->shape);
    cnf_json_set(schema, "description", json_string(row->doc));
    return schema;
}

/* {"required": [KEY]} */
static json_t *required(const char *key)
{
    json_t *schema = cnf_json_checked(json_object()), *keys = cnf_json_checked(json_array());
    cnf_json_append(keys, json_string(key));
    cnf_json_set(schema, "required", keys);
    return schema;
}

/* [{"required": [KEY]}, ...] for the rows with the flag. */
static json_t *required_one_by_one(const scn_shape *shape, uint32_t flag)
{
    json_t *list = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->row_count; i++) {
        if (!(shape->rows[i].flags & flag) || !scn_row_is_documented(&shape->rows[i])) continue;
        cnf_json_append(list, required(shape->rows[i].key));
    }
    return list;
}

/* {"anyOf": LIST} */
static json_t *any_of(json_t *list)
{
    json_t *schema = cnf_json_checked(json_object());
    cnf_json_set(schema, "anyOf", list);
    return schema;
}

/* Requires exactly one alternative, or, without any, a key that suffices. */
static void put_alternatives(json_t *schema, const scn_shape *shape)
{
    json_t *alternatives = required_one_by_one(shape, SCN_ALTERNATIVE);
    json_t *sufficient = required_one_by_one(shape, SCN_SUFFICES);
    bool exclusive = json_array_size(alternatives) > 0;
    if (exclusive && json_array_size(sufficient) > 0) {
        json_t *none = any_of(required_one_by_one(shape, SCN_ALTERNATIVE));
        json_t *instead = any_of(json_incref(sufficient));
        cnf_json_set(instead, "not", none);
        cnf_json_append(alternatives, instead);
    }
    if (exclusive)
        cnf_json_set(schema, "oneOf", json_incref(alternatives));
    else if (json_array_size(sufficient) > 0)
        cnf_json_set(schema, "anyOf", json_incref(sufficient));
    json_decref(alternatives);
    json_decref(sufficient);
}

static bool has_row(const scn_shape *shape, const char *key)
{
    for (uint32_t i = 0; i < shape->row_count; i++)
        if (scn_row_is_documented(&shape->rows[i]) && strcmp(shape->rows[i].key, key) == 0)
            return true;
    return false;
}

/* {"anyOf": [{"required": [KEY]}, …]} for the keys of a relation. A misspelt key would make the
 * relation void, so it is a CHECK. */
static json_t *any_required(const scn_shape *shape, const scn_relation *relation)
{
    json_t *list = cnf_json_checked(json_array());
    CHECK(has_row(shape, relation->key));
    for (uint32_t i = 0; i < SCN_RELATION_KEYS_MAX && relation->others[i]; i++) {
        CHECK(has_row(shape, relation->others[i]));
        cnf_json_append(list, required(relation->others[i]));
    }
    return any_of(list);
}

/* The relations between keys, those of each key in one list. */
static void put_relations(json_t *schema, const scn_shape *shape)
{
    json_t *dependent = cnf_json_checked(json_object());
    for (uint32_t i = 0; i < shape->relation_count; i++) {
        const scn_relation *relation = &shape->relations[i];
        json_t *all = json_object_get(dependent, relation->key);
        if (!all) {
            all = cnf_json_checked(json_object());
            cnf_json_set(all, "allOf", json_array());
            cnf_json_set(dependent, relation->key, all);
        }
        json_t *others = any_required(shape, relation), *rule = others;
        if (relation->kind == SCN_BARS) {
            rule = cnf_json_checked(json_object());
            cnf_json_set(rule, "not", others);
        }
        cnf_json_append(json_object_get(all, "allOf"), rule);
    }
    if (json_object_size(dependent) > 0)
        cnf_json_set(schema, "dependentSchemas", dependent);
    else
        json_decref(dependent);
}

/* The conditions that the table cannot express and code checks. */
static void put_further(json_t *schema, const scn_shape *shape)
{
    json_t *all = cnf_json_checked(json_array());
    if (shape->also) cnf_json_append(all, also_schema(shape->also));
    if (shape->typing == SCN_TYPED_MEMORY) scn_typed_values_add(all, "values", true);
    if (shape->typing == SCN_TYPED_VARIABLE) scn_typed_values_add(all, "equals", false);
    if (json_array_size(all) > 0)
        cnf_json_set(schema, "allOf", all);
    else
        json_decref(all);
}

/* A companion file and its hash go together. */
static void put_companions(json_t *schema, const scn_shape *shape)
{
    static const char file[] = "file", hash[] = "sha256";
    if (!has_row(shape, hash)) return;
    json_t *of_file = cnf_json_checked(json_array()), *of_hash = cnf_json_checked(json_array());
    json_t *dependencies = cnf_json_checked(json_object());
    cnf_json_append(of_file, json_string(hash));
    cnf_json_append(of_hash, json_string(file));
    cnf_json_set(dependencies, file, of_file);
    cnf_json_set(dependencies, hash, of_hash);
    cnf_json_set(schema, "dependentRequired", dependencies);
}

static json_t *object_schema(const scn_objects *objects, const scn_shape *shape)
{
    json_t *schema = typed("object"), *properties = cnf_json_checked(json_object());
    json_t *needs = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < shape->row_count; i++) {
        const scn_row *row = &shape->rows[i];
        if (!scn_row_is_documented(row)) continue;
        cnf_json_set(properties, row->key, row_schema(objects, row));
        if (row->flags & SCN_REQUIRED) cnf_json_append(needs, json_string(row->key));
    }
    cnf_json_set(schema, "properties", properties);
    cnf_json_set(schema, "additionalProperties", json_false());
    if (json_array_size(needs) > 0)
        cnf_json_set(schema, "required", needs);
    else
        json_decref(needs);
    put_alternatives(schema, shape);
    put_companions(schema, shape);
    put_relations(schema, shape);
    put_further(schema, shape);
    return schema;
}

/* {"$ref": "#/$defs/NAME"} */
static json_t *definition_reference(const char *name)
{
    json_t *schema = cnf_json_checked(json_object());
    cnf_json_set(schema, "$ref", json_sprintf("#/$defs/%s", name));
    return schema;
}

/* ---- Events -------------------------------------------------------------------------------- */

/* The value of an event's field: the reader takes any scalar as text. */
static json_t *field_schema(bool is_list)
{
    json_t *schema = scalar_schema();
    cnf_json_append(json_object_get(schema, "type"), json_string("boolean"));
    if (!is_list) return schema;
    json_t *list = typed("array");
    cnf_json_set(list, "items", schema);
    return list;
}

static json_t *condition_schema(const scn_objects *objects)
{
    return definition_reference(scn_objects_name(objects, &scn_shape_image_condition).data);
}

/* One kind of event; `fields` are the names of its fields as in RT_EVENTS. */
static json_t *event_schema(const scn_objects *objects, const char *name, const char *fields)
{
    json_t *schema = typed("object"), *properties = cnf_json_checked(json_object());
    json_t *constant = cnf_json_checked(json_object()), *needs = cnf_json_checked(json_array());
    cnf_json_set(constant, "const", json_string(name));
    cnf_json_set(properties, "event", constant);
    while (*fields) {
        size_t length = strcspn(fields, " ");
        bool is_list = length > 2 && fields[length - 1] == ']';
        char key[32];
        CHECK(length < sizeof key);
        memcpy(key, fields, length);
        key[is_list ? length - 2 : length] = '\0';
        cnf_json_set(properties, key, field_schema(is_list));
        if (strcmp(key, "program") == 0) cnf_json_set(properties, "program_of", scalar_schema());
        fields += length + strspn(fields + length, " ");
    }
    if (scn_event_images_field(rt_event_find(rt_text_of(name)))) {
        cnf_json_set(properties, "holds", condition_schema(objects));
        cnf_json_set(properties, "not", condition_schema(objects));
    }
    cnf_json_set(schema, "properties", properties);
    cnf_json_append(needs, json_string("event"));
    cnf_json_set(schema, "required", needs);
    cnf_json_set(schema, "additionalProperties", json_false());
    return schema;
}

static json_t *events_schema(const scn_objects *objects)
{
    json_t *schema = cnf_json_checked(json_object()), *list = cnf_json_checked(json_array());
    for (rt_event_kind kind = 0; kind < RT_EVENT_COUNT; kind++)
        cnf_json_append(list, event_schema(objects, rt_event_name(kind), rt_event_fields(kind)));
    cnf_json_set(schema, "anyOf", list);
    return schema;
}

/* ---- Shapes -------------------------------------------------------------------------------- */

static json_t *other_schema(const scn_objects *objects, const scn_shape *shape)
{
    if (shape == &scn_shape_trace_event) return definition_reference(EVENT_NAME);
    CHECK(shape->alternatives[0]);
    if (!shape->alternatives[1]) return shape_schema(objects, shape->alternatives[0]);
    json_t *schema = cnf_json_checked(json_object()), *list = cnf_json_checked(json_array());
    for (uint32_t i = 0; i < SCN_ALTERNATIVE_COUNT_MAX && shape->alternatives[i]; i++)
        cnf_json_append(list, shape_schema(objects, shape->alternatives[i]));
    cnf_json_set(schema, "anyOf", list);
    return schema;
}

static json_t *shape_schema(const scn_objects *objects, const scn_shape *shape)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT: return text_schema(shape);
    case SCN_SHAPE_NAME: return name_schema(shape);
    case SCN_SHAPE_INTEGER: return integer_schema(shape);
    case SCN_SHAPE_TRUTH: return typed("boolean");
    case SCN_SHAPE_CHOICE: return shape == &scn_shape_null ? typed("null") : choice_schema(shape);
    case SCN_SHAPE_WORD: return words_schema(shape);
    case SCN_SHAPE_LIST: return list_schema(objects, shape);
    case SCN_SHAPE_MAP: return map_schema(objects, shape);
    case SCN_SHAPE_REFERENCE: return name_schema(&scn_shape_name);
    case SCN_SHAPE_OBJECT: {
        json_t *object = definition_reference(scn_objects_name(objects, shape).data);
        if (!shape->shorthand) return object;
        json_t *list = cnf_json_checked(json_array());
        cnf_json_append(list, shape_schema(objects, shape->rows[0].shape));
        cnf_json_append(list, object);
        return any_of(list);
    }
    case SCN_SHAPE_OTHER: return other_schema(objects, shape);
    default: break; /* of the model alone */
    }
    UNREACHABLE();
}

/* The definitions of all objects but the scenario itself, which is the schema. */
static json_t *definitions(const scn_objects *objects)
{
    json_t *list = cnf_json_checked(json_object());
    for (uint32_t i = 0; i < objects->list.count; i++) {
        const scn_named_object *object = &objects->list.items[i];
        if (object->shape == &scn_shape_scenario) continue;
        CHECK(strcmp(object->name.data, EVENT_NAME) != 0);
        cnf_json_set(list, object->name.data, object_schema(objects, object->shape));
    }
    cnf_json_set(list, EVENT_NAME, events_schema(objects));
    scn_value_definitions_add(list);
    return list;
}

void scn_schema_write(rt_buffer *out)
{
    rt_arena arena = {0};
    scn_objects objects;
    scn_objects_find(&arena, &objects);
    json_t *schema = cnf_json_checked(json_object());
    cnf_json_set(schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    cnf_json_set(schema, "title", json_string("assay scenario"));
    json_t *format = object_schema(&objects, &scn_shape_scenario);
    int failed = json_object_update(schema, format);
    CHECK(!failed);
    json_decref(format);
    cnf_json_set(schema, "$defs", definitions(&objects));
    char *text = json_dumps(schema, JSON_INDENT(2));
    CHECK(text);
    rt_buffer_append(out, text, strlen(text));
    rt_buffer_append_byte(out, '\n');
    free(text); /* jansson's own allocation */
    json_decref(schema);
    rt_vector_free(&objects.list);
    rt_arena_reset(&arena);
}
