/* Integer ranges, floating-point limits and vector lanes: the tables of type.c as a JSON Schema.
 *
 * A schema sees only parsed values, not their spelling. So only the reader can refuse a number
 * beyond 64 bits, digits beyond the precision of a half, and 010 for 8. */
#include "conformance/scenario/schema/values.h"

#include "conformance/json/json.h"
#include "conformance/scenario/model/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t lane_counts[] = {1, 2, 3, 4, 8, 16};

enum { TYPE_NAME_SIZE = 24 };

static void type_name(scn_type type, uint32_t lanes, char out[TYPE_NAME_SIZE])
{
    CHECK(scn_lanes_are_valid(lanes));
    if (lanes == 1)
        snprintf(out, TYPE_NAME_SIZE, "%s", scn_type_name(type));
    else
        snprintf(out, TYPE_NAME_SIZE, "%s%u", scn_type_name(type), lanes);
}

static json_t *reference(const char *kind, const char *type)
{
    return cnf_json_checked(
        json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s-of-%s", kind, type)));
}

json_t *scn_value_reference(const char *type)
{
    return reference("value", type);
}

/* ---- Scalars ------------------------------------------------------------------------------- */

/* YAML parses hexadecimal numbers only without a sign; signed ones reach the schema as strings. */
static json_t *integer_schema(scn_type type)
{
    int bits = 8 * (int)scn_type_size(type);
    bool is_signed = scn_type_class(type) == 'i';
    double end = ldexp(1, is_signed ? bits - 1 : bits); /* one past the greatest value; a double
                                                         * holds it exactly */
    double least = is_signed ? -end : 0;
    return cnf_json_checked(
        json_pack("{s:[{s:s,s:f,s:f},{s:s,s:s}]}", "anyOf", "type", "integer", "minimum", least,
                  "exclusiveMaximum", end, "type", "string", "pattern",
                  is_signed ? SCN_SIGNED_HEXADECIMAL_PATTERN : "^[+]?0[xX][0-9a-fA-F]+$"));
}

/* For half and float, `large` is halfway between the greatest finite number and the next power of
 * two, and `small` is half the smallest positive number. */
static const struct float_limits {
    double large;         /* the least number that is rounded to infinity; HUGE_VAL: none */
    double small;         /* the greatest number that is rounded to zero */
    const char *fraction; /* pattern for the fraction field of a NaN, after leading zeros: not 0,
                           * and within the field's width */
} float_limits[SCN_TYPE_COUNT] = {
    [SCN_TYPE_HALF] = {65520, 0x1p-25, "([1-9a-fA-F]H?|[1-3]HH)"},
    [SCN_TYPE_FLOAT] = {0x1p128 - 0x1p103, 0x1p-150, "([1-9a-fA-F]H{0,4}|[1-7]H{5})"},
    [SCN_TYPE_DOUBLE] = {HUGE_VAL, 0, "[1-9a-fA-F]H{0,12}"},
};

/* Infinities, NaNs and hexadecimal floats; in `fraction`, H stands for a hexadecimal digit. */
static json_t *special_schema(const char *fraction)
{
    rt_buffer pattern = {0};
    rt_buffer_printf(&pattern, "^[-+]?(inf|nan|nan\\(0[xX]0*");
    for (const char *at = fraction; *at; at++) {
        if (*at == 'H')
            rt_buffer_printf(&pattern, "[0-9a-fA-F]");
        else
            rt_buffer_append_byte(&pattern, *at);
    }
    rt_buffer_printf(&pattern, "\\)|0[xX](?=[.]?[0-9a-fA-F])[0-9a-fA-F]*[.]?[0-9a-fA-F]*"
                               "([pP][-+]?[0-9]+)?)$");
    json_t *schema = cnf_json_checked(
        json_pack("{s:s,s:s}", "type", "string", "pattern", rt_buffer_string(&pattern)));
    rt_buffer_free(&pattern);
    return schema;
}

static json_t *floating_schema(scn_type type)
{
    const struct float_limits *limits = &float_limits[type];
    CHECK(limits->large > limits->small && limits->fraction);
    json_t *number = cnf_json_checked(json_pack("{s:s}", "type", "number"));
    if (!isinf(limits->large)) {
        json_t *zero = cnf_json_checked(json_pack("{s:f,s:f,s:{s:i}}", "minimum", -limits->small,
                                                  "maximum", limits->small, "not", "const", 0));
        cnf_json_set(number, "exclusiveMinimum", json_real(-limits->large));
        cnf_json_set(number, "exclusiveMaximum", json_real(limits->large));
        cnf_json_set(number, "not", zero);
    }
    return cnf_json_checked(
        json_pack("{s:[o,o]}", "anyOf", number, special_schema(limits->fraction)));
}

/* ---- Elements and lists of them ------------------------------------------------------------ */

static json_t *element_schema(scn_type type, uint32_t lanes)
{
    if (lanes > 1) {
        return cnf_json_checked(json_pack("{s:s,s:o,s:i,s:i}", "type", "array", "items",
                                          reference("value", scn_type_name(type)), "minItems",
                                          (int)lanes, "maxItems", (int)lanes));
    }
    return scn_type_class(type) == 'f' ? floating_schema(type) : integer_schema(type);
}

/* A list of elements, or a pattern whose `fill` is one element; only scalars allow `iota`. */
static json_t *values_schema(json_t *element, bool scalar)
{
    json_t *pattern = cnf_json_checked(json_pack("{s:O}", "fill", element));
    if (!scalar) cnf_json_set(pattern, "iota", json_false());
    return cnf_json_checked(json_pack("{s:{s:s},s:{s:o},s:{s:o}}", "if", "type", "array", "then",
                                      "items", element, "else", "properties", pattern));
}

static void define(json_t *definitions, const char *kind, const char *type, json_t *schema)
{
    char name[TYPE_NAME_SIZE + 16];
    snprintf(name, sizeof name, "%s-of-%s", kind, type);
    CHECK(!json_object_get(definitions, name));
    cnf_json_set(definitions, name, schema);
}

void scn_value_definitions_add(json_t *definitions)
{
    char name[TYPE_NAME_SIZE];
    for (uint32_t type = 0; type < SCN_TYPE_COUNT; type++) {
        for (size_t i = 0; i < sizeof lane_counts / sizeof *lane_counts; i++) {
            uint32_t lanes = lane_counts[i];
            type_name((scn_type)type, lanes, name);
            define(definitions, "value", name, element_schema((scn_type)type, lanes));
            define(definitions, "values", name,
                   values_schema(scn_value_reference(name), lanes == 1));
        }
    }
    json_t *element = cnf_json_checked(json_pack("{s:s}", "type", "object"));
    define(definitions, "values", "struct", values_schema(element, false));
}

/* ---- Objects with a type ------------------------------------------------------------------- */

static void typed_add(json_t *list, const char *type, const char *key, bool is_whole)
{
    json_t *properties = cnf_json_checked(json_pack("{s:o}", key, reference("values", type)));
    if (is_whole) {
        json_t *kinds = json_pack("{s:{s:b, s:b}}", "properties", "ulp", 0, "relative", 0);
        cnf_json_set(properties, "tolerance", cnf_json_checked(kinds));
    }
    json_t *rule = cnf_json_checked(json_pack("{s:{s:{s:{s:s}},s:[s]},s:{s:o}}", "if", "properties",
                                              "type", "const", type, "required", "type", "then",
                                              "properties", properties));
    cnf_json_append(list, rule);
}

void scn_typed_values_add(json_t *list, const char *key, bool tolerances)
{
    char name[TYPE_NAME_SIZE];
    for (uint32_t type = 0; type < SCN_TYPE_COUNT; type++) {
        bool floating = scn_type_class((scn_type)type) == 'f';
        for (size_t i = 0; i < sizeof lane_counts / sizeof *lane_counts; i++) {
            type_name((scn_type)type, lane_counts[i], name);
            typed_add(list, name, key, tolerances && !floating);
        }
    }
    typed_add(list, "struct", key, false);
}
