/* Writing and reading records; see record.h. */
#include "api/record.h"

#include "reference/base/stream.h"
#include "reference/image/compression.h"
#include "reference/image/fat_binary.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- Writing ------------------------------------------------------------------------------- */

enum { CODE_KEPT = 16 }; /* bytes of an image's code, enough for every magic number */

static void binary_append(rt_buffer *record, const rt_device_binary *binary)
{
    rt_write_u32(record, binary->format);
    rt_write_text(record, binary->target);
    rt_write_text(record, binary->compile_options);
    rt_write_text(record, binary->link_options);
    rt_write_u32(record, binary->entry_count);
    for (uint32_t i = 0; i < binary->entry_count; i++)
        rt_write_text(record, binary->entries[i]);
    rt_write_u32(record, binary->properties.count);
    for (uint32_t i = 0; i < binary->properties.count; i++)
        rt_property_set_write(record, &binary->properties.sets[i]);
    const size_t size = binary->code.size;
    rt_write_u64(record, size);
    rt_write_bytes(record, (rt_bytes){binary->code.data, size < CODE_KEPT ? size : CODE_KEPT});
}

typedef struct record_write {
    uint64_t descriptor;
    rt_buffer *record;
} record_write;

static void module_append(void *user, const rt_mapping *module, rt_text path)
{
    const record_write *write = user;
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    rt_fat_binary fat;
    rt_device_binaries plain = {0};
    rt_status status = rt_fat_binary_read(sink, &arena, module, write->descriptor, &fat);
    if (rt_ok(status)) status = rt_device_binaries_decompress(sink, &arena, fat.binaries, &plain);
    rt_write_text(write->record, path);
    rt_write_text(write->record,
                  rt_ok(status) ? (rt_text){0} : rt_sink_diagnostic(sink, status)->message);
    rt_write_u32(write->record, plain.count);
    for (uint32_t i = 0; i < plain.count; i++)
        binary_append(write->record, &plain.items[i]);
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

/* Gives a complete file the next free number of this process: the program that it was before it
 * called exec may have left records too. */
static bool file_name(const char *folder, const char *part)
{
    static atomic_uint_fast64_t count;
    char whole[PATH_MAX];
    bool is_named;
    do {
        snprintf(whole, sizeof whole, "%s/%ld.%llu", folder, (long)getpid(),
                 (unsigned long long)atomic_fetch_add(&count, 1));
        is_named = link(part, whole) == 0;
    } while (!is_named && errno == EEXIST);
    return is_named;
}

/* Writes the bytes to a file that appears under its name once it is complete. */
static bool file_write(const char *folder, rt_bytes bytes)
{
    static atomic_uint_fast64_t count; /* several threads may write at the same time */
    char part[PATH_MAX];
    int length = snprintf(part, sizeof part, "%s/.%ld.%llu", folder, (long)getpid(),
                          (unsigned long long)atomic_fetch_add(&count, 1));
    if (length < 0 || (size_t)length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(part, "wxe");
    if (!file) return false;
    bool is_written = fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    is_written = fclose(file) == 0 && is_written && file_name(folder, part);
    const int error = errno;
    unlink(part);
    errno = error;
    return is_written;
}

/* A number that differs between the programs that a process runs, one after the other. */
static uint64_t program_number(void)
{
    static atomic_uint_fast64_t number;
    uint_fast64_t drawn = 0, none = 0;
    if (atomic_load(&number) != 0) return atomic_load(&number);
    if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn || drawn == 0) drawn = 1;
    atomic_compare_exchange_strong(&number, &none, drawn);
    return atomic_load(&number);
}

void api_record_write(const void *descriptor)
{
    const char *folder = getenv(API_RECORD_VARIABLE);
    if (!folder || !*folder) return;
    char executable[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable);
    rt_buffer record = {0};
    rt_write_u64(&record, (uint64_t)getpid());
    rt_write_u64(&record, program_number());
    rt_write_text(&record, (rt_text){executable, length > 0 ? (size_t)length : 0});
    record_write write = {(uint64_t)(uintptr_t)descriptor, &record};
    if (!rt_mapping_visit(write.descriptor, module_append, &write))
        fprintf(stderr,
                "assay: a descriptor is not in the data of a module, so it is not listed\n");
    else if (!file_write(folder, rt_buffer_bytes(&record)))
        fprintf(stderr, "assay: a registration cannot be recorded in %s: %s\n", folder,
                strerror(errno));
    rt_buffer_free(&record);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static rt_device_binary binary_read(rt_arena *arena, rt_reader *reader, uint64_t *out_code_size)
{
    enum { TEXT_SIZE_MIN = 8 };
    rt_device_binary binary = {.format =
                                   (rt_binary_format)rt_read_below(reader, RT_BINARY_FORMAT_COUNT)};
    binary.target = rt_read_text(reader);
    binary.compile_options = rt_read_text(reader);
    binary.link_options = rt_read_text(reader);
    binary.entry_count = rt_read_count(reader, TEXT_SIZE_MIN);
    rt_text *entries = rt_arena_alloc_array(arena, binary.entry_count, sizeof *entries);
    for (uint32_t i = 0; i < binary.entry_count; i++)
        entries[i] = rt_read_text(reader);
    binary.entries = entries;
    binary.properties.count = rt_read_count(reader, RT_PROPERTY_SET_PACKED_MIN);
    rt_property_set *sets = rt_arena_alloc_array(arena, binary.properties.count, sizeof *sets);
    for (uint32_t i = 0; i < binary.properties.count; i++)
        sets[i] = rt_property_set_read(arena, reader);
    binary.properties.sets = sets;
    *out_code_size = rt_read_u64(reader);
    binary.code = rt_read_bytes(reader);
    return binary;
}

rt_status api_record_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, api_record *out_record)
{
    enum { BINARY_SIZE_MIN = 52 };
    rt_reader reader = rt_reader_of(bytes);
    *out_record = (api_record){.process = rt_read_u64(&reader)};
    out_record->program = rt_read_u64(&reader);
    out_record->executable = rt_read_text(&reader);
    out_record->path = rt_read_text(&reader);
    out_record->refusal = rt_read_text(&reader);
    uint32_t count = rt_read_count(&reader, BINARY_SIZE_MIN);
    rt_device_binary *binaries = rt_arena_alloc_array(arena, count, sizeof *binaries);
    uint64_t *sizes = rt_arena_alloc_array(arena, count, sizeof *sizes);
    for (uint32_t i = 0; i < count && !reader.failed; i++)
        binaries[i] = binary_read(arena, &reader, &sizes[i]);
    out_record->binaries = (rt_device_binaries){binaries, count};
    out_record->code_sizes = sizes;
    if (rt_reader_finished(&reader)) return RT_STATUS_OK;
    *out_record = (api_record){0};
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "the record of a registration is damaged at byte %zu of %zu",
                   reader.failed ? reader.fault : reader.position, bytes.size);
}
