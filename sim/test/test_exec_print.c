/* Tests the output of kernels (print.cl) at three levels of optimisation and on every engine.
 * Expected texts are written by hand, following C's rules for fprintf and OpenCL C's additions. */
#include "sim/test/harness.h"

static void expect_printed(harness *h, const char *text)
{
    if (strcmp(rt_buffer_string(&h->output), text) != 0) {
        fail_msg("expected\n%s\nprinted\n%s", text, rt_buffer_string(&h->output));
    }
}

#define VALUE(variable) harness_value(&(variable), sizeof(variable))

static void test_integers(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        int32_t i = 42;
        uint32_t u = 3000000000u;
        int64_t l = -5;
        char c = 'k';
        sim_argument arguments[] = {VALUE(i), VALUE(u), VALUE(l), VALUE(c)};
        harness_run(&h, "integers", harness_range(1, 1), arguments, 4);
        /* 42 - 1000 = -958 = 0xfffffc42, low byte 0x42 = 66; 42 - 70000 = -69958 = 0xfffeeeba,
         * low half 0xeeba = 61114 = 65536 - 4422. */
        expect_printed(&h, "42|42|3000000000|26264057000|b2d05e00|B2D05E00|k|%\n"
                           "   42|42   |00042|-42|-42|0042|    0042\n"
                           "026264057000|0xb2d05e00|0XB2D05E00|66|66|-4422|61114\n"
                           "-5|18446744073709551611|fffffffffffffffb|  k|k  |\n");
        harness_close(&h);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        int32_t out = 7;
        sim_object to = harness_memory(&h, "out", &out, sizeof out);
        sim_argument arguments[] = {harness_global(to)};
        harness_run(&h, "nothing", harness_range(1, 1), arguments, 1);
        harness_read_back(&h, to, &out, sizeof out);
        assert_int_equal(out, 0);
        expect_printed(&h, "");
        harness_close(&h);
    }
}

static void test_floats(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        float f = 2.5f;
        double d = 0.1;
        uint16_t half = 0x3e00; /* 1.5 */
        sim_argument arguments[] = {VALUE(f), VALUE(d), VALUE(half)};
        harness_run(&h, "floats", harness_range(1, 1), arguments, 3);
        /* 2.5 is 1.25 * 2^1 = 0x1.4p+1; to nearest even it is 2. */
        expect_printed(&h, "2.500000|2.50|2.500000e+00|2.5|2.5|0x1.4p+1|   2.500|2.5      |+2|2.\n"
                           "0.100000|0.100000|0.1|1.500000\n"
                           "inf|-INF|0.000000|  2.5|002.5\n");
        harness_close(&h);
    }
}

static void test_vectors(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        float f[4] = {1, -2, 0.25f, 1024};
        uint8_t b[4] = {250, 0, 16, 1};
        int16_t s[2] = {-1, 300};
        int32_t i[4] = {1, -2, 3, 0};
        uint64_t l[2] = {UINT64_MAX, 7};
        double d[2] = {0.5, -1e10};
        uint16_t half[2] = {0x3c00, 0xc000}; /* 1, -2 */
        sim_argument arguments[] = {VALUE(f), VALUE(b), VALUE(s),   VALUE(i),
                                    VALUE(l), VALUE(d), VALUE(half)};
        harness_run(&h, "vectors", harness_range(1, 1), arguments, 7);
        expect_printed(&h, "1.000000,-2.000000,0.250000,1024.000000|1.0,-2.0,0.2,1024.0|"
                           "1.00e+00,-2.00e+00,2.50e-01,1.02e+03\n"
                           "250,0,16,1|0xfa,0,0x10,0x1|-1,300|1,-2,3|18446744073709551615,7|"
                           " 1,-2, 3\n"
                           "0.500000,-10000000000.000000|1.000000,-2.000000\n");
        harness_close(&h);
    }
}

