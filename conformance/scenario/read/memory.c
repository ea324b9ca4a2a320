/* Memories: their element layout, kind, device and initial values, and how they are compared. */
#include "conformance/scenario/check.h"
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/schema/schema.h"
#include "conformance/scenario/yaml/number.h"

/* ---- Types -------------------------------------------------------------------------------- */

static const scn_shape shape_type = {SCN_WORD("a type", scn_type_word)};

/* A field of a struct, as an element of the map of fields. */
typedef struct field_draft {
    rt_text name;
    scn_position at;
    scn_type type;
    uint32_t lanes;
} field_draft;

typedef struct fields_draft {
    const field_draft *fields;
    uint32_t field_count;
} fields_draft;

_Static_assert(offsetof(field_draft, name) == offsetof(scn_memory, name) &&
                   offsetof(field_draft, at) == offsetof(scn_memory, at),
               "name and position first, as in every map");

static bool field_type_read(scn_reader *reader, const scn_node *node, void *out)
{
    field_draft *field = out;
    bool valid = true;
    for (size_t i = 0; i < field->name.length && valid; i++) {
        if (field->name.data[i] != '.' && field->name.data[i] != '-') continue;
        valid = scn_report(
            reader->reporter, field->at,
            "'%s' is not a field name; a field name contains only letters, digits and '_'",
            scn_excerpt(reader->arena, field->name));
    }
    rt_text name;
    if (!scn_value_read(reader, &shape_type, node, &name)) return false;
    if (scn_type_find(name, &field->type, &field->lanes)) return valid;
    return scn_report(reader->reporter, node->at,
                      "structs inside structs are not supported; fields are scalars and vectors");
}

static const scn_shape shape_field = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a field's type",
    .read = field_type_read,
    .alternatives = {&scn_shape_value_type},
};
static const scn_shape shape_fields = {
    SCN_MAP("the map of fields", field_draft, &shape_field),
    .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};

/* ---- Promotions --------------------------------------------------------------------------- */

static const scn_choice promotions[SCN_PROMOTION_COUNT] = {
    [SCN_PROMOTION_NONE] = {"none", true},
    [SCN_PROMOTION_PRIVATE] = {"private", true},
    [SCN_PROMOTION_LOCAL] = {"local", true},
};
const scn_shape scn_shape_promotion = {SCN_CHOICE("a promotion", promotions)};

/* ---- Tolerances --------------------------------------------------------------------------- */

static const scn_shape shape_ulp, shape_tolerance;

static bool ulp_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint64_t ulp = 0;
    if (!scn_kind_read(reader, &shape_ulp, node, &ulp)) return false;
    *(double *)out = (double)ulp;
    return true;
}
static const scn_shape shape_ulp = {SCN_INTEGER("a number of ULPs", 0, UINT32_MAX),
                                    .read = ulp_read};

static bool distance_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_magnitude_read(reader->reporter, node, "a distance", out);
}
static const scn_shape shape_distance = {
    SCN_TEXT("a distance"),
    .pattern = "^0[xX][0-9a-fA-F]*[.]?[0-9a-fA-F]*([pP][-+]?[0-9]+)?$",
    .also = "{'minimum': 0}",
    .read = distance_read,
};

/* In the order of scn_tolerance_kind. */
static const scn_row tolerance_rows[] = {
    {"ulp", &shape_ulp, SCN_ALTERNATIVE, SCN_FIELD(scn_memory, tolerance),
     "At most this many representable numbers apart."},
    {"absolute", &shape_distance, SCN_ALTERNATIVE, SCN_FIELD(scn_memory, tolerance),
     "At most this far apart."},
    {"relative", &shape_distance, SCN_ALTERNATIVE, SCN_FIELD(scn_memory, tolerance),
     "At most this fraction of the expected value apart."},
};
_Static_assert(SCN_TOLERANCE_RELATIVE - SCN_TOLERANCE_ULP == 2, "a row for each kind");

static bool tolerance_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_memory *memory = object;
    uint32_t row = scn_object_alternative(reader, &shape_tolerance, node, "a kind");
    if (row == SCN_NONE) return false;
    memory->tolerance_kind = (scn_tolerance_kind)(SCN_TOLERANCE_ULP + row);
    return true;
}

