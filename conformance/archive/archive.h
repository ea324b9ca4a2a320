/* The file format of packed scenarios: named members, compressed and hashed.
 *
 * A pack is an SQLite archive, a database whose only table `sqlar` has one row per member, so that
 * `sqlite3 -A -t -f x.assay` lists the members and `-A -x` unpacks them without assay. The
 * database's application id marks it as a pack, and its user version is the format version. The
 * first member, MANIFEST, holds a hash of every other member; a truncated or modified file is
 * rejected as a whole. The hashes guard against accidents, not against an adversary: the worst that
 * a hostile file can do is to be read as a pack of other members. Source: sqlite.org, "SQLite
 * Archive Files" and "Database File Format"; RFC 1950 (zlib). */
#ifndef CONFORMANCE_ARCHIVE_ARCHIVE_H
#define CONFORMANCE_ARCHIVE_ARCHIVE_H

#include "reference/base/arena.h"
#include "reference/base/status.h"

/* Limits in bytes: of a member's name, of a pack file, and of the contents of all members together.
 */
enum { CNF_MEMBER_NAME_MAX = 100 };
#define CNF_ARCHIVE_FILE_MAX    ((size_t)256 << 20)
#define CNF_ARCHIVE_CONTENT_MAX ((uint64_t)1 << 30)

typedef struct cnf_member {
    rt_text name; /* a non-empty relative path of at most CNF_MEMBER_NAME_MAX bytes */
    rt_bytes content;
} cnf_member;

typedef struct cnf_archive {
    const cnf_member *members; /* in file order, with unique names; without MANIFEST */
    uint32_t count;
} cnf_archive;

/* Appends the archive file that holds the members; the same members always give the same bytes.
 * LIMIT: a name is too long, is not a safe relative path or occurs twice, or the members together
 * are too large. */
RT_MUST_USE rt_status cnf_archive_write(rt_sink *sink, rt_buffer *out, const cnf_archive *archive);

/* Reads an archive file; the members' contents are allocated in the arena. MALFORMED: the file is
 * not a pack, or is truncated, modified or of another version; the message says which. LIMIT: the
 * file exceeds CNF_ARCHIVE_FILE_MAX, or its contents CNF_ARCHIVE_CONTENT_MAX. */
RT_MUST_USE rt_status cnf_archive_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                       cnf_archive *out_archive);

/* The contents of the member with the given name; data is NULL if no member has it. */
rt_bytes cnf_archive_find(const cnf_archive *archive, const char *name);

#endif
