/* Tests of post-link's part of document 004, rule by rule: which image contains the virtual
 * functions of a class, what remains in the original images, and the properties of the images. A
 * test whose name begins with a rule's id is that rule's proof; its twin follows in the same test.
 * The order of the images is: those with kernels, then, for each set, its provider and its dummy.
 */
#include "reference/base/spirv.h"
#include "reference/compiler/test/postlink_fixture.h"
#include "reference/image/virtual_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* ---- What images state ----------------------------------------------------------------------- */

static const rt_property *property_of(const postlink_fixture *fixture, uint32_t image,
                                      const char *set, const char *name)
{
    assert_true(image < fixture->images.count);
    const rt_property_set *found = rt_image_set(&fixture->images.images[image], set);
    for (uint32_t i = 0; found && i < found->property_count; i++)
        if (rt_text_is(found->properties[i].name, name)) return &found->properties[i];
    return NULL;
}

/* Checks the text, which must not end with a NUL, of a property in the document's set; "" means
 * that the property is absent. */
static void assert_says(const postlink_fixture *fixture, uint32_t image, const char *name,
                        const char *value)
{
    const rt_property *property = property_of(fixture, image, "SYCL/virtual functions", name);
    if (value[0] == '\0') {
        assert_null(property);
        return;
    }
    assert_non_null(property);
    assert_int_equal(property->type, RT_PROPERTY_BYTES);
    assert_int_equal(property->bytes.size, strlen(value));
    assert_memory_equal(property->bytes.data, value, strlen(value));
}

static void assert_provides(const postlink_fixture *fixture, uint32_t image, const char *set)
{
    assert_says(fixture, image, "virtual-functions-set", set);
}

static void assert_calls(const postlink_fixture *fixture, uint32_t image, const char *sets)
{
    assert_says(fixture, image, "calls-virtual-functions-set", sets);
}

static void assert_creates(const postlink_fixture *fixture, uint32_t image, const char *sets)
{
    assert_says(fixture, image, "creates-virtual-functions-set", sets);
}

static bool is_dummy(const postlink_fixture *fixture, uint32_t image)
{
    const rt_property *property =
        property_of(fixture, image, "SYCL/virtual functions", "dummy-image");
    if (property) assert_int_equal(property->type, RT_PROPERTY_UINT32);
    if (property) assert_int_equal(property->number, 1);
    return property != NULL;
}

static bool says_anything(const postlink_fixture *fixture, uint32_t image)
{
    return rt_image_set(&fixture->images.images[image], "SYCL/virtual functions") != NULL;
}

enum { FP16 = 5, FP64 = 6 };

/* Checks that an image requires exactly these aspects; 0 means none. */
static void assert_aspects(const postlink_fixture *fixture, uint32_t image, uint32_t first,
                           uint32_t second)
{
    const uint8_t expected[] = {(uint8_t)first, 0, 0, 0, (uint8_t)second, 0, 0, 0};
    size_t size = second ? 8 : first ? 4 : 0;
    const rt_property *property =
        property_of(fixture, image, "SYCL/device requirements", "aspects");
    assert_int_equal(property ? property->bytes.size : 0, size);
    if (property) assert_memory_equal(property->bytes.data, expected, size);
}

/* ---- What images contain --------------------------------------------------------------------- */

enum { OP_FUNCTION = 54, OP_FUNCTION_END = 56, OP_DECORATE = 71, OP_LABEL = 248, OP_LINE = 8 };
enum { DECORATION_LINKAGE = 41 };

/* The function or variable with a linkage name; 0 if there is none. */
static uint32_t linked(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_DECORATE && rt_spirv_word(&at, 2) == DECORATION_LINKAGE &&
            rt_text_is(rt_spirv_text(&at, 3), name))
            return rt_spirv_word(&at, 1);
    }
    return 0;
}

/* The number of instructions in a function's body, not counting labels; -1: the function is only
 * declared; -2: it is absent. */
static int body_of(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    assert_true(image < fixture->images.count);
    uint32_t id = linked(fixture, image, name), current = 0;
    if (id == 0) return -2;
    int count = -1;
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode == OP_FUNCTION) current = rt_spirv_word(&at, 2);
        if (current != id || at.opcode == OP_FUNCTION_END || at.opcode == OP_LINE) continue;
        if (at.opcode == OP_LABEL) {
            count = count < 0 ? 0 : count;
        } else if (count >= 0) {
            count++;
        }
    }
    return count;
}

enum { DECLARED_ONLY = -1, ABSENT_BODY = -2 };

static bool is_function(const rt_image *image, uint32_t id)
{
    rt_spirv_walk walk = rt_spirv_walk_start(image->code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at))
        if (at.opcode == OP_FUNCTION && rt_spirv_word(&at, 2) == id) return true;
    return false;
}

