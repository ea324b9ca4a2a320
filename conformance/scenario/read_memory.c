/* Memories and the values that they begin with or are expected to hold. */
#include "conformance/scenario/number.h"
#include "conformance/scenario/schema.h"

#include <string.h>

/* ---- Types -------------------------------------------------------------------------------- */

static const scn_choice types[] = {
#define TYPE_CHOICE(type, name, size, class) [SCN_TYPE_##type] = {name, true},
    SCN_TYPES(TYPE_CHOICE)
#undef TYPE_CHOICE
#define VECTOR_CHOICES(type, name, size, class)                                                    \
    {name "2", false}, {name "3", false}, {name "4", false}, {name "8", false}, {name "16", false},
        SCN_TYPES(VECTOR_CHOICES)
#undef VECTOR_CHOICES
            {"half", false},
    {"struct", false},
};
static const scn_shape shape_type = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a type",
    SCN_CHOICES(types),
};

/* ---- Values ------------------------------------------------------------------------------- */

static const scn_shape shape_any_number = {.kind = SCN_SHAPE_TEXT, .noun = "a number"};
const scn_shape scn_shape_element = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a number",
    .read = scn_node_keep,
    .alternatives = {&shape_any_number},
};

typedef struct pattern_draft {
    uint64_t iota, start;
    const scn_node *fill;
} pattern_draft;

static const scn_shape shape_iota = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of elements",
    .least = 1,
    .most = RT_SCENARIO_VALUES_MAX,
};
static const scn_shape shape_start = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a first value",
    .most = INT64_MAX,
};

enum { PATTERN_IOTA, PATTERN_FILL, PATTERN_START };
static const scn_row pattern_rows[] = {
    [PATTERN_IOTA] = {"iota", &shape_iota, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, iota),
                      "This many elements that count up: 0, 1, 2 ..."},
    [PATTERN_FILL] = {"fill", &scn_shape_element, SCN_ALTERNATIVE, SCN_FIELD(pattern_draft, fill),
                      "The same value in every element."},
    [PATTERN_START] = {"start", &shape_start, 0, SCN_FIELD(pattern_draft, start),
                       "Where iota begins, if not at 0."},
    {"seed", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "Values drawn from this seed."},
    {"bytes", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "The bytes, in hexadecimal."},
};
static const scn_shape shape_pattern = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a pattern of values",
    SCN_ROWS(pattern_rows),
};
static const scn_shape shape_value_list = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of values",
    .element = &scn_shape_element,
    .element_size = sizeof(const scn_node *),
    .least = 1,
};
const scn_shape scn_shape_values = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "values",
    .read = scn_node_keep,
    .alternatives = {&shape_value_list, &shape_pattern},
};

/* Room for count elements of a type, within what all values of a scenario may take; NULL after a
 * problem. */
static uint8_t *values_alloc(scn_reader *reader, scn_position at, scn_type type, uint64_t count)
{
    uint64_t room = RT_SCENARIO_VALUES_MAX - reader->values_size;
    CHECK(reader->values_size <= RT_SCENARIO_VALUES_MAX);
    if (count > room / scn_type_size(type)) {
        scn_report(reader->reporter, at,
                   "the values of a scenario take at most %u bytes together; make the memories "
                   "smaller, or let a kernel write them",
                   RT_SCENARIO_VALUES_MAX);
        return NULL;
    }
    uint64_t size = count * scn_type_size(type);
    reader->values_size += size;
    return rt_arena_alloc(reader->arena, size);
}

static bool list_fill(scn_reader *reader, const scn_node *node, scn_type type, uint8_t *out_bytes)
{
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++) {
        uint8_t *element = out_bytes + (size_t)i * scn_type_size(type);
        fine = scn_element_read(reader->reporter, type, &node->items[i], element) && fine;
    }
    return fine;
}

static bool iota_fill(scn_reader *reader, scn_position at, scn_type type, uint64_t start,
                      uint64_t count, uint8_t *out_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        if (scn_element_of_index(type, start + i, out_bytes + i * scn_type_size(type))) continue;
        return scn_report(reader->reporter, at,
                          "counting up reaches %" PRIu64 ", which type %s cannot hold", start + i,
                          scn_type_name(type));
    }
    return true;
}

static bool fill_fill(scn_reader *reader, const scn_node *value, scn_type type, uint64_t count,
                      uint8_t *out_bytes)
{
    uint32_t size = scn_type_size(type);
    if (!scn_element_read(reader->reporter, type, value, out_bytes)) return false;
    for (uint64_t i = 1; i < count; i++)
        memcpy(out_bytes + i * size, out_bytes, size);
    return true;
}

