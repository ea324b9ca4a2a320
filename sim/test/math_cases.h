/* Functions that the kernels of math.cl and the tests of test_exec_math.c share: the name in OpenCL
 * C, and the corresponding function of math.h. */

#define MATH_1(X)                                                                                  \
    X(acos, acos)                                                                                  \
    X(acosh, acosh)                                                                                \
    X(acospi, acospi)                                                                              \
    X(asin, asin)                                                                                  \
    X(asinh, asinh)                                                                                \
    X(asinpi, asinpi)                                                                              \
    X(atan, atan)                                                                                  \
    X(atanh, atanh)                                                                                \
    X(atanpi, atanpi)                                                                              \
    X(cbrt, cbrt)                                                                                  \
    X(cos, cos)                                                                                    \
    X(cosh, cosh)                                                                                  \
    X(cospi, cospi)                                                                                \
    X(erf, erf)                                                                                    \
    X(erfc, erfc)                                                                                  \
    X(exp, exp)                                                                                    \
    X(exp2, exp2)                                                                                  \
    X(exp10, exp10)                                                                                \
    X(expm1, expm1)                                                                                \
    X(lgamma, lgamma)                                                                              \
    X(log, log)                                                                                    \
    X(log2, log2)                                                                                  \
    X(log10, log10)                                                                                \
    X(log1p, log1p)                                                                                \
    X(logb, logb)                                                                                  \
    X(rsqrt, rsqrt)                                                                                \
    X(sin, sin)                                                                                    \
    X(sinh, sinh)                                                                                  \
    X(sinpi, sinpi)                                                                                \
    X(tan, tan)                                                                                    \
    X(tanh, tanh)                                                                                  \
    X(tanpi, tanpi)                                                                                \
    X(tgamma, tgamma)
/* For float only. */
#define MATH_1_FLOAT(X)                                                                            \
    X(half_cos, cos)                                                                               \
    X(half_exp, exp)                                                                               \
    X(half_exp2, exp2)                                                                             \
    X(half_exp10, exp10)                                                                           \
    X(half_log, log)                                                                               \
    X(half_log2, log2)                                                                             \
    X(half_log10, log10)                                                                           \
    X(half_rsqrt, rsqrt)                                                                           \
    X(half_sin, sin)                                                                               \
    X(half_tan, tan)                                                                               \
    X(native_cos, cos)                                                                             \
    X(native_exp, exp)                                                                             \
    X(native_exp2, exp2)                                                                           \
    X(native_exp10, exp10)                                                                         \
    X(native_log, log)                                                                             \
    X(native_log2, log2)                                                                           \
    X(native_log10, log10)                                                                         \
    X(native_rsqrt, rsqrt)                                                                         \
    X(native_sin, sin)                                                                             \
    X(native_tan, tan)
#define MATH_2(X)                                                                                  \
    X(atan2, atan2)                                                                                \
    X(atan2pi, atan2pi)                                                                            \
    X(fdim, fdim)                                                                                  \
    X(fmod, fmod)                                                                                  \
    X(hypot, hypot)                                                                                \
    X(maxmag, maxmag)                                                                              \
    X(minmag, minmag)                                                                              \
    X(nextafter, nextafter)                                                                        \
    X(pow, pow)                                                                                    \
    X(powr, powr)                                                                                  \
    X(remainder, remainder)
#define MATH_2_FLOAT(X) X(half_powr, powr) X(native_powr, powr)
#define MATH_INTEGER(X) X(ldexp, ldexp) X(pown, pown) X(rootn, rootn)