/* True if the image has a function of that name, with or without linkage. */
static bool mentions(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    enum { OP_NAME = 5 };
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at)) {
        bool named = at.opcode == OP_NAME && rt_text_is(rt_spirv_text(&at, 2), name);
        if (named && is_function(&fixture->images.images[image], rt_spirv_word(&at, 1)))
            return true;
    }
    return false;
}

static bool defines(const postlink_fixture *fixture, uint32_t image, const char *name)
{
    return body_of(fixture, image, name) >= 0;
}

/* ---- A class ------------------------------------------------------------------------------- */

#define SIDES  "_ZNU3AS45Shape5sidesEv"
#define AREA   "_ZNU3AS45Shape4areaEi"
#define VTABLE "_ZTV5Shape"

#define SHAPE                                                                                      \
    "struct Shape {\n"                                                                             \
    "  IN(\"plain\") virtual int sides() { return 4; }\n"                                          \
    "  IN(\"precise\") virtual int area(int r) { return (int)(3.14159 * r * r); }\n"               \
    "};\n"
#define CONSTRUCT "kernel void construct(global char *s) { new ((void *)s) Shape; }\n"
#define COUNT                                                                                      \
    "CALLS(\"plain\") kernel void count(global char *s, global int *out) "                         \
    "{ out[0] = ((Shape *)(void *)s)->sides(); }\n"
#define MEASURE                                                                                    \
    "CALLS(\"precise\") kernel void measure(global char *s, global int *out) "                     \
    "{ out[0] = ((Shape *)(void *)s)->area(2); }\n"

/* The images are: construct and count; measure, which uses fp64; plain; precise; precise's dummy.
 */
static const fixture_source shape = {"shape.clcpp", SHAPE CONSTRUCT COUNT MEASURE};
enum { SHAPE_PLAIN = 2, SHAPE_PRECISE = 3, SHAPE_DUMMY = 4, SHAPE_IMAGES = 5 };

static void make_shape(postlink_fixture *fixture)
{
    fixture_make(fixture, RT_SPLIT_OFF, SHAPE_IMAGES, SOURCES(shape));
    assert_kernels(fixture, 0, "construct count");
    assert_kernels(fixture, 1, "measure");
}

/* ---- VF-PROP ------------------------------------------------------------------------------- */

static void VF_PROP_01_functions_have_their_set(void **state)
{
    make_shape(*state);
    assert_provides(*state, SHAPE_PLAIN, "plain");
    assert_true(defines(*state, SHAPE_PLAIN, SIDES));
    assert_provides(*state, SHAPE_PRECISE, "precise");
    assert_true(defines(*state, SHAPE_PRECISE, AREA));
    /* In LLVM IR, the function has the document's attribute from the start; the twin has no
     * attribute and is an ordinary function. */
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.ll", TARGET "define spir_func i32 @f(i32 %x) #0 {\n ret i32 %x\n}\n"
                                         "define spir_func i32 @g(i32 %x) #1 {\n ret i32 %x\n}\n"
                                         "attributes #0 = { \"indirectly-callable\"=\"set\" }\n"
                                         "attributes #1 = { \"sycl-module-id\"=\"a.cpp\" }\n"}));
    assert_exports(*state, 0, "g");
    assert_provides(*state, 1, "set");
    assert_true(defines(*state, 1, "f"));
}

/* Clang drops the annotations of destructors. The base object destructor is not in any vtable, so
 * it is in no set. In the twin, the destructor has no set, and no image requires its aspect. */
static void a_destructor_is_in_its_set_with_its_aspects(void **state)
{
    static const char marked[] =
        "inline void operator delete(void *) noexcept {}\n"
        "struct S { int v; IN(\"x\") USES(fp16, fp64) virtual ~S() { v = 3; } };\n"
        "kernel void k(global char *p) { new ((void *)p) S; }";
    static const char unmarked[] = "inline void operator delete(void *) noexcept {}\n"
                                   "struct S { int v; USES(fp64) virtual ~S() { v = 3; } };\n"
                                   "kernel void k(global char *p) { new ((void *)p) S; }";
    fixture_make(*state, RT_SPLIT_OFF, 3, SOURCES({"a.clcpp", marked}));
    assert_creates(*state, 0, "x");
    assert_aspects(*state, 0, 0, 0);
    assert_provides(*state, 1, "x");
    assert_aspects(*state, 1, FP16, FP64);
    assert_true(defines(*state, 1, "_ZNU3AS41SD1Ev"));
    assert_true(defines(*state, 1, "_ZNU3AS41SD0Ev"));
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"a.clcpp", unmarked}));
    assert_creates(*state, 0, "");
    assert_aspects(*state, 0, 0, 0);
}

