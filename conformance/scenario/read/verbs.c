/* The table of verbs: for each verb, its key in a step and the rows of its value, all of which fill
 * a scn_step. A new verb needs a row here with its group of rows, its name and its union member in
 * model.h, its execution in conformance/subject, and its rules in check.c, which checks everything
 * beyond the form of a step's parts, on the finished model. */
#include "conformance/scenario/read/verbs.h"

/* ---- Modules and their images --------------------------------------------------------------- */

static const scn_shape shape_load_image;

static bool load_image_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    rt_text name;
    return scn_kind_read(reader, &shape_load_image, node, &name) &&
           scn_image_name_find(reader->reporter, reader->scenario, node->at, name,
                               &step->load.module, &step->load.image);
}

static const scn_shape shape_image_number = {SCN_NUMBER(RT_IMAGE_COUNT_MAX - 1)};
static const scn_row image_rows[] = {
    SCN_HIDDEN(&scn_shape_module_reference, scn_step, load.module),
    SCN_HIDDEN(&shape_image_number, scn_step, load.image),
};
static const scn_shape shape_image = {SCN_STRUCT(image_rows)};
static const scn_shape shape_load_image = {
    SCN_TEXT("an image, MODULE/NUMBER"),
    .pattern = SCN_IMAGE_PATTERN,
    .read = load_image_read,
    .stored = &shape_image,
};

/* ---- Contexts, queues and waits ------------------------------------------------------------- */

static const scn_shape shape_devices = {
    SCN_LIST("a list of devices", uint32_t, &scn_shape_device_reference),
    .unique = true,
    .least = 1,
};
/* A step that creates an object has its id inside the verb's value. */
#define ID_ROW(doc)                                                                                \
    {                                                                                              \
        "id", &scn_shape_name, SCN_REQUIRED | SCN_WRITTEN, SCN_FIELD(scn_step, id), doc            \
    }
static const scn_row context_rows[] = {
    ID_ROW("The name by which other steps refer to the context."),
    {"devices", &shape_devices, SCN_REQUIRED,
     SCN_ITEMS(scn_step, context.devices, context.device_count), "The devices in the context."},
};
static const scn_shape shape_context = {SCN_OBJECT("a context", context_rows)};

static const scn_choice queue_properties[] = {
    {"in_order", true}, {"enable_fusion", true}, {"enable_profiling", true}};
static const scn_shape shape_queue_property = {SCN_CHOICE("a property", queue_properties)};
static bool properties_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_queue *queue = &((scn_step *)out)->queue;
    bool *const fields[] = {&queue->in_order, &queue->enable_fusion, &queue->enable_profiling};
    _Static_assert(sizeof fields / sizeof *fields == sizeof queue_properties / sizeof(scn_choice),
                   "a field for each property");
    if (node->kind != SCN_NODE_LIST)
        return scn_report_expected(reader, node, "a list of properties");
    bool valid = true;
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t property;
        if (scn_value_read(reader, &shape_queue_property, &node->items[i], &property))
            *fields[property] = true;
        else
            valid = false;
    }
    return valid;
}

static const scn_row property_rows[] = {
    SCN_HIDDEN(&scn_shape_flag, scn_step, queue.in_order),
    SCN_HIDDEN(&scn_shape_flag, scn_step, queue.enable_fusion),
    SCN_HIDDEN(&scn_shape_flag, scn_step, queue.enable_profiling),
};
static const scn_shape shape_properties_stored = {SCN_STRUCT(property_rows)};
static const scn_shape shape_properties = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of properties",
    .element = &shape_queue_property,
    .read = properties_read,
    .stored = &shape_properties_stored,
};
static const scn_row queue_rows[] = {
    ID_ROW("The name by which steps refer to the queue."),
    {"device", &scn_shape_device_reference, SCN_OR_CHOSEN, SCN_FIELD(scn_step, queue.device),
     "The device that the queue belongs to; default: the one chosen last."},
    {"context", &scn_shape_context_reference, SCN_OR_NONE, SCN_FIELD(scn_step, queue.context),
     "The context, which must hold the device; default: the context of all devices."},
    {"properties", &shape_properties, 0, SCN_SAME,
     "in_order: each command waits for the one before it; enable_fusion: start_fusion may be used "
     "on the queue; enable_profiling: the queue records the times of its commands."},
};
static const scn_shape shape_queue = {SCN_OBJECT("a queue", queue_rows)};

