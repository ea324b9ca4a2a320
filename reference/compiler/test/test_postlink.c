/* Tests of post-link, rule by rule: the contents of each image, the linkage of its symbols, and its
 * imports and exports. A test whose name begins with a rule's id is that rule's proof if
 * requirements.yaml has `proof: tool`; its twin follows in the same test. Run with a pattern
 * ("DL_SPLIT_*") to select tests. */
#include "reference/base/spirv.h"
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The document's example: a function in A, and in B a kernel that calls it. */
static const fixture_source lib_a = {"A", NOINLINE "int LibDeviceFunc(int i) { return i * 2; }"};
static const fixture_source lib_b = {
    "B", "int LibDeviceFunc(int i);\n"
         "kernel void K(global int *out) { size_t i = get_global_id(0); "
         "out[i] = LibDeviceFunc((int)i); }"};
static const fixture_source lib_k2 = {
    "C", "int LibDeviceFunc(int i);\n"
         "kernel void K2(global int *out) { out[0] = LibDeviceFunc(out[1]); }"};

/* ---- DL-FE --------------------------------------------------------------------------------- */

static void DL_FE_01_external_functions_know_their_source(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2,
                 SOURCES({"a.cpp", "int f(int i) { return i; }"},
                         {"b.cpp", "int g(int i) { return i + 1; }"}));
    assert_exports(*state, 0, "f");
    assert_exports(*state, 1, "g");
    /* Twin: a source that its front end has marked; `plain` has no mark and is not an entry point.
     */
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1,
                 SOURCES({"c.ll", TARGET "define spir_func i32 @f(i32 %x) #0 {\n ret i32 %x\n}\n"
                                         "define spir_func i32 @plain(i32 %x) {\n ret i32 %x\n}\n"
                                         "attributes #0 = { \"sycl-module-id\"=\"c.cpp\" }\n"}));
    assert_exports(*state, 0, "f");
    assert_int_equal(fixture_function(*state, 0, "plain"), ABSENT);
}

static void DL_FE_02_functions_are_entry_points(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1,
                 SOURCES({"A", "static " NOINLINE "int h(int i) { return i * 3; }\n"
                               "int f(int i) { return h(i) + 1; }"}));
    assert_exports(*state, 0, "f");
    assert_kernels(*state, 0, "");
    /* Twin: a source with only helpers has no entry point and produces no image. */
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 0,
                 SOURCES({"A", "static int h(int i) { return i * 3; }"}));
}

/* ---- DL-SPLIT ------------------------------------------------------------------------------ */

static void DL_SPLIT_01_per_source_groups_by_source(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_kernels(*state, 0, "");
    assert_kernels(*state, 1, "K");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(lib_a, lib_b));
    assert_kernels(*state, 0, "K");
    assert_exports(*state, 0, "LibDeviceFunc");
}

static void DL_SPLIT_02_a_kernels_image_has_a_copy(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_int_equal(fixture_function(*state, 0, "LibDeviceFunc"), EXPORTED);
    assert_int_equal(fixture_function(*state, 1, "LibDeviceFunc"), INTERNAL);
}

static void DL_SPLIT_03_only_the_defining_source_exports(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_exports(*state, 0, "LibDeviceFunc");
    assert_exports(*state, 1, "");
}

static void DL_SPLIT_04_kernels_import_nothing_that_is_defined(void **state)
{
    /* K reaches f in its own source and, through f, g in another source. */
    static const fixture_source sources[] = {
        {"A", "int g(int i);\n" NOINLINE "int f(int i) { return g(i) + 1; }\n"
              "kernel void K(global int *p) { p[0] = f(p[1]); }"},
        {"B", NOINLINE "int g(int i) { return i * 5; }"},
        {NULL, NULL}};
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, sources);
    assert_imports(*state, 0, "");
    assert_exports(*state, 0, "f");
    assert_int_equal(fixture_function(*state, 0, "g"), INTERNAL);
    /* Twin: without its definition the function is an import. */
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1, SOURCES(sources[0]));
    assert_imports(*state, 0, "g");
}

static void DL_SPLIT_06_helpers_go_with_their_function(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1,
                 SOURCES({"A", "static " NOINLINE "int h2(int i) { return i * 3; }\n"
                               "static " NOINLINE "int h1(int i) { return h2(i) - 1; }\n"
                               "int f(int i) { return h1(i) + h1(i + 1); }"}));
    assert_int_equal(fixture_function(*state, 0, "h1"), INTERNAL);
    assert_int_equal(fixture_function(*state, 0, "h2"), INTERNAL);
    assert_int_equal(fixture_function(*state, 0, "f"), EXPORTED);
    assert_exports(*state, 0, "f");
    assert_imports(*state, 0, "");
}

