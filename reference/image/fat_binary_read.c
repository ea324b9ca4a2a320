/* Reads fat binaries through a mapping.
 *
 * The bytes of all tables together may not exceed the size of the mapping.  Intact files contain
 * each table once; the limit prevents a damaged file from causing the same bytes to be read
 * repeatedly. */
#include "reference/image/fat_binary.h"

#include "reference/base/rule.h"
#include "reference/image/property_value.h"

enum {
    DESCRIPTOR_SIZE = 32,
    ENTRY_SIZE = 32,
    NEW_ENTRY_SIZE = 56,
    SET_SIZE = 24,
    PROPERTY_SIZE = 32,
    KIND_SYCL = 4,     /* sycl_device_binary_struct */
    KIND_SYCL_BIT = 8, /* llvm::object::OffloadKind */
};

typedef struct fat_reader {
    rt_sink *sink;
    rt_arena *arena;
    const rt_mapping *mapping;
    uint64_t table_left; /* bytes of tables that may still be read */
} fat_reader;

static rt_status fault(const fat_reader *reader, uint64_t address, const char *reason)
{
    return rt_fail(reader->sink, RT_MALFORMED, RT_RULE_NONE,
                   "damaged device images at address %#llx: %s", (unsigned long long)address,
                   reason);
}

/* An array of items, given by its begin and end pointers. */
typedef struct fat_run {
    uint64_t address;
    rt_bytes bytes;
    uint32_t count;
} fat_run;

/* Reads the pair of pointers at address `at`, and finds the array.  Arrays of bytes do not count as
 * tables. */
static rt_status run_read(fat_reader *reader, uint64_t at, rt_reader *words, uint64_t item_size,
                          const char *reason, fat_run *out_run)
{
    uint64_t begin = rt_read_u64(words), end = rt_read_u64(words);
    *out_run = (fat_run){.address = begin};
    if (begin == end) return RT_STATUS_OK;
    if (begin > end || (end - begin) % item_size != 0 || (end - begin) / item_size > UINT32_MAX ||
        !rt_mapping_bytes(reader->mapping, begin, end - begin, &out_run->bytes))
        return fault(reader, at, reason);
    out_run->count = (uint32_t)((end - begin) / item_size);
    CHECK(out_run->count >= 1 && out_run->bytes.size == out_run->count * item_size);
    if (item_size == 1) return RT_STATUS_OK;
    if (out_run->bytes.size > reader->table_left) {
        return rt_fail(reader->sink, RT_LIMIT, RT_RULE_NONE,
                       "device images at address %#llx: tables overlap", (unsigned long long)at);
    }
    reader->table_left -= out_run->bytes.size;
    return RT_STATUS_OK;
}

static rt_status text_read(const fat_reader *reader, uint64_t at, uint64_t address,
                           bool is_optional, rt_text *out_text)
{
    *out_text = (rt_text){0};
    if (address == 0 && is_optional) return RT_STATUS_OK;
    if (rt_mapping_text(reader->mapping, address, out_text)) return RT_STATUS_OK;
    return fault(reader, at, "expected a pointer to a string");
}

/* ---- Properties ---------------------------------------------------------------------------- */

static rt_status property_read(const fat_reader *reader, uint64_t at, rt_reader *words,
                               rt_property *out_property)
{
    uint64_t name = rt_read_u64(words), value = rt_read_u64(words);
    uint32_t type = RULE(DL_IMAGE_04, (uint32_t)rt_read_u64(words));
    uint64_t size = rt_read_u64(words);
    RT_TRY(text_read(reader, at, name, false, &out_property->name));
    if (type == RT_PROPERTY_UINT32) {
        if (size > UINT32_MAX) return fault(reader, at + 24, "the number exceeds 32 bits");
        out_property->type = RT_PROPERTY_UINT32;
        out_property->number = (uint32_t)size;
        return RT_STATUS_OK;
    }
    if (type != RT_PROPERTY_BYTES) {
        return rt_fail(reader->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                       "property '%.*s' at address %#llx has type %u, expected 1 (number) or 2 "
                       "(bytes)",
                       RT_TEXT_ARG(out_property->name), (unsigned long long)at, type);
    }
    rt_bytes bytes;
    if (!rt_mapping_bytes(reader->mapping, value, size, &bytes))
        return fault(reader, at + 8, "the value lies outside the mapped memory");
    if (!rt_property_value_read(bytes, out_property))
        return fault(reader, at + 24, "the value's size differs from the length at its beginning");
    return RT_STATUS_OK;
}