static const scn_row wait_rows[] = {
    {"queue", &scn_shape_queue_reference, SCN_OR_NONE, SCN_FIELD(scn_step, wait.queue),
     "The queue to wait for."},
    {"step", &scn_shape_command_reference, SCN_OR_NONE, SCN_FIELD(scn_step, wait.step),
     "The command (submit, copy, fill ...) to wait for, including what it depends on."},
};
static const scn_relation wait_relations[] = {
    {"queue", SCN_BARS, {"step"}, "'queue' cannot be combined with 'step'; remove one of them"},
};
static bool wait_read(scn_reader *reader, const scn_node *node, void *out)
{
    if (node->kind == SCN_NODE_MAPPING) return scn_object_read(reader, &scn_shape_wait, node, out);
    scn_rows_clear(reader, &scn_shape_wait, out);
    if (scn_node_is_nothing(node)) return true;
    return scn_report(reader->reporter, node->at,
                      "expected nothing (which waits for everything submitted), {queue: ID} or "
                      "{step: ID}; found %s",
                      scn_node_describe(reader->arena, node));
}

static const scn_shape shape_stored_wait = {SCN_STRUCT(wait_rows)};
const scn_shape scn_shape_wait = {
    SCN_OBJECT("a wait", wait_rows),
    SCN_RELATIONS(wait_relations),
    .read = wait_read,
    .stored = &shape_stored_wait,
};

static const scn_row profiling_rows[] = {
    {"step", &scn_shape_command_reference, SCN_REQUIRED, SCN_FIELD(scn_step, profiling.step),
     "The command (submit, copy, fill, barrier, marker, map, unmap or complete_fusion) whose event "
     "is queried."},
    {"after", &scn_shape_command_reference, SCN_OR_NONE, SCN_FIELD(scn_step, profiling.after),
     "Another command; this one must begin after it has ended."},
    {"same_as", &scn_shape_command_reference, SCN_OR_NONE, SCN_FIELD(scn_step, profiling.same_as),
     "Another command, all of whose times must equal this one's."},
};
static const scn_shape shape_profiling = {
    SCN_OBJECT("a profiling", profiling_rows),
    .shorthand = true,
};

/* ---- Kernel fusion, and the steps that end a fusion ----------------------------------------- */

static const scn_shape shape_no_barriers = {SCN_TRUTH("whether barriers are left out")};
static const scn_row complete_rows[] = {
    {"queue", &scn_shape_queue_reference, SCN_REQUIRED, SCN_FIELD(scn_step, fusion.queue),
     "The queue whose fusion to complete."},
    {"no_barriers", &shape_no_barriers, 0, SCN_FIELD(scn_step, fusion.no_barriers),
     "Whether to omit the barriers between the fused kernels, so that work-items do not wait for "
     "each other there; default: no."},
};
static const scn_shape shape_complete_fusion = {
    SCN_OBJECT("a complete_fusion", complete_rows),
    .shorthand = true,
};

static const scn_row task_rows[] = {
    {"from", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, task.from),
     "The memory that the host task reads: a buffer, or USM of kind host or shared, whose accesses "
     "`after` has to order."},
    {"to", &scn_shape_memory_reference, SCN_OR_NONE, SCN_FIELD(scn_step, task.to),
     "The memory of the same size to which the host task copies `from`; without this key, it only "
     "reads."},
    {"waits_for", &scn_shape_command_reference, SCN_OR_NONE, SCN_FIELD(scn_step, task.waits_for),
     "An earlier command for whose event the host task waits inside, before it reads. The task does "
     "not depend on the command, and other commands must not wait for the task meanwhile."},
    SCN_COMMAND_ROWS,
};
static const scn_relation task_relations[] = {SCN_QUEUE_OR_DEVICE};
static const scn_shape shape_host_task = {
    SCN_OBJECT("a host task", task_rows),
    SCN_RELATIONS(task_relations),
};

/* ---- Markers -------------------------------------------------------------------------------- */

static const scn_row marker_rows[] = {SCN_COMMAND_ROWS};
static const scn_relation marker_relations[] = {SCN_QUEUE_OR_DEVICE};
static const scn_shape shape_barrier = {
    SCN_OBJECT("a barrier", marker_rows),
    SCN_RELATIONS(marker_relations),
};
static const scn_shape shape_marker = {
    SCN_OBJECT("a marker", marker_rows),
    SCN_RELATIONS(marker_relations),
};

/* ---- User events ---------------------------------------------------------------------------- */