/* `h` is external in the input but has no mark, like a helper function that the front end adds. */
static const fixture_source shared_helper = {
    "shared.ll", TARGET
    "define spir_func i32 @h(i32 %x) #2 {\n %r = mul i32 %x, 3\n ret i32 %r\n}\n"
    "define spir_func i32 @f(i32 %x) #0 {\n %r = call spir_func i32 @h(i32 %x)\n ret i32 %r\n}\n"
    "define spir_func i32 @g(i32 %x) #1 {\n %r = call spir_func i32 @h(i32 %x)\n ret i32 %r\n}\n"
    "attributes #0 = { \"sycl-module-id\"=\"A.cpp\" }\n"
    "attributes #1 = { \"sycl-module-id\"=\"B.cpp\" }\n"
    "attributes #2 = { noinline }\n"};

static void DL_SPLIT_07_shared_helpers_are_copied_into_each_image(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(shared_helper));
    assert_int_equal(fixture_function(fixture, 0, "h"), INTERNAL);
    assert_int_equal(fixture_function(fixture, 1, "h"), INTERNAL);
    rt_bytes codes[2] = {fixture->images.images[0].code, fixture->images.images[1].code};
    rt_buffer bitcode = {0};
    assert_true(rt_ok(fixture_link(fixture, codes, 2, &bitcode)));
    rt_buffer_free(&bitcode);
}

static const fixture_source uses_other = {"A", "int g(int i);\n" NOINLINE
                                               "int f(int i) { return g(i) + 1; }"};
static const fixture_source is_used = {"B", NOINLINE "int g(int i) { return i * 5; }"};

static void DL_SPLIT_08_functions_of_other_sources_are_imported(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(uses_other, is_used));
    assert_imports(*state, 0, "g");
    assert_exports(*state, 0, "f");
    assert_int_equal(fixture_function(*state, 0, "g"), DECLARED);
    assert_exports(*state, 1, "g");
    assert_imports(*state, 1, "");
    /* Twin: without a split, nothing is imported. */
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(uses_other, is_used));
    assert_imports(*state, 0, "");
    assert_exports(*state, 0, "f g");
}

static void DL_SPLIT_09_functions_of_one_source_stay_together(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1,
                 SOURCES({"A", NOINLINE "int g(int i) { return i * 5; }\n" NOINLINE
                                        "int f(int i) { return g(i) + 1; }"}));
    assert_exports(*state, 0, "g f");
    assert_imports(*state, 0, "");
}

static void DL_SPLIT_10_helpers_become_internal(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(shared_helper));
    assert_int_equal(fixture_function(*state, 0, "h"), INTERNAL);
    assert_int_equal(fixture_function(*state, 0, "f"), EXPORTED);
}

static void DL_SPLIT_11_copies_become_internal(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_int_equal(fixture_function(*state, 1, "LibDeviceFunc"), INTERNAL);
    assert_int_equal(fixture_function(*state, 0, "LibDeviceFunc"), EXPORTED);
}

static void DL_SPLIT_12_copies_never_clash(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 3, SOURCES(lib_a, lib_b, lib_k2));
    rt_bytes codes[3];
    for (uint32_t i = 0; i < 3; i++)
        codes[i] = fixture->images.images[i].code;
    rt_buffer bitcode = {0};
    assert_true(rt_ok(fixture_link(fixture, codes, 3, &bitcode)));
    rt_buffer_free(&bitcode);
    /* Twin: two exports of one function clash. */
    codes[1] = codes[0];
    rt_status status = fixture_link(fixture, codes, 2, &bitcode);
    assert_refused(fixture, status, RT_LINK_ERROR, "LibDeviceFunc");
}

static void per_kernel_gives_each_kernel_an_image(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 3,
                 SOURCES({"A", NOINLINE "int f(int i) { return i * 5; }\n" NOINLINE
                                        "int g(int i) { return f(i) - 1; }\n"
                                        "kernel void K(global int *p) { p[0] = f(p[1]); }\n"
                                        "kernel void L(global int *p) { p[0] = g(p[1]); }"}));
    assert_exports(*state, 0, "f g");
    assert_kernels(*state, 1, "K");
    assert_exports(*state, 1, "");
    assert_int_equal(fixture_function(*state, 1, "f"), INTERNAL);
    assert_int_equal(fixture_function(*state, 1, "g"), ABSENT);
    assert_kernels(*state, 2, "L");
    assert_int_equal(fixture_function(*state, 2, "g"), INTERNAL);
}

/* After the sources are joined, post-link ignores a definition's external linkage in its decisions;
 * an internal definition is not visible to other modules, whether marked or not. */
static void marked_definitions_of_any_linkage(void **state)
{
    fixture_make(
        *state, RT_SPLIT_PER_SOURCE, 2,
        SOURCES({"m.ll", TARGET "$f = comdat any\n"
                                "define linkonce_odr spir_func i32 @f(i32 %x) #0 comdat {\n"
                                " %r = call spir_func i32 @w(i32 %x)\n ret i32 %r\n}\n"
                                "define weak spir_func i32 @w(i32 %x) #1 {\n ret i32 3\n}\n"
                                "define weak_odr spir_func i32 @o(i32 %x) #1 {\n"
                                " %r = call spir_func i32 @i(i32 %x)\n ret i32 %r\n}\n"
                                "define internal spir_func i32 @i(i32 %x) #0 {\n"
                                " %r = call spir_func i32 @a(i32 %x)\n ret i32 %r\n}\n"
                                "define available_externally spir_func i32 @a(i32 %x) #0 {\n"
                                " ret i32 7\n}\n"
                                "attributes #0 = { noinline \"sycl-module-id\"=\"A\" }\n"
                                "attributes #1 = { noinline \"sycl-module-id\"=\"B\" }\n"}));
    assert_exports(*state, 0, "f");
    assert_imports(*state, 0, "w");
    assert_int_equal(fixture_function(*state, 0, "w"), DECLARED);
    assert_exports(*state, 1, "w o");
    assert_imports(*state, 1, "");
    assert_int_equal(fixture_function(*state, 1, "i"), INTERNAL);
}

