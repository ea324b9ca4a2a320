/* Tests of formats of printf by themselves: which directives are defined, which arguments they
 * take, and the text of values. Source: OpenCL C specification 3.0 section 6.15.14. */
#include "sim/exec/print.h"
#include "sim/test/assembler.h"

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct read_case {
    const char *format; /* the directive, and text after it that is not read */
    const char *reason; /* NULL: it is defined */
    uint32_t length;    /* of the directive */
} read_case;

#define NO_CONVERSION "is not a conversion"
#define FLAG          "has a flag that its conversion does not take"
#define PRECISION     "takes no precision"
#define NO_VECTOR     "takes no vector"
#define LENGTH        "has a length modifier that its conversion does not take"
#define PLAIN_VECTOR  "is a vector without a length modifier"
#define SIZE          "has a vector size other than 2, 3, 4, 8 and 16"
#define WIDTH         "has a width or precision above 4095"

static const read_case read_cases[] = {
    {"%%d", NULL, 2},
    {"%d!", NULL, 2},
    {"%i", NULL, 2},
    {"%", NO_CONVERSION, 1},
    {"%y", NO_CONVERSION, 2},
    {"%-5", NO_CONVERSION, 3},
    {"%ld", NULL, 3},
    {"%lld", NO_CONVERSION, 3},
    {"%hd", NULL, 3},
    {"%hhd", NULL, 4},
    {"%hld", LENGTH, 4},
    {"%n", NO_CONVERSION, 2},
    {"%-+ 0d", NULL, 6},
    {"%#d", FLAG, 3},
    {"%-+ 0u", NULL, 6},
    {"%#u", FLAG, 3},
    {"%-+ #0o", NULL, 7},
    {"%#x", NULL, 3},
    {"%#X", NULL, 3},
    {"%-+ #0f", NULL, 7},
    {"%lf", NULL, 3},
    {"%hf", LENGTH, 3},
    {"%hhf", LENGTH, 4},
    {"%F%e", NULL, 2},
    {"%e", NULL, 2},
    {"%E", NULL, 2},
    {"%g", NULL, 2},
    {"%G", NULL, 2},
    {"%a", NULL, 2},
    {"%A", NULL, 2},
    {"%-c", NULL, 3},
    {"%+c", FLAG, 3},
    {"% c", FLAG, 3},
    {"%#c", FLAG, 3},
    {"%0c", FLAG, 3},
    {"%lc", LENGTH, 3},
    {"%hc", LENGTH, 3},
    {"%.1c", PRECISION, 4},
    {"%.c", PRECISION, 3},
    {"%-s", NULL, 3},
    {"%0s", FLAG, 3},
    {"%+s", FLAG, 3},
    {"%.3s", NULL, 4},
    {"%ls", LENGTH, 3},
    {"%-p", NULL, 3},
    {"%0p", FLAG, 3},
    {"%#p", FLAG, 3},
    {"%.2p", PRECISION, 4},
    {"%lp", LENGTH, 3},
    {"%v2c", NO_VECTOR, 4},
    {"%v4hls", NO_VECTOR, 6},
    {"%v2p", NO_VECTOR, 4},
    {"%v2hld", NULL, 6},
    {"%v3hhd", NULL, 6},
    {"%v4hu", NULL, 5},
    {"%v8lx", NULL, 5},
    {"%v16hlf", NULL, 7},
    {"%v2hf", NULL, 5},
    {"%v2lf", NULL, 5},
    {"%v2hhf", LENGTH, 6},
    {"%v2d", PLAIN_VECTOR, 4},
    {"%v2f", PLAIN_VECTOR, 4},
    {"%vhld", SIZE, 5},
    {"%v1hld", SIZE, 6},
    {"%v5hld", SIZE, 6},
    {"%v17hld", SIZE, 7},
    {"%v32hld", SIZE, 7},
    {"%v99999999999hld", SIZE, 16},
    {"%4095d", NULL, 6},
    {"%4096d", WIDTH, 6},
    {"%.4095d", NULL, 7},
    {"%.4096d", WIDTH, 7},
    {"%99999999999999999999d", WIDTH, 22},
    {"%.d", NULL, 3},
    {"%7.3v4hlf,", NULL, 9},
};

static void test_read(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof read_cases / sizeof read_cases[0]; i++) {
        const read_case *c = &read_cases[i];
        for (size_t first = 0; first < 2; first++) { /* at the beginning and later */
            char text[64];
            snprintf(text, sizeof text, "%s%s", first ? "x" : "", c->format);
            size_t at = first;
            sim_directive directive;
            const char *reason = sim_directive_read(rt_text_of(text), &at, &directive);
            bool is_right = c->reason ? reason && strcmp(reason, c->reason) == 0 : !reason;
            if (!is_right) fail_msg("%s: %s", c->format, reason ? reason : "is defined");
            if (at != first + c->length) fail_msg("%s: read up to %zu", c->format, at);
            if (c->length >= 2) assert_int_equal(directive.text.length, c->length);
            assert_ptr_equal(directive.text.data, text + first);
        }
    }
}

