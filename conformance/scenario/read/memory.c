/* Memories: what their elements are made of, where they are, and how they are compared. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/schema/schema.h"
#include "conformance/scenario/yaml/number.h"

/* ---- Types -------------------------------------------------------------------------------- */

static const scn_shape shape_type = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a type",
    .word = scn_type_word,
};

/* A field of a struct, as the map of them makes it. */
typedef struct field_draft {
    rt_text name;
    scn_position at;
    scn_type type;
    uint32_t lanes;
} field_draft;

_Static_assert(offsetof(field_draft, name) == offsetof(scn_memory, name) &&
                   offsetof(field_draft, at) == offsetof(scn_memory, at),
               "name and position first, as in every map");

static bool field_name_check(scn_reader *reader, const field_draft *field)
{
    for (size_t i = 0; i < field->name.length; i++) {
        char c = field->name.data[i];
        if (c != '.' && c != '-') continue;
        return scn_report(reader->reporter, field->at,
                          "'%s' is not a name of a field; it has letters, digits and '_'",
                          scn_shown(reader->arena, field->name));
    }
    return true;
}

static bool field_type_read(scn_reader *reader, const scn_node *node, void *out)
{
    field_draft *field = out;
    rt_text name;
    bool fine = field_name_check(reader, field);
    if (!scn_value_read(reader, &shape_type, node, &name)) return false;
    if (scn_type_find(name, &field->type, &field->lanes)) return fine;
    return scn_report(reader->reporter, node->at,
                      "structs inside structs are not built yet in this version; fields are "
                      "scalars and vectors");
}

static const scn_shape shape_field = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a field's type",
    .read = field_type_read,
    .alternatives = {&scn_shape_value_type},
};
static const scn_shape shape_fields = {
    .kind = SCN_SHAPE_MAP,
    .noun = "the map of fields",
    .pattern = "^[A-Za-z_][A-Za-z0-9_]*$",
    .element = &shape_field,
    .element_size = sizeof(field_draft),
    .least = 1,
    .most = SCN_FIELD_COUNT_MAX,
};

/* ---- Tolerances --------------------------------------------------------------------------- */

typedef struct tolerance_draft {
    uint64_t ulp;
    double absolute, relative;
} tolerance_draft;

static const scn_shape shape_ulp = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of ULPs",
    .most = UINT32_MAX,
};
static bool distance_read(scn_reader *reader, const scn_node *node, void *out)
{
    return scn_magnitude_read(reader->reporter, node, "a distance", out);
}
static const scn_shape shape_distance_number = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a distance",
    .pattern = "^0[xX][0-9a-fA-F]*[.]?[0-9a-fA-F]*([pP][-+]?[0-9]+)?$",
    .also = "{'minimum': 0}",
};
static const scn_shape shape_distance = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a distance",
    .read = distance_read,
    .alternatives = {&shape_distance_number},
};

/* In the order of scn_tolerance_kind. */
static const scn_row tolerance_rows[] = {
    {"ulp", &shape_ulp, SCN_ALTERNATIVE, SCN_FIELD(tolerance_draft, ulp),
     "This many representable numbers apart."},
    {"absolute", &shape_distance, SCN_ALTERNATIVE, SCN_FIELD(tolerance_draft, absolute),
     "Apart by this much."},
    {"relative", &shape_distance, SCN_ALTERNATIVE, SCN_FIELD(tolerance_draft, relative),
     "Apart by this part of the expected value."},
};
_Static_assert(SCN_TOLERANCE_RELATIVE - SCN_TOLERANCE_ULP == 2, "a row for each kind");
static const scn_shape shape_tolerance = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a tolerance",
    SCN_ROWS(tolerance_rows),
};

static bool tolerance_read(scn_reader *reader, const scn_node *node, scn_memory *memory)
{
    tolerance_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_tolerance, node, &draft, &given)) return false;
    uint32_t row = scn_object_alternative(reader, &shape_tolerance, node, given, "a kind");
    if (row == SCN_NONE) return false;
    if (!scn_layout_is_floating(&memory->layout)) {
        return scn_report(reader->reporter, node->at,
                          "a tolerance holds for floating values, and type %s has none; remove it",
                          scn_layout_print(reader->arena, &memory->layout).data);
    }
    const double distances[] = {(double)draft.ulp, draft.absolute, draft.relative};
    memory->tolerance_kind = (scn_tolerance_kind)(SCN_TOLERANCE_ULP + row);
    memory->tolerance = distances[row];
    return true;
}

