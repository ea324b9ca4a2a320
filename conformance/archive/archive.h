/* The file that packed scenarios travel in: named members, hashed, compressed.
 *
 * It is a POSIX ustar archive in one Zstandard frame, so that `tar --zstd -tf x.assay` shows what
 * is in it without assay. The first member, MANIFEST, has the version of the format and a hash of
 * every other member; a file that was cut or changed is refused as a whole.  The hashes guard
 * against accident, not against an adversary.  Source: POSIX.1-2017, pax, "ustar Interchange
 * Format"; RFC 8878. */
#ifndef CONFORMANCE_ARCHIVE_ARCHIVE_H
#define CONFORMANCE_ARCHIVE_ARCHIVE_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* Bytes of an archive's name of a member, of a file that is read, and of what it holds. */
enum { CNF_MEMBER_NAME_MAX = 100 };
#define CNF_ARCHIVE_FILE_MAX    ((size_t)256 << 20)
#define CNF_ARCHIVE_CONTENT_MAX ((uint64_t)1 << 30)

typedef struct cnf_member {
    rt_text name; /* a relative path of at most CNF_MEMBER_NAME_MAX bytes, not empty */
    rt_bytes content;
} cnf_member;

typedef struct cnf_archive {
    const cnf_member
        *members; /* in the order of the file, names differ; MANIFEST is not among them */
    uint32_t count;
} cnf_archive;

/* Appends the file that holds the members.  LIMIT: a name or all of them together are too long. */
RT_MUST_USE rt_status cnf_archive_write(rt_sink *sink, rt_buffer *out, const cnf_archive *archive);

/* Reads a file; the members' contents are in the arena.  MALFORMED: it is no archive of ours, cut,
 * changed or of another version, and the message says which; LIMIT: it holds more than
 * CNF_ARCHIVE_CONTENT_MAX bytes. */
RT_MUST_USE rt_status cnf_archive_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                       cnf_archive *out_archive);

/* The content of the member of that name; data NULL where there is none. */
rt_bytes cnf_archive_find(const cnf_archive *archive, const char *name);

#endif
