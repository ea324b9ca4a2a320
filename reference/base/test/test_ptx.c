/* Tests the lines that describe a kernel's parameters: writing, reading, and refusals. */
#include "reference/base/ptx.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    rt_sink *sink;
    rt_arena arena;
    const rt_ptx_kernel *kernels;
    uint32_t count;
} fixture;

static int setup(void **state)
{
    fixture *f = rt_alloc_array(1, sizeof *f);
    *f = (fixture){.sink = rt_sink_create()};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    rt_arena_reset(&f->arena);
    rt_sink_destroy(f->sink);
    rt_free(f);
    return 0;
}

static rt_status read_text(fixture *f, const char *text)
{
    return rt_ptx_kernels_read(f->sink, &f->arena, rt_text_of(text), &f->kernels, &f->count);
}

static void what_is_written_is_read(void **state)
{
    fixture *f = *state;
    const rt_ptx_parameter parameters[] = {
        {RT_PTX_POINTER, 8}, {RT_PTX_VALUE, 12}, {RT_PTX_LOCAL, 4}};
    const rt_ptx_kernel first = {RT_TEXT("apply"), parameters, 3};
    const rt_ptx_kernel second = {RT_TEXT("idle"), NULL, 0};
    rt_buffer text = {0};
    rt_ptx_kernel_write(&text, &first);
    rt_ptx_kernel_write(&text, &second);
    assert_string_equal(rt_buffer_string(&text),
                        "//@kernel apply pointer:8 value:12 local:4\n//@kernel idle\n");
    rt_buffer_printf(&text, "//\n// Generated\n\n.version 6.4\n//@kernel late\n");
    assert_true(rt_ok(read_text(f, rt_buffer_string(&text))));
    assert_int_equal(f->count, 2);
    assert_true(rt_text_is(f->kernels[0].name, "apply"));
    assert_int_equal(f->kernels[0].parameter_count, 3);
    assert_memory_equal(f->kernels[0].parameters, parameters, sizeof parameters);
    assert_true(rt_text_is(f->kernels[1].name, "idle"));
    assert_int_equal(f->kernels[1].parameter_count, 0);
    rt_buffer_free(&text);
}

static void text_without_kernels_has_none(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {"", "\n", ".version 6.4\n", "// a comment", "//@kerne"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(rt_ok(read_text(f, texts[i])));
        assert_int_equal(f->count, 0);
        assert_null(f->kernels);
    }
}

static void damaged_lines_are_refused_with_their_number(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {
        "//@kernel ",
        "//@kernel k pointer",
        "//@kernel k pointer:",
        "//@kernel k pointer:4",
        "//@kernel k local:8",
        "//@kernel k value:0",
        "//@kernel k value:4353",
        "//@kernel k value:99999999999999999999",
        "//@kernel k value:-1",
        "//@kernel k value:4x",
        "//@kernel k image:8",
        "//@kernel k  value:4",
        "//@kernel k value:4 ,",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rt_buffer text = {0};
        rt_buffer_printf(&text, "// one\n%s\n", texts[i]);
        rt_status status = read_text(f, rt_buffer_string(&text));
        assert_int_equal(status.code, RT_MALFORMED);
        rt_text message = rt_sink_diagnostic(f->sink, status)->message;
        assert_true(rt_text_starts(message, "line 2 of the PTX"));
        assert_int_equal(f->count, 0);
        rt_buffer_free(&text);
    }
}

static void the_largest_value_is_accepted(void **state)
{
    fixture *f = *state;
    assert_true(rt_ok(read_text(f, "//@kernel k value:4352")));
    assert_int_equal(f->count, 1);
    assert_int_equal(f->kernels[0].parameters[0].size, 4352);
}

static void names_have_letters_that_ptx_accepts(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"_Z1fi", "_Z1fi"}, {"a$9", "a$9"},           {"id.1", "id_$2e1"},
        {"a b", "a_$20b"},  {"\xc3\xa9", "_$c3_$a9"}, {"", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_buffer name = {0};
        rt_ptx_name_write(&name, rt_text_of(rows[i][0]));
        assert_string_equal(rt_buffer_string(&name), rows[i][1]);
        rt_buffer_free(&name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(text_without_kernels_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_lines_are_refused_with_their_number, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_largest_value_is_accepted, setup, teardown),
        cmocka_unit_test(names_have_letters_that_ptx_accepts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