static const scn_row user_event_rows[] = {
    ID_ROW("The name by which steps refer to the event."),
    {"device", &scn_shape_device_reference, SCN_OR_CHOSEN, SCN_FIELD(scn_step, device),
     "The device whose commands may wait for the event; default: the one chosen last."},
};
static const scn_shape shape_user_event = {SCN_OBJECT("a user event", user_event_rows)};

static const scn_shape shape_failed = {SCN_TRUTH("whether the event fails")};
static const scn_row completion_rows[] = {
    {"event", &scn_shape_user_event_reference, SCN_REQUIRED, SCN_FIELD(scn_step, completion.event),
     "The user event."},
    {"failed", &shape_failed, 0, SCN_FIELD(scn_step, completion.failed),
     "Whether it fails, so that the commands that wait for it fail without running; default: no."},
};
static const scn_shape shape_complete_event = {
    SCN_OBJECT("a complete_event", completion_rows),
    .shorthand = true,
};

/* ---- Sub-buffers ---------------------------------------------------------------------------- */

static const scn_shape shape_part_offset = {
    SCN_INTEGER("an offset in elements", 0, RT_MEMORY_SIZE_MAX)};
static const scn_row part_rows[] = {
    {"memory", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, part.memory),
     "The memory that becomes part of a buffer; it has no contents of its own."},
    {"of", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, part.whole),
     "The buffer."},
    {"offset", &shape_part_offset, SCN_WRITTEN, SCN_FIELD(scn_step, part.offset),
     "The part's first element in the buffer, counted in elements of the part; default: 0."},
    SCN_HIDDEN(&scn_shape_number, scn_step, part.offset),
};

static bool part_finish(scn_reader *reader, const scn_node *node, void *object)
{
    (void)node;
    scn_step *step = object;
    const scn_memory *memory = scn_memory_of(reader, step->part.memory);
    if (!memory) return false;
    step->part.offset *= memory->layout.size;
    return true;
}

static const scn_shape shape_sub_buffer = {
    SCN_OBJECT("a sub-buffer", part_rows),
    .finish = part_finish,
};

/* ---- The table ------------------------------------------------------------------------------ */

static const scn_shape shape_expectation = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an expectation",
    .alternatives = {&scn_shape_expect},
};
static const scn_shape shape_lists; /* the lists of a parallel, which contain steps */

/* The keys that are allowed in the lists of a parallel come first. */
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
    STEP_BARRIER,
    STEP_MARKER,
    STEP_HOST_TASK,
    STEP_MAP,
    STEP_MAP_WRITE,
    STEP_UNMAP,
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
    STEP_USER_EVENT,
    STEP_COMPLETE_EVENT,
    STEP_SUB_BUFFER,
    STEP_END_QUEUE,
    STEP_END_MEMORY,
    STEP_PARALLEL,
    STEP_ROW_COUNT
};

