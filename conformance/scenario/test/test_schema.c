/* Unit tests of the format's JSON Schema and reference page. */
#include "conformance/scenario/schema/objects.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- The schema ---------------------------------------------------------------------------- */

static json_t *schema_read(void)
{
    rt_buffer text = {0};
    scn_schema_write(&text);
    json_t *schema = json_loads(rt_buffer_string(&text), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(schema);
    rt_buffer_free(&text);
    return schema;
}

/* The value at a path of keys separated by '/'. */
static const json_t *at(const json_t *root, const char *path)
{
    char key[64];
    while (*path) {
        size_t length = strcspn(path, "/");
        assert_true(length < sizeof key);
        memcpy(key, path, length);
        key[length] = '\0';
        root = json_object_get(root, key);
        assert_non_null(root);
        path += length + (path[length] == '/');
    }
    return root;
}

static void the_schema_comes_from_the_table(void **state)
{
    (void)state;
    json_t *schema = schema_read();
    assert_int_equal(json_array_size(at(schema, "required")), 4);
    const json_t *step = at(schema, "$defs/step");
    assert_string_equal(json_string_value(at(step, "properties/load/description")),
                        "Loads a module, as dlopen does.");
    assert_non_null(at(schema, "$defs/memory/properties/type"));
    json_decref(schema);
}

static void keys_that_need_others_are_dependent(void **state)
{
    (void)state;
    json_t *schema = schema_read();
    const json_t *offset = at(schema, "$defs/argument/dependentSchemas/offset/allOf");
    assert_int_equal(json_array_size(offset), 1);
    const json_t *any = json_object_get(json_array_get(offset, 0), "anyOf");
    assert_int_equal(json_array_size(any), 1);
    const json_t *keys = json_object_get(json_array_get(any, 0), "required");
    assert_string_equal(json_string_value(json_array_get(keys, 0)), "usm");
    const json_t *module = at(schema, "$defs/submit/dependentSchemas/module/allOf");
    assert_non_null(json_object_get(json_array_get(module, 0), "not"));
    json_decref(schema);
}

/* Limits calculated by hand: 2^7, 2^64, and 65504 + 16, half a step above the greatest
 * half-precision number. */
static void values_have_the_bounds_of_their_type(void **state)
{
    (void)state;
    static const struct row {
        const char *type;
        double least, end;
    } rows[] = {{"char", -128, 128}, {"uchar", 0, 256}, {"ulong", 0, 18446744073709551616.0}};
    json_t *schema = schema_read();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char path[64];
        snprintf(path, sizeof path, "$defs/value-of-%s/anyOf", rows[i].type);
        const json_t *number = json_array_get(at(schema, path), 0);
        assert_true(json_number_value(json_object_get(number, "minimum")) == rows[i].least);
        assert_true(json_number_value(json_object_get(number, "exclusiveMaximum")) == rows[i].end);
    }
    const json_t *half = json_array_get(at(schema, "$defs/value-of-half/anyOf"), 0);
    assert_true(json_number_value(json_object_get(half, "exclusiveMaximum")) == 65520);
    assert_int_equal(json_integer_value(at(schema, "$defs/value-of-float4/minItems")), 4);
    assert_null(json_object_get(at(schema, "$defs"), "value-of-struct"));
    json_decref(schema);
}

/* Checks that every reference has a definition; returns the number of references. */
static uint32_t references_check(const json_t *root, json_t *node)
{
    uint32_t count = 0;
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach(node, key, value)
    {
        count += references_check(root, value);
        if (strcmp(key, "$ref") != 0) continue;
        assert_memory_equal(json_string_value(value), "#/$defs/", 8);
        assert_non_null(json_object_get(at(root, "$defs"), json_string_value(value) + 8));
        count++;
    }
    json_array_foreach(node, index, value)
    {
        count += references_check(root, value);
    }
    return count;
}

static void references_lead_to_definitions(void **state)
{
    (void)state;
    json_t *schema = schema_read();
    /* Every definition is referred to at least once, because definitions are found by following
     * references. */
    assert_true(references_check(schema, schema) >= json_object_size(at(schema, "$defs")));
    assert_true(json_object_size(at(schema, "$defs")) > 10);
    json_decref(schema);
}

/* ---- The page ------------------------------------------------------------------------------ */

static void the_page_has_a_section_for_each_object_and_a_row_for_each_key(void **state)
{
    (void)state;
    rt_arena arena = {0};
    scn_objects objects;
    rt_buffer page = {0};
    scn_page_write(&page);
    scn_objects_find(&arena, &scn_shape_scenario, &objects);
    assert_true(objects.list.count > 10);
    for (uint32_t i = 0; i < objects.list.count; i++) {
        const scn_named_object *object = &objects.list.items[i];
        for (uint32_t j = 0; j < i; j++)
            assert_false(rt_text_equal(objects.list.items[j].name, object->name));
        char heading[128];
        snprintf(heading, sizeof heading, "\n## %s\n", object->title.data);
        const char *section = strstr(rt_buffer_string(&page), heading);
        assert_non_null(section);
        /* The title is the noun without its article; the name must be usable as an anchor. */
        assert_memory_equal(object->title.data + 1, strchr(object->shape->noun, ' ') + 2,
                            strlen(strchr(object->shape->noun, ' ') + 2));
        assert_int_equal(strspn(object->name.data, "abcdefghijklmnopqrstuvwxyz0123456789-_"),
                         object->name.length);
        for (uint32_t j = 0; j < object->shape->row_count; j++) {
            const scn_row *row = &object->shape->rows[j];
            char line[128];
            if (!scn_row_is_documented(row)) continue; /* part of the model only */
            snprintf(line, sizeof line, "\n| `%s` | ", row->key);
            assert_non_null(strstr(section, line));
        }
    }
    rt_vector_free(&objects.list);
    rt_buffer_free(&page);
    rt_arena_reset(&arena);
}

/* Each row of a table must have as many cells as the header, whatever the text contains. */
static void tables_keep_their_columns(void **state)
{
    (void)state;
    rt_buffer page = {0};
    scn_page_write(&page);
    uint32_t columns = 0, rows = 0;
    const char *line = rt_buffer_string(&page);
    while (*line) {
        size_t length = strcspn(line, "\n");
        uint32_t bars = 0;
        for (size_t i = 0; i < length; i++)
            bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
        if (line[0] != '|') {
            columns = 0;
        } else if (columns == 0) {
            columns = bars;
        } else {
            assert_int_equal(bars, columns);
            rows++;
        }
        line += length + (line[length] == '\n');
    }
    assert_true(rows > 50);
    rt_buffer_free(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_comes_from_the_table),
        cmocka_unit_test(keys_that_need_others_are_dependent),
        cmocka_unit_test(values_have_the_bounds_of_their_type),
        cmocka_unit_test(references_lead_to_definitions),
        cmocka_unit_test(the_page_has_a_section_for_each_object_and_a_row_for_each_key),
        cmocka_unit_test(tables_keep_their_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
