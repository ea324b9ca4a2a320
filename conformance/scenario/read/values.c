/* Values: the initial or expected contents of memories, and the values of arguments. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/read/array_file.h"
#include "conformance/scenario/read/companion.h"
#include "conformance/scenario/read/source.h"
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
    CHECK(field->lanes <= SCN_LANES_MAX);
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

static bool struct_read(scn_reader *reader, const scn_layout *layout, const scn_node *node,
                        uint8_t *out_bytes)
{
    const char *type = scn_layout_print(reader->arena, layout).data;
    if (node->kind != SCN_NODE_MAPPING) {
        return scn_report(reader->reporter, node->at,
                          "expected an element of type %s, a mapping with every field, found %s",
                          type, scn_node_describe(reader->arena, node));
    }
    bool valid = true;
    for (uint32_t e = 0; e < node->count; e++) {
        const scn_entry *entry = &node->entries[e];
        rt_nearest nearest = rt_nearest_to(entry->key);
        uint32_t i = 0;
        while (i < layout->field_count && !rt_text_equal(layout->fields[i].name, entry->key))
            rt_nearest_offer(&nearest, layout->fields[i++].name);
        if (i < layout->field_count) continue;
        valid = scn_report(reader->reporter, entry->at, "no field '%s' in %s%s",
                           scn_excerpt(reader->arena, entry->key), type,
                           scn_nearest_hint(reader->arena, &nearest));
    }
    /* If a field name is unknown, a missing field is probably the one that was meant. */
    if (!valid) return false;
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const scn_field *field = &layout->fields[i];
        CHECK(field->offset + scn_field_size(field) <= layout->size);
        const scn_node *value = scn_node_value(node, field->name.data);
        if (value)
            valid = field_read(reader, field, value, out_bytes + field->offset) && valid;
        else
            valid = scn_report(reader->reporter, node->at,
                               "an element of type %s needs every field; '%s' is missing", type,
                               scn_excerpt(reader->arena, field->name));
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
const scn_shape scn_shape_typed_value = {
    .kind = SCN_SHAPE_MAP,
    .noun = "a value, {TYPE: VALUE}",
    .element = &shape_field_value,
    .keys = &scn_shape_value_type,
    .typing = SCN_TYPED_BY_KEY,
    .least = 1,
    .most = 1,
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

/* Where the values of a memory come from. */
typedef struct values_draft {
    uint64_t iota, seed;
    scn_integer start, step;
    const scn_node *fill, *bytes;
    uint32_t kind;    /* PATTERN_..., SCN_NONE: a list */
    rt_bytes decoded; /* BYTES */
    scn_array array;  /* FILE */
    uint64_t written; /* number of elements that the values give; 0: as many as are needed */
} values_draft;

static const scn_shape shape_iota = {
    SCN_INTEGER("a number of elements", 1, RT_SCENARIO_VALUES_MAX),
};
static const scn_shape shape_seed = {SCN_INTEGER("a seed", 0, INT64_MAX)};

static bool whole_number_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_integer_read(reader->reporter, node, "a start or step", out);
}
/* For the schema: a value that YAML reads as a number must be whole; any other value must be
 * hexadecimal, with an optional sign. */
static const scn_shape shape_whole_number = {
    SCN_TEXT("a whole number"),
    .pattern = SCN_SIGNED_HEXADECIMAL_PATTERN,
    .also = "{'not': {'type': 'number', 'not': {'type': 'integer'}}}",
    .read = whole_number_read,
};
const scn_shape scn_shape_bytes = {
    SCN_TEXT("bytes in hexadecimal"),
    .pattern = SCN_HEXADECIMAL_PATTERN,
    .read = scn_node_keep,
};