static const scn_shape shape_tolerance = {
    SCN_OBJECT("a tolerance", tolerance_rows),
    .finish = tolerance_finish,
};

/* ---- Memories ----------------------------------------------------------------------------- */

static const scn_shape shape_count = {SCN_INTEGER("a count", 1, RT_MEMORY_SIZE_MAX)};
/* In the order of the USM kinds in scn_memory_kind, to which memory_finish converts them. */
static const scn_choice usm_kinds[] = {{"device", true}, {"host", true}, {"shared", true}};
_Static_assert(SCN_MEMORY_USM_SHARED - SCN_MEMORY_USM_DEVICE == 2, "a word for each kind");
static const scn_shape shape_usm = {SCN_CHOICE("a kind of USM", usm_kinds)};
static const scn_shape shape_unordered = {SCN_TRUTH("whether the elements are unordered")};
static const scn_shape shape_addresses = {SCN_TRUTH("whether the memory holds addresses")};

static const scn_shape shape_same_value_writes = {
    SCN_TRUTH("whether work-items may store equal values to one place")};
static const scn_shape shape_index = {SCN_INTEGER("an index", 0, RT_MEMORY_SIZE_MAX)};
static const scn_shape shape_uncompared = {
    SCN_LIST("a list of indices", uint64_t, &shape_index),
    .least = 1,
};

static const scn_shape shape_kind_number = {SCN_NUMBER(SCN_MEMORY_KIND_COUNT - 1)};
static const scn_shape shape_tolerance_number = {SCN_NUMBER(SCN_TOLERANCE_RELATIVE)};
static const scn_shape shape_double = {.kind = SCN_SHAPE_DOUBLE};

