/* A folder of entries that several processes share: one file per entry, found by the entry's key.
 *
 *     <folder>/<2 digits>/<30 digits>     the digits are those of the key's hash
 *     file: u32 tag  u32 version  u64 u64 hash of all that follows  key  content
 *           key and content each as u64 size in bytes, then the bytes
 *
 * There are no locks, so none can be left behind.  A file is either complete or absent, because it
 * is written under a temporary name and renamed.  It is not synced, so a crash of the machine may
 * leave an incomplete one.  It is read as a whole and verified; a file that is not the expected
 * entry is removed, so that damage costs no more than recreating the content.  The file contains
 * the whole key, which distinguishes keys with the same hash.  A process that means to remove a
 * damaged or old file may remove a new one that another process has just renamed to the same path;
 * that costs no more either.
 *
 * The time of an entry (st_mtime) is that of its last use, accurate to the hour.  When all files
 * together exceed a given size, the least recently used are removed, among them temporary files
 * that dead processes left behind.  The store does not interpret the content. */
#ifndef REFERENCE_BASE_STORE_H
#define REFERENCE_BASE_STORE_H

#include "reference/base/text.h"

#include <stdbool.h>
#include <sys/types.h>

/* The system calls by which the store writes; each behaves like the function in its comment,
 * including errno.  Tests inject failures through them. */
typedef struct rt_store_calls {
    int (*make_folder)(const char *path, mode_t mode);                /* mkdir(2) */
    int (*create)(char *path, int flags);                             /* mkostemp(3) */
    ssize_t (*write)(int descriptor, const void *data, size_t bytes); /* write(2) */
    int (*close)(int descriptor);                                     /* close(2) */
    int (*rename)(const char *from, const char *to);                  /* rename(2) */
} rt_store_calls;

/* The real system calls. */
extern const rt_store_calls rt_store_system;

typedef struct rt_store_parameters {
    rt_text folder;              /* copied; created when the first entry is kept */
    uint64_t size_max;           /* bytes of all files; a sweep removes files above it */
    uint64_t size_kept;          /* upper bound on the bytes that a sweep leaves; <= size_max */
    const rt_store_calls *calls; /* NULL: rt_store_system; outlives the store */
} rt_store_parameters;

/* A store is immutable, so several threads may use it concurrently. */
typedef struct rt_store rt_store;

/* Creates a store for the folder without accessing it yet; the caller destroys it (NULL does
 * nothing). */
rt_store *rt_store_create(const rt_store_parameters *parameters);
void rt_store_destroy(rt_store *store);

/* The results of a lookup: the answer, its name, and whether the file is useless. */
#define RT_STORE_ANSWERS(ANSWER)                                                                   \
    ANSWER(FOUND, "found", false)                                                                  \
    ANSWER(ABSENT, "absent", false)                                                                \
    ANSWER(OTHER_KEY, "other-key", false)   /* an entry whose key has the same hash */             \
    ANSWER(UNREADABLE, "unreadable", false) /* the operating system refused */                     \
    ANSWER(FOREIGN, "foreign", true)        /* not a file of this format, or not a regular file */ \
    ANSWER(OTHER_VERSION, "other-version", true) /* of this format, but a different version */     \
    ANSWER(CUT, "cut", true)                     /* truncated */                                   \
    ANSWER(DAMAGED, "damaged", true)             /* trailing bytes, or a wrong hash */

typedef enum rt_store_answer {
#define RT_STORE_ENUM(answer, name, useless) RT_STORE_##answer,
    RT_STORE_ANSWERS(RT_STORE_ENUM)
#undef RT_STORE_ENUM
        RT_STORE_ANSWER_COUNT
} rt_store_answer;

/* The name of an answer, static. */
const char *rt_store_answer_name(rt_store_answer answer);

/* Looks up the content stored under a key and appends it to out_content, which is unchanged unless
 * the answer is FOUND.  A useless file is removed. */
rt_store_answer rt_store_find(const rt_store *store, rt_bytes key, rt_buffer *out_content);

/* Stores the content under a key, replacing any existing entry, and sometimes sweeps.  Returns 0,
 * the errno of the call that failed, or EFBIG for an entry that is too large; on failure the new
 * entry is not stored. */
int rt_store_keep(const rt_store *store, rt_bytes key, rt_bytes content);

/* If all files together exceed size_max bytes, removes the least recently used until at most
 * size_kept are left.  Files that vanish meanwhile are not an error. */
void rt_store_sweep(const rt_store *store, uint64_t size_max, uint64_t size_kept);

/* Creates a folder and its missing parents; false with errno set if one cannot be created. */
bool rt_store_folder_make(const rt_store_calls *calls, const char *path);

/* The file format. rt_store_entry_write appends the file of an entry. rt_store_entry_read checks
 * such a file; *out_content is a part of it if the answer is FOUND, and empty otherwise.  It never
 * answers ABSENT or UNREADABLE. */
void rt_store_entry_write(rt_buffer *out, rt_bytes key, rt_bytes content);
rt_store_answer rt_store_entry_read(rt_bytes file, rt_bytes key, rt_bytes *out_content);

/* Offsets in a file, in bytes: of the hash, and of the first byte that it covers. */
enum { RT_STORE_HASH_AT = 8, RT_STORE_HASHED_AT = 24 };

#endif
