/* Cuts and exchanges the files of a persistent cache. */
#include "conformance/subject/cache_damage.h"

#include "reference/base/alloc.h"
#include "reference/base/descriptors.h"
#include "reference/base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <unistd.h>

/* The paths and contents of the files that hold programs. */
typedef struct cache_file {
    rt_buffer path, content;
} cache_file;
typedef RT_VECTOR(cache_file) cache_files;

/* The reference runtime keeps a program and its key in one file; libsycl keeps a program in
 * NUMBER.bin, and next to it what identifies it and its locks (intel/llvm,
 * sycl/source/detail/persistent_device_code_cache.hpp). */
static bool holds_program(const char *name)
{
    static const char *const others[] = {".src", ".lock", ".txt"};
    const char *end = strrchr(name, '.');
    for (size_t i = 0; end && i < sizeof others / sizeof *others; i++)
        if (strcmp(end, others[i]) == 0) return false;
    return true;
}

static int by_path(const FTSENT **first, const FTSENT **second)
{
    return strcmp((*first)->fts_name, (*second)->fts_name);
}

static int file_add(cache_files *files, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    cache_file *file = rt_vector_push(files);
    *file = (cache_file){0};
    rt_buffer_printf(&file->path, "%s", path);
    int error = rt_read_all(descriptor, &file->content) ? 0 : errno;
    close(descriptor);
    return error;
}

static int files_read(cache_files *files, rt_text folder)
{
    rt_buffer root = {0};
    rt_buffer_append_text(&root, folder);
    char *const roots[] = {(char *)(uintptr_t)rt_buffer_string(&root), NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_path);
    int error = walk ? 0 : errno;
    for (FTSENT *at; error == 0 && (at = fts_read(walk));)
        if (at->fts_info == FTS_F && holds_program(at->fts_name))
            error = file_add(files, at->fts_accpath);
    if (walk) fts_close(walk);
    rt_buffer_free(&root);
    return error;
}

static int file_write(const char *path, rt_bytes content)
{
    int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int error = rt_write_all(descriptor, content) ? 0 : errno;
    if (close(descriptor) != 0 && error == 0) error = errno;
    return error;
}

int cnf_cache_damage(const scn_scenario *scenario, rt_text folder)
{
    if (scenario->cache_cut == 0 && !scenario->cache_mixed) return 0;
    cache_files files = {0};
    int error = files_read(&files, folder);
    for (uint32_t i = 0; i < files.count && error == 0; i++) {
        /* The next file's content, or this one's if nothing is mixed. */
        uint32_t source = scenario->cache_mixed ? (i + 1) % files.count : i;
        rt_bytes content = rt_buffer_bytes(&files.items[source].content);
        if (scenario->cache_cut > 0 && content.size > scenario->cache_cut)
            content.size = scenario->cache_cut;
        error = file_write(rt_buffer_string(&files.items[i].path), content);
    }
    for (uint32_t i = 0; i < files.count; i++) {
        rt_buffer_free(&files.items[i].path);
        rt_buffer_free(&files.items[i].content);
    }
    rt_vector_free(&files);
    return error;
}
