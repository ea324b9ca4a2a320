/* Tests kernels that call the floating-point functions of OpenCL.std: their results must be those
 * of math.c (whose values test_math.c checks), for varying and uniform operands, components of
 * vectors, levels of optimisation and engines.  Geometric functions are computed here
 * independently. */
#include "sim/number/math.h"
#include "sim/test/harness.h"
#include "sim/test/math_cases.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#define ITEMS 48u

/* ---- math.c for one value ------------------------------------------------------------------- */

/* Values are kept in double; an integer operand has the width of the float. */
typedef union cell {
    float f;
    double d;
    int32_t i;
    int64_t l;
} cell;

static double apply(sim_math function, bool is_double, double a, double b)
{
    bool takes_integer =
        function == SIM_MATH_ldexp || function == SIM_MATH_pown || function == SIM_MATH_rootn;
    bool gives_integer = function >= SIM_MATH_ilogb;
    cell in_a = {0}, in_b = {0}, out = {0};
    sim_math_lanes lanes = {.count = 1, .a = &in_a, .b = &in_b, .out = &out};
    if (is_double) {
        in_a.d = a;
        if (takes_integer)
            in_b.l = (int64_t)b;
        else
            in_b.d = b;
        sim_math_double(function, &lanes);
        return gives_integer ? (double)out.l : out.d;
    }
    in_a.f = (float)a;
    if (takes_integer)
        in_b.i = (int32_t)b;
    else
        in_b.f = (float)b;
    sim_math_float(function, &lanes);
    return gives_integer ? out.i : (double)out.f;
}

static bool is_equal(double x, double y)
{
    return isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y);
}

/* ---- Operands -------------------------------------------------------------------------------- */

static const double operands[] = {0.0,  -0.0,  0.75, 1.0,   -1.0, 0.5,   -0.5,  2.5,
                                  -3.0, 4.0,   1e-3, -7.25, 20.0, 100.0, 1e10,  -1e10,
                                  1e38, 3e-39, 0.1,  -0.9,  1.25, 33.3,  -20.6, 0.999};
#define OPERANDS (sizeof operands / sizeof operands[0])

static double operand(uint32_t i, uint32_t which)
{
    uint32_t k = which ? (i * 7 + 3) % (OPERANDS + 3) : i % (OPERANDS + 3);
    if (k < OPERANDS) return (double)(float)operands[k];
    return k == OPERANDS ? (double)INFINITY : k == OPERANDS + 1 ? -(double)INFINITY : (double)NAN;
}

static int32_t integer_operand(uint32_t i)
{
    static const int32_t numbers[] = {0, 1, -1, 2, -2, 3, -3, 7, 100, -150, INT_MAX, INT_MIN};
    return numbers[i * 5 % (sizeof numbers / sizeof numbers[0])];
}

/* Buffers of ITEMS times `per_item` values of one type, read and written as double. */
typedef struct column {
    bool is_double;
    uint32_t count;
    cell cells[ITEMS * 24];
} column;

static double column_at(const column *c, uint32_t i)
{
    assert_true(i < c->count);
    return c->is_double ? ((const double *)c->cells)[i] : (double)((const float *)c->cells)[i];
}

static void column_set(column *c, uint32_t i, double value)
{
    assert_true(i < c->count);
    if (c->is_double)
        ((double *)c->cells)[i] = value;
    else
        ((float *)c->cells)[i] = (float)value;
}

static size_t column_bytes(const column *c)
{
    return c->count * (c->is_double ? sizeof(double) : sizeof(float));
}

static column column_of(bool is_double, uint32_t which, uint32_t count)
{
    column c = {.is_double = is_double, .count = count};
    for (uint32_t i = 0; i < count; i++)
        column_set(&c, i, operand(i, which));
    return c;
}

/* ---- Vectors, component by component -------------------------------------------------------- */

typedef enum operand_kind { NONE, FLOAT, INTEGER } operand_kind;

