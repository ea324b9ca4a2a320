/* Steps: one verb each.  Here they get their place in the order of the scenario; what a verb or an
 * expectation holds is read elsewhere.
 *
 * The steps inside a parallel stand in the same table, behind it, so that a number names a step
 * wherever it is. */
#include "conformance/scenario/schema/schema.h"

#include <inttypes.h>
#include <stdio.h>

enum { STEP_COUNT_MAX = 65536 };

/* ---- The verbs ---------------------------------------------------------------------------- */

/* Those that need no more than their name; a list of a parallel may hold the first alone. */
enum { BARE_WAIT, BARE_RESTART };
static const scn_shape shape_step_object; /* a mapping with the verb as a key */
static const scn_choice bare_verbs[] = {
    [BARE_WAIT] = {"wait", true}, [BARE_RESTART] = {"restart", true}};
static const scn_shape shape_bare_verb = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a step",
    .beside = &shape_step_object,
    SCN_CHOICES(bare_verbs),
};
static const scn_shape shape_nested_bare_verb = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a step",
    .choices = bare_verbs,
    .choice_count = 1,
};

static bool load_image_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    rt_text name;
    static const scn_shape shape_name = {.kind = SCN_SHAPE_TEXT, .noun = "an image, MODULE/NUMBER"};
    if (!scn_value_read(reader, &shape_name, node, &name)) return false;
    return scn_image_name_read(reader, node->at, name, &step->module, &step->image);
}

static const scn_shape shape_image_name = {
    .kind = SCN_SHAPE_TEXT,
    .noun = "an image",
    .pattern = SCN_IMAGE_PATTERN,
};
static const scn_shape shape_load_image = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an image, MODULE/NUMBER",
    .read = load_image_read,
    .alternatives = {&shape_image_name},
};

static const scn_shape shape_kept_expect = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an expectation",
    .read = scn_node_keep, /* how it is read depends on the verb */
    .alternatives = {&scn_shape_expect},
};

typedef struct step_draft {
    scn_step step; /* first: the shapes of verbs fill it */
    const scn_node *expect, *lists;
} step_draft;

_Static_assert(offsetof(step_draft, step) == 0, "verbs' shapes take the step");

static const scn_shape shape_lists; /* of a parallel; they hold steps again */

/* Those that a list of a parallel may hold come first. */
enum {
    STEP_LOAD,
    STEP_UNLOAD,
    STEP_LOAD_IMAGE,
    STEP_QUEUE,
    STEP_BUNDLE,
    STEP_SUBMIT,
    STEP_COPY,
    STEP_MEMCPY,
    STEP_FILL,
    STEP_HOST_TASK,
    STEP_START_FUSION,
    STEP_COMPLETE_FUSION,
    STEP_CANCEL_FUSION,
    STEP_WAIT,
    STEP_HOST_ACCESS,
    STEP_PROFILING,
    STEP_EXPECT,
    STEP_ID,
    STEP_PROFILE,
    STEP_NESTED_COUNT,
    STEP_DEVICE = STEP_NESTED_COUNT,
    STEP_CONTEXT,
    STEP_END_QUEUE,
    STEP_END_MEMORY,
    STEP_PARALLEL,
    STEP_BUILT_COUNT
};

