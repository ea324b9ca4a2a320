/* Opens, reads and hashes companion files. A scenario may come from anywhere, so its file names
 * must not reach outside its own folder: they cannot be absolute or contain "..", and links are
 * followed only to targets inside. The hash ensures that every run uses the same bytes.
 *
 * Source: FIPS 180-4 (SHA-256), implemented by nettle. */
#include "conformance/scenario/read/companion.h"

#include "reference/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Names -------------------------------------------------------------------------------- */

/* Returns why a name is refused; NULL if it is accepted. */
static const char *name_refusal(rt_text name)
{
    if (name.data[0] == '/') return "the path is absolute; name a file in the scenario's folder";
    while (name.length > 0)
        if (rt_text_is(rt_text_take_until(&name, '/'), ".."))
            return "'..' leads out of the scenario's folder; name a file inside it";
    return NULL;
}

/* ---- Content ------------------------------------------------------------------------------ */

static bool read_all(int descriptor, char *data, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t count = read(descriptor, data + at, size - at);
        if (count < 0 && errno == EINTR) continue;
        if (count == 0) errno = EIO; /* the file has shrunk in the meantime */
        if (count <= 0) return false;
        at += (size_t)count;
    }
    return true;
}

static bool read_open(scn_reader *reader, const scn_node *name, int descriptor, rt_text *out)
{
    struct stat status;
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return scn_report(reader->reporter, name->at, "'%s' is not a regular file", excerpt);
    }
    if ((uint64_t)status.st_size > RT_IMAGE_SIZE_MAX) {
        return scn_report(reader->reporter, name->at, "'%s' has %lld bytes; at most %u are read",
                          excerpt, (long long)status.st_size, RT_IMAGE_SIZE_MAX);
    }
    if (status.st_size == 0) {
        return scn_report(reader->reporter, name->at, "'%s' is empty", excerpt);
    }
    size_t size = (size_t)status.st_size;
    char *data = rt_arena_alloc(reader->arena, size + 1);
    if (!read_all(descriptor, data, size)) {
        return scn_report(reader->reporter, name->at, "'%s' cannot be read: %s", excerpt,
                          strerrordesc_np(errno));
    }
    *out = (rt_text){data, size};
    return true;
}

static bool content_read(scn_reader *reader, const scn_node *name, rt_text *out)
{
    char folder[PATH_MAX], path[PATH_MAX];
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    rt_text root = scn_companion_path(reader->arena, reader->scenario, RT_TEXT("."));
    rt_text file = scn_companion_path(reader->arena, reader->scenario, name->text);
    bool found = realpath(root.data, folder) && realpath(file.data, path);
    if (found && strcmp(folder, "/") != 0 &&
        !(rt_text_starts(rt_text_of(path), folder) && path[strlen(folder)] == '/')) {
        return scn_report(
            reader->reporter, name->at,
            "'%s' is reached by a link out of the scenario's folder; put the file inside it",
            excerpt);
    }
    /* Non-blocking: a pipe without a writer must not block the reader. */
    int descriptor = found ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (descriptor < 0) {
        return scn_report(
            reader->reporter, name->at,
            "'%s' cannot be opened: %s; the name is relative to the scenario's folder", excerpt,
            strerrordesc_np(errno));
    }
    bool valid = read_open(reader, name, descriptor, out);
    close(descriptor);
    return valid;
}

/* ---- Hash --------------------------------------------------------------------------------- */

static bool hash_check(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                       rt_text content)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, content.length, (const uint8_t *)content.data);
    sha256_digest(&context, sizeof digest, digest);
    rt_buffer printed = {0};
    rt_buffer_append_hex(&printed, (rt_bytes){digest, sizeof digest});
    CHECK(printed.size == 2 * sizeof digest);
    const char *digits = rt_arena_text(reader->arena, rt_buffer_text(&printed)).data;
    rt_buffer_free(&printed);
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    if (!sha256) {
        return scn_report(
            reader->reporter, name->at,
            "'%s' requires its hash, so that every run uses the same bytes; add 'sha256: %s'",
            excerpt, digits);
    }
    if (sha256->kind == SCN_NODE_SCALAR && rt_text_is(sha256->text, digits)) return true;
    return scn_report(reader->reporter, sha256->at,
                      "this is not the hash of '%s'; if the file is the intended one, write "
                      "'sha256: %s'",
                      excerpt, digits);
}

bool scn_companion_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                        rt_text *out_content)
{
    CHECK(name->kind == SCN_NODE_SCALAR && name->text.length > 0);
    const char *refusal = name_refusal(name->text);
    if (refusal) {
        return scn_report(reader->reporter, name->at, "'%s' is refused: %s",
                          scn_excerpt(reader->arena, name->text), refusal);
    }
    return content_read(reader, name, out_content) &&
           hash_check(reader, name, sha256, *out_content);
}