static const scn_row step_rows[STEP_ROW_COUNT] = {
    [STEP_LOAD] = {"load", &scn_shape_module_reference, SCN_ALTERNATIVE,
                   SCN_FIELD(scn_step, load.module), "Loads a module, as dlopen does."},
    [STEP_UNLOAD] = {"unload", &scn_shape_module_reference, SCN_ALTERNATIVE,
                     SCN_FIELD(scn_step, load.module), "Unloads a module, as dlclose does."},
    [STEP_LOAD_IMAGE] = {"load_image", &shape_load_image, SCN_ALTERNATIVE, SCN_SAME,
                         "Loads one image (MODULE/NUMBER): device_dlopen in the documents."},
    [STEP_QUEUE] = {"queue", &shape_queue, SCN_ALTERNATIVE, SCN_SAME, "Creates a queue."},
    [STEP_BUNDLE] = {"bundle", &scn_shape_bundle, SCN_ALTERNATIVE, SCN_SAME,
                     "Creates a kernel bundle."},
    [STEP_SUBMIT] = {"submit", &scn_shape_submit, SCN_ALTERNATIVE, SCN_SAME, "Submits a kernel."},
    [STEP_COPY] = {"copy", &scn_shape_copy, SCN_ALTERNATIVE, SCN_SAME,
                   "Copies elements from one memory to another, or to or from a device_global."},
    [STEP_MEMCPY] = {"memcpy", &scn_shape_memcpy, SCN_ALTERNATIVE, SCN_SAME,
                     "Copies like copy, but with offsets and size in bytes."},
    [STEP_FILL] = {"fill", &scn_shape_fill, SCN_ALTERNATIVE, SCN_SAME,
                   "Fills elements of a memory with one value."},
    [STEP_BARRIER] = {"barrier", &shape_barrier, SCN_ALTERNATIVE, SCN_SAME,
                      "Submits a barrier. It waits for the commands in `after` or, without them, "
                      "for all earlier commands of its queue; later commands of the queue wait for "
                      "it."},
    [STEP_MARKER] = {"marker", &shape_marker, SCN_ALTERNATIVE, SCN_SAME,
                     "Submits a marker, which waits like a barrier but holds nothing back."},
    [STEP_HOST_TASK] = {"host_task", &shape_host_task, SCN_ALTERNATIVE, SCN_SAME,
                        "Runs a host task on a queue."},
    [STEP_MAP] = {"map", &scn_shape_map, SCN_ALTERNATIVE, SCN_SAME,
                  "Maps elements of a buffer, so that the host can access them through a pointer "
                  "once the command has ended, until it is unmapped."},
    [STEP_MAP_WRITE] = {"map_write", &scn_shape_map_write, SCN_ALTERNATIVE, SCN_SAME,
                        "Writes elements through the pointer of a map, immediately; put a wait for "
                        "the map before it."},
    [STEP_UNMAP] = {"unmap", &scn_shape_unmap, SCN_ALTERNATIVE, SCN_SAME,
                    "Ends a map: once the command has ended, the buffer holds what the host has "
                    "written."},
    [STEP_START_FUSION] = {"start_fusion", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                           SCN_FIELD(scn_step, fusion.queue),
                           "Puts a queue into fusion mode, in which it collects kernels to fuse."},
    [STEP_COMPLETE_FUSION] = {"complete_fusion", &shape_complete_fusion, SCN_ALTERNATIVE, SCN_SAME,
                              "Fuses the collected kernels, and runs the result."},
    [STEP_CANCEL_FUSION] = {"cancel_fusion", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                            SCN_FIELD(scn_step, fusion.queue),
                            "Runs the collected kernels one by one, without fusing them."},
    [STEP_WAIT] = {"wait", &scn_shape_wait, SCN_ALTERNATIVE, SCN_SAME,
                   "Waits for everything submitted, for a queue or for a step."},
    [STEP_HOST_ACCESS] =
        {"host_access", &scn_shape_memory_reference, SCN_ALTERNATIVE, SCN_FIELD(scn_step, memory),
         "Reads a memory on the host, after the commands that write it; `usm: host` and "
         "`usm: shared` are read at once, as through their pointer."},
    [STEP_PROFILING] =
        {"profiling", &shape_profiling, SCN_ALTERNATIVE, SCN_SAME,
         "Waits for a step's command, and queries its event for the times at which it was "
         "submitted, began and ended; the times must be in this order."},
    [STEP_EXPECT] =
        {"expect", &shape_expectation, SCN_SUFFICES | SCN_WRITTEN | SCN_LATER, SCN_NOWHERE,
         "What is expected at this point; in a step with a verb: the error with which the step "
         "must be refused."},
    [STEP_ID] = {"id", &scn_shape_name, SCN_WRITTEN, SCN_FIELD(scn_step, id),
                 "A name by which other steps and rules refer to this one."},
    [STEP_PROFILE] = {"profile", &scn_shape_profile, SCN_WRITTEN, SCN_FIELD(scn_step, profile),
                      "The only profile in which the step exists; default: all profiles."},
    [STEP_DEVICE] = {"device", &scn_shape_device_reference, SCN_ALTERNATIVE,
                     SCN_FIELD(scn_step, device),
                     "Chooses the device for later steps that name none."},
    [STEP_CONTEXT] = {"context", &shape_context, SCN_ALTERNATIVE, SCN_SAME, "Creates a context."},
    [STEP_USER_EVENT] = {"user_event", &shape_user_event, SCN_ALTERNATIVE, SCN_SAME,
                         "Creates an event that a later step completes; commands can wait for it."},
    [STEP_COMPLETE_EVENT] = {"complete_event", &shape_complete_event, SCN_ALTERNATIVE, SCN_SAME,
                             "Completes a user event, successfully or not."},
    [STEP_SUB_BUFFER] = {"sub_buffer", &shape_sub_buffer, SCN_ALTERNATIVE, SCN_SAME,
                         "Makes a memory part of a buffer, as a sub-buffer is. Until then, it does "
                         "not exist."},
    [STEP_END_QUEUE] = {"end_queue", &scn_shape_queue_reference, SCN_ALTERNATIVE,
                        SCN_FIELD(scn_step, fusion.queue), "Destroys a queue."},
    [STEP_END_MEMORY] =
        {"end_memory", &scn_shape_memory_reference, SCN_ALTERNATIVE, SCN_FIELD(scn_step, memory),
         "Waits for the commands that use a buffer, then destroys it; later steps cannot use the "
         "buffer. A sub-buffer is destroyed without a wait."},
    [STEP_PARALLEL] = {"parallel", &shape_lists, SCN_ALTERNATIVE | SCN_LATER, SCN_SAME,
                       "Runs each list of steps on its own thread, and waits for all the threads."},
};

