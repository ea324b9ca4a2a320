/* Unit tests of reading: numbers, references, limits, the schema.  Which message a wrong file gets
 * is the matter of the golden tests (test/wrong). */
#include "conformance/scenario/build_options.h"
#include "conformance/scenario/number.h"
#include "conformance/scenario/scenario.h"
#include "conformance/scenario/test/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <jansson.h>

static bool element_of(scn_type type, const char *text, uint8_t *out_bytes)
{
    rt_arena arena = {0};
    scn_reporter reporter = {.arena = &arena};
    scn_node node = {.kind = SCN_NODE_SCALAR, .at = {1, 1}, .text = rt_text_of(text)};
    bool fine = scn_element_read(&reporter, type, &node, out_bytes);
    assert_int_equal(reporter.count, fine ? 0 : 1);
    rt_arena_reset(&arena);
    return fine;
}

static void assert_element(scn_type type, const char *text, uint64_t bits)
{
    uint8_t bytes[8] = {0};
    assert_true(element_of(type, text, bytes));
    uint64_t got = 0;
    for (uint32_t i = 0; i < scn_type_size(type); i++)
        got |= (uint64_t)bytes[i] << (8 * i);
    assert_true(got == bits);
}

static void assert_no_element(scn_type type, const char *text)
{
    uint8_t bytes[8] = {0};
    assert_false(element_of(type, text, bytes));
}

static void integers_have_the_range_of_their_type(void **state)
{
    (void)state;
    for (int t = 0; t < SCN_TYPE_COUNT; t++) {
        scn_type type = (scn_type)t;
        if (scn_type_class(type) == 'f') continue;
        uint32_t bits = 8 * scn_type_size(type);
        bool is_signed = scn_type_class(type) == 'i';
        uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64, most);
        assert_element(type, text, most);
        snprintf(text, sizeof text, "0x%" PRIx64, most);
        assert_element(type, text, most);
        snprintf(text, sizeof text, "-%" PRIu64, most + 1);
        if (is_signed)
            assert_element(type, text, most + 1);
        else
            assert_no_element(type, "-1");
        if (most == UINT64_MAX) continue;
        snprintf(text, sizeof text, "%" PRIu64, most + 1);
        assert_no_element(type, text);
        snprintf(text, sizeof text, "-%" PRIu64, most + 2);
        assert_no_element(type, text);
    }
}

