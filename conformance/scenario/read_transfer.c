/* Copies and fills.  Offsets and counts are in elements: a scenario thinks in its memories' types.
 * Whether a range lies in its memory is checked in read_step.c, where it is known whether the step
 * expects to be refused. */
#include "conformance/scenario/schema.h"

#include <inttypes.h>

static const scn_shape shape_element_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of elements",
    .least = 1,
    .most = RT_MEMORY_SIZE_MAX,
};
static const scn_shape shape_element_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset in elements",
    .most = RT_MEMORY_SIZE_MAX,
};

typedef struct transfer_draft {
    scn_step step;
    uint64_t from_offset, to_offset, count; /* elements */
    const scn_node *value;
} transfer_draft;

#define QUEUE_ROW                                                                                  \
    {                                                                                              \
        "queue", &scn_shape_queue_reference, 0, SCN_FIELD(transfer_draft, step.on),                \
            "The queue to submit to; the default queue of the device where not given."             \
    }
#define DEVICE_ROW                                                                                 \
    {                                                                                              \
        "device", &scn_shape_device_reference, 0, SCN_FIELD(transfer_draft, step.device),          \
            "The device whose default queue it is; the one chosen last where not given."           \
    }
#define AFTER_ROW                                                                                  \
    {                                                                                              \
        "after", &scn_shape_command_references, 0,                                                 \
            SCN_ITEMS(transfer_draft, step.after, step.after_count),                               \
            "Ids of earlier submits, copies and fills that must have ended."                       \
    }

static bool draft_read(scn_reader *reader, const scn_shape *shape, const scn_node *node,
                       const scn_step *step, transfer_draft *out_draft)
{
    uint64_t given;
    *out_draft = (transfer_draft){.step = *step};
    return scn_object_read(reader, shape, node, out_draft, &given) &&
           scn_queue_or_device_check(reader, node);
}

/* ---- Copies ------------------------------------------------------------------------------- */

static const scn_row copy_rows[] = {
    {"from", &scn_shape_memory_reference, SCN_REQUIRED,
     SCN_FIELD(transfer_draft, step.transfer.from), "The memory that is read."},
    {"to", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(transfer_draft, step.transfer.to),
     "The memory that is written."},
    {"from_offset", &shape_element_offset, 0, SCN_FIELD(transfer_draft, from_offset),
     "The first element that is read; 0 where not given."},
    {"to_offset", &shape_element_offset, 0, SCN_FIELD(transfer_draft, to_offset),
     "The first element that is written; 0 where not given."},
    {"count", &shape_element_count, 0, SCN_FIELD(transfer_draft, count),
     "The number of elements, of those that are read; all from from_offset on where not given."},
    QUEUE_ROW,
    DEVICE_ROW,
    AFTER_ROW,
};
static const scn_shape shape_copy_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a copy",
    SCN_ROWS(copy_rows),
};

static bool copy_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    transfer_draft draft;
    if (!draft_read(reader, &shape_copy_object, node, step, &draft)) return false;
    scn_transfer *transfer = &draft.step.transfer;
    const scn_memory *from = scn_memory_of(reader, transfer->from);
    const scn_memory *to = scn_memory_of(reader, transfer->to);
    if (!from || !to) return false;
    if (draft.count == 0 && draft.from_offset >= from->count) {
        return scn_report(reader->reporter, scn_node_entry(node, "from_offset")->value.at,
                          "nothing is left to copy from element %" PRIu64
                          " on: memory '%s' has %" PRIu64 " elements",
                          draft.from_offset, scn_shown(reader->arena, from->name), from->count);
    }
    uint64_t count = draft.count ? draft.count : from->count - draft.from_offset;
    transfer->from_offset = draft.from_offset * from->layout.size;
    transfer->to_offset = draft.to_offset * to->layout.size;
    transfer->size = count * from->layout.size;
    *step = draft.step;
    return true;
}

const scn_shape scn_shape_copy = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a copy",
    .read = copy_read,
    .alternatives = {&shape_copy_object},
};

/* ---- Fills -------------------------------------------------------------------------------- */

static const scn_row fill_rows[] = {
    {"memory", &scn_shape_memory_reference, SCN_REQUIRED,
     SCN_FIELD(transfer_draft, step.transfer.to), "The memory that is filled."},
    {"value", &scn_shape_element, SCN_REQUIRED, SCN_FIELD(transfer_draft, value),
     "The element that it is filled with."},
    {"offset", &shape_element_offset, 0, SCN_FIELD(transfer_draft, to_offset),
     "The first element that is filled; 0 where not given."},
    {"count", &shape_element_count, 0, SCN_FIELD(transfer_draft, count),
     "The number of elements; all from offset on where not given."},
    QUEUE_ROW,
    DEVICE_ROW,
    AFTER_ROW,
};
static const scn_shape shape_fill_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a fill",
    SCN_ROWS(fill_rows),
};

/* OpenCL 3.0, clEnqueueFillBuffer: what a pattern may measure here. */
static bool is_pattern_size(uint32_t size)
{
    return size <= SCN_PATTERN_SIZE_MAX && (size & (size - 1)) == 0;
}

static bool fill_read(scn_reader *reader, const scn_node *node, void *out)
{
    scn_step *step = out;
    transfer_draft draft;
    if (!draft_read(reader, &shape_fill_object, node, step, &draft)) return false;
    scn_transfer *transfer = &draft.step.transfer;
    const scn_memory *to = scn_memory_of(reader, transfer->to);
    if (!to) return false;
    if (!is_pattern_size(to->layout.size)) {
        return scn_report(reader->reporter, scn_node_entry(node, "memory")->value.at,
                          "the elements of memory '%s' have %u bytes; a fill takes elements of 1, "
                          "2, 4, 8 or 16",
                          scn_shown(reader->arena, to->name), to->layout.size);
    }
    if (draft.count == 0 && draft.to_offset >= to->count) {
        return scn_report(reader->reporter, scn_node_entry(node, "offset")->value.at,
                          "nothing is left to fill from element %" PRIu64
                          " on: memory '%s' has %" PRIu64 " elements",
                          draft.to_offset, scn_shown(reader->arena, to->name), to->count);
    }
    uint8_t *pattern = rt_arena_alloc(reader->arena, to->layout.size);
    if (!scn_element_read(reader, &to->layout, draft.value, pattern)) return false;
    uint64_t count = draft.count ? draft.count : to->count - draft.to_offset;
    transfer->pattern = (rt_bytes){pattern, to->layout.size};
    transfer->to_offset = draft.to_offset * to->layout.size;
    transfer->size = count * to->layout.size;
    *step = draft.step;
    return true;
}

const scn_shape scn_shape_fill = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a fill",
    .read = fill_read,
    .alternatives = {&shape_fill_object},
};
