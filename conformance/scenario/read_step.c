/* Steps: one verb each.  Here they get their place in the order of the scenario; what a submit and
 * an expectation hold is read elsewhere. */
#include "conformance/scenario/schema.h"

#include <inttypes.h>

static const scn_choice bare_verbs[] = {{"wait", true}};
static const scn_shape shape_bare_verb = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a step",
    SCN_CHOICES(bare_verbs),
};

static const scn_row wait_rows[] = {
    {"queue", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The queue to wait for."},
    {"step", NULL, SCN_NOT_BUILT, SCN_NOWHERE, "The step to wait for."},
};
static const scn_shape shape_wait_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a wait",
    SCN_ROWS(wait_rows),
};
static bool wait_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint64_t given;
    if (scn_node_is_nothing(node)) return true;
    if (node->kind == SCN_NODE_MAPPING) {
        return scn_object_read(reader, &shape_wait_object, node, out, &given);
    }
    return scn_report(reader->reporter, node->at,
                      "wait waits for everything submitted and takes nothing; write '- wait'");
}

static const scn_shape shape_wait = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a wait",
    .read = wait_read,
    .alternatives = {&shape_wait_object},
};

static const scn_shape shape_kept_expect = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an expectation",
    .read = scn_node_keep, /* how it is read depends on the verb */
    .alternatives = {&scn_shape_expect},
};

typedef struct step_draft {
    scn_step step;
    const scn_node *expect;
} step_draft;

enum { STEP_LOAD, STEP_UNLOAD, STEP_SUBMIT, STEP_WAIT, STEP_HOST_ACCESS, STEP_EXPECT, STEP_ID };
static const scn_row step_rows[] = {
    [STEP_LOAD] = {"load", &scn_shape_module_reference, SCN_ALTERNATIVE,
                   SCN_FIELD(step_draft, step.module), "Loads a module, as dlopen does."},
    [STEP_UNLOAD] = {"unload", &scn_shape_module_reference, SCN_ALTERNATIVE,
                     SCN_FIELD(step_draft, step.module), "Unloads a module, as dlclose does."},
    [STEP_SUBMIT] = {"submit", &scn_shape_submit, SCN_ALTERNATIVE,
                     SCN_FIELD(step_draft, step.submit), "Submits a kernel."},
    [STEP_WAIT] = {"wait", &shape_wait, SCN_ALTERNATIVE, SCN_NOWHERE,
                   "Waits for everything submitted."},
    [STEP_HOST_ACCESS] = {"host_access", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                          SCN_FIELD(step_draft, step.memory),
                          "Reads a memory on the host, which waits for what writes it."},
    [STEP_EXPECT] = {"expect", &shape_kept_expect, SCN_SUFFICES, SCN_FIELD(step_draft, expect),
                     "What is expected here; beside a verb: the error that it is refused with."},
    [STEP_ID] = {"id", &scn_shape_name, 0, SCN_FIELD(step_draft, step.id),
                 "A name by which other steps and rules refer to this one."},
#define VERB_NOT_BUILT(name, doc)                                                                  \
    {                                                                                              \
        name, NULL, SCN_NOT_BUILT | SCN_ALTERNATIVE, SCN_NOWHERE, doc                              \
    }
    VERB_NOT_BUILT("load_image", "Loads a device image, the documents' device_dlopen."),
    VERB_NOT_BUILT("device", "Chooses a device."),
    VERB_NOT_BUILT("context", "Creates a context."),
    VERB_NOT_BUILT("queue", "Creates a queue."),
    VERB_NOT_BUILT("copy", "Copies between memories and device globals."),
    VERB_NOT_BUILT("fill", "Fills a memory or a device global."),
    VERB_NOT_BUILT("bundle", "Works with kernel bundles."),
    VERB_NOT_BUILT("start_fusion", "Lets a queue collect kernels for fusion."),
    VERB_NOT_BUILT("complete_fusion", "Fuses and runs what was collected."),
    VERB_NOT_BUILT("cancel_fusion", "Runs what was collected kernel by kernel."),
    VERB_NOT_BUILT("parallel", "Runs lists of steps on threads of their own."),
#undef VERB_NOT_BUILT
};
static const scn_shape shape_step_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a step",
    .key_noun = "step",
    SCN_ROWS(step_rows),
};

static const scn_verb verbs[] = {
    [STEP_LOAD] = SCN_VERB_LOAD,
    [STEP_UNLOAD] = SCN_VERB_UNLOAD,
    [STEP_SUBMIT] = SCN_VERB_SUBMIT,
    [STEP_WAIT] = SCN_VERB_WAIT,
    [STEP_HOST_ACCESS] = SCN_VERB_HOST_ACCESS,
    [STEP_EXPECT] = SCN_VERB_EXPECT,
};

