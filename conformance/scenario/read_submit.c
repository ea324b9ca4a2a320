/* Submits: a kernel, an nd-range, arguments.  Whether the kernel exists and what it takes is found
 * when it runs. */
#include "conformance/scenario/number.h"
#include "conformance/scenario/schema.h"

#include <string.h>

/* ---- Arguments ---------------------------------------------------------------------------- */

typedef struct argument_draft {
    uint32_t memory;
    uint64_t local;
    const scn_node *values[SCN_TYPE_COUNT];
} argument_draft;

static const scn_shape shape_local_size = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a size in bytes",
    .least = 1,
    .most = RT_MEMORY_SIZE_MAX,
};

enum { ARGUMENT_TYPES, ARGUMENT_READ = SCN_TYPE_COUNT, ARGUMENT_WRITE, ARGUMENT_LOCAL };
static const scn_row argument_rows[] = {
#define VALUE_ROW(type, name, size, class)                                                         \
    [ARGUMENT_TYPES + SCN_TYPE_##type] = {name, &scn_shape_element, SCN_ALTERNATIVE,               \
                                          SCN_FIELD(argument_draft, values[SCN_TYPE_##type]),      \
                                          "A value of type " name "."},
    SCN_TYPES(VALUE_ROW)
#undef VALUE_ROW
        [ARGUMENT_READ] = {"read", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                           SCN_FIELD(argument_draft, memory), "A memory that is only read."},
    [ARGUMENT_WRITE] = {"write", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(argument_draft, memory), "A memory that is only written."},
    [ARGUMENT_LOCAL] = {"local", &shape_local_size, SCN_ALTERNATIVE,
                        SCN_FIELD(argument_draft, local), "Local memory of this many bytes."},
    {"half", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "A value of type half."},
    {"usm", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "A pointer into a USM memory."},
    {"offset", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "Where the USM pointer points, in bytes."},
    {"struct", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "A struct, field by field."},
    {"bytes", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "A struct as its bytes."},
    {"null", NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, "A null pointer."},
};
static const scn_shape shape_argument_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "an argument",
    .key_noun = "kind of argument",
    SCN_ROWS(argument_rows),
};

static bool value_argument_read(scn_reader *reader, scn_type type, const scn_node *node,
                                scn_argument *out_argument)
{
    if (node->kind == SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at,
                          "vector arguments are not built yet in this version");
    }
    uint8_t *bytes = rt_arena_alloc(reader->arena, scn_type_size(type));
    *out_argument = (scn_argument){
        .kind = SCN_ARGUMENT_VALUE, .type = type, .value = {bytes, scn_type_size(type)}};
    return scn_element_read(reader->reporter, type, node, bytes);
}

static bool argument_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_argument *argument = out;
    if (node->kind == SCN_NODE_SCALAR) {
        return scn_memory_reference_read(reader, node, &argument->memory);
    }
    argument_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_argument_object, node, &draft, &given)) return false;
    uint32_t kind = scn_object_alternative(reader, &shape_argument_object, node, given, "one kind");
    if (kind == SCN_NONE) return false;
    if (kind < SCN_TYPE_COUNT) {
        return value_argument_read(reader, (scn_type)kind, draft.values[kind], argument);
    }
    if (kind == ARGUMENT_LOCAL) {
        *argument = (scn_argument){.kind = SCN_ARGUMENT_LOCAL, .size = draft.local};
        return true;
    }
    argument->memory = draft.memory;
    argument->access = kind == ARGUMENT_READ ? SCN_ACCESS_READ : SCN_ACCESS_WRITE;
    return true;
}

static const scn_shape shape_argument = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an argument",
    .read = argument_read,
    .alternatives = {&scn_shape_memory_reference, &shape_argument_object},
};
static const scn_shape shape_arguments = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of arguments",
    .element = &shape_argument,
    .element_size = sizeof(scn_argument),
    .most = RT_KERNEL_ARGUMENT_MAX,
};

/* ---- Ranges and dependencies -------------------------------------------------------------- */

static const scn_shape shape_size = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of work-items",
    .least = 1,
    .most = UINT32_MAX,
};
static const scn_shape shape_sizes = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 1 to 3 numbers of work-items",
    .element = &shape_size,
    .element_size = sizeof(uint64_t),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
};
static const scn_shape shape_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset",
    .most = UINT32_MAX,
};
static const scn_shape shape_offsets = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of 1 to 3 offsets",
    .element = &shape_offset,
    .element_size = sizeof(uint64_t),
    .least = 1,
    .most = RT_ND_RANGE_DIMENSIONS,
};

