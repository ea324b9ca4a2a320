/* Packs: the contents of an archive of scenarios, x.assay.
 *
 *     about.txt          for readers: the options and formats for which it was made
 *     expectations       known failures of its scenarios (verdict/expectations.h)
 *     scenarios/PATH     the scenario's file, unchanged
 *     models/PATH        the scenario checked and serialised (scn_pack_write), not compiled, with
 *                        the answers to all its requests to the compile worker
 *
 * A run of a pack makes the same requests as a run of the files, but takes the answers from the
 * model instead of from a compiler; a missing answer is reported by name. */
#ifndef CONFORMANCE_ARCHIVE_PACKED_H
#define CONFORMANCE_ARCHIVE_PACKED_H

#include "conformance/archive/archive.h"

typedef struct cnf_packed_scenario {
    const struct cnf_pack *pack;
    rt_text path;   /* relative to the scenarios' root */
    rt_text source; /* contents of the scenario's file */
    rt_bytes model; /* in the format of scn_pack_read; not checked yet */
} cnf_packed_scenario;

typedef struct cnf_pack {
    rt_text about;                        /* whole lines */
    rt_bytes expectations;                /* not checked yet */
    const cnf_packed_scenario *scenarios; /* one or more, sorted by path */
    uint32_t count;
} cnf_pack;

/* The file name extension by which packs are recognised. */
#define CNF_PACK_ENDING ".assay"

/* Appends a pack file.  LIMIT: see cnf_archive_write. */
RT_MUST_USE rt_status cnf_pack_write(rt_sink *sink, rt_buffer *out, const cnf_pack *pack);

/* Reads a pack file into the arena. MALFORMED, LIMIT: see cnf_archive_read; also MALFORMED if
 * members are missing. */
RT_MUST_USE rt_status cnf_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                    const cnf_pack **out_pack);

#endif