static void integers_have_one_spelling(void **state)
{
    (void)state;
    assert_element(SCN_TYPE_INT, "+7", 7);
    assert_element(SCN_TYPE_INT, "-0", 0);
    assert_element(SCN_TYPE_UINT, "0XfF", 255);
    static const char *const wrong[] = {"",    "-",   "+",    "0x",  "00", "07",  "1_000", "1.0",
                                        "1e3", "0b1", "true", "--1", "1 ", "0o7", "1f",    "- 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_no_element(SCN_TYPE_INT, wrong[i]);
    assert_no_element(SCN_TYPE_ULONG, "18446744073709551616");
    assert_no_element(SCN_TYPE_ULONG, "0x10000000000000000");
}

static void floats_are_rounded_once(void **state)
{
    (void)state;
    assert_element(SCN_TYPE_FLOAT, "1", 0x3F800000);
    assert_element(SCN_TYPE_FLOAT, "-0.0", 0x80000000);
    /* Just above the middle of two floats; a detour over double would hit the middle exactly. */
    assert_element(SCN_TYPE_FLOAT, "1.00000005960464477540", 0x3F800001);
    assert_element(SCN_TYPE_FLOAT, "3.4028235e38", 0x7F7FFFFF);
    assert_element(SCN_TYPE_FLOAT, "0x1p-149", 1);
    assert_element(SCN_TYPE_FLOAT, "1e-45", 1);
    assert_element(SCN_TYPE_DOUBLE, "0.1", UINT64_C(0x3FB999999999999A));
    assert_element(SCN_TYPE_DOUBLE, "0x1.fffffffffffffp+1023", UINT64_C(0x7FEFFFFFFFFFFFFF));
}

static void floats_have_their_spellings(void **state)
{
    (void)state;
    assert_element(SCN_TYPE_FLOAT, "nan", 0x7FC00000);
    assert_element(SCN_TYPE_FLOAT, "-inf", 0xFF800000);
    assert_element(SCN_TYPE_DOUBLE, "inf", UINT64_C(0x7FF0000000000000));
    assert_element(SCN_TYPE_DOUBLE, "nan", UINT64_C(0x7FF8000000000000));
    assert_element(SCN_TYPE_DOUBLE, ".5", UINT64_C(0x3FE0000000000000));
    assert_element(SCN_TYPE_DOUBLE, "5.", UINT64_C(0x4014000000000000));
    assert_element(SCN_TYPE_DOUBLE, "0x.8p0", UINT64_C(0x3FE0000000000000));
    static const char *const wrong[] = {
        "",    ".",   "e3",   "1e",   "1e+",   "0x",  "0xp1",    "1.0f", "NaN", ".nan",  "infinity",
        "Inf", "1p3", "0x1e", "1e39", "1e-60", "1,5", "0x1p200", "+",    "--1", "nan(1)"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (strcmp(wrong[i], "0x1e") == 0)
            assert_element(SCN_TYPE_FLOAT, wrong[i], 0x41F00000); /* thirty, in hexadecimal */
        else
            assert_no_element(SCN_TYPE_FLOAT, wrong[i]);
    }
    assert_no_element(SCN_TYPE_FLOAT, "0x1.0000001p0");
    assert_no_element(SCN_TYPE_DOUBLE, "0x1.00000000000001p0");
    assert_no_element(SCN_TYPE_DOUBLE, "0x1.0000000000000000001p0");
    assert_element(SCN_TYPE_DOUBLE, "-0X1.00000000000000000000P+0", UINT64_C(0xBFF0000000000000));
    assert_element(SCN_TYPE_DOUBLE, "0x1.0000001p0", UINT64_C(0x3FF0000001000000));
}

static void counting_up_is_exact(void **state)
{
    (void)state;
    uint8_t bytes[8];
    assert_true(scn_element_of_index(SCN_TYPE_CHAR, 127, bytes));
    assert_false(scn_element_of_index(SCN_TYPE_CHAR, 128, bytes));
    assert_true(scn_element_of_index(SCN_TYPE_FLOAT, 1 << 24, bytes));
    assert_false(scn_element_of_index(SCN_TYPE_FLOAT, (1 << 24) + 1, bytes));
    assert_true(scn_element_of_index(SCN_TYPE_ULONG, UINT64_MAX, bytes));
    assert_false(scn_element_of_index(SCN_TYPE_LONG, UINT64_MAX, bytes));
}

static const scn_scenario *sample(rt_arena *arena)
{
    scn_problems problems;
    return scn_read(arena, scn_sample(), RT_TEXT("dir/sample.yaml"), RT_TEXT("sample.yaml"),
                    &problems);
}

static void names_become_indices(void **state)
{
    (void)state;
    rt_arena arena = {0};
    const scn_scenario *scenario = sample(&arena);
    assert_non_null(scenario);
    assert_true(rt_text_is(scenario->file, "dir/sample.yaml"));
    assert_true(rt_text_is(scenario->path, "sample.yaml"));
    assert_int_equal(scenario->modules[0].needs[0], 1);
    assert_true(rt_text_is(scenario->modules[1].sources[0].name, "lib/0"));
    const scn_submit *second = &scenario->steps[2].submit;
    assert_int_equal(second->after_count, 1);
    assert_int_equal(second->after[0], 1);
    assert_int_equal(scenario->steps[1].submit.arguments[1].memory, 1);
    assert_int_equal(scenario->steps[1].submit.arguments[1].access, SCN_ACCESS_READ);
    assert_int_equal(scenario->covers[1].rule, RT_RULE_DL_RESOLVE_09);
    assert_null(scenario->memories[1].initial.data);
    assert_int_equal(scenario->memories[0].initial.size, 16);
    rt_arena_reset(&arena);
}

static void a_scenario_outlives_its_text(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer text = {0};
    scn_problems problems;
    rt_buffer_append_text(&text, scn_sample());
    const scn_scenario *scenario =
        scn_read(&arena, rt_buffer_text(&text), RT_TEXT("f"), RT_TEXT("p"), &problems);
    memset(text.data, '#', text.size);
    rt_buffer_free(&text);
    assert_true(rt_text_is(scenario->summary, "Every part of the model."));
    assert_true(rt_text_is(scenario->steps[1].submit.kernel, "k"));
    assert_true(rt_text_is(scenario->memories[1].name, "b"));
    assert_true(rt_text_is(scenario->steps[1].id, "s"));
    rt_arena_reset(&arena);
}

static void every_truncation_of_a_file_is_read_or_refused(void **state)
{
    (void)state;
    size_t read = 0;
    for (size_t length = 0; length <= scn_sample().length; length++) {
        rt_arena arena = {0};
        scn_problems problems;
        rt_text text = {scn_sample().data, length};
        const scn_scenario *scenario =
            scn_read(&arena, text, RT_TEXT("f"), RT_TEXT("p"), &problems);
        assert_true((scenario != NULL) == (problems.count == 0));
        read += scenario != NULL;
        rt_arena_reset(&arena);
    }
    assert_true(read > 10); /* among them those that lack only their last steps */
}

static void no_more_than_twenty_problems_are_told(void **state)
{
    (void)state;
    rt_arena arena = {0};
    rt_buffer text = {0};
    rt_buffer_printf(&text, "assay: 1\nsummary: s\nmodules: {}\nsteps:\n");
    for (int i = 0; i < 50; i++)
        rt_buffer_printf(&text, "  - leap: %d\n", i);
    scn_problems problems;
    assert_null(scn_read(&arena, rt_buffer_text(&text), RT_TEXT("f"), RT_TEXT("p"), &problems));
    assert_int_equal(problems.count, 20);
    rt_buffer_free(&text);
    rt_arena_reset(&arena);
}

/* The value at a path of keys separated by '/'. */
static const json_t *at(const json_t *root, const char *path)
{
    char key[64];
    while (*path) {
        size_t length = strcspn(path, "/");
        assert_true(length < sizeof key);
        memcpy(key, path, length);
        key[length] = '\0';
        root = json_object_get(root, key);
        assert_non_null(root);
        path += length + (path[length] == '/');
    }
    return root;
}

static void the_schema_comes_from_the_table(void **state)
{
    (void)state;
    rt_buffer text = {0};
    scn_schema_write(&text);
    json_t *schema = json_loads(rt_buffer_string(&text), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(schema);
    assert_int_equal(json_array_size(at(schema, "required")), 4);
    const json_t *step = json_array_get(at(schema, "properties/steps/items/anyOf"), 1);
    assert_string_equal(json_string_value(at(step, "properties/load/description")),
                        "Loads a module, as dlopen does.");
    assert_non_null(at(step, "properties/bundle/not")); /* not built: nothing is accepted */
    assert_non_null(at(schema, "properties/memory/additionalProperties/properties/type/enum"));
    json_decref(schema);
    rt_buffer_free(&text);
}

/* The hello-world of linking is read in well under a millisecond; the bound here is ten times what
 * a loaded machine needs, so that the test only notices when something grows out of hand. */
static void reading_is_fast(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    clock_t start = clock();
    for (int i = 0; i < ROUNDS; i++) {
        rt_arena arena = {0};
        assert_non_null(sample(&arena));
        rt_arena_reset(&arena);
    }
    double ms = 1000.0 * (double)(clock() - start) / CLOCKS_PER_SEC / ROUNDS;
    print_message("reading the sample: %.3f ms\n", ms);
    assert_true(ms < 10);
}

static void build_options_are_taken_from_a_list(void **state)
{
    (void)state;
    rt_text refused;
    assert_true(scn_build_options_check(RT_TEXT(""), &refused));
    assert_true(scn_build_options_check(RT_TEXT(" -DN=4  -cl-std=CL1.2\t-O2 "), &refused));
    static const char *const wrong[] = {
        "-o",       "-I/tmp", "@file",       "-Xclang", "-D", "-fplugin=x.so",
        "-include", "x.cl",   "-save-temps", "-O9"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char options[64];
        snprintf(options, sizeof options, "-DA %s -DB", wrong[i]);
        assert_false(scn_build_options_check(rt_text_of(options), &refused));
        assert_true(rt_text_is(refused, wrong[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_options_are_taken_from_a_list),
        cmocka_unit_test(integers_have_the_range_of_their_type),
        cmocka_unit_test(integers_have_one_spelling),
        cmocka_unit_test(floats_are_rounded_once),
        cmocka_unit_test(floats_have_their_spellings),
        cmocka_unit_test(counting_up_is_exact),
        cmocka_unit_test(names_become_indices),
        cmocka_unit_test(a_scenario_outlives_its_text),
        cmocka_unit_test(every_truncation_of_a_file_is_read_or_refused),
        cmocka_unit_test(no_more_than_twenty_problems_are_told),
        cmocka_unit_test(the_schema_comes_from_the_table),
        cmocka_unit_test(reading_is_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