static bool step_reference_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint32_t *step = out;
    *step = SCN_NONE;
    if (node->kind != SCN_NODE_SCALAR) {
        return scn_report(reader->reporter, node->at, "expected the id of a step, found %s",
                          scn_node_describe(reader->arena, node));
    }
    bool known = rt_map_find(&reader->steps.map, node->text) != RT_MAP_NONE;
    *step = rt_map_find(&reader->submits.map, node->text);
    if (known && *step == RT_MAP_NONE) {
        return scn_report(reader->reporter, node->at,
                          "step '%s' is no submit; a submit comes after submits",
                          scn_shown(reader->arena, node->text));
    }
    if (known) return true;
    *step = scn_names_resolve(reader, &reader->submits, node->at, node->text, "earlier submit");
    return *step != SCN_NONE;
}

static const scn_shape shape_step_reference = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the id of a step",
    .read = step_reference_read,
    .alternatives = {&scn_shape_name},
};
static const scn_shape shape_after = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of step ids",
    .element = &shape_step_reference,
    .element_size = sizeof(uint32_t),
};

/* ---- Submits ------------------------------------------------------------------------------ */

/* One to three numbers, as a list shape reads them; NULL: the key is not there. */
typedef struct extent {
    const uint64_t *items;
    uint32_t count;
} extent;

typedef struct submit_draft {
    scn_submit submit;
    extent range, offset, local;
} submit_draft;

static const scn_row submit_rows[] = {
    {"kernel", &scn_shape_kernel, SCN_REQUIRED, SCN_FIELD(submit_draft, submit.kernel),
     "The kernel to run."},
    {"range", &shape_sizes, SCN_REQUIRED, SCN_ITEMS(submit_draft, range.items, range.count),
     "The number of work-items in each of 1 to 3 dimensions; the first is get_global_id(0)'s."},
    {"offset", &shape_offsets, 0, SCN_ITEMS(submit_draft, offset.items, offset.count),
     "The first global id in each dimension; 0 where not given."},
    {"local", &shape_sizes, 0, SCN_ITEMS(submit_draft, local.items, local.count),
     "The size of a work-group in each dimension; the device chooses where not given."},
    {"args", &shape_arguments, 0, SCN_ITEMS(submit_draft, submit.arguments, submit.argument_count),
     "The arguments, in the kernel's order: a memory, {read: MEMORY}, {write: MEMORY}, "
     "{int: VALUE}, {local: BYTES}."},
    {"after", &shape_after, 0, SCN_ITEMS(submit_draft, submit.after, submit.after_count),
     "Ids of earlier submits that must have ended."},
    {"queue", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The queue to submit to."},
    {"device", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The device to run on."},
    {"bundle", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The kernel bundle to take the kernel from."},
    {"spec_constants", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "Values of specialisation constants."},
};
static const scn_shape shape_submit_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a submit",
    SCN_ROWS(submit_rows),
};

static bool extent_copy(scn_reader *reader, const scn_node *node, const char *key, extent from,
                        uint32_t dimensions, uint64_t *out_sizes)
{
    if (!from.items) return true;
    if (from.count != dimensions) {
        return scn_report(reader->reporter, scn_node_entry(node, key)->value.at,
                          "%s has %u dimensions, range has %u; they must be as many", key,
                          from.count, dimensions);
    }
    memcpy(out_sizes, from.items, dimensions * sizeof *out_sizes);
    return true;
}

/* No device counts more than 2^64 work-items, so a product that wraps around is refused here. */
static bool product_check(scn_reader *reader, const scn_node *node, const scn_submit *submit)
{
    uint64_t product = 1;
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        if (submit->range[d] > UINT64_MAX / product) {
            return scn_report(reader->reporter, scn_node_entry(node, "range")->value.at,
                              "the range has more than 2^64 work-items");
        }
        product *= submit->range[d];
    }
    return true;
}

static bool submit_read(scn_reader *reader, const scn_node *node, void *out)
{
    submit_draft draft = {0};
    uint64_t given;
    if (!scn_object_read(reader, &shape_submit_object, node, &draft, &given)) return false;
    uint32_t dimensions = draft.range.count;
    CHECK(dimensions >= 1 && dimensions <= RT_ND_RANGE_DIMENSIONS);
    scn_submit *submit = out;
    *submit = draft.submit;
    submit->dimensions = dimensions;
    bool fine = extent_copy(reader, node, "range", draft.range, dimensions, submit->range) &&
                extent_copy(reader, node, "offset", draft.offset, dimensions, submit->offset) &&
                extent_copy(reader, node, "local", draft.local, dimensions, submit->local);
    return fine && product_check(reader, node, submit);
}

const scn_shape scn_shape_submit = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a submit",
    .read = submit_read,
    .alternatives = {&shape_submit_object},
};