static void VF_PROP_02_kernels_have_a_list_of_sets(void **state)
{
    static const char sorted[] = "CALLS(\"A\", \"B\") kernel void k(global int *p) { p[0] = 1; }";
    static const char other[] = "CALLS(\"B\",\"A\") kernel void k(global int *p) { p[0] = 1; }";
    static const char twin[] = "CALLS(\"A\") kernel void k(global int *p) { p[0] = 1; }";
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"a.clcpp", sorted}));
    assert_calls(*state, 0, "A,B");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"a.clcpp", other}));
    assert_calls(*state, 0, "B,A");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"a.clcpp", twin}));
    assert_calls(*state, 0, "A");
}

static void VF_PROP_04_no_argument_is_the_default_set(void **state)
{
    static const char named[] = "struct S { IN(\"x\") virtual int f() { return 1; } };\n"
                                "CALLS(\"x\") kernel void k(global int *p) { p[0] = 1; }";
    static const char unnamed[] = "struct S { IN(\"\") virtual int f() { return 1; } };\n"
                                  "CALLS() kernel void k(global int *p) { p[0] = 1; }";
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", unnamed}));
    assert_calls(*state, 0, "_ZTSv");
    assert_provides(*state, 1, "_ZTSv");
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", named}));
    assert_calls(*state, 0, "x");
    assert_provides(*state, 1, "x");
}

static void VF_PROP_05_relations_have_a_set_of_their_own(void **state)
{
    make_shape(*state);
    for (uint32_t i = 0; i < SHAPE_IMAGES; i++)
        assert_true(says_anything(*state, i));
    fixture_make(*state, RT_SPLIT_PER_SOURCE, SHAPE_IMAGES + 1,
                 SOURCES(shape, {"B", "kernel void plain(global int *p) { p[0] = 1; }"}));
    assert_kernels(*state, 2, "plain");
    assert_false(says_anything(*state, 2));
}

static void VF_PROP_06_a_provider_names_its_set(void **state)
{
    make_shape(*state);
    assert_provides(*state, SHAPE_PLAIN, "plain");
    assert_provides(*state, SHAPE_PRECISE, "precise");
    assert_provides(*state, SHAPE_DUMMY, "precise");
    assert_provides(*state, 0, "");
    assert_provides(*state, 1, "");
}

static void VF_PROP_07_a_dummy_says_so(void **state)
{
    make_shape(*state);
    for (uint32_t i = 0; i < SHAPE_IMAGES; i++)
        assert_int_equal(is_dummy(*state, i), i == SHAPE_DUMMY);
}

static void VF_PROP_08_images_list_what_their_kernels_call(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"a.clcpp", "CALLS(\"A\") kernel void a(global int *p) { p[0] = 1; }\n"
                            "CALLS(\"A\", \"B\") kernel void b(global int *p) { p[0] = 2; }\n"
                            "kernel void c(global int *p) { p[0] = 3; }\n"}));
    assert_kernels(*state, 0, "a b c");
    assert_calls(*state, 0, "A,B");
    assert_creates(*state, 0, "");
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"a.clcpp", "kernel void c(global int *p) { p[0] = 3; }\n"}));
    assert_false(says_anything(*state, 0));
}

static void VF_PROP_09_images_list_what_their_vtables_hold(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, SHAPE_IMAGES + 1, SOURCES(shape));
    assert_kernels(*state, 0, "construct");
    assert_creates(*state, 0, "plain,precise");
    assert_calls(*state, 0, "");
    assert_kernels(*state, 1, "count");
    assert_creates(*state, 1, "");
    assert_calls(*state, 1, "plain");
}

static void VF_PROP_11_code_for_a_target_says_nothing(void **state)
{
    postlink_fixture *fixture = *state;
    fixture->ahead_of_time = true;
    fixture->target_aspects = UINT64_MAX;
    fixture_make(fixture, RT_SPLIT_OFF, 2, SOURCES(shape));
    assert_false(says_anything(fixture, 0));
    assert_false(says_anything(fixture, 1));
    fixture->ahead_of_time = false;
    make_shape(fixture);
    assert_true(says_anything(fixture, 0));
}

/* ---- VF-FE --------------------------------------------------------------------------------- */

static void VF_FE_01_marked_functions_are_device_code(void **state)
{
    /* Nothing creates a Shape, so it has no vtable. */
    fixture_make(*state, RT_SPLIT_OFF, 3, SOURCES({"a.clcpp", SHAPE}));
    assert_provides(*state, 0, "plain");
    assert_true(defines(*state, 0, SIDES));
    assert_provides(*state, 1, "precise");
    assert_true(defines(*state, 1, AREA));
    /* Twin: an override that can be reached only through the vtable. */
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.clcpp", "struct A { virtual int f() = 0; };\n"
                                     "struct B : A { IN(\"s\") int f() override { return 2; } };\n"
                                     "kernel void k(global char *s) { new ((void *)s) B; }\n"}));
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41B1fEv"), DECLARED_ONLY);
    assert_true(defines(*state, 1, "_ZNU3AS41B1fEv"));
}

