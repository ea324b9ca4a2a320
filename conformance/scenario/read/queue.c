/* Contexts, queues, and what a wait waits for. */
#include "conformance/scenario/schema/schema.h"

/* ---- Contexts ----------------------------------------------------------------------------- */

static const scn_shape shape_devices = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of devices",
    .element = &scn_shape_device_reference,
    .element_size = sizeof(uint32_t),
    .unique = true,
    .least = 1,
};

enum { CONTEXT_ID, CONTEXT_DEVICES };
static const scn_row context_rows[] = {
    [CONTEXT_ID] = {"id", &scn_shape_name, SCN_REQUIRED, SCN_FIELD(scn_step, id),
                    "The name by which queues refer to it."},
    [CONTEXT_DEVICES] = {"devices", &shape_devices, SCN_REQUIRED,
                         SCN_ITEMS(scn_step, devices, device_count), "The devices in it."},
};
static const scn_shape shape_context_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a context",
    SCN_ROWS(context_rows),
};

static bool context_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    uint64_t given;
    if (!scn_object_read(reader, &shape_context_object, node, step, &given)) return false;
    const scn_node *devices = &scn_node_entry(node, "devices")->value;
    for (uint32_t i = 0; i < step->device_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (step->devices[k] != step->devices[i]) continue;
            return scn_report(reader->reporter, devices->items[i].at,
                              "device '%s' is in the context already",
                              scn_shown(reader->arena, devices->items[i].text));
        }
    }
    return true;
}

const scn_shape scn_shape_context = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a context",
    .read = context_read,
    .alternatives = {&shape_context_object},
};

/* ---- Queues ------------------------------------------------------------------------------- */

enum { PROPERTY_IN_ORDER, PROPERTY_ENABLE_FUSION, PROPERTY_ENABLE_PROFILING };
static const scn_choice queue_properties[] = {
    [PROPERTY_IN_ORDER] = {"in_order", true},
    [PROPERTY_ENABLE_FUSION] = {"enable_fusion", true},
    [PROPERTY_ENABLE_PROFILING] = {"enable_profiling", true},
};
static const scn_shape shape_queue_property = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a property",
    SCN_CHOICES(queue_properties),
};
static const scn_shape shape_queue_properties = {
    .kind = SCN_SHAPE_LIST,
    .noun = "a list of properties",
    .element = &shape_queue_property,
    .element_size = sizeof(uint32_t),
};

typedef struct queue_draft {
    scn_step step;
    const uint32_t *properties;
    uint32_t property_count;
} queue_draft;

static const scn_row queue_rows[] = {
    {"id", &scn_shape_name, SCN_REQUIRED, SCN_FIELD(queue_draft, step.id),
     "The name by which steps refer to it."},
    {"device", &scn_shape_device_reference, 0, SCN_FIELD(queue_draft, step.queue.device),
     "The device that it belongs to; the one chosen last where not given."},
    {"context", &scn_shape_context_reference, 0, SCN_FIELD(queue_draft, step.queue.context),
     "The context, which must hold the device; that of all devices where not given."},
    {"properties", &shape_queue_properties, 0, SCN_ITEMS(queue_draft, properties, property_count),
     "in_order: each command waits for the one before it; enable_fusion: start_fusion may be called "
     "on it; enable_profiling: it keeps the times of its commands."},
};
static const scn_shape shape_queue_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a queue",
    SCN_ROWS(queue_rows),
};

/* A context that lacks the device is what the refusal of some step may be about; it is checked in
 * queue_check of read_step.c, where that is known. */
static bool queue_read(scn_reader *reader, const scn_node *node, void *out)
{
    queue_draft draft = {.step = *(const scn_step *)out};
    draft.step.queue = (scn_queue){.device = reader->device, .context = SCN_NONE};
    uint64_t given;
    if (!scn_object_read(reader, &shape_queue_object, node, &draft, &given)) return false;
    for (uint32_t i = 0; i < draft.property_count; i++) {
        scn_queue *queue = &draft.step.queue;
        uint32_t property = draft.properties[i];
        queue->in_order = queue->in_order || property == PROPERTY_IN_ORDER;
        queue->enable_fusion = queue->enable_fusion || property == PROPERTY_ENABLE_FUSION;
        queue->enable_profiling = queue->enable_profiling || property == PROPERTY_ENABLE_PROFILING;
    }
    *(scn_step *)out = draft.step;
    return true;
}

const scn_shape scn_shape_queue = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a queue",
    .read = queue_read,
    .alternatives = {&shape_queue_object},
};

/* ---- Waits -------------------------------------------------------------------------------- */

static const scn_row wait_rows[] = {
    {"queue", &scn_shape_queue_reference, 0, SCN_FIELD(scn_step, on),
     "The queue whose commands are waited for."},
    {"step", &scn_shape_command_reference, 0, SCN_FIELD(scn_step, awaited),
     "The submit, copy or fill that is waited for, with what it depends on."},
};
static const scn_relation wait_relations[] = {
    {"queue", SCN_BARS, {"step"}, "'queue' cannot stand beside 'step'; a wait is for one of them"},
};
static const scn_shape shape_wait_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a wait",
    SCN_RELATIONS(wait_relations),
    SCN_ROWS(wait_rows),
};

static bool wait_read(scn_reader *reader, const scn_node *node, void *out)
{
    uint64_t given;
    if (scn_node_is_nothing(node)) return true;
    if (node->kind != SCN_NODE_MAPPING) {
        return scn_report(reader->reporter, node->at,
                          "wait waits for everything submitted, for {queue: ID} or for {step: ID}; "
                          "found %s",
                          scn_node_describe(reader->arena, node));
    }
    return scn_object_read(reader, &shape_wait_object, node, out, &given);
}

const scn_shape scn_shape_wait = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a wait",
    .read = wait_read,
    .alternatives = {&shape_wait_object},
};