static const scn_row memory_rows[] = {
    {"type", &shape_type, SCN_REQUIRED | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The type of the elements: a scalar (int), a vector (float4) or struct."},
    {"fields", &shape_fields, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The types of a struct's fields, in order; the layout is OpenCL C's."},
    {"count", &shape_count, 0, SCN_FIELD(scn_memory, count),
     "The number of elements; may be omitted if the values determine it."},
    {"values", &scn_shape_values, SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
     "The initial contents; default: undefined."},
    {"usm", &shape_usm, SCN_WRITTEN, SCN_FIELD(scn_memory, kind),
     "The kind of unified shared memory; without this key the memory is a buffer."},
    {"device", &scn_shape_device_reference, 0, SCN_FIELD(scn_memory, device),
     "The device that unified shared memory belongs to; default: the first."},
    {"promote", &scn_shape_promotion, 0, SCN_FIELD(scn_memory, promotion),
     "The promotion requested for the buffer in fused kernels, for all its accessors: private, "
     "local or none."},
    {"tolerance", &shape_tolerance, SCN_WRITTEN | SCN_LATER, SCN_FIELD(scn_memory, tolerance),
     "How far numbers may be from the expected values, and from those of sim: floating-point "
     "numbers or, in a memory without any, integers (absolute only)."},
    {"unordered", &shape_unordered, 0, SCN_FIELD(scn_memory, unordered),
     "Whether elements are compared without regard to their order."},
    {"addresses", &shape_addresses, 0, SCN_FIELD(scn_memory, addresses),
     "Whether kernels store addresses in it, such as those of objects with virtual functions; it "
     "is then compared neither with expected values nor between subjects."},
    {"same_value_writes", &shape_same_value_writes, 0, SCN_FIELD(scn_memory, same_value_writes),
     "Whether work-items may store equal values to one place without an order; the simulated "
     "device then reports no same-value-race there."},
    {"uncompared", &shape_uncompared, 0, SCN_ITEMS(scn_memory, uncompared, uncompared_count),
     "Indices of elements that are compared neither with expected values nor between subjects."},
    SCN_HIDDEN(&shape_kind_number, scn_memory, kind),
    SCN_HIDDEN(&scn_shape_layout, scn_memory, layout),
    SCN_HIDDEN(&shape_tolerance_number, scn_memory, tolerance_kind),
    SCN_HIDDEN(&shape_double, scn_memory, tolerance),
    SCN_HIDDEN(&scn_shape_raw_bytes, scn_memory, initial),
};
static const scn_relation memory_relations[] = {
    {"promote", SCN_BARS, {"usm"}, SCN_PROMOTE_BARS_USM},
    {"uncompared",
     SCN_BARS,
     {"unordered"},
     "'uncompared' cannot be combined with 'unordered', whose elements have no indices; remove it"},
    {"device",
     SCN_NEEDS,
     {"usm"},
     "'device' can be combined only with 'usm', because a buffer moves to the devices that use it; "
     "remove it"},
};

/* Determines the element layout from the type and, for a struct, from the fields. */
static bool layout_make(scn_reader *reader, const scn_node *node, scn_layout *out_layout)
{
    static const scn_row fields_row = {"fields", &shape_fields, 0,
                                       SCN_ITEMS(fields_draft, fields, field_count), NULL};
    scn_type type;
    uint32_t lanes;
    rt_text name;
    const scn_node *type_node = scn_node_value(node, "type");
    const scn_entry *fields = scn_node_entry(node, "fields");
    if (!scn_value_read(reader, &shape_type, type_node, &name)) return false;
    bool is_struct = !scn_type_find(name, &type, &lanes);
    if (is_struct && !fields) {
        return scn_report(reader->reporter, type_node->at,
                          "a struct needs 'fields': {NAME: TYPE, ...}");
    }
    if (!is_struct && fields) {
        return scn_report(reader->reporter, fields->at,
                          "'fields' can be combined only with type struct; remove them");
    }
    if (!is_struct) {
        *out_layout = scn_layout_of(reader->arena, type, lanes);
        return true;
    }
    fields_draft draft = {0};
    if (!scn_items_read(reader, &fields_row, &fields->value, &draft)) return false;
    CHECK(draft.field_count >= 1 && draft.field_count <= SCN_FIELD_COUNT_MAX);
    scn_field *table = rt_arena_alloc_array(reader->arena, draft.field_count, sizeof *table);
    for (uint32_t i = 0; i < draft.field_count; i++) {
        const field_draft *field = &draft.fields[i];
        table[i] = (scn_field){.name = field->name, .type = field->type, .lanes = field->lanes};
    }
    scn_layout_place(table, draft.field_count, true, out_layout);
    return true;
}

static bool memory_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_memory *memory = object;
    const scn_node *values = scn_node_value(node, "values");
    const scn_node *tolerance = scn_node_value(node, "tolerance");
    uint64_t count = memory->count;
    memory->count = 0; /* until the layout is known */
    if (scn_node_entry(node, "usm"))
        memory->kind = (scn_memory_kind)(SCN_MEMORY_USM_DEVICE + memory->kind);
    CHECK((unsigned)memory->kind < SCN_MEMORY_KIND_COUNT);
    if (!layout_make(reader, node, &memory->layout)) return false;
    if (!values && count == 0) {
        return scn_report(reader->reporter, node->at,
                          "a memory needs 'count', or 'values' that determine it");
    }
    bool valid = !tolerance || scn_object_read(reader, &shape_tolerance, tolerance, memory);
    memory->count = count;
    if (!values) return valid;
    return scn_values_read(reader, values, &memory->layout, count, &memory->initial,
                           &memory->count) &&
           valid;
}

static const scn_shape shape_memory = {
    SCN_OBJECT("a memory", memory_rows),
    .finish = memory_finish,
    .typing = SCN_TYPED_MEMORY,
    /* A struct, and only a struct, has fields; and one of the keys must determine the number of
     * elements. */
    .also = "{'if': {'properties': {'type': {'const': 'struct'}}},"
            " 'then': {'required': ['fields']}, 'else': {'not': {'required': ['fields']}},"
            " 'anyOf': [{'required': ['count']}, {'required': ['values'], 'properties': {'values':"
            " {'not': {'type': 'object', 'anyOf': [{'required': ['fill']}, {'required':"
            " ['seed']}]}}}}]}",
    SCN_RELATIONS(memory_relations),
};
const scn_shape scn_shape_memories = {
    SCN_MAP("the map of memories", scn_memory, &shape_memory),
    .most = 1024,
};