/* The number of elements is known. */
static bool matching_check(scn_reader *reader, const scn_memory *memory)
{
    if (!scn_memory_is_matched(memory) || memory->count <= SCN_MATCHED_COUNT_MAX) return true;
    return scn_report(reader->reporter, memory->at,
                      "%" PRIu64 " unordered elements with this tolerance are too many to find "
                      "partners for; at most %d, or elements of one number",
                      memory->count, SCN_MATCHED_COUNT_MAX);
}

/* ---- Memories ----------------------------------------------------------------------------- */

typedef struct memory_draft {
    rt_text type;
    const field_draft *fields;
    uint32_t field_count;
    uint32_t usm, device;
    uint64_t count;
    const scn_node *values, *tolerance;
    bool unordered, addresses;
    scn_promotion promotion;
} memory_draft;

static const scn_shape shape_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a count",
    .least = 1,
    .most = RT_MEMORY_SIZE_MAX,
};
/* In the order of scn_memory_kind. */
static const scn_choice usm_kinds[] = {{"device", true}, {"host", true}, {"shared", true}};
_Static_assert(SCN_MEMORY_USM_SHARED - SCN_MEMORY_USM_DEVICE == 2, "a word for each kind");
static const scn_shape shape_usm = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a kind of USM",
    SCN_CHOICES(usm_kinds),
};
static const scn_shape shape_kept_tolerance = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a tolerance",
    .read = scn_node_keep,
    .alternatives = {&shape_tolerance},
};
static const scn_shape shape_unordered = {
    .kind = SCN_SHAPE_TRUTH,
    .noun = "being unordered",
};
static const scn_shape shape_addresses = {
    .kind = SCN_SHAPE_TRUTH,
    .noun = "holding addresses",
};

enum {
    MEMORY_TYPE,
    MEMORY_FIELDS,
    MEMORY_COUNT,
    MEMORY_VALUES,
    MEMORY_USM,
    MEMORY_DEVICE,
    MEMORY_PROMOTE
};
static const scn_row memory_rows[] = {
    [MEMORY_TYPE] = {"type", &shape_type, SCN_REQUIRED, SCN_FIELD(memory_draft, type),
                     "The type of an element: a scalar (int), a vector (float4) or struct."},
    [MEMORY_FIELDS] = {"fields", &shape_fields, 0, SCN_ITEMS(memory_draft, fields, field_count),
                       "The types of a struct's fields, in order, laid out as OpenCL C does."},
    [MEMORY_COUNT] = {"count", &shape_count, 0, SCN_FIELD(memory_draft, count),
                      "The number of elements; not needed where the values tell."},
    [MEMORY_VALUES] = {"values", &scn_shape_values, 0, SCN_FIELD(memory_draft, values),
                       "The content at the start; without it the content is undefined."},
    [MEMORY_USM] = {"usm", &shape_usm, 0, SCN_FIELD(memory_draft, usm),
                    "Unified shared memory of this kind; without it the memory is a buffer."},
    [MEMORY_DEVICE] = {"device", &scn_shape_device_reference, 0, SCN_FIELD(memory_draft, device),
                       "The device that unified shared memory belongs to; the first if not given."},
    [MEMORY_PROMOTE] = {"promote", &scn_shape_promotion, 0, SCN_FIELD(memory_draft, promotion),
                        "What a fused kernel keeps the buffer in, whichever argument it is: "
                        "private, local or none."},
    {"tolerance", &shape_kept_tolerance, 0, SCN_FIELD(memory_draft, tolerance),
     "How far floating values may be from the expected ones, and from sim's."},
    {"unordered", &shape_unordered, 0, SCN_FIELD(memory_draft, unordered),
     "The order of the elements does not matter when they are compared."},
    {"addresses", &shape_addresses, 0, SCN_FIELD(memory_draft, addresses),
     "Kernels keep addresses in it, as of objects with virtual functions: it is not compared, "
     "neither with expected values nor with other subjects."},
};
static const scn_relation memory_relations[] = {
    {"promote",
     SCN_BARS,
     {"usm"},
     "'promote' cannot stand beside 'usm'; only buffers are promoted"},
    {"device",
     SCN_NEEDS,
     {"usm"},
     "'device' belongs to usm: a buffer is on whichever devices use it; remove it"},
};
static const scn_shape shape_memory_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a memory",
    .typing = SCN_TYPED_MEMORY,
    /* Fields are a struct's; and something tells how many elements there are. */
    .also = "{'if': {'properties': {'type': {'const': 'struct'}}},"
            " 'then': {'required': ['fields']}, 'else': {'not': {'required': ['fields']}},"
            " 'anyOf': [{'required': ['count']}, {'required': ['values'], 'properties': {'values':"
            " {'not': {'type': 'object', 'anyOf': [{'required': ['fill']}, {'required':"
            " ['seed']}]}}}}]}",
    SCN_RELATIONS(memory_relations),
    SCN_ROWS(memory_rows),
};

