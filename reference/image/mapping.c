/* Look-up by address, and the modules of this process. */
#include "reference/image/mapping.h"

#include "reference/base/vector.h"

#include <link.h>
#include <string.h>

/* The range that contains the address, and the address's offset in it; NULL if there is none. */
static const rt_mapped *range_find(const rt_mapping *mapping, uint64_t address, size_t *out_place)
{
    for (uint32_t i = 0; i < mapping->count; i++) {
        const rt_mapped *range = &mapping->ranges[i];
        if (address < range->address || address - range->address >= range->bytes.size) continue;
        *out_place = (size_t)(address - range->address);
        CHECK(*out_place < range->bytes.size);
        return range;
    }
    return NULL;
}

bool rt_mapping_bytes(const rt_mapping *mapping, uint64_t address, uint64_t size,
                      rt_bytes *out_bytes)
{
    size_t place;
    const rt_mapped *range = range_find(mapping, address, &place);
    return range && rt_bytes_slice(range->bytes, place, size, out_bytes);
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
    CHECK(out_text->length <= RT_MAPPED_TEXT_MAX);
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
        /* The loader is the only source of these addresses; they never come from a file. */
        const uint8_t *data = (const uint8_t *)(uintptr_t)address;
        *rt_vector_push(ranges) = (rt_mapped){address, {data, segment->p_memsz}};
    }
    return 0;
}

rt_mapping rt_mapping_of_process(rt_arena *arena)
{
    mapped_vector ranges = {0};
    dl_iterate_phdr(module_add, &ranges);
    rt_mapping mapping = {rt_arena_copy(arena, ranges.items, ranges.count, sizeof *ranges.items),
                          ranges.count};
    rt_vector_free(&ranges);
    return mapping;
}

typedef struct module_visit {
    uint64_t address;
    rt_mapping_visitor *visitor;
    void *user;
} module_visit;

/* Visits the module that contains the address, which ends the search. */
static int module_visit_if(struct dl_phdr_info *module, size_t size, void *user)
{
    const module_visit *visit = user;
    mapped_vector ranges = {0};
    module_add(module, size, &ranges);
    const rt_mapping mapping = {ranges.items, ranges.count};
    size_t place;
    const bool is_found = range_find(&mapping, visit->address, &place) != NULL;
    if (is_found) visit->visitor(visit->user, &mapping, rt_text_of(module->dlpi_name));
    rt_vector_free(&ranges);
    return is_found;
}

bool rt_mapping_visit(uint64_t address, rt_mapping_visitor *visitor, void *user)
{
    module_visit visit = {address, visitor, user};
    return dl_iterate_phdr(module_visit_if, &visit) != 0;
}
