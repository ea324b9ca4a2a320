/* Reads the suppressions once, and matches findings against them. */
#include "opencl/suppress.h"

#include "opencl/variables.h"
#include "reference/base/demangle.h"
#include "reference/base/descriptors.h"
#include "reference/base/stream.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

static rt_arena texts; /* of the entries, for the life of the process */
static RT_VECTOR(icd_suppression) entries;

/* Reads an entry's text; an empty one is NULL. */
static const char *text_take(rt_reader *reader)
{
    rt_text text = rt_read_text(reader);
    return text.length > 0 ? rt_arena_text(&texts, text).data : NULL;
}

/* Reads the file that cnf_suppressions_write (conformance/cli) wrote. Anything else in its place
 * suppresses nothing. */
static void entries_read(void)
{
    const char *path = getenv(ICD_VARIABLE_SUPPRESSIONS);
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    rt_buffer content = {0};
    bool is_read = file >= 0 && rt_read_all(file, &content);
    if (file >= 0) close(file);
    rt_reader reader = rt_reader_of(rt_buffer_bytes(&content));
    uint32_t count = is_read ? rt_read_count(&reader, sizeof(uint64_t)) : 0;
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        icd_suppression entry;
        entry.entry = text_take(&reader);
        entry.reason = text_take(&reader);
        entry.class = text_take(&reader);
        entry.kernel = text_take(&reader);
        entry.file = text_take(&reader);
        if (!reader.failed && entry.entry && entry.reason) *rt_vector_push(&entries) = entry;
    }
    rt_buffer_free(&content);
}

static bool matches(const char *pattern, const char *text)
{
    return !pattern || (text && fnmatch(pattern, text, FNM_NOESCAPE) == 0);
}

const icd_suppression *icd_suppression_find(const char *class, rt_text kernel, rt_text source,
                                            const char *caller)
{
    static bool is_read;
    if (!is_read) entries_read();
    is_read = true;
    if (entries.count == 0) return NULL;
    rt_arena arena = {0};
    const char *symbol = rt_arena_text(&arena, kernel).data;
    const char *name = rt_arena_text(&arena, rt_demangle_text(&arena, kernel)).data;
    const char *file = rt_arena_text(&arena, source).data;
    const icd_suppression *found = NULL;
    for (uint32_t i = 0; !found && i < entries.count; i++) {
        const icd_suppression *entry = &entries.items[i];
        if (matches(entry->class, class) &&
            (!entry->kernel || (kernel.length > 0 && (matches(entry->kernel, symbol) ||
                                                      matches(entry->kernel, name)))) &&
            (matches(entry->file, file) || matches(entry->file, caller)))
            found = entry;
    }
    rt_arena_reset(&arena);
    return found;
}
