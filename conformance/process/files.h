/* The scenario files that paths on the command line stand for. */
#ifndef CONFORMANCE_PROCESS_FILES_H
#define CONFORMANCE_PROCESS_FILES_H

#include "conformance/archive/packed.h"
#include "reference/base/arena.h"
#include "reference/base/status.h"

typedef struct cnf_file {
    rt_text file; /* how to open it from the current folder, "x.assay:PATH" in a pack; a NUL byte
                     follows */
    rt_text path; /* from the scenarios' root, as records name it */
    const cnf_packed_scenario *packed; /* of a pack; NULL: a file of its own */
} cnf_file;

typedef struct cnf_files {
    const cnf_file *items; /* sorted by path, each file once */
    uint32_t count;
} cnf_files;

/* Finds the scenarios that the paths stand for: a file itself, and of a folder all *.yaml below it
 * except requirements.yaml, hidden files and folders, and folders named "expectations".  The root
 * of a scenario is the nearest folder above it that holds requirements.yaml, else the folder that
 * was given, else the folder that it lies in.  IO: a path that is not there or cannot be read.  An
 * empty result is not an error here. */
RT_MUST_USE rt_status cnf_files_find(rt_sink *sink, rt_arena *arena, const rt_text *paths,
                                     uint32_t path_count, cnf_files *out_files);

/* The nearest folder above `path` (itself included where it is a folder) that holds
 * requirements.yaml, absolute, in the arena; empty: none. */
rt_text cnf_files_root(rt_arena *arena, rt_text path);

/* Finds the scenarios of a pack: "x.assay" selects all, "x.assay:PATH" the scenario with that path
 * or those in the folder PATH. The pack is in the arena. Returns false, without any effect, if
 * `path` names no pack; otherwise *out_status has the result of reading it: IO, LIMIT, or MALFORMED
 * as cnf_pack_read. */
bool cnf_files_of_pack(rt_sink *sink, rt_arena *arena, rt_text path, cnf_files *out_files,
                       rt_status *out_status);

/* Reads a scenario's text into a buffer that the caller frees, from its file or its pack.  IO,
 * LIMIT: as cnf_file_read. */
RT_MUST_USE rt_status cnf_file_text(rt_sink *sink, const cnf_file *file, rt_buffer *out_text);

/* Reads a whole file of at most size_max bytes into a buffer that the caller frees.  IO: it cannot
 * be opened or read; LIMIT: it is larger. */
RT_MUST_USE rt_status cnf_file_read(rt_sink *sink, rt_text file, size_t size_max,
                                    rt_buffer *out_content);

/* The hash of a file's content, as records name it: 32 hexadecimal digits, in the arena. */
rt_text cnf_file_hash(rt_arena *arena, rt_text content);

#endif