/* A step that creates an object has its id inside the verb's value, and later steps refer to that
 * id in both profiles. */
#define ID_INSIDE(verb)                                                                            \
    {                                                                                              \
        "id", SCN_BARS, {verb},                                                                    \
            "the id of a " verb " goes inside it: '- " verb ": {id: NAME ...}'"                    \
    }
#define LASTING(verb)                                                                              \
    {                                                                                              \
        "profile", SCN_BARS, {verb},                                                               \
            "'profile' cannot be combined with '" verb                                             \
            "'; later steps refer to it in both profiles"                                          \
    }
#define CANNOT_BE_REFUSED(verb)                                                                    \
    {                                                                                              \
        "expect", SCN_BARS, {verb},                                                                \
            "'" verb "' cannot be refused; write '- expect: ...' as a separate step"               \
    }

/* The relations of verbs that are allowed in the lists of a parallel come first. */
enum { NESTED_RELATION_COUNT = 4 };
static const scn_relation step_relations[] = {
    ID_INSIDE("queue"),          ID_INSIDE("bundle"),          LASTING("queue"),
    LASTING("bundle"),           ID_INSIDE("context"),         LASTING("context"),
    ID_INSIDE("user_event"),     LASTING("user_event"),        LASTING("map"),
    LASTING("device"),           LASTING("parallel"),          CANNOT_BE_REFUSED("context"),
    CANNOT_BE_REFUSED("device"), CANNOT_BE_REFUSED("parallel")};

/* An expect step may have any expectation but an error; in a step with a verb, the expectation must
 * be an error, or several outcomes that are errors or `none`. */
static const char step_also[] =
    "{'if': {'propertyNames': {'enum': ['expect', 'id', 'profile']}},"
    " 'then': {'properties': {'expect': {'properties': {'error': false, 'one_of': {'items':"
    " {'properties': {'error': false}}}}}}},"
    " 'else': {'properties': {'expect': {'propertyNames': {'enum': ['error', 'one_of']},"
    " 'maxProperties': 1, 'properties': {'error': {'type': 'object'}, 'one_of': {'items':"
    " {'required': ['error']}}}}}}}";

/* ---- Steps ---------------------------------------------------------------------------------- */

/* Verbs that need only their name; the lists of a parallel may contain only the first. */
static const scn_choice bare_verbs[] = {{"wait", true}, {"restart", true}};
static const scn_shape shape_bare_verb = {
    SCN_CHOICE("a step", bare_verbs),
    .beside = &scn_shape_step_object,
};
static const scn_shape shape_nested_bare_verb = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a step",
    .choices = bare_verbs,
    .choice_count = 1,
};
static const char *const absent_verbs[] = {"host_pipe", "image", "sampler", NULL};
const scn_shape scn_shape_step_object = {
    SCN_OBJECT("a step", step_rows), .key_noun = "step",
    .beside = &shape_bare_verb,      .also = step_also,
    .absent = absent_verbs,          SCN_RELATIONS(step_relations),
};
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
static const scn_row parallel_rows[] = {
    SCN_HIDDEN(&scn_shape_number, scn_step, parallel.thread_count),
    SCN_HIDDEN(&scn_shape_number, scn_step, parallel.nested_count),
};
static const scn_shape shape_parallel_stored = {SCN_STRUCT(parallel_rows)};
static const scn_shape shape_lists = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of lists of steps",
    .element = &shape_nested_steps,
    .least = 2,
    .most = SCN_LIST_COUNT_MAX,
    .stored = &shape_parallel_stored,
};
const scn_shape scn_shape_step = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a step",
    .alternatives = {&shape_bare_verb, &scn_shape_step_object},
};

/* ---- Steps in the model --------------------------------------------------------------------- */

