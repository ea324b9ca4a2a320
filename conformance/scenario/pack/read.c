/* Reads packs (pack.h). A pack may come from a file, so nothing in it is trusted. Decoding checks
 * every count, index, enumerator and number against its bounds; check.c then checks the scenario
 * exactly as if it had been read from a scenario file. */
#include "conformance/scenario/check.h"
#include "conformance/scenario/model/type.h"
#include "conformance/scenario/pack/pack.h"

#include <string.h>

/* The deepest nesting in a scenario, expectations inside outcomes inside expectations, is well
 * below this. */
enum { DEPTH_MAX = 16 };

typedef struct unpacker {
    rt_sink *sink;
    rt_arena *arena;
    rt_reader reader;
    rt_status status; /* the result of reading the images, whose message says more than a byte
                       * position does */
    scn_scenario *scenario;
    uint32_t depth;
} unpacker;

static void require(unpacker *unpack, bool condition)
{
    if (!condition) rt_reader_fail(&unpack->reader);
}

/* ---- Least sizes -------------------------------------------------------------------------- */

static uint32_t rows_min(const scn_row *rows, uint32_t count);

/* The fewest bytes that a value can take, which limits how much memory a damaged count can
 * allocate. */
static uint32_t value_min(const scn_shape *shape, uint32_t size)
{
    switch (shape->kind) {
    case SCN_SHAPE_TRUTH:
    case SCN_SHAPE_POINTER: return 1;
    case SCN_SHAPE_INTEGER:
    case SCN_SHAPE_CHOICE: return size;
    case SCN_SHAPE_REFERENCE:
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP:
    case SCN_SHAPE_IMAGES: return 4;
    case SCN_SHAPE_LAYOUT: return 1 + 4;
    case SCN_SHAPE_SET: return RT_PROPERTY_SET_PACKED_MIN;
    case SCN_SHAPE_OBJECT:
        return rows_min(shape->rows, shape->row_count) + (shape->variants ? 4 : 0);
    default: return 8;
    }
}

static uint32_t rows_min(const scn_row *rows, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const scn_shape *shape = scn_row_stored(&rows[i]);
        if (shape) sum += value_min(shape, rows[i].place.size);
    }
    return sum;
}

/* ---- Values ------------------------------------------------------------------------------- */

static bool read_flag(unpacker *unpack)
{
    uint8_t flag = rt_read_u8(&unpack->reader);
    require(unpack, flag <= 1);
    return flag == 1;
}

static void read_number(unpacker *unpack, void *out, uint32_t size, uint64_t least, uint64_t most)
{
    CHECK(size == 4 || size == 8);
    uint64_t wide = size == 8 ? rt_read_u64(&unpack->reader) : rt_read_u32(&unpack->reader);
    uint32_t narrow = (uint32_t)wide;
    require(unpack, wide <= most && (wide >= least || wide == 0)); /* 0: not given */
    memcpy(out, size == 8 ? (void *)&wide : (void *)&narrow, size);
}

static void read_choice(unpacker *unpack, const scn_shape *shape, void *out, uint32_t size)
{
    uint32_t index = size == 1 ? read_flag(unpack) : rt_read_u32(&unpack->reader);
    bool truth = index != 0;
    require(unpack, index < shape->choice_count && shape->choices[index].is_accepted);
    memcpy(out, size == 1 ? (void *)&truth : (void *)&index, size);
}

static void read_reference(unpacker *unpack, const scn_shape *shape, void *out, bool or_none)
{
    const scn_scenario *scenario = unpack->scenario;
    const uint32_t counts[] = {
        [SCN_TABLE_MODULES] = scenario->module_count,
        [SCN_TABLE_DEVICES] = scenario->device_count,
        [SCN_TABLE_MEMORIES] = scenario->memory_count,
        [SCN_TABLE_STEPS] = scenario->step_count,
    };
    uint32_t index = rt_read_u32(&unpack->reader);
    require(unpack, index < counts[shape->table] || (or_none && index == SCN_NONE));
    memcpy(out, &index, sizeof index);
}

static rt_text read_text(unpacker *unpack, const scn_shape *shape, bool required)
{
    rt_text text = rt_read_text(&unpack->reader);
    require(unpack, text.length > 0 || !required);
    if (shape->kind != SCN_SHAPE_WORD || text.length == 0) return text;
    uint32_t word = 0;
    while (shape->word(word) && !rt_text_is(text, shape->word(word)))
        word++;
    require(unpack, shape->word(word) != NULL);
    return text;
}