/* Makes the step's id known to the steps that follow; also where the step has problems, so that
 * those that refer to it have none. */
static bool id_add(scn_reader *reader, const scn_node *node, rt_text id, uint64_t given,
                   uint32_t index)
{
    if (id.length == 0) return true;
    if (rt_map_find(&reader->steps.map, id) != RT_MAP_NONE) {
        return scn_report(reader->reporter, scn_node_entry(node, "id")->value.at,
                          "an earlier step has the id '%s' already", scn_shown(reader->arena, id));
    }
    scn_names_add(&reader->steps, id, index);
    if (given >> STEP_SUBMIT & 1) scn_names_add(&reader->submits, id, index);
    return true;
}

/* A work-group size that does not fit is what some scenarios are about: they expect the error. */
static bool group_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    const scn_submit *submit = &step->submit;
    if (step->verb != SCN_VERB_SUBMIT || step->error || submit->local[0] == 0) return true;
    scn_position at = scn_node_entry(&scn_node_entry(node, "submit")->value, "local")->value.at;
    uint64_t product = 1;
    for (uint32_t d = 0; d < submit->dimensions; d++) {
        CHECK(submit->local[d] > 0);
        if (submit->range[d] % submit->local[d] != 0) {
            return scn_report(reader->reporter, at,
                              "local size %" PRIu64 " does not divide range %" PRIu64
                              " in dimension %u; choose another, or expect the error",
                              submit->local[d], submit->range[d], d);
        }
        if (submit->local[d] <= RT_WORK_GROUP_SIZE_MAX) product *= submit->local[d];
        if (product <= RT_WORK_GROUP_SIZE_MAX && submit->local[d] <= RT_WORK_GROUP_SIZE_MAX) {
            continue;
        }
        return scn_report(reader->reporter, at,
                          "a work-group has at most %u work-items; choose less, or expect the "
                          "error",
                          RT_WORK_GROUP_SIZE_MAX);
    }
    return true;
}

static bool module_verb_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    bool module_verb = step->verb == SCN_VERB_LOAD || step->verb == SCN_VERB_UNLOAD;
    if (!module_verb || step->module != 0) return true;
    const char *key = step->verb == SCN_VERB_LOAD ? "load" : "unload";
    return scn_report(reader->reporter, scn_node_entry(node, key)->value.at,
                      "'%s', the first module, is the executable: it is loaded from the start "
                      "to the end",
                      scn_shown(reader->arena, reader->modules.list.items[0]));
}

/* What the step expects: as its verb, or the error beside its verb. */
static bool expectation_read(scn_reader *reader, const scn_node *node, const step_draft *draft,
                             scn_step *step)
{
    if (!draft->expect) return true;
    if (step->verb == SCN_VERB_EXPECT) return scn_expect_read(reader, draft->expect, step);
    if (step->verb == SCN_VERB_WAIT || step->verb == SCN_VERB_HOST_ACCESS) {
        return scn_report(reader->reporter, scn_node_entry(node, "expect")->at,
                          "only submit, load and unload can be refused; write '- expect: ...' as a "
                          "step of its own");
    }
    return scn_refusal_read(reader, draft->expect, step);
}

static bool step_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    uint32_t index = reader->step_count++;
    step->at = node->at;
    if (node->kind == SCN_NODE_SCALAR) {
        uint32_t bare;
        step->verb = SCN_VERB_WAIT;
        return scn_value_read(reader, &shape_bare_verb, node, &bare);
    }
    step_draft draft = {.step = {.at = node->at}};
    uint64_t given;
    bool fine = scn_object_read(reader, &shape_step_object, node, &draft, &given);
    *step = draft.step;
    fine = id_add(reader, node, step->id, given, index) && fine;
    uint32_t verb = STEP_EXPECT;
    bool verb_given = (given & ~(UINT64_C(1) << STEP_EXPECT | UINT64_C(1) << STEP_ID)) != 0;
    if (fine && (verb_given || !draft.expect)) {
        verb = scn_object_alternative(reader, &shape_step_object, node, given, "one verb");
    }
    if (!fine || verb == SCN_NONE) return false;
    step->verb = verbs[verb];
    fine = expectation_read(reader, node, &draft, step) && fine;
    fine = module_verb_check(reader, node, step) && fine;
    return group_check(reader, node, step) && fine;
}

static const scn_shape shape_step = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a step",
    .read = step_read,
    .alternatives = {&shape_bare_verb, &shape_step_object},
};
const scn_shape scn_shape_steps = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of steps",
    .element = &shape_step,
    .element_size = sizeof(scn_step),
    .most = 65536,
};
