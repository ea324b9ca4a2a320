/* Scalars, vectors and structs: names, sizes, and field offsets. */
#include "conformance/scenario/model/type.h"

#include <string.h>

static const struct type_row {
    const char *name;
    uint32_t size; /* bytes */
    char class;
} type_rows[SCN_TYPE_COUNT] = {
#define SCN_TYPE_ROW(type, name, size, class) {name, size, class},
    SCN_TYPES(SCN_TYPE_ROW)
#undef SCN_TYPE_ROW
};

const char *scn_type_name(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].name;
}

uint32_t scn_type_size(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].size;
}

char scn_type_class(scn_type type)
{
    CHECK((unsigned)type < SCN_TYPE_COUNT);
    return type_rows[type].class;
}

/* ---- Names -------------------------------------------------------------------------------- */

static const struct vector_row {
    const char *name;
    scn_type type;
    uint32_t lanes;
} vector_rows[] = {
#define VECTOR_ROWS(type, name, size, class)                                                       \
    {name "2", SCN_TYPE_##type, 2}, {name "3", SCN_TYPE_##type, 3},                                \
        {name "4", SCN_TYPE_##type, 4}, {name "8", SCN_TYPE_##type, 8},                            \
        {name "16", SCN_TYPE_##type, 16},
    SCN_TYPES(VECTOR_ROWS)
#undef VECTOR_ROWS
};

enum { VECTOR_ROW_COUNT = sizeof vector_rows / sizeof *vector_rows };

const char *scn_type_word(uint32_t index)
{
    if (index < SCN_TYPE_COUNT) return type_rows[index].name;
    if (index == SCN_TYPE_COUNT) return "struct";
    index -= SCN_TYPE_COUNT + 1;
    return index < VECTOR_ROW_COUNT ? vector_rows[index].name : NULL;
}

bool scn_type_find(rt_text name, scn_type *out_type, uint32_t *out_lanes)
{
    *out_lanes = 1;
    for (uint32_t i = 0; i < SCN_TYPE_COUNT; i++) {
        *out_type = (scn_type)i;
        if (rt_text_is(name, type_rows[i].name)) return true;
    }
    for (uint32_t i = 0; i < VECTOR_ROW_COUNT; i++) {
        *out_type = vector_rows[i].type;
        *out_lanes = vector_rows[i].lanes;
        if (rt_text_is(name, vector_rows[i].name)) return true;
    }
    return false;
}

bool scn_lanes_are_valid(uint32_t lanes)
{
    return (lanes >= 1 && lanes <= 4) || lanes == 8 || lanes == 16;
}

/* ---- Layouts ------------------------------------------------------------------------------ */

uint32_t scn_field_size(const scn_field *field)
{
    CHECK(scn_lanes_are_valid(field->lanes));
    return scn_type_size(field->type) * (field->lanes == 3 ? 4 : field->lanes);
}

static uint32_t round_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

void scn_layout_place(scn_field *fields, uint32_t field_count, bool is_struct,
                      scn_layout *out_layout)
{
    CHECK(field_count >= 1);
    CHECK_IMPLIES(!is_struct, field_count == 1);
    scn_layout layout = {
        .alignment = 1, .is_struct = is_struct, .fields = fields, .field_count = field_count};
    for (uint32_t i = 0; i < field_count; i++) {
        /* Scalars and vectors are naturally aligned: to their size, which is a power of two. */
        uint32_t size = scn_field_size(&fields[i]);
        CHECK((size & (size - 1)) == 0);
        fields[i].offset = round_up(layout.size, size);
        layout.size = fields[i].offset + size;
        if (layout.alignment < size) layout.alignment = size;
    }
    layout.size = round_up(layout.size, layout.alignment);
    *out_layout = layout;
}

scn_layout scn_layout_of(rt_arena *arena, scn_type type, uint32_t lanes)
{
    scn_field *field = rt_arena_alloc(arena, sizeof *field);
    *field = (scn_field){.type = type, .lanes = lanes};
    scn_layout layout;
    scn_layout_place(field, 1, false, &layout);
    return layout;
}

bool scn_layout_is_floating(const scn_layout *layout)
{
    for (uint32_t i = 0; i < layout->field_count; i++) {
        if (scn_type_class(layout->fields[i].type) == 'f') return true;
    }
    return false;
}

bool scn_memory_is_matched(const scn_memory *memory)
{
    if (!memory->unordered || memory->tolerance_kind == SCN_TOLERANCE_NONE) return false;
    bool whole = memory->tolerance_kind == SCN_TOLERANCE_RELATIVE && memory->tolerance >= 1;
    return whole || memory->layout.field_count > 1 || memory->layout.fields[0].lanes > 1;
}

rt_text scn_layout_print(rt_arena *arena, const scn_layout *layout)
{
    enum { SHOWN_MAX = 8, NAME_SHOWN_MAX = 32 };
    rt_buffer text = {0};
    CHECK(layout->field_count >= 1);
    if (layout->is_struct) rt_buffer_printf(&text, "struct {");
    for (uint32_t i = 0; i < layout->field_count && i < SHOWN_MAX; i++) {
        const scn_field *field = &layout->fields[i];
        rt_buffer_printf(&text, "%s%s", i > 0 ? "; " : "", scn_type_name(field->type));
        if (field->lanes > 1) rt_buffer_printf(&text, "%u", field->lanes);
        if (field->name.length == 0) continue;
        bool cut = field->name.length > NAME_SHOWN_MAX;
        int length = cut ? NAME_SHOWN_MAX : (int)field->name.length;
        rt_buffer_printf(&text, " %.*s%s", length, field->name.data, cut ? "..." : "");
    }
    if (layout->field_count > SHOWN_MAX) rt_buffer_printf(&text, "; ...");
    if (layout->is_struct) rt_buffer_append_byte(&text, '}');
    rt_text copy = rt_arena_text(arena, rt_buffer_text(&text));
    rt_buffer_free(&text);
    return copy;
}
