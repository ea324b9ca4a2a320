/* Integer builtin functions on NVPTX that libclc lacks, the magnitude of the least number, which
 * libclc leaves undefined, and saturating conversions from floats, where it leaves the result for
 * NaN to the processor.
 *
 * Source: OpenCL C 2.0, 6.2.3.3 ("NaN ... should be converted to 0") and 6.13.3. */
#include "builtins.clh"

/* ---- 6.13.3, integers ------------------------------------------------------------------------- */

/* For 0 the result is the number of bits. */
#define TRAILING_ZEROS(type, wide, count, bits)                                                    \
    BUILTIN type ctz(type x)                                                                       \
    {                                                                                              \
        return x == 0 ? (type)(bits) : (type)__builtin_##count((wide)x);                           \
    }                                                                                              \
    EACH_WIDTH(LANES_ZEROS, type)
#define LANES_ZEROS(n, type)                                                                       \
    BUILTIN type##n ctz(type##n x)                                                                 \
    {                                                                                              \
        type##n result;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            result[i] = ctz(x[i]);                                                                 \
        return result;                                                                             \
    }
TRAILING_ZEROS(char, uint, ctz, 8)
TRAILING_ZEROS(uchar, uint, ctz, 8)
TRAILING_ZEROS(short, uint, ctz, 16)
TRAILING_ZEROS(ushort, uint, ctz, 16)
TRAILING_ZEROS(int, uint, ctz, 32)
TRAILING_ZEROS(uint, uint, ctz, 32)
TRAILING_ZEROS(long, ulong, ctzl, 64)
TRAILING_ZEROS(ulong, ulong, ctzl, 64)

/* The sum wraps, so it is computed with unsigned numbers. */
#define MULTIPLY_ADD_HIGH(type, ...)                                                               \
    type LIBRARY mul_hi(type a, type b);                                                           \
    BUILTIN type mad_hi(type a, type b, type c)                                                    \
    {                                                                                              \
        return (type)((ulong)mul_hi(a, b) + (ulong)c);                                             \
    }                                                                                              \
    EACH_WIDTH(LANES_MULTIPLIED, type)
#define LANES_MULTIPLIED(n, type)                                                                  \
    BUILTIN type##n mad_hi(type##n a, type##n b, type##n c)                                        \
    {                                                                                              \
        type##n result;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            result[i] = mad_hi(a[i], b[i], c[i]);                                                  \
        return result;                                                                             \
    }
EACH_WHOLE(MULTIPLY_ADD_HIGH, )

/* The magnitude of the least number fits into the result, which is unsigned. libclc negates a signed
 * number, which LLVM assumes not to overflow; it does not do so for vectors. */
#define MAGNITUDE(type, result)                                                                    \
    BUILTIN result abs(type x)                                                                     \
    {                                                                                              \
        return x < 0 ? (result)0 - (result)x : (result)x;                                          \
    }
MAGNITUDE(int, uint)
MAGNITUDE(long, ulong)

/* ---- 6.2.3.3, saturating conversions ---------------------------------------------------------- */

/* Float and double represent the least value of every type, but not always the greatest: `past` is
 * one more than the greatest value. */
#define SATURATED(mode, type, real, round, least, past)                                            \
    BUILTIN type convert_##type##_sat##mode(real x)                                                \
    {                                                                                              \
        real whole = round(x);                                                                     \
        if (x != x) return 0;                                                                      \
        if (whole <= (real)least) return (type)least;                                              \
        if (whole >= (real)past) return (type)(past - 1);                                          \
        return (type)whole;                                                                        \
    }                                                                                              \
    EACH_WIDTH(LANES_SATURATED, mode, type, real)
#define LANES_SATURATED(n, mode, type, real)                                                       \
    BUILTIN type##n convert_##type##n##_sat##mode(real##n x)                                       \
    {                                                                                              \
        type##n result;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            result[i] = convert_##type##_sat##mode(x[i]);                                          \
        return result;                                                                             \
    }
#define SATURATED_BY_MODE(type, real, f, least, past)                                              \
    SATURATED(, type, real, __builtin_trunc##f, least, past)                                       \
    SATURATED(_rtz, type, real, __builtin_trunc##f, least, past)                                   \
    SATURATED(_rte, type, real, __builtin_rint##f, least, past)                                    \
    SATURATED(_rtp, type, real, __builtin_ceil##f, least, past)                                    \
    SATURATED(_rtn, type, real, __builtin_floor##f, least, past)
/* A 64-bit type cannot hold its greatest value plus one. */
#define SATURATED_LONG(mode, type, real, round, least, past, greatest)                             \
    BUILTIN type convert_##type##_sat##mode(real x)                                                \
    {                                                                                              \
        real whole = round(x);                                                                     \
        if (x != x) return 0;                                                                      \
        if (whole <= (real)least) return least;                                                    \
        return whole >= (real)past ? greatest : (type)whole;                                       \
    }                                                                                              \
    EACH_WIDTH(LANES_SATURATED, mode, type, real)
#define SATURATED_LONG_BY_MODE(type, real, f, least, past, greatest)                               \
    SATURATED_LONG(, type, real, __builtin_trunc##f, least, past, greatest)                        \
    SATURATED_LONG(_rtz, type, real, __builtin_trunc##f, least, past, greatest)                    \
    SATURATED_LONG(_rte, type, real, __builtin_rint##f, least, past, greatest)                     \
    SATURATED_LONG(_rtp, type, real, __builtin_ceil##f, least, past, greatest)                     \
    SATURATED_LONG(_rtn, type, real, __builtin_floor##f, least, past, greatest)
#define SATURATED_FROM(real, f)                                                                    \
    SATURATED_BY_MODE(char, real, f, -0x80L, 0x80L)                                                \
    SATURATED_BY_MODE(uchar, real, f, 0L, 0x100L)                                                  \
    SATURATED_BY_MODE(short, real, f, -0x8000L, 0x8000L)                                           \
    SATURATED_BY_MODE(ushort, real, f, 0L, 0x10000L)                                               \
    SATURATED_BY_MODE(int, real, f, -0x80000000L, 0x80000000L)                                     \
    SATURATED_BY_MODE(uint, real, f, 0L, 0x100000000L)                                             \
    SATURATED_LONG_BY_MODE(long, real, f, (-0x7fffffffffffffffL - 1), 0x1p63, 0x7fffffffffffffffL) \
    SATURATED_LONG_BY_MODE(ulong, real, f, 0UL, 0x1p64, 0xffffffffffffffffUL)
SATURATED_FROM(float, f)
SATURATED_FROM(double, )