static sim_directive directive_of(const char *format)
{
    size_t at = 0;
    sim_directive directive;
    const char *reason = sim_directive_read(rt_text_of(format), &at, &directive);
    if (reason) fail_msg("%s: %s", format, reason);
    return directive;
}

static void test_parts(void **state)
{
    (void)state;
    sim_directive d = directive_of("%-+ #012.5v16hlf");
    assert_int_equal(d.flags, 31);
    assert_int_equal(d.width, 12);
    assert_true(d.has_precision);
    assert_int_equal(d.precision, 5);
    assert_int_equal(d.vector, 16);
    assert_int_equal(d.length, SIM_LENGTH_HL);
    assert_int_equal(d.conversion, 'f');
    d = directive_of("% x");
    assert_int_equal(d.flags, 4);
    assert_int_equal(d.width, 0);
    assert_false(d.has_precision);
    assert_int_equal(d.vector, 0);
    assert_int_equal(d.length, SIM_LENGTH_PLAIN);
    d = directive_of("%hhd");
    assert_int_equal(d.length, SIM_LENGTH_HH);
    d = directive_of("%.s");
    assert_true(d.has_precision);
    assert_int_equal(d.precision, 0);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

static void test_wants(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        sim_print_argument argument;
        const char *wanted; /* NULL: it fits */
    } cases[] = {
        {"%d", {SIM_PRINT_INTEGER, 4, 1}, NULL},
        {"%d", {SIM_PRINT_INTEGER, 1, 1}, NULL},
        {"%d", {SIM_PRINT_INTEGER, 8, 1}, "a 32-bit integer"},
        {"%d", {SIM_PRINT_INTEGER, 4, 2}, "a 32-bit integer"},
        {"%d", {SIM_PRINT_FLOAT, 4, 1}, "a 32-bit integer"},
        {"%hhd", {SIM_PRINT_INTEGER, 4, 1}, NULL},
        {"%ld", {SIM_PRINT_INTEGER, 8, 1}, NULL},
        {"%ld", {SIM_PRINT_INTEGER, 4, 1}, "a 64-bit integer"},
        {"%lx", {SIM_PRINT_POINTER, 8, 1}, "a 64-bit integer"},
        {"%f", {SIM_PRINT_FLOAT, 4, 1}, NULL},
        {"%f", {SIM_PRINT_FLOAT, 8, 1}, NULL},
        {"%f", {SIM_PRINT_FLOAT, 4, 4}, "a float or double"},
        {"%f", {SIM_PRINT_INTEGER, 4, 1}, "a float or double"},
        {"%c", {SIM_PRINT_INTEGER, 4, 1}, NULL},
        {"%s", {SIM_PRINT_STRING, 8, 1}, NULL},
        {"%s", {SIM_PRINT_POINTER, 8, 1}, "a string in constant memory"},
        {"%p", {SIM_PRINT_POINTER, 8, 1}, NULL},
        {"%p", {SIM_PRINT_STRING, 8, 1}, NULL},
        {"%p", {SIM_PRINT_STRING, 8, 2}, "a pointer"},
        {"%p", {SIM_PRINT_INTEGER, 8, 1}, "a pointer"},
        {"%v2hhd", {SIM_PRINT_INTEGER, 1, 2}, NULL},
        {"%v2hhd", {SIM_PRINT_INTEGER, 1, 4}, "a vector of that many 8-bit integers"},
        {"%v2hd", {SIM_PRINT_INTEGER, 2, 2}, NULL},
        {"%v2hd", {SIM_PRINT_INTEGER, 4, 2}, "a vector of that many 16-bit integers"},
        {"%v2hld", {SIM_PRINT_INTEGER, 4, 2}, NULL},
        {"%v2hld", {SIM_PRINT_FLOAT, 4, 2}, "a vector of that many 32-bit integers"},
        {"%v2ld", {SIM_PRINT_INTEGER, 8, 2}, NULL},
        {"%v2ld", {SIM_PRINT_INTEGER, 4, 2}, "a vector of that many 64-bit integers"},
        {"%v3hf", {SIM_PRINT_FLOAT, 2, 3}, NULL},
        {"%v3hf", {SIM_PRINT_FLOAT, 4, 3}, "a vector of that many halves"},
        {"%v3hlf", {SIM_PRINT_FLOAT, 4, 3}, NULL},
        {"%v3hlf", {SIM_PRINT_INTEGER, 4, 3}, "a vector of that many floats"},
        {"%v3lf", {SIM_PRINT_FLOAT, 8, 3}, NULL},
        {"%v3lf", {SIM_PRINT_FLOAT, 8, 1}, "a vector of that many doubles"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_directive directive = directive_of(cases[i].format);
        const char *wanted = sim_directive_wants(&directive, cases[i].argument);
        bool is_right = cases[i].wanted ? wanted && strcmp(wanted, cases[i].wanted) == 0 : !wanted;
        if (!is_right) fail_msg("%s: %s", cases[i].format, wanted ? wanted : "takes it");
    }
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void test_values(void **state)
{
    (void)state;
    static const uint64_t all = UINT64_MAX;
    static const struct {
        const char *format;
        sim_print_argument argument;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {"%d", {SIM_PRINT_INTEGER, 4, 1}, 0xffffffff, "-1"},
        {"%d", {SIM_PRINT_INTEGER, 2, 1}, 0x8000, "-32768"},
        {"%i", {SIM_PRINT_INTEGER, 1, 1}, 0x80, "-128"},
        {"%u", {SIM_PRINT_INTEGER, 4, 1}, 0xffffffff, "4294967295"},
        {"%u", {SIM_PRINT_INTEGER, 1, 1}, 0x80, "128"},
        {"%hhd", {SIM_PRINT_INTEGER, 4, 1}, 0x1ff, "-1"},
        {"%hhu", {SIM_PRINT_INTEGER, 4, 1}, 0x1ff, "255"},
        {"%hd", {SIM_PRINT_INTEGER, 4, 1}, 0x17fff, "32767"},
        {"%hx", {SIM_PRINT_INTEGER, 1, 1}, 0xff, "ff"},
        {"%ld", {SIM_PRINT_INTEGER, 8, 1}, all, "-1"},
        {"%lu", {SIM_PRINT_INTEGER, 8, 1}, all, "18446744073709551615"},
        {"%v2hld", {SIM_PRINT_INTEGER, 4, 2}, 0x80000000, "-2147483648"},
        {"%v2hd", {SIM_PRINT_INTEGER, 2, 2}, 0xffff, "-1"},
        {"%v2hhx", {SIM_PRINT_INTEGER, 1, 2}, 0xab, "ab"},
        {"%v2ld", {SIM_PRINT_INTEGER, 8, 2}, 7, "7"},
        {"%+5d", {SIM_PRINT_INTEGER, 4, 1}, 7, "   +7"},
        {"%-5d", {SIM_PRINT_INTEGER, 4, 1}, 7, "7    "},
        {"% d", {SIM_PRINT_INTEGER, 4, 1}, 7, " 7"},
        {"%05d", {SIM_PRINT_INTEGER, 4, 1}, 7, "00007"},
        {"%5.3d", {SIM_PRINT_INTEGER, 4, 1}, 7, "  007"},
        {"%.0d", {SIM_PRINT_INTEGER, 4, 1}, 0, ""},
        {"%#X", {SIM_PRINT_INTEGER, 4, 1}, 0xbeef, "0XBEEF"},
        {"%#o", {SIM_PRINT_INTEGER, 4, 1}, 8, "010"},
        {"%c", {SIM_PRINT_INTEGER, 4, 1}, 'a', "a"},
        {"%3c", {SIM_PRINT_INTEGER, 4, 1}, 'a', "  a"},
        {"%-3c", {SIM_PRINT_INTEGER, 4, 1}, 'a', "a  "},
        {"%p", {SIM_PRINT_POINTER, 8, 1}, 0xabc, "0xabc"},
        {"%7p", {SIM_PRINT_POINTER, 8, 1}, 0xabc, "  0xabc"},
        {"%.1f", {SIM_PRINT_FLOAT, 4, 1}, 0x3fc00000, "1.5"},
        {"%.1f", {SIM_PRINT_FLOAT, 8, 1}, UINT64_C(0x3ff8000000000000), "1.5"},
        {"%.1v2hf", {SIM_PRINT_FLOAT, 2, 2}, 0x3e00, "1.5"},
        {"%.0f", {SIM_PRINT_FLOAT, 4, 1}, 0x3fc00000, "2"},
        {"%#.0f", {SIM_PRINT_FLOAT, 4, 1}, 0x3fc00000, "2."},
        {"%+.1e", {SIM_PRINT_FLOAT, 4, 1}, 0x3fc00000, "+1.5e+00"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_directive directive = directive_of(cases[i].format);
        rt_buffer out = {0};
        sim_directive_value(&directive, cases[i].argument, cases[i].bits, &out);
        if (strcmp(rt_buffer_string(&out), cases[i].text) != 0)
            fail_msg("%s: '%s', expected '%s'", cases[i].format, rt_buffer_string(&out),
                     cases[i].text);
        rt_buffer_free(&out);
    }
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *format, *text;
    } cases[] = {
        {"%s", "word"},     {"%3s", "word"}, {"%4s", "word"},   {"%6s", "  word"},
        {"%-6s", "word  "}, {"%.2s", "wo"},  {"%.4s", "word"},  {"%.9s", "word"},
        {"%.0s", ""},       {"%.s", ""},     {"%4.3s", " wor"}, {"%-4.3s", "wor "},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_directive directive = directive_of(cases[i].format);
        rt_buffer out = {0};
        sim_directive_string(&directive, RT_TEXT("word"), &out);
        if (strcmp(rt_buffer_string(&out), cases[i].text) != 0)
            fail_msg("%s: '%s', expected '%s'", cases[i].format, rt_buffer_string(&out),
                     cases[i].text);
        rt_buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),   cmocka_unit_test(test_parts),   cmocka_unit_test(test_wants),
        cmocka_unit_test(test_values), cmocka_unit_test(test_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