static void test_strings(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        int32_t out[2] = {5, 5};
        sim_argument argument = harness_global(harness_memory(&h, "out", out, sizeof out));
        harness_run(&h, "strings", harness_range(1, 1), &argument, 1);
        char expected[128];
        snprintf(expected, sizeof expected, "hello|   hello|hello   |he|     hel|0x%llx|0x0\n",
                 (unsigned long long)sim_object_address(argument.object));
        expect_printed(&h, expected);
        harness_read_back(&h, argument.object, out, sizeof out);
        assert_true(out[0] == 0 && out[1] == 0);
        harness_close(&h);
    }
}

static void test_order(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        sim_argument argument = harness_local(6 * sizeof(int32_t));
        harness_run(&h, "order", harness_range(12, 6), &argument, 1);
        const char *group = "1:a 1:0 2:0 2:1 3:a 4:0 5:a 5:0 5:1 0:after 1\n1:after 2\n";
        char expected[256];
        snprintf(expected, sizeof expected, "%s%s", group, group);
        expect_printed(&h, expected);
        harness_close(&h);
    }
}

/* Two groups of 1024 that print 1000 bytes per item: 1048 calls fit into a mebibyte. */
static void test_flood(void **state)
{
    (void)state;
    harness h = harness_open_file("print", 1, sim_engine_best());
    static int32_t out[2048];
    sim_argument argument = harness_global(harness_memory(&h, "out", out, sizeof out));
    harness_run(&h, "flood", harness_range(2048, 1024), &argument, 1);
    const char *last = "[1000 calls of printf dropped: a launch prints at most 1048576 bytes]\n";
    assert_int_equal(h.output.size, 1048000 + strlen(last));
    assert_string_equal(rt_buffer_string(&h.output) + 1048000, last);
    assert_memory_equal(h.output.data + 1047000 + 996, "1047", 4);
    harness_read_back(&h, argument.object, out, sizeof out);
    for (int32_t i = 0; i < 2048; i++)
        assert_int_equal(out[i], i < 1048 ? 0 : -1);
    harness_close(&h);
}

static void test_excess(void **state)
{
    (void)state;
    harness h = harness_open_file("print", 0, sim_engine_best());
    int32_t i = 3;
    sim_argument argument = VALUE(i);
    harness_run(&h, "excess", harness_range(2, 2), &argument, 1);
    expect_printed(&h, "3\n3\n");
    harness_close(&h);
}

static const char *const wrong_messages[] = {
    "printf: '%d' has no argument, called by work-item (0, 0, 0)",
    "'%d' takes a 32-bit integer, but argument 1 is something else",
    "'%ld' takes a 64-bit integer, but argument 1",
    "'%f' takes a float or double, but argument 1",
    "'%d' takes a 32-bit integer, but argument 1",
    "'%s' takes a string in constant memory, but argument 1",
    "'%v4f' is a vector without a length modifier",
    "'%v2hlf' takes a vector of that many floats, but argument 1",
    "'%v4lf' takes a vector of that many doubles, but argument 1",
    "'%n' is not a conversion",
    "'%5000d' has a width or precision above 4095",
    "'%#d' has a flag that its conversion does not take",
    "'%hld' has a length modifier that its conversion does not take",
    "'%*' is not a conversion",
    "'%v5hld' has a vector size other than 2, 3, 4, 8 and 16",
    "'%' is not a conversion",
    "'%ll' is not a conversion",
    "'%s' takes a string in constant memory, but argument 1",
    "'%.3c' takes no precision",
    "'%f' takes a float or double, but argument 1",
};