static void run_function(harness *h, const char *name, sim_math function, bool is_double,
                         operand_kind kind)
{
    char kernel[64];
    uint32_t n = ITEMS;
    int32_t numbers[ITEMS];
    column a = column_of(is_double, 0, ITEMS), b = column_of(is_double, 1, ITEMS);
    column out = column_of(is_double, 0, 3 * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
        numbers[i] = integer_operand(i);
    snprintf(kernel, sizeof kernel, "%s_%s", name, is_double ? "double" : "float");
    sim_object in_a = harness_memory(h, "a", a.cells, column_bytes(&a));
    sim_object in_b = kind == INTEGER ? harness_memory(h, "b", numbers, sizeof numbers)
                                      : harness_memory(h, "b", b.cells, column_bytes(&b));
    sim_object to = harness_memory(h, "out", NULL, column_bytes(&out));
    sim_argument two[] = {harness_global(in_a), harness_global(in_b), harness_global(to),
                          harness_value(&n, sizeof n)};
    sim_argument unary[] = {two[0], two[2], two[3]};
    harness_run(h, kernel, harness_range(ITEMS, ITEMS), kind == NONE ? unary : two,
                kind == NONE ? 3 : 4);
    harness_read_back(h, to, out.cells, column_bytes(&out));
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t third = kind == NONE ? (i + 1) % n : i;
        uint32_t at[3] = {i, 2, third};
        for (uint32_t k = 0; k < 3; k++) {
            double x = column_at(&a, at[k]);
            double y = kind == INTEGER ? numbers[i] : column_at(&b, i);
            if (kind == FLOAT && k == 2) y = column_at(&b, 1);
            if (kind == INTEGER && k == 2) y = numbers[1];
            double want = apply(function, is_double, x, y);
            double got = column_at(&out, k * n + i);
            if (is_equal(want, got)) continue;
            fail_msg("%s, item %u, form %u: f(%a, %a) is %a, expected %a", kernel, i, k, x, y, got,
                     want);
        }
    }
    sim_object_destroy(h->world, in_a);
    sim_object_destroy(h->world, in_b);
    sim_object_destroy(h->world, to);
}

static void test_functions(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
#define RUN(name, function, kind)                                                                  \
    run_function(&h, #name, SIM_MATH_##function, false, kind);                                     \
    run_function(&h, #name, SIM_MATH_##function, true, kind);
#define RUN_1(name, function)       RUN(name, function, NONE)
#define RUN_2(name, function)       RUN(name, function, FLOAT)
#define RUN_INTEGER(name, function) RUN(name, function, INTEGER)
#define RUN_1_FLOAT(name, function) run_function(&h, #name, SIM_MATH_##function, false, NONE);
#define RUN_2_FLOAT(name, function) run_function(&h, #name, SIM_MATH_##function, false, FLOAT);
        MATH_1(RUN_1)
        MATH_1_FLOAT(RUN_1_FLOAT)
        MATH_2(RUN_2)
        MATH_2_FLOAT(RUN_2_FLOAT)
        MATH_INTEGER(RUN_INTEGER)
        harness_close(&h);
    }
}

static void test_widths(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
        column a = column_of(false, 1, 16 * 3), out = column_of(false, 0, 16 * 9);
        sim_object in = harness_memory(&h, "a", a.cells, column_bytes(&a));
        sim_object to = harness_memory(&h, "out", NULL, column_bytes(&out));
        sim_argument arguments[] = {harness_global(in), harness_global(to)};
        harness_run(&h, "widths", harness_range(3, 3), arguments, 2);
        harness_read_back(&h, to, out.cells, column_bytes(&out));
        for (uint32_t i = 0; i < 16 * 9; i++) {
            uint32_t from = i / 48 * 16 + i % 16;
            double want = apply(SIM_MATH_sinpi, false, column_at(&a, from), 0);
            if (!is_equal(want, column_at(&out, i))) fail_msg("component %u", i);
        }
        harness_close(&h);
    }
}

/* ---- Second results -------------------------------------------------------------------------- */

static double nan_bits(bool is_double, const column *c, uint32_t i)
{
    if (is_double) return (double)((const int64_t *)c->cells)[i];
    return ((const int32_t *)c->cells)[i];
}

