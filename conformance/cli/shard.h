/* Shards: parts of a suite for several machines, --shard I/N and --shard auto. */
#ifndef CONFORMANCE_CLI_SHARD_H
#define CONFORMANCE_CLI_SHARD_H

#include "conformance/process/files.h"
#include "conformance/verdict/verdict_history.h"

typedef struct cnf_shard {
    uint32_t index, count; /* 0 <= index < count */
} cnf_shard;

/* Reads "I/N" with 1 <= I <= N; returns false for any other text. */
bool cnf_shard_read(const char *text, cnf_shard *out_shard);

/* Reads the shard from the CI system's variables; if the job is not split, the shard is 0 of 1, the
 * whole suite. If the system requires an acknowledgement (TEST_SHARD_STATUS_FILE), that file is
 * touched. Returns false if a pair of variables is incomplete or inconsistent; out_error gets a
 * line that says why. */
bool cnf_shard_from_environment(cnf_shard *out_shard, rt_buffer *out_error);

/* Returns the files of one shard, in the arena; every file is in exactly one shard. Without times,
 * a file's shard depends only on its contents, so it does not change when others are added. With
 * times, which are sorted by scenario and must be the same for all shards, the longest scenario
 * that is left goes to the shard with the least to do; a scenario without a time takes as long as
 * the others on average. */
cnf_files cnf_shard_apply(rt_arena *arena, cnf_files files, cnf_shard shard,
                          const cnf_scenario_time *times, uint32_t time_count);

#endif
