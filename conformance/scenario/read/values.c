/* Values: the initial or expected contents of memories, and the values of arguments. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/schema/schema.h"
#include "conformance/scenario/yaml/number.h"
#include "reference/base/hash.h"

#include <string.h>

/* ---- Elements ----------------------------------------------------------------------------- */

static const scn_shape shape_any_number = {SCN_TEXT("a number")};
static const scn_shape shape_lanes = {
    SCN_LIST("a list of lanes", const scn_node *, &shape_any_number),
    .least = 2,
    .most = SCN_LANES_MAX,
};
static const scn_shape shape_field_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a field's value",
    .read = scn_node_keep,
    .alternatives = {&shape_any_number, &shape_lanes},
};
static const scn_shape shape_field_values = {
    SCN_MAP("the map of fields", const scn_node *, &shape_field_value),
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};
const scn_shape scn_shape_element = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an element",
    .read = scn_node_keep,
    .alternatives = {&shape_any_number, &shape_lanes, &shape_field_values},
};

/* Reads a scalar, or a list with as many numbers as the field has lanes. */
static bool field_read(scn_reader *reader, const scn_field *field, const scn_node *node,
                       uint8_t *out_bytes)
{
    const char *type = scn_type_name(field->type);
    if (field->lanes == 1 && node->kind == SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at,
                          "expected a value of type %s, found a list; vectors have types such as "
                          "%s2",
                          type, type);
    }
    if (field->lanes == 1) {
        return scn_number_read(reader->reporter, field->type, node, out_bytes);
    }
    if (node->kind != SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at,
                          "expected a value of type %s%u, a list of %u numbers, found %s", type,
                          field->lanes, field->lanes, scn_node_describe(reader->arena, node));
    }
    if (node->count != field->lanes) {
        return scn_report(reader->reporter, node->at,
                          "expected a value of type %s%u, a list of %u numbers, found %u", type,
                          field->lanes, field->lanes, node->count);
    }
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        uint8_t *lane = out_bytes + (size_t)i * scn_type_size(field->type);
        valid = scn_number_read(reader->reporter, field->type, &node->items[i], lane) && valid;
    }
    return valid;
}

static const scn_field *field_find(const scn_layout *layout, rt_text name)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        if (rt_text_equal(layout->fields[i].name, name)) return &layout->fields[i];
    }
    return NULL;
}

static bool field_names_check(scn_reader *reader, const scn_layout *layout, const scn_node *node)
{
    bool valid = true;
    for (uint32_t e = 0; e < node->count; e++) {
        const scn_entry *entry = &node->entries[e];
        if (field_find(layout, entry->key)) continue;
        rt_nearest nearest = rt_nearest_to(entry->key);
        for (uint32_t i = 0; i < layout->field_count; i++)
            rt_nearest_offer(&nearest, layout->fields[i].name);
        const char *struct_text = scn_layout_print(reader->arena, layout).data;
        valid = scn_report(reader->reporter, entry->at, "no field '%s' in %s%s",
                           scn_shown(reader->arena, entry->key), struct_text,
                           scn_nearest_hint(reader->arena, &nearest));
    }
    return valid;
}

static bool struct_read(scn_reader *reader, const scn_layout *layout, const scn_node *node,
                        uint8_t *out_bytes)
{
    if (node->kind != SCN_NODE_MAPPING) {
        return scn_report(reader->reporter, node->at,
                          "expected an element of type %s, a mapping with every field, found %s",
                          scn_layout_print(reader->arena, layout).data,
                          scn_node_describe(reader->arena, node));
    }
    /* If another field's name is wrong, a missing field is probably the one that was meant. */
    if (!field_names_check(reader, layout, node)) return false;
    bool valid = true;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const scn_field *field = &layout->fields[i];
        const scn_entry *entry = scn_node_entry(node, field->name.data);
        if (!entry) {
            valid = scn_report(reader->reporter, node->at,
                               "an element of type %s needs every field; '%s' is missing",
                               scn_layout_print(reader->arena, layout).data,
                               scn_shown(reader->arena, field->name));
            continue;
        }
        valid = field_read(reader, field, &entry->value, out_bytes + field->offset) && valid;
    }
    return valid;
}

bool scn_element_read(scn_reader *reader, const scn_layout *layout, const scn_node *node,
                      uint8_t *out_bytes)
{
    if (layout->is_struct) return struct_read(reader, layout, node, out_bytes);
    CHECK(layout->field_count == 1);
    return field_read(reader, &layout->fields[0], node, out_bytes);
}

