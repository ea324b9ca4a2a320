/* Tests arithmetic, comparisons and conversions: every case of cases.h against plain C, for all
 * forms of operands, levels of optimisation and engines, with all lanes active and with a few. */
#include "sim/test/harness.h"

#include <math.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* ---- OpenCL C's functions in plain C ---------------------------------------------------- */

#define INTEGER_FUNCTIONS(N, s, u, bits)                                                           \
    static s smin_##N(s a, s b)                                                                    \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static u umin_##N(u a, u b)                                                                    \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    static s smax_##N(s a, s b)                                                                    \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    static u umax_##N(u a, u b)                                                                    \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    static u uclz_##N(u a)                                                                         \
    {                                                                                              \
        u n = 0;                                                                                   \
        while (n < bits && !(a >> (bits - 1 - n) & 1))                                             \
            n++;                                                                                   \
        return n;                                                                                  \
    }                                                                                              \
    static u upop_##N(u a)                                                                         \
    {                                                                                              \
        u n = 0;                                                                                   \
        for (int k = 0; k < bits; k++)                                                             \
            n = (u)(n + (a >> k & 1));                                                             \
        return n;                                                                                  \
    }                                                                                              \
    static s smulhi_##N(s a, s b)                                                                  \
    {                                                                                              \
        return (s)((big)a * b >> bits);                                                            \
    }                                                                                              \
    static u umulhi_##N(u a, u b)                                                                  \
    {                                                                                              \
        return (u)((ubig)a * b >> bits);                                                           \
    }                                                                                              \
    static u sabs_##N(s a)                                                                         \
    {                                                                                              \
        return (u)(a < 0 ? -(big)a : a);                                                           \
    }                                                                                              \
    static u sdiff_##N(s a, s b)                                                                   \
    {                                                                                              \
        return (u)(a < b ? (big)b - a : (big)a - b);                                               \
    }                                                                                              \
    static u udiff_##N(u a, u b)                                                                   \
    {                                                                                              \
        return (u)(a < b ? (big)b - a : (big)a - b);                                               \
    }                                                                                              \
    static s sclamp_##N(s a, s l, s h)                                                             \
    {                                                                                              \
        return smin_##N(smax_##N(a, l), h);                                                        \
    }                                                                                              \
    static u uclamp_##N(u a, u l, u h)                                                             \
    {                                                                                              \
        return umin_##N(umax_##N(a, l), h);                                                        \
    }                                                                                              \
    static u rot_##N(u a, u b)                                                                     \
    {                                                                                              \
        int k = (int)(b % bits);                                                                   \
        return (u)(k ? (ubig)a << k | a >> (bits - k) : a);                                        \
    }                                                                                              \
    static s ssat_##N(big v)                                                                       \
    {                                                                                              \
        big top = ((big)1 << (bits - 1)) - 1;                                                      \
        return (s)(v > top ? top : v < -top - 1 ? -top - 1 : v);                                   \
    }                                                                                              \
    static u usat_##N(big v)                                                                       \
    {                                                                                              \
        big top = ((big)1 << bits) - 1;                                                            \
        return (u)(v > top ? top : v < 0 ? 0 : v);                                                 \
    }                                                                                              \
    static s sadds_##N(s a, s b)                                                                   \
    {                                                                                              \
        return ssat_##N((big)a + b);                                                               \
    }                                                                                              \
    static u uadds_##N(u a, u b)                                                                   \
    {                                                                                              \
        return usat_##N((big)a + b);                                                               \
    }                                                                                              \
    static s ssubs_##N(s a, s b)                                                                   \
    {                                                                                              \
        return ssat_##N((big)a - b);                                                               \
    }                                                                                              \
    static u usubs_##N(u a, u b)                                                                   \
    {                                                                                              \
        return usat_##N((big)a - b);                                                               \
    }                                                                                              \
    static s shadd_##N(s a, s b)                                                                   \
    {                                                                                              \
        return (s)(((big)a + b) >> 1);                                                             \
    }                                                                                              \
    static u uhadd_##N(u a, u b)                                                                   \
    {                                                                                              \
        return (u)(((big)a + b) >> 1);                                                             \
    }                                                                                              \
    static s srhadd_##N(s a, s b)                                                                  \
    {                                                                                              \
        return (s)(((big)a + b + 1) >> 1);                                                         \
    }                                                                                              \
    static u urhadd_##N(u a, u b)                                                                  \
    {                                                                                              \
        return (u)(((big)a + b + 1) >> 1);                                                         \
    }

