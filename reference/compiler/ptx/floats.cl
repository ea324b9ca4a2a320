/* Floating-point builtin functions on NVPTX that libclc gets wrong: conversions with a rounding
 * mode, fract, and stores of halves rounded up or down.
 *
 * Source: OpenCL C 2.0, 6.2.3, 6.13.2 and 6.13.7. */
#include "builtins.clh"

/* ---- 6.2.3, conversions with a rounding mode ------------------------------------------------- */

/* libclc converts back to find out how a value was rounded, which fails for values beyond the range
 * of the type. */
#define LANES_CONVERTED(n, real, whole, mode)                                                      \
    BUILTIN real##n convert_##real##n##_##mode(whole##n x)                                         \
    {                                                                                              \
        real##n result;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            result[i] = convert_##real##_##mode(x[i]);                                             \
        return result;                                                                             \
    }
/* Inline assembly, since clang's builtins take a long long, which has 128 bits in OpenCL C. */
#define CONVERTED(real, to, whole, from, mode, instruction)                                        \
    BUILTIN real convert_##real##_##mode(whole x)                                                  \
    {                                                                                              \
        real result;                                                                               \
        __asm__(instruction " %0, %1;" : to(result) : from(x));                                    \
        return result;                                                                             \
    }                                                                                              \
    EACH_WIDTH(LANES_CONVERTED, real, whole, mode)
#define CONVERTED_BY_MODE(real, to, whole, from, types)                                            \
    CONVERTED(real, to, whole, from, rtz, "cvt.rz." types)                                         \
    CONVERTED(real, to, whole, from, rtp, "cvt.rp." types)                                         \
    CONVERTED(real, to, whole, from, rtn, "cvt.rm." types)
CONVERTED_BY_MODE(float, "=f", int, "r", "f32.s32")
CONVERTED_BY_MODE(float, "=f", uint, "r", "f32.u32")
CONVERTED_BY_MODE(float, "=f", long, "l", "f32.s64")
CONVERTED_BY_MODE(float, "=f", ulong, "l", "f32.u64")
CONVERTED_BY_MODE(double, "=d", long, "l", "f64.s64")
CONVERTED_BY_MODE(double, "=d", ulong, "l", "f64.u64")

/* ---- 6.13.2, fract ----------------------------------------------------------------------------- */

/* The result of fract is below 1 and keeps the sign of a zero or an infinity ("Additional
 * Requirements Beyond C99 TC2"); libclc loses the sign. */
static float fract_float(float x, float whole)
{
    float rest = x - whole;
    if (rest != rest) return __builtin_isinf(x) ? __builtin_copysignf(0.0f, x) : x;
    return x == 0 ? x : __builtin_fminf(rest, 0x1.fffffep-1f);
}
static double fract_double(double x, double whole)
{
    double rest = x - whole;
    if (rest != rest) return __builtin_isinf(x) ? __builtin_copysign(0.0, x) : x;
    return x == 0 ? x : __builtin_fmin(rest, 0x1.fffffffffffffp-1);
}
static float floor_float(float x) { return __builtin_floorf(x); }
static double floor_double(double x) { return __builtin_floor(x); }

#define LANES_FRACT(n, real, space)                                                                \
    BUILTIN real##n fract(real##n x, space real##n *out_whole)                                     \
    {                                                                                              \
        real##n result, whole;                                                                     \
        for (int i = 0; i < n; i++) {                                                              \
            whole[i] = floor_##real(x[i]);                                                         \
            result[i] = fract_##real(x[i], whole[i]);                                              \
        }                                                                                          \
        *out_whole = whole;                                                                        \
        return result;                                                                             \
    }
#define FRACT(real, space)                                                                         \
    BUILTIN real fract(real x, space real *out_whole)                                              \
    {                                                                                              \
        real whole = floor_##real(x);                                                              \
        *out_whole = whole;                                                                        \
        return fract_##real(x, whole);                                                             \
    }                                                                                              \
    EACH_WIDTH(LANES_FRACT, real, space)