/* ---- A value with its type ---------------------------------------------------------------- */

static const char *value_type_word(uint32_t index)
{
    return scn_type_word(index < SCN_TYPE_COUNT ? index : index + 1); /* without "struct" */
}
const scn_shape scn_shape_value_type = {SCN_WORD("a type", value_type_word)};
static const scn_shape shape_typed_map = {
    .kind = SCN_SHAPE_MAP,
    .noun = "a value, {TYPE: VALUE}",
    .element = &shape_field_value,
    .keys = &scn_shape_value_type,
    .typing = SCN_TYPED_BY_KEY,
    .least = 1,
    .most = 1,
};
const scn_shape scn_shape_typed_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a value, {TYPE: VALUE}",
    .read = scn_node_keep,
    .alternatives = {&shape_typed_map},
};

bool scn_typed_value_read(scn_reader *reader, const scn_entry *entry, scn_layout *out_layout,
                          rt_bytes *out_value)
{
    scn_type type;
    uint32_t lanes;
    if (!scn_type_find(entry->key, &type, &lanes)) {
        scn_node name = {.kind = SCN_NODE_SCALAR, .at = entry->at, .text = entry->key};
        rt_text ignored;
        bool known = scn_value_read(reader, &scn_shape_value_type, &name, &ignored);
        CHECK(!known);
        return false;
    }
    *out_layout = scn_layout_of(reader->arena, type, lanes);
    uint8_t *bytes = rt_arena_alloc(reader->arena, out_layout->size);
    *out_value = (rt_bytes){bytes, out_layout->size};
    return scn_element_read(reader, out_layout, &entry->value, bytes);
}

/* ---- Patterns ----------------------------------------------------------------------------- */

typedef struct pattern_draft {
    uint64_t iota, seed;
    scn_integer start, step;
    const scn_node *fill, *bytes;
} pattern_draft;

static const scn_shape shape_iota = {
    SCN_INTEGER("a number of elements", 1, RT_SCENARIO_VALUES_MAX),
};
static const scn_shape shape_seed = {SCN_INTEGER("a seed", 0, INT64_MAX)};

static bool whole_number_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_integer_read(reader->reporter, node, "a number to count by", out);
}
/* A value that YAML reads as a number is whole; any other has a sign and hexadecimal digits. */
static const scn_shape shape_whole_digits = {
    SCN_TEXT("a whole number"),
    .pattern = SCN_SIGNED_HEXADECIMAL_PATTERN,
    .also = "{'not': {'type': 'number', 'not': {'type': 'integer'}}}",
};
static const scn_shape shape_whole_number = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a whole number",
    .read = whole_number_read,
    .alternatives = {&shape_whole_digits},
};
static const scn_shape shape_digits = {
    SCN_TEXT("hexadecimal digits"),
    .pattern = SCN_HEXADECIMAL_PATTERN,
};
const scn_shape scn_shape_bytes = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "bytes in hexadecimal",
    .read = scn_node_keep,
    .alternatives = {&shape_digits},
};

enum { PATTERN_IOTA, PATTERN_FILL, PATTERN_START, PATTERN_STEP, PATTERN_SEED, PATTERN_BYTES };
static const scn_row pattern_rows[] = {
    [PATTERN_IOTA] = {"iota", &shape_iota, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, iota),
                      "This many elements that count up: 0, 1, 2 ..."},
    [PATTERN_FILL] = {"fill", &scn_shape_element, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, fill),
                      "The same value in every element."},
    [PATTERN_START] = {"start", &shape_whole_number, 0, SCN_FIELD(pattern_draft, start),
                       "Where iota begins, if not at 0."},
    [PATTERN_STEP] = {"step", &shape_whole_number, 0, SCN_FIELD(pattern_draft, step),
                      "The step of iota, if not 1; if it is negative, iota counts down."},
    [PATTERN_SEED] = {"seed", &shape_seed, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, seed),
                      "Numbers drawn from this seed by SplitMix64, lane by lane: integers over all "
                      "values, floating ones in [-1, 1)."},
    [PATTERN_BYTES] = {"bytes", &scn_shape_bytes, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, bytes),
                       "The bytes of all elements, two hexadecimal digits each."},
};
static const scn_relation pattern_relations[] = {
    {"start", SCN_NEEDS, {"iota"}, "'start' belongs to iota; remove it"},
    {"step", SCN_NEEDS, {"iota"}, "'step' belongs to iota; remove it"},
};
static const scn_shape shape_pattern = {
    SCN_OBJECT("a pattern of values", pattern_rows),
    SCN_RELATIONS(pattern_relations),
};
static const scn_shape shape_value_list = {
    SCN_LIST("a list of values", const scn_node *, &scn_shape_element),
    .least = 1,
};
const scn_shape scn_shape_values = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "values",
    .read = scn_node_keep,
    .alternatives = {&shape_value_list, &shape_pattern},
};