__extension__ typedef __int128 big;
__extension__ typedef unsigned __int128 ubig;
INTEGER_FUNCTIONS(8, char, uchar, 8)
INTEGER_FUNCTIONS(16, short, ushort, 16)
INTEGER_FUNCTIONS(32, int, uint, 32)
INTEGER_FUNCTIONS(64, long, ulong, 64)

#define BY_TYPE(value, sname, uname)                                                               \
    _Generic((value), char                                                                         \
             : sname##_8, short                                                                    \
             : sname##_16, int                                                                     \
             : sname##_32, long                                                                    \
             : sname##_64, uchar                                                                   \
             : uname##_8, ushort                                                                   \
             : uname##_16, uint                                                                    \
             : uname##_32, ulong                                                                   \
             : uname##_64)
#define min(a, b)      BY_TYPE(a, smin, umin)(a, b)
#define max(a, b)      BY_TYPE(a, smax, umax)(a, b)
#define clz(a)         BY_TYPE(a, uclz, uclz)(a)
#define popcount(a)    BY_TYPE(a, upop, upop)(a)
#define mul_hi(a, b)   BY_TYPE(a, smulhi, umulhi)(a, b)
#define abs(a)         BY_TYPE(a, sabs, sabs)(a)
#define abs_diff(a, b) BY_TYPE(a, sdiff, udiff)(a, b)
#define clamp(a, l, h) BY_TYPE(a, sclamp, uclamp)(a, l, h)
#define rotate(a, b)   BY_TYPE(a, rot, rot)(a, b)
#define add_sat(a, b)  BY_TYPE(a, sadds, uadds)(a, b)
#define sub_sat(a, b)  BY_TYPE(a, ssubs, usubs)(a, b)
#define hadd(a, b)     BY_TYPE(a, shadd, uhadd)(a, b)
#define rhadd(a, b)    BY_TYPE(a, srhadd, urhadd)(a, b)

#define BY_FLOAT(a, name)   _Generic((a), float : name##f, double : name)
#define VIA_DOUBLE(a, call) _Generic((a), float : (float)(call), double : (call))
#define sqrt(a)             BY_FLOAT(a, sqrt)(a)
#define fabs(a)             BY_FLOAT(a, fabs)(a)
#define floor(a)            BY_FLOAT(a, floor)(a)
#define ceil(a)             BY_FLOAT(a, ceil)(a)
#define trunc(a)            BY_FLOAT(a, trunc)(a)
#define rint(a)             BY_FLOAT(a, rint)(a)
#define round(a)            BY_FLOAT(a, round)(a)
#define fma(a, b, c)        BY_FLOAT(a, fma)(a, b, c)
#define mad(a, b, c)        ((a) * (b) + (c))
#define copysign(a, b)      BY_FLOAT(a, copysign)(a, b)
#define exp(a)              VIA_DOUBLE(a, (exp)((double)(a)))
#define sin(a)              VIA_DOUBLE(a, (sin)((double)(a)))
#define cos(a)              VIA_DOUBLE(a, (cos)((double)(a)))
#define log(a)              VIA_DOUBLE(a, (log)((double)(a)))
#define pow(a, b)           VIA_DOUBLE(a, (pow)((double)(a), (double)(b)))

/* The expressions convert implicitly, as they do in the kernels. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "sim/test/cases.h"

/* ---- Operands --------------------------------------------------------------------------- */

#define ITEMS 96u

static const double interesting_floats[] = {0.0,  -0.0, 1.0,   -1.0,  0.5,  -0.5,     1.5,   2.5,
                                            -2.5, 1e10, -1e10, 3e-39, 1e38, 123456.7, -99.9, 7.25};

static ulong mix(ulong i)
{
    i = (i + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (i ^ i >> 29) * 0x94d049bb133111ebu;
}

static double float_operand(uint i, uint which)
{
    uint k = (i * (which ? 7 : 1) + which) % 20;
    if (k < 16) return interesting_floats[k];
    if (k == 16) return INFINITY;
    if (k == 17) return which ? -INFINITY : INFINITY;
    if (k == 18) return NAN;
    return (double)(mix(i + which * 1000) % 100000) / 77.0 - 500.0;
}

static ulong int_operand(uint i, uint which)
{
    static const ulong edges[] = {0,    1,      ~0ul,   1ul << 63,   ~(1ul << 63), 0x80,
                                  0x7f, 0x8000, 0x7fff, 0x80000000u, 0x7fffffff,   255};
    if (i % 3 == which) return edges[(i / 3 + which * 5) % 12];
    return mix(i * 2 + which) >> (i % 5 * 12);
}

#define FILL(T, array, which)                                                                      \
    for (uint i = 0; i < ITEMS; i++) {                                                             \
        array[i] = _Generic((T)0, float                                                            \
                            : (T)float_operand(i, which), double                                   \
                            : (T)float_operand(i, which), default                                  \
                            : (T)int_operand(i, which));                                           \
    }

/* True if equal bit for bit; all NaNs are equal. */
#define SAME(R, x, y) (memcmp(&(x), &(y), sizeof(R)) == 0 || ((x) != (x) && (y) != (y)))

#define CASE_TEST(name, T, R, expression)                                                          \
    static R case_##name(T a, T b)                                                                 \
    {                                                                                              \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        return expression;                                                                         \
    }                                                                                              \
    static void run_##name(harness *h, uint group)                                                 \
    {                                                                                              \
        T a[ITEMS], b[ITEMS];                                                                      \
        R out[4 * ITEMS];                                                                          \
        uint n = ITEMS;                                                                            \
        FILL(T, a, 0)                                                                              \
        FILL(T, b, 1)                                                                              \
        sim_object in_a = harness_memory(h, "a", a, sizeof a);                                     \
        sim_object in_b = harness_memory(h, "b", b, sizeof b);                                     \
        sim_object to = harness_memory(h, "out", NULL, sizeof out);                                \
        sim_argument arguments[] = {harness_global(in_a), harness_global(in_b),                    \
                                    harness_global(to), harness_value(&n, sizeof n)};              \
        harness_run(h, "lanes_" #name, harness_range(ITEMS, group), arguments, 4);                 \
        harness_read_back(h, to, out, sizeof out);                                                 \
        for (uint i = 0; i < ITEMS; i++) {                                                         \
            R want[4] = {case_##name(a[i], b[i]), case_##name(a[i], b[0]),                         \
                         case_##name(a[0], b[i]), case_##name(a[1], b[1])};                        \
            for (uint k = 0; k < 4; k++) {                                                         \
                if (SAME(R, want[k], out[k * ITEMS + i])) continue;                                \
                fail_msg(#name ", item %u, form %u: got %.17g, expected %.17g", i, k,              \
                         (double)out[k * ITEMS + i], (double)want[k]);                             \
            }                                                                                      \
        }                                                                                          \
        sim_object_destroy(h->world, in_a);                                                        \
        sim_object_destroy(h->world, in_b);                                                        \
        sim_object_destroy(h->world, to);                                                          \
    }
CASES(CASE_TEST)

static void test_cases(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open(level, engine);
#define RUN_CASE(name, T, R, expression) run_##name(&h, ITEMS);
        CASES(RUN_CASE)
        harness_close(&h);
    }
}

/* Groups that do not fill a chunk of lanes, and a single work-item. */
static void test_cases_of_few_lanes(void **state)
{
    (void)state;
    harness h = harness_open(2, sim_engine_best());
#define RUN_FEW(name, T, R, expression)                                                            \
    run_##name(&h, 3);                                                                             \
    run_##name(&h, 1);
    CASES(RUN_FEW)
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_cases_of_few_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
