/* The floating-point functions of OpenCL.std that take more than one processor operation.
 *
 * Results are correctly rounded, so they have the same bits on every machine.  The host's library
 * computes a function of float in double, and one of double in long double where that has 64 bits.
 * If its result, with a relative error of 2^-40 or 2^-59 either way, could round to two different
 * numbers, MPFR decides.  These margins are 4096 ULP of double and 16 of long double; the worst of
 * the library's functions are off by a few dozen and by five, so it makes no difference which
 * variant of a function the library selects for a processor.  They are also narrow enough for MPFR
 * to be needed for only one value in 2^15, or in 32.  Functions that need no rounding (fmod, frexp,
 * nextafter, ...) are computed directly.  Every NaN in a result is the positive quiet one.
 *
 * Special cases: OpenCL C specification, "Edge Case Behavior"; ISO C99 annex F.9. */
#ifndef SIM_MATH_H
#define SIM_MATH_H

#include <stdbool.h>
#include <stdint.h>

/* Rounded functions of one operand, of two operands, and of a float and an integer. */
/* clang-format off */
#define SIM_MATH_ROUNDED_1(X) \
    X(acos) X(acosh) X(acospi) X(asin) X(asinh) X(asinpi) X(atan) X(atanh) X(atanpi) X(cbrt) \
    X(cos) X(cosh) X(cospi) X(erf) X(erfc) X(exp) X(exp2) X(exp10) X(expm1) X(lgamma) X(log) \
    X(log2) X(log10) X(log1p) X(rsqrt) X(sin) X(sinh) X(sinpi) X(tan) X(tanh) X(tanpi) X(tgamma)
#define SIM_MATH_ROUNDED_2(X) X(atan2) X(atan2pi) X(hypot) X(pow) X(powr)
#define SIM_MATH_ROUNDED_INTEGER(X) X(pown) X(rootn)
/* Functions whose result needs no rounding, or only a rounding that the processor performs. */
#define SIM_MATH_DIRECT(X) \
    X(fdim) X(fmod) X(fract) X(frexp) X(logb) X(maxmag) X(minmag) X(modf) X(nextafter) X(remainder)
#define SIM_MATH_DIRECT_INTEGER(X) X(ldexp)
/* Functions of this kind with an integer result: ilogb, and the second results of frexp, lgamma_r
 * and remquo. */
#define SIM_MATH_TO_INTEGER(X) X(ilogb) X(exponent) X(gamma_sign) X(quotient)
/* clang-format on */
#define SIM_MATH_ROUNDED(X) SIM_MATH_ROUNDED_1(X) SIM_MATH_ROUNDED_2(X) SIM_MATH_ROUNDED_INTEGER(X)
#define SIM_MATH_FUNCTIONS(X)                                                                      \
    SIM_MATH_ROUNDED(X) SIM_MATH_DIRECT(X) SIM_MATH_DIRECT_INTEGER(X) SIM_MATH_TO_INTEGER(X)

typedef enum sim_math {
#define SIM_MATH_ENUM(function) SIM_MATH_##function,
    SIM_MATH_FUNCTIONS(SIM_MATH_ENUM)
#undef SIM_MATH_ENUM
        SIM_MATH_COUNT
} sim_math;

/* One function applied to lanes.  Integer operands and results are signed and as wide as the
 * floats; their values fit in 32 bits. */
typedef struct sim_math_lanes {
    uint32_t count;
    const uint8_t *mask; /* 1 for lanes to compute, the others are unchanged; NULL: all */
    const void *a, *b;   /* rows; b: NULL for a function of one operand */
    void *out;           /* a row, may be one of the operands' */
} sim_math_lanes;

/* Applies a function to lanes of float or of double. */
void sim_math_float(sim_math function, const sim_math_lanes *lanes);
void sim_math_double(sim_math function, const sim_math_lanes *lanes);

/* ---- Between math.c and math_exact.c -------------------------------------------------------- */

/* Computes one of the SIM_MATH_ROUNDED functions; the exact result is rounded once, to float or to
 * double, to nearest with ties to even. */
double sim_math_exact(sim_math function, double a, double b, bool to_float);

/* Frees what the exact functions cache for the calling thread, which is about to end. */
void sim_math_thread_end(void);

#endif
