/* Submits: a kernel, an nd-range, arguments, values of specialisation constants.  Whether the
 * kernel exists and what it takes is found when it runs. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/read/range.h"

/* ---- Specialisation constants ------------------------------------------------------------- */

static const char *scalar_word(uint32_t index)
{
    return index < SCN_TYPE_COUNT ? scn_type_word(index) : NULL;
}
static const scn_shape shape_scalar = {
    .kind = SCN_SHAPE_WORD,
    .noun = "a type",
    .word = scalar_word,
};
static const scn_shape shape_constant_value = {
    .kind = SCN_SHAPE_MAP,
    .noun = "a typed value",
    .element = &scn_shape_element,
    .keys = &shape_scalar,
    .typing = SCN_TYPED_BY_KEY,
    .least = 1,
    .most = 1,
};

static bool typed_constant_read(scn_reader *reader, const scn_node *node,
                                scn_spec_constant *out_constant)
{
    if (node->count != 1) {
        return scn_report(reader->reporter, node->at,
                          "expected the one value of a constant, such as {float: 1.5}");
    }
    scn_layout layout;
    if (!scn_typed_value_read(reader, &node->entries[0], &layout, &out_constant->value))
        return false;
    if (layout.fields[0].lanes == 1) return true;
    return scn_report(reader->reporter, node->entries[0].at,
                      "a specialisation constant is a scalar; vectors have one for each lane");
}

/* A plain number is an int, a truth value a bool; {TYPE: VALUE} is any other scalar. */
static bool constant_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_spec_constant *constant = out;
    if (node->kind == SCN_NODE_MAPPING) return typed_constant_read(reader, node, constant);
    bool holds = scn_node_is_word(node, "true");
    if (holds || scn_node_is_word(node, "false")) {
        uint8_t *truth = rt_arena_alloc(reader->arena, 1);
        *truth = holds;
        constant->value = (rt_bytes){truth, 1};
        return true;
    }
    scn_layout layout;
    scn_entry as_int = {.key = RT_TEXT("int"), .at = node->at, .value = *node};
    return scn_typed_value_read(reader, &as_int, &layout, &constant->value);
}

static const scn_shape shape_plain_constant = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "a number",
    .also = "{'$ref': '#/$defs/value-of-int'}",
};
static const scn_shape shape_bool_constant = {.kind = SCN_SHAPE_TRUTH, .noun = "a truth value"};
static const scn_shape shape_constant = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the value of a constant",
    .read = constant_read,
    .alternatives = {&shape_plain_constant, &shape_bool_constant, &shape_constant_value},
};
const scn_shape scn_shape_spec_constants = {
    .kind = SCN_SHAPE_MAP,
    .noun = "the map of specialisation constants",
    .element = &shape_constant,
    .element_size = sizeof(scn_spec_constant),
    .least = 1,
    .most = 256,
};

/* ---- Submits ------------------------------------------------------------------------------ */

const scn_shape scn_shape_options = {.kind = SCN_SHAPE_TEXT, .noun = "compiler options"};

typedef struct submit_draft {
    scn_step step;
    scn_extent range, offset, local;
} submit_draft;