enum {
    PATTERN_IOTA,
    PATTERN_FILL,
    PATTERN_START,
    PATTERN_STEP,
    PATTERN_SEED,
    PATTERN_BYTES,
    PATTERN_FILE,
    PATTERN_SHA256
};
static const scn_row pattern_rows[] = {
    [PATTERN_IOTA] = {"iota", &shape_iota, SCN_ALTERNATIVE, SCN_FIELD(values_draft, iota),
                      "The number of elements, whose values count up: 0, 1, 2 ..."},
    [PATTERN_FILL] = {"fill", &scn_shape_element, SCN_ALTERNATIVE, SCN_FIELD(values_draft, fill),
                      "The value of every element."},
    [PATTERN_START] = {"start", &shape_whole_number, 0, SCN_FIELD(values_draft, start),
                       "The first value of iota; default: 0."},
    [PATTERN_STEP] = {"step", &shape_whole_number, 0, SCN_FIELD(values_draft, step),
                      "The step of iota; default: 1. With a negative step, iota counts down."},
    [PATTERN_SEED] = {"seed", &shape_seed, SCN_ALTERNATIVE, SCN_FIELD(values_draft, seed),
                      "The seed from which SplitMix64 generates the values, lane by lane: "
                      "integers from their full range, floating-point numbers from [-1, 1)."},
    [PATTERN_BYTES] = {"bytes", &scn_shape_bytes, SCN_ALTERNATIVE, SCN_FIELD(values_draft, bytes),
                       "The bytes of all elements, two hexadecimal digits each."},
    [PATTERN_FILE] = {"file", &scn_shape_file_name, SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER,
                      SCN_NOWHERE,
                      "A file with the elements, relative to the scenario's folder: the bytes as "
                      "they are in memory, or an array in NumPy's format (.npy)."},
    [PATTERN_SHA256] = {"sha256", &scn_shape_sha256, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
                        "The SHA-256 hash of the file's contents, in hexadecimal."},
};
static const scn_relation pattern_relations[] = {
    {"start", SCN_NEEDS, {"iota"}, "'start' can be combined only with 'iota'; remove it"},
    {"step", SCN_NEEDS, {"iota"}, "'step' can be combined only with 'iota'; remove it"},
    {"sha256", SCN_NEEDS, {"file"}, "'sha256' can be combined only with 'file'; remove it"},
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
    .alternatives = {&shape_value_list, &shape_pattern},
};

/* Adds two whole numbers; false if the sum needs more than 64 bits. */
static bool integer_add(scn_integer a, scn_integer b, scn_integer *out_sum)
{
    bool greater = a.magnitude >= b.magnitude;
    *out_sum = (scn_integer){greater ? a.negative : b.negative,
                             greater ? a.magnitude - b.magnitude : b.magnitude - a.magnitude};
    if (a.negative == b.negative) out_sum->magnitude = a.magnitude + b.magnitude;
    if (out_sum->magnitude == 0) out_sum->negative = false;
    return a.negative != b.negative || out_sum->magnitude >= a.magnitude;
}

static bool iota_fill(scn_reader *reader, const scn_node *node, const values_draft *draft,
                      const scn_layout *layout, uint64_t count, uint8_t *out)
{
    if (layout->is_struct || layout->fields[0].lanes > 1) {
        return scn_report(reader->reporter, node->at,
                          "iota can count only scalars, not %s; list the values, or use 'fill'",
                          scn_layout_print(reader->arena, layout).data);
    }
    scn_type type = layout->fields[0].type;
    scn_integer number = draft->start;
    CHECK(layout->size == scn_type_size(type));
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && !integer_add(number, draft->step, &number)) {
            return scn_report(
                reader->reporter, node->at,
                "counting exceeds 64 bits, more than any type can hold; use a smaller 'start', "
                "'step' or count");
        }
        if (scn_number_of_integer(type, number, out + i * layout->size)) continue;
        return scn_report(reader->reporter, node->at,
                          "counting reaches %s%" PRIu64 ", which type %s cannot hold%s",
                          number.negative ? "-" : "", number.magnitude, scn_type_name(type),
                          scn_type_class(type) == 'f' ? " exactly" : "");
    }
    return true;
}

/* Number n (from 0, in the order of elements, fields and lanes) is what scn_number_of_bits makes of
 * the n-th output (from 0) of SplitMix64 with the seed as its initial state. */
static void seed_fill(uint64_t state, const scn_layout *layout, uint64_t count, uint8_t *out)
{
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t f = 0; f < layout->field_count; f++) {
            const scn_field *field = &layout->fields[f];
            uint8_t *lane = out + i * layout->size + field->offset;
            for (uint32_t l = 0; l < field->lanes; l++, lane += scn_type_size(field->type)) {
                state += RT_MIX_STEP;
                scn_number_of_bits(field->type, rt_mix64(state), lane);
            }
        }
    }
}

/* ---- From the file to bytes --------------------------------------------------------------- */

static bool file_read(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                      values_draft *draft)
{
    const scn_node *name = scn_node_value(node, "file");
    rt_text ignored, content;
    if (!scn_value_read(reader, &scn_shape_file_name, name, &ignored) ||
        !scn_companion_read(reader, name, scn_node_value(node, "sha256"), &content) ||
        !scn_array_read(reader, name, content, layout, &draft->array))
        return false;
    draft->written = draft->array.count;
    return true;
}

