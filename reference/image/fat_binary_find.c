/* Searches memory for descriptors. */
#include "reference/image/fat_binary.h"

#include "reference/base/stream.h"
#include "reference/base/vector.h"

/* True if the 32 bytes look like a descriptor and its pointer leads to what looks like a SYCL
 * image, judging by version, kind, format, padding and target. */
static bool is_likely_descriptor(const rt_mapping *mapping, rt_bytes bytes)
{
    rt_reader words = rt_reader_of(bytes);
    uint32_t head = rt_read_u32(&words), padding = rt_read_u32(&words);
    if ((head & 0xFFFF) != 1 || head >> 16 == 0 || padding != 0) return false;
    uint64_t images = rt_read_u64(&words);
    uint64_t host_begin = rt_read_u64(&words), host_end = rt_read_u64(&words);
    CHECK(rt_reader_finished(&words));
    rt_bytes image;
    if (host_begin > host_end || !rt_mapping_bytes(mapping, images, RT_FAT_80, &image))
        return false;
    words = rt_reader_of(image);
    head = rt_read_u32(&words);
    padding = rt_read_u32(&words);
    uint32_t version = head & 0xFFFF, kind = head >> 16 & 0xFF, format = head >> 24;
    if (version == 0 || version > 16 || padding != 0) return false;
    if ((kind != 4 && kind != 8) || format >= RT_BINARY_FORMAT_COUNT) return false;
    rt_text target;
    if (!rt_mapping_text(mapping, rt_read_u64(&words), &target)) return false;
    for (size_t i = 0; i < target.length; i++)
        if (target.data[i] <= ' ' || target.data[i] > '~') return false;
    return target.length > 0;
}

rt_descriptors rt_fat_binary_find(rt_arena *arena, const rt_mapping *mapping)
{
    enum { DESCRIPTOR_SIZE = 32 };
    RT_VECTOR(uint64_t) found = {0};
    for (uint32_t i = 0; i < mapping->count; i++) {
        const rt_mapped *range = &mapping->ranges[i];
        size_t place = (size_t)(-range->address % 8);
        for (; place + DESCRIPTOR_SIZE <= range->bytes.size; place += 8) {
            const rt_bytes bytes = {range->bytes.data + place, DESCRIPTOR_SIZE};
            if (is_likely_descriptor(mapping, bytes))
                *rt_vector_push(&found) = range->address + place;
        }
    }
    rt_descriptors descriptors = {
        rt_arena_copy(arena, found.items, found.count, sizeof *found.items), found.count};
    rt_vector_free(&found);
    return descriptors;
}
