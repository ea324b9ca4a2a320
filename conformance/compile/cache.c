/* The artefact cache: one file per answer, in folders by the first two digits of its key.
 *
 *     <folder>/compile/<2 digits>/<30 digits>
 *     file: tag version key(16) hash(16) length(8) answer
 *
 * A file is complete or not there: it is written under a temporary name and renamed.  It is read
 * whole and checked, so damage costs a compilation and no more.  The key covers the request, the
 * compilers and the fault planted in them; nothing else decides what an answer holds. */
#include "conformance/compile/cache.h"

#include "conformance/compile/toolchain.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/stream.h"
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

enum {
    ENTRY_TAG = 0x52414341, /* "ACAR" */
    ENTRY_VERSION = 2,
    ENTRY_HEADER_SIZE = 48,    /* bytes: tag, version, key, hash, length */
    KEEPS_PER_SWEEP = 64,      /* one in so many keeps looks at the size of the cache */
    USED_AFTER_SECONDS = 3600, /* an entry's time is brought up to date when older than this */
};

#define CACHE_SIZE_MAX  ((uint64_t)512 << 20) /* bytes */
#define ENTRY_SIZE_MAX  ((off_t)256 << 20)    /* bytes of one entry */
#define CACHE_SIZE_KEPT (CACHE_SIZE_MAX / 4 * 3)

struct cnf_cache {
    rt_buffer folder;   /* "" : the cache holds nothing */
    rt_buffer identity; /* of compilers and format; part of every key */
    rt_buffer warning;
};

/* ---- Opening ------------------------------------------------------------------------------- */

/* Makes a folder and those above it. */
static bool make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) return false;
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0') continue;
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) return false;
        part[i] = i < length ? '/' : '\0';
    }
    return true;
}

static void choose_folder(rt_buffer *out, rt_text folder)
{
    const char *ours = getenv("ASSAY_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (folder.length > 0) {
        rt_buffer_append_text(out, folder);
    } else if (ours && ours[0]) {
        rt_buffer_printf(out, "%s", ours);
    } else if (xdg && xdg[0] == '/') {
        rt_buffer_printf(out, "%s/assay", xdg);
    } else if (home && home[0]) {
        rt_buffer_printf(out, "%s/.cache/assay", home);
    }
}

/* A fault planted in what the worker runs changes artefacts; one planted elsewhere does not. */
static void identify_fault(rt_buffer *out)
{
    const char *fault = getenv("ASSAY_FAULT");
    if (!fault) return;
    static const char *const folders[] = {"@reference/compiler/", "@reference/image/",
                                          "@reference/base/", "@conformance/compile/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (strstr(fault, folders[i])) rt_buffer_printf(out, "fault %s\n", fault);
    }
}

cnf_cache *cnf_cache_open(rt_text folder, rt_text *out_warning)
{
    cnf_cache *cache = rt_alloc(sizeof *cache);
    cnf_toolchain toolchain;
    cnf_toolchain_find(&toolchain);
    rt_buffer_printf(&cache->identity, "artefacts %d\n", ENTRY_VERSION);
    cnf_toolchain_identify(&toolchain, &cache->identity);
    identify_fault(&cache->identity);

    choose_folder(&cache->folder, folder);
    const char *path = rt_buffer_string(&cache->folder);
    if (path[0] == '\0') {
        rt_buffer_printf(&cache->warning, "no cache: neither ASSAY_CACHE_DIR nor HOME is set");
    } else if (!make_folders(path) || access(path, W_OK | X_OK) != 0) {
        rt_buffer_printf(&cache->warning, "no cache: %s cannot be written (%s)", path,
                         strerrordesc_np(errno));
        rt_buffer_free(&cache->folder);
    }
    CHECK((cache->folder.size == 0) == (cache->warning.size > 0));
    *out_warning = rt_buffer_text(&cache->warning);
    return cache;
}

void cnf_cache_close(cnf_cache *cache)
{
    if (!cache) return;
    rt_buffer_free(&cache->folder);
    rt_buffer_free(&cache->identity);
    rt_buffer_free(&cache->warning);
    rt_free(cache);
}

rt_text cnf_cache_folder(const cnf_cache *cache)
{
    return rt_buffer_text(&cache->folder);
}

/* ---- Entries ------------------------------------------------------------------------------- */