static void check_second(bool is_double, const column *a, const column *b, const column *out,
                         const int32_t *whole)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        double x = column_at(a, i), y = column_at(b, i);
        double floats[11] = {
            apply(SIM_MATH_fract, is_double, x, 0),     floor(x),
            apply(SIM_MATH_modf, is_double, x, 0),      trunc(x),
            apply(SIM_MATH_sin, is_double, x, 0),       apply(SIM_MATH_cos, is_double, x, 0),
            apply(SIM_MATH_frexp, is_double, x, 0),     apply(SIM_MATH_lgamma, is_double, x, 0),
            apply(SIM_MATH_remainder, is_double, x, y), (double)NAN,
            apply(SIM_MATH_frexp, is_double, x, 0)};
        double integers[5] = {
            apply(SIM_MATH_exponent, is_double, x, 0), apply(SIM_MATH_gamma_sign, is_double, x, 0),
            apply(SIM_MATH_quotient, is_double, x, y), apply(SIM_MATH_ilogb, is_double, x, 0),
            apply(SIM_MATH_exponent, is_double, x, 0)};
        for (uint32_t k = 0; k < 11; k++) {
            double got = column_at(out, k * ITEMS + i);
            if (!is_equal(got, floats[k])) fail_msg("item %u, float %u: got %a", i, k, got);
        }
        for (uint32_t k = 0; k < 5; k++) {
            int32_t got = whole[k * ITEMS + i];
            if (got != (int32_t)integers[k]) fail_msg("item %u, integer %u: got %d", i, k, got);
        }
        double quiet = is_double ? (double)0x7ff8000000000000 : 0x7fc00000;
        assert_true(nan_bits(is_double, out, 9 * ITEMS + i) == quiet + i);
    }
}

static void test_second_results(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
        for (uint32_t wide = 0; wide < 2; wide++) {
            uint32_t n = ITEMS;
            int32_t whole[5 * ITEMS];
            column a = column_of(wide, 0, ITEMS), b = column_of(wide, 1, ITEMS);
            column out = column_of(wide, 0, 11 * ITEMS);
            sim_argument arguments[] = {
                harness_global(harness_memory(&h, "a", a.cells, column_bytes(&a))),
                harness_global(harness_memory(&h, "b", b.cells, column_bytes(&b))),
                harness_global(harness_memory(&h, "out", NULL, column_bytes(&out))),
                harness_global(harness_memory(&h, "whole", NULL, sizeof whole)),
                harness_local(ITEMS * sizeof(double)),
                harness_value(&n, sizeof n)};
            harness_run(&h, wide ? "second_double" : "second_float", harness_range(ITEMS, ITEMS),
                        arguments, 6);
            harness_read_back(&h, arguments[2].object, out.cells, column_bytes(&out));
            harness_read_back(&h, arguments[3].object, whole, sizeof whole);
            check_second(wide, &a, &b, &out, whole);
        }
        harness_close(&h);
    }
}

/* The fourth of four work-items stores its second result past the buffer. */
static void test_second_result_is_checked(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
        static const float a[4] = {1.5f, -2.25f, 3.0f, 4.75f};
        float out[4], parts[3];
        sim_argument arguments[] = {
            harness_global(harness_memory(&h, "a", a, sizeof a)),
            harness_global(harness_memory(&h, "out", NULL, sizeof out)),
            harness_global(harness_memory(&h, "parts", NULL, sizeof parts))};
        harness_try(&h, "second_outside", harness_range(4, 4), arguments, 3);
        assert_true(rt_ok(h.status));
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.texts[0][1], "parts");
        harness_read_back(&h, arguments[1].object, out, sizeof out);
        harness_read_back(&h, arguments[2].object, parts, sizeof parts);
        assert_true(out[1] == -0.25f && out[3] == 0.75f);
        assert_true(parts[0] == 1.0f && parts[1] == -2.0f && parts[2] == 3.0f);
        harness_close(&h);
    }
}

/* ---- Geometry -------------------------------------------------------------------------------- */

