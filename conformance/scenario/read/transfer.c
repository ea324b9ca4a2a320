/* Copies and fills. Offsets and counts are in elements of the scenario's memories. For a copy to or
 * from a device_global, the elements are those of the memory at the other end, because the copy
 * functions have one type for both ends (sycl_ext_oneapi_device_global, "copy"). The size of a
 * variable is known only once the variable has been found (resolve/variables.c). */
#include "conformance/scenario/read/variable.h"
#include "conformance/scenario/read/verbs.h"

#include <inttypes.h>

static const scn_shape shape_element_count = {
    SCN_INTEGER("a number of elements", 0, RT_MEMORY_SIZE_MAX),
};
static const scn_shape shape_element_offset = {
    SCN_INTEGER("an offset in elements", 0, RT_MEMORY_SIZE_MAX),
};
static const scn_shape shape_byte_count = {SCN_INTEGER("a number of bytes", 0, UINT64_MAX)};
static const scn_shape shape_byte_offset = {
    SCN_INTEGER("an offset in bytes", 0, RT_MEMORY_SIZE_MAX),
};

/* The keys give numbers of elements, which `finish` converts to bytes. */
#define FROM_OFFSET SCN_WRITTEN, SCN_FIELD(scn_step, transfer.from_offset)
#define TO_OFFSET   SCN_WRITTEN, SCN_FIELD(scn_step, transfer.to_offset)
#define COUNT       SCN_WRITTEN, SCN_FIELD(scn_step, transfer.size)

static const scn_relation transfer_relations[] = {SCN_QUEUE_OR_DEVICE};

/* ---- Copies ------------------------------------------------------------------------------- */

static const scn_choice interfaces[] = {{"queue", true}, {"handler", true}}; /* false, true */
static const scn_shape shape_through = {SCN_CHOICE("an interface", interfaces)};

#define END_ROW(key, field, doc)                                                                   \
    {                                                                                              \
        key, &scn_shape_copy_end, SCN_REQUIRED | SCN_LATER | SCN_OR_NONE,                          \
            SCN_FIELD(scn_step, transfer.field), doc                                               \
    }
#define COPY_STORED                                                                                \
    SCN_HIDDEN(&scn_shape_number, scn_step, transfer.from_offset),                                 \
        SCN_HIDDEN(&scn_shape_number, scn_step, transfer.to_offset),                               \
        SCN_HIDDEN(&scn_shape_number, scn_step, transfer.size),                                    \
        SCN_HIDDEN(&scn_shape_flag, scn_step, transfer.to_end),                                    \
        SCN_HIDDEN(&scn_shape_stored_variable, scn_step, transfer.variable)
#define COPY_ROWS                                                                                                  \
    {"through", &shape_through, 0, SCN_FIELD(scn_step, transfer.by_handler),                                       \
     "The interface of a copy to or from a device_global: queue (default), or handler, that of a command group."}, \
        SCN_COMMAND_ROWS, COPY_STORED

/* A mapping always means a device_global, and at least one end must be a memory. */
#define BOTH_VARIABLES                                                                             \
    "{'not': {'properties': {'from': {'type': 'object'}, 'to': {'type': 'object'}}}}"

static const scn_row copy_rows[] = {
    END_ROW("from", from, "The memory or device_global to read."),
    END_ROW("to", to, "The memory or device_global to write."),
    {"from_offset", &shape_element_offset, FROM_OFFSET, "The first element to read; default: 0."},
    {"to_offset", &shape_element_offset, TO_OFFSET, "The first element to write; default: 0."},
    {"count", &shape_element_count, COUNT,
     "The number of elements to read; default: all elements from from_offset to the end, or, if "
     "one end is a device_global, all of it from its offset to the end."},
    COPY_ROWS,
};
static const scn_row memcpy_rows[] = {
    END_ROW("from", from, "The memory or device_global to read."),
    END_ROW("to", to, "The memory or device_global to write."),
    {"from_offset", &shape_byte_offset, FROM_OFFSET, "The first byte to read; default: 0."},
    {"to_offset", &shape_byte_offset, TO_OFFSET, "The first byte to write; default: 0."},
    {"size", &shape_byte_count, COUNT,
     "The number of bytes; default: all bytes from from_offset to the end, or, if one end is a "
     "device_global, all of it from its offset to the end."},
    COPY_ROWS,
};

/* Converts the offsets and the size to bytes, and an absent size to the rest of the memory that is
 * read. For a device_global, the rest is known only later. */
