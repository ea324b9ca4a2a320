/* Kernel bundles: how one is made, and the states that C++ would tell apart by type. */
#include "conformance/scenario/schema/schema.h"

#include <string.h>

/* In the order of scn_bundle_state. */
static const scn_choice states[SCN_BUNDLE_STATE_COUNT] = {
#define STATE_CHOICE(state, name) {name, true},
    SCN_BUNDLE_STATES(STATE_CHOICE)
#undef STATE_CHOICE
};
static const scn_shape shape_state = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a state",
    SCN_CHOICES(states),
};
static const scn_shape shape_bundles = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of bundles",
    .element = &scn_shape_bundle_reference,
    .element_size = sizeof(uint32_t),
    .least = 1,
};

/* ---- Rows --------------------------------------------------------------------------------- */

typedef struct bundle_draft {
    scn_step step;
    uint32_t state, one; /* get; compile, build */
    const uint32_t *linked, *joined;
    uint32_t linked_count, joined_count;
} bundle_draft;

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
    BUNDLE_ROW_COUNT
};

static const scn_row bundle_rows[BUNDLE_ROW_COUNT] = {
    [BUNDLE_ID] = {"id", &scn_shape_name, SCN_REQUIRED, SCN_FIELD(bundle_draft, step.id),
                   "The name by which steps refer to it."},
    [BUNDLE_GET] = {"get", &shape_state, SCN_ALTERNATIVE, SCN_FIELD(bundle_draft, state),
                    "The state in which the images of kernels are got, as get_kernel_bundle does."},
    [BUNDLE_COMPILE] = {"compile", &scn_shape_bundle_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(bundle_draft, one), "The input bundle that is compiled."},
    [BUNDLE_LINK] = {"link", &shape_bundles, SCN_ALTERNATIVE,
                     SCN_ITEMS(bundle_draft, linked, linked_count),
                     "The object bundles that are linked."},
    [BUNDLE_BUILD] = {"build", &scn_shape_bundle_reference, SCN_ALTERNATIVE,
                      SCN_FIELD(bundle_draft, one),
                      "The input bundle that is compiled and linked."},
    [BUNDLE_JOIN] = {"join", &shape_bundles, SCN_ALTERNATIVE,
                     SCN_ITEMS(bundle_draft, joined, joined_count),
                     "The bundles in one state whose device images it has, each once."},
    [BUNDLE_KERNELS] = {"kernels", &scn_shape_kernels, 0,
                        SCN_ITEMS(bundle_draft, step.bundle.kernels, step.bundle.kernel_count),
                        "Beside get: the kernels; all that the device can have where not given."},
    [BUNDLE_DEVICE] = {"device", &scn_shape_device_reference, 0,
                       SCN_FIELD(bundle_draft, step.bundle.device),
                       "Beside get: the device; the one chosen last where not given."},
    [BUNDLE_CONTEXT] = {"context", &scn_shape_context_reference, 0,
                        SCN_FIELD(bundle_draft, step.bundle.context),
                        "Beside get: the context, which must hold the device; that of all devices "
                        "where not given."},
    [BUNDLE_CONSTANTS] = {"spec_constants", &scn_shape_spec_constants, 0,
                          SCN_ITEMS(bundle_draft, step.bundle.constants,
                                    step.bundle.constant_count),
                          "Beside 'get: input': values of specialisation constants by name."},
    [BUNDLE_OPTIONS] = {"options", &scn_shape_options, 0,
                        SCN_FIELD(bundle_draft, step.bundle.options),
                        "Beside compile or link: options for the device's compiler or linker, "
                        "behind those of the images."},
};
/* Keys that say more about a way of making a bundle. */
static const scn_relation bundle_relations[] = {
    {"kernels", SCN_NEEDS, {"get"}, "'kernels' needs 'get' beside it"},
    {"device", SCN_NEEDS, {"get"}, "'device' needs 'get' beside it"},
    {"context", SCN_NEEDS, {"get"}, "'context' needs 'get' beside it"},
    {"spec_constants", SCN_NEEDS, {"get"}, "'spec_constants' needs 'get: input' beside it"},
    {"options", SCN_NEEDS, {"compile", "link"}, "'options' needs 'compile' or 'link' beside it"},
};
static const scn_shape shape_bundle_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a bundle",
    .also = "{'if': {'required': ['spec_constants']}, 'then': {'properties': {'get': {'const': "
            "'input'}}}}",
    SCN_RELATIONS(bundle_relations),
    SCN_ROWS(bundle_rows),
};

