/* Builtin functions of OpenCL C on NVPTX that libclc lacks, or has otherwise than OpenCL wants:
 * PTX has no register for a launch's offset and dimensions, which the host tells
 * (reference/base/ptx.h), and a size in a dimension that a launch does not have is 1, not 0.
 *
 * Compiled by clang 14 without its header, when the plugin is built.  Source: OpenCL C 2.0, 6.13. */
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;

#define BUILTIN __attribute__((overloadable, always_inline))

struct launch {
    ulong offset[3];
    uint dimensions;
    uint zero;
};
extern const __local struct launch *__assay_launch(void);

/* N is 2, 3, 4, 8, 16: what is done lane by lane. */
#define EACH_WIDTH(DO, ...)                                                                        \
    DO(2, __VA_ARGS__) DO(3, __VA_ARGS__) DO(4, __VA_ARGS__) DO(8, __VA_ARGS__) DO(16, __VA_ARGS__)
#define VECTORS(type)                                                                              \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                      \
    typedef type type##3 __attribute__((ext_vector_type(3)));                                      \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                      \
    typedef type type##8 __attribute__((ext_vector_type(8)));                                      \
    typedef type type##16 __attribute__((ext_vector_type(16)));
VECTORS(int)
VECTORS(uint)
VECTORS(long)
VECTORS(ulong)
VECTORS(float)
VECTORS(double)

/* ---- 6.13.9, address spaces: clang makes these calls of to_global and its like ---------------- */

__global void *__to_global(void *p)
{
    return __nvvm_isspacep_global(p) ? (__global void *)p : (__global void *)0;
}
__local void *__to_local(void *p)
{
    return __nvvm_isspacep_shared(p) ? (__local void *)p : (__local void *)0;
}
__private void *__to_private(void *p)
{
    return __nvvm_isspacep_local(p) ? (__private void *)p : (__private void *)0;
}
BUILTIN uint get_fence(void *p) { return __nvvm_isspacep_shared(p) ? 1 : 2; }
BUILTIN uint get_fence(const void *p) { return __nvvm_isspacep_shared(p) ? 1 : 2; }

/* ---- 6.13.1, work-items --------------------------------------------------------------------- */

#define REGISTER(name, other)                                                                      \
    static size_t name##_of(uint d)                                                                \
    {                                                                                              \
        if (d == 0) return (uint)__nvvm_read_ptx_sreg_##name##_x();                                \
        if (d == 1) return (uint)__nvvm_read_ptx_sreg_##name##_y();                                \
        if (d == 2) return (uint)__nvvm_read_ptx_sreg_##name##_z();                                \
        return other;                                                                              \
    }
REGISTER(tid, 0)
REGISTER(ctaid, 0)
REGISTER(ntid, 1)
REGISTER(nctaid, 1)

BUILTIN uint get_work_dim(void) { return __assay_launch()->dimensions; }
BUILTIN size_t get_global_offset(uint d) { return d < 3 ? __assay_launch()->offset[d] : 0; }
BUILTIN size_t get_local_id(uint d) { return tid_of(d); }
BUILTIN size_t get_group_id(uint d) { return ctaid_of(d); }
BUILTIN size_t get_local_size(uint d) { return ntid_of(d); }
BUILTIN size_t get_enqueued_local_size(uint d) { return ntid_of(d); }
BUILTIN size_t get_num_groups(uint d) { return nctaid_of(d); }
BUILTIN size_t get_global_size(uint d) { return nctaid_of(d) * ntid_of(d); }
BUILTIN size_t get_global_id(uint d)
{
    return ctaid_of(d) * ntid_of(d) + tid_of(d) + get_global_offset(d);
}
BUILTIN size_t get_local_linear_id(void)
{
    return (tid_of(2) * ntid_of(1) + tid_of(1)) * ntid_of(0) + tid_of(0);
}
BUILTIN size_t get_global_linear_id(void)
{
    size_t x = ctaid_of(0) * ntid_of(0) + tid_of(0);
    size_t y = ctaid_of(1) * ntid_of(1) + tid_of(1);
    size_t z = ctaid_of(2) * ntid_of(2) + tid_of(2);
    return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

/* ---- 6.13.3, integers ------------------------------------------------------------------------- */

/* Of 0 it is the number of bits. */
#define TRAILING_ZEROS(type, wide, count, bits)                                                    \
    BUILTIN type ctz(type x)                                                                       \
    {                                                                                              \
        return x == 0 ? (type)(bits) : (type)__builtin_##count((wide)x);                           \
    }
TRAILING_ZEROS(char, uint, ctz, 8)
TRAILING_ZEROS(unsigned char, uint, ctz, 8)
TRAILING_ZEROS(short, uint, ctz, 16)
TRAILING_ZEROS(unsigned short, uint, ctz, 16)
TRAILING_ZEROS(int, uint, ctz, 32)
TRAILING_ZEROS(uint, uint, ctz, 32)
TRAILING_ZEROS(long, ulong, ctzl, 64)
TRAILING_ZEROS(ulong, ulong, ctzl, 64)

/* ---- 6.2.3, conversions with a rounding mode ------------------------------------------------- */

/* libclc's convert back to find out how they were rounded, which beyond the type's end they cannot. */
#define LANES_CONVERTED(n, real, whole, mode)                                                      \
    BUILTIN real##n convert_##real##n##_##mode(whole##n x)                                         \
    {                                                                                              \
        real##n result;                                                                            \
        for (int i = 0; i < n; i++)                                                                \
            result[i] = convert_##real##_##mode(x[i]);                                             \
        return result;                                                                             \
    }
/* By instructions, since clang's functions for them take a long long, which OpenCL C gives 128 bits. */
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

/* Below 1, and with the sign of a zero and of an infinity ("Additional Requirements Beyond C99
 * TC2"), which libclc's loses. */
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

/* libclc's look at ten bits too few below half of the smallest half.  This cuts the size, and goes
 * on to the next half where something was cut and that is the direction.  Floats are doubles. */
static unsigned short half_away(double x, int away)
{
    ulong bits = __builtin_astype(x, ulong);
    ulong size = bits & 0x7fffffffffffffffUL;
    uint sign = (uint)(bits >> 48) & 0x8000, half_bits, cut;
    if (x != x) return (unsigned short)(sign | 0x7e00);
    if (size == 0x7ff0000000000000UL) return (unsigned short)(sign | 0x7c00);
    if (size < 0x3f10000000000000UL) { /* 2 to the -14: subnormal */
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
    return (unsigned short)(sign | (half_bits + (away && cut)));
}
static unsigned short half_rtp(double x) { return half_away(x, x > 0); }
static unsigned short half_rtn(double x) { return half_away(x, x < 0); }

#define HALVES_STORED(n, step, name, real, space, mode)                                            \
    BUILTIN void name##_##mode(real##n x, size_t offset, space half *p)                            \
    {                                                                                              \
        for (int i = 0; i < n; i++)                                                                \
            ((space unsigned short *)p)[offset * step + i] = half_##mode(x[i]);                    \
    }
#define HALF_STORED(real, space, mode)                                                             \
    BUILTIN void vstore_half_##mode(real x, size_t offset, space half *p)                          \
    {                                                                                              \
        ((space unsigned short *)p)[offset] = half_##mode(x);                                      \
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
