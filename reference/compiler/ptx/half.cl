/* The builtin functions for half on NVPTX; libclc 14 has none.
 *
 * A half is converted to float, and the result of the float function is rounded to half. The
 * precision of float is at least twice that of half plus two bits, so for sums, products, quotients
 * and square roots the result is still the nearest half; for the other functions the error stays
 * below the two ulp that OpenCL allows. fma, nextafter and fract have separate code. Source: OpenCL
 * C 2.0, 6.13.2, 6.13.4, 6.13.6, 6.13.7; OpenCL extension specification, cl_khr_fp16. */
#include "builtins.clh"

/* ---- Lane by lane -------------------------------------------------------------------------- */

#define LANES_ONE(n, result, name, type)                                                           \
    BUILTIN result##n name(type##n x)                                                              \
    {                                                                                              \
        result##n all;                                                                             \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = name(x[i]);                                                                   \
        return all;                                                                                \
    }
#define LANES_TWO(n, name, second)                                                                 \
    BUILTIN half##n name(half##n x, second##n y)                                                   \
    {                                                                                              \
        half##n all;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = name(x[i], y[i]);                                                             \
        return all;                                                                                \
    }
#define LANES_BY_ONE(n, name, second)                                                              \
    BUILTIN half##n name(half##n x, second y)                                                      \
    {                                                                                              \
        half##n all;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = name(x[i], y);                                                                \
        return all;                                                                                \
    }
#define LANES_THREE(n, name)                                                                       \
    BUILTIN half##n name(half##n x, half##n y, half##n z)                                          \
    {                                                                                              \
        half##n all;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = name(x[i], y[i], z[i]);                                                       \
        return all;                                                                                \
    }

/* ---- 6.13.2, with the functions for float ---------------------------------------------------- */

#define ONE(name)                                                                                  \
    float LIBRARY name(float x);                                                                   \
    BUILTIN half name(half x) { return (half)name((float)x); }                                     \
    EACH_WIDTH(LANES_ONE, half, name, half)
ONE(acos) ONE(acosh) ONE(acospi) ONE(asin) ONE(asinh) ONE(asinpi) ONE(atan) ONE(atanh) ONE(atanpi)
ONE(cbrt) ONE(ceil) ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfc) ONE(exp) ONE(exp2) ONE(exp10)
ONE(expm1) ONE(fabs) ONE(floor) ONE(lgamma) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(logb)
ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh) ONE(sinpi) ONE(sqrt) ONE(tan) ONE(tanh)
ONE(tanpi) ONE(tgamma) ONE(trunc) ONE(degrees) ONE(radians) ONE(sign)

#define TWO(name)                                                                                  \
    float LIBRARY name(float x, float y);                                                          \
    BUILTIN half name(half x, half y) { return (half)name((float)x, (float)y); }                   \
    EACH_WIDTH(LANES_TWO, name, half)
TWO(atan2) TWO(atan2pi) TWO(copysign) TWO(fmax) TWO(fmin) TWO(fmod) TWO(hypot) TWO(maxmag)
TWO(minmag) TWO(pow) TWO(powr) TWO(remainder) TWO(max) TWO(min)
EACH_WIDTH(LANES_BY_ONE, fmax, half)
EACH_WIDTH(LANES_BY_ONE, fmin, half)
EACH_WIDTH(LANES_BY_ONE, max, half)
EACH_WIDTH(LANES_BY_ONE, min, half)

#define BY_WHOLE(name)                                                                             \
    float LIBRARY name(float x, int y);                                                            \
    BUILTIN half name(half x, int y) { return (half)name((float)x, y); }                           \
    EACH_WIDTH(LANES_TWO, name, int)
BY_WHOLE(ldexp) BY_WHOLE(pown) BY_WHOLE(rootn)
EACH_WIDTH(LANES_BY_ONE, ldexp, int)

int LIBRARY ilogb(float x);
BUILTIN int ilogb(half x) { return ilogb((float)x); }
EACH_WIDTH(LANES_ONE, int, ilogb, half)

