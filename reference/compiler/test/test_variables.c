/* Tests of post-link: module-scope variables as symbols, and differences between the profiles. */
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- Symbols ------------------------------------------------------------------------------- */

static void symbols_that_other_sources_can_name_are_exported(void **state)
{
    /* `hidden` is static, `mark` is in local memory, and `later` is declared in one source and
     * defined in the other. */
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "global int counter = 3; constant int table[2] = {4, 5};\n"
                               "static global int hidden = 6; extern global int later;\n"
                               "kernel void K(global int *p) { local int mark;\n"
                               " mark = hidden++; p[0] = mark + later; }\n"},
                         {"B", "global int later = 7;"}));
    assert_exports(*state, 0, "counter table later");
    assert_imports(*state, 0, "");
    assert_int_equal(fixture_variable(*state, 0, "counter"), EXPORTED);
    assert_int_equal(fixture_variable(*state, 0, "table"), EXPORTED);
    assert_int_equal(fixture_variable(*state, 0, "hidden"), INTERNAL);
}

static void references_of_an_image_are_imported(void **state)
{
    /* `unused` is only declared; the prelude's constants and names reserved for the implementation
     * are not symbols. */
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "extern global int v; extern global int unused;\n"
                               "extern constant int table[2]; extern global int __reserved;\n"
                               "SPEC_CONSTANT(int, chosen, 3);\n"
                               "kernel void K(global int *p)\n"
                               "{ p[0] = v + table[chosen & 1] + __reserved; }"}));
    assert_imports(*state, 0, "v table");
    assert_exports(*state, 0, "");
}

static void a_front_ends_marks_decide(void **state)
{
    /* If functions have marks, a variable without a mark is private to its module. */
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"m.ll", TARGET "@seen = addrspace(1) global i32 1 #0\n"
                                "@own = addrspace(1) global i32 2\n"
                                "define spir_func i32 @f() #0 {\n"
                                " %a = load i32, i32 addrspace(1)* @seen\n"
                                " %b = load i32, i32 addrspace(1)* @own\n"
                                " %s = add i32 %a, %b\n store i32 %s, i32 addrspace(1)* @own\n"
                                " ret i32 %s\n}\n"
                                "attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }\n"}));
    assert_exports(*state, 0, "f seen");
    assert_int_equal(fixture_variable(*state, 0, "own"), INTERNAL);
}

static void variables_without_functions_form_an_image(void **state)
{
    for (rt_split split = RT_SPLIT_OFF; split <= RT_SPLIT_PER_KERNEL; split++) {
        fixture_make(*state, split, 1, SOURCES({"A", "global int v = 3;"}));
        assert_kernels(*state, 0, "");
        assert_exports(*state, 0, "v");
    }
    /* Twin: a static variable, to which no other module could refer, forms none. */
    fixture_make(*state, RT_SPLIT_OFF, 0, SOURCES({"A", "static global int v = 3;"}));
}

static void two_definitions_in_one_module_are_refused(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_PER_SOURCE,
        SOURCES({"A", "global int v = 3; kernel void K(global int *p) { *p = v; }"},
                {"B", "global int v = 4;"}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
}

/* ---- Split --------------------------------------------------------------------------------- */

static const fixture_source table_a = {"A", "constant int table[2] = {4, 5};\n" NOINLINE
                                            "int f(int i) { return table[i & 1]; }"};
static const fixture_source table_b = {"B", "extern constant int table[2];\n"
                                            "kernel void K(global int *p) { *p = table[*p & 1]; }"};

static void a_constant_is_copied(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(table_a, table_b));
    assert_exports(*state, 0, "f table");
    assert_exports(*state, 1, "");
    assert_imports(*state, 1, "");
    assert_int_equal(fixture_variable(*state, 0, "table"), EXPORTED);
    assert_int_equal(fixture_variable(*state, 1, "table"), INTERNAL);
}

static void functions_of_two_sources_share_a_variable(void **state)
{
    static const fixture_source a = {"A",
                                     "global int n = 3;\n" NOINLINE "int up(void) { return n++; }"};
    static const fixture_source b = {"B", "extern global int n;\n" NOINLINE
                                          "int down(void) { return n--; }"};
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(a, b));
    assert_exports(*state, 0, "up n");
    assert_imports(*state, 1, "n");
    assert_int_equal(fixture_variable(*state, 1, "n"), DECLARED);
}

static void a_writable_variable_is_at_home_with_its_kernels(void **state)
{
    static const fixture_source a = {"A",
                                     "global int n = 3;\n" NOINLINE "int up(void) { return n++; }"};
    static const fixture_source b = {"B", "int up(void);\n"
                                          "kernel void K(global int *p) { *p = up(); }"};
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(a, b));
    assert_imports(*state, 0, "n");
    assert_exports(*state, 0, "up");
    assert_imports(*state, 1, ""); /* the kernel's image need not be linked */
    assert_exports(*state, 1, "n");
}

