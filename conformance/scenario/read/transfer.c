/* Copies and fills.  Offsets and counts are in elements: a scenario thinks in its memories' types.
 * Of a device_global that is copied to or from, the elements are those of the memory at the other
 * end, as the copy functions have one type for both (sycl_ext_oneapi_device_global, "copy").
 * Whether a range lies in its memory is checked in read_step.c, where it is known whether the step
 * expects to be refused; in its variable, when the variable is found (variables.c). */
#include "conformance/scenario/read/variable.h"

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
    scn_copy_end from, to;
    uint64_t from_offset, to_offset, count; /* elements; of a memcpy bytes */
    uint32_t through;
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
    return scn_object_read(reader, shape, node, out_draft, &given);
}

static const scn_relation transfer_relations[] = {SCN_QUEUE_OR_DEVICE};

/* ---- Copies ------------------------------------------------------------------------------- */

enum { THROUGH_QUEUE, THROUGH_HANDLER };
static const scn_choice interfaces[] = {
    [THROUGH_QUEUE] = {"queue", true}, [THROUGH_HANDLER] = {"handler", true}};
static const scn_shape shape_through = {
    .kind = SCN_SHAPE_CHOICE,
    .noun = "an interface",
    SCN_CHOICES(interfaces),
};
static const scn_shape shape_byte_count = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "a number of bytes",
    .least = 1,
    .most = UINT64_MAX,
};
static const scn_shape shape_byte_offset = {
    .kind = SCN_SHAPE_INTEGER,
    .noun = "an offset in bytes",
    .most = RT_MEMORY_SIZE_MAX,
};

#define END_ROW(key, field, doc)                                                                   \
    {                                                                                              \
        key, &scn_shape_copy_end, SCN_REQUIRED, SCN_FIELD(transfer_draft, field), doc              \
    }
#define THROUGH_ROW                                                                                \
    {                                                                                              \
        "through", &shape_through, 0, SCN_FIELD(transfer_draft, through),                          \
            "queue, or handler: a copy with a device_global is asked of the handler of a command " \
            "group."                                                                               \
    }

/* A mapping at either end is a device_global, and one end is a memory. */
#define BOTH_VARIABLES                                                                             \
    "{'not': {'properties': {'from': {'type': 'object'}, 'to': {'type': 'object'}}}}"

static const scn_row copy_rows[] = {
    END_ROW("from", from, "The memory or device_global that is read."),
    END_ROW("to", to, "The memory or device_global that is written."),
    {"from_offset", &shape_element_offset, 0, SCN_FIELD(transfer_draft, from_offset),
     "The first element that is read; 0 where not given."},
    {"to_offset", &shape_element_offset, 0, SCN_FIELD(transfer_draft, to_offset),
     "The first element that is written; 0 where not given."},
    {"count", &shape_element_count, 0, SCN_FIELD(transfer_draft, count),
     "The number of elements, of those that are read; where not given all from from_offset on, or "
     "all of the device_global from its offset on."},
    THROUGH_ROW,
    QUEUE_ROW,
    DEVICE_ROW,
    AFTER_ROW,
};
static const scn_shape shape_copy_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a copy",
    .also = BOTH_VARIABLES,
    SCN_RELATIONS(transfer_relations),
    SCN_ROWS(copy_rows),
};

static const scn_row memcpy_rows[] = {
    END_ROW("from", from, "The memory or device_global that is read."),
    END_ROW("to", to, "The memory or device_global that is written."),
    {"from_offset", &shape_byte_offset, 0, SCN_FIELD(transfer_draft, from_offset),
     "The first byte that is read; 0 where not given."},
    {"to_offset", &shape_byte_offset, 0, SCN_FIELD(transfer_draft, to_offset),
     "The first byte that is written; 0 where not given."},
    {"size", &shape_byte_count, 0, SCN_FIELD(transfer_draft, count),
     "The number of bytes; where not given all from from_offset on, or all of the device_global "
     "from its offset on."},
    THROUGH_ROW,
    QUEUE_ROW,
    DEVICE_ROW,
    AFTER_ROW,
};
static const scn_shape shape_memcpy_object = {
    .kind = SCN_SHAPE_OBJECT,
    .noun = "a memcpy",
    .also = BOTH_VARIABLES,
    SCN_RELATIONS(transfer_relations),
    SCN_ROWS(memcpy_rows),
};

