/* Distributes files over shards, and detects the CI system's shard. */
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
    CHECK(index >= 1 && index <= count);
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

bool cnf_shard_from_environment(cnf_shard *out_shard, rt_buffer *out_error)
{
    *out_shard = (cnf_shard){0, 1};
    /* The first system with a variable that is set; GitLab sets the count for every job, but the
     * index only for split jobs. */
    const struct shard_variables *row = NULL;
    const char *index_text = NULL, *count_text = NULL;
    for (size_t i = 0; i < sizeof shard_variables / sizeof *shard_variables && !row; i++) {
        index_text = getenv(shard_variables[i].index);
        count_text = getenv(shard_variables[i].count);
        if (index_text || (count_text && strcmp(count_text, "1") != 0)) row = &shard_variables[i];
    }
    if (!row) return true;
    if (!index_text || !count_text) {
        rt_buffer_printf(out_error, "%s is set, but %s is not; set both or neither, or write I/N",
                         index_text ? row->index : row->count,
                         index_text ? row->count : row->index);
        return false;
    }
    uint64_t index, count;
    if (!rt_number_read(rt_text_of(count_text), 1, SHARDS_MAX, &count) ||
        !rt_number_read(rt_text_of(index_text), row->first, row->first + count - 1, &index)) {
        rt_buffer_printf(out_error,
                         "%s=%s and %s=%s: expected the job's number, counted from %u, and the "
                         "number of jobs",
                         row->index, index_text, row->count, count_text, row->first);
        return false;
    }
    CHECK(index - row->first < count);
    *out_shard = (cnf_shard){(uint32_t)index - row->first, (uint32_t)count};
    const char *name = row->status_file ? getenv(row->status_file) : NULL;
    if (!name || !*name) return true;
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        rt_buffer_printf(out_error, "%s=%s: %s", row->status_file, name, strerror(errno));
    else
        close(file);
    return file >= 0;
}

/* ---- Files --------------------------------------------------------------------------------- */

static cnf_files files_by_hash(rt_arena *arena, cnf_files files, cnf_shard shard)
{
    cnf_file *part = rt_arena_alloc_array(arena, files.count + 1, sizeof *part);
    uint32_t count = 0;
    rt_sink *sink = rt_sink_create();
    for (uint32_t i = 0; i < files.count; i++) {
        rt_buffer content;
        rt_status status = cnf_file_text(sink, &files.items[i], &content);
        /* A file that cannot be read is hashed by its path, so that exactly one shard reports the
         * error. */
        rt_text hashed = rt_ok(status) ? rt_buffer_text(&content) : files.items[i].path;
        if (rt_hash128(hashed.data, hashed.length).low % shard.count == shard.index)
            part[count++] = files.items[i];
        rt_buffer_free(&content);
    }
    rt_sink_destroy(sink);
    CHECK(count <= files.count);
    return (cnf_files){part, count};
}

static int time_compare(const void *a, const void *b)
{
    const cnf_scenario_time *left = a, *right = b;
    return rt_text_compare(left->scenario, right->scenario);
}

/* A file with its time and, once it is assigned, its shard. */
typedef struct timed_file {
    cnf_file file;
    double seconds;
    uint32_t shard;
} timed_file;

static int longer_compare(const void *a, const void *b)
{
    const timed_file *left = a, *right = b;
    if (left->seconds != right->seconds) return left->seconds > right->seconds ? -1 : 1;
    return rt_text_compare(left->file.path, right->file.path);
}

static int path_compare(const void *a, const void *b)
{
    const timed_file *left = a, *right = b;
    return rt_text_compare(left->file.path, right->file.path);
}

/* Graham's rule: longest first, to the shard with the least to do. Source: R. L. Graham, Bounds on
 * Multiprocessing Timing Anomalies, SIAM Journal on Applied Mathematics 17 (1969), 416-429. */
static cnf_files files_by_time(rt_arena *arena, cnf_files files, cnf_shard shard,
                               const cnf_scenario_time *times, uint32_t time_count)
{
    timed_file *timed = rt_arena_alloc_array(arena, files.count + 1, sizeof *timed);
    double *loads = rt_arena_alloc_array(arena, shard.count, sizeof *loads);
    cnf_file *part = rt_arena_alloc_array(arena, files.count + 1, sizeof *part);
    double mean = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < time_count; i++)
        mean += times[i].seconds / time_count;
    for (uint32_t i = 0; i < files.count; i++) {
        const cnf_scenario_time key = {files.items[i].path, 0};
        const cnf_scenario_time *found =
            bsearch(&key, times, time_count, sizeof *times, time_compare);
        timed[i] = (timed_file){files.items[i], found ? found->seconds : mean, 0};
    }
    qsort(timed, files.count, sizeof *timed, longer_compare);
    for (uint32_t i = 0; i < files.count; i++) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < shard.count; k++)
            if (loads[k] < loads[least]) least = k;
        loads[least] += timed[i].seconds;
        timed[i].shard = least;
    }
    qsort(timed, files.count, sizeof *timed, path_compare);
    for (uint32_t i = 0; i < files.count; i++)
        if (timed[i].shard == shard.index) part[count++] = timed[i].file;
    return (cnf_files){part, count};
}

cnf_files cnf_shard_apply(rt_arena *arena, cnf_files files, cnf_shard shard,
                          const cnf_scenario_time *times, uint32_t time_count)
{
    CHECK(shard.count > 0 && shard.count <= SHARDS_MAX);
    CHECK(shard.index < shard.count);
    if (shard.count == 1 || files.count == 0) return files;
    return time_count > 0 ? files_by_time(arena, files, shard, times, time_count)
                          : files_by_hash(arena, files, shard);
}
