/* Finding and keeping entries in a shared folder (store.h). */
#include "reference/base/store.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/stream.h"
#include "reference/base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ENTRY_TAG = 0x54535452, /* "RTST" */
    ENTRY_VERSION = 1,
    KEEPS_PER_CHECK = 64,      /* one of the entry's folders is measured once per this many keeps on
                                * average; everything is, after an entry that is larger than size_max
                                * divided by this */
    USED_AFTER_SECONDS = 3600, /* an entry's time is updated when used if it is older than this */
    SHARDS = 256,
};

#define FILE_SIZE_MAX ((off_t)256 << 20) /* bytes; a larger file is not an entry */

struct rt_store {
    rt_buffer folder;
    uint64_t size_max, size_kept; /* bytes */
    const rt_store_calls *calls;
};

const rt_store_calls rt_store_system = {
    .make_folder = mkdir,
    .create = mkostemp,
    .write = write,
    .close = close,
    .rename = rename,
};

/* ---- Making -------------------------------------------------------------------------------- */

bool rt_store_folder_make(const rt_store_calls *calls, const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        errno = length == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    memcpy(part, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (part[i] != '/' && part[i] != '\0') continue;
        part[i] = '\0';
        if (calls->make_folder(part, 0777) != 0 && errno != EEXIST) return false;
        part[i] = i < length ? '/' : '\0';
    }
    return true;
}

rt_store *rt_store_create(const rt_store_parameters *parameters)
{
    CHECK(parameters->folder.length > 0);
    CHECK(parameters->size_kept <= parameters->size_max);
    rt_store *store = rt_alloc(sizeof *store);
    rt_buffer_append_text(&store->folder, parameters->folder);
    store->size_max = parameters->size_max;
    store->size_kept = parameters->size_kept;
    store->calls = parameters->calls ? parameters->calls : &rt_store_system;
    return store;
}

void rt_store_destroy(rt_store *store)
{
    if (!store) return;
    rt_buffer_free(&store->folder);
    rt_free(store);
}

/* ---- The file format ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool useless;
} answers[] = {
#define ANSWER_ROW(answer, name, useless) {name, useless},
    RT_STORE_ANSWERS(ANSWER_ROW)
#undef ANSWER_ROW
};

const char *rt_store_answer_name(rt_store_answer answer)
{
    CHECK((unsigned)answer < RT_STORE_ANSWER_COUNT);
    return answers[answer].name;
}

void rt_store_entry_write(rt_buffer *out, rt_bytes key, rt_bytes content)
{
    rt_buffer hashed = {0};
    rt_write_bytes(&hashed, key);
    rt_write_bytes(&hashed, content);
    rt_hash hash = rt_hash128(hashed.data, hashed.size);
    size_t before = out->size;
    rt_write_u32(out, ENTRY_TAG);
    rt_write_u32(out, ENTRY_VERSION);
    CHECK(out->size - before == RT_STORE_HASH_AT);
    rt_write_u64(out, hash.low);
    rt_write_u64(out, hash.high);
    CHECK(out->size - before == RT_STORE_HASHED_AT);
    rt_buffer_append(out, hashed.data, hashed.size);
    rt_buffer_free(&hashed);
}

rt_store_answer rt_store_entry_read(rt_bytes file, rt_bytes key, rt_bytes *out_content)
{
    *out_content = (rt_bytes){0};
    rt_reader reader = rt_reader_of(file);
    uint32_t tag = rt_read_u32(&reader), version = rt_read_u32(&reader);
    uint64_t low = rt_read_u64(&reader), high = rt_read_u64(&reader);
    if (tag != ENTRY_TAG && file.size >= sizeof tag) return RT_STORE_FOREIGN;
    if (reader.failed) return RT_STORE_CUT;
    if (version != ENTRY_VERSION) return RT_STORE_OTHER_VERSION;
    CHECK(reader.position == RT_STORE_HASHED_AT);
    rt_bytes stored_key = rt_read_bytes(&reader);
    rt_bytes content = rt_read_bytes(&reader);
    if (reader.failed) return RT_STORE_CUT;
    rt_hash hash = rt_hash128(file.data + RT_STORE_HASHED_AT, file.size - RT_STORE_HASHED_AT);
    if (!rt_reader_finished(&reader) || hash.low != low || hash.high != high)
        return RT_STORE_DAMAGED;
    bool is_same_key = stored_key.size == key.size &&
                       (key.size == 0 || memcmp(stored_key.data, key.data, key.size) == 0);
    if (!is_same_key) return RT_STORE_OTHER_KEY;
    *out_content = content;
    return RT_STORE_FOUND;
}

/* ---- Finding ------------------------------------------------------------------------------- */