/* One end may be a variable: the functions of queue and handler take one (document 002, "Changes to
 * the DPC++ runtime"). */
static bool ends_check(scn_reader *reader, const scn_node *node, const transfer_draft *draft)
{
    bool both = draft->from.memory == SCN_NONE && draft->to.memory == SCN_NONE;
    const scn_entry *through = scn_node_entry(node, "through");
    bool memories = draft->from.memory != SCN_NONE && draft->to.memory != SCN_NONE;
    if (both) {
        return scn_report(reader->reporter, node->at,
                          "both ends are device_globals; SYCL copies between one and a memory, so "
                          "write two copies");
    }
    if (!memories || !through) return true;
    return scn_report(reader->reporter, through->at,
                      "'through' is for copies with a device_global; here both ends are memories");
}

/* Bytes of one unit at either end of a copy with a variable: those of the memory's elements. */
static bool variable_copy_finish(transfer_draft *draft, const scn_memory *memory, bool in_bytes)
{
    scn_transfer *transfer = &draft->step.transfer;
    uint64_t unit = in_bytes ? 1 : memory->layout.size;
    transfer->variable = draft->from.memory == SCN_NONE ? draft->from.variable : draft->to.variable;
    transfer->by_handler = draft->through == THROUGH_HANDLER;
    transfer->from_offset = draft->from_offset * unit;
    transfer->to_offset = draft->to_offset * unit;
    transfer->size = draft->count * unit;
    return true;
}

static bool memory_copy_finish(scn_reader *reader, const scn_node *node, transfer_draft *draft,
                               bool in_bytes)
{
    scn_transfer *transfer = &draft->step.transfer;
    const scn_memory *from = scn_memory_of(reader, transfer->from);
    const scn_memory *to = scn_memory_of(reader, transfer->to);
    if (!from || !to) return false;
    uint64_t from_unit = in_bytes ? 1 : from->layout.size;
    uint64_t room = in_bytes ? from->count * from->layout.size : from->count;
    if (draft->count == 0 && draft->from_offset >= room) {
        return scn_report(
            reader->reporter, scn_node_entry(node, "from_offset")->value.at,
            "nothing is left to copy from %s %" PRIu64 " on: memory '%s' has %" PRIu64 " %s",
            in_bytes ? "byte" : "element", draft->from_offset, scn_shown(reader->arena, from->name),
            room, in_bytes ? "bytes" : "elements");
    }
    uint64_t count = draft->count ? draft->count : room - draft->from_offset;
    transfer->from_offset = draft->from_offset * from_unit;
    transfer->to_offset = draft->to_offset * (in_bytes ? 1 : to->layout.size);
    transfer->size = count * from_unit;
    return true;
}

static bool ends_read(scn_reader *reader, const scn_shape *shape, const scn_node *node, void *out)
{
    scn_step *step = out;
    transfer_draft draft;
    bool in_bytes = shape == &shape_memcpy_object;
    if (!draft_read(reader, shape, node, step, &draft)) return false;
    if (!ends_check(reader, node, &draft)) return false;
    draft.step.transfer.from = draft.from.memory;
    draft.step.transfer.to = draft.to.memory;
    bool fine;
    if (draft.from.memory != SCN_NONE && draft.to.memory != SCN_NONE) {
        fine = memory_copy_finish(reader, node, &draft, in_bytes);
    } else {
        uint32_t memory = draft.from.memory == SCN_NONE ? draft.to.memory : draft.from.memory;
        const scn_memory *declared = scn_memory_of(reader, memory);
        fine = declared && variable_copy_finish(&draft, declared, in_bytes);
    }
    if (fine) *step = draft.step;
    return fine;
}

static bool copy_read(scn_reader *reader, const scn_node *node, void *out)
{
    return ends_read(reader, &shape_copy_object, node, out);
}

static bool memcpy_read(scn_reader *reader, const scn_node *node, void *out)
{
    return ends_read(reader, &shape_memcpy_object, node, out);
}

const scn_shape scn_shape_copy = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a copy",
    .read = copy_read,
    .alternatives = {&shape_copy_object},
};
const scn_shape scn_shape_memcpy = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "a memcpy",
    .read = memcpy_read,
    .alternatives = {&shape_memcpy_object},
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
    SCN_RELATIONS(transfer_relations),
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