static bool copy_finish(scn_reader *reader, const scn_node *node, scn_transfer *transfer,
                        bool in_bytes)
{
    const scn_entry *through = scn_node_entry(node, "through");
    if (!scn_copy_end_read(reader, scn_node_value(node, "from"), &transfer->from,
                           &transfer->variable) ||
        !scn_copy_end_read(reader, scn_node_value(node, "to"), &transfer->to, &transfer->variable))
        return false;
    if (transfer->from == SCN_NONE && transfer->to == SCN_NONE)
        return true; /* check.c refuses it */
    bool memories = transfer->from != SCN_NONE && transfer->to != SCN_NONE;
    if (memories && through) {
        return scn_report(
            reader->reporter, through->at,
            "'through' is only for copies to or from a device_global, and here both ends are "
            "memories; remove it");
    }
    uint32_t from_index = transfer->from == SCN_NONE ? transfer->to : transfer->from;
    uint32_t to_index = transfer->to == SCN_NONE ? transfer->from : transfer->to;
    const scn_memory *from = scn_memory_of(reader, from_index);
    const scn_memory *to = scn_memory_of(reader, to_index);
    if (!from || !to) return false;
    uint64_t from_unit = in_bytes ? 1 : from->layout.size, to_unit = in_bytes ? 1 : to->layout.size;
    uint64_t room = in_bytes ? from->count * from->layout.size : from->count;
    if (memories)
        transfer->variable.at = node->at; /* a valid position, although there is no
                                           * variable */
    bool has_size = scn_node_entry(node, in_bytes ? "size" : "count") != NULL;
    if (memories && !has_size) {
        if (transfer->from_offset >= room) {
            return scn_report(
                reader->reporter, scn_node_value(node, "from_offset")->at,
                "nothing is left to copy from %s %" PRIu64 " on: memory '%s' has %" PRIu64 " %s",
                in_bytes ? "byte" : "element", transfer->from_offset,
                scn_excerpt(reader->arena, from->name), room, in_bytes ? "bytes" : "elements");
        }
        transfer->size = room - transfer->from_offset;
    }
    transfer->from_offset *= from_unit;
    transfer->to_offset *= to_unit;
    transfer->size *= from_unit;
    transfer->to_end = !memories && !has_size;
    return true;
}

static bool copy_elements_finish(scn_reader *reader, const scn_node *node, void *object)
{
    return copy_finish(reader, node, &((scn_step *)object)->transfer, false);
}

static bool copy_bytes_finish(scn_reader *reader, const scn_node *node, void *object)
{
    return copy_finish(reader, node, &((scn_step *)object)->transfer, true);
}

const scn_shape scn_shape_copy = {
    SCN_OBJECT("a copy", copy_rows),
    .also = BOTH_VARIABLES,
    .finish = copy_elements_finish,
    SCN_RELATIONS(transfer_relations),
};
const scn_shape scn_shape_memcpy = {
    SCN_OBJECT("a memcpy", memcpy_rows),
    .also = BOTH_VARIABLES,
    .finish = copy_bytes_finish,
    SCN_RELATIONS(transfer_relations),
};

/* ---- Fills -------------------------------------------------------------------------------- */

static const scn_shape shape_value = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "an element",
    .stored = &scn_shape_raw_bytes,
    .alternatives = {&scn_shape_element},
};
static const scn_row fill_rows[] = {
    {"memory", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, transfer.to),
     "The memory to fill."},
    {"value", &shape_value, SCN_REQUIRED | SCN_LATER, SCN_FIELD(scn_step, transfer.pattern),
     "The value to which the elements are set."},
    {"offset", &shape_element_offset, TO_OFFSET, "The first element to fill; default: 0."},
    {"count", &shape_element_count, COUNT,
     "The number of elements; default: all elements from offset to the end."},
    SCN_COMMAND_ROWS,
    SCN_HIDDEN(&scn_shape_number, scn_step, transfer.to_offset),
    SCN_HIDDEN(&scn_shape_number, scn_step, transfer.size),
};

static bool fill_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_transfer *transfer = &((scn_step *)object)->transfer;
    const scn_memory *to = scn_memory_of(reader, transfer->to);
    if (!to) return false;
    bool has_count = scn_node_entry(node, "count") != NULL;
    if (!has_count && transfer->to_offset >= to->count) {
        return scn_report(reader->reporter, scn_node_value(node, "offset")->at,
                          "nothing is left to fill from element %" PRIu64
                          " on: memory '%s' has %" PRIu64 " elements",
                          transfer->to_offset, scn_excerpt(reader->arena, to->name), to->count);
    }
    uint8_t *pattern = rt_arena_alloc(reader->arena, to->layout.size);
    if (!scn_element_read(reader, &to->layout, scn_node_value(node, "value"), pattern))
        return false;
    if (!has_count) transfer->size = to->count - transfer->to_offset;
    transfer->pattern = (rt_bytes){pattern, to->layout.size};
    transfer->to_offset *= to->layout.size;
    transfer->size *= to->layout.size;
    return true;
}

const scn_shape scn_shape_fill = {
    SCN_OBJECT("a fill", fill_rows),
    .finish = fill_finish,
    SCN_RELATIONS(transfer_relations),
};