/* Path of an entry, or of its folder. */
static void entry_path(const rt_store *store, rt_hash name, bool folder_only, rt_buffer *out)
{
    rt_hash_text text = rt_hash_print(name);
    rt_buffer_printf(out, "%s/%.2s", rt_buffer_string(&store->folder), text.digits);
    if (!folder_only) rt_buffer_printf(out, "/%s", text.digits + 2);
}

static rt_store_answer read_entry(int descriptor, rt_bytes key, rt_buffer *out_content)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > FILE_SIZE_MAX)
        return RT_STORE_FOREIGN;
    char block[65536];
    rt_buffer file = {0};
    ssize_t size;
    do {
        size = read(descriptor, block, sizeof block);
        if (size > 0) rt_buffer_append(&file, block, (size_t)size);
    } while (size > 0 || (size < 0 && errno == EINTR));
    rt_bytes content = {0};
    rt_store_answer answer = RT_STORE_UNREADABLE;
    if (size == 0) answer = rt_store_entry_read(rt_buffer_bytes(&file), key, &content);
    if (answer == RT_STORE_FOUND) {
        rt_buffer_append(out_content, content.data, content.size);
        /* Marks the entry as just used, so that a sweep removes others first. */
        if (time(NULL) - status.st_mtime > USED_AFTER_SECONDS) futimens(descriptor, NULL);
    }
    rt_buffer_free(&file);
    return answer;
}

