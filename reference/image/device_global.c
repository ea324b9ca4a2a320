/* Descriptions of device_global variables as bytes.
 *
 * The serialised form of a list is little-endian (base/stream.h): a count, then for each variable
 * unique_id name size image_scope host_access initial.  It comes from caches and packs, so the
 * reader does not trust it. */
#include "reference/image/device_global.h"

#include "reference/base/map.h"
#include "reference/base/rule.h"

/* Minimum size of a variable in bytes, so that a damaged count cannot cause large allocations. */
enum { GLOBAL_SIZE_MIN = 34 };

const char *rt_host_access_name(rt_host_access access)
{
    static const char *const names[RT_HOST_ACCESS_COUNT] = {
#define ACCESS_NAME(access, name) [RT_HOST_ACCESS_##access] = name,
        RT_HOST_ACCESSES(ACCESS_NAME)
#undef ACCESS_NAME
    };
    CHECK((unsigned)access < RT_HOST_ACCESS_COUNT);
    return names[access];
}

/* ---- Values of properties ------------------------------------------------------------------ */

void rt_device_global_value_write(rt_buffer *out, rt_device_global_value value)
{
    size_t before = out->size;
    CHECK(value.size > 0);
    rt_write_u32(out, value.size);
    rt_write_u32(out, RULE(DG_PROPSET_03, (uint32_t)value.image_scope));
    CHECK(out->size - before == RT_DEVICE_GLOBAL_VALUE_SIZE);
}

bool rt_device_global_value_read(const rt_property *property, rt_device_global_value *out_value)
{
    *out_value = (rt_device_global_value){0};
    rt_bytes bytes = property->bytes;
    bool is_valid_size =
        bytes.size == RT_DEVICE_GLOBAL_VALUE_SIZE || bytes.size == RT_DEVICE_GLOBAL_VALUE_SIZE_MIN;
    if (property->type != RT_PROPERTY_BYTES || !is_valid_size) return false;
    rt_reader reader = rt_reader_of(bytes);
    uint32_t size = rt_read_u32(&reader);
    uint8_t scope = rt_read_u8(&reader);
    CHECK(!reader.failed);
    if (size == 0 || scope > 1) return false;
    *out_value = (rt_device_global_value){size, scope == 1};
    return true;
}

/* ---- Lists --------------------------------------------------------------------------------- */

void rt_device_global_list_write(rt_buffer *out, rt_device_global_list list)
{
    rt_write_u32(out, list.count);
    for (uint32_t i = 0; i < list.count; i++) {
        const rt_device_global *global = &list.globals[i];
        CHECK(global->unique_id.length > 0 && global->name.length > 0 && global->size > 0);
        CHECK((unsigned)global->host_access < RT_HOST_ACCESS_COUNT);
        rt_write_text(out, global->unique_id);
        rt_write_text(out, global->name);
        rt_write_u64(out, global->size);
        rt_write_u8(out, global->image_scope);
        rt_write_u8(out, (uint8_t)global->host_access);
        CHECK(global->initial.size == 0 || global->initial.size == global->size);
        rt_write_bytes(out, global->initial);
    }
}

rt_device_global_list rt_device_global_list_read(rt_arena *arena, rt_reader *reader)
{
    uint32_t count = rt_read_count(reader, GLOBAL_SIZE_MIN);
    rt_device_global *globals = rt_arena_alloc_array(arena, count, sizeof *globals);
    rt_map ids = {0};
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        rt_device_global *global = &globals[i];
        global->unique_id = rt_read_text(reader);
        global->name = rt_read_text(reader);
        global->size = rt_read_u64(reader);
        uint8_t scope = rt_read_u8(reader), access = rt_read_u8(reader);
        global->initial = rt_read_bytes(reader);
        if (global->initial.size != 0 && global->initial.size != global->size)
            rt_reader_fail(reader);
        if (global->unique_id.length == 0 || global->name.length == 0 || global->size == 0 ||
            scope > 1 || access >= RT_HOST_ACCESS_COUNT)
            rt_reader_fail(reader);
        if (reader->failed) break;
        global->image_scope = scope == 1;
        global->host_access = (rt_host_access)access;
        if (rt_map_find(&ids, global->unique_id) != RT_MAP_NONE) rt_reader_fail(reader);
        rt_map_set(&ids, global->unique_id, i);
    }
    CHECK(reader->failed || ids.count == count);
    rt_map_free(&ids);
    return reader->failed ? (rt_device_global_list){0} : (rt_device_global_list){globals, count};
}