/* The source of the values of one memory, and the elements that they are written to. */
typedef struct values_draft {
    const scn_node *node;
    uint32_t kind; /* PATTERN_..., SCN_NONE: a list */
    pattern_draft pattern;
    rt_bytes bytes;   /* BYTES */
    uint64_t written; /* number of elements that it gives; 0: as many as are needed */
    const scn_layout *layout;
    uint64_t count;
    uint8_t *out; /* count elements, zeroed */
} values_draft;

static bool list_fill(scn_reader *reader, const values_draft *draft)
{
    bool valid = true;
    CHECK(draft->count == draft->node->count);
    for (uint32_t i = 0; i < draft->node->count; i++) {
        uint8_t *element = draft->out + (size_t)i * draft->layout->size;
        valid = scn_element_read(reader, draft->layout, &draft->node->items[i], element) && valid;
    }
    return valid;
}

/* Adds two whole numbers; false if the sum has more than 64 bits. */
static bool integer_add(scn_integer a, scn_integer b, scn_integer *out_sum)
{
    bool greater = a.magnitude >= b.magnitude;
    *out_sum = (scn_integer){greater ? a.negative : b.negative,
                             greater ? a.magnitude - b.magnitude : b.magnitude - a.magnitude};
    if (a.negative == b.negative) out_sum->magnitude = a.magnitude + b.magnitude;
    if (out_sum->magnitude == 0) out_sum->negative = false;
    return a.negative != b.negative || out_sum->magnitude >= a.magnitude;
}

static bool iota_fill(scn_reader *reader, const values_draft *draft)
{
    const scn_layout *layout = draft->layout;
    if (layout->is_struct || layout->fields[0].lanes > 1) {
        return scn_report(reader->reporter, draft->node->at,
                          "iota counts scalars, not %s; list the values, or fill",
                          scn_layout_print(reader->arena, layout).data);
    }
    scn_type type = layout->fields[0].type;
    scn_integer number = draft->pattern.start;
    for (uint64_t i = 0; i < draft->count; i++) {
        if (i > 0 && !integer_add(number, draft->pattern.step, &number)) {
            return scn_report(reader->reporter, draft->node->at,
                              "counting exceeds 64 bits, which no type holds");
        }
        if (scn_number_of_integer(type, number, draft->out + i * layout->size)) continue;
        return scn_report(reader->reporter, draft->node->at,
                          "counting reaches %s%" PRIu64 ", which type %s cannot hold%s",
                          number.negative ? "-" : "", number.magnitude, scn_type_name(type),
                          scn_type_class(type) == 'f' ? " exactly" : "");
    }
    return true;
}

static bool fill_fill(scn_reader *reader, const values_draft *draft)
{
    uint32_t size = draft->layout->size;
    if (!scn_element_read(reader, draft->layout, draft->pattern.fill, draft->out)) return false;
    for (uint64_t i = 1; i < draft->count; i++)
        memcpy(draft->out + i * size, draft->out, size);
    return true;
}

/* Number n (from 0, in the order of elements, fields and lanes) is made by scn_number_of_bits from
 * the n-th result of SplitMix64 with the seed as its state. */
static bool seed_fill(scn_reader *reader, const values_draft *draft)
{
    (void)reader;
    uint64_t state = draft->pattern.seed;
    const scn_layout *layout = draft->layout;
    for (uint64_t i = 0; i < draft->count; i++) {
        for (uint32_t f = 0; f < layout->field_count; f++) {
            const scn_field *field = &layout->fields[f];
            uint8_t *lane = draft->out + i * layout->size + field->offset;
            for (uint32_t l = 0; l < field->lanes; l++, lane += scn_type_size(field->type)) {
                state += RT_MIX_STEP;
                scn_number_of_bits(field->type, rt_mix64(state), lane);
            }
        }
    }
    return true;
}

