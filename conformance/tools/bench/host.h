/* OpenCL C for a C compiler: the kernels of the wild set as sequential functions.
 *
 * CMake compiles every kernel of kernels/wild a second time, as C, between this header and
 * BENCH_HOST_KERNEL. engine_host.c runs the work-items one after the other, each to its next
 * barrier. Names are those of OpenCL C; only what the kernels use is here. */
#ifndef CONFORMANCE_TOOLS_BENCH_HOST_H
#define CONFORMANCE_TOOLS_BENCH_HOST_H

#include "conformance/tools/bench/wild.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

typedef uint8_t uchar;
typedef uint16_t ushort, half;
typedef uint32_t uint;
typedef uint64_t ulong;

#define BENCH_HOST
#define BENCH_HOST_KERNEL(name)                                                                    \
    void bench_host_##name(const void *a, const void *b, void *out, uint32_t n)                    \
    {                                                                                              \
        name(a, b, out, n);                                                                        \
    }

#define kernel static
#define global
#define local    static
#define constant static const

#define CLK_LOCAL_MEM_FENCE 0
#define barrier(fence)      bench_host_barrier()
#define get_local_id(d)     (bench_host_now.local_id)
#define get_local_size(d)   (bench_host_now.local_size)
#define get_group_id(d)     (bench_host_now.group)
#define get_global_id(d)                                                                           \
    (bench_host_now.group * bench_host_now.local_size + bench_host_now.local_id)
#define get_global_size(d)      (bench_host_now.groups * bench_host_now.local_size)
#define min(x, y)               ((x) < (y) ? (x) : (y))
#define max(x, y)               ((x) > (y) ? (x) : (y))
#define clamp(x, least, most)   min(max(x, least), most)
#define clz(x)                  ((uint)__builtin_clz(x))
#define atomic_inc(p)           ((*(p))++)
#define atomic_add(p, x)        (*(p) += (x))
#define atomic_min(p, x)        (*(p) = min(*(p), x))
#define atomic_cmpxchg(p, c, x) bench_host_exchange(p, c, x)
#define vload_half(at, p)       bench_host_float((p)[at])
#define vstore_half(x, at, p)   ((p)[at] = bench_host_half(x))

static inline uint bench_host_exchange(uint *p, uint comparator, uint value)
{
    uint old = *p;
    if (old == comparator) *p = value;
    return old;
}

/* Only normal halves, as the wild set has them. */
static inline float bench_host_float(half x)
{
    uint sign = (uint)(x & 0x8000) << 16, magnitude = ((uint)(x & 0x7fff) << 13) + (112u << 23);
    uint bits = sign | magnitude;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline half bench_host_half(float x)
{
    uint bits;
    memcpy(&bits, &x, sizeof bits);
    uint magnitude = (bits & 0x7fffffffu) - (112u << 23);
    magnitude += 0xfff + (magnitude >> 13 & 1); /* to nearest, ties to even */
    return (half)((bits >> 16 & 0x8000) | magnitude >> 13);
}

#endif