static void VF_FE_02_unmarked_functions_are_no_device_code(void **state)
{
#define HALF_MARKED(mark)                                                                          \
    "struct S { IN(\"s\") virtual int f() { return 1; } " mark                                     \
    "virtual int g() { return 2; } };\n"                                                           \
    "kernel void k(global char *s) { new ((void *)s) S; }\n"
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", HALF_MARKED("")}));
    assert_creates(*state, 0, "s");
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1fEv"), DECLARED_ONLY);
    assert_false(mentions(*state, 0, "_ZNU3AS41S1gEv"));
    assert_false(mentions(*state, 1, "_ZNU3AS41S1gEv"));
    assert_true(mentions(*state, 1, "_ZNU3AS41S1fEv"));
    fixture_make(*state, RT_SPLIT_OFF, 3, SOURCES({"a.clcpp", HALF_MARKED("IN(\"t\") ")}));
    assert_creates(*state, 0, "s,t");
    assert_true(defines(*state, 2, "_ZNU3AS41S1gEv"));
}

/* ---- VF-ASPECT ----------------------------------------------------------------------------- */

#define MIXED                                                                                      \
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"                                              \
    "static int cut(int r) { return (int)(3.5 * r); }\n"                                           \
    "struct M {\n"                                                                                 \
    "  IN(\"mixed\") virtual int through(int r) { return cut(r); }\n"                              \
    "  IN(\"mixed\") virtual int direct(int r) { return (int)((half)r * (half)r); }\n"             \
    "  IN(\"mixed\") virtual int none(int r) { return r; }\n"                                      \
    "  IN(\"other\") virtual int other(int r) { return r; }\n"                                     \
    "};\n"

static void VF_ASPECT_01_a_set_has_the_aspects_of_all_its_functions(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 4,
                 SOURCES({"a.clcpp",
                          MIXED "CALLS(\"mixed\") kernel void k(global int *p) { p[0] = 1; }\n"}));
    assert_aspects(*state, 0, FP16, FP64);
    assert_provides(*state, 1, "mixed");
    assert_aspects(*state, 1, FP16, FP64);
    assert_true(is_dummy(*state, 2));
    assert_provides(*state, 3, "other");
    assert_aspects(*state, 3, 0, 0);
}

static void VF_ASPECT_02_a_kernel_has_the_aspects_of_the_sets_that_it_calls(void **state)
{
#define TWO_SETS                                                                                   \
    "struct M { IN(\"h\") USES(fp16) virtual int f() { return 1; }\n"                              \
    "           IN(\"d\") USES(fp64) virtual int g() { return 2; } };\n"
    fixture_make(
        *state, RT_SPLIT_OFF, 5,
        SOURCES({"a.clcpp", TWO_SETS "CALLS(\"d\") kernel void k(global int *p) { p[0] = 1; }\n"}));
    assert_aspects(*state, 0, FP64, 0);
    fixture_make(*state, RT_SPLIT_OFF, 5,
                 SOURCES({"a.clcpp", TWO_SETS "CALLS(\"d\", \"h\") USES(fp64) "
                                              "kernel void k(global int *p) { p[0] = 1; }\n"}));
    assert_aspects(*state, 0, FP16, FP64);
    fixture_make(*state, RT_SPLIT_OFF, 5,
                 SOURCES({"a.clcpp", TWO_SETS "kernel void k(global int *p) { p[0] = 1; }\n"}));
    assert_aspects(*state, 0, 0, 0);
}

static void VF_ASPECT_06_a_pointer_carries_no_aspects(void **state)
{
#define POINTED(calls)                                                                             \
    TARGET "@v = internal addrspace(1) constant i32 (i32)* @f\n"                                   \
           "define spir_func i32 @f(i32 %x) #0 {\n %d = sitofp i32 %x to double\n"                 \
           " %e = fmul double %d, 3.5\n %r = fptosi double %e to i32\n ret i32 %r\n}\n"            \
           "define spir_kernel void @k(i64 addrspace(1)* %p) #1 {\n"                               \
           " %a = load volatile i32 (i32)*, i32 (i32)* addrspace(1)* @v\n"                         \
           " %n = ptrtoint i32 (i32)* %a to i64\n store i64 %n, i64 addrspace(1)* %p\n"            \
           " ret void\n}\n"                                                                        \
           "attributes #0 = { \"indirectly-callable\"=\"s\" }\n"                                   \
           "attributes #1 = { \"sycl-module-id\"=\"a.cpp\" " calls "}\n"
    fixture_make(*state, RT_SPLIT_OFF, 3, SOURCES({"a.ll", POINTED("")}));
    assert_kernels(*state, 0, "k");
    assert_aspects(*state, 0, 0, 0);
    assert_aspects(*state, 1, FP64, 0);
    fixture_make(*state, RT_SPLIT_OFF, 3,
                 SOURCES({"a.ll", POINTED("\"calls-indirectly\"=\"s\" ")}));
    assert_aspects(*state, 0, FP64, 0);
}

/* ---- VF-SPLIT ------------------------------------------------------------------------------ */

static void VF_SPLIT_01_sets_are_outlined_in_every_mode(void **state)
{
    postlink_fixture *fixture = *state;
    for (uint32_t split = 0; split < RT_SPLIT_COUNT; split++) {
        uint32_t kernels = split == RT_SPLIT_PER_KERNEL ? 3 : 2;
        fixture_make(fixture, (rt_split)split, kernels + 3, SOURCES(shape));
        assert_provides(fixture, kernels, "plain");
        assert_int_equal(body_of(fixture, kernels, SIDES), 1);
        assert_provides(fixture, kernels + 1, "precise");
        assert_true(body_of(fixture, kernels + 1, AREA) > 1);
        assert_true(is_dummy(fixture, kernels + 2));
        assert_int_equal(body_of(fixture, 0, SIDES), DECLARED_ONLY);
    }
}

static void VF_SPLIT_02_a_set_is_an_image(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.clcpp", "struct S { IN(\"A\") virtual int f() { return 1; }\n"
                                     "           IN(\"B\") virtual int g() { return 2; }\n"
                                     "           IN(\"A\") virtual int h() { return 3; } };\n"}));
    assert_provides(*state, 0, "A");
    assert_true(defines(*state, 0, "_ZNU3AS41S1fEv"));
    assert_true(defines(*state, 0, "_ZNU3AS41S1hEv"));
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1gEv"), ABSENT_BODY);
    assert_provides(*state, 1, "B");
    assert_true(defines(*state, 1, "_ZNU3AS41S1gEv"));
    assert_int_equal(body_of(*state, 1, "_ZNU3AS41S1fEv"), ABSENT_BODY);
}

