/* Submits: a kernel, an nd-range, arguments, values of specialisation constants. Whether the kernel
 * exists and accepts the arguments is known only when it runs. */
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/read/range.h"
#include "conformance/scenario/read/verbs.h"

/* ---- Specialisation constants ------------------------------------------------------------- */

/* A plain number is an int, and a truth value a bool; {TYPE: VALUE} gives a value of any type. */
static bool constant_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_spec_constant *constant = out;
    scn_entry entry = {.key = RT_TEXT("int"), .at = node->at, .value = *node};
    bool holds = scn_node_is_word(node, "true");
    if (holds || scn_node_is_word(node, "false")) {
        uint8_t *truth = rt_arena_alloc(reader->arena, 1);
        *truth = holds;
        constant->value = (rt_bytes){truth, 1};
        return true;
    }
    if (node->kind == SCN_NODE_MAPPING) {
        if (node->count != 1) {
            return scn_report(reader->reporter, node->at,
                              "expected a single value for a constant, such as {float: 1.5}");
        }
        if (scn_node_value(node, "struct") || scn_node_value(node, "bytes"))
            return scn_value_read(reader, &scn_shape_composite_value, node, &constant->value);
        entry = node->entries[0];
    }
    scn_layout layout;
    return scn_typed_value_read(reader, &entry, &layout, &constant->value);
}

static const scn_shape shape_plain_constant = {
    SCN_TEXT("a number"),
    .also = "{'$ref': '#/$defs/value-of-int'}",
};
static const scn_shape shape_bool_constant = {SCN_TRUTH("a truth value")};
static const scn_row constant_rows[] = {
    SCN_HIDDEN(&scn_shape_raw_bytes, scn_spec_constant, value),
};
static const scn_shape shape_stored_constant = {SCN_STRUCT(constant_rows)};
static const scn_shape shape_constant = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the value of a constant",
    .read = constant_read,
    .stored = &shape_stored_constant,
    .alternatives = {&shape_plain_constant, &shape_bool_constant, &scn_shape_typed_value,
                     &scn_shape_composite_value},
};
const scn_shape scn_shape_spec_constants = {
    SCN_MAP("the map of specialisation constants", scn_spec_constant, &shape_constant),
    .any_key = true, /* qualified names; constants_check knows which there may be */
    .least = 1,
    .most = 256,
};

/* ---- Submits ------------------------------------------------------------------------------ */

static const scn_shape shape_non_uniform = {
    SCN_TRUTH("whether the last work-groups may be smaller")};
const scn_shape scn_shape_options = {SCN_TEXT("compiler options")};

static const scn_choice ways[SCN_THROUGH_COUNT] = {
    [SCN_THROUGH_NAME] = {"name", true},
    [SCN_THROUGH_LAMBDA] = {"lambda", true},
    [SCN_THROUGH_BUNDLE] = {"bundle", true},
};
static const scn_shape shape_through = {SCN_CHOICE("a way to submit a kernel", ways)};

static const scn_row submit_rows[] = {
    {"kernel", &scn_shape_kernel, SCN_REQUIRED, SCN_FIELD(scn_step, submit.kernel),
     "The kernel to run."},
    {"range", &scn_shape_local_sizes, SCN_REQUIRED,
     SCN_ITEMS(scn_step, submit.range, submit.dimensions),
     "The number of work-items in each of 1 to 3 dimensions; the first is the size in dimension 0, "
     "that of get_global_id(0). If one is 0, the kernel does not run, and its event completes."},
    {"offset", &scn_shape_offsets, 0, SCN_ITEMS(scn_step, submit.offset, submit.offset_count),
     "The first global id in each dimension; default: 0."},
    {"local", &scn_shape_local_sizes, 0, SCN_ITEMS(scn_step, submit.local, submit.local_count),
     "The size of a work-group in each dimension; by default the device chooses. All but "
     "the first may be 0, for a launch that must be refused."},
    {"non_uniform", &shape_non_uniform, 0, SCN_FIELD(scn_step, submit.non_uniform),
     "Whether the last work-groups may be smaller than `local`, as in OpenCL 2.0; SYCL requires "
     "groups of equal size. Default: no."},
    {"args", &scn_shape_arguments, 0, SCN_ITEMS(scn_step, submit.arguments, submit.argument_count),
     "The arguments, in the kernel's order: a memory, {read: MEMORY}, {write: MEMORY}, "
     "{int: VALUE}, {local: BYTES} and others."},
    SCN_COMMAND_ROWS,
    {"spec_constants", &scn_shape_spec_constants, 0,
     SCN_ITEMS(scn_step, submit.constants, submit.constant_count),
     "Values of specialisation constants by name; those not named have their defaults. A value for "
     "a constant that no image of the program has does nothing."},
    {"options", &scn_shape_options, 0, SCN_FIELD(scn_step, submit.options),
     "Options for the device's compiler, in addition to those of the images; each combination of "
     "options gives a separate program."},
    {"module", &scn_shape_module_reference, SCN_OR_NONE, SCN_FIELD(scn_step, submit.module),
     "The module whose host code submits it: the kernel is taken from that module, even if others "
     "have a kernel of the same name; default: the module that registered the kernel first."},
    {"bundle", &scn_shape_bundle_reference, SCN_OR_NONE, SCN_FIELD(scn_step, submit.bundle),
     "The executable kernel bundle to take the kernel from, as use_kernel_bundle does; without it "
     "the runtime finds the kernel."},
    {"through", &shape_through, 0, SCN_FIELD(scn_step, submit.through),
     "How the program submits it; the results are the same. name: as a free-function kernel; "
     "lambda: as a lambda that captures the arguments, which are pointers, values and local "
     "memory; bundle: as a kernel object that parallel_for takes, from `bundle` or from an "
     "executable bundle of this kernel alone. Default: name."},
};
/* Keys cannot be combined with a bundle that determines what they set. Specialisation constants
 * can: SYCL reports that error only when the program runs, and a scenario may test it. */
static const scn_relation submit_relations[] = {
    SCN_QUEUE_OR_DEVICE,
    {"module",
     SCN_BARS,
     {"bundle"},
     "'module' cannot be combined with 'bundle', which determines it; remove it"},
    {"non_uniform",
     SCN_NEEDS,
     {"local"},
     "'non_uniform' can be combined only with 'local', the size of the other work-groups; remove "
     "it"},
    {"options",
     SCN_BARS,
     {"bundle"},
     "'options' cannot be combined with 'bundle', which determines them; remove it"},
};
static const char submit_also[] =
    "{'allOf': [" SCN_SAME_DIMENSIONS
    ", {'if': {'properties': {'through': {'const': 'bundle'}}, 'required': ['through'],"
    " 'not': {'required': ['bundle']}},"
    " 'then': {'not': {'anyOf': [{'required': ['options']}, {'required': ['module']},"
    " {'required': ['spec_constants']}]}}}]}";
const scn_shape scn_shape_submit = {
    SCN_OBJECT("a submit", submit_rows),
    .also = submit_also,
    SCN_RELATIONS(submit_relations),
};