static rt_status sets_read(fat_reader *reader, uint64_t at, rt_reader *words,
                           rt_property_sets *out_sets)
{
    fat_run run;
    RT_TRY(run_read(reader, at, words, SET_SIZE, "expected property sets", &run));
    rt_property_set *sets = rt_arena_alloc_array(reader->arena, run.count, sizeof *sets);
    rt_reader set_words = rt_reader_of(run.bytes);
    for (uint32_t i = 0; i < RULE(DL_IMAGE_02, run.count); i++) {
        uint64_t set_at = run.address + (uint64_t)i * SET_SIZE;
        RT_TRY(text_read(reader, set_at, rt_read_u64(&set_words), false, &sets[i].name));
        fat_run items;
        RT_TRY(
            run_read(reader, set_at + 8, &set_words, PROPERTY_SIZE, "expected properties", &items));
        rt_property *properties =
            rt_arena_alloc_array(reader->arena, items.count, sizeof *properties);
        rt_reader property_words = rt_reader_of(items.bytes);
        for (uint32_t k = 0; k < items.count; k++) {
            uint64_t property_at = items.address + (uint64_t)k * PROPERTY_SIZE;
            RT_TRY(property_read(reader, property_at, &property_words, &properties[k]));
        }
        CHECK(rt_reader_finished(&property_words));
        sets[i].properties = properties;
        sets[i].property_count = items.count;
    }
    *out_sets = (rt_property_sets){sets, run.count};
    return RT_STATUS_OK;
}

/* ---- Entries ------------------------------------------------------------------------------- */

/* A new entry begins with eight zero bytes, a version and an offload kind; an old entry begins with
 * an address and a pointer to its name. The version and the kind, read as a pointer, would be an
 * address too low for any name. */
static rt_status entries_read(fat_reader *reader, uint64_t at, rt_reader *words,
                              rt_device_binary *binary)
{
    rt_reader ahead = *words;
    uint64_t size = ENTRY_SIZE, name_place = 8;
    rt_bytes head;
    if (rt_mapping_bytes(reader->mapping, rt_read_u64(&ahead), 16, &head)) {
        rt_reader first = rt_reader_of(head);
        uint64_t zero = rt_read_u64(&first), second = rt_read_u64(&first);
        uint64_t version = second & 0xFFFF, kind = second >> 16 & 0xFFFF;
        if (zero == 0 && version == 1 && (kind == KIND_SYCL || kind == KIND_SYCL_BIT)) {
            size = NEW_ENTRY_SIZE;
            name_place = 24;
        }
    }
    fat_run run;
    RT_TRY(run_read(reader, at, words, size, "expected entries", &run));
    rt_text *entries = rt_arena_alloc_array(reader->arena, run.count, sizeof *entries);
    rt_reader items = rt_reader_of(run.bytes);
    for (uint32_t i = 0; i < run.count; i++) {
        items.position = i * size + name_place;
        uint64_t place = run.address + items.position;
        RT_TRY(text_read(reader, place, rt_read_u64(&items), false, &entries[i]));
    }
    CHECK(!items.failed);
    binary->entries = entries;
    binary->entry_count = run.count;
    return RT_STATUS_OK;
}

/* ---- Images -------------------------------------------------------------------------------- */

