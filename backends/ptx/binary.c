/* Serialised programs: a magic number, the hash of the rest (two words), the kernels, the cubin. */
#include "backends/ptx/binary.h"

#include "reference/base/hash.h"

/* The last digit is the version of the format. */
#define BINARY_MAGIC UINT64_C(0x3158545059534153) /* "SASYPTX1" */

void ptx_binary_write(rt_buffer *out, const ptx_kernels *kernels, rt_bytes cubin)
{
    rt_buffer rest = {0};
    ptx_kernels_write(&rest, kernels);
    rt_write_bytes(&rest, cubin);
    rt_hash hash = rt_hash128(rest.data, rest.size);
    rt_write_u64(out, BINARY_MAGIC);
    rt_write_u64(out, hash.low);
    rt_write_u64(out, hash.high);
    rt_buffer_append(out, rest.data, rest.size);
    rt_buffer_free(&rest);
}

static bool binary_read(rt_bytes binary, ptx_kernels *kernels, rt_bytes *out_cubin)
{
    rt_reader reader = rt_reader_of(binary);
    uint64_t magic = rt_read_u64(&reader);
    rt_hash expected = {0};
    expected.low = rt_read_u64(&reader);
    expected.high = rt_read_u64(&reader);
    if (reader.failed || magic != BINARY_MAGIC) return false;
    rt_hash hash = rt_hash128(binary.data + reader.position, binary.size - reader.position);
    if (hash.low != expected.low || hash.high != expected.high) return false;
    ptx_kernels_read(&reader, kernels);
    *out_cubin = rt_read_bytes(&reader);
    return rt_reader_finished(&reader) && out_cubin->size > 0;
}

rt_status ptx_binary_read(rt_sink *sink, rt_bytes binary, ptx_kernels *out_kernels,
                          rt_bytes *out_cubin)
{
    *out_cubin = (rt_bytes){0};
    if (binary_read(binary, out_kernels, out_cubin)) return RT_STATUS_OK;
    return rt_fail(sink, RT_MALFORMED, RT_RULE_NONE,
                   "%zu bytes are not a linked program: they are truncated, damaged or from "
                   "another version",
                   binary.size);
}