static const float vectors[][4] = {{1, 2, 2, 4},           {0, 0, 0, 0},
                                   {3, -4, 0, 12},         {1e30f, 1e30f, -1e30f, 1e30f},
                                   {3e-39f, 0, 4e-39f, 0}, {-7.25f, 0.1f, 1e-3f, 33.3f},
                                   {-0.0f, 0, -0.0f, 0},   {INFINITY, 1, -2, -INFINITY},
                                   {NAN, 1, INFINITY, 2}};
#define VECTORS (sizeof vectors / sizeof vectors[0])

static double rounded(bool is_double, double v)
{
    return is_double ? v : (double)(float)v;
}

static double vector_at(uint32_t i, uint32_t k, bool second)
{
    return (double)vectors[second ? (i + 2) % VECTORS : i][k];
}

/* Checks that a result is within the given number of ULP of the expected one (for subnormal
 * numbers, of the smallest normal one); infinities and NaN must be equal. */
static void check_near(bool is_double, double got, long double want, double ulp, const char *what)
{
    double target = rounded(is_double, (double)want);
    if (isnan(target) ? isnan(got) : isinf(target) ? got == target : false) return;
    double smallest = is_double ? DBL_MIN : (double)FLT_MIN;
    double size = fmax(fabs(target), smallest);
    double unit = size * (is_double ? 0x1p-52 : 0x1p-23);
    if (fabs(got - target) <= ulp * unit) return;
    fail_msg("%s: got %a, expected %a", what, got, target);
}

static long double long_length(bool is_double, uint32_t i, uint32_t count, bool is_distance)
{
    long double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        double a = vector_at(i, k, false);
        double v = is_distance ? rounded(is_double, a - vector_at(i, k, true)) : a;
        if (isinf(v)) return isnan(sum) ? (long double)NAN : (long double)INFINITY;
        sum += (long double)v * v;
    }
    return sqrtl(sum);
}

/* True if a component is NaN. Lengths are then not checked, because the specification leaves the
 * result for infinity together with NaN open. */
static bool has_nan(uint32_t i, uint32_t count, bool is_distance)
{
    for (uint32_t k = 0; k < count; k++) {
        double a = vector_at(i, k, false), b = vector_at(i, k, true);
        if (isnan(a) || (is_distance && isnan(a - b))) return true;
    }
    return false;
}

static void check_lengths(bool is_double, uint32_t i, const column *out)
{
    static const uint32_t counts[] = {4, 3, 2};
    for (uint32_t k = 0; k < 3; k++) {
        if (has_nan(i, counts[k], false)) continue;
        check_near(is_double, column_at(out, 24 * i + 8 + k),
                   long_length(is_double, i, counts[k], false), 3, "length");
    }
    assert_true(is_equal(column_at(out, 24 * i + 11), fabs(vector_at(i, 1, false))));
    if (!has_nan(i, 4, true)) {
        check_near(is_double, column_at(out, 24 * i + 19), long_length(is_double, i, 4, true), 3,
                   "distance");
    }
    double apart = vector_at(i, 0, false) - vector_at(i, 0, true);
    assert_true(is_equal(column_at(out, 24 * i + 23), fabs(rounded(is_double, apart))));
}

/* Checks normalize of `count` components from `first` on, whose results begin at `place`. */
static void check_normalized(bool is_double, uint32_t i, uint32_t first, uint32_t count,
                             const column *out, uint32_t place)
{
    bool any_infinite = false, any_nan = false;
    double v[4];
    long double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        v[k] = vector_at(i, first + k, false);
        any_infinite |= isinf(v[k]) != 0;
        any_nan |= isnan(v[k]) != 0;
    }
    for (uint32_t k = 0; k < count; k++) {
        if (any_infinite) v[k] = isinf(v[k]) ? copysign(1, v[k]) : 0 * v[k];
        sum += (long double)v[k] * v[k];
    }
    for (uint32_t k = 0; k < count; k++) {
        double got = column_at(out, place + k);
        if (any_nan) {
            assert_true(isnan(got));
        } else if (sum == 0) {
            assert_true(is_equal(got, v[k]));
        } else {
            check_near(is_double, got, v[k] / sqrtl(sum), 4, "normalize");
        }
    }
}