static rt_status image_read(fat_reader *reader, uint64_t at, rt_fat_layout layout, rt_reader *words,
                            rt_device_binary *binary)
{
    *binary = (rt_device_binary){0};
    uint32_t head = rt_read_u32(words), kind = head >> 16 & 0xFF, format = head >> 24;
    (void)rt_read_u32(words);
    if (kind != KIND_SYCL && kind != KIND_SYCL_BIT)
        return fault(reader, at + 2, "this is not a SYCL image");
    if (format >= RT_BINARY_FORMAT_COUNT) return fault(reader, at + 3, "unknown image format");
    binary->format = (rt_binary_format)format;
    RT_TRY(text_read(reader, at + 8, rt_read_u64(words), false, &binary->target));
    RT_TRY(text_read(reader, at + 16, rt_read_u64(words), true, &binary->compile_options));
    RT_TRY(text_read(reader, at + 24, rt_read_u64(words), true, &binary->link_options));
    fat_run manifest, code;
    if (layout == RT_FAT_96)
        RT_TRY(run_read(reader, at + 32, words, 1, "expected a manifest", &manifest));
    uint64_t code_address = at + (layout == RT_FAT_96 ? 48 : 32);
    RT_TRY(run_read(reader, code_address, words, 1, "expected the image's code", &code));
    if (code.bytes.size > RT_IMAGE_SIZE_MAX) {
        return rt_fail(reader->sink, RT_LIMIT, RT_RULE_NONE,
                       "the image at address %#llx has %zu bytes of code; at most %u are allowed",
                       (unsigned long long)code_address, code.bytes.size, RT_IMAGE_SIZE_MAX);
    }
    binary->code = code.bytes;
    RT_TRY(entries_read(reader, code_address + 16, words, binary));
    return sets_read(reader, code_address + 32, words, &binary->properties);
}

static rt_status images_read(fat_reader reader, uint64_t at, uint32_t count, rt_fat_layout layout,
                             rt_fat_binary *out_fat)
{
    rt_bytes bytes;
    if (!rt_mapping_bytes(reader.mapping, at, (uint64_t)count * layout, &bytes))
        return fault(&reader, at, "the images lie outside the mapped memory");
    rt_device_binary *binaries = rt_arena_alloc_array(reader.arena, count, sizeof *binaries);
    rt_reader words = rt_reader_of(bytes);
    for (uint32_t i = 0; i < count; i++) {
        RT_TRY(image_read(&reader, at + (uint64_t)i * layout, layout, &words, &binaries[i]));
        CHECK(words.position == (i + 1) * (size_t)layout);
    }
    out_fat->layout = layout;
    out_fat->binaries = (rt_device_binaries){binaries, count};
    return RT_STATUS_OK;
}

/* If an image has no code when read in one layout, it most likely has the other layout. */
static bool any_without_code(rt_device_binaries binaries)
{
    for (uint32_t i = 0; i < binaries.count; i++)
        if (binaries.items[i].code.size == 0) return true;
    return false;
}

rt_status rt_fat_binary_read(rt_sink *sink, rt_arena *arena, const rt_mapping *mapping,
                             uint64_t descriptor, rt_fat_binary *out_fat)
{
    *out_fat = (rt_fat_binary){0};
    fat_reader reader = {sink, arena, mapping, 0};
    for (uint32_t i = 0; i < mapping->count; i++)
        reader.table_left += mapping->ranges[i].bytes.size;
    rt_bytes bytes;
    if (!rt_mapping_bytes(mapping, descriptor, DESCRIPTOR_SIZE, &bytes))
        return fault(&reader, descriptor, "the descriptor lies outside the mapped memory");
    rt_reader words = rt_reader_of(bytes);
    uint32_t head = rt_read_u32(&words), count = head >> 16;
    (void)rt_read_u32(&words);
    uint64_t images = rt_read_u64(&words);
    if ((head & 0xFFFF) != 1)
        return fault(&reader, descriptor, "the descriptor's version is not 1");
    if (count == 0) return RT_STATUS_OK;
    rt_bytes first;
    if (!rt_mapping_bytes(mapping, images, 2, &first))
        return fault(&reader, descriptor + 8, "the images lie outside the mapped memory");
    out_fat->version = (uint16_t)(first.data[0] | first.data[1] << 8);
    rt_fat_layout likely = out_fat->version >= 3 ? RT_FAT_80 : RT_FAT_96;
    rt_fat_layout other = likely == RT_FAT_80 ? RT_FAT_96 : RT_FAT_80;
    rt_fat_binary second = *out_fat;
    rt_status status = images_read(reader, images, count, likely, out_fat);
    if (rt_ok(status) && !any_without_code(out_fat->binaries)) return status;
    if (rt_ok(images_read(reader, images, count, other, &second)) &&
        !(rt_ok(status) && any_without_code(second.binaries))) {
        *out_fat = second;
        return RT_STATUS_OK;
    }
    return status;
}