static void test_wrong(void **state)
{
    (void)state;
    uint32_t count = sizeof wrong_messages / sizeof wrong_messages[0];
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        int32_t out[2] = {0};
        int64_t l = 1;
        float f[4] = {0};
        sim_object memory = harness_memory(&h, "out", out, sizeof out);
        for (uint32_t which = 0; which <= count; which++) {
            sim_argument arguments[] = {harness_global(memory), VALUE(which), VALUE(l), VALUE(f)};
            harness_try(&h, "wrong", harness_range(2, 2), arguments, 4);
            assert_true(rt_ok(h.status));
            harness_read_back(&h, memory, out, sizeof out);
            if (which == count) break;
            assert_int_equal(h.finding_count, 1);
            assert_string_equal(h.findings[0].kind, "undefined-arithmetic");
            assert_int_equal(h.findings[0].count, 2);
            if (!strstr(h.texts[0][0], wrong_messages[which])) {
                fail_msg("%u: %s", which, h.texts[0][0]);
            }
            assert_true(out[0] == -1 && out[1] == -1 && h.output.size == 0);
        }
        assert_int_equal(h.finding_count, 0);
        expect_printed(&h, "right 20\nright 20\n");
        assert_true(out[0] == 0 && out[1] == 0);
        harness_close(&h);
    }
}

static void test_unterminated(void **state)
{
    (void)state;
    static const char *const kinds[] = {"out-of-bounds", NULL, "out-of-bounds", "null-pointer"};
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("print", level, engine);
        int32_t out = 1;
        sim_object memory = harness_memory(&h, "out", &out, sizeof out);
        for (int32_t which = 0; which < 4; which++) {
            sim_argument arguments[] = {harness_global(memory), VALUE(which)};
            harness_try(&h, "unterminated", harness_range(1, 1), arguments, 2);
            assert_true(rt_ok(h.status));
            harness_read_back(&h, memory, &out, sizeof out);
            assert_int_equal(out, kinds[which] ? -1 : 0);
            assert_int_equal(h.finding_count, kinds[which] ? 1 : 0);
            if (kinds[which]) assert_string_equal(h.findings[0].kind, kinds[which]);
            expect_printed(&h, kinds[which] ? "" : "abcd\n");
        }
        harness_close(&h);
    }
}

#define CALL(result, arguments)                                                                    \
    SIM_TEST_PRELUDE                                                                               \
    "OpEntryPoint Kernel %k \"k\"\n"                                                               \
    "%char = OpTypeInt 8 0\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%bool = OpTypeBool\n"   \
    "%void = OpTypeVoid\n%pc = OpTypePointer UniformConstant %char\n"                              \
    "%pi = OpTypePointer UniformConstant %int\n%pg = OpTypePointer CrossWorkgroup %char\n"         \
    "%true = OpConstantTrue %bool\n%one = OpConstant %int 1\n"                                     \
    "%fn = OpTypeFunction %void %pc %pi %pg\n%k = OpFunction %void None %fn\n"                     \
    "%c = OpFunctionParameter %pc\n%i = OpFunctionParameter %pi\n%g = OpFunctionParameter %pg\n"   \
    "%e = OpLabel\n%r = OpExtInst " result " %std printf " arguments "\nOpReturn\nOpFunctionEnd\n"

static void test_refused(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module_destroy(sim_test_module(sink, CALL("%int", "%c %one")));
    rt_sink_destroy(sink);
    sim_test_refused(CALL("%long", "%c"), RT_MALFORMED, "must be a 32-bit integer");
    sim_test_refused(CALL("%int", "%i"), RT_MALFORMED, "the format is not a pointer");
    sim_test_refused(CALL("%int", "%g"), RT_MALFORMED, "the format is not a pointer");
    sim_test_refused(CALL("%int", "%one"), RT_MALFORMED, "must be a pointer");
    sim_test_refused(CALL("%int", "%c %true"), RT_MALFORMED, "argument 1 of printf");
    sim_test_refused(CALL("%int", "%c %one %int"), RT_MALFORMED, "argument 2 of printf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_floats),
        cmocka_unit_test(test_nothing),  cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_strings),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_flood),    cmocka_unit_test(test_excess),
        cmocka_unit_test(test_wrong),    cmocka_unit_test(test_unterminated),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