static void weak_definitions_yield(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2,
                 SOURCES({"A", "__attribute__((weak)) int f(int x) { return x; }\n"
                               "__attribute__((weak)) int g(int x) { return f(x); }"},
                         {"B", NOINLINE "int f(int x) { return -x; }"}));
    assert_exports(*state, 0, "g");
    assert_imports(*state, 0, "f");
    assert_exports(*state, 1, "f");
}

/* Without calls through pointers, the mode auto splits per source; with such a call, it does not
 * split. */
static void auto_splits_unless_pointers_are_called(void **state)
{
    fixture_make(*state, RT_SPLIT_AUTO, 2, SOURCES(lib_a, lib_b));
    assert_exports(*state, 0, "LibDeviceFunc");
    assert_kernels(*state, 1, "K");
    static const fixture_source pointer = {
        "P", "#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable\n"
             "int LibDeviceFunc(int i);\n"
             "int apply(int (*f)(int), int x) { return f(x); }"};
    rt_status status = fixture_postlink(*state, RT_SPLIT_AUTO, SOURCES(lib_a, pointer));
    assert_true(rt_ok(status));
    assert_int_equal(((postlink_fixture *)*state)->images.count, 1);
    assert_exports(*state, 0, "LibDeviceFunc apply");
}

static void a_called_kernel_is_copied_as_a_function(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 2,
                 SOURCES({"A", "kernel " NOINLINE "void a(global int *p) { p[0]++; }\n"
                               "kernel void b(global int *p) { a(p); p[1] = p[0]; }"}));
    assert_kernels(*state, 0, "a");
    assert_kernels(*state, 1, "b");
    assert_int_equal(fixture_function(*state, 1, "a"), INTERNAL);
}

static void a_writable_variable_is_never_torn(void **state)
{
    static const fixture_source counter = {"A", "static global int n = 3;\n"
                                                "kernel void a(global int *p) { p[0] = n++; }\n"
                                                "kernel void b(global int *p) { p[0] = n--; }"};
    rt_status status = fixture_postlink(*state, RT_SPLIT_PER_KERNEL, SOURCES(counter));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "n");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(counter));
    assert_kernels(*state, 0, "a b");
}

/* ---- DL-EXPORT ----------------------------------------------------------------------------- */

static void DL_EXPORT_01_marked_and_external_is_exported(void **state)
{
    /* f is marked and external; g is a copy; h has no mark. */
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2,
                 SOURCES({"m.ll", TARGET "define spir_func i32 @h(i32 %x) #2 {\n ret i32 %x\n}\n"
                                         "define spir_func i32 @g(i32 %x) #1 {\n ret i32 7\n}\n"
                                         "define spir_func i32 @f(i32 %x) #0 {\n"
                                         " %r = call spir_func i32 @h(i32 %x)\n ret i32 %r\n}\n"
                                         "define spir_kernel void @K(i32 addrspace(1)* %p) #0 {\n"
                                         " %x = call spir_func i32 @g(i32 3)\n"
                                         " store i32 %x, i32 addrspace(1)* %p\n ret void\n}\n"
                                         "attributes #0 = { \"sycl-module-id\"=\"A\" }\n"
                                         "attributes #1 = { noinline \"sycl-module-id\"=\"B\" }\n"
                                         "attributes #2 = { noinline }\n"}));
    assert_exports(*state, 0, "g");
    assert_exports(*state, 1, "f");
}

static void DL_EXPORT_02_kernels_are_not_exported(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "int f(int i) { return i; }\n"
                               "kernel void K(global int *p) { p[0] = 1; }"}));
    assert_exports(*state, 0, "f");
    assert_kernels(*state, 0, "K");
}

static void DL_EXPORT_03_declarations_are_not_exported(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(uses_other, is_used));
    assert_exports(*state, 0, "f");
}

static void without_definitions_there_is_no_set(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "kernel void K(global int *p) { p[0] = 1; }"}));
    assert_null(rt_image_set(&fixture->images.images[0], RT_SET_EXPORTED_SYMBOLS));
}

static void DL_EXPORT_05_beside_a_kernel_of_its_source(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 1,
                 SOURCES({"A", NOINLINE "int f(int i) { return i * 7; }\n"
                                        "kernel void K(global int *p) { p[0] = f(p[1]); }"}));
    assert_exports(*state, 0, "f");
    assert_int_equal(fixture_function(*state, 0, "f"), EXPORTED);
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_exports(*state, 1, "");
}

