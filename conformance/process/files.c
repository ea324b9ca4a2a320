/* Finds scenario files. Below a given path, links to folders are not followed, so the walk
 * terminates. A file reached by two paths counts once, by its real path. */
#include "conformance/process/files.h"

#include "reference/base/hash.h"
#include "reference/base/limits.h"
#include "reference/base/vector.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH_MAX = 64 };

typedef struct found_file {
    cnf_file file;
    rt_text real;
} found_file;

typedef struct file_walk {
    rt_sink *sink;
    rt_arena *arena;
    rt_text root; /* root of the scenarios below the path being walked */
    RT_VECTOR(found_file) found;
} file_walk;

/* ---- Paths --------------------------------------------------------------------------------- */

static rt_text folder_of(rt_text path)
{
    size_t length = path.length;
    while (length > 0 && path.data[length - 1] != '/')
        length--;
    return (rt_text){path.data, length > 1 ? length - 1 : length};
}

static rt_text path_join(rt_arena *arena, rt_text folder, const char *name)
{
    bool slash = folder.length > 0 && folder.data[folder.length - 1] == '/';
    return rt_arena_printf(arena, "%.*s%s%s", RT_TEXT_ARG(folder), slash ? "" : "/", name);
}

static rt_text path_real(rt_arena *arena, rt_text path)
{
    rt_text terminated = rt_arena_text(arena, path);
    char real[PATH_MAX];
    if (!realpath(terminated.data, real)) return (rt_text){0};
    return rt_arena_text(arena, rt_text_of(real));
}

rt_text cnf_files_root(rt_arena *arena, rt_text path)
{
    rt_text folder = path_real(arena, path);
    struct stat info;
    if (folder.length == 0) return folder;
    if (stat(folder.data, &info) == 0 && !S_ISDIR(info.st_mode)) folder = folder_of(folder);
    while (folder.length > 0) {
        rt_text table = path_join(arena, folder, "requirements.yaml");
        if (access(table.data, F_OK) == 0) return folder;
        rt_text above = folder_of(folder);
        if (above.length == folder.length) break;
        folder = above;
    }
    return (rt_text){0};
}

/* ---- Walking ------------------------------------------------------------------------------- */

static void walk_add(file_walk *walk, rt_text file)
{
    rt_text real = path_real(walk->arena, file), root = walk->root;
    if (real.length == 0) return; /* It vanished or is a dangling link: not a scenario. */
    /* The part of the real path below the root; if a link leads out of the root, its last
     * component. */
    size_t skipped = root.length == 1 ? 1 : root.length + 1;
    bool below = real.length > skipped &&
                 (root.length == 0 || memcmp(real.data, root.data, root.length) == 0) &&
                 real.data[skipped - 1] == '/';
    if (!below) skipped = folder_of(real).length == 1 ? 1 : folder_of(real).length + 1;
    CHECK(real.length > skipped);
    rt_text path = {real.data + skipped, real.length - skipped};
    *rt_vector_push(&walk->found) = (found_file){{file, path, NULL}, real};
}

/* True if the file's first key is the version of an expectation file or of a file of findings,
 * which a folder of --expectations below the given path holds. */
static bool is_about_failures(rt_text file)
{
    static const char *const keys[] = {"assay_expectations:", "assay_findings:"};
    char line[256];
    bool is_found = false, is_head = true;
    FILE *stream = fopen(file.data, "re");
    while (stream && is_head && fgets(line, sizeof line, stream)) {
        is_head = *line == '#' || *line == '\n' || strncmp(line, "---", 3) == 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !is_head; i++)
            is_found = is_found || strncmp(line, keys[i], strlen(keys[i])) == 0;
    }
    if (stream) fclose(stream);
    return is_found;
}