/* ---- 6.13.2, with separate code -------------------------------------------------------- */

BUILTIN half fma(half x, half y, half z)
{
    ushort result, a = __builtin_astype(x, ushort), b = __builtin_astype(y, ushort),
                   c = __builtin_astype(z, ushort);
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result) : "h"(a), "h"(b), "h"(c));
    return __builtin_astype(result, half);
}
BUILTIN half mad(half x, half y, half z) { return fma(x, y, z); }
BUILTIN half fdim(half x, half y) { return x <= y ? (half)0 : x - y; }
BUILTIN half clamp(half x, half least, half greatest) { return min(max(x, least), greatest); }
EACH_WIDTH(LANES_THREE, fma)
EACH_WIDTH(LANES_THREE, mad)
EACH_WIDTH(LANES_THREE, clamp)
EACH_WIDTH(LANES_TWO, fdim, half)

/* Without the sign bit, the bits of the halves of one sign count up from 0 in the order of their
 * magnitudes. */
BUILTIN half nextafter(half x, half y)
{
    ushort bits = __builtin_astype(x, ushort);
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    if (x == 0)
        bits = y > 0 ? 1 : 0x8001;
    else
        bits += (x < y) == (x > 0) ? 1 : -1;
    return __builtin_astype(bits, half);
}
EACH_WIDTH(LANES_TWO, nextafter, half)

/* Functions with a second result, one for each address space into which it may be stored. */
static half fract_of(half x, half whole)
{
    half rest = x - whole;
    if (rest != rest) return __builtin_isinf((float)x) ? copysign((half)0, x) : x;
    return x == 0 ? x : fmin(rest, (half)0x1.ffcp-1f);
}
float LIBRARY frexp(float x, __private int *exponent);
#define LANES_SECOND(n, name, second, space)                                                       \
    BUILTIN half##n name(half##n x, space second##n *out)                                          \
    {                                                                                              \
        half##n all;                                                                               \
        second##n others;                                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            second other;                                                                          \
            all[i] = name(x[i], &other);                                                           \
            others[i] = other;                                                                     \
        }                                                                                          \
        *out = others;                                                                             \
        return all;                                                                                \
    }
#define SECOND(name, second, space, ...)                                                           \
    BUILTIN half name(half x, space second *out) { __VA_ARGS__ }                                   \
    EACH_WIDTH(LANES_SECOND, name, second, space)
#define SECONDS(space)                                                                             \
    SECOND(fract, half, space, half whole = floor(x); *out = whole; return fract_of(x, whole);)    \
    SECOND(modf, half, space, half whole = trunc(x); *out = whole;                                 \
           return copysign(__builtin_isinf((float)x) ? (half)0 : x - whole, x);)                   \
    SECOND(sincos, half, space, *out = cos(x); return sin(x);)                                     \
    SECOND(frexp, int, space, int exponent; half part = (half)frexp((float)x, &exponent);          \
           *out = exponent; return part;)
SECONDS(__private)
SECONDS(__global)
SECONDS(__local)

/* ---- 6.13.6, relations: true is 1 for a scalar, -1 in a vector ------------------------------- */

#define LANES_ASKED(n, name)                                                                       \
    BUILTIN short##n name(half##n x)                                                               \
    {                                                                                              \
        short##n all;                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = (short)-name(x[i]);                                                           \
        return all;                                                                                \
    }
#define LANES_RELATED(n, name)                                                                     \
    BUILTIN short##n name(half##n x, half##n y)                                                    \
    {                                                                                              \
        short##n all;                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = (short)-name(x[i], y[i]);                                                     \
        return all;                                                                                \
    }
#define ASKED(name, answer)                                                                        \
    BUILTIN int name(half x)                                                                       \
    {                                                                                              \
        uint bits = __builtin_astype(x, ushort), size = bits & 0x7fff;                             \
        return answer;                                                                             \
    }                                                                                              \
    EACH_WIDTH(LANES_ASKED, name)