/* ---- DL-IMPORT ----------------------------------------------------------------------------- */

static void DL_IMPORT_01_declared_but_not_defined(void **state)
{
    static const fixture_source kernel = {
        "A", "int f(int i); int g(int i);\n"
             "kernel void K(global int *p) { p[0] = f(p[1]) + g(p[2]); }"};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(kernel));
    assert_imports(*state, 0, "f g");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(kernel, {"B", "int f(int i) { return i; }"}));
    assert_imports(*state, 0, "g");
}

/* A kernel that calls each function in a list of declared functions without parameters. */
static fixture_source calling(postlink_fixture *fixture, const char *const *names,
                              const char *attributes)
{
    rt_buffer text = {0};
    rt_buffer_printf(&text, TARGET);
    for (int i = 0; names[i]; i++)
        rt_buffer_printf(&text, "declare spir_func void @%s() %s\n", names[i], attributes);
    rt_buffer_printf(&text, "define spir_kernel void @K() {\n");
    for (int i = 0; names[i]; i++)
        rt_buffer_printf(&text, " call spir_func void @%s()\n", names[i]);
    rt_buffer_printf(&text, " ret void\n}\n"
                            "attributes #0 = { \"assay-not-imported\" }\n");
    const char *code = rt_arena_text(&fixture->arena, rt_buffer_text(&text)).data;
    rt_buffer_free(&text);
    return (fixture_source){"calling.ll", code};
}

static void DL_IMPORT_02_reserved_names_are_not_imports(void **state)
{
    static const char *const reserved[] = {"_Z5__bifv", "__devfn", "_Z3foov", NULL};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, reserved, "")));
    assert_imports(*state, 0, "_Z3foov");
    static const char *const single[] = {"_Z4_onev", NULL};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, single, "")));
    assert_imports(*state, 0, "_Z4_onev");
}

static void DL_IMPORT_03_spirv_operations_are_not_imports(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"s.ll", TARGET
                          "declare spir_func void @_Z22__spirv_ControlBarrierjjj(i32, i32, i32)\n"
                          "declare spir_func void @f()\n"
                          "define spir_kernel void @K() {\n"
                          " call spir_func void @_Z22__spirv_ControlBarrierjjj(i32 2, i32 2, i32 "
                          "272)\n call spir_func void @f()\n ret void\n}\n"}));
    assert_imports(*state, 0, "f");
    assert_int_equal(fixture_function(*state, 0, "_Z22__spirv_ControlBarrierjjj"), ABSENT);
}

static void DL_IMPORT_04_an_attribute_leaves_declarations_out(void **state)
{
    static const char *const builtin[] = {"vendor_bif", NULL};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, builtin, "#0")));
    assert_imports(*state, 0, "");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, builtin, "")));
    assert_imports(*state, 0, "vendor_bif");
}

static void DL_IMPORT_05_collected_per_image(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2,
                 SOURCES({"A", "int f(int i);\nkernel void K(global int *p) { p[0] = f(p[1]); }"},
                         {"B", "kernel void L(global int *p) { p[0] = 2; }"}));
    assert_imports(*state, 0, "f");
    assert_imports(*state, 1, "");
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2, SOURCES(uses_other, is_used));
    assert_imports(*state, 0, "g");
}

static void DL_IMPORT_06_names_are_recorded_unchanged(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_SOURCE, 2,
                 SOURCES({"A", "int __attribute__((overloadable)) f(int i) { return i; }"},
                         {"B", "int __attribute__((overloadable)) f(long i);\n"
                               "kernel void K(global int *p) { p[0] = f(7L); }"}));
    assert_exports(*state, 0, "_Z1fi");
    assert_imports(*state, 1, "_Z1fl");
}

static void DL_IMPORT_07_intrinsics_are_not_imports(void **state)
{
    static const char declarations[] = TARGET
        "%S = type { [9 x i32] }\ndeclare spir_func void @f()\n"
        "declare void @llvm.memcpy.p1i8.p1i8.i64(i8 addrspace(1)*, i8 addrspace(1)*, i64, i1)\n";
    postlink_fixture *fixture = *state;
    static const char *const bodies[] = {"", " call spir_func void @f()\n"};
    for (int i = 0; i < 2; i++) {
        const char *code =
            rt_arena_printf(&fixture->arena,
                            "%sdefine spir_kernel void @K(i8 addrspace(1)* %%a, i8 addrspace(1)* "
                            "%%b) {\n%s call void @llvm.memcpy.p1i8.p1i8.i64(i8 addrspace(1)* %%a, "
                            "i8 addrspace(1)* %%b, i64 36, i1 false)\n ret void\n}\n",
                            declarations, bodies[i])
                .data;
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"i.ll", code}));
        assert_imports(fixture, 0, i ? "f" : "");
    }
}

static void DL_IMPORT_08_an_undefined_variable_may_be_listed(void **state)
{
    postlink_fixture *fixture = *state;
    static const fixture_source used = {"A", "extern global int v;\n"
                                             "kernel void K(global int *p) { p[0] = v; }"};
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(used));
    assert_imports(fixture, 0, "v");
    /* Twin: shipped DPC++'s encoding. */
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES(used));
    assert_imports(fixture, 0, "");
    assert_int_equal(fixture_variable(fixture, 0, "v"), DECLARED);
}