/* Reads a layout, and recomputes the offsets of its fields. */
static void read_layout(unpacker *unpack, scn_layout *out)
{
    enum { FIELD_MIN = 8 + 2 };
    bool is_struct = read_flag(unpack);
    uint32_t count = rt_read_count(&unpack->reader, FIELD_MIN);
    scn_field *fields = rt_arena_alloc_array(unpack->arena, count, sizeof *fields);
    require(unpack, count >= 1 && count <= SCN_VALUE_SIZE_MAX && (is_struct || count == 1));
    for (uint32_t i = 0; i < count; i++) {
        fields[i].name = rt_read_text(&unpack->reader);
        uint8_t type = rt_read_u8(&unpack->reader);
        fields[i].type = (scn_type)type;
        fields[i].lanes = rt_read_u8(&unpack->reader);
        require(unpack, type < SCN_TYPE_COUNT && scn_lanes_are_valid(fields[i].lanes));
    }
    if (!unpack->reader.failed) scn_layout_place(fields, count, is_struct, out);
}

static void read_images(unpacker *unpack, rt_image_list *out)
{
    if (unpack->reader.failed) return;
    rt_status status = rt_image_list_read(unpack->sink, unpack->arena, &unpack->reader, out);
    if (rt_ok(status)) return;
    unpack->status = status;
    rt_reader_fail(&unpack->reader);
}

static void read_rows(unpacker *unpack, const scn_row *rows, uint32_t count, char *object);
static void read_object(unpacker *unpack, const scn_shape *shape, char *object)
{
    uint32_t tag = 0;
    if (shape->variants) {
        tag = rt_read_below(&unpack->reader, shape->variant_count);
        memcpy(object + shape->tag.offset, &tag, sizeof tag);
    }
    read_rows(unpack, shape->rows, shape->row_count, object);
    if (shape->variants && !unpack->reader.failed)
        read_rows(unpack, shape->variants[tag], 1, object);
}

static void read_value(unpacker *unpack, const scn_shape *shape, uint32_t flags, void *out,
                       uint32_t size)
{
    rt_reader *reader = &unpack->reader;
    bool required = flags & SCN_REQUIRED && !shape->empty;
    CHECK(scn_shape_fits(shape, size));
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME:
    case SCN_SHAPE_WORD: *(rt_text *)out = read_text(unpack, shape, required); return;
    case SCN_SHAPE_INTEGER: read_number(unpack, out, size, shape->least, shape->most); return;
    case SCN_SHAPE_CHOICE: read_choice(unpack, shape, out, size); return;
    case SCN_SHAPE_TRUTH: *(bool *)out = read_flag(unpack); return;
    case SCN_SHAPE_REFERENCE: read_reference(unpack, shape, out, flags & SCN_OR_NONE); return;
    case SCN_SHAPE_DOUBLE: read_number(unpack, out, sizeof(double), 0, UINT64_MAX); return;
    case SCN_SHAPE_POSITION:
        ((scn_position *)out)->line = rt_read_u32(reader);
        ((scn_position *)out)->column = rt_read_u32(reader);
        require(unpack, (((scn_position *)out)->line >= 1) == (((scn_position *)out)->column >= 1));
        return;
    case SCN_SHAPE_BYTES: {
        rt_bytes bytes = rt_read_bytes(reader);
        *(rt_bytes *)out = bytes.size > 0 ? bytes : (rt_bytes){0};
        return;
    }
    case SCN_SHAPE_LAYOUT: read_layout(unpack, out); return;
    case SCN_SHAPE_RULE:
        *(rt_rule *)out = rt_rule_find(rt_read_text(reader));
        require(unpack, *(rt_rule *)out != RT_RULE_NONE);
        return;
    case SCN_SHAPE_IMAGES: read_images(unpack, out); return;
    case SCN_SHAPE_SET:
        *(rt_property_set *)out = rt_property_set_read(unpack->arena, reader);
        return;
    case SCN_SHAPE_POINTER: {
        void *element = NULL;
        if (read_flag(unpack)) {
            element = rt_arena_alloc(unpack->arena, shape->element_size);
            read_value(unpack, scn_shape_stored(shape->element), 0, element, shape->element_size);
        }
        memcpy(out, &element, sizeof element);
        return;
    }
    case SCN_SHAPE_OBJECT: read_object(unpack, shape, out); return;
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP:
    case SCN_SHAPE_OTHER: break;
    }
    UNREACHABLE();
}

/* The table is attached to its struct before it is filled, because references in it are checked
 * against the scenario's tables. The loop ends at the first fault, after which everything reads as
 * zero. */
