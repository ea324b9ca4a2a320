/* Distribution of files over shards, and detection of the CI system's shard. */
#include "conformance/cli/shard.h"

#include "conformance/cli/options.h"
#include "reference/base/hash.h"
#include "reference/base/limits.h"
#include "reference/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARDS_MAX = 100000 };

bool cnf_shard_read(const char *text, cnf_shard *out_shard)
{
    *out_shard = (cnf_shard){0, 1};
    const char *slash = strchr(text, '/');
    if (!slash) return false;
    rt_text first = {text, (size_t)(slash - text)};
    uint64_t index, count;
    if (!rt_number_read(rt_text_of(slash + 1), 1, SHARDS_MAX, &count) ||
        !rt_number_read(first, 1, count, &index))
        return false;
    *out_shard = (cnf_shard){(uint32_t)index - 1, (uint32_t)count};
    return true;
}

/* ---- CI systems ---------------------------------------------------------------------------- */

/* The variables with a job's number and the number of jobs, and the number of the first job. A CI
 * system that also sets another system's variables precedes that system in the table. Sources: the
 * systems' references of predefined variables; Bazel's "Test encyclopedia", "Test sharding". */
static const struct shard_variables {
    const char *index, *count;
    uint32_t first;
    const char *status_file; /* variable that names a file to touch; NULL: none */
} shard_variables[] = {
    {"TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0, "TEST_SHARD_STATUS_FILE"}, /* Bazel */
    {"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0, NULL},
    {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0, NULL},
    {"SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT", 1, NULL},
    {"CI_NODE_INDEX", "CI_NODE_TOTAL", 1, NULL}, /* GitLab */
};

static bool status_file_touch(const char *variable, rt_buffer *out_error)
{
    const char *name = variable ? getenv(variable) : NULL;
    if (!name || !*name) return true;
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
    if (file < 0) rt_buffer_printf(out_error, "%s=%s: %s", variable, name, strerror(errno));
    return file >= 0;
}

static bool variables_read(const struct shard_variables *row, const char *index_text,
                           const char *count_text, cnf_shard *out_shard, rt_buffer *out_error)
{
    uint64_t index, count;
    bool read = rt_number_read(rt_text_of(count_text), 1, SHARDS_MAX, &count) &&
                rt_number_read(rt_text_of(index_text), row->first, row->first + count - 1, &index);
    if (!read) {
        rt_buffer_printf(
            out_error,
            "%s=%s and %s=%s: expected the job's number, counted from %u, and how many jobs there "
            "are",
            row->index, index_text, row->count, count_text, row->first);
        return false;
    }
    *out_shard = (cnf_shard){(uint32_t)index - row->first, (uint32_t)count};
    return status_file_touch(row->status_file, out_error);
}

bool cnf_shard_from_environment(cnf_shard *out_shard, rt_buffer *out_error)
{
    *out_shard = (cnf_shard){0, 1};
    for (size_t i = 0; i < sizeof shard_variables / sizeof *shard_variables; i++) {
        const struct shard_variables *row = &shard_variables[i];
        const char *index = getenv(row->index), *count = getenv(row->count);
        if (!index && !count) continue;
        /* GitLab sets the count for every job, but the index only for split ones. */
        if (!index && strcmp(count, "1") == 0) continue;
        if (!index || !count) {
            rt_buffer_printf(out_error, "%s is set, but %s is not; set both or none, or write I/N",
                             index ? row->index : row->count, index ? row->count : row->index);
            return false;
        }
        return variables_read(row, index, count, out_shard, out_error);
    }
    return true;
}

/* ---- Files --------------------------------------------------------------------------------- */

/* A hash of the file's content; of its path if it cannot be read, so that exactly one shard reports
 * the error. */
static uint64_t file_number(const cnf_file *file)
{
    rt_sink *sink = rt_sink_create();
    rt_buffer content;
    rt_status status = cnf_file_text(sink, file, &content);
    rt_text hashed = rt_ok(status) ? rt_buffer_text(&content) : file->path;
    uint64_t number = rt_hash128(hashed.data, hashed.length).low;
    rt_buffer_free(&content);
    rt_sink_destroy(sink);
    return number;
}

cnf_files cnf_shard_apply(rt_arena *arena, cnf_files files, cnf_shard shard)
{
    CHECK(shard.count > 0 && shard.index < shard.count);
    if (shard.count == 1) return files;
    cnf_file *kept = rt_arena_alloc_array(arena, files.count + 1, sizeof *kept);
    uint32_t count = 0;
    for (uint32_t i = 0; i < files.count; i++)
        if (file_number(&files.items[i]) % shard.count == shard.index)
            kept[count++] = files.items[i];
    CHECK(count <= files.count);
    return (cnf_files){kept, count};
}
