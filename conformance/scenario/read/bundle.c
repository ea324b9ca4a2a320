/* Kernel bundles: how they are created, and their states, which C++ distinguishes by type. */
#include "conformance/scenario/check.h"
#include "conformance/scenario/read/verbs.h"

/* In the order of scn_bundle_state. */
static const scn_choice states[SCN_BUNDLE_STATE_COUNT] = {
#define STATE_CHOICE(state, name) {name, true},
    SCN_BUNDLE_STATES(STATE_CHOICE)
#undef STATE_CHOICE
};
static const scn_shape shape_state = {SCN_CHOICE("a state", states)};
static const scn_shape shape_bundles = {
    SCN_LIST("a list of bundles", uint32_t, &scn_shape_bundle_reference),
    .least = 1,
};

static const scn_shape shape_action = {SCN_NUMBER(SCN_BUNDLE_ACTION_COUNT - 1)};

/* ---- Rows --------------------------------------------------------------------------------- */

enum {
    BUNDLE_ID,
    BUNDLE_GET,
    BUNDLE_COMPILE,
    BUNDLE_LINK,
    BUNDLE_BUILD,
    BUNDLE_JOIN,
    BUNDLE_KERNELS,
    BUNDLE_DEVICE,
    BUNDLE_CONTEXT,
    BUNDLE_CONSTANTS,
    BUNDLE_OPTIONS,
};

static const scn_row bundle_rows[] = {
    [BUNDLE_ID] = {"id", &scn_shape_name, SCN_REQUIRED | SCN_WRITTEN, SCN_FIELD(scn_step, id),
                   "The name by which steps refer to the bundle."},
    [BUNDLE_GET] =
        {"get", &shape_state, SCN_ALTERNATIVE | SCN_WRITTEN, SCN_FIELD(scn_step, bundle.state),
         "Gets the device images of the kernels in this state, as get_kernel_bundle does."},
    [BUNDLE_COMPILE] = {"compile", &scn_shape_bundle_reference,
                        SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
                        "The input bundle to compile."},
    [BUNDLE_LINK] = {"link", &shape_bundles, SCN_ALTERNATIVE | SCN_WRITTEN,
                     SCN_ITEMS(scn_step, bundle.sources, bundle.source_count),
                     "The object bundles to link."},
    [BUNDLE_BUILD] = {"build", &scn_shape_bundle_reference,
                      SCN_ALTERNATIVE | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
                      "The input bundle to compile and link."},
    [BUNDLE_JOIN] =
        {"join", &shape_bundles, SCN_ALTERNATIVE | SCN_WRITTEN,
         SCN_ITEMS(scn_step, bundle.sources, bundle.source_count),
         "The bundles to join, all in the same state; each of their device images is included "
         "once."},
    [BUNDLE_KERNELS] = {"kernels", &scn_shape_kernels, 0,
                        SCN_ITEMS(scn_step, bundle.kernels, bundle.kernel_count),
                        "With get: the kernels; default: all kernels compatible with the device."},
    [BUNDLE_DEVICE] = {"device", &scn_shape_device_reference, SCN_OR_CHOSEN,
                       SCN_FIELD(scn_step, bundle.device),
                       "With get: the device; default: the one chosen last."},
    [BUNDLE_CONTEXT] =
        {"context", &scn_shape_context_reference, SCN_OR_NONE, SCN_FIELD(scn_step, bundle.context),
         "With get: the context, which must hold the device; default: the context of all devices."},
    [BUNDLE_CONSTANTS] = {"spec_constants", &scn_shape_spec_constants, 0,
                          SCN_ITEMS(scn_step, bundle.constants, bundle.constant_count),
                          "With 'get: input': values of specialisation constants by name."},
    [BUNDLE_OPTIONS] =
        {"options", &scn_shape_options, 0, SCN_FIELD(scn_step, bundle.options),
         "With compile or link: options for the device's compiler or linker, appended to the "
         "images' own."},
    SCN_HIDDEN(&shape_action, scn_step, bundle.action),
    SCN_HIDDEN(&shape_state, scn_step, bundle.state),
    SCN_HIDDEN_ITEMS(&shape_bundles, scn_step, bundle.sources, bundle.source_count),
};
/* Keys that qualify one of the ways to create a bundle. */
static const scn_relation bundle_relations[] = {
    {"kernels", SCN_NEEDS, {"get"}, "'kernels' requires 'get'"},
    {"device", SCN_NEEDS, {"get"}, "'device' requires 'get'"},
    {"context", SCN_NEEDS, {"get"}, "'context' requires 'get'"},
    {"spec_constants", SCN_NEEDS, {"get"}, SCN_CONSTANTS_NEED_INPUT},
    {"options", SCN_NEEDS, {"compile", "link"}, SCN_OPTIONS_NEED_ACTION},
};

/* The ways to create a bundle; a joined bundle takes the state of the bundles that it joins. */
static const struct way {
    scn_bundle_action action;
    scn_bundle_state state;
} ways[] = {
    [BUNDLE_COMPILE] = {SCN_BUNDLE_COMPILE, SCN_BUNDLE_OBJECT},
    [BUNDLE_LINK] = {SCN_BUNDLE_LINK, SCN_BUNDLE_EXECUTABLE},
    [BUNDLE_BUILD] = {SCN_BUNDLE_BUILD, SCN_BUNDLE_EXECUTABLE},
    [BUNDLE_JOIN] = {SCN_BUNDLE_JOIN, SCN_BUNDLE_INPUT},
};

static bool bundle_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_bundle *bundle = &((scn_step *)object)->bundle;
    uint32_t way = scn_object_alternative(reader, &scn_shape_bundle, node, "a way to make it");
    if (way == SCN_NONE || way == BUNDLE_GET) return way == BUNDLE_GET;
    bundle->action = ways[way].action;
    bundle->state = ways[way].state;
    if (way == BUNDLE_COMPILE || way == BUNDLE_BUILD) {
        const scn_node *source = scn_node_value(node, bundle_rows[way].key);
        uint32_t *only = rt_arena_alloc(reader->arena, sizeof *only);
        if (!scn_value_read(reader, &scn_shape_bundle_reference, source, only)) return false;
        scn_locate(reader, only, source->at, source->at);
        bundle->sources = only;
        bundle->source_count = 1;
    }
    const scn_step *first = &reader->step_table[bundle->sources[0]];
    if (way == BUNDLE_JOIN && first->verb == SCN_VERB_BUNDLE) bundle->state = first->bundle.state;
    return true;
}

const scn_shape scn_shape_bundle = {
    SCN_OBJECT("a bundle", bundle_rows),
    .also = "{'if': {'required': ['spec_constants']}, 'then': {'properties': {'get': {'const': "
            "'input'}}}}",
    .finish = bundle_finish,
    SCN_RELATIONS(bundle_relations),
};