static void VF_SPLIT_03_declarations_stay_for_the_vtable(void **state)
{
    make_shape(*state);
    assert_int_equal(body_of(*state, 0, SIDES), DECLARED_ONLY);
    assert_int_equal(body_of(*state, 0, AREA), DECLARED_ONLY);
    assert_true(linked(*state, 0, VTABLE) != 0);
    /* Twin: an image that creates no object has neither property. */
    assert_int_equal(body_of(*state, 1, AREA), ABSENT_BODY);
    assert_int_equal(linked(*state, 1, VTABLE), 0);
}

static void VF_SPLIT_09_kernels_of_other_aspects_have_other_images(void **state)
{
    static const fixture_source two = {"a.clcpp", SHAPE CONSTRUCT MEASURE};
    static const fixture_source twin = {"a.clcpp", SHAPE CONSTRUCT COUNT};
    static const rt_split splits[] = {RT_SPLIT_OFF, RT_SPLIT_PER_SOURCE};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        fixture_make(*state, splits[i], 5, SOURCES(two));
        assert_kernels(*state, 0, "construct");
        assert_aspects(*state, 0, 0, 0);
        assert_calls(*state, 0, "");
        assert_kernels(*state, 1, "measure");
        assert_aspects(*state, 1, FP64, 0);
        assert_calls(*state, 1, "precise");
        fixture_make(*state, splits[i], 4, SOURCES(twin));
        assert_kernels(*state, 0, "construct count");
    }
}

static void VF_SPLIT_10_sets_are_no_symbols(void **state)
{
    make_shape(*state);
    for (uint32_t i = 0; i < SHAPE_IMAGES; i++) {
        assert_imports(*state, i, "");
        assert_exports(*state, i, "");
    }
    /* Twin: a function that is also called by name is a symbol. Virtual functions that are defined
     * outside their class are visible to every source. */
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.clcpp", "int twice(int x);\n"
                                     "struct S { IN(\"s\") virtual int f(int x); };\n"
                                     "int S::f(int x) { return x; }\n"
                                     "kernel void k(global int *p, global char *s)\n"
                                     "{ new ((void *)s) S; p[0] = twice(p[0]); }\n"}));
    assert_imports(*state, 0, "_Z5twicei");
    assert_imports(*state, 1, "");
    assert_exports(*state, 1, "");
    assert_true(defines(*state, 1, "_ZNU3AS41S1fEi"));
}

static void VF_SPLIT_11_a_provider_requires_what_its_functions_use(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 3, SOURCES({"a.clcpp", MIXED}));
    assert_provides(*state, 0, "mixed");
    assert_aspects(*state, 0, FP16, FP64);
    assert_true(is_dummy(*state, 1));
    assert_provides(*state, 2, "other");
    assert_aspects(*state, 2, 0, 0);
}

