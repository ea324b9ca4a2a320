/* Resolves paths given on the command line to scenario files. */
#ifndef CONFORMANCE_PROCESS_FILES_H
#define CONFORMANCE_PROCESS_FILES_H

#include "conformance/archive/packed.h"
#include "reference/base/arena.h"
#include "reference/base/status.h"

/* The capability of a SKIP because a pack does not hold what the run needs. */
#define CNF_PACKED_CAPABILITY "packed-format"

/* The errors in the source of a kernel that is in no scenario, if they are known before its run:
 * those of its #include directives. */
typedef struct cnf_file_errors {
    rt_text message; /* one line each: "FILE:LINE:COLUMN: error: TEXT" or "FILE: error: TEXT" */
    rt_text file;    /* where the first one is; empty: nowhere */
    uint32_t line, column;
} cnf_file_errors;

typedef struct cnf_file {
    rt_text file; /* path that opens it from the current folder, "x.assay:PATH" in a pack;
                   * followed by a NUL byte */
    rt_text path; /* path from the scenarios' root, as in records */
    const cnf_packed_scenario *packed; /* its scenario in a pack; NULL: a separate file */
    rt_text text; /* the scenario itself, for one that is in no file: `file` is then the kernel that
                   * it launches; empty: to be read from the file or the pack */
    rt_text again; /* the words after `assay run` that repeat it; empty: the file's name */
    const cnf_file_errors *errors; /* with which it is INVALID; NULL: none are known */
} cnf_file;

typedef struct cnf_files {
    const cnf_file *items; /* sorted by path, each file once */
    uint32_t count;
} cnf_files;

/* Finds the scenarios that the paths denote: a path to a file denotes the file; a path to a folder
 * denotes all *.yaml below it except requirements.yaml, hidden files and folders, folders named
 * "expectations", and files that begin with the version of an expectation file or of findings. The
 * root of a scenario is the nearest folder above it that holds requirements.yaml; if there is none,
 * it is the given folder or the folder of the given file. IO: a path does not exist or cannot be
 * read. An empty result is not an error here. */
RT_MUST_USE rt_status cnf_files_find(rt_sink *sink, rt_arena *arena, const rt_text *paths,
                                     uint32_t path_count, cnf_files *out_files);

/* The nearest folder that holds requirements.yaml: `path` itself, if it is a folder, or one above
 * it. Absolute, in the arena; empty: none. */
rt_text cnf_files_root(rt_arena *arena, rt_text path);

/* Finds the scenarios of a pack: "x.assay" selects all, "x.assay:PATH" the scenario with that path
 * or those in the folder PATH. The pack is read into the arena. Returns false, without any effect,
 * if `path` names no pack; otherwise *out_status is the result of reading it: IO or LIMIT as
 * cnf_file_read, or MALFORMED as cnf_pack_read. */
bool cnf_files_find_packed(rt_sink *sink, rt_arena *arena, rt_text path, cnf_files *out_files,
                           rt_status *out_status);

/* Reads a scenario's text, from its file or its pack, into a buffer that the caller frees. IO,
 * LIMIT: as cnf_file_read. */
RT_MUST_USE rt_status cnf_file_text(rt_sink *sink, const cnf_file *file, rt_buffer *out_text);

/* Reads a whole file of at most size_max bytes into a buffer that the caller frees.  IO: it cannot
 * be opened or read; LIMIT: it is larger. */
RT_MUST_USE rt_status cnf_file_read(rt_sink *sink, rt_text file, size_t size_max,
                                    rt_buffer *out_content);

/* The hash of a file's contents, as in records: 32 hexadecimal digits, in the arena. */
rt_text cnf_file_hash(rt_arena *arena, rt_text content);

#endif
