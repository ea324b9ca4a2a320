/* The file that packed scenarios travel in: named members, compressed and hashed.
 *
 * It is an SQLite archive, a database whose only table `sqlar` has a row per member, so that
 * `sqlite3 -A -t -f x.assay` lists it and `-A -x` unpacks it without assay.  The database's
 * application id marks it as a pack and its user version is the version of the format.  The first
 * member, MANIFEST, has a hash of every other member; a file that was truncated or changed is
 * refused as a whole.  The hashes guard against accidents, not against an adversary; a hostile file
 * can be refused or read as other members, and do no other harm.
 * Source: sqlite.org, "SQLite Archive Files" and "Database File Format"; RFC 1950 (zlib). */
#ifndef CONFORMANCE_ARCHIVE_ARCHIVE_H
#define CONFORMANCE_ARCHIVE_ARCHIVE_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* Most bytes of a member's name, of a pack's file, and of the members' contents together. */
enum { CNF_MEMBER_NAME_MAX = 100 };
#define CNF_ARCHIVE_FILE_MAX    ((size_t)256 << 20)
#define CNF_ARCHIVE_CONTENT_MAX ((uint64_t)1 << 30)

typedef struct cnf_member {
    rt_text name; /* a relative path of at most CNF_MEMBER_NAME_MAX bytes, not empty */
    rt_bytes content;
} cnf_member;

typedef struct cnf_archive {
    const cnf_member *members; /* in the order of the file, names unique; without MANIFEST */
    uint32_t count;
} cnf_archive;

/* Appends the file that holds the members; the same members give the same bytes.  LIMIT: a name is
 * too long, leaves the folder or occurs twice, or the members are too large together. */
RT_MUST_USE rt_status cnf_archive_write(rt_sink *sink, rt_buffer *out, const cnf_archive *archive);

/* Reads a file; the members' contents are in the arena.  MALFORMED: it is not a pack, truncated,
 * changed or of another version, and the message says which; LIMIT: it holds more than
 * CNF_ARCHIVE_CONTENT_MAX bytes. */
RT_MUST_USE rt_status cnf_archive_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                       cnf_archive *out_archive);

/* The content of the member of that name; data NULL where there is none. */
rt_bytes cnf_archive_find(const cnf_archive *archive, const char *name);

#endif