static void VF_SPLIT_12_a_thunk_is_its_function(void **state)
{
#define THUNK    "_ZThn16_NU3AS41C1gEi"
#define FUNCTION "_ZNU3AS41C1gEi"
    static const char code[] = "struct A { int a; virtual int f() = 0; };\n"
                               "struct B { int b; virtual int g(int r) = 0; };\n"
                               "struct C : A, B { int c; IN(\"s\") int f() override { return c; }\n"
                               "  IN(\"d\") int g(int r) override { return (int)(3.5 * r); } };\n"
                               "kernel void k(global char *s) { new ((void *)s) C; }\n";
    fixture_make(*state, RT_SPLIT_OFF, 4, SOURCES({"a.clcpp", code}));
    assert_creates(*state, 0, "s,d");
    assert_aspects(*state, 0, 0, 0);
    assert_int_equal(body_of(*state, 0, THUNK), DECLARED_ONLY);
    assert_int_equal(body_of(*state, 0, FUNCTION), DECLARED_ONLY);
    assert_provides(*state, 2, "d");
    assert_true(defines(*state, 2, THUNK));
    assert_true(defines(*state, 2, FUNCTION));
    assert_int_equal(body_of(*state, 3, THUNK), 1);
    /* Twin: without a second base there is no thunk. */
    fixture_make(*state, RT_SPLIT_OFF, 3,
                 SOURCES({"a.clcpp", "struct B { int b; virtual int g(int r) = 0; };\n"
                                     "struct C : B { IN(\"d\") int g(int r) override "
                                     "{ return (int)(3.5 * r); } };\n"
                                     "kernel void k(global char *s) { new ((void *)s) C; }\n"}));
    assert_creates(*state, 0, "d");
    assert_int_equal(body_of(*state, 1, THUNK), ABSENT_BODY);
}

/* ---- VF-DUMMY ------------------------------------------------------------------------------ */

#define ONE_OF_THREE                                                                               \
    "struct S { IN(\"s\") virtual int f(int x) { return x + 1; }\n"                                \
    "           IN(\"s\") virtual int g(int x) { return (int)(2.5 * x); }\n"                       \
    "           IN(\"s\") virtual void h(global int *p) { p[0] = 5; } };\n"

static void VF_DUMMY_01_sets_with_optional_features_have_one(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", ONE_OF_THREE}));
    assert_false(is_dummy(*state, 0));
    assert_true(is_dummy(*state, 1));
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"a.clcpp", "struct S { IN(\"s\") virtual int f() { return 1; } };\n"}));
    assert_false(is_dummy(*state, 0));
}

static void VF_DUMMY_02_all_of_its_functions_are_empty(void **state)
{
    static const char *const names[] = {"_ZNU3AS41S1fEi", "_ZNU3AS41S1gEi", "_ZNU3AS41S1hEPU3AS1i"};
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", ONE_OF_THREE}));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(body_of(*state, 0, names[i]) > 1);
        assert_int_equal(body_of(*state, 1, names[i]), 1);
    }
}

static void VF_DUMMY_03_it_requires_nothing(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 2, SOURCES({"a.clcpp", ONE_OF_THREE}));
    assert_aspects(*state, 0, FP64, 0);
    assert_aspects(*state, 1, 0, 0);
    /* The parameter keeps its type, which on its own requires no aspect (VF-DUMMY-05). */
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.clcpp",
                          "struct S { IN(\"s\") virtual int f(double x) { return (int)x; } };\n"}));
    assert_aspects(*state, 1, 0, 0);
}

/* ---- VF-AOT -------------------------------------------------------------------------------- */

static void make_ahead(postlink_fixture *fixture, const char *code, uint64_t lacks,
                       uint32_t image_count)
{
    fixture->ahead_of_time = true;
    fixture->target_aspects = ~lacks;
    fixture_make(fixture, RT_SPLIT_OFF, image_count, SOURCES({"a.clcpp", code}));
}

static void VF_AOT_02_unsupported_sets_are_dropped(void **state)
{
    static const char code[] = SHAPE CONSTRUCT COUNT;
    make_ahead(*state, code, 1u << FP64, 1);
    assert_true(defines(*state, 0, SIDES));
    assert_int_equal(body_of(*state, 0, AREA), ABSENT_BODY);
    make_ahead(*state, code, 0, 1);
    assert_true(defines(*state, 0, SIDES));
    assert_true(defines(*state, 0, AREA));
    assert_aspects(*state, 0, 0, 0);
}