/* Finds the element's layout from its type, and from the fields where it is a struct. */
static bool layout_make(scn_reader *reader, const scn_node *node, const memory_draft *draft,
                        scn_layout *out_layout)
{
    scn_type type;
    uint32_t lanes;
    bool is_struct = !scn_type_find(draft->type, &type, &lanes);
    const scn_entry *fields = scn_node_entry(node, memory_rows[MEMORY_FIELDS].key);
    if (is_struct && !fields) {
        return scn_report(reader->reporter, scn_node_entry(node, "type")->value.at,
                          "a struct needs 'fields': {NAME: TYPE, ...}");
    }
    if (!is_struct && fields) {
        return scn_report(reader->reporter, fields->at,
                          "'fields' belong to type struct; remove them");
    }
    if (!is_struct) {
        *out_layout = scn_layout_of(reader->arena, type, lanes);
        return true;
    }
    scn_field *table = rt_arena_alloc_array(reader->arena, draft->field_count, sizeof *table);
    for (uint32_t i = 0; i < draft->field_count; i++) {
        const field_draft *field = &draft->fields[i];
        table[i] = (scn_field){.name = field->name, .type = field->type, .lanes = field->lanes};
    }
    scn_layout_place(table, draft->field_count, true, out_layout);
    return true;
}

static bool size_check(scn_reader *reader, const scn_node *node, const memory_draft *draft,
                       const scn_layout *layout)
{
    if (!draft->values && draft->count == 0) {
        return scn_report(reader->reporter, node->at,
                          "a memory needs a count, or values that tell it");
    }
    if (draft->count <= RT_MEMORY_SIZE_MAX / layout->size) return true;
    return scn_report(reader->reporter, scn_node_entry(node, "count")->value.at,
                      "%" PRIu64 " elements of type %s; a memory has at most %" PRIu64 " bytes",
                      draft->count, scn_layout_print(reader->arena, layout).data,
                      RT_MEMORY_SIZE_MAX);
}

static bool memory_name_check(scn_reader *reader, const scn_memory *memory)
{
    if (!rt_text_is(memory->name, "null")) return true;
    return scn_report(reader->reporter, memory->at,
                      "a memory cannot be called 'null', which as an argument is the null "
                      "pointer; choose another name");
}

static bool memory_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_memory *memory = out;
    memory_draft draft = {0};
    uint64_t given;
    bool fine = scn_object_read(reader, &shape_memory_object, node, &draft, &given);
    /* Known also where other keys are wrong, so that what refers to the memory is judged right. */
    if (given >> MEMORY_USM & 1) {
        memory->kind = (scn_memory_kind)(SCN_MEMORY_USM_DEVICE + draft.usm);
        memory->device = draft.device;
    }
    memory->unordered = draft.unordered;
    memory->addresses = draft.addresses;
    memory->promotion = draft.promotion;
    if (!memory_name_check(reader, memory) || !fine) return false;
    if (!layout_make(reader, node, &draft, &memory->layout)) return false;
    if (!size_check(reader, node, &draft, &memory->layout)) return false;
    if (draft.tolerance) fine = tolerance_read(reader, draft.tolerance, memory);
    memory->count = draft.count;
    if (draft.values)
        fine = scn_values_read(reader, draft.values, &memory->layout, draft.count, &memory->initial,
                               &memory->count) &&
               fine;
    return fine && matching_check(reader, memory);
}

static const scn_shape shape_memory = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a memory",
    .read = memory_read,
    .alternatives = {&shape_memory_object},
};
const scn_shape scn_shape_memories = {
    .kind = SCN_SHAPE_MAP,
    .noun = "the map of memories",
    .element = &shape_memory,
    .element_size = sizeof(scn_memory),
    .most = 1024,
};