/* How many values a list or pattern gives; 0: as many as are asked for. */
static bool pattern_read(scn_reader *reader, const scn_node *node, pattern_draft *out_draft,
                         uint64_t *out_count)
{
    *out_count = node->count;
    if (node->kind == SCN_NODE_LIST) {
        if (node->count > 0) return true;
        return scn_report(reader->reporter, node->at, "no values; at least 1 expected");
    }
    if (node->kind == SCN_NODE_SCALAR) {
        return scn_report(reader->reporter, node->at,
                          "expected a list of values, {iota: COUNT} or {fill: VALUE}, found %s",
                          scn_node_describe(reader->arena, node));
    }
    uint64_t given;
    if (!scn_object_read(reader, &shape_pattern, node, out_draft, &given)) return false;
    uint32_t kind = scn_object_alternative(reader, &shape_pattern, node, given, "iota or fill");
    if (kind == SCN_NONE) return false;
    if (kind != PATTERN_IOTA && given >> PATTERN_START & 1) {
        return scn_report(reader->reporter, scn_node_entry(node, "start")->at,
                          "'start' belongs to iota; remove it");
    }
    *out_count = out_draft->iota;
    return true;
}

bool scn_values_read(scn_reader *reader, const scn_node *node, scn_type type, uint64_t count,
                     rt_bytes *out_bytes, uint64_t *out_count)
{
    pattern_draft draft = {0};
    *out_bytes = (rt_bytes){0};
    *out_count = 0;
    uint64_t written;
    if (!pattern_read(reader, node, &draft, &written)) return false;
    if (written == 0 && count == 0) {
        return scn_report(reader->reporter, node->at,
                          "fill does not say how many elements there are; give a count");
    }
    if (written != 0 && count != 0 && written != count) {
        return scn_report(reader->reporter, node->at,
                          "%" PRIu64 " values for %" PRIu64 " elements; they must be as many",
                          written, count);
    }
    if (count == 0) count = written;
    uint8_t *bytes = values_alloc(reader, node->at, type, count);
    if (!bytes) return false;
    *out_bytes = (rt_bytes){bytes, count * scn_type_size(type)};
    *out_count = count;
    if (node->kind == SCN_NODE_LIST) return list_fill(reader, node, type, bytes);
    if (draft.fill) return fill_fill(reader, draft.fill, type, count, bytes);
    return iota_fill(reader, node->at, type, draft.start, count, bytes);
}

/* ---- Memories ----------------------------------------------------------------------------- */

typedef struct memory_draft {
    scn_type type;
    uint64_t count;
    const scn_node *values;
} memory_draft;

static const scn_shape shape_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a count",
    .least = 1,
    .most = RT_MEMORY_SIZE_MAX,
};

static const scn_row memory_rows[] = {
    {"type", &shape_type, SCN_REQUIRED, SCN_FIELD(memory_draft, type), "The type of an element."},
    {"count", &shape_count, 0, SCN_FIELD(memory_draft, count),
     "The number of elements; not needed where the values tell."},
    {"values", &scn_shape_values, 0, SCN_FIELD(memory_draft, values),
     "The content at the start; without it the content is undefined."},
    {"usm", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "Unified shared memory: device, host or shared."},
    {"tolerance", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "How far floating values may differ."},
    {"unordered", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The order of the elements does not matter."},
    {"fields", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The fields of a struct element."},
};
static const scn_shape shape_memory_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a memory",
    SCN_ROWS(memory_rows),
};

static bool memory_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_memory *memory = out;
    memory_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_memory_object, node, &draft, &given)) return false;
    memory->type = draft.type;
    memory->count = draft.count;
    if (!draft.values && draft.count == 0) {
        return scn_report(reader->reporter, node->at,
                          "a memory needs a count, or values that tell it");
    }
    if (draft.count > RT_MEMORY_SIZE_MAX / scn_type_size(draft.type)) {
        return scn_report(reader->reporter, scn_node_entry(node, "count")->value.at,
                          "%" PRIu64 " elements of type %s; a memory has at most %" PRIu64 " bytes",
                          draft.count, scn_type_name(draft.type), RT_MEMORY_SIZE_MAX);
    }
    if (!draft.values) return true;
    return scn_values_read(reader, draft.values, draft.type, draft.count, &memory->initial,
                           &memory->count);
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