#define RELATED(name, answer)                                                                      \
    BUILTIN int name(half x, half y) { return answer; }                                            \
    EACH_WIDTH(LANES_RELATED, name)
ASKED(isnan, size > 0x7c00)
ASKED(isinf, size == 0x7c00)
ASKED(isfinite, size < 0x7c00)
ASKED(isnormal, size >= 0x400 && size < 0x7c00)
ASKED(signbit, bits > size)
RELATED(isequal, x == y)
RELATED(isnotequal, x != y)
RELATED(isgreater, x > y)
RELATED(isgreaterequal, x >= y)
RELATED(isless, x < y)
RELATED(islessequal, x <= y)
RELATED(islessgreater, x < y || x > y)
RELATED(isordered, x == x && y == y)
RELATED(isunordered, x != x || y != y)

/* ---- 6.13.7, vectors in memory --------------------------------------------------------------- */

#define LOADED(n, space)                                                                           \
    BUILTIN half##n vload##n(size_t at, const space half *p)                                       \
    {                                                                                              \
        half##n all;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = p[at * n + i];                                                                \
        return all;                                                                                \
    }
#define STORED(n, space)                                                                           \
    BUILTIN void vstore##n(half##n x, size_t at, space half *p)                                    \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            p[at * n + i] = x[i];                                                                  \
    }
EACH_WIDTH(LOADED, __constant)
EACH_WIDTH(LOADED, __global)
EACH_WIDTH(LOADED, __local)
EACH_WIDTH(LOADED, __private)
EACH_WIDTH(STORED, __global)
EACH_WIDTH(STORED, __local)
EACH_WIDTH(STORED, __private)

/* ---- 6.2.3, conversions ------------------------------------------------------------------------ */

/* Conversions from half go through float, which is exact. */
#define FROM(mode, to)                                                                             \
    to LIBRARY convert_##to##mode(float x);                                                        \
    BUILTIN to convert_##to##mode(half x) { return convert_##to##mode((float)x); }                 \
    EACH_WIDTH(LANES_FROM, mode, to)
#define LANES_FROM(n, mode, to)                                                                    \
    BUILTIN to##n convert_##to##n##mode(half##n x)                                                 \
    {                                                                                              \
        to##n all;                                                                                 \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = convert_##to##mode(x[i]);                                                     \
        return all;                                                                                \
    }
#define FROM_BY_MODE(to, sat)                                                                      \
    FROM(sat, to) FROM(sat##_rte, to) FROM(sat##_rtz, to) FROM(sat##_rtp, to) FROM(sat##_rtn, to)
#define FROM_TO_WHOLE(to, ...) FROM_BY_MODE(to, ) FROM_BY_MODE(to, _sat)
EACH_WHOLE(FROM_TO_WHOLE, )
FROM_BY_MODE(float, )
FROM_BY_MODE(double, )

/* Conversions to half go through double: a long that a double cannot represent is far beyond the
 * largest half. */
#define TO(mode, from, ...)                                                                        \
    BUILTIN half convert_half##mode(from x) { return __VA_ARGS__; }                                \
    EACH_WIDTH(LANES_TO, mode, from)
#define LANES_TO(n, mode, from)                                                                    \
    BUILTIN half##n convert_half##n##mode(from##n x)                                               \
    {                                                                                              \
        half##n all;                                                                               \
        for (int i = 0; i < n; i++)                                                                \
            all[i] = convert_half##mode(x[i]);                                                     \
        return all;                                                                                \
    }
#define TO_BY_MODE(from, ...)                                                                      \
    TO(, from, (half)x)                                                                            \
    TO(_rte, from, (half)x)                                                                        \
    TO(_rtz, from, half_rounded_rtz((double)x))                                                    \
    TO(_rtp, from, half_rounded_rtp((double)x))                                                    \
    TO(_rtn, from, half_rounded_rtn((double)x))
EACH_WHOLE(TO_BY_MODE, )
TO_BY_MODE(half, )
TO_BY_MODE(float, )
TO_BY_MODE(double, )
