/* Expectation entries in the format of packs: a u32 version, a u32 count, and for each entry all
 * fields of a cnf_expectation that a file can set. The files were checked when the pack was made;
 * reading checks only the properties on which the comparison relies. */
#include "conformance/verdict/expectations.h"

#include "reference/base/map.h"
#include "reference/base/stream.h"

enum {
    VERSION = 1,
    TEXTS = 8,
    ENTRY_MIN = TEXTS * 8 + 4 * 4, /* bytes */
};

/* The texts of an entry, in the order of the format. */
static void texts_of(cnf_expectation *entry, rt_text *out_texts[TEXTS])
{
    rt_text *const texts[TEXTS] = {&entry->file,      &entry->subject,     &entry->scenario,
                                   &entry->signature, &entry->driver,      &entry->reason,
                                   &entry->reference, &entry->reproduction};
    for (uint32_t i = 0; i < TEXTS; i++)
        out_texts[i] = texts[i];
}

static void entry_write(rt_buffer *out, cnf_expectation entry)
{
    rt_text *texts[TEXTS];
    texts_of(&entry, texts);
    for (uint32_t i = 0; i < TEXTS; i++)
        rt_write_text(out, *texts[i]);
    rt_write_u32(out, entry.at.line);
    rt_write_u32(out, entry.at.column);
    rt_write_u32(out, entry.verdict);
    rt_write_u32(out, entry.class);
}

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
        if (rt_map_find(&paths, entry->scenario) == RT_MAP_NONE) continue;
        entry_write(&entries, *entry);
        count++;
    }
    rt_write_u32(out, VERSION);
    rt_write_u32(out, count);
    rt_buffer_append_text(out, rt_buffer_text(&entries));
    rt_buffer_free(&entries);
    rt_map_free(&paths);
}

static cnf_expectation entry_read(rt_reader *reader)
{
    cnf_expectation entry = {0};
    rt_text *texts[TEXTS];
    texts_of(&entry, texts);
    for (uint32_t i = 0; i < TEXTS; i++)
        *texts[i] = rt_read_text(reader);
    entry.at.line = rt_read_u32(reader);
    entry.at.column = rt_read_u32(reader);
    entry.verdict = (cnf_verdict)rt_read_below(reader, CNF_VERDICT_COUNT + 1);
    entry.class = (cnf_class)rt_read_below(reader, CNF_CLASS_COUNT);
    return entry;
}

rt_status cnf_expectations_unpack(rt_sink *sink, cnf_expectations *expectations, rt_bytes packed)
{
    rt_reader reader = rt_reader_of(packed);
    if (rt_read_u32(&reader) != VERSION) rt_reader_fail(&reader);
    uint32_t count = rt_read_count(&reader, ENTRY_MIN);
    for (uint32_t i = 0; i < count && !reader.failed; i++)
        *rt_vector_push(&expectations->entries) = entry_read(&reader);
    if (rt_reader_finished(&reader)) return RT_STATUS_OK;
    return rt_fail(
        sink, RT_MALFORMED, RT_RULE_NONE,
        "the pack's known failures are damaged or of another version: fault at byte %zu of %zu; pack the "
        "scenarios anew",
        reader.failed ? reader.fault : reader.position, packed.size);
}