static const scn_row step_rows[] = {
    [STEP_LOAD] = {"load", &scn_shape_module_reference, SCN_ALTERNATIVE,
                   SCN_FIELD(step_draft, step.module), "Loads a module, as dlopen does."},
    [STEP_UNLOAD] = {"unload", &scn_shape_module_reference, SCN_ALTERNATIVE,
                     SCN_FIELD(step_draft, step.module), "Unloads a module, as dlclose does."},
    [STEP_LOAD_IMAGE] = {"load_image", &shape_load_image, SCN_ALTERNATIVE,
                         SCN_FIELD(step_draft, step),
                         "Loads one image MODULE/NUMBER, the documents' device_dlopen."},
    [STEP_QUEUE] = {"queue", &scn_shape_queue, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                    "Creates a queue."},
    [STEP_BUNDLE] = {"bundle", &scn_shape_bundle, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                     "Makes a kernel bundle."},
    [STEP_SUBMIT] = {"submit", &scn_shape_submit, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                     "Submits a kernel."},
    [STEP_COPY] = {"copy", &scn_shape_copy, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                   "Copies elements from one memory to another, or to or from a device_global."},
    [STEP_MEMCPY] = {"memcpy", &scn_shape_memcpy, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                     "The same in bytes."},
    [STEP_FILL] = {"fill", &scn_shape_fill, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                   "Fills elements of a memory with one value."},
    [STEP_HOST_TASK] = {"host_task", &scn_shape_host_task, SCN_ALTERNATIVE,
                        SCN_FIELD(step_draft, step), "Runs a host task on a queue."},
    [STEP_START_FUSION] = {"start_fusion", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                           SCN_FIELD(step_draft, step.on),
                           "Lets a queue collect kernels for fusion."},
    [STEP_COMPLETE_FUSION] = {"complete_fusion", &scn_shape_complete_fusion, SCN_ALTERNATIVE,
                              SCN_FIELD(step_draft, step), "Fuses and runs what was collected."},
    [STEP_CANCEL_FUSION] = {"cancel_fusion", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                            SCN_FIELD(step_draft, step.on),
                            "Runs what was collected kernel by kernel."},
    [STEP_WAIT] = {"wait", &scn_shape_wait, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                   "Waits for everything submitted, for a queue or for a step."},
    [STEP_HOST_ACCESS] = {"host_access", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                          SCN_FIELD(step_draft, step.memory),
                          "Reads a memory on the host, which waits for what writes it."},
    [STEP_PROFILING] = {"profiling", &scn_shape_profiling, SCN_ALTERNATIVE,
                        SCN_FIELD(step_draft, step),
                        "Asks the event of a step when its command was submitted, began and ended, "
                        "which waits for it; the times must be in this order."},
    [STEP_EXPECT] = {"expect", &shape_kept_expect, SCN_SUFFICES, SCN_FIELD(step_draft, expect),
                     "What is expected here; beside a verb: the error that it is refused with."},
    [STEP_ID] = {"id", &scn_shape_name, 0, SCN_FIELD(step_draft, step.id),
                 "A name by which other steps and rules refer to this one."},
    [STEP_PROFILE] = {"profile", &scn_shape_profile, 0, SCN_FIELD(step_draft, step.profile),
                      "The step is there in this profile only."},
    [STEP_DEVICE] = {"device", &scn_shape_device_reference, SCN_ALTERNATIVE,
                     SCN_FIELD(step_draft, step.device),
                     "Chooses the device that later steps mean where they name none."},
    [STEP_CONTEXT] = {"context", &scn_shape_context, SCN_ALTERNATIVE, SCN_FIELD(step_draft, step),
                      "Creates a context."},
    [STEP_END_QUEUE] = {"end_queue", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(step_draft, step.on), "Destroys a queue."},
    [STEP_END_MEMORY] = {"end_memory", &scn_shape_memory_reference, SCN_ALTERNATIVE,
                         SCN_FIELD(step_draft, step.memory),
                         "Destroys a buffer, which waits for what uses it; no later step uses it."},
    [STEP_PARALLEL] = {"parallel", &shape_lists, SCN_ALTERNATIVE, SCN_FIELD(step_draft, lists),
                       "Runs lists of steps on threads of their own and waits for the threads."},
};
/* What is made by a step has its id inside, and later steps stand on it in both profiles. */
#define ID_INSIDE(verb)                                                                            \
    {                                                                                              \
        "id", SCN_BARS, {verb}, "a " verb " has its id inside: '- " verb ": {id: NAME ...}'"       \
    }
#define LASTING(verb)                                                                              \
    {                                                                                              \
        "profile", SCN_BARS, {verb},                                                               \
            "'profile' cannot stand beside '" verb                                                 \
            "', to which later steps refer in both profiles"                                       \
    }
#define CANNOT_BE_REFUSED(verb)                                                                    \
    {                                                                                              \
        "expect", SCN_BARS, {verb},                                                                \
            "'" verb "' cannot be refused; write '- expect: ...' as a step of its own"             \
    }

/* Those of the verbs that a list of a parallel may hold come first. */
enum { NESTED_RELATION_COUNT = 4 };
static const scn_relation step_relations[] = {
    ID_INSIDE("queue"),          ID_INSIDE("bundle"),          LASTING("queue"),
    LASTING("bundle"),           ID_INSIDE("context"),         LASTING("context"),
    LASTING("device"),           LASTING("parallel"),          CANNOT_BE_REFUSED("context"),
    CANNOT_BE_REFUSED("device"), CANNOT_BE_REFUSED("parallel")};