static const scn_row nothing = {.shape = NULL}; /* a verb without parts, or an expect step */
static const scn_row *const variants[SCN_VERB_COUNT] = {
    [SCN_VERB_LOAD] = &step_rows[STEP_LOAD],
    [SCN_VERB_UNLOAD] = &step_rows[STEP_UNLOAD],
    [SCN_VERB_LOAD_IMAGE] = &step_rows[STEP_LOAD_IMAGE],
    [SCN_VERB_DEVICE] = &step_rows[STEP_DEVICE],
    [SCN_VERB_CONTEXT] = &step_rows[STEP_CONTEXT],
    [SCN_VERB_QUEUE] = &step_rows[STEP_QUEUE],
    [SCN_VERB_BUNDLE] = &step_rows[STEP_BUNDLE],
    [SCN_VERB_SUBMIT] = &step_rows[STEP_SUBMIT],
    [SCN_VERB_COPY] = &step_rows[STEP_COPY],
    [SCN_VERB_FILL] = &step_rows[STEP_FILL],
    [SCN_VERB_BARRIER] = &step_rows[STEP_BARRIER],
    [SCN_VERB_MARKER] = &step_rows[STEP_MARKER],
    [SCN_VERB_USER_EVENT] = &step_rows[STEP_USER_EVENT],
    [SCN_VERB_COMPLETE_EVENT] = &step_rows[STEP_COMPLETE_EVENT],
    [SCN_VERB_MAP] = &step_rows[STEP_MAP],
    [SCN_VERB_MAP_WRITE] = &step_rows[STEP_MAP_WRITE],
    [SCN_VERB_UNMAP] = &step_rows[STEP_UNMAP],
    [SCN_VERB_SUB_BUFFER] = &step_rows[STEP_SUB_BUFFER],
    [SCN_VERB_WAIT] = &step_rows[STEP_WAIT],
    [SCN_VERB_HOST_ACCESS] = &step_rows[STEP_HOST_ACCESS],
    [SCN_VERB_PARALLEL] = &step_rows[STEP_PARALLEL],
    [SCN_VERB_START_FUSION] = &step_rows[STEP_START_FUSION],
    [SCN_VERB_COMPLETE_FUSION] = &step_rows[STEP_COMPLETE_FUSION],
    [SCN_VERB_CANCEL_FUSION] = &step_rows[STEP_CANCEL_FUSION],
    [SCN_VERB_HOST_TASK] = &step_rows[STEP_HOST_TASK],
    [SCN_VERB_END_QUEUE] = &step_rows[STEP_END_QUEUE],
    [SCN_VERB_END_MEMORY] = &step_rows[STEP_END_MEMORY],
    [SCN_VERB_PROFILING] = &step_rows[STEP_PROFILING],
    [SCN_VERB_RESTART] = &nothing,
    [SCN_VERB_EXPECT] = &nothing,
};

scn_verb scn_verb_of_row(uint32_t row)
{
    CHECK(row < STEP_ROW_COUNT && step_rows[row].flags & SCN_ALTERNATIVE);
    uint32_t verb = 0;
    while (row != STEP_MEMCPY && verb < SCN_VERB_COUNT && variants[verb] != &step_rows[row])
        verb++;
    CHECK(verb < SCN_VERB_COUNT);
    return row == STEP_MEMCPY ? SCN_VERB_COPY : (scn_verb)verb; /* memcpy is another form of copy */
}

static const scn_shape shape_profile_number = {SCN_NUMBER(RT_PROFILE_COUNT)};
static const scn_shape shape_thread = {SCN_NUMBER(SCN_LIST_COUNT_MAX)};
static const scn_shape shape_error = {
    .kind = SCN_SHAPE_POINTER,
    .element = &scn_shape_error,
    .element_size = sizeof(scn_error),
};
static const scn_row stored_rows[] = {
    SCN_HIDDEN(&scn_shape_position, scn_step, at),
    SCN_HIDDEN(&scn_shape_text, scn_step, id),
    SCN_HIDDEN(&shape_profile_number, scn_step, profile),
    SCN_HIDDEN(&shape_thread, scn_step, thread),
    SCN_HIDDEN_ITEMS(&scn_shape_expects, scn_step, expect, expect_count),
    SCN_HIDDEN(&shape_error, scn_step, error),
    SCN_HIDDEN_ITEMS(&scn_shape_outcomes, scn_step, outcomes, outcome_count),
};
const scn_shape scn_shape_stored_step = {
    SCN_STRUCT(stored_rows),
    .tag = SCN_FIELD(scn_step, verb),
    .variants = variants,
    .variant_count = SCN_VERB_COUNT,
};