static rt_status walk_folder(file_walk *walk, rt_text folder, uint32_t depth)
{
    if (depth > DEPTH_MAX) {
        return rt_fail(walk->sink, RT_LIMIT, RT_RULE_NONE,
                       "%.*s: folders are nested more than %d deep", RT_TEXT_ARG(folder),
                       DEPTH_MAX);
    }
    DIR *entries = opendir(folder.data);
    if (!entries) {
        return rt_fail(walk->sink, RT_IO, RT_RULE_NONE,
                       "%.*s:1:1: error: the file cannot be read: %s", RT_TEXT_ARG(folder),
                       strerror(errno));
    }
    rt_status status = RT_STATUS_OK;
    for (struct dirent *entry; rt_ok(status) && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (name[0] == '.') continue;
        rt_text path = path_join(walk->arena, folder, name);
        struct stat info;
        if (lstat(path.data, &info) != 0) continue;
        size_t length = strlen(name);
        if (S_ISDIR(info.st_mode)) {
            if (strcmp(name, "expectations") != 0) status = walk_folder(walk, path, depth + 1);
        } else if (length > 5 && strcmp(name + length - 5, ".yaml") == 0 &&
                   strcmp(name, "requirements.yaml") != 0 &&
                   !(S_ISREG(info.st_mode) && is_about_failures(path))) {
            walk_add(walk, path);
        }
    }
    closedir(entries);
    return status;
}

static rt_status walk_path(file_walk *walk, rt_text path)
{
    path = rt_arena_text(walk->arena, path);
    struct stat info;
    if (stat(path.data, &info) != 0) {
        return rt_fail(walk->sink, RT_IO, RT_RULE_NONE, "%.*s: %s", RT_TEXT_ARG(path),
                       strerror(errno));
    }
    bool is_folder = S_ISDIR(info.st_mode);
    walk->root = cnf_files_root(walk->arena, path);
    if (walk->root.length == 0) {
        rt_text real = path_real(walk->arena, path);
        walk->root = is_folder ? real : folder_of(real);
    }
    if (is_folder) return walk_folder(walk, path, 0);
    walk_add(walk, path);
    return RT_STATUS_OK;
}

static int found_compare(const void *a, const void *b)
{
    const found_file *left = a, *right = b;
    int order = rt_text_compare(left->file.path, right->file.path);
    return order ? order : rt_text_compare(left->real, right->real);
}

rt_status cnf_files_find(rt_sink *sink, rt_arena *arena, const rt_text *paths, uint32_t path_count,
                         cnf_files *out_files)
{
    *out_files = (cnf_files){0};
    file_walk walk = {.sink = sink, .arena = arena};
    rt_status status = RT_STATUS_OK;
    for (uint32_t i = 0; i < path_count && rt_ok(status); i++)
        status = walk_path(&walk, paths[i]);
    if (rt_ok(status) && walk.found.count > 0) {
        qsort(walk.found.items, walk.found.count, sizeof *walk.found.items, found_compare);
        cnf_file *files = rt_arena_alloc_array(arena, walk.found.count, sizeof *files);
        for (uint32_t i = 0; i < walk.found.count; i++) {
            bool is_duplicate =
                i > 0 && rt_text_equal(walk.found.items[i].real, walk.found.items[i - 1].real);
            if (!is_duplicate) files[out_files->count++] = walk.found.items[i].file;
        }
        out_files->items = files;
    }
    rt_vector_free(&walk.found);
    return status;
}

/* ---- Packs --------------------------------------------------------------------------------- */

/* True if `selected` is the path of the member or of a folder above it. */
static bool member_is_selected(rt_text member, rt_text selected)
{
    while (selected.length > 0 && selected.data[selected.length - 1] == '/')
        selected.length--;
    if (selected.length == 0) return true;
    if (member.length < selected.length || memcmp(member.data, selected.data, selected.length) != 0)
        return false;
    return member.length == selected.length || member.data[selected.length] == '/';
}