/* Reads a list or pattern only far enough to know how many elements it gives. */
static bool draft_read(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                       values_draft *out_draft)
{
    *out_draft = (values_draft){.step = {false, 1}, .kind = SCN_NONE, .written = node->count};
    if (node->kind == SCN_NODE_SCALAR) {
        return scn_report_expected(reader, node,
                                   "a list of values, {iota: COUNT} or {fill: VALUE}");
    }
    if (node->kind == SCN_NODE_LIST && node->count == 0)
        return scn_report(reader->reporter, node->at,
                          "the list of values is empty; give at least 1");
    if (node->kind == SCN_NODE_LIST) return true;
    if (!scn_object_read(reader, &shape_pattern, node, out_draft)) return false;
    out_draft->kind =
        scn_object_alternative(reader, &shape_pattern, node, "iota, fill, seed, bytes or file");
    if (out_draft->kind == SCN_NONE) return false;
    out_draft->written = out_draft->iota;
    if (out_draft->kind == PATTERN_FILE) return file_read(reader, node, layout, out_draft);
    if (out_draft->kind != PATTERN_BYTES) return true;
    rt_bytes *bytes = &out_draft->decoded;
    if (!scn_hexadecimal_read(reader->reporter, out_draft->bytes, bytes)) return false;
    out_draft->written = bytes->size / layout->size;
    if (bytes->size % layout->size == 0) return true;
    return scn_report(
        reader->reporter, out_draft->bytes->at,
        "%zu bytes are not a whole number of elements; an element of type %s has %u bytes",
        bytes->size, scn_layout_print(reader->arena, layout).data, layout->size);
}

bool scn_values_alloc(scn_reader *reader, const scn_node *node, const scn_layout *layout,
                      uint64_t count, uint8_t **out_bytes)
{
    CHECK(reader->values_size <= RT_SCENARIO_VALUES_MAX);
    uint64_t room = RT_SCENARIO_VALUES_MAX - reader->values_size;
    if (count > room / layout->size) {
        return scn_report(
            reader->reporter, node->at,
            "the values of a scenario may take at most %u bytes in total; make the memories "
            "smaller, or have a kernel write the values",
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
    values_draft draft;
    *out_bytes = (rt_bytes){0};
    *out_count = 0;
    if (!draft_read(reader, node, layout, &draft)) return false;
    if (draft.written == 0 && count == 0) {
        return scn_report(reader->reporter, node->at,
                          "'%s' does not determine the number of elements; give 'count'",
                          pattern_rows[draft.kind].key);
    }
    if (draft.written != 0 && count != 0 && draft.written != count) {
        return scn_report(reader->reporter, node->at,
                          "the number of values is %" PRIu64 ", but that of elements is %" PRIu64
                          "; give one value for each element",
                          draft.written, count);
    }
    if (count == 0) count = draft.written;
    uint8_t *out = NULL;
    uint32_t size = layout->size;
    if (!scn_values_alloc(reader, node, layout, count, &out)) return false;
    CHECK(out);
    *out_bytes = (rt_bytes){out, count * size};
    *out_count = count;
    bool valid = true;
    switch (draft.kind) {
    case PATTERN_IOTA: return iota_fill(reader, node, &draft, layout, count, out);
    case PATTERN_FILL:
        if (!scn_element_read(reader, layout, draft.fill, out)) return false;
        for (uint64_t i = 1; i < count; i++)
            memcpy(out + i * size, out, size);
        return true;
    case PATTERN_SEED: seed_fill(draft.seed, layout, count, out); return true;
    case PATTERN_BYTES:
        CHECK(draft.decoded.size == out_bytes->size);
        memcpy(out, draft.decoded.data, draft.decoded.size);
        return true;
    case PATTERN_FILE:
        CHECK(draft.array.stride <= size && draft.array.count == count);
        for (uint64_t i = 0; i < count; i++)
            memcpy(out + i * size, draft.array.data.data + i * draft.array.stride,
                   draft.array.stride);
        return true;
    default: /* a list */
        CHECK(draft.kind == SCN_NONE && count == node->count);
        for (uint32_t i = 0; i < node->count; i++)
            valid =
                scn_element_read(reader, layout, &node->items[i], out + (size_t)i * size) && valid;
        return valid;
    }
}