#define FRACT_BY_SPACE(real) FRACT(real, __global) FRACT(real, __local) FRACT(real, __private)
FRACT_BY_SPACE(float)
FRACT_BY_SPACE(double)

/* ---- 6.13.7, halves rounded up and down ------------------------------------------------------- */

/* For values below 0.5 times the least positive half, libclc checks ten bits too few. This function
 * truncates the magnitude and moves on to the next half if bits were cut off and the rounding
 * direction demands it. Floats are converted to double first. */
static ushort half_away(double x, int away)
{
    ulong bits = __builtin_astype(x, ulong);
    ulong size = bits & 0x7fffffffffffffffUL;
    uint sign = (uint)(bits >> 48) & 0x8000, half_bits, cut;
    if (x != x) return (ushort)(sign | 0x7e00);
    if (size == 0x7ff0000000000000UL) return (ushort)(sign | 0x7c00);
    if (size < 0x3f10000000000000UL) { /* below 2 to the power of -14: subnormal */
        double steps = __builtin_fabs(x) * 0x1p24;
        half_bits = (uint)steps;
        cut = half_bits != steps;
    } else if (size >= 0x40f0000000000000UL) { /* 2 to the 16 */
        half_bits = 0x7bff;
        cut = 1;
    } else {
        half_bits = (uint)((size - (0x3f0UL << 52)) >> 42);
        cut = (size & 0x3ffffffffffUL) != 0;
    }
    return (ushort)(sign | (half_bits + (away && cut)));
}
static ushort half_rtp(double x) { return half_away(x, x > 0); }
static ushort half_rtn(double x) { return half_away(x, x < 0); }

/* Used by conversions to half (half.cl). */
static half half_rounded_rtz(double x) { return __builtin_astype(half_away(x, 0), half); }
static half half_rounded_rtp(double x) { return __builtin_astype(half_rtp(x), half); }
static half half_rounded_rtn(double x) { return __builtin_astype(half_rtn(x), half); }

#define HALVES_STORED(n, step, name, real, space, mode)                                            \
    BUILTIN void name##_##mode(real##n x, size_t offset, space half *p)                            \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            ((space ushort *)p)[offset * step + i] = half_##mode(x[i]);                    \
    }
#define HALF_STORED(real, space, mode)                                                             \
    BUILTIN void vstore_half_##mode(real x, size_t offset, space half *p)                          \
    {                                                                                              \
        ((space ushort *)p)[offset] = half_##mode(x);                                      \
    }                                                                                              \
    BUILTIN void vstorea_half_##mode(real x, size_t offset, space half *p)                         \
    {                                                                                              \
        vstore_half_##mode(x, offset, p);                                                          \
    }                                                                                              \
    HALVES_STORED(2, 2, vstore_half2, real, space, mode)                                           \
    HALVES_STORED(3, 3, vstore_half3, real, space, mode)                                           \
    HALVES_STORED(4, 4, vstore_half4, real, space, mode)                                           \
    HALVES_STORED(8, 8, vstore_half8, real, space, mode)                                           \
    HALVES_STORED(16, 16, vstore_half16, real, space, mode)                                        \
    HALVES_STORED(2, 2, vstorea_half2, real, space, mode)                                          \
    HALVES_STORED(3, 4, vstorea_half3, real, space, mode)                                          \
    HALVES_STORED(4, 4, vstorea_half4, real, space, mode)                                          \
    HALVES_STORED(8, 8, vstorea_half8, real, space, mode)                                          \
    HALVES_STORED(16, 16, vstorea_half16, real, space, mode)
#define HALF_STORED_BY_SPACE(real, mode)                                                           \
    HALF_STORED(real, __global, mode)                                                              \
    HALF_STORED(real, __local, mode)                                                               \
    HALF_STORED(real, __private, mode)
HALF_STORED_BY_SPACE(float, rtp)
HALF_STORED_BY_SPACE(float, rtn)
HALF_STORED_BY_SPACE(double, rtp)
HALF_STORED_BY_SPACE(double, rtn)