bool cnf_files_find_packed(rt_sink *sink, rt_arena *arena, rt_text path, cnf_files *out_files,
                           rt_status *out_status)
{
    /* Splits "x.assay:PATH". */
    static const char ending[] = CNF_PACK_ENDING;
    const size_t length = strlen(ending);
    rt_text name = path, selected = {0};
    *out_files = (cnf_files){0};
    *out_status = RT_STATUS_OK;
    const char *colon = memmem(path.data, path.length, CNF_PACK_ENDING ":", length + 1);
    if (colon) {
        name.length = (size_t)(colon - path.data) + length;
        selected = (rt_text){colon + length + 1, path.length - name.length - 1};
    }
    if (name.length <= length || memcmp(name.data + name.length - length, ending, length) != 0)
        return false;
    const cnf_pack *pack;
    rt_buffer content;
    name = rt_arena_text(arena, name);
    *out_status = cnf_file_read(sink, name, CNF_ARCHIVE_FILE_MAX, &content);
    if (!rt_ok(*out_status)) return true;
    *out_status = cnf_pack_read(sink, arena, rt_buffer_bytes(&content), &pack);
    rt_buffer_free(&content);
    if (!rt_ok(*out_status)) {
        rt_text message = rt_sink_diagnostic(sink, *out_status)->message;
        *out_status = rt_fail(sink, out_status->code, RT_RULE_NONE, "%.*s: %.*s", RT_TEXT_ARG(name),
                              RT_TEXT_ARG(message));
        return true;
    }
    cnf_file *files = rt_arena_alloc_array(arena, pack->count, sizeof *files);
    for (uint32_t i = 0; i < pack->count; i++) {
        const cnf_packed_scenario *scenario = &pack->scenarios[i];
        if (!member_is_selected(scenario->path, selected)) continue;
        rt_text file =
            rt_arena_printf(arena, "%.*s:%.*s", RT_TEXT_ARG(name), RT_TEXT_ARG(scenario->path));
        files[out_files->count++] = (cnf_file){file, scenario->path, scenario};
    }
    out_files->items = files;
    return true;
}

/* ---- Reading ------------------------------------------------------------------------------- */

rt_status cnf_file_text(rt_sink *sink, const cnf_file *file, rt_buffer *out_text)
{
    *out_text = (rt_buffer){0};
    if (file->text.length > 0) {
        rt_buffer_append_text(out_text, file->text);
        return RT_STATUS_OK;
    }
    if (!file->packed) return cnf_file_read(sink, file->file, RT_SCENARIO_SIZE_MAX, out_text);
    rt_buffer_append_text(out_text, file->packed->source);
    return RT_STATUS_OK;
}

rt_status cnf_file_read(rt_sink *sink, rt_text file, size_t size_max, rt_buffer *out_content)
{
    *out_content = (rt_buffer){0};
    /* A named pipe without a writer is treated as empty: a blocking open would never return, and a
     * run cannot be interrupted while it waits there. A pipe with a writer is read to its end. */
    int descriptor = open(file.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0 && fcntl(descriptor, F_SETFL, 0) != 0) {
        int refused = errno;
        close(descriptor);
        errno = refused;
        descriptor = -1;
    }
    char portion[16384];
    ssize_t size = descriptor < 0 ? -1 : 1;
    while (size > 0 && out_content->size <= size_max) {
        size = read(descriptor, portion, sizeof portion);
        if (size > 0) rt_buffer_append(out_content, portion, (size_t)size);
    }
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (size < 0) {
        rt_buffer_free(out_content);
        return rt_fail(sink, RT_IO, RT_RULE_NONE, "%.*s:1:1: error: the file cannot be read: %s",
                       RT_TEXT_ARG(file), strerror(error));
    }
    if (out_content->size > size_max) {
        rt_buffer_free(out_content);
        return rt_fail(sink, RT_LIMIT, RT_RULE_NONE,
                       "%.*s:1:1: error: the file is larger than the limit of %zu bytes",
                       RT_TEXT_ARG(file), size_max);
    }
    return RT_STATUS_OK;
}

rt_text cnf_file_hash(rt_arena *arena, rt_text content)
{
    rt_hash_text hash = rt_hash_print(rt_hash128(content.data, content.length));
    return rt_arena_text(arena, rt_text_of(hash.digits));
}