static void check_products(bool is_double, uint32_t i, const column *out)
{
    double a[4], b[4], sum = 0;
    for (uint32_t k = 0; k < 4; k++) {
        a[k] = vector_at(i, k, false);
        b[k] = vector_at(i, k, true);
        double product = rounded(is_double, a[k] * b[k]);
        sum = k == 0 ? product : rounded(is_double, sum + product);
    }
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t j = (k + 1) % 3, l = (k + 2) % 3;
        double want =
            rounded(is_double, rounded(is_double, a[j] * b[l]) - rounded(is_double, a[l] * b[j]));
        assert_true(is_equal(column_at(out, 24 * i + k), want));
        assert_true(is_equal(column_at(out, 24 * i + 4 + k), want));
    }
    assert_true(is_equal(column_at(out, 24 * i + 3), 0));
    assert_true(is_equal(column_at(out, 24 * i + 7), sum));
}

static column geometry_run(harness *h, const char *kernel, bool is_double, uint32_t per_item)
{
    column a = {.is_double = is_double, .count = 4 * VECTORS}, b = a, out = a;
    out.count = per_item * VECTORS;
    for (uint32_t i = 0; i < 4 * VECTORS; i++) {
        column_set(&a, i, vector_at(i / 4, i % 4, false));
        column_set(&b, i, vector_at(i / 4, i % 4, true));
    }
    sim_argument arguments[] = {harness_global(harness_memory(h, "a", a.cells, column_bytes(&a))),
                                harness_global(harness_memory(h, "b", b.cells, column_bytes(&b))),
                                harness_global(harness_memory(h, "out", NULL, column_bytes(&out)))};
    harness_run(h, kernel, harness_range(VECTORS, VECTORS), arguments, 3);
    harness_read_back(h, arguments[2].object, out.cells, column_bytes(&out));
    return out;
}

static void test_geometry(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
        for (uint32_t wide = 0; wide < 2; wide++) {
            column out = geometry_run(&h, wide ? "geometry_double" : "geometry_float", wide, 24);
            for (uint32_t i = 0; i < VECTORS; i++) {
                check_products(wide, i, &out);
                check_lengths(wide, i, &out);
                check_normalized(wide, i, 0, 4, &out, 24 * i + 12);
                check_normalized(wide, i, 0, 3, &out, 24 * i + 16);
                check_normalized(wide, i, 0, 2, &out, 24 * i + 20);
                check_normalized(wide, i, 1, 1, &out, 24 * i + 22);
            }
        }
        harness_close(&h);
    }
}

/* The results must be those of decode/math.c's formulas, computed in plain C. */
static void test_fast_geometry(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("math", level, engine);
        column out = geometry_run(&h, "geometry_fast", false, 8);
        for (uint32_t i = 0; i < VECTORS; i++) {
            float dot[3] = {0}; /* of a, of a - b, of the first two components of a */
            for (uint32_t k = 0; k < 4; k++) {
                float a = vectors[i][k];
                float b = a - vectors[(i + 2) % VECTORS][k];
                dot[0] = k ? dot[0] + a * a : a * a;
                dot[1] = k ? dot[1] + b * b : b * b;
                if (k < 2) dot[2] = dot[0];
            }
            float factor = (float)(1 / sqrt((double)dot[0]));
            for (uint32_t k = 0; k < 4; k++) {
                float a = vectors[i][k];
                double want = (double)(dot[0] < FLT_MIN ? a : a * factor);
                assert_true(is_equal(column_at(&out, 8 * i + k), want));
            }
            for (uint32_t k = 0; k < 3; k++) {
                assert_true(is_equal(column_at(&out, 8 * i + 4 + k), (double)sqrtf(dot[k])));
            }
        }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),      cmocka_unit_test(test_widths),
        cmocka_unit_test(test_second_results), cmocka_unit_test(test_second_result_is_checked),
        cmocka_unit_test(test_geometry),       cmocka_unit_test(test_fast_geometry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