/* What expectation_read says: alone, an expectation is of anything but an error; beside a verb it
 * is of an error, or of several outcomes that are errors or none. */
static const char step_also[] =
    "{'if': {'propertyNames': {'enum': ['expect', 'id', 'profile']}},"
    " 'then': {'properties': {'expect': {'properties': {'error': false, 'one_of': {'items':"
    " {'properties': {'error': false}}}}}}},"
    " 'else': {'properties': {'expect': {'propertyNames': {'enum': ['error', 'one_of']},"
    " 'maxProperties': 1, 'properties': {'error': {'type': 'object'}, 'one_of': {'items':"
    " {'required': ['error']}}}}}}}";

static const scn_shape shape_step_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a step",
    .key_noun = "step",
    .beside = &shape_bare_verb,
    .also = step_also,
    SCN_RELATIONS(step_relations),
    SCN_ROWS(step_rows),
};

/* What is true of a verb. */
typedef struct verb_row {
    scn_verb verb;
    bool command; /* later commands may come after it */
} verb_row;

static const verb_row verbs[STEP_BUILT_COUNT] = {
    [STEP_LOAD] = {SCN_VERB_LOAD, false},
    [STEP_UNLOAD] = {SCN_VERB_UNLOAD, false},
    [STEP_LOAD_IMAGE] = {SCN_VERB_LOAD_IMAGE, false},
    [STEP_QUEUE] = {SCN_VERB_QUEUE, false},
    [STEP_BUNDLE] = {SCN_VERB_BUNDLE, false},
    [STEP_SUBMIT] = {SCN_VERB_SUBMIT, true},
    [STEP_COPY] = {SCN_VERB_COPY, true},
    [STEP_MEMCPY] = {SCN_VERB_COPY, true},
    [STEP_FILL] = {SCN_VERB_FILL, true},
    [STEP_HOST_TASK] = {SCN_VERB_HOST_TASK, true},
    [STEP_START_FUSION] = {SCN_VERB_START_FUSION, false},
    [STEP_COMPLETE_FUSION] = {SCN_VERB_COMPLETE_FUSION, true},
    [STEP_CANCEL_FUSION] = {SCN_VERB_CANCEL_FUSION, false},
    [STEP_END_QUEUE] = {SCN_VERB_END_QUEUE, false},
    [STEP_END_MEMORY] = {SCN_VERB_END_MEMORY, false},
    [STEP_WAIT] = {SCN_VERB_WAIT, false},
    [STEP_HOST_ACCESS] = {SCN_VERB_HOST_ACCESS, false},
    [STEP_PROFILING] = {SCN_VERB_PROFILING, false},
    [STEP_EXPECT] = {SCN_VERB_EXPECT, false},
    [STEP_DEVICE] = {SCN_VERB_DEVICE, false},
    [STEP_CONTEXT] = {SCN_VERB_CONTEXT, false},
    [STEP_PARALLEL] = {SCN_VERB_PARALLEL, false},
};

/* ---- Ids ---------------------------------------------------------------------------------- */

/* What is made by a step has its id inside. */
static bool has_id_inside(uint32_t row)
{
    return row == STEP_QUEUE || row == STEP_CONTEXT || row == STEP_BUNDLE;
}

/* Where the step's id stands: beside the verb, or inside what a queue, context or bundle is made
 * of.
 */
static const scn_node *id_node(const scn_node *node, uint32_t row)
{
    const scn_entry *id = scn_node_entry(node, "id");
    if (!id && has_id_inside(row))
        id = scn_node_entry(&scn_node_entry(node, step_rows[row].key)->value, "id");
    return id ? &id->value : NULL;
}

/* Makes the step's id known to the steps that follow; also where the step has problems, so that
 * those that refer to it have none. */
static bool id_add(scn_reader *reader, const scn_node *node, rt_text id, uint32_t row,
                   uint32_t index)
{
    if (id.length == 0) return true;
    if (rt_map_find(&reader->steps.map, id) != RT_MAP_NONE) {
        return scn_report(reader->reporter, id_node(node, row)->at,
                          "an earlier step has the id '%s' already", scn_shown(reader->arena, id));
    }
    scn_names_add(&reader->steps, id, index);
    if (verbs[row].command) scn_names_add(&reader->commands, id, index);
    if (row == STEP_QUEUE) scn_names_add(&reader->queues, id, index);
    if (row == STEP_CONTEXT) scn_names_add(&reader->contexts, id, index);
    if (row == STEP_BUNDLE) scn_names_add(&reader->bundles, id, index);
    return true;
}

