/* Expectation entries in the format of packs: a u32 version, a u32 count, and for each entry all
 * fields of a cnf_expectation that a file can set. The files were checked when the pack was made;
 * reading checks only the properties on which the comparison relies. */
#include "conformance/verdict/expectations.h"

#include "reference/base/map.h"
#include "reference/base/stream.h"

#include <string.h>

/* The texts of an entry, in the order of the format. */
static const size_t texts[] = {
    offsetof(cnf_expectation, file),      offsetof(cnf_expectation, subject),
    offsetof(cnf_expectation, scenario),  offsetof(cnf_expectation, signature),
    offsetof(cnf_expectation, driver),    offsetof(cnf_expectation, reason),
    offsetof(cnf_expectation, reference), offsetof(cnf_expectation, finding),
    offsetof(cnf_expectation, versions),  offsetof(cnf_expectation, since),
};
enum {
    VERSION = 4,
    TEXTS = sizeof texts / sizeof *texts,
    ENTRY_MIN = TEXTS * 8 + 7 * 4, /* bytes */
};

void cnf_expectations_pack(rt_buffer *out, const cnf_expectations *expectations,
                           const cnf_files *files)
{
    rt_map paths = {0};
    for (uint32_t i = 0; i < files->count; i++)
        rt_map_set(&paths, files->items[i].path, i);
    rt_buffer entries = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < expectations->entries.count; i++) {
        const cnf_expectation *entry = &expectations->entries.items[i];
        bool is_packed = rt_map_find(&paths, entry->scenario) != RT_MAP_NONE;
        for (uint32_t k = 0; k < files->count && !is_packed; k++)
            is_packed = cnf_pattern_matches(entry->scenario, files->items[k].path);
        if (!is_packed) continue;
        for (uint32_t j = 0; j < TEXTS; j++) {
            rt_text text;
            memcpy(&text, (const char *)entry + texts[j], sizeof text);
            rt_write_text(&entries, text);
        }
        rt_write_u32(&entries, entry->at.line);
        rt_write_u32(&entries, entry->at.column);
        rt_write_u32(&entries, entry->verdict);
        rt_write_u32(&entries, entry->class);
        rt_write_u32(&entries, entry->is_flaky);
        rt_write_u32(&entries, entry->bound_percent);
        rt_write_u32(&entries, entry->poison_count);
        for (uint32_t j = 0; j < entry->poison_count; j++)
            rt_write_text(&entries, entry->poisons[j]);
        count++;
    }
    rt_write_u32(out, VERSION);
    rt_write_u32(out, count);
    rt_buffer_append_text(out, rt_buffer_text(&entries));
    rt_buffer_free(&entries);
    rt_map_free(&paths);
}

rt_status cnf_expectations_unpack(rt_sink *sink, cnf_expectations *expectations, rt_bytes packed)
{
    rt_reader reader = rt_reader_of(packed);
    if (rt_read_u32(&reader) != VERSION) rt_reader_fail(&reader);
    uint32_t count = rt_read_count(&reader, ENTRY_MIN);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        cnf_expectation entry = {0};
        for (uint32_t j = 0; j < TEXTS; j++) {
            rt_text text = rt_read_text(&reader);
            memcpy((char *)&entry + texts[j], &text, sizeof text);
        }
        entry.at.line = rt_read_u32(&reader);
        entry.at.column = rt_read_u32(&reader);
        entry.verdict = (cnf_verdict)rt_read_below(&reader, CNF_VERDICT_COUNT + 1);
        entry.class = (cnf_class)rt_read_below(&reader, CNF_CLASS_COUNT);
        entry.is_flaky = rt_read_below(&reader, 2) != 0;
        entry.bound_percent = rt_read_below(&reader, 101);
        bool has_range = entry.versions.length == 0 ||
                         memmem(entry.versions.data, entry.versions.length, "..", 2);
        if (!reader.failed && !has_range) rt_reader_fail(&reader);
        uint32_t poison_count = rt_read_count(&reader, 8);
        rt_text *names = rt_arena_alloc_array(&expectations->arena, poison_count, sizeof *names);
        for (uint32_t j = 0; j < poison_count; j++)
            names[j] = rt_read_text(&reader);
        entry.poisons = names;
        entry.poison_count = poison_count;
        *rt_vector_push(&expectations->entries) = entry;
    }
    if (rt_reader_finished(&reader)) return RT_STATUS_OK;
    return rt_fail(
        sink, RT_MALFORMED, RT_RULE_NONE,
        "the pack's known failures are damaged or have another version: fault at byte %zu of %zu; "
        "pack the scenarios again",
        reader.failed ? reader.fault : reader.position, packed.size);
}
