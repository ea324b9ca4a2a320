/* Expressions that kernels and the test's C code both compute: name, operand type, result type,
 * expression of a and b.  Included by kernels.cl and by test_exec_lanes.c, which defines the
 * built-in functions of OpenCL C in plain C. */

#define CASES_INT(X, S, s, u)                                                                      \
    X(add_##S, s, s, (s)((u)a + (u)b))                                                             \
    X(sub_##S, s, s, (s)((u)a - (u)b))                                                             \
    X(mul_##S, u, u, (u)((ulong)a * (ulong)b))                                                     \
    X(and_##S, s, s, (s)(a & b))                                                                   \
    X(or_##S, s, s, (s)(a | b))                                                                    \
    X(xor_##S, s, s, (s)(a ^ b))                                                                   \
    X(not_##S, s, s, (s)~a)                                                                        \
    X(neg_##S, u, u, (u)-a)                                                                        \
    X(shl_##S, u, u, (u)(a << (b & 7)))                                                            \
    X(shr_##S, u, u, (u)(a >> (b & 7)))                                                            \
    X(sar_##S, s, s, (s)(a >> (b & 7)))                                                            \
    X(udiv_##S, u, u, (u)(a / (u)(b | 1)))                                                         \
    X(urem_##S, u, u, (u)(a % (u)(b | 1)))                                                         \
    X(sdiv_##S, s, s, (s)(a / (s)((b & 63) | 1)))                                                  \
    X(srem_##S, s, s, (s)(a % (s)((b & 63) | 1)))                                                  \
    X(eq_##S, s, int, a == b)                                                                      \
    X(ne_##S, s, int, a != b)                                                                      \
    X(slt_##S, s, int, a < b)                                                                      \
    X(sle_##S, s, int, a <= b)                                                                     \
    X(sgt_##S, s, int, a > b)                                                                      \
    X(sge_##S, s, int, a >= b)                                                                     \
    X(ult_##S, u, int, a < b)                                                                      \
    X(ule_##S, u, int, a <= b)                                                                     \
    X(ugt_##S, u, int, a > b)                                                                      \
    X(uge_##S, u, int, a >= b)                                                                     \
    X(pick_##S, s, s, a < b ? a : b)                                                               \
    X(to_i8_##S, s, char, (char)a)                                                                 \
    X(to_u16_##S, u, ushort, (ushort)a)                                                            \
    X(to_i32_##S, s, int, (int)a)                                                                  \
    X(to_u32_##S, u, uint, (uint)a)                                                                \
    X(to_i64_##S, s, long, (long)a)                                                                \
    X(to_u64_##S, u, ulong, (ulong)a)                                                              \
    X(to_f32_##S, s, float, (float)a)                                                              \
    X(to_f32u_##S, u, float, (float)a)                                                             \
    X(to_f64_##S, s, double, (double)a)                                                            \
    X(to_f64u_##S, u, double, (double)a)                                                           \
    X(smin_##S, s, s, min(a, b))                                                                   \
    X(smax_##S, s, s, max(a, b))                                                                   \
    X(umin_##S, u, u, min(a, b))                                                                   \
    X(umax_##S, u, u, max(a, b))                                                                   \
    X(clz_##S, u, u, clz(a))                                                                       \
    X(popcount_##S, u, u, popcount(a))

#define CASES_WIDE(X, S, s, u)                                                                     \
    X(smulhi_##S, s, s, mul_hi(a, b))                                                              \
    X(umulhi_##S, u, u, mul_hi(a, b))                                                              \
    X(sabs_##S, s, u, abs(a))                                                                      \
    X(sabsdiff_##S, s, u, abs_diff(a, b))                                                          \
    X(uabsdiff_##S, u, u, abs_diff(a, b))                                                          \
    X(sclamp_##S, s, s, clamp(a, (s)-50, (s)77))                                                   \
    X(uclamp_##S, u, u, clamp(a, (u)3, (u)99))                                                     \
    X(rotate_##S, u, u, rotate(a, b))                                                              \
    X(saddsat_##S, s, s, add_sat(a, b))                                                            \
    X(uaddsat_##S, u, u, add_sat(a, b))                                                            \
    X(ssubsat_##S, s, s, sub_sat(a, b))                                                            \
    X(usubsat_##S, u, u, sub_sat(a, b))                                                            \
    X(shadd_##S, s, s, hadd(a, b))                                                                 \
    X(uhadd_##S, u, u, hadd(a, b))                                                                 \
    X(srhadd_##S, s, s, rhadd(a, b))                                                               \
    X(urhadd_##S, u, u, rhadd(a, b))

#define CASES_FLOAT(X, S, f)                                                                       \
    X(fadd_##S, f, f, a + b)                                                                       \
    X(fsub_##S, f, f, a - b)                                                                       \
    X(fmul_##S, f, f, a *b)                                                                        \
    X(fdiv_##S, f, f, a / b)                                                                       \
    X(fneg_##S, f, f, -a)                                                                          \
    X(feq_##S, f, int, a == b)                                                                     \
    X(fne_##S, f, int, a != b)                                                                     \
    X(flt_##S, f, int, a < b)                                                                      \
    X(fle_##S, f, int, a <= b)                                                                     \
    X(fgt_##S, f, int, a > b)                                                                      \
    X(fge_##S, f, int, a >= b)                                                                     \
    X(fnlt_##S, f, int, !(a < b))                                                                  \
    X(fnge_##S, f, int, !(a >= b))                                                                 \
    X(fpick_##S, f, f, a < b ? b : a)                                                              \
    X(sqrt_##S, f, f, sqrt(a))                                                                     \
    X(fabs_##S, f, f, fabs(a))                                                                     \
    X(floor_##S, f, f, floor(a))                                                                   \
    X(ceil_##S, f, f, ceil(a))                                                                     \
    X(trunc_##S, f, f, trunc(a))                                                                   \
    X(rint_##S, f, f, rint(a))                                                                     \
    X(round_##S, f, f, round(a))                                                                   \
    X(fma_##S, f, f, fma(a, b, a))                                                                 \
    X(mad_##S, f, f, mad(a, b, a))                                                                 \
    X(copysign_##S, f, f, copysign(a, b))                                                          \
    X(exp_##S, f, f, exp(a))                                                                       \
    X(sin_##S, f, f, sin(a))                                                                       \
    X(cos_##S, f, f, cos(a))                                                                       \
    X(log_##S, f, f, log(fabs(a)))                                                                 \
    X(pow_##S, f, f, pow(fabs(a), b))                                                              \
    X(isnan_##S, f, int, isnan(a) != 0)                                                            \
    X(isinf_##S, f, int, isinf(a) != 0)                                                            \
    X(isfinite_##S, f, int, isfinite(a) != 0)                                                      \
    X(signbit_##S, f, int, signbit(a) != 0)                                                        \
    X(bounded_i32_##S, f, int, a > -1e6f && a < 1e6f ? (int)a : 0)                                 \
    X(bounded_u32_##S, f, uint, a > 0 && a < 1e6f ? (uint)a : 0)                                   \
    X(bounded_i8_##S, f, char, a > -100 && a < 100 ? (char)a : 0)                                  \
    X(bounded_i64_##S, f, long, a > -1e6f && a < 1e6f ? (long)a : 0)                               \
    X(to_f32_##S, f, float, (float)a)                                                              \
    X(to_f64_##S, f, double, (double)a)

#define CASES(X)                                                                                   \
    CASES_INT(X, i8, char, uchar)                                                                  \
    CASES_INT(X, i16, short, ushort)                                                               \
    CASES_INT(X, i32, int, uint)                                                                   \
    CASES_INT(X, i64, long, ulong)                                                                 \
    CASES_WIDE(X, i8, char, uchar)                                                                 \
    CASES_WIDE(X, i16, short, ushort)                                                              \
    CASES_WIDE(X, i32, int, uint)                                                                  \
    CASES_WIDE(X, i64, long, ulong)                                                                \
    CASES_FLOAT(X, f32, float)                                                                     \
    CASES_FLOAT(X, f64, double)