static const scn_row submit_rows[] = {
    {"kernel", &scn_shape_kernel, SCN_REQUIRED, SCN_FIELD(submit_draft, step.submit.kernel),
     "The kernel to run."},
    {"range", &scn_shape_sizes, SCN_REQUIRED, SCN_ITEMS(submit_draft, range.items, range.count),
     "The number of work-items in each of 1 to 3 dimensions; the first is get_global_id(0)'s."},
    {"offset", &scn_shape_offsets, 0, SCN_ITEMS(submit_draft, offset.items, offset.count),
     "The first global id in each dimension; 0 where not given."},
    {"local", &scn_shape_sizes, 0, SCN_ITEMS(submit_draft, local.items, local.count),
     "The size of a work-group in each dimension; the device chooses where not given."},
    {"args", &scn_shape_arguments, 0,
     SCN_ITEMS(submit_draft, step.submit.arguments, step.submit.argument_count),
     "The arguments, in the kernel's order: a memory, {read: MEMORY}, {write: MEMORY}, "
     "{int: VALUE}, {local: BYTES} and others."},
    {"after", &scn_shape_command_references, 0,
     SCN_ITEMS(submit_draft, step.after, step.after_count),
     "Ids of earlier submits, copies and fills that must have ended."},
    {"queue", &scn_shape_queue_reference, 0, SCN_FIELD(submit_draft, step.on),
     "The queue to submit to; the default queue of the device where not given."},
    {"device", &scn_shape_device_reference, 0, SCN_FIELD(submit_draft, step.device),
     "The device whose default queue it is; the one chosen last where not given."},
    {"spec_constants", &scn_shape_spec_constants, 0,
     SCN_ITEMS(submit_draft, step.submit.constants, step.submit.constant_count),
     "Values of specialisation constants by name; those not named have their defaults."},
    {"options", &scn_shape_options, 0, SCN_FIELD(submit_draft, step.submit.options),
     "Options for the device's compiler, beside those of the images; each gives a program of its "
     "own."},
    {"module", &scn_shape_module_reference, 0, SCN_FIELD(submit_draft, step.submit.module),
     "The module whose host code submits it: the kernel is that module's, also where others have "
     "one of the same name; the one registered first where not given."},
    {"bundle", &scn_shape_bundle_reference, 0, SCN_FIELD(submit_draft, step.submit.bundle),
     "The executable kernel bundle to take the kernel from, as use_kernel_bundle does; the runtime "
     "finds it where not given."},
};
/* What a bundle has decided already cannot be given beside it.  Of constants SYCL says so when the
 * program runs, which a scenario may be about. */
static const scn_relation submit_relations[] = {
    SCN_QUEUE_OR_DEVICE,
    {"module",
     SCN_BARS,
     {"bundle"},
     "'module' cannot stand beside 'bundle', which has decided it; remove it"},
    {"options",
     SCN_BARS,
     {"bundle"},
     "'options' cannot stand beside 'bundle', which has decided it; remove it"},
};
static const scn_shape shape_submit_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a submit",
    .also = SCN_SAME_DIMENSIONS,
    SCN_RELATIONS(submit_relations),
    SCN_ROWS(submit_rows),
};

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

static bool bundle_check(scn_reader *reader, const scn_node *node, const scn_submit *submit)
{
    if (submit->bundle == SCN_NONE) return true;
    return scn_bundle_state_check(reader, scn_node_entry(node, "bundle")->value.at, submit->bundle,
                                  SCN_BUNDLE_EXECUTABLE);
}

static bool submit_read(scn_reader *reader, const scn_node *node, void *out)
{
    submit_draft draft = {.step = *(const scn_step *)out};
    draft.step.submit.module = draft.step.submit.bundle = SCN_NONE;
    uint64_t given;
    if (!scn_object_read(reader, &shape_submit_object, node, &draft, &given)) return false;
    if (!bundle_check(reader, node, &draft.step.submit)) return false;
    uint32_t dimensions = draft.range.count;
    CHECK(dimensions >= 1 && dimensions <= RT_ND_RANGE_DIMENSIONS);
    scn_submit *submit = &draft.step.submit;
    submit->dimensions = dimensions;
    bool fine = scn_extent_copy(reader, node, "range", draft.range, dimensions, submit->range) &&
                scn_extent_copy(reader, node, "offset", draft.offset, dimensions, submit->offset) &&
                scn_extent_copy(reader, node, "local", draft.local, dimensions, submit->local);
    *(scn_step *)out = draft.step;
    return fine && product_check(reader, node, submit);
}

const scn_shape scn_shape_submit = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a submit",
    .read = submit_read,
    .alternatives = {&shape_submit_object},
};
