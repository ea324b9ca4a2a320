/* The artefact cache: answers of the compile worker in a store (reference/base/store.h), in the
 * folder <folder>/compile.
 *
 * The key covers the request, the compilers and any fault planted in them; an answer depends on
 * nothing else. Only the hash of the key is stored: the request itself would double the size of an
 * entry. */
#include "conformance/build/cache.h"

#include "conformance/build/toolchain.h"

#include "reference/base/alloc.h"
#include "reference/base/hash.h"
#include "reference/base/store.h"
#include "reference/base/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_VERSION = 9 };

#define CACHE_SIZE_MAX  ((uint64_t)512 << 20) /* bytes */
#define CACHE_SIZE_KEPT (CACHE_SIZE_MAX / 4 * 3)

struct cnf_cache {
    rt_buffer folder;   /* "": nothing is cached */
    rt_store *store;    /* NULL: nothing is cached */
    rt_buffer identity; /* compilers and format versions; part of every key */
    rt_buffer warning;
    bool finds_answers, keeps_answers; /* of the worker; those of single tools always */
};

_Static_assert(CACHE_SIZE_KEPT < CACHE_SIZE_MAX, "a sweep removes something");

/* Invariants of an open cache. The contents of its folder are not checked: other processes change
 * that at any time, and reference/base/store.h checks each entry that it reads. */
static bool cache_check(const cnf_cache *cache)
{
    CHECK((cache->store != NULL) == (cache->folder.size > 0));
    CHECK((cache->warning.size > 0) == (cache->folder.size == 0)); /* says why there is none */
    /* The identity consists of lines, the first of which holds the version, so different identities
     * never give the same key. */
    CHECK(rt_text_starts(rt_buffer_text(&cache->identity), "artefacts "));
    CHECK(cache->identity.data[cache->identity.size - 1] == '\n');
    CHECK(!memchr(cache->identity.data, '\0', cache->identity.size));
    return true;
}

/* ---- Opening ------------------------------------------------------------------------------- */

cnf_cache *cnf_cache_open(rt_text folder, rt_text *out_warning)
{
    cnf_cache *cache = rt_alloc(sizeof *cache);
    cnf_toolchain toolchain;
    cnf_toolchain_find(&toolchain);
    rt_buffer_printf(&cache->identity, "artefacts %d\n", ANSWER_VERSION);
    cnf_toolchain_identify(&toolchain, &cache->identity);
    /* Only a fault planted in code that the worker runs changes artefacts. */
    static const char *const folders[] = {"@reference/compiler/", "@reference/image/",
                                          "@reference/base/", "@conformance/build/", "@sim/"};
    const char *fault = getenv("ASSAY_FAULT");
    for (size_t i = 0; fault && i < sizeof folders / sizeof *folders; i++)
        if (strstr(fault, folders[i])) rt_buffer_printf(&cache->identity, "fault %s\n", fault);

    const char *answers = getenv("ASSAY_CACHE_ANSWERS");
    if (!answers || answers[0] == '\0') answers = "both";
    cache->finds_answers = strcmp(answers, "both") == 0 || strcmp(answers, "find") == 0;
    cache->keeps_answers = strcmp(answers, "both") == 0 || strcmp(answers, "keep") == 0;

    const char *ours = getenv("ASSAY_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    if (folder.length > 0)
        rt_buffer_append_text(&cache->folder, folder);
    else if (ours && ours[0])
        rt_buffer_printf(&cache->folder, "%s", ours);
    else if (xdg && xdg[0] == '/')
        rt_buffer_printf(&cache->folder, "%s/assay", xdg);
    else if (home && home[0])
        rt_buffer_printf(&cache->folder, "%s/.cache/assay", home);
    const char *path = rt_buffer_string(&cache->folder);
    if (path[0] == '\0') {
        rt_buffer_printf(&cache->warning, "no cache: neither ASSAY_CACHE_DIR nor HOME is set");
    } else if (!rt_store_folder_make(&rt_store_system, path) || access(path, W_OK | X_OK) != 0) {
        rt_buffer_printf(&cache->warning, "no cache: %s cannot be written (%s)", path,
                         strerrordesc_np(errno));
        rt_buffer_free(&cache->folder);
    } else {
        rt_buffer store_folder = {0};
        rt_buffer_printf(&store_folder, "%s/compile", path);
        const rt_store_parameters parameters = {.folder = rt_buffer_text(&store_folder),
                                                .size_max = CACHE_SIZE_MAX,
                                                .size_kept = CACHE_SIZE_KEPT};
        cache->store = rt_store_create(&parameters);
        rt_buffer_free(&store_folder);
    }
    CHECK_SLOW(cache_check(cache));
    *out_warning = rt_buffer_text(&cache->warning);
    return cache;
}

void cnf_cache_close(cnf_cache *cache)
{
    if (!cache) return;
    CHECK_SLOW(cache_check(cache));
    rt_store_destroy(cache->store);
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

/* Makes the key of a request to the tool with this identity; the caller frees the key. */
static rt_buffer key_of(rt_text identity, rt_bytes request)
{
    CHECK(identity.length > 0);
    rt_buffer named = {0}, key = {0};
    rt_buffer_append_text(&named, identity);
    rt_buffer_append(&named, request.data, request.size);
    rt_hash hash = rt_hash128(named.data, named.size);
    rt_buffer_free(&named);
    rt_write_u64(&key, hash.low);
    rt_write_u64(&key, hash.high);
    CHECK(key.size == sizeof(rt_hash));
    return key;
}

bool cnf_cache_tool_find(cnf_cache *cache, rt_text tool, rt_bytes request, rt_buffer *out_answer)
{
    CHECK_SLOW(cache_check(cache));
    size_t size_before = out_answer->size;
    if (!cache->store) return false;
    rt_buffer key = key_of(tool, request);
    rt_store_answer answer = rt_store_find(cache->store, rt_buffer_bytes(&key), out_answer);
    rt_buffer_free(&key);
    CHECK_IMPLIES(answer != RT_STORE_FOUND, out_answer->size == size_before);
    CHECK_SLOW(cache_check(cache));
    return answer == RT_STORE_FOUND;
}

void cnf_cache_tool_keep(cnf_cache *cache, rt_text tool, rt_bytes request, rt_bytes answer)
{
    CHECK_SLOW(cache_check(cache));
    if (!cache->store) return;
    CHECK(answer.size > 0);
    rt_buffer key = key_of(tool, request);
    /* A request whose answer cannot be stored is compiled again; cnf_cache_open has warned. */
    (void)rt_store_keep(cache->store, rt_buffer_bytes(&key), answer);
    rt_buffer_free(&key);
    CHECK_SLOW(cache_check(cache));
}

bool cnf_cache_find(cnf_cache *cache, rt_bytes request, rt_buffer *out_answer)
{
    return cache->finds_answers &&
           cnf_cache_tool_find(cache, rt_buffer_text(&cache->identity), request, out_answer);
}

void cnf_cache_keep(cnf_cache *cache, rt_bytes request, rt_bytes answer)
{
    if (cache->keeps_answers)
        cnf_cache_tool_keep(cache, rt_buffer_text(&cache->identity), request, answer);
}

void cnf_cache_sweep(cnf_cache *cache, uint64_t size_max, uint64_t size_kept)
{
    CHECK(size_kept <= size_max);
    CHECK_SLOW(cache_check(cache));
    if (cache->store) rt_store_sweep(cache->store, size_max, size_kept);
    CHECK_SLOW(cache_check(cache));
}