/* ---- Checks over one step ----------------------------------------------------------------- */

/* Sizes and ranges that do not fit are what some scenarios are about: they expect the error. */
static bool expects_refusal(const scn_step *step)
{
    return step->error || step->outcome_count > 0;
}

static bool group_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    const scn_submit *submit = &step->submit;
    if (submit->local[0] == 0) return true;
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

static uint64_t memory_size(const scn_memory *memory)
{
    return memory->count * memory->layout.size;
}

static bool range_check(scn_reader *reader, scn_position at, uint32_t memory, uint64_t offset,
                        uint64_t size)
{
    /* A variable's size is known when its image is made (scn_variables_resolve). */
    if (memory == SCN_NONE) return true;
    CHECK(memory < reader->scenario->memory_count);
    const scn_memory *declared = &reader->scenario->memories[memory];
    uint64_t room = memory_size(declared);
    if (offset <= room && size <= room - offset) return true;
    return scn_report(reader->reporter, at,
                      "bytes %" PRIu64 " to %" PRIu64 " of memory '%s', which has %" PRIu64
                      "; choose a part that lies in it, or expect the error",
                      offset, offset + size, scn_shown(reader->arena, declared->name), room);
}

static bool transfer_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    const scn_transfer *transfer = &step->transfer;
    bool copies = step->verb == SCN_VERB_COPY;
    const scn_entry *bytes = scn_node_entry(node, "memcpy");
    scn_position at =
        bytes ? bytes->value.at : scn_node_entry(node, copies ? "copy" : "fill")->value.at;
    if (!range_check(reader, at, transfer->to, transfer->to_offset, transfer->size)) return false;
    if (!copies) return true;
    if (!range_check(reader, at, transfer->from, transfer->from_offset, transfer->size)) {
        return false;
    }
    uint64_t low = transfer->from_offset, high = transfer->to_offset;
    if (low > high) low = transfer->to_offset, high = transfer->from_offset;
    if (transfer->from != transfer->to || high - low >= transfer->size) return true;
    return scn_report(reader->reporter, at,
                      "the copy reads and writes the same bytes of memory '%s'; choose parts that "
                      "do not overlap, or expect the error",
                      scn_shown(reader->arena, reader->scenario->memories[transfer->to].name));
}

/* A queue or bundle for a device, made in a context by the step `made_by`. */
static bool context_check(scn_reader *reader, scn_position at, uint32_t made_by, uint32_t device)
{
    if (made_by == SCN_NONE) return true;
    const scn_step *context = &reader->step_table[made_by];
    if (context->verb != SCN_VERB_CONTEXT) { /* it has problems of its own, and no devices */
        CHECK(reader->reporter->count > 0);
        return true;
    }
    for (uint32_t i = 0; i < context->device_count; i++) {
        if (context->devices[i] == device) return true;
    }
    return scn_report(reader->reporter, at,
                      "context '%s' does not hold device '%s'; choose a device of the context, or "
                      "expect the error",
                      scn_shown(reader->arena, context->id),
                      scn_shown(reader->arena, reader->devices.list.items[device]));
}

static bool executable_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    if (step->module != 0) return true;
    const char *key = step->verb == SCN_VERB_LOAD ? "load" : "unload";
    return scn_report(reader->reporter, scn_node_entry(node, key)->value.at,
                      "'%s', the first module, is the executable: it is loaded from the start "
                      "to the end",
                      scn_shown(reader->arena, reader->modules.list.items[0]));
}

static bool verb_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    switch (step->verb) {
    case SCN_VERB_LOAD:
    case SCN_VERB_UNLOAD: return executable_check(reader, node, step);
    case SCN_VERB_SUBMIT: return expects_refusal(step) || group_check(reader, node, step);
    case SCN_VERB_COPY:
    case SCN_VERB_FILL: return expects_refusal(step) || transfer_check(reader, node, step);
    case SCN_VERB_QUEUE:
        return expects_refusal(step) ||
               context_check(reader, scn_node_entry(node, "queue")->value.at, step->queue.context,
                             step->queue.device);
    case SCN_VERB_BUNDLE:
        return expects_refusal(step) ||
               context_check(reader, scn_node_entry(node, "bundle")->value.at, step->bundle.context,
                             step->bundle.device);
    default: return true;
    }
}