static void VF_AOT_03_a_set_is_dropped_as_a_whole(void **state)
{
#define PAIR(set)                                                                                  \
    "struct S { IN(\"s\") virtual int f(int x) { return (int)(2.5 * x); }\n"                       \
    "           IN(\"" set "\") virtual int g(int x) { return x; } };\n"                           \
    "kernel void k(global char *s) { new ((void *)s) S; }\n"
    make_ahead(*state, PAIR("s"), 1u << FP64, 1);
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1fEi"), ABSENT_BODY);
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1gEi"), ABSENT_BODY);
    make_ahead(*state, PAIR("t"), 1u << FP64, 1);
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1fEi"), ABSENT_BODY);
    assert_true(defines(*state, 0, "_ZNU3AS41S1gEi"));
}

static void VF_AOT_04_a_set_needs_all_of_its_features(void **state)
{
    static const char code[] =
        "struct S { IN(\"s\") USES(fp16) virtual int f(int x) { return x; }\n"
        "           IN(\"s\") USES(fp64) virtual int g(int x) { return x + 1; } };\n"
        "kernel void k(global char *s) { new ((void *)s) S; }\n";
    static const uint64_t lacking[] = {1u << FP16, 1u << FP64, 1u << FP16 | 1u << FP64};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        make_ahead(*state, code, lacking[i], 1);
        assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1fEi"), ABSENT_BODY);
        assert_int_equal(body_of(*state, 0, "_ZNU3AS41S1gEi"), ABSENT_BODY);
    }
    make_ahead(*state, code, 0, 1);
    assert_true(defines(*state, 0, "_ZNU3AS41S1fEi"));
    assert_true(defines(*state, 0, "_ZNU3AS41S1gEi"));
}

/* ---- Beyond the rules ---------------------------------------------------------------------- */

/* Shipped DPC++ has a single property for calling and creating, and no dummies (D2, D3, D6). */
static void dpcpp_has_one_property(void **state)
{
    postlink_fixture *fixture = *state;
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_OFF, 4, SOURCES(shape));
    assert_calls(fixture, 0, "");
    assert_creates(fixture, 0, "");
    assert_says(fixture, 0, "uses-virtual-functions-set", "plain,precise");
    assert_says(fixture, 1, "uses-virtual-functions-set", "precise");
    assert_provides(fixture, 2, "plain");
    assert_provides(fixture, 3, "precise");
    assert_says(fixture, 3, "uses-virtual-functions-set", "");
}

/* An override calls by name the function that it overrides, which is in another set: the caller has
 * a copy, and the vtable slot still refers to the set. */
static void a_call_by_name_is_not_a_virtual_call(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 3,
        SOURCES({"a.clcpp",
                 "struct A { IN(\"a\") virtual int f(int x) { return x * 3; } };\n"
                 "struct B : A { IN(\"b\") int f(int x) override { return A::f(x) + 1; } };\n"
                 "kernel void k(global char *s, global int *p) {\n"
                 "  new ((void *)(s + 64)) A;\n"
                 "  B *b = new ((void *)s) B; p[0] = b->A::f(p[1]);\n}\n"}));
    assert_creates(*state, 0, "a,b");
    assert_calls(*state, 0, "");
    assert_int_equal(body_of(*state, 0, "_ZNU3AS41A1fEi"), DECLARED_ONLY);
    assert_provides(*state, 2, "b");
    assert_true(defines(*state, 2, "_ZNU3AS41B1fEi"));
    assert_int_equal(body_of(*state, 2, "_ZNU3AS41A1fEi"), ABSENT_BODY);
    assert_imports(*state, 2, "");
}

/* A function of one set creates objects that use another set, so its image creates that set. */
static void a_provider_may_create(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 2,
                 SOURCES({"a.clcpp",
                          "struct A { IN(\"a\") virtual int f() { return 1; } };\n"
                          "struct B { IN(\"b\") virtual void make(void *p) { new (p) A; } };\n"}));
    assert_provides(*state, 1, "b");
    assert_creates(*state, 1, "a");
    assert_provides(*state, 0, "a");
    assert_creates(*state, 0, "");
}

/* Two modules may have internal classes with the same name. */
static void hidden_classes_get_names_of_their_module(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 2,
        SOURCES({"a.clcpp", "namespace { struct H { IN(\"h\") virtual int f() { return 1; } }; }\n"
                            "kernel void k(global char *s) { new ((void *)s) H; }\n"}));
    assert_true(defines(*state, 1, "_ZNU3AS412_GLOBAL__N_11H1fEv.m"));
    assert_int_equal(body_of(*state, 0, "_ZNU3AS412_GLOBAL__N_11H1fEv.m"), DECLARED_ONLY);
}

typedef struct refusal_row {
    const char *file;
    const char *code;
    const char *names;
    const char *message;
} refusal_row;

