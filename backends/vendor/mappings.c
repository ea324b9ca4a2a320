/* Mappings of buffers on devices that cannot map them themselves. */
#include "backends/vendor/mappings.h"

void vendor_mappings_begin(vendor_mappings *out_mappings)
{
    *out_mappings = (vendor_mappings){0};
    pthread_mutex_init(&out_mappings->lock, NULL);
}

void vendor_mappings_end(vendor_mappings *mappings)
{
    CHECK(!mappings->first);
    pthread_mutex_destroy(&mappings->lock);
}

/* An open mapping for writing that shares a byte with [begin, end); NULL: none. */
static const vendor_mapping *writer_find(const vendor_mappings *mappings, uint64_t begin,
                                         uint64_t end)
{
    const vendor_mapping *at = mappings->first;
    while (at && !(at->writes && at->begin < end && begin < at->end))
        at = at->next;
    return at;
}

rt_status vendor_mapping_open(vendor_mappings *mappings, rt_sink *sink, uint64_t address,
                              dev_map map, vendor_mapping *out_mapping)
{
    CHECK(map.size >= 1);
    *out_mapping = (vendor_mapping){
        .begin = address + map.offset,
        .end = address + map.offset + map.size,
        .writes = map.access != DEV_MAP_READ,
    };
    uint64_t other_begin = 0, other_end = 0;
    pthread_mutex_lock(&mappings->lock);
    const vendor_mapping *other =
        out_mapping->writes ? writer_find(mappings, out_mapping->begin, out_mapping->end) : NULL;
    if (other) {
        other_begin = other->begin;
        other_end = other->end;
    } else {
        out_mapping->next = mappings->first;
        mappings->first = out_mapping;
    }
    pthread_mutex_unlock(&mappings->lock);
    if (!other) return RT_STATUS_OK;
    return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "bytes at 0x%llx to 0x%llx cannot be mapped for writing, because those at "
                   "0x%llx to 0x%llx are mapped for writing; unmap them first",
                   (unsigned long long)out_mapping->begin, (unsigned long long)out_mapping->end,
                   (unsigned long long)other_begin, (unsigned long long)other_end);
}

void vendor_mapping_close(vendor_mappings *mappings, vendor_mapping *mapping)
{
    pthread_mutex_lock(&mappings->lock);
    vendor_mapping **at = &mappings->first;
    while (*at && *at != mapping)
        at = &(*at)->next;
    CHECK(*at == mapping);
    *at = mapping->next;
    pthread_mutex_unlock(&mappings->lock);
}