/* What the place of the step forbids. */
static bool place_check(scn_reader *reader, const scn_node *node, uint32_t row)
{
    if (reader->thread == 0 || row < STEP_NESTED_COUNT) return true;
    return scn_report(reader->reporter, node->at,
                      "'%s' cannot stand inside a parallel; write it before the parallel",
                      step_rows[row].key);
}

/* ---- One step ----------------------------------------------------------------------------- */

static bool lists_read(scn_reader *reader, const scn_node *node, uint32_t index);

/* What the step expects: as its verb, or the error beside its verb. */
static bool expectation_read(scn_reader *reader, const step_draft *draft, uint32_t row,
                             scn_step *step)
{
    if (!draft->expect) return true;
    if (row == STEP_EXPECT) return scn_expect_read(reader, draft->expect, step);
    return scn_refusal_read(reader, draft->expect, step);
}

/* The row of the step's verb; SCN_NONE after a problem. */
static uint32_t verb_row_of(scn_reader *reader, const scn_node *node, const step_draft *draft,
                            uint64_t given)
{
    uint64_t not_verbs =
        UINT64_C(1) << STEP_EXPECT | UINT64_C(1) << STEP_ID | UINT64_C(1) << STEP_PROFILE;
    if ((given & ~not_verbs) == 0 && draft->expect) return STEP_EXPECT;
    return scn_object_alternative(reader, &shape_step_object, node, given, "one verb");
}

/* Of a step that has problems too, so that its id is known: the verb that is there, if any. */
static uint32_t probable_row(uint64_t given)
{
    for (uint32_t row = 0; row < STEP_BUILT_COUNT; row++) {
        bool verb = step_rows[row].flags & SCN_ALTERNATIVE;
        if (verb && given >> row & 1) return row;
    }
    return STEP_EXPECT;
}

static bool object_step_read(scn_reader *reader, const scn_node *node, uint32_t index)
{
    const scn_entry *restart = scn_node_entry(node, "restart");
    if (restart) {
        return scn_report(reader->reporter, restart->at,
                          "a restart has neither parts nor an id and cannot be refused; write "
                          "'- restart'");
    }
    scn_step *step = &reader->step_table[index];
    step_draft draft = {.step = *step};
    uint64_t given;
    bool fine = scn_object_read(reader, &shape_step_object, node, &draft, &given);
    *step = draft.step;
    uint32_t row = probable_row(given);
    fine = id_add(reader, node, step->id, row, index) && fine;
    if (fine) row = verb_row_of(reader, node, &draft, given);
    if (!fine || row == SCN_NONE) return false;
    step->verb = verbs[row].verb;
    fine = place_check(reader, node, row) && expectation_read(reader, &draft, row, step) &&
           verb_check(reader, node, step);
    reader->ends = reader->ends || row == STEP_END_MEMORY;
    if (fine && reader->ends) fine = scn_ended_check(reader, node, step);
    if (row == STEP_DEVICE) reader->device = step->device;
    if (row == STEP_PARALLEL && fine) fine = lists_read(reader, draft.lists, index);
    return fine;
}

static bool bare_step_read(scn_reader *reader, const scn_node *node, uint32_t index)
{
    uint32_t bare;
    if (!scn_value_read(reader, &shape_bare_verb, node, &bare)) return false;
    if (bare != BARE_RESTART) return true;
    if (reader->thread > 0) {
        return scn_report(reader->reporter, node->at,
                          "'restart' cannot stand inside a parallel; write it behind the parallel");
    }
    reader->step_table[index].verb = SCN_VERB_RESTART;
    reader->process = index + 1;
    return true;
}

/* Reads the step into the table's next place. */
static bool step_read(scn_reader *reader, const scn_node *node)
{
    uint32_t index = reader->step_count++;
    reader->step_table[index] = (scn_step){
        .at = node->at,
        .verb = SCN_VERB_WAIT,
        .profile = RT_PROFILE_COUNT,
        .thread = reader->thread,
        .device = reader->device,
        .on = SCN_NONE,
        .awaited = SCN_NONE,
    };
    if (node->kind == SCN_NODE_SCALAR) return bare_step_read(reader, node, index);
    return object_step_read(reader, node, index);
}

/* ---- Lists of steps ----------------------------------------------------------------------- */