static rt_hash key_of(rt_text identity, rt_bytes request)
{
    CHECK(identity.length > 0);
    rt_buffer named = {0};
    rt_buffer_append_text(&named, identity);
    rt_buffer_append(&named, request.data, request.size);
    rt_hash key = rt_hash128(named.data, named.size);
    rt_buffer_free(&named);
    return key;
}

/* Path of an entry, or of its folder. */
static void entry_path(const cnf_cache *cache, rt_hash key, bool folder_only, rt_buffer *out)
{
    rt_hash_text text = rt_hash_print(key);
    rt_buffer_printf(out, "%s/compile/%.2s", rt_buffer_string(&cache->folder), text.digits);
    if (!folder_only) rt_buffer_printf(out, "/%s", text.digits + 2);
}

static void write_entry(rt_buffer *out, rt_hash key, rt_bytes answer)
{
    rt_hash hash = rt_hash128(answer.data, answer.size);
    rt_write_u32(out, ENTRY_TAG);
    rt_write_u32(out, ENTRY_VERSION);
    rt_write_u64(out, key.low);
    rt_write_u64(out, key.high);
    rt_write_u64(out, hash.low);
    rt_write_u64(out, hash.high);
    rt_write_bytes(out, answer);
    CHECK(out->size == ENTRY_HEADER_SIZE + answer.size);
}

/* Checks an entry; the answer in it is empty when it is not what its name says. */
static rt_bytes read_entry(rt_bytes entry, rt_hash key)
{
    rt_reader reader = rt_reader_of(entry);
    bool same = rt_read_u32(&reader) == ENTRY_TAG;
    same = rt_read_u32(&reader) == ENTRY_VERSION && same;
    same = rt_read_u64(&reader) == key.low && same;
    same = rt_read_u64(&reader) == key.high && same;
    uint64_t low = rt_read_u64(&reader);
    uint64_t high = rt_read_u64(&reader);
    rt_bytes answer = rt_read_bytes(&reader);
    if (!same || !rt_reader_finished(&reader)) return (rt_bytes){0};
    rt_hash hash = rt_hash128(answer.data, answer.size);
    return hash.low == low && hash.high == high ? answer : (rt_bytes){0};
}

/* True for an ordinary file that is not larger than any entry. */
static bool is_entry_file(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= ENTRY_SIZE_MAX;
}

/* Reads a whole file; false when it cannot be read. */
static bool read_file(int descriptor, rt_buffer *out)
{
    char block[65536];
    for (;;) {
        ssize_t size = read(descriptor, block, sizeof block);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return size == 0;
        rt_buffer_append(out, block, (size_t)size);
    }
}

/* Marks an entry as used, so that the sweep takes others first. */
static void touch_entry(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0) return;
    if (time(NULL) - status.st_mtime > USED_AFTER_SECONDS) futimens(descriptor, NULL);
}

