/* Unit tests of readable names. The symbols are those of clang 14 and of the shipped SYCL compiler
 * for the declarations in the comments. */
#include "reference/base/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect_text(const char *text, const char *readable)
{
    rt_arena arena = {0};
    rt_text result = rt_demangle_text(&arena, rt_text_of(text));
    rt_text terminated = rt_arena_text(&arena, result);
    assert_string_equal(terminated.data, readable);
    rt_arena_reset(&arena);
}

static void symbols_are_demangled(void **state)
{
    (void)state;
    expect_text("_Z5twicei", "twice(int)");                  /* int twice(int) */
    expect_text("_ZN5inner3addEii", "inner::add(int, int)"); /* int inner::add(int, int) */
    expect_text("twice", "twice");
}

static void sycl_kernels_have_the_names_of_their_sources(void **state)
{
    (void)state;
    /* void deep::race(int *), void twice(int *), template <typename T> void scale(T *, void (*)())
     */
    expect_text("_ZN18__sycl_kernel_deep4raceEPi", "deep::race");
    expect_text("_Z19__sycl_kernel_twicePi", "twice");
    expect_text("_Z19__sycl_kernel_scaleIiEvPT_PFvvE", "scale<int>");
    /* The class of a kernel's name, and a lambda expression in main. */
    expect_text("_ZTSN5tests4nameE", "tests::name");
    expect_text("_ZTSZ4mainEUlvE_", "main::{lambda()#1}");
}

static void every_name_of_a_sentence_is_demangled(void **state)
{
    (void)state;
    expect_text("image app/1 exports '_Z5twicei', not _Z5timesii.",
                "image app/1 exports 'twice(int)', not times(int, int).");
    /* Variables, whose symbols are ids. */
    expect_text("id _Z7counter, _ZN2ns1vE", "id _Z7counter, _ZN2ns1vE");
    /* Part of a longer name, or not a name. */
    expect_text("rtc_0$_Z5twicei a_Z5twicei _Z _Zqq", "rtc_0$_Z5twicei a_Z5twicei _Z _Zqq");
    expect_text("", "");
}

static void a_name_at_global_scope_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *symbol, *name;
    } rows[] = {{"_Z5twicei", "twice"},     {"twice", ""}, {"_ZN5inner3addEii", ""},
                {"_Z99twicei", ""},         {"_Z0", ""},   {"_Z", ""},
                {"_Z5twiceIiEvT_", "twice"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_text name = rt_mangled_name(rt_text_of(rows[i].symbol));
        assert_true(rt_text_is(name, rows[i].name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_demangled),
        cmocka_unit_test(sycl_kernels_have_the_names_of_their_sources),
        cmocka_unit_test(every_name_of_a_sentence_is_demangled),
        cmocka_unit_test(a_name_at_global_scope_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
