/* Packs: what an archive of scenarios holds, x.assay.
 *
 *     about.txt          for people: with which options and for which formats it was made
 *     expectations       known failures of its scenarios (verdict/expectations.h)
 *     scenarios/PATH     the scenario's file as it was
 *     models/PATH        the scenario checked and serialised (scn_pack_write), not compiled, with
 * the answers to every request that was made of the compile worker for it
 *
 * A run over a pack asks what a run over the files asks, and finds the answers in the model instead
 * of asking a compiler; what is not there is named. */
#ifndef CONFORMANCE_ARCHIVE_PACKED_H
#define CONFORMANCE_ARCHIVE_PACKED_H

#include "conformance/archive/archive.h"

typedef struct cnf_packed_scenario {
    const struct cnf_pack *pack;
    rt_text path;   /* from the scenarios' root */
    rt_text source; /* content of its file */
    rt_bytes model; /* what scn_pack_read reads; not looked at yet */
} cnf_packed_scenario;

typedef struct cnf_pack {
    rt_text about;                        /* whole lines */
    rt_bytes expectations;                /* not looked at yet */
    const cnf_packed_scenario *scenarios; /* one or more, in the order of their paths */
    uint32_t count;
} cnf_pack;

/* The file's ending, with which paths of packs are recognised. */
#define CNF_PACK_ENDING ".assay"

/* Appends the file of a pack.  LIMIT: see cnf_archive_write. */
RT_MUST_USE rt_status cnf_pack_write(rt_sink *sink, rt_buffer *out, const cnf_pack *pack);

/* Reads a pack's file; the pack is in the arena.  MALFORMED, LIMIT: see cnf_archive_read; MALFORMED
 * too where members are missing. */
RT_MUST_USE rt_status cnf_pack_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                    const cnf_pack **out_pack);

#endif
