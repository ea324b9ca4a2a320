/* Look-up by address, and the modules of this process. */
#include "reference/image/mapping.h"

#include "reference/base/vector.h"

#include <link.h>
#include <string.h>

/* The range that holds the address, and the address' place in it; NULL where none does. */
static const rt_mapped *range_find(const rt_mapping *mapping, uint64_t address, size_t *out_place)
{
    for (uint32_t i = 0; i < mapping->count; i++) {
        const rt_mapped *range = &mapping->ranges[i];
        if (address < range->address || address - range->address >= range->bytes.size) continue;
        *out_place = (size_t)(address - range->address);
        return range;
    }
    return NULL;
}

bool rt_mapping_bytes(const rt_mapping *mapping, uint64_t address, uint64_t size,
                      rt_bytes *out_bytes)
{
    size_t place;
    const rt_mapped *range = range_find(mapping, address, &place);
    if (!range || size > range->bytes.size - place) return false;
    *out_bytes = (rt_bytes){range->bytes.data + place, (size_t)size};
    return true;
}

bool rt_mapping_text(const rt_mapping *mapping, uint64_t address, rt_text *out_text)
{
    size_t place;
    const rt_mapped *range = range_find(mapping, address, &place);
    if (!range) return false;
    size_t most = range->bytes.size - place;
    if (most > RT_MAPPED_TEXT_MAX + 1u) most = RT_MAPPED_TEXT_MAX + 1u;
    const uint8_t *begin = range->bytes.data + place, *end = memchr(begin, '\0', most);
    if (!end) return false;
    *out_text = (rt_text){(const char *)begin, (size_t)(end - begin)};
    return true;
}

typedef RT_VECTOR(rt_mapped) mapped_vector;

static int module_add(struct dl_phdr_info *module, size_t size, void *user)
{
    (void)size;
    mapped_vector *ranges = user;
    for (size_t i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_R)) continue;
        uint64_t address = module->dlpi_addr + segment->p_vaddr;
        /* The loader's own words are the only source of addresses here. */
        const uint8_t *data = (const uint8_t *)(uintptr_t)address;
        *rt_vector_push(ranges) = (rt_mapped){address, {data, segment->p_memsz}};
    }
    return 0;
}

rt_mapping rt_mapping_of_process(rt_arena *arena)
{
    mapped_vector ranges = {0};
    dl_iterate_phdr(module_add, &ranges);
    rt_mapped *copy = rt_arena_alloc_array(arena, ranges.count, sizeof *copy);
    if (ranges.count > 0) memcpy(copy, ranges.items, ranges.count * sizeof *copy);
    rt_mapping mapping = {copy, ranges.count};
    rt_vector_free(&ranges);
    return mapping;
}