static void kernels_of_two_images_cannot_share_a_variable(void **state)
{
    postlink_fixture *fixture = *state;
    static const fixture_source a = {"A", "global int n = 3;\n"
                                          "kernel void K(global int *p) { *p = n++; }"};
    static const fixture_source b = {"B", "extern global int n;\n"
                                          "kernel void L(global int *p) { *p = n; }"};
    static const fixture_source c = {"C", "extern global int n;\n"
                                          "kernel void M(global int *p) { *p = n; }"};
    rt_status status = fixture_postlink(fixture, RT_SPLIT_PER_SOURCE, SOURCES(a, b, c));
    assert_refused(fixture, status, RT_POSTLINK_ERROR, "n");
    rt_text message = rt_sink_diagnostic(fixture->sink, status)->message;
    assert_true(rt_text_starts(message, "<stdin>:2: variable 'n'"));
    /* Twin: a single image is accepted. */
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(a, b, c));
    assert_exports(fixture, 0, "n");
}

static void per_kernel_a_constant_is_exported_with_functions(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 3,
                 SOURCES({"A", "constant int t[2] = {1, 2};\n"
                               "kernel void K(global int *p) { *p = t[*p & 1]; }\n"
                               "kernel void L(global int *p) { *p = -t[*p & 1]; }"}));
    assert_exports(*state, 0, "");
    assert_exports(*state, 1, "");
    assert_kernels(*state, 2, "");
    assert_exports(*state, 2, "t");
}

/* ---- The profile of shipped DPC++ ---------------------------------------------------------- */

static void dpcpp_imports_instead_of_copying(void **state)
{
    postlink_fixture *fixture = *state;
    static const fixture_source a = {"A", NOINLINE "int f(int i) { return i * 2; }"};
    static const fixture_source b = {"B", "int f(int i);\n"
                                          "kernel void K(global int *p) { *p = f(*p); }"};
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(a, b));
    assert_exports(fixture, 0, "f");
    assert_imports(fixture, 1, "f");
    assert_int_equal(fixture_function(fixture, 1, "f"), DECLARED);
    fixture->profile = RT_PROFILE_DOCUMENTS;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(a, b));
    assert_imports(fixture, 1, "");
    assert_int_equal(fixture_function(fixture, 1, "f"), INTERNAL);
}

static void dpcpp_takes_marked_declarations_only(void **state)
{
    postlink_fixture *fixture = *state;
    static const fixture_source m = {
        "m.ll",
        TARGET "declare spir_func i32 @plain()\n"
               "declare spir_func i32 @virtual() #1\n"
               "declare spir_func i32 @external() #0\n"
               "define spir_kernel void @K(i32 addrspace(1)* %p) #0 {\n"
               " %a = call spir_func i32 @external()\n %b = call spir_func i32 @plain()\n"
               " %c = call spir_func i32 @virtual()\n"
               " %s = add i32 %a, %b\n %t = add i32 %s, %c\n store i32 %t, i32 addrspace(1)* %p\n"
               " ret void\n}\n"
               "attributes #0 = { \"sycl-module-id\"=\"a.cpp\" }\n"
               "attributes #1 = { \"sycl-module-id\"=\"a.cpp\" \"indirectly-callable\"=\"s\" }\n"};
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(m));
    assert_imports(fixture, 0, "external");
    fixture->profile = RT_PROFILE_DOCUMENTS;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(m));
    assert_imports(fixture, 0, "plain external");
}

static void dpcpp_exports_no_builtin_by_its_name(void **state)
{
    postlink_fixture *fixture = *state;
    static const fixture_source m = {"A", NOINLINE
                                     "int __sycl_helper(int i) { return i * 2; }\n" NOINLINE
                                     "int f(int i) { return __sycl_helper(i) + 1; }"};
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(m));
    assert_exports(fixture, 0, "f");
    fixture->profile = RT_PROFILE_DOCUMENTS;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(m));
    assert_exports(fixture, 0, "__sycl_helper f");
}

static void dpcpp_exports_no_variable(void **state)
{
    postlink_fixture *fixture = *state;
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(table_a, table_b));
    assert_exports(fixture, 0, "f");
    assert_int_equal(fixture_variable(fixture, 0, "table"), INTERNAL);
    assert_int_equal(fixture_variable(fixture, 1, "table"), INTERNAL);
    fixture_make(fixture, RT_SPLIT_OFF, 0, SOURCES({"A", "global int v = 3;"}));
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(symbols_that_other_sources_can_name_are_exported),
        TEST(references_of_an_image_are_imported),
        TEST(a_front_ends_marks_decide),
        TEST(variables_without_functions_form_an_image),
        TEST(two_definitions_in_one_module_are_refused),
        TEST(a_constant_is_copied),
        TEST(functions_of_two_sources_share_a_variable),
        TEST(a_writable_variable_is_at_home_with_its_kernels),
        TEST(kernels_of_two_images_cannot_share_a_variable),
        TEST(per_kernel_a_constant_is_exported_with_functions),
        TEST(dpcpp_imports_instead_of_copying),
        TEST(dpcpp_takes_marked_declarations_only),
        TEST(dpcpp_exports_no_builtin_by_its_name),
        TEST(dpcpp_exports_no_variable),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