static void without_needs_there_is_no_set(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "kernel void K(global int *p) { p[0] = 1; }"}));
    assert_null(rt_image_set(&fixture->images.images[0], RT_SET_IMPORTED_SYMBOLS));
}

static void DL_IMPORT_10_reserved_inside_a_name(void **state)
{
    static const char *const inside[] = {"_ZN2ns3__fEv", "_Z3__fIiEvT_", NULL};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, inside, "")));
    assert_imports(*state, 0, "_ZN2ns3__fEv _Z3__fIiEvT_");
    static const char *const plain[] = {"_Z3__fv", NULL};
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES(calling(*state, plain, "")));
    assert_imports(*state, 0, "");
}

static void opencl_builtins_are_not_imports(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "kernel void K(global float *p, local float *l) {\n"
                               " size_t i = get_global_id(0); l[0] = sin(p[i]);\n"
                               " barrier(CLK_LOCAL_MEM_FENCE);\n"
                               " p[i] = fma(l[0], vload4(i, p).x, (float)popcount(3u));\n"
                               " printf(\"%f\", p[i]); }"}));
    assert_imports(*state, 0, "");
    /* Twin: a builtin's name with parameter types that no builtin of that name has. */
    static const char *const unknown[] = {"_Z14read_mem_fencev", NULL};
    rt_status status =
        fixture_postlink(*state, RT_SPLIT_OFF, SOURCES(calling(*state, unknown, "")));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "_Z14read_mem_fencev");
}

/* ---- Refusals ------------------------------------------------------------------------------ */

static void duplicates_are_refused_by_name(void **state)
{
    rt_status status =
        fixture_postlink(*state, RT_SPLIT_OFF,
                         SOURCES({"A", "int f(int i) { return i; } int g(void) { return 1; }"},
                                 {"B", "int f(int i) { return -i; } int g(void) { return 2; }"}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "f g");
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"A", "static int f(int i) { return i; } int a(int i) { return f(i); }"},
                {"B", "static int f(int i) { return -i; } int b(int i) { return f(i); }"}));
    assert_exports(*state, 0, "a b");
}

static void a_mistyped_declaration_is_refused(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES({"A", "long f(int i);\nkernel void K(global long *p) { p[0] = f(1); }"},
                {"B", "int f(int i) { return i; }"}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "f");
}

static void features_that_spirv_lacks_are_refused_by_name(void **state)
{
    static const struct {
        const char *code, *names;
    } sources[] = {
        {"int f(int x) { return x; } int g(int x) __attribute__((alias(\"f\")));", "g"},
        {"__attribute__((constructor)) void f(void) {}", "llvm.global_ctors"},
        {"__attribute__((destructor)) void f(void) {}", "llvm.global_dtors"},
        {"__asm__(\"hlt\");", ""},
        {"int f(int x) { __asm__ volatile(\"hlt\"); return x; }", "f"},
    };
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        rt_status status = fixture_postlink(*state, RT_SPLIT_OFF, SOURCES({"A", sources[i].code}));
        assert_refused(*state, status, RT_POSTLINK_ERROR, sources[i].names);
    }
}

static void bytes_that_are_not_bitcode_are_refused(void **state)
{
    postlink_fixture *fixture = *state;
    rt_postlink_source source = {RT_TEXT("A"), {(const uint8_t *)"not bitcode at all", 18}};
    rt_postlink_request request = {.module = RT_TEXT("m"),
                                   .sources = &source,
                                   .source_count = 1,
                                   .format = RT_FORMAT_SPIRV64,
                                   .spirv_version_max = 0x00010200};
    rt_buffer out = {0};
    assert_int_equal(fixture->api->postlink(fixture->sink, &request, &out).code, RT_MALFORMED);
    request.format = RT_FORMAT_SPIRV64_GEN;
    assert_int_equal(fixture->api->postlink(fixture->sink, &request, &out).code, RT_UNSUPPORTED);
    assert_int_equal(out.size, 0);
}

/* ---- Translation --------------------------------------------------------------------------- */

static void the_same_sources_give_the_same_bytes(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    rt_hash first = fixture->images.images[1].hash;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(lib_a, lib_b));
    assert_memory_equal(&first, &fixture->images.images[1].hash, sizeof first);
}

/* The strings of the only image, separated by blanks; the caller frees them. */
static rt_buffer strings_of(const postlink_fixture *fixture)
{
    enum { OP_STRING = 7 };
    rt_buffer strings = {0};
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[0].code);
    for (rt_spirv_instruction at; rt_spirv_walk_next(&walk, &at);)
        if (at.opcode == OP_STRING)
            rt_buffer_printf(&strings, "%s%.*s", strings.size > 0 ? " " : "",
                             RT_TEXT_ARG(rt_spirv_text(&at, 2)));
    return strings;
}

