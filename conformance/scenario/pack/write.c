/* Writes packs (pack.h). */
#include "conformance/scenario/pack/pack.h"

#include <string.h>

static void write_rows(rt_buffer *out, const scn_row *rows, uint32_t count, const char *object);

static void write_number(rt_buffer *out, const void *value, uint32_t size)
{
    uint32_t narrow;
    uint64_t wide;
    CHECK(size == sizeof narrow || size == sizeof wide || size == sizeof(bool));
    if (size == sizeof wide) {
        memcpy(&wide, value, sizeof wide);
        rt_write_u64(out, wide);
    } else if (size == sizeof narrow) {
        memcpy(&narrow, value, sizeof narrow);
        rt_write_u32(out, narrow);
    } else {
        rt_write_u8(out, *(const bool *)value ? 1 : 0);
    }
}

static void write_layout(rt_buffer *out, const scn_layout *layout)
{
    CHECK(layout->field_count >= 1);
    CHECK_IMPLIES(!layout->is_struct, layout->field_count == 1);
    rt_write_u8(out, layout->is_struct);
    rt_write_u32(out, layout->field_count);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        rt_write_text(out, layout->fields[i].name);
        rt_write_u8(out, (uint8_t)layout->fields[i].type);
        rt_write_u8(out, (uint8_t)layout->fields[i].lanes);
    }
}

static void write_value(rt_buffer *out, const scn_shape *shape, const void *value, uint32_t size)
{
    uint32_t tag;
    CHECK(scn_shape_fits(shape, size));
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME:
    case SCN_SHAPE_WORD: rt_write_text(out, *(const rt_text *)value); return;
    case SCN_SHAPE_INTEGER:
    case SCN_SHAPE_CHOICE: write_number(out, value, size); return;
    case SCN_SHAPE_TRUTH: write_number(out, value, sizeof(bool)); return;
    case SCN_SHAPE_REFERENCE: write_number(out, value, sizeof(uint32_t)); return;
    case SCN_SHAPE_DOUBLE: write_number(out, value, sizeof(uint64_t)); return;
    case SCN_SHAPE_POSITION:
        rt_write_u32(out, ((const scn_position *)value)->line);
        rt_write_u32(out, ((const scn_position *)value)->column);
        return;
    case SCN_SHAPE_BYTES: rt_write_bytes(out, *(const rt_bytes *)value); return;
    case SCN_SHAPE_LAYOUT: write_layout(out, value); return;
    case SCN_SHAPE_RULE:
        rt_write_text(out, rt_text_of(rt_rule_name(*(const rt_rule *)value)));
        return;
    case SCN_SHAPE_IMAGES: rt_image_list_write(out, *(const rt_image_list *)value); return;
    case SCN_SHAPE_SET: rt_property_set_write(out, value); return;
    case SCN_SHAPE_POINTER: {
        const void *element;
        memcpy(&element, value, sizeof element);
        rt_write_u8(out, element != NULL);
        if (element) write_value(out, scn_shape_stored(shape->element), element, 0);
        return;
    }
    case SCN_SHAPE_OBJECT:
        memcpy(&tag, (const char *)value + shape->tag.offset, sizeof tag);
        CHECK_IMPLIES(shape->variants, tag < shape->variant_count);
        if (shape->variants) rt_write_u32(out, tag);
        write_rows(out, shape->rows, shape->row_count, value);
        if (shape->variants) write_rows(out, shape->variants[tag], 1, value);
        return;
    case SCN_SHAPE_LIST:
    case SCN_SHAPE_MAP:
    case SCN_SHAPE_OTHER: break;
    }
    UNREACHABLE();
}

/* Writes a list or map; each element of a map begins with its name and position. */
static void write_items(rt_buffer *out, const scn_row *row, const scn_shape *shape,
                        const char *object)
{
    const char *field = object + row->place.offset, *items = field;
    uint32_t count;
    if (!shape->in_place) memcpy(&items, field, sizeof items);
    memcpy(&count, object + row->place.count_offset, sizeof count);
    CHECK_IMPLIES(shape->in_place, count <= shape->most);
    CHECK_IMPLIES(count > 0, items != NULL && shape->element_size > 0);
    rt_write_u32(out, count);
    for (uint32_t i = 0; i < count; i++, items += shape->element_size) {
        if (shape->kind == SCN_SHAPE_MAP) {
            const scn_named *named = (const scn_named *)items;
            rt_write_text(out, named->name);
            write_value(out, &scn_shape_position, &named->at, sizeof named->at);
        }
        write_value(out, scn_shape_stored(shape->element), items, shape->element_size);
    }
}

static void write_rows(rt_buffer *out, const scn_row *rows, uint32_t count, const char *object)
{
    for (uint32_t i = 0; i < count; i++) {
        const scn_row *row = &rows[i];
        const scn_shape *shape = scn_row_stored(row);
        if (!shape) continue;
        if (row->place.given_offset > 0)
            write_number(out, object + row->place.given_offset, sizeof(bool));
        if (shape->kind == SCN_SHAPE_LIST || shape->kind == SCN_SHAPE_MAP)
            write_items(out, row, shape, object);
        else
            write_value(out, shape, object + row->place.offset, row->place.size);
    }
}

void scn_pack_write(rt_buffer *out, const scn_scenario *scenario)
{
    CHECK(scenario->module_count > 0 && scenario->device_count > 0);
    CHECK_IMPLIES(scenario->artefact_count > 0, scenario->packed);
    rt_write_u32(out, SCN_PACK_TAG);
    rt_write_u32(out, SCN_PACK_VERSION);
    write_value(out, &scn_shape_scenario, scenario, 0);
}
