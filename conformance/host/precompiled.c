/* Precompiled openings of host halves, in the cache's folder:
 *
 *     <cache>/headers/<32 digits>.hpp.gch     the digits are those of the request's hash; an empty
 *                                             file is a mark: the compiler cannot make or use one;
 *                                             it holds for a month, for the disk may have been full
 *     <cache>/headers/<32 digits>.uses        a byte per compilation without it
 *     <cache>/headers/new-XXXXXX              one that is being made
 *
 * There are no locks: a file is complete or absent, because it is renamed when it is complete, and
 * processes that make the same one at the same time replace each other's. There is no <32
 * digits>.hpp, which the compiler would read silently if it rejected the precompiled file. */
#include "conformance/host/host_internal.h"

#include "conformance/build/cache.h"

#include "reference/base/hash.h"
#include "reference/base/store.h"
#include "reference/base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".gch"

enum {
    UNUSED_SECONDS = 30 * 24 * 3600, /* after which any file of the folder is removed,
                                      * and a mark no longer holds */
    DRAFT_SECONDS = 3600,            /* after which a draft is, whose process was killed */
};

#define DRAFT "new-"

/* ---- Finding ------------------------------------------------------------------------------- */

/* Counts a compilation; returns the number so far, or 0 if it cannot be counted. */
static uint64_t use_count(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    bool is_counted = descriptor >= 0 && write(descriptor, "+", 1) == 1;
    is_counted = is_counted && fstat(descriptor, &status) == 0;
    if (descriptor >= 0) close(descriptor);
    return is_counted ? (uint64_t)status.st_size : 0;
}

cnf_precompiled cnf_precompiled_find(rt_arena *arena, const cnf_cache *cache, rt_bytes request)
{
    char cache_folder[PATH_MAX];
    cnf_precompiled precompiled = {0};
    rt_text folder = rt_arena_text(arena, cnf_cache_folder(cache));
    if (folder.length == 0 || !realpath(folder.data, cache_folder)) return precompiled;
    folder = rt_arena_printf(arena, "%s/headers", cache_folder);
    if (mkdir(folder.data, 0777) != 0 && errno != EEXIST) return precompiled;
    rt_hash_text hash = rt_hash_print(rt_hash128(request.data, request.size));
    precompiled.header = rt_arena_printf(arena, "%s/%s.hpp", folder.data, hash.digits);
    precompiled.file = rt_arena_printf(arena, "%s" SUFFIX, precompiled.header.data);
    struct stat status;
    if (stat(precompiled.file.data, &status) == 0) {
        precompiled.is_usable = status.st_size > 0;
        if (precompiled.is_usable) utimensat(AT_FDCWD, precompiled.file.data, NULL, 0); /* used */
        if (precompiled.is_usable || time(NULL) - status.st_mtime <= UNUSED_SECONDS)
            return precompiled;
    }
    /* Due again after as many: the process that was to make it may have been killed. */
    rt_text uses = rt_arena_printf(arena, "%s/%s.uses", folder.data, hash.digits);
    uint64_t count = use_count(uses.data);
    precompiled.is_due = count > 0 && count % (CNF_PRECOMPILED_AFTER + 1) == 0;
    return precompiled;
}

/* ---- Making -------------------------------------------------------------------------------- */

static rt_text folder_of(rt_arena *arena, const cnf_precompiled *precompiled)
{
    const char *end = strrchr(precompiled->file.data, '/');
    CHECK(end);
    return rt_arena_text(arena,
                         (rt_text){precompiled->file.data, (size_t)(end - precompiled->file.data)});
}

bool cnf_precompiled_begin(rt_arena *arena, cnf_precompiled *precompiled)
{
    CHECK(precompiled->is_due && precompiled->file.length > 0);
    rt_text folder = folder_of(arena, precompiled);
    rt_text draft = rt_arena_printf(arena, "%.*s/" DRAFT "XXXXXX", RT_TEXT_ARG(folder));
    int descriptor = mkostemp((char *)(uintptr_t)draft.data, O_CLOEXEC);
    if (descriptor < 0) return false;
    close(descriptor);
    precompiled->draft = draft;
    return true;
}

typedef struct kept_file {
    rt_text path;
    time_t used_at;
} kept_file;

static int compare_use(const void *left, const void *right)
{
    const kept_file *a = left, *b = right;
    return a->used_at > b->used_at ? -1 : a->used_at < b->used_at;
}

static void sweep(rt_arena *arena, rt_text folder)
{
    RT_VECTOR(kept_file) kept = {0};
    const time_t now = time(NULL);
    DIR *stream = opendir(folder.data);
    for (const struct dirent *entry; stream && (entry = readdir(stream));) {
        struct stat status;
        rt_text path = rt_arena_printf(arena, "%.*s/%s", RT_TEXT_ARG(folder), entry->d_name);
        if (stat(path.data, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        bool is_draft = strncmp(entry->d_name, DRAFT, strlen(DRAFT)) == 0;
        if (now - status.st_mtime > (is_draft ? DRAFT_SECONDS : UNUSED_SECONDS))
            unlink(path.data);
        else if (status.st_size > 0 && strstr(entry->d_name, SUFFIX))
            *rt_vector_push(&kept) = (kept_file){path, status.st_mtime};
    }
    if (stream) closedir(stream);
    if (kept.count > 1) qsort(kept.items, kept.count, sizeof *kept.items, compare_use);
    for (uint32_t i = CNF_PRECOMPILED_MAX; i < kept.count; i++)
        unlink(kept.items[i].path.data);
    rt_vector_free(&kept);
}

/* Makes the file empty. g++ has removed it if it refused the header. */
static bool is_empty_made(const char *path)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    return descriptor >= 0 && close(descriptor) == 0;
}

void cnf_precompiled_end(rt_arena *arena, cnf_precompiled *precompiled, rt_status made)
{
    CHECK(precompiled->draft.length > 0 && !precompiled->is_usable);
    const char *draft = precompiled->draft.data;
    bool is_ready = rt_ok(made) || (made.code == RT_COMPILE_TIME && is_empty_made(draft));
    is_ready = is_ready && chmod(draft, 0644) == 0 && rename(draft, precompiled->file.data) == 0;
    if (!is_ready) unlink(draft);
    precompiled->is_usable = is_ready && rt_ok(made);
    sweep(arena, folder_of(arena, precompiled));
}

void cnf_precompiled_distrust(const cnf_precompiled *precompiled, bool is_new)
{
    const char *file = precompiled->file.data;
    fprintf(stderr,
            "assay: the C++ compiler fails with the precompiled header %s and succeeds without it; "
            "the file has been removed\n",
            file);
    if (!is_new || truncate(file, 0) != 0) unlink(file);
}