/* The writer's debug information has names of files and functions, a directory and a checksum; only
 * OpLine remains, and the string that it refers to. The ids of the other strings, 315 to 324, are
 * also numbers in the code. */
static void strings_of_dropped_debug_information_are_dropped(void **state)
{
    postlink_fixture *fixture = *state;
    rt_buffer code = {0};
    rt_buffer_printf(&code,
                     "#line 3 \"folder/file.cl\"\nkernel void k(global int *p) { int x = p[0];\n");
    for (unsigned i = 270; i < 370; i++)
        rt_buffer_printf(&code, "  x = x * %u ^ x;\n", i);
    rt_buffer_printf(&code, "  p[0] = x; }\n");
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"A", rt_buffer_string(&code)}));
    rt_buffer_free(&code);
    rt_buffer strings = strings_of(fixture);
    assert_string_equal(rt_buffer_string(&strings), "/folder/file.cl");
    rt_buffer_free(&strings);
}

/* An image that is described by hand keeps the types of parameters, and then that of the attribute
 * vec_type_hint as the source writes it. */
static void types_of_parameters_and_of_hints_are_kept(void **state)
{
    postlink_fixture *fixture = *state;
    static const char *const types[] = {"half4",   "float", "double2", "char16", "uchar8", "short3",
                                        "ushort4", "int2",  "uint",    "long4",  "ulong2"};
    fixture->whole = true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char code[256], expected[64];
        snprintf(code, sizeof code,
                 "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                 "kernel __attribute__((vec_type_hint(%s))) void k(global int *p, float x) {}\n",
                 types[i]);
        snprintf(expected, sizeof expected, "kernel_arg_type.k.int*,float,%s,", types[i]);
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"A", code}));
        rt_buffer strings = strings_of(fixture);
        if (!strstr(rt_buffer_string(&strings), expected))
            fail_msg("no '%s' in '%s'", expected, rt_buffer_string(&strings));
        rt_buffer_free(&strings);
    }
}

/* Each row is metadata that is not a hint. */
static void malformed_hints_are_ignored(void **state)
{
    postlink_fixture *fixture = *state;
    static const char *const hints[] = {"!\"half4\", i32 1",
                                        "i32 undef, !\"signed\"",
                                        "null, i32 1",
                                        "i32 undef, null",
                                        "i32 undef",
                                        "i24 undef, i32 1",
                                        "<4 x i24> undef, i32 1",
                                        "<vscale x 2 x i32> undef, i32 1",
                                        "i8* null, i32 1"};
    fixture->whole = true;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        char code[256];
        snprintf(code, sizeof code,
                 "define spir_kernel void @k(i32 %%x) !kernel_arg_type !0 !vec_type_hint !1"
                 " { ret void }\n!0 = !{!\"int\"}\n!1 = !{%s}\n",
                 hints[i]);
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"A.ll", code}));
        rt_buffer strings = strings_of(fixture);
        assert_string_equal(rt_buffer_string(&strings), "kernel_arg_type.k.int,");
        rt_buffer_free(&strings);
    }
}

/* Each row makes the passes generate code that the SPIR-V writer cannot write. */
static void code_that_the_writer_lacks_is_lowered(void **state)
{
    static const char *const bodies[] = {
        "uint a = q[i]; q[i] = (a << 7) | (a >> 25);",
        "uint a = q[i]; q[i] = (a << 24) | ((a & 0xff00) << 8) | ((a >> 8) & 0xff00) | (a >> 24);",
        "ulong a = *(global ulong *)q; *(global ulong *)q = (a & 0xff) << 40 | (a & 0xff00) << 24 | "
        "(a & 0xff0000) << 8 | (a >> 8 & 0xff0000) | (a >> 24 & 0xff00) | (a >> 40 & 0xff);",
        "uint a = q[i] & 0xffffff; a = (a & 0x555555) << 1 | (a >> 1 & 0x555555); "
        "a = (a & 0x333333) << 2 | (a >> 2 & 0x333333); a = (a & 0x0f0f0f) << 4 | (a >> 4 & "
        "0x0f0f0f); q[i] = (a & 0xff) << 16 | (a & 0xff00) | (a >> 16 & 0xff);",
        "uint a = q[i], b = q[i + 1], s = a + b; q[i] = s < a ? 0xffffffffu : s;",
        "uint a = q[i], b = q[i + 1]; q[i] = a > b ? a - b : 0;",
        "uint a = q[i], b = q[i + 1], m = a * b; q[i] = a && m / a != b;",
        "int n; if (q[i] > 2) n = 3; q[i] = (uint)n;",
        "while (q[i] < 100) { if (q[i] == 7) break; q[i] += 3; }",
        "char3 c = as_char3(q[i]); c.x += c.y; q[i] = as_uint(c);",
        "q[i] = (uint)((global ulong16 *)q)[i].s5;",
        "q[i] = ((global ulong3 *)q)[i].y >> 32;",
        "ulong3 v = ((global ulong3 *)q)[i] * q[i]; q[i] = (ushort)v.z;",
        "ulong16 v = ((global ulong16 *)q)[i] + q[i]; q[i] = (uchar)(v.sa >> 56) + (uint)v.sb;",
        "ulong16 v = q[i] > 5 ? (ulong16)(~7ul) : (ulong16)(9ul); q[i] = (uint)v.s0;",
        "ulong16 v = 7; if (q[i] > 5) { q[3] = 1; v = ((global ulong16 *)q)[i]; } q[i] = (uint)v.s0;",
        "ulong3 v = q[i]; while (q[i] > 5) { v += v; q[i] -= (uint)v.s0; } q[i] = (uint)v.s1;",
        "((global uchar8 *)q)[i] = (uchar8)(uchar)((global ulong3 *)q)[i].y;",
        "q[i] = (ushort)(as_ulong3(((global double3 *)q)[i] + 1.0).y >> 16);",
        "switch (q[i]) { case 1: q[i] = 9; break; case 2: q[i] = 4; break; case 3: q[i] = 8; }",
        "switch (q[i] & 1) { case 0: q[i] = 3; break; case 1: q[i] *= 7; break; default: q[i] = 9; }",
    };
    postlink_fixture *fixture = *state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const char *code = rt_arena_printf(&fixture->arena,
                                           "kernel void K(global uint *q) { size_t i = "
                                           "get_global_id(0); %s }",
                                           bodies[i])
                               .data;
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"A", code}));
        assert_exports(fixture, 0, "");
    }
}