static bool find_entry(cnf_cache *cache, rt_hash key, rt_buffer *out_answer)
{
    if (cache->folder.size == 0) return false;
    rt_buffer path = {0};
    entry_path(cache, key, false, &path);
    /* Whatever lies there may be foreign: a pipe must not be waited for, nor a link followed. */
    int descriptor = open(rt_buffer_string(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    rt_buffer_free(&path);
    if (descriptor < 0) return false;
    rt_buffer entry = {0};
    rt_bytes answer = {0};
    if (is_entry_file(descriptor) && read_file(descriptor, &entry))
        answer = read_entry(rt_buffer_bytes(&entry), key);
    if (answer.size > 0) {
        rt_buffer_append(out_answer, answer.data, answer.size);
        touch_entry(descriptor);
    }
    close(descriptor);
    rt_buffer_free(&entry);
    return answer.size > 0;
}

bool cnf_cache_find(cnf_cache *cache, rt_bytes request, rt_buffer *out_answer)
{
    return find_entry(cache, key_of(rt_buffer_text(&cache->identity), request), out_answer);
}

bool cnf_cache_find_of_tool(cnf_cache *cache, rt_text tool, rt_bytes request, rt_buffer *out_made)
{
    return find_entry(cache, key_of(tool, request), out_made);
}

/* ---- Keeping ------------------------------------------------------------------------------- */

static bool write_file(int descriptor, rt_bytes bytes)
{
    while (bytes.size > 0) {
        ssize_t written = write(descriptor, bytes.data, bytes.size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.data += written;
        bytes.size -= (size_t)written;
    }
    return fsync(descriptor) == 0;
}

/* Writes bytes under a temporary name in the folder and renames; nothing stays after a failure. */
static void replace_file(const char *folder, const char *path, rt_bytes bytes)
{
    rt_buffer temporary = {0};
    rt_buffer_printf(&temporary, "%s/new-XXXXXX", folder);
    CHECK(strncmp(path, folder, strlen(folder)) == 0);
    int descriptor = mkostemp(temporary.data, O_CLOEXEC);
    if (descriptor >= 0) {
        bool written = fchmod(descriptor, 0644) == 0 && write_file(descriptor, bytes);
        written = close(descriptor) == 0 && written;
        if (!written || rename(temporary.data, path) != 0) unlink(temporary.data);
    }
    rt_buffer_free(&temporary);
}

static void keep_entry(cnf_cache *cache, rt_hash key, rt_bytes answer)
{
    if (cache->folder.size == 0) return;
    CHECK(answer.data && answer.size > 0);
    rt_buffer folder = {0}, path = {0}, entry = {0};
    entry_path(cache, key, true, &folder);
    entry_path(cache, key, false, &path);
    write_entry(&entry, key, answer);
    if (make_folders(rt_buffer_string(&folder))) {
        replace_file(rt_buffer_string(&folder), rt_buffer_string(&path), rt_buffer_bytes(&entry));
    }
    rt_buffer_free(&folder);
    rt_buffer_free(&path);
    rt_buffer_free(&entry);
    if (key.low % KEEPS_PER_SWEEP == 0) cnf_cache_sweep(cache, CACHE_SIZE_MAX, CACHE_SIZE_KEPT);
}

void cnf_cache_keep(cnf_cache *cache, rt_bytes request, rt_bytes answer)
{
    keep_entry(cache, key_of(rt_buffer_text(&cache->identity), request), answer);
}

void cnf_cache_keep_of_tool(cnf_cache *cache, rt_text tool, rt_bytes request, rt_bytes made)
{
    keep_entry(cache, key_of(tool, request), made);
}

/* ---- Sweeping ------------------------------------------------------------------------------ */

typedef struct swept_file {
    char *path; /* heap */
    uint64_t size;
    int64_t used_at; /* seconds */
} swept_file;

typedef struct sweep {
    RT_VECTOR(swept_file) files;
    uint64_t size;
} sweep;

static int compare_age(const void *left, const void *right)
{
    const swept_file *a = left, *b = right;
    return a->used_at < b->used_at ? -1 : a->used_at > b->used_at;
}

static void note_files(sweep *all, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *row = readdir(directory); row; row = readdir(directory)) {
        struct stat status;
        if (fstatat(dirfd(directory), row->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(status.st_mode)) continue;
        rt_buffer path = {0};
        rt_buffer_printf(&path, "%s/%s", folder, row->d_name);
        *rt_vector_push(&all->files) =
            (swept_file){path.data, (uint64_t)status.st_size, status.st_mtime};
        all->size += (uint64_t)status.st_size;
    }
    closedir(directory);
}

static void note_all(sweep *all, const cnf_cache *cache)
{
    for (int shard = 0; shard < 256; shard++) {
        rt_buffer folder = {0};
        rt_buffer_printf(&folder, "%s/compile/%02x", rt_buffer_string(&cache->folder), shard);
        note_files(all, rt_buffer_string(&folder));
        rt_buffer_free(&folder);
    }
}

void cnf_cache_sweep(cnf_cache *cache, uint64_t size_max, uint64_t size_kept)
{
    CHECK(size_kept <= size_max);
    if (cache->folder.size == 0) return;
    sweep all = {0};
    note_all(&all, cache);
    if (all.size > size_max) {
        qsort(all.files.items, all.files.count, sizeof *all.files.items, compare_age);
        for (uint32_t i = 0; i < all.files.count && all.size > size_kept; i++) {
            if (unlink(all.files.items[i].path) == 0) all.size -= all.files.items[i].size;
        }
    }
    for (uint32_t i = 0; i < all.files.count; i++)
        rt_free(all.files.items[i].path);
    rt_vector_free(&all.files);
}