rt_store_answer rt_store_find(const rt_store *store, rt_bytes key, rt_buffer *out_content)
{
    rt_buffer path = {0};
    entry_path(store, rt_hash128(key.data, key.size), false, &path);
    /* The path may lead to a foreign file: do not block on a pipe, and do not follow a link. */
    int descriptor = open(rt_buffer_string(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    rt_store_answer answer;
    if (descriptor >= 0) {
        answer = read_entry(descriptor, key, out_content);
        close(descriptor);
    } else {
        answer = errno == ENOENT  ? RT_STORE_ABSENT
                 : errno == ELOOP ? RT_STORE_FOREIGN
                                  : RT_STORE_UNREADABLE;
    }
    if (answers[answer].useless) unlink(rt_buffer_string(&path));
    rt_buffer_free(&path);
    return answer;
}

/* ---- Keeping ------------------------------------------------------------------------------- */

/* Writes the bytes; returns 0 or an errno value. */
static int write_file(const rt_store_calls *calls, int descriptor, rt_bytes bytes)
{
    if (fchmod(descriptor, 0644) != 0) return errno;
    while (bytes.size > 0) {
        ssize_t written = calls->write(descriptor, bytes.data, bytes.size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        if (written == 0)
            return EIO; /* Cannot happen for a file; guards against looping forever. */
        bytes.data += written;
        bytes.size -= (size_t)written;
    }
    return 0;
}

/* Writes bytes under a temporary name in the folder, then renames the file.  Nothing is synced:
 * what a crash of the machine cuts off is found when it is read. */
static int replace_file(const rt_store_calls *calls, const char *folder, const char *path,
                        rt_bytes bytes)
{
    CHECK(strncmp(path, folder, strlen(folder)) == 0);
    rt_buffer temporary = {0};
    rt_buffer_printf(&temporary, "%s/new-XXXXXX", folder);
    int descriptor = calls->create(temporary.data, O_CLOEXEC);
    int error = descriptor >= 0 ? 0 : errno;
    if (descriptor >= 0) {
        error = write_file(calls, descriptor, bytes);
        if (calls->close(descriptor) != 0 && error == 0) error = errno;
        if (error == 0 && calls->rename(temporary.data, path) != 0) error = errno;
        if (error != 0) unlink(temporary.data);
    }
    rt_buffer_free(&temporary);
    return error;
}

/* ---- The size of the folder --------------------------------------------------------------- */

typedef struct swept_file {
    char *path; /* heap */
    uint64_t size;
    struct timespec used_at;
} swept_file;

typedef RT_VECTOR(swept_file) swept_files;

/* Adds the files of one of the folders of entries, unless `files` is NULL; returns their size in
 * bytes. */
static uint64_t shard_list(const char *folder, swept_files *files)
{
    uint64_t total = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *row; directory && (row = readdir(directory));) {
        struct stat status;
        if (fstatat(dirfd(directory), row->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(status.st_mode)) continue;
        uint64_t size = (uint64_t)status.st_size;
        total += size;
        if (!files) continue;
        rt_buffer path = {0};
        rt_buffer_printf(&path, "%s/%s", folder, row->d_name);
        *rt_vector_push(files) = (swept_file){path.data, size, status.st_mtim};
    }
    if (directory) closedir(directory);
    return total;
}

/* True if all folders together may be too large, judged by one of them: entries are spread evenly,
 * since their names are hashes. */
static bool may_be_full(const rt_store *store, const char *folder)
{
    return shard_list(folder, NULL) > store->size_max / SHARDS / 2;
}

int rt_store_keep(const rt_store *store, rt_bytes key, rt_bytes content)
{
    CHECK(key.size > 0 && key.data);
    rt_hash name = rt_hash128(key.data, key.size);
    rt_buffer folder = {0}, path = {0}, entry = {0};
    entry_path(store, name, true, &folder);
    entry_path(store, name, false, &path);
    rt_store_entry_write(&entry, key, content);
    int error = 0;
    if (entry.size > (size_t)FILE_SIZE_MAX || entry.size > store->size_max) error = EFBIG;
    if (error == 0 && !rt_store_folder_make(store->calls, rt_buffer_string(&folder))) error = errno;
    if (error == 0) {
        error = replace_file(store->calls, rt_buffer_string(&folder), rt_buffer_string(&path),
                             rt_buffer_bytes(&entry));
    }
    bool sweeps = entry.size > store->size_max / KEEPS_PER_CHECK;
    if (!sweeps && name.low % KEEPS_PER_CHECK == 0)
        sweeps = may_be_full(store, rt_buffer_string(&folder));
    rt_buffer_free(&folder);
    rt_buffer_free(&path);
    rt_buffer_free(&entry);
    if (sweeps) rt_store_sweep(store, store->size_max, store->size_kept);
    return error;
}

/* ---- Sweeping ------------------------------------------------------------------------------ */

static int compare_age(const void *left, const void *right)
{
    const swept_file *a = left, *b = right;
    if (a->used_at.tv_sec != b->used_at.tv_sec)
        return a->used_at.tv_sec < b->used_at.tv_sec ? -1 : 1;
    return a->used_at.tv_nsec < b->used_at.tv_nsec ? -1 : a->used_at.tv_nsec > b->used_at.tv_nsec;
}

void rt_store_sweep(const rt_store *store, uint64_t size_max, uint64_t size_kept)
{
    CHECK(size_kept <= size_max);
    swept_files files = {0};
    uint64_t total = 0;
    for (unsigned shard = 0; shard < SHARDS; shard++) {
        rt_buffer folder = {0};
        rt_buffer_printf(&folder, "%s/%02x", rt_buffer_string(&store->folder), shard);
        total += shard_list(folder.data, &files);
        rt_buffer_free(&folder);
    }
    if (total > size_max) qsort(files.items, files.count, sizeof *files.items, compare_age);
    bool removes = total > size_max;
    for (uint32_t i = 0; i < files.count; i++) {
        removes = removes && total > size_kept;
        if (removes && unlink(files.items[i].path) == 0) total -= files.items[i].size;
        rt_free(files.items[i].path);
    }
    rt_vector_free(&files);
}
