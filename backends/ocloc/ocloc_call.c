/* One run of ocloc, with its files in memory. */
#include "backends/ocloc/ocloc_internal.h"
#include "backends/vendor/log.h"
#include "reference/base/alloc.h"
#include "reference/base/limits.h"

#include <string.h>

/* The outputs of a run, which the library owns. */
typedef struct outputs {
    uint32_t count;
    uint8_t **files;
    uint64_t *sizes;
    char **names;
} outputs;

/* Release 22.43 returns the sources too. */
static bool is_source(const ocloc_command *command, const char *name)
{
    for (uint32_t i = 0; i < command->file_count; i++)
        if (strcmp(command->names[i], name) == 0) return true;
    return false;
}

/* Takes the log, without line ends at its end, and the output. */
static void outputs_take(const ocloc_command *command, const outputs *found, rt_buffer *out_file,
                         rt_buffer *out_log)
{
    for (uint32_t i = 0; i < found->count; i++) {
        if (is_source(command, found->names[i])) continue;
        bool is_log = strcmp(found->names[i], OCLOC_LOG) == 0;
        rt_buffer *out = is_log ? out_log : out_file;
        if (out->size == 0) rt_buffer_append(out, found->files[i], (size_t)found->sizes[i]);
    }
    while (out_log->size > 0 && strchr(" \r\n", out_log->data[out_log->size - 1]))
        out_log->size--;
    vendor_log_cut(out_log);
}

static bool is_too_large(const outputs *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        if (found->sizes[i] > RT_IMAGE_SIZE_MAX) return true;
    return false;
}

/* Held during calls of the library, which is one for all devices and not thread-safe. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;

static int invoke(ocloc_device *device, const ocloc_command *command, outputs *out_found)
{
    uint32_t count = 0;
    while (command->words[count])
        count++;
    const char **words = rt_alloc_array(count, sizeof *words);
    memcpy(words, command->words, count * sizeof *words);
    const char **names = rt_alloc_array(command->file_count + 1u, sizeof *names);
    const uint8_t **files = rt_alloc_array(command->file_count + 1u, sizeof *files);
    uint64_t *sizes = rt_alloc_array(command->file_count + 1u, sizeof *sizes);
    for (uint32_t i = 0; i < command->file_count; i++) {
        names[i] = command->names[i];
        files[i] = command->files[i].data;
        sizes[i] = command->files[i].size;
    }
    pthread_mutex_lock(&calls);
    int result = device->library.oclocInvoke(
        count, words, command->file_count, files, sizes, names, 0, NULL, NULL, NULL,
        &out_found->count, &out_found->files, &out_found->sizes, &out_found->names);
    pthread_mutex_unlock(&calls);
    rt_free(words);
    rt_free(names);
    rt_free(files);
    rt_free(sizes);
    return result;
}

rt_status ocloc_run(ocloc_device *device, const ocloc_command *command, rt_code code,
                    rt_buffer *out_file)
{
    const char *verb = command->words[1];
    outputs found = {0};
    rt_buffer log = {0};
    rt_status status = RT_STATUS_OK;
    int result = invoke(device, command, &found);
    if (is_too_large(&found))
        status = rt_fail(device->sink, RT_LIMIT, RT_RULE_NONE,
                         "ocloc %s: an output is larger than %u bytes, the most that assay accepts",
                         verb, RT_IMAGE_SIZE_MAX);
    else
        outputs_take(command, &found, out_file, &log);
    if (rt_ok(status) && result != OCLOC_SUCCESS)
        status =
            rt_fail(device->sink, code, RT_RULE_NONE, "ocloc %s: result %d%s%.*s", verb, result,
                    log.size > 0 ? "; its log:\n" : "", RT_TEXT_ARG(rt_buffer_text(&log)));
    else if (rt_ok(status) && out_file->size == 0)
        status = rt_fail(device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                         "ocloc %s: reports success, but returns no output", verb);
    pthread_mutex_lock(&calls);
    device->library.oclocFreeOutput(&found.count, &found.files, &found.sizes, &found.names);
    pthread_mutex_unlock(&calls);
    rt_buffer_free(&log);
    return status;
}
