/* Kernel fusion: its end, promotions, the question whether a queue is in fusion mode; and what a
 * fusion does not take: host tasks, and the ends of buffers. */
#include "conformance/scenario/schema/schema.h"

/* ---- Promotions --------------------------------------------------------------------------- */

static const scn_choice promotions[SCN_PROMOTION_COUNT] = {
    [SCN_PROMOTION_NONE] = {"none", true},
    [SCN_PROMOTION_PRIVATE] = {"private", true},
    [SCN_PROMOTION_LOCAL] = {"local", true},
};
const scn_shape scn_shape_promotion = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "a promotion",
    SCN_CHOICES(promotions),
};

/* ---- The end of a fusion ------------------------------------------------------------------ */

static const scn_shape shape_no_barriers = {
    .kind = SCN_SHAPE_TRUTH,
    .noun = "the absence of barriers",
};
static const scn_row complete_rows[] = {
    {"queue", &scn_shape_queue_reference, SCN_REQUIRED, SCN_FIELD(scn_step, on),
     "The queue whose fusion is completed."},
    {"no_barriers", &shape_no_barriers, 0, SCN_FIELD(scn_step, no_barriers),
     "Whether the kernels' work-items do not wait for each other between two kernels; they do where "
     "not given."},
};
static const scn_shape shape_complete_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a complete_fusion",
    SCN_ROWS(complete_rows),
};

static bool complete_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    if (node->kind == SCN_NODE_SCALAR)
        return scn_value_read(reader, &scn_shape_queue_reference, node, &step->on);
    uint64_t given;
    return scn_object_read(reader, &shape_complete_object, node, step, &given);
}

const scn_shape scn_shape_complete_fusion = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a complete_fusion",
    .read = complete_read,
    .alternatives = {&scn_shape_name, &shape_complete_object},
};

/* ---- Fusion mode -------------------------------------------------------------------------- */

static const scn_shape shape_is = {.kind = SCN_SHAPE_TRUTH, .noun = "a truth value"};
static const scn_row mode_rows[] = {
    {"queue", &scn_shape_queue_reference, SCN_REQUIRED, SCN_FIELD(scn_fusion_mode, queue),
     "The queue that is asked."},
    {"is", &shape_is, SCN_REQUIRED, SCN_FIELD(scn_fusion_mode, is),
     "Whether it is in fusion mode."},
};
const scn_shape scn_shape_fusion_mode = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a fusion mode",
    SCN_ROWS(mode_rows),
};

/* ---- Host tasks --------------------------------------------------------------------------- */

static const scn_row task_rows[] = {
    {"from", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, task.from),
     "The buffer that the task reads on the host."},
    {"to", &scn_shape_memory_reference, 0, SCN_FIELD(scn_step, task.to),
     "The buffer that it copies all of it to; it only reads where not given."},
    {"queue", &scn_shape_queue_reference, 0, SCN_FIELD(scn_step, on),
     "The queue that it is submitted to; the default queue of the device where not given."},
    {"device", &scn_shape_device_reference, 0, SCN_FIELD(scn_step, device),
     "The device whose default queue it is; the one chosen last where not given."},
    {"after", &scn_shape_command_references, 0, SCN_ITEMS(scn_step, after, after_count),
     "Ids of earlier commands that must have ended."},
};
static const scn_relation task_relations[] = {SCN_QUEUE_OR_DEVICE};
static const scn_shape shape_task_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a host task",
    SCN_RELATIONS(task_relations),
    SCN_ROWS(task_rows),
};

/* A buffer of the task, at one of its keys. */
static const scn_memory *task_buffer(scn_reader *reader, const scn_node *node, const char *key,
                                     uint32_t index)
{
    const scn_memory *memory = scn_memory_of(reader, index);
    if (!memory || memory->kind == SCN_MEMORY_BUFFER) return memory;
    scn_report(reader->reporter, scn_node_entry(node, key)->value.at,
               "memory '%s' is USM; a host task here has accessors of buffers alone",
               scn_shown(reader->arena, memory->name));
    return NULL;
}

static bool task_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step draft = *(const scn_step *)out;
    draft.task.to = SCN_NONE;
    uint64_t given;
    if (!scn_object_read(reader, &shape_task_object, node, &draft, &given)) return false;
    const scn_memory *from = task_buffer(reader, node, "from", draft.task.from), *to = from;
    if (from && draft.task.to != SCN_NONE) to = task_buffer(reader, node, "to", draft.task.to);
    if (!from || !to) return false;
    *(scn_step *)out = draft;
    bool same = draft.task.to == draft.task.from;
    bool equal = from->count * from->layout.size == to->count * to->layout.size;
    if (!same && equal) return true;
    if (draft.task.to == SCN_NONE) return true;
    return scn_report(reader->reporter, scn_node_entry(node, "to")->value.at,
                      "the task copies all of memory '%s' to '%s'; they must be two buffers of one "
                      "size",
                      scn_shown(reader->arena, from->name), scn_shown(reader->arena, to->name));
}

const scn_shape scn_shape_host_task = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a host task",
    .read = task_read,
    .alternatives = {&shape_task_object},
};

/* ---- Ends of buffers ---------------------------------------------------------------------- */

/* The next memory that a step uses, from number `at` of its uses on; SCN_NONE behind the last. */
static uint32_t used_memory(const scn_step *step, uint32_t at)
{
    switch (step->verb) {
    case SCN_VERB_SUBMIT:
        for (; at < step->submit.argument_count; at++) {
            const scn_argument *argument = &step->submit.arguments[at];
            if (argument->kind == SCN_ARGUMENT_MEMORY) return argument->memory;
        }
        return SCN_NONE;
    case SCN_VERB_COPY:
        return at == 0 ? step->transfer.from : at == 1 ? step->transfer.to : SCN_NONE;
    case SCN_VERB_FILL: return at == 0 ? step->transfer.to : SCN_NONE;
    case SCN_VERB_HOST_TASK: return at == 0 ? step->task.from : at == 1 ? step->task.to : SCN_NONE;
    case SCN_VERB_HOST_ACCESS:
    case SCN_VERB_END_MEMORY: return at == 0 ? step->memory : SCN_NONE;
    default: return SCN_NONE;
    }
}

static bool has_ended(const scn_reader *reader, const scn_step *step, uint32_t memory)
{
    const scn_step *earlier = reader->step_table + reader->process; /* a process has its own */
    for (; earlier < step; earlier++) {
        if (earlier->verb == SCN_VERB_END_MEMORY && earlier->memory == memory) return true;
    }
    return false;
}

bool scn_ended_check(scn_reader *reader, const scn_node *node, const scn_step *step)
{
    if (step->verb == SCN_VERB_END_MEMORY) {
        const scn_memory *memory = scn_memory_of(reader, step->memory);
        if (memory && memory->kind != SCN_MEMORY_BUFFER) {
            return scn_report(reader->reporter, scn_node_entry(node, "end_memory")->value.at,
                              "memory '%s' is USM, which is freed when the program ends; only "
                              "buffers end earlier",
                              scn_shown(reader->arena, memory->name));
        }
    }
    uint32_t memory;
    for (uint32_t at = 0; (memory = used_memory(step, at)) != SCN_NONE; at++) {
        if (!has_ended(reader, step, memory)) continue;
        return scn_report(reader->reporter, node->at, "memory '%s' has ended before this step",
                          scn_shown(reader->arena, reader->memories.list.items[memory]));
    }
    return true;
}
