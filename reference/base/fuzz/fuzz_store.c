/* Feeds bytes to the reader of a store's files, once unchanged and once with the matching hash in
 * the header, so that the code behind the hash check is reached.  Input that is accepted must be
 * identical to what the writer produces. */
#include "reference/base/hash.h"
#include "reference/base/store.h"
#include "reference/base/stream.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const rt_bytes key = {(const uint8_t *)"the key", 7};

static void check(rt_bytes file)
{
    rt_bytes content;
    rt_store_answer answer = rt_store_entry_read(file, key, &content);
    CHECK(answer != RT_STORE_ABSENT && answer != RT_STORE_UNREADABLE);
    CHECK_IMPLIES(answer != RT_STORE_FOUND, content.size == 0);
    if (answer != RT_STORE_FOUND) return;
    rt_buffer written = {0};
    rt_store_entry_write(&written, key, content);
    CHECK(written.size == file.size && memcmp(written.data, file.data, file.size) == 0);
    rt_buffer_free(&written);
}

/* Computes the hash of the bytes after the header and stores it in the header. */
static void seal(uint8_t *data, size_t size)
{
    rt_hash hash = rt_hash128(data + RT_STORE_HASHED_AT, size - RT_STORE_HASHED_AT);
    rt_buffer bytes = {0};
    rt_write_u64(&bytes, hash.low);
    rt_write_u64(&bytes, hash.high);
    CHECK(bytes.size == RT_STORE_HASHED_AT - RT_STORE_HASH_AT);
    memcpy(data + RT_STORE_HASH_AT, bytes.data, bytes.size);
    rt_buffer_free(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check((rt_bytes){data, size});
    if (size < RT_STORE_HASHED_AT) return 0;
    rt_buffer sealed = {0};
    rt_buffer_append(&sealed, data, size);
    seal((uint8_t *)sealed.data, sealed.size);
    check(rt_buffer_bytes(&sealed));
    rt_buffer_free(&sealed);
    return 0;
}
