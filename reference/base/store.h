/* A folder of entries that processes share: one file per entry, found by its key.
 *
 *     <folder>/<2 digits>/<30 digits>     the digits are those of the key's hash
 *     file: u32 tag  u32 version  u64 u64 hash of all that follows  key  content
 *           key and content each as u64 size in bytes, then the bytes
 *
 * There are no locks, so none can be left behind.  A file is either complete or absent: it is
 * written under a temporary name, synced and renamed, and then its folder is synced.  It is read as
 * a whole and verified; a file that is not the expected entry is removed, so that damage costs no
 * more than recreating the content.  The file contains the whole key, which distinguishes keys with
 * the same hash.  A process that removes a damaged or old file may remove a new one that another
 * process has just renamed to the same path; that costs the same.
 *
 * The time of an entry (st_mtime) is that of its last use, to the hour.  When all files together
 * exceed a size, the least recently used are removed, along with temporary files that dead
 * processes left.  The store does not interpret the content. */
#ifndef REFERENCE_BASE_STORE_H
#define REFERENCE_BASE_STORE_H

#include "reference/base/text.h"

#include <stdbool.h>
#include <sys/types.h>

/* The system calls that the store writes with; each behaves as the function in its comment, errno
 * included.  Tests make them fail. */
typedef struct rt_store_calls {
    int (*make_folder)(const char *path, mode_t mode);                /* mkdir(2) */
    int (*create)(char *path, int flags);                             /* mkostemp(3) */
    ssize_t (*write)(int descriptor, const void *data, size_t bytes); /* write(2) */
    int (*sync)(int descriptor);                                      /* fsync(2) */
    int (*close)(int descriptor);                                     /* close(2) */
    int (*rename)(const char *from, const char *to);                  /* rename(2) */
} rt_store_calls;

/* The real system calls. */
extern const rt_store_calls rt_store_system;

typedef struct rt_store_parameters {
    rt_text folder;              /* copied; created when the first entry is kept */
    uint64_t size_max;           /* bytes of all files; a sweep removes files above it */
    uint64_t size_kept;          /* bytes that a sweep leaves at most; <= size_max */
    const rt_store_calls *calls; /* NULL: rt_store_system; outlives the store */
} rt_store_parameters;

/* A store is immutable, so several threads may use it at once. */
typedef struct rt_store rt_store;

/* Creates a store over the folder without accessing it yet; the caller destroys it (NULL does
 * nothing). */
rt_store *rt_store_create(const rt_store_parameters *parameters);
void rt_store_destroy(rt_store *store);

/* The result of a lookup: answer, its name, and whether the file is useless. */
#define RT_STORE_ANSWERS(ANSWER)                                                                   \
    ANSWER(FOUND, "found", false)                                                                  \
    ANSWER(ABSENT, "absent", false)                                                                \
    ANSWER(OTHER_KEY, "other-key", false)        /* an entry whose key has the same hash */        \
    ANSWER(UNREADABLE, "unreadable", false)      /* the operating system refused */                \
    ANSWER(FOREIGN, "foreign", true)             /* no file of this format, or no file at all */   \
    ANSWER(OTHER_VERSION, "other-version", true) /* of the format */                               \
    ANSWER(CUT, "cut", true)                     /* it ends too early */                           \
    ANSWER(DAMAGED, "damaged", true)             /* it goes on, or its hash is another */

typedef enum rt_store_answer {
#define RT_STORE_ENUM(answer, name, useless) RT_STORE_##answer,
    RT_STORE_ANSWERS(RT_STORE_ENUM)
#undef RT_STORE_ENUM
        RT_STORE_ANSWER_COUNT
} rt_store_answer;

/* The name of an answer, static. */
const char *rt_store_answer_name(rt_store_answer answer);

/* Looks for the content under a key and appends it to out_content, which stays as it was unless the
 * answer is FOUND.  A file of no use is removed. */
rt_store_answer rt_store_find(const rt_store *store, rt_bytes key, rt_buffer *out_content);

/* Keeps the content under a key; an entry that is there is replaced.  Now and then it sweeps.
 * Returns 0, or the errno of the call that failed: then nothing of it stays but, where only making
 * the folder durable failed, the whole entry. */
int rt_store_keep(const rt_store *store, rt_bytes key, rt_bytes content);

/* Removes the files used longest ago when all together exceed size_max bytes, until at most
 * size_kept are left.  Files that vanish meanwhile are no error. */
void rt_store_sweep(const rt_store *store, uint64_t size_max, uint64_t size_kept);

/* Makes a folder and those above it; false with errno set where one cannot be made. */
bool rt_store_folder_make(const rt_store_calls *calls, const char *path);

/* The form of a file.  Appends the entry of a key; checks one, of which *out_content is a part
 * where the answer is FOUND and else empty.  ABSENT and UNREADABLE are no answers of it. */
void rt_store_entry_write(rt_buffer *out, rt_bytes key, rt_bytes content);
rt_store_answer rt_store_entry_read(rt_bytes file, rt_bytes key, rt_bytes *out_content);

/* Where in a file the hash stands, and where that begins which it is of; bytes. */
enum { RT_STORE_HASH_AT = 8, RT_STORE_HASHED_AT = 24 };

#endif