/* The number of times that an instruction occurs in an image's code. */
static uint32_t instruction_count(const postlink_fixture *fixture, uint32_t image, uint32_t opcode)
{
    rt_bytes code = fixture->images.images[image].code;
    uint32_t count = 0;
    for (size_t at = 20; at + 4 <= code.size;) { /* after the header */
        uint32_t word;
        memcpy(&word, code.data + at, sizeof word);
        count += (word & 0xffff) == opcode;
        assert_true(word >> 16 > 0);
        at += 4 * (size_t)(word >> 16);
    }
    return count;
}

/* Clang turns a `break` into a number, over which it switches after the scope. Only three branches
 * remain (whether to enter the loop, to break, and to continue), and one phi each for x, y, i and
 * the result. */
static void a_break_jumps_out_of_its_loop(void **state)
{
    enum { OP_PHI = 245, OP_BRANCH_CONDITIONAL = 250, OP_SWITCH = 251 };
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "kernel void K(global uint *q, uint n, float a, float b) {\n"
                               " float x = 0, y = 0; uint i = 0;\n"
                               " while (i < n) { float x2 = x * x, y2 = y * y;\n"
                               "  if (x2 + y2 > 4) break;\n"
                               "  y = 2 * x * y + b; x = x2 - y2 + a; i++; }\n"
                               " q[0] = i;\n}"}));
    assert_int_equal(instruction_count(fixture, 0, OP_SWITCH), 0);
    assert_int_equal(instruction_count(fixture, 0, OP_BRANCH_CONDITIONAL), 3);
    assert_int_equal(instruction_count(fixture, 0, OP_PHI), 4);
}

static void unresolved_symbols_of_a_link_are_named(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_PER_SOURCE, 2, SOURCES(uses_other, is_used));
    rt_bytes codes[2] = {fixture->images.images[0].code, fixture->images.images[1].code};
    rt_buffer bitcode = {0};
    rt_status status = fixture_link(fixture, codes, 1, &bitcode);
    assert_refused(fixture, status, RT_LINK_ERROR, "g");
    assert_int_equal(bitcode.size, 0);
    assert_true(rt_ok(fixture_link(fixture, codes, 2, &bitcode)));
    assert_memory_equal(bitcode.data, "BC\xC0\xDE", 4);
    rt_buffer_free(&bitcode);
}

/* Bitcode contains names as plain text. */
static bool names_symbol(const rt_buffer *bitcode, const char *name)
{
    return memmem(bitcode->data, bitcode->size, name, strlen(name)) != NULL;
}

static void a_mistyped_import_of_a_link_is_refused(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "int f(int i);\nkernel void K(global int *p) { p[0] = f(p[1]); }"}));
    rt_bytes kernel = rt_arena_bytes(&fixture->arena, fixture->images.images[0].code);
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"B", "int f(float x) { return (int)x; }"}));
    rt_bytes wrong[] = {kernel, fixture->images.images[0].code};
    rt_buffer bitcode = {0};
    rt_status status = fixture_link(fixture, wrong, 2, &bitcode);
    assert_refused(fixture, status, RT_LINK_ERROR, "f");
    assert_int_equal(bitcode.size, 0);
    /* Twin: the function has the type that the kernel declares. */
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"C", "int f(int i) { return i + 5; }"}));
    rt_bytes right[] = {kernel, fixture->images.images[0].code};
    assert_true(rt_ok(fixture_link(fixture, right, 2, &bitcode)));
    rt_buffer_free(&bitcode);
}

