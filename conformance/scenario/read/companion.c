/* Opens, reads and hashes companion files. A name is relative to the scenario's folder, so that a
 * tree of scenarios and kernels can be moved as a whole. A hash pins the contents; without one, the
 * contents become part of the scenario's identity (scn_scenario.unpinned).
 *
 * Source: FIPS 180-4 (SHA-256), implemented by nettle. */
#include "conformance/scenario/read/companion.h"

#include "reference/base/hash.h"
#include "reference/base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    if (name->text.data[0] == '/') {
        return scn_report(reader->reporter, name->at,
                          "'%s' is an absolute path; write it relative to the scenario's folder",
                          excerpt);
    }
    rt_text file = scn_companion_path(reader->arena, reader->scenario, name->text);
    /* Non-blocking: a pipe without a writer must not block the reader. */
    int descriptor = open(file.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

rt_text scn_companion_hash(rt_arena *arena, rt_text content)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, content.length, (const uint8_t *)content.data);
    sha256_digest(&context, sizeof digest, digest);
    rt_buffer printed = {0};
    rt_buffer_append_hex(&printed, (rt_bytes){digest, sizeof digest});
    CHECK(printed.size == 2 * sizeof digest);
    rt_text digits = rt_arena_text(arena, rt_buffer_text(&printed));
    rt_buffer_free(&printed);
    return digits;
}

static bool hash_check(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                       rt_text content)
{
    const char *digits = scn_companion_hash(reader->arena, content).data;
    const char *excerpt = scn_excerpt(reader->arena, name->text);
    if (sha256->kind == SCN_NODE_SCALAR && rt_text_is(sha256->text, digits)) return true;
    return scn_report(reader->reporter, sha256->at,
                      "this is not the hash of '%s'; if the file is the intended one, write "
                      "'sha256: %s'",
                      excerpt, digits);
}

/* Adds the contents of a file without a hash to the scenario's identity. */
static void content_note(scn_scenario *scenario, rt_text content)
{
    const rt_hash hashes[2] = {scenario->unpinned, rt_hash128(content.data, content.length)};
    scenario->unpinned = rt_hash128(hashes, sizeof hashes);
}

bool scn_companion_read(scn_reader *reader, const scn_node *name, const scn_node *sha256,
                        rt_text *out_content)
{
    CHECK(name->kind == SCN_NODE_SCALAR && name->text.length > 0);
    if (!content_read(reader, name, out_content)) return false;
    if (sha256) return hash_check(reader, name, sha256, *out_content);
    content_note(reader->scenario, *out_content);
    return true;
}
