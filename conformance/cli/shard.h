/* Parts of a suite for several machines: --shard I/N and --shard auto. */
#ifndef CONFORMANCE_CLI_SHARD_H
#define CONFORMANCE_CLI_SHARD_H

#include "conformance/process/files.h"

typedef struct cnf_shard {
    uint32_t index, count; /* 0 <= index < count */
} cnf_shard;

/* Reads "I/N" with 1 <= I <= N.  False: it is something else. */
bool cnf_shard_read(const char *text, cnf_shard *out_shard);

/* Reads the shard from the variables of the CI system that we run under; one that does not split
 * the job gives the whole suite, 0 of 1.  Where the system wants to know that its variables were
 * heeded (TEST_SHARD_STATUS_FILE), the file is touched.  False: a pair of variables is incomplete
 * or makes no sense; out_error gets a line about it. */
bool cnf_shard_from_environment(cnf_shard *out_shard, rt_buffer *out_error);

/* Keeps the files of one shard.  A file's shard follows from its content alone, so that it stays
 * when others are added; every file is in exactly one shard.  The result is in the arena. */
cnf_files cnf_shard_apply(rt_arena *arena, cnf_files files, cnf_shard shard);

#endif