static void pointee_types_do_not_matter_to_a_link(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "global char *f(global char *p, local char *l);\n"
                               "kernel void K(global char *p, local char *l) { *f(p, l) = 1; }"}));
    rt_bytes kernel = rt_arena_bytes(&fixture->arena, fixture->images.images[0].code);
    /* Twin: a pointer into another address space is another type. */
    static const struct {
        const char *source;
        bool fits;
    } rows[] = {
        {"global int *f(global int *p, local float *l) { return p + (int)*l; }", true},
        {"global int *f(global int *p, global float *l) { return p + (int)*l; }", false},
        {"global int *f(global int *p) { return p; }", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"B", rows[i].source}));
        rt_bytes codes[] = {kernel, fixture->images.images[0].code};
        rt_buffer bitcode = {0};
        rt_status status = fixture_link(fixture, codes, 2, &bitcode);
        if (!rows[i].fits) assert_refused(fixture, status, RT_LINK_ERROR, "f");
        assert_int_equal(rt_ok(status), rows[i].fits);
        rt_buffer_free(&bitcode);
    }
}

static void a_link_calls_builtins_as_opencl_12_has_them(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "kernel void K(global float *p, local float *l) {\n"
                               " size_t i = get_global_id(0); float whole;\n"
                               " vstore3(vload3(i, p), i, l); p[i] = modf(l[i], &whole) + whole;\n"
                               " p[0] = sincos(p[i], i ? (float *)p : (float *)l); }"}));
    rt_buffer bitcode = {0};
    rt_bytes code = fixture->images.images[0].code;
    assert_true(rt_ok(fixture_link(fixture, &code, 1, &bitcode)));
    assert_true(names_symbol(&bitcode, "_Z6vload3mPU3AS1Kf"));
    assert_true(names_symbol(&bitcode, "_Z7vstore3Dv3_fmPU3AS3f"));
    assert_true(names_symbol(&bitcode, "_Z4modffPf"));
    /* Twin: a pointer of unknown origin. */
    assert_true(names_symbol(&bitcode, "_Z6sincosfPU3AS4f"));
    rt_buffer_free(&bitcode);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(DL_FE_01_external_functions_know_their_source),
        TEST(DL_FE_02_functions_are_entry_points),
        TEST(DL_SPLIT_01_per_source_groups_by_source),
        TEST(DL_SPLIT_02_a_kernels_image_has_a_copy),
        TEST(DL_SPLIT_03_only_the_defining_source_exports),
        TEST(DL_SPLIT_04_kernels_import_nothing_that_is_defined),
        TEST(DL_SPLIT_06_helpers_go_with_their_function),
        TEST(DL_SPLIT_07_shared_helpers_are_copied_into_each_image),
        TEST(DL_SPLIT_08_functions_of_other_sources_are_imported),
        TEST(DL_SPLIT_09_functions_of_one_source_stay_together),
        TEST(DL_SPLIT_10_helpers_become_internal),
        TEST(DL_SPLIT_11_copies_become_internal),
        TEST(DL_SPLIT_12_copies_never_clash),
        TEST(per_kernel_gives_each_kernel_an_image),
        TEST(marked_definitions_of_any_linkage),
        TEST(weak_definitions_yield),
        TEST(auto_splits_unless_pointers_are_called),
        TEST(a_called_kernel_is_copied_as_a_function),
        TEST(a_writable_variable_is_never_torn),
        TEST(DL_EXPORT_01_marked_and_external_is_exported),
        TEST(DL_EXPORT_02_kernels_are_not_exported),
        TEST(DL_EXPORT_03_declarations_are_not_exported),
        TEST(without_definitions_there_is_no_set),
        TEST(DL_EXPORT_05_beside_a_kernel_of_its_source),
        TEST(DL_IMPORT_01_declared_but_not_defined),
        TEST(DL_IMPORT_02_reserved_names_are_not_imports),
        TEST(DL_IMPORT_03_spirv_operations_are_not_imports),
        TEST(DL_IMPORT_04_an_attribute_leaves_declarations_out),
        TEST(DL_IMPORT_05_collected_per_image),
        TEST(DL_IMPORT_06_names_are_recorded_unchanged),
        TEST(DL_IMPORT_07_intrinsics_are_not_imports),
        TEST(DL_IMPORT_08_an_undefined_variable_may_be_listed),
        TEST(without_needs_there_is_no_set),
        TEST(DL_IMPORT_10_reserved_inside_a_name),
        TEST(opencl_builtins_are_not_imports),
        TEST(duplicates_are_refused_by_name),
        TEST(a_mistyped_declaration_is_refused),
        TEST(features_that_spirv_lacks_are_refused_by_name),
        TEST(bytes_that_are_not_bitcode_are_refused),
        TEST(the_same_sources_give_the_same_bytes),
        TEST(strings_of_dropped_debug_information_are_dropped),
        TEST(types_of_parameters_and_of_hints_are_kept),
        TEST(malformed_hints_are_ignored),
        TEST(code_that_the_writer_lacks_is_lowered),
        TEST(a_break_jumps_out_of_its_loop),
        TEST(unresolved_symbols_of_a_link_are_named),
        TEST(a_mistyped_import_of_a_link_is_refused),
        TEST(pointee_types_do_not_matter_to_a_link),
        TEST(a_link_calls_builtins_as_opencl_12_has_them),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