static bool lists_read(scn_reader *reader, const scn_node *node, uint32_t index)
{
    static const char expected[] = "a list of lists of steps, one for each thread";
    if (node->kind != SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at, "expected %s, found %s", expected,
                          scn_node_describe(reader->arena, node));
    }
    if (node->count < 2 || node->count > SCN_LIST_COUNT_MAX) {
        return scn_report(reader->reporter, node->at,
                          "expected from 2 to %d lists of steps, found %u", SCN_LIST_COUNT_MAX,
                          node->count);
    }
    bool fine = true;
    uint32_t first = reader->step_count;
    reader->parallel = index;
    for (uint32_t i = 0; i < node->count; i++) {
        const scn_node *list = &node->items[i];
        if (list->kind != SCN_NODE_LIST || list->count == 0) {
            fine = scn_report(reader->reporter, list->at, "expected a list of steps, found %s",
                              list->kind == SCN_NODE_LIST ? "an empty one"
                                                          : scn_node_describe(reader->arena, list));
            continue;
        }
        reader->thread = i + 1;
        for (uint32_t k = 0; k < list->count; k++)
            fine = step_read(reader, &list->items[k]) && fine;
    }
    reader->thread = 0;
    reader->parallel = SCN_NONE;
    reader->step_table[index].thread_count = node->count;
    reader->step_table[index].nested_count = reader->step_count - first;
    return fine;
}

/* How many steps a list holds, those inside parallels included. */
static uint64_t steps_count(const scn_node *list)
{
    uint64_t count = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        const scn_node *step = &list->items[i];
        const scn_entry *lists =
            step->kind == SCN_NODE_MAPPING ? scn_node_entry(step, "parallel") : NULL;
        if (!lists || lists->value.kind != SCN_NODE_LIST) continue;
        for (uint32_t k = 0; k < lists->value.count; k++) {
            if (lists->value.items[k].kind == SCN_NODE_LIST) count += lists->value.items[k].count;
        }
    }
    return count;
}

static bool steps_read(scn_reader *reader, const scn_node *node, void *out)
{
    (void)out;
    if (node->kind != SCN_NODE_LIST) {
        return scn_report(reader->reporter, node->at, "expected the list of steps, found %s",
                          scn_node_describe(reader->arena, node));
    }
    uint64_t count = steps_count(node);
    if (count > STEP_COUNT_MAX) {
        return scn_report(reader->reporter, node->at,
                          "%" PRIu64 " items are too many; the list of steps has at most %d", count,
                          STEP_COUNT_MAX);
    }
    reader->step_table = rt_arena_alloc_array(reader->arena, count, sizeof *reader->step_table);
    reader->parallel = SCN_NONE;
    bool fine = true;
    for (uint32_t i = 0; i < node->count; i++)
        fine = step_read(reader, &node->items[i]) && fine;
    CHECK(reader->step_count <= count);
    reader->scenario->steps = reader->step_table;
    reader->scenario->step_count = reader->step_count;
    return fine;
}

/* ---- Shapes ------------------------------------------------------------------------------- */

static const scn_shape shape_nested_step_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a step",
    .key_noun = "step",
    .also = step_also,
    .relations = step_relations,
    .relation_count = NESTED_RELATION_COUNT,
    .rows = step_rows,
    .row_count = STEP_NESTED_COUNT,
};
static const scn_shape shape_nested_step = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a step of a list",
    .alternatives = {&shape_nested_bare_verb, &shape_nested_step_object},
};
static const scn_shape shape_nested_steps = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of steps",
    .element = &shape_nested_step,
    .least = 1,
};
static const scn_shape shape_list_of_lists = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of lists of steps",
    .element = &shape_nested_steps,
    .least = 2,
    .most = SCN_LIST_COUNT_MAX,
};
static const scn_shape shape_lists = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a list of lists of steps",
    .read = scn_node_keep, /* read when the step has its place */
    .alternatives = {&shape_list_of_lists},
};

static const scn_shape shape_step = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a step",
    .alternatives = {&shape_bare_verb, &shape_step_object},
};
static const scn_shape shape_step_list = {
    .kind = SCN_SHAPE_LIST,
    .noun = "the list of steps",
    .element = &shape_step,
    .most = STEP_COUNT_MAX,
};
const scn_shape scn_shape_steps = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "the list of steps",
    .read = steps_read,
    .alternatives = {&shape_step_list},
};
