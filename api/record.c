/* Writing and reading records; see record.h. */
#include "api/record.h"

#include "reference/base/stream.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void segments_append(void *user, const rt_mapping *module, rt_text path)
{
    rt_buffer *record = user;
    rt_write_text(record, path);
    rt_write_u32(record, module->count);
    for (uint32_t i = 0; i < module->count; i++) {
        rt_write_u64(record, module->ranges[i].address);
        rt_write_bytes(record, module->ranges[i].bytes);
    }
}

/* Writes the bytes to a file that appears under its name once it is complete. */
static bool file_write(const char *folder, uint64_t number, rt_bytes bytes)
{
    char part[PATH_MAX], whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%ld.%llu", folder, (long)getpid(),
             (unsigned long long)number);
    int length = snprintf(part, sizeof part, "%s/.%ld.%llu", folder, (long)getpid(),
                          (unsigned long long)number);
    if (length < 0 || (size_t)length >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    FILE *file = fopen(part, "wxe");
    bool is_written = file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size;
    is_written = file && fclose(file) == 0 && is_written;
    return is_written && rename(part, whole) == 0;
}

void api_record_write(const void *descriptor)
{
    static atomic_uint_fast64_t count;
    const char *folder = getenv(API_RECORD_VARIABLE);
    if (!folder || !*folder) return;
    char executable[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof executable);
    rt_buffer record = {0};
    rt_write_u64(&record, (uint64_t)getpid());
    rt_write_text(&record, (rt_text){executable, length > 0 ? (size_t)length : 0});
    rt_write_u64(&record, (uint64_t)(uintptr_t)descriptor);
    if (!rt_mapping_visit((uint64_t)(uintptr_t)descriptor, segments_append, &record))
        fprintf(stderr,
                "assay: a descriptor is not in the data of a module, so it is not listed\n");
    else if (!file_write(folder, atomic_fetch_add(&count, 1), rt_buffer_bytes(&record)))
        fprintf(stderr, "assay: a registration cannot be recorded in %s: %s\n", folder,
                strerror(errno));
    rt_buffer_free(&record);
}

rt_status api_record_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes, api_record *out_record)
{
    enum { SEGMENT_SIZE_MIN = 16 };
    rt_reader reader = rt_reader_of(bytes);
    *out_record = (api_record){.process = rt_read_u64(&reader)};
    out_record->executable = rt_read_text(&reader);
    out_record->descriptor = rt_read_u64(&reader);
    out_record->path = rt_read_text(&reader);
    uint32_t count = rt_read_count(&reader, SEGMENT_SIZE_MIN);
    rt_mapped *ranges = rt_arena_alloc_array(arena, count, sizeof *ranges);
    for (uint32_t i = 0; i < count; i++) {
        ranges[i].address = rt_read_u64(&reader);
        ranges[i].bytes = rt_read_bytes(&reader);
    }
    out_record->module = (rt_mapping){ranges, count};
    if (rt_reader_finished(&reader)) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "the record of a registration is damaged at byte %zu of %zu",
                   reader.failed ? reader.fault : reader.position, bytes.size);
}
