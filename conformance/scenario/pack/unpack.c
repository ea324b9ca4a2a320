/* The smallest parts of packs, read and checked. */
#include "conformance/scenario/pack/unpack.h"

#include "conformance/scenario/model/type.h"

enum { INDEX_MIN = 4, LAYOUT_FIELD_MIN = SCN_PACKED_TEXT_MIN + 2 };

void scn_unpack_check(scn_unpacker *unpack, bool condition)
{
    if (!condition) rt_reader_fail(&unpack->reader);
}

void *scn_unpack_table(scn_unpacker *unpack, size_t item_size, size_t item_packed_min,
                       uint32_t *out_count)
{
    *out_count = rt_read_count(&unpack->reader, item_packed_min);
    return rt_arena_alloc_array(unpack->arena, *out_count, item_size);
}

bool scn_unpack_flag(scn_unpacker *unpack)
{
    uint8_t flag = rt_read_u8(&unpack->reader);
    scn_unpack_check(unpack, flag <= 1);
    return flag == 1;
}

rt_text scn_unpack_name(scn_unpacker *unpack)
{
    rt_text name = rt_read_text(&unpack->reader);
    scn_unpack_check(unpack, name.length > 0);
    return name;
}

uint64_t scn_unpack_size(scn_unpacker *unpack, uint64_t most)
{
    uint64_t size = rt_read_u64(&unpack->reader);
    scn_unpack_check(unpack, size <= most);
    return size;
}

scn_position scn_unpack_position(scn_unpacker *unpack)
{
    scn_position at = {rt_read_u32(&unpack->reader), 0};
    at.column = rt_read_u32(&unpack->reader);
    scn_unpack_check(unpack, at.line >= 1 && at.column >= 1);
    return at;
}

const rt_text *scn_unpack_texts(scn_unpacker *unpack, uint32_t *out_count)
{
    rt_text *texts = scn_unpack_table(unpack, sizeof *texts, SCN_PACKED_TEXT_MIN, out_count);
    for (uint32_t i = 0; i < *out_count; i++)
        texts[i] = rt_read_text(&unpack->reader);
    return texts;
}

const uint32_t *scn_unpack_indices(scn_unpacker *unpack, uint32_t limit, uint32_t *out_count)
{
    uint32_t *indices = scn_unpack_table(unpack, sizeof *indices, INDEX_MIN, out_count);
    for (uint32_t i = 0; i < *out_count; i++)
        indices[i] = rt_read_below(&unpack->reader, limit);
    return indices;
}

const uint32_t *scn_unpack_distinct(scn_unpacker *unpack, uint32_t limit, uint32_t *out_count)
{
    const uint32_t *indices = scn_unpack_indices(unpack, limit, out_count);
    scn_unpack_check(unpack, *out_count <= limit);
    for (uint32_t i = 0; i < *out_count && !unpack->reader.failed; i++) {
        for (uint32_t k = 0; k < i; k++)
            scn_unpack_check(unpack, indices[k] != indices[i]);
    }
    return indices;
}

static scn_field read_layout_field(scn_unpacker *unpack)
{
    scn_field field = {.name = rt_read_text(&unpack->reader)};
    uint8_t type = rt_read_u8(&unpack->reader);
    field.type = (scn_type)type;
    field.lanes = rt_read_u8(&unpack->reader);
    scn_unpack_check(unpack, type < SCN_TYPE_COUNT && scn_lanes_are_valid(field.lanes));
    return field;
}

scn_layout scn_unpack_layout(scn_unpacker *unpack)
{
    scn_layout layout = {0};
    bool is_struct = scn_unpack_flag(unpack);
    uint32_t count;
    scn_field *fields = scn_unpack_table(unpack, sizeof *fields, LAYOUT_FIELD_MIN, &count);
    scn_unpack_check(unpack,
                     count >= 1 && count <= SCN_VALUE_SIZE_MAX && (is_struct || count == 1));
    for (uint32_t i = 0; i < count; i++)
        fields[i] = read_layout_field(unpack);
    if (!unpack->reader.failed) scn_layout_place(fields, count, is_struct, &layout);
    return layout;
}