static bool bytes_fill(scn_reader *reader, const values_draft *draft)
{
    (void)reader;
    CHECK(draft->bytes.size == draft->count * draft->layout->size);
    memcpy(draft->out, draft->bytes.data, draft->bytes.size);
    return true;
}

typedef bool values_fill(scn_reader *reader, const values_draft *draft);

static values_fill *const fills[] = {
    [PATTERN_IOTA] = iota_fill,
    [PATTERN_FILL] = fill_fill,
    [PATTERN_SEED] = seed_fill,
    [PATTERN_BYTES] = bytes_fill,
};

/* ---- From the file to bytes --------------------------------------------------------------- */

/* Reads the bytes, which determine the number of elements. */
static bool bytes_count(scn_reader *reader, values_draft *draft)
{
    const scn_node *node = draft->pattern.bytes;
    if (!scn_hexadecimal_read(reader->reporter, node, &draft->bytes)) return false;
    draft->written = draft->bytes.size / draft->layout->size;
    if (draft->bytes.size % draft->layout->size == 0) return true;
    return scn_report(reader->reporter, node->at,
                      "%zu bytes are not a whole number of elements; one of type %s has %u",
                      draft->bytes.size, scn_layout_print(reader->arena, draft->layout).data,
                      draft->layout->size);
}

static bool pattern_read(scn_reader *reader, values_draft *draft)
{
    const scn_node *node = draft->node;
    draft->pattern.step = (scn_integer){false, 1};
    if (!scn_object_read(reader, &shape_pattern, node, &draft->pattern)) return false;
    draft->kind = scn_object_alternative(reader, &shape_pattern, node, "iota, fill, seed or bytes");
    if (draft->kind == SCN_NONE) return false;
    draft->written = draft->pattern.iota;
    return draft->kind != PATTERN_BYTES || bytes_count(reader, draft);
}

static bool list_or_pattern_read(scn_reader *reader, values_draft *draft)
{
    const scn_node *node = draft->node;
    if (node->kind == SCN_NODE_MAPPING) return pattern_read(reader, draft);
    if (node->kind == SCN_NODE_SCALAR) {
        return scn_report(reader->reporter, node->at,
                          "expected a list of values, {iota: COUNT} or {fill: VALUE}, found %s",
                          scn_node_describe(reader->arena, node));
    }
    draft->written = node->count;
    if (node->count > 0) return true;
    return scn_report(reader->reporter, node->at, "no values; at least 1 expected");
}

/* Determines the number of elements from the number written and the number required. */
static bool count_determine(scn_reader *reader, values_draft *draft)
{
    if (draft->written == 0 && draft->count == 0) {
        return scn_report(reader->reporter, draft->node->at,
                          "%s does not say how many elements there are; give a count",
                          pattern_rows[draft->kind].key);
    }
    if (draft->written != 0 && draft->count != 0 && draft->written != draft->count) {
        return scn_report(reader->reporter, draft->node->at,
                          "values: %" PRIu64 ", elements: %" PRIu64
                          "; give a value for each element",
                          draft->written, draft->count);
    }
    if (draft->count == 0) draft->count = draft->written;
    return true;
}

bool scn_values_alloc(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                      uint64_t count, uint8_t **out_bytes)
{
    CHECK(reader->values_size <= RT_SCENARIO_VALUES_MAX);
    uint64_t room = RT_SCENARIO_VALUES_MAX - reader->values_size;
    if (count > room / layout->size) {
        return scn_report(
            reader->reporter, node->at,
            "the values of a scenario take at most %u bytes in total; make the memories smaller, "
            "or let a kernel write them",
            RT_SCENARIO_VALUES_MAX);
    }
    reader->values_size += count * layout->size;
    *out_bytes = rt_arena_alloc(reader->arena, count * layout->size);
    return true;
}

bool scn_values_read(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                     uint64_t count, rt_bytes *out_bytes, uint64_t *out_count)
{
    CHECK(layout->size > 0);
    values_draft draft = {.node = node, .kind = SCN_NONE, .layout = layout, .count = count};
    *out_bytes = (rt_bytes){0};
    *out_count = 0;
    bool valid = list_or_pattern_read(reader, &draft) && count_determine(reader, &draft) &&
                 scn_values_alloc(reader, node, layout, draft.count, &draft.out);
    if (!valid) return false;
    *out_bytes = (rt_bytes){draft.out, draft.count * layout->size};
    *out_count = draft.count;
    return (draft.kind == SCN_NONE ? list_fill : fills[draft.kind])(reader, &draft);
}
