/* Maps: what the host maps, what it writes through the pointer, and the unmap. Offsets and counts
 * are in elements of the memory that is mapped; those of a write begin where the mapping does. */
#include "conformance/scenario/read/verbs.h"

#include <inttypes.h>

static const scn_choice accesses[SCN_MAP_ACCESS_COUNT] = {
    [SCN_MAP_READ] = {"read", true},
    [SCN_MAP_WRITE] = {"write", true},
    [SCN_MAP_READ_WRITE] = {"read_write", true},
    [SCN_MAP_WRITE_INVALIDATE] = {"write_invalidate", true},
};
static const scn_shape shape_access = {SCN_CHOICE("an access", accesses)};
static const scn_shape shape_offset = {SCN_INTEGER("an offset in elements", 0, RT_MEMORY_SIZE_MAX)};
static const scn_shape shape_count = {SCN_INTEGER("a number of elements", 0, RT_MEMORY_SIZE_MAX)};
static const scn_shape shape_blocking = {SCN_TRUTH("whether the step waits for the command")};

static const scn_relation command_relations[] = {SCN_QUEUE_OR_DEVICE};

/* ---- Map ---------------------------------------------------------------------------------- */

static const scn_row map_rows[] = {
    {"memory", &scn_shape_memory_reference, SCN_REQUIRED, SCN_FIELD(scn_step, map.memory),
     "The buffer or sub-buffer to map."},
    {"access", &shape_access, SCN_REQUIRED, SCN_FIELD(scn_step, map.access),
     "What the host may do through the pointer; write_invalidate: the elements have no value until "
     "the host has written them."},
    {"offset", &shape_offset, SCN_WRITTEN, SCN_FIELD(scn_step, map.offset),
     "The first element to map; default: 0."},
    {"count", &shape_count, SCN_WRITTEN, SCN_FIELD(scn_step, map.size),
     "The number of elements; default: all elements from offset to the end."},
    {"blocking", &shape_blocking, 0, SCN_FIELD(scn_step, map.blocking),
     "Whether the step waits for the command; default: no."},
    SCN_COMMAND_ROWS,
    SCN_HIDDEN(&scn_shape_number, scn_step, map.offset),
    SCN_HIDDEN(&scn_shape_number, scn_step, map.size),
};

static bool map_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_map *map = &((scn_step *)object)->map;
    const scn_memory *memory = scn_memory_of(reader, map->memory);
    if (!memory) return false;
    bool has_count = scn_node_entry(node, "count") != NULL;
    if (!has_count && map->offset >= memory->count)
        return scn_report(reader->reporter, scn_node_value(node, "offset")->at,
                          "nothing is left to map from element %" PRIu64
                          " on: memory '%s' has %" PRIu64 " elements",
                          map->offset, scn_excerpt(reader->arena, memory->name), memory->count);
    if (!has_count) map->size = memory->count - map->offset;
    map->offset *= memory->layout.size;
    map->size *= memory->layout.size;
    return true;
}

const scn_shape scn_shape_map = {
    SCN_OBJECT("a map", map_rows),
    .finish = map_finish,
    SCN_RELATIONS(command_relations),
};

/* ---- Accesses through the pointer --------------------------------------------------------- */

const scn_memory *scn_mapped_memory(const scn_reader *reader, uint32_t map)
{
    CHECK(map < reader->step_count);
    const scn_step *step = &reader->step_table[map];
    return step->verb == SCN_VERB_MAP ? scn_memory_of(reader, step->map.memory) : NULL;
}

static const scn_shape shape_values = {
    .kind = SCN_SHAPE_OTHER,
    .noun = "values",
    .stored = &scn_shape_raw_bytes,
    .alternatives = {&scn_shape_values},
};
static const scn_row map_write_rows[] = {
    {"map", &scn_shape_map_reference, SCN_REQUIRED, SCN_FIELD(scn_step, map_write.map),
     "The map; its access must not be `read`."},
    {"offset", &shape_offset, SCN_WRITTEN, SCN_FIELD(scn_step, map_write.offset),
     "The first element to write, counted from the first one that is mapped; default: 0."},
    {"count", &shape_count, SCN_WRITTEN, SCN_NOWHERE,
     "The number of elements, if the values are a pattern."},
    {"values", &shape_values, SCN_REQUIRED | SCN_LATER, SCN_FIELD(scn_step, map_write.values),
     "The values that the host writes."},
    SCN_HIDDEN(&scn_shape_number, scn_step, map_write.offset),
};

static bool map_write_finish(scn_reader *reader, const scn_node *node, void *object)
{
    scn_map_write *write = &((scn_step *)object)->map_write;
    const scn_memory *memory = scn_mapped_memory(reader, write->map);
    const scn_node *count_node = scn_node_value(node, "count");
    uint64_t count = 0;
    if (!memory) return true; /* check.c refuses it */
    if (count_node && !scn_value_read(reader, &shape_count, count_node, &count)) return false;
    write->offset *= memory->layout.size;
    return scn_values_read(reader, scn_node_value(node, "values"), &memory->layout, count,
                           &write->values, &count);
}

const scn_shape scn_shape_map_write = {
    SCN_OBJECT("a map_write", map_write_rows),
    .finish = map_write_finish,
};

/* ---- Unmap -------------------------------------------------------------------------------- */

static const scn_row unmap_rows[] = {
    {"map", &scn_shape_map_reference, SCN_REQUIRED, SCN_FIELD(scn_step, unmap.map), "The map."},
    SCN_COMMAND_ROWS,
};
const scn_shape scn_shape_unmap = {
    SCN_OBJECT("an unmap", unmap_rows),
    .shorthand = true,
    SCN_RELATIONS(command_relations),
};