static void invalid_properties(void **state)
{
    static const refusal_row rows[] = {
        {"a.clcpp", "struct S {\n IN(\"a\") IN(\"b\") virtual int f() { return 1; } };",
         "_ZNU3AS41S1fEv",
         "line 2: '_ZNU3AS41S1fEv' has a virtual-function or aspect property twice"},
        {"a.clcpp",
         "inline void operator delete(void *) noexcept {}\n"
         "struct S {\n IN(\"a\") IN(\"b\") virtual ~S() {} };\n"
         "kernel void k(global char *p) { new ((void *)p) S; }",
         "_ZNU3AS41SD1Ev",
         "line 3: '_ZNU3AS41SD1Ev' has a virtual-function or aspect property twice"},
        {"a.clcpp", "IN(\"a\") kernel void k(global int *p) { p[0] = 1; }", "k",
         "line 1: 'k' is a kernel, which cannot be indirectly callable"},
        {"a.clcpp", "struct S { IN(\"a,b\") virtual int f() { return 1; } };", "_ZNU3AS41S1fEv",
         "is in a set whose name is empty or has a comma"},
        {"a.clcpp", "CALLS(\"a\") int f(int x) { return x; }", "_Z1fi",
         "which is a property of kernels, but it is not a kernel"},
        {"a.clcpp", "USES(fp46) int f(int x) { return x; }", "_Z1fi",
         "uses aspect 'fp46', which assay does not know; it knows fp16, fp64 and atomic64"},
        {"a.clcpp", "USES(fp64) global int v = 1;\nint f() { return v; }", "v",
         "has a property that only functions may have"},
        {"a.clcpp",
         "struct S { virtual int f(); };\nkernel void k(global char *s) { new ((void *)s) S; }",
         "_ZTV1S", "the module does not define the class's vtable '_ZTV1S'"},
        {"a.ll",
         TARGET "define spir_func void @f() #0 {\n ret void\n}\n"
                "attributes #0 = { \"indirectly-callable\" }\n",
         "f", "is in a set whose name is empty"},
        {"a.ll",
         TARGET "define spir_kernel void @k() #0 {\n ret void\n}\n"
                "attributes #0 = { \"calls-indirectly\" }\n",
         "k", "calls a set whose name is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const fixture_source source = {rows[i].file, rows[i].code};
        rt_status status = fixture_postlink(*state, RT_SPLIT_OFF, SOURCES(source));
        assert_refused(*state, status, RT_POSTLINK_ERROR, rows[i].names);
        postlink_fixture *fixture = *state;
        rt_text message = rt_sink_diagnostic(fixture->sink, status)->message;
        if (!memmem(message.data, message.length, rows[i].message, strlen(rows[i].message)))
            fail_msg("'%s' is not in: %.*s", rows[i].message, RT_TEXT_ARG(message));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        TEST(VF_PROP_01_functions_have_their_set),
        TEST(a_destructor_is_in_its_set_with_its_aspects),
        TEST(VF_PROP_02_kernels_have_a_list_of_sets),
        TEST(VF_PROP_04_no_argument_is_the_default_set),
        TEST(VF_PROP_05_relations_have_a_set_of_their_own),
        TEST(VF_PROP_06_a_provider_names_its_set),
        TEST(VF_PROP_07_a_dummy_says_so),
        TEST(VF_PROP_08_images_list_what_their_kernels_call),
        TEST(VF_PROP_09_images_list_what_their_vtables_hold),
        TEST(VF_PROP_11_code_for_a_target_says_nothing),
        TEST(VF_FE_01_marked_functions_are_device_code),
        TEST(VF_FE_02_unmarked_functions_are_no_device_code),
        TEST(VF_ASPECT_01_a_set_has_the_aspects_of_all_its_functions),
        TEST(VF_ASPECT_02_a_kernel_has_the_aspects_of_the_sets_that_it_calls),
        TEST(VF_ASPECT_06_a_pointer_carries_no_aspects),
        TEST(VF_SPLIT_01_sets_are_outlined_in_every_mode),
        TEST(VF_SPLIT_02_a_set_is_an_image),
        TEST(VF_SPLIT_03_declarations_stay_for_the_vtable),
        TEST(VF_SPLIT_09_kernels_of_other_aspects_have_other_images),
        TEST(VF_SPLIT_10_sets_are_no_symbols),
        TEST(VF_SPLIT_11_a_provider_requires_what_its_functions_use),
        TEST(VF_SPLIT_12_a_thunk_is_its_function),
        TEST(VF_DUMMY_01_sets_with_optional_features_have_one),
        TEST(VF_DUMMY_02_all_of_its_functions_are_empty),
        TEST(VF_DUMMY_03_it_requires_nothing),
        TEST(VF_AOT_02_unsupported_sets_are_dropped),
        TEST(VF_AOT_03_a_set_is_dropped_as_a_whole),
        TEST(VF_AOT_04_a_set_needs_all_of_its_features),
        TEST(dpcpp_has_one_property),
        TEST(a_call_by_name_is_not_a_virtual_call),
        TEST(a_provider_may_create),
        TEST(hidden_classes_get_names_of_their_module),
        TEST(invalid_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