/* The one of them that depends on more than which keys are there. */
static bool constants_check(scn_reader *reader, const scn_node *node, uint64_t given,
                            uint32_t state)
{
    if (!(given >> BUNDLE_CONSTANTS & 1) || state == SCN_BUNDLE_INPUT) return true;
    return scn_report(reader->reporter, scn_node_entry(node, "spec_constants")->at,
                      "'spec_constants' needs 'get: input' beside it");
}

/* ---- States ------------------------------------------------------------------------------- */

bool scn_bundle_state_check(scn_reader *reader, scn_position at, uint32_t step,
                            scn_bundle_state wanted)
{
    const scn_step *other = &reader->step_table[step];
    if (other->verb != SCN_VERB_BUNDLE) { /* it has problems of its own, and no state */
        CHECK(reader->reporter->count > 0);
        return true;
    }
    if (other->bundle.state == wanted) return true;
    return scn_report(reader->reporter, at, "bundle '%s' is in state %s; one in state %s is needed",
                      scn_shown(reader->arena, other->id), states[other->bundle.state].name,
                      states[wanted].name);
}

static bool states_check(scn_reader *reader, const scn_node *list, const scn_bundle *bundle,
                         scn_bundle_state wanted)
{
    CHECK(bundle->source_count >= 1);
    for (uint32_t i = 0; i < bundle->source_count; i++) {
        scn_position at = list->kind == SCN_NODE_LIST ? list->items[i].at : list->at;
        if (!scn_bundle_state_check(reader, at, bundle->sources[i], wanted)) return false;
    }
    return true;
}

static void take_one(scn_reader *reader, const bundle_draft *draft, scn_bundle *bundle)
{
    uint32_t *only = rt_arena_alloc(reader->arena, sizeof *only);
    *only = draft->one;
    bundle->sources = only;
    bundle->source_count = 1;
}

/* Fills what the way of making it decides: its action, sources and state. */
static bool way_read(scn_reader *reader, const scn_node *way_node, bundle_draft *draft,
                     uint32_t way)
{
    scn_bundle *bundle = &draft->step.bundle;
    switch (way) {
    case BUNDLE_GET:
        bundle->action = SCN_BUNDLE_GET;
        bundle->state = (scn_bundle_state)draft->state;
        return true;
    case BUNDLE_COMPILE:
        bundle->action = SCN_BUNDLE_COMPILE;
        bundle->state = SCN_BUNDLE_OBJECT;
        take_one(reader, draft, bundle);
        return states_check(reader, way_node, bundle, SCN_BUNDLE_INPUT);
    case BUNDLE_BUILD:
        bundle->action = SCN_BUNDLE_BUILD;
        bundle->state = SCN_BUNDLE_EXECUTABLE;
        take_one(reader, draft, bundle);
        return states_check(reader, way_node, bundle, SCN_BUNDLE_INPUT);
    case BUNDLE_LINK:
        bundle->action = SCN_BUNDLE_LINK;
        bundle->state = SCN_BUNDLE_EXECUTABLE;
        bundle->sources = draft->linked;
        bundle->source_count = draft->linked_count;
        return states_check(reader, way_node, bundle, SCN_BUNDLE_OBJECT);
    case BUNDLE_JOIN:
        bundle->action = SCN_BUNDLE_JOIN;
        bundle->sources = draft->joined;
        bundle->source_count = draft->joined_count;
        const scn_step *first = &reader->step_table[draft->joined[0]];
        if (first->verb == SCN_VERB_BUNDLE) bundle->state = first->bundle.state;
        return states_check(reader, way_node, bundle, bundle->state);
    default: break;
    }
    UNREACHABLE();
}

static bool bundle_read(scn_reader *reader, const scn_node *node, void *out)
{
    bundle_draft draft = {.step = *(const scn_step *)out};
    draft.step.bundle = (scn_bundle){.device = reader->device, .context = SCN_NONE};
    uint64_t given;
    bool fine = scn_object_read(reader, &shape_bundle_object, node, &draft, &given);
    ((scn_step *)out)->id = draft.step.id; /* also of a faulty one: others refer to it */
    if (!fine) return false;
    uint32_t way =
        scn_object_alternative(reader, &shape_bundle_object, node, given, "a way of making it");
    if (way == SCN_NONE) return false;
    const scn_node *way_node = &scn_node_entry(node, bundle_rows[way].key)->value;
    fine = constants_check(reader, node, given, draft.state) &&
           way_read(reader, way_node, &draft, way);
    *(scn_step *)out = draft.step;
    return fine;
}

const scn_shape scn_shape_bundle = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a bundle",
    .read = bundle_read,
    .alternatives = {&shape_bundle_object},
};