static void read_items(unpacker *unpack, const scn_row *row, const scn_shape *shape, char *object)
{
    const scn_shape *element = scn_shape_stored(shape->element);
    bool named = shape->kind == SCN_SHAPE_MAP;
    uint32_t least = value_min(element, shape->element_size) + (named ? 8 + 8 : 0);
    uint32_t count = rt_read_count(&unpack->reader, least);
    require(unpack, shape->most == 0 || count <= shape->most || !shape->in_place);
    require(unpack, ++unpack->depth <= DEPTH_MAX);
    if (unpack->reader.failed) return;
    char *items = object + row->place.offset;
    if (!shape->in_place) {
        char *table = rt_arena_alloc_array(unpack->arena, count, shape->element_size);
        memcpy(items, &table, sizeof table);
        items = table;
    }
    memcpy(object + row->place.count_offset, &count, sizeof count);
    for (uint32_t i = 0; i < count && !unpack->reader.failed; i++, items += shape->element_size) {
        if (named) {
            scn_named *begin = (scn_named *)items;
            begin->name = read_text(unpack, &scn_shape_name, true);
            read_value(unpack, &scn_shape_position, 0, &begin->at, sizeof begin->at);
        }
        read_value(unpack, element, SCN_REQUIRED, items, shape->element_size);
    }
    unpack->depth--;
}

/* True if a field has the value of an absent key: nothing, or 0. */
static bool is_absent(const scn_row *row, const scn_shape *shape, const char *object)
{
    const char *field = object + row->place.offset;
    uint32_t size = row->place.size;
    if (shape->kind == SCN_SHAPE_LIST) {
        field = object + row->place.count_offset;
        size = sizeof(uint32_t);
    }
    for (uint32_t i = 0; i < size; i++)
        if (field[i]) return false;
    return true;
}

static void read_rows(unpacker *unpack, const scn_row *rows, uint32_t count, char *object)
{
    for (uint32_t i = 0; i < count && !unpack->reader.failed; i++) {
        const scn_row *row = &rows[i];
        const scn_shape *shape = scn_row_stored(row);
        if (!shape) continue;
        bool is_present = row->place.given_offset == 0 || read_flag(unpack);
        if (row->place.given_offset > 0) *(bool *)(object + row->place.given_offset) = is_present;
        if (shape->kind == SCN_SHAPE_LIST || shape->kind == SCN_SHAPE_MAP)
            read_items(unpack, row, shape, object);
        else
            read_value(unpack, shape, row->flags, object + row->place.offset, row->place.size);
        require(unpack, is_present || is_absent(row, shape, object));
    }
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Checks the decoded scenario, and reports its first problem. */
static rt_status model_check(unpacker *unpack)
{
    uint32_t step;
    rt_buffer text = {0};
    scn_reporter reporter = {.arena = unpack->arena};
    const scn_scenario *scenario = unpack->scenario;
    if (scn_check(&reporter, scenario, NULL, 0, &step)) return RT_STATUS_OK;
    const scn_problem problem = scn_reporter_finish(&reporter).items[0];
    if (step != SCN_NONE) rt_buffer_printf(&text, " in step %u", step);
    rt_status status =
        rt_fail(unpack->sink, RT_MALFORMED, RT_RULE_NONE,
                "damaged packed scenario: fault%.*s, line %u of '%s': %.*s; pack it again",
                RT_TEXT_ARG(rt_buffer_text(&text)), problem.at.line,
                scn_excerpt(unpack->arena, scenario->file), RT_TEXT_ARG(problem.text));
    rt_buffer_free(&text);
    return status;
}

rt_status scn_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes pack,
                        const scn_scenario **out_scenario)
{
    *out_scenario = NULL;
    unpacker unpack = {.sink = sink, .arena = arena, .reader = rt_reader_of(pack)};
    uint32_t tag = rt_read_u32(&unpack.reader), version = rt_read_u32(&unpack.reader);
    if (unpack.reader.failed || tag != SCN_PACK_TAG) {
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "not a packed scenario: the first 4 bytes are not \"ASSC\"");
    }
    if (version != SCN_PACK_VERSION) {
        return rt_fail(
            sink, RT_MALFORMED, RT_RULE_NONE,
            "the packed scenario has version %u, but this assay reads version %u; pack it again",
            version, SCN_PACK_VERSION);
    }
    unpack.scenario = rt_arena_alloc(arena, sizeof *unpack.scenario);
    read_object(&unpack, &scn_shape_scenario, (char *)unpack.scenario);
    if (!rt_ok(unpack.status)) return unpack.status;
    if (!rt_reader_finished(&unpack.reader)) {
        size_t fault = unpack.reader.failed ? unpack.reader.fault : unpack.reader.position;
        return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                       "damaged packed scenario: fault at byte %zu of %zu; pack it again", fault,
                       pack.size);
    }
    RT_TRY(model_check(&unpack));
    *out_scenario = unpack.scenario;
    return RT_STATUS_OK;
}
