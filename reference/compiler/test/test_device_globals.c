/* Tests of post-link: device_global variables. Sources are LLVM IR as DPC++'s front end generates
 * it, with the attributes of document 002, or OpenCL C with the annotations of assay's prelude. */
#include "reference/base/spirv.h"
#include "reference/compiler/test/postlink_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* An int variable in each layout; `attributes` is the number of its attribute group in the source.
 */
#define SCOPED(name, attributes)                                                                   \
    "@" name " = addrspace(1) global { [1 x i32] } zeroinitializer #" attributes "\n"
#define SHARED(name, attributes)                                                                   \
    "@" name " = addrspace(1) global { i32 addrspace(1)* } zeroinitializer #" attributes "\n"

/* A kernel that stores 1 to image-scope variables, and a kernel that loads the pointers in the
 * others.
 */
#define STORE(name)                                                                                \
    " store i32 1, i32 addrspace(1)* getelementptr ({ [1 x i32] }, { [1 x i32] } addrspace(1)* "   \
    "@" name ", i32 0, i32 0, i32 0)\n"
#define THROUGH(name)                                                                              \
    " %to." name                                                                                   \
    " = load i32 addrspace(1)*, i32 addrspace(1)* addrspace(1)* getelementptr ({ i32 "             \
    "addrspace(1)* }, { i32 addrspace(1)* } addrspace(1)* @" name ", i32 0, i32 0)\n"              \
    " store i32 1, i32 addrspace(1)* %to." name "\n"
#define KERNEL(name, body) "define spir_kernel void @" name "() {\n" body " ret void\n}\n"

#define SIZE(bytes)              "\"sycl-device-global-size\"=\"" bytes "\" "
#define ID(id)                   "\"sycl-unique-id\"=\"" id "\" "
#define IMAGE_SCOPE              "\"sycl-device-image-scope\"=\"true\" "
#define ACCESS(number)           "\"sycl-host-access\"=\"" number "\" "
#define ATTRIBUTES(number, list) "attributes #" number " = { " list "}\n"

/* ---- What images state ----------------------------------------------------------------------- */

static const rt_property_set *set_of(const postlink_fixture *fixture, uint32_t image)
{
    assert_true(image < fixture->images.count);
    return rt_image_set(&fixture->images.images[image], RT_SET_DEVICE_GLOBALS);
}

/* Checks an image's device_globals, written as `id=size`, or `id=size!` with image scope, separated
 * by blanks, in the order of the property set.
 */
static void assert_globals(const postlink_fixture *fixture, uint32_t image, const char *expected)
{
    const rt_property_set *set = set_of(fixture, image);
    rt_buffer actual = {0};
    for (uint32_t i = 0; set && i < set->property_count; i++) {
        rt_device_global_value value;
        const rt_property *property = &set->properties[i];
        rt_buffer_printf(&actual, "%s%.*s", i ? " " : "", RT_TEXT_ARG(property->name));
        if (rt_device_global_value_read(property, &value))
            rt_buffer_printf(&actual, "=%u%s", value.size, value.image_scope ? "!" : "");
    }
    assert_string_equal(rt_buffer_string(&actual), expected);
    rt_buffer_free(&actual);
}

enum { OP_SOURCE = 3, OP_DECORATE = 71, OP_CAPABILITY = 17, LINKAGE = 41 };
enum { HOST_ACCESS = 6147, INIT_MODE = 6148, IN_CSR = 6149, DECORATIONS = 6146 };

/* The id with the given linkage name; 0 if there is none. */
static uint32_t target_of(rt_bytes code, const char *symbol)
{
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at))
        if (at.opcode == OP_DECORATE && rt_spirv_word(&at, 2) == LINKAGE &&
            rt_text_is(rt_spirv_text(&at, 3), symbol))
            return rt_spirv_word(&at, 1);
    return 0;
}

/* A variable's decorations that concern device_globals: `access MODE NAME`, `init N`, `csr N`.
 */
static void assert_decorations(const postlink_fixture *fixture, uint32_t image, const char *symbol,
                               const char *expected)
{
    rt_bytes code = fixture->images.images[image].code;
    uint32_t target = target_of(code, symbol);
    rt_spirv_walk walk = rt_spirv_walk_start(code);
    rt_spirv_instruction at;
    rt_buffer actual = {0};
    assert_true(target != 0);
    while (rt_spirv_walk_next(&walk, &at)) {
        if (at.opcode != OP_DECORATE || rt_spirv_word(&at, 1) != target) continue;
        uint32_t value = rt_spirv_word(&at, 3);
        const char *blank = actual.size ? " " : "";
        switch (rt_spirv_word(&at, 2)) {
        case HOST_ACCESS:
            rt_buffer_printf(&actual, "%saccess %u %.*s", blank, value,
                             RT_TEXT_ARG(rt_spirv_text(&at, 4)));
            break;
        case INIT_MODE: rt_buffer_printf(&actual, "%sinit %u", blank, value); break;
        case IN_CSR: rt_buffer_printf(&actual, "%scsr %u", blank, value); break;
        default: break;
        }
    }
    assert_string_equal(rt_buffer_string(&actual), expected);
    rt_buffer_free(&actual);
}

static bool declares_decorations(const postlink_fixture *fixture, uint32_t image)
{
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[image].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at))
        if (at.opcode == OP_CAPABILITY && rt_spirv_word(&at, 1) == DECORATIONS) return true;
    return false;
}

/* Checks the variables that host code registers: `name id=size access`, with `!` after the size for
 * image scope. */
static void assert_registered(const postlink_fixture *fixture, const char *expected)
{
    rt_buffer actual = {0};
    for (uint32_t i = 0; i < fixture->globals.count; i++) {
        const rt_device_global *global = &fixture->globals.globals[i];
        rt_buffer_printf(&actual, "%s%.*s %.*s=%llu%s %s", i ? ", " : "", RT_TEXT_ARG(global->name),
                         RT_TEXT_ARG(global->unique_id), (unsigned long long)global->size,
                         global->image_scope ? "!" : "", rt_host_access_name(global->host_access));
    }
    assert_string_equal(rt_buffer_string(&actual), expected);
    rt_buffer_free(&actual);
}

static void assert_message(const postlink_fixture *fixture, rt_status status, const char *expected)
{
    assert_string_equal(rt_sink_diagnostic(fixture->sink, status)->message.data, expected);
}

/* ---- DG-HEADER ----------------------------------------------------------------------------- */

#define ANNOTATED(type, declaration, properties)                                                   \
    "__attribute__((annotate(\"assay-device-global:" properties "\", sizeof(" type                 \
    ")))) global struct { " declaration " } "

static void DG_HEADER_08_the_size_marks_a_variable(void **state)
{
    /* double[3] has 24 bytes in either layout; an ordinary variable is not listed. */
    static const char code[] =
        ANNOTATED("double[3]", "global double (*value)[3];", "") "v = {0};\n" ANNOTATED(
            "double[3]", "double value[1][3];",
            "device_image_scope") "w = {0};\n"
                                  "global int plain;\n"
                                  "kernel void K(int i) { (*v.value)[i] = plain++; w.value[0][i] = 1; }";
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", code}));
    assert_globals(*state, 0, "_Z1v=24 _Z1w=24!");
    assert_registered(*state, "v _Z1v=24 read_write, w _Z1w=24! read_write");
}

/* ---- DG-POSTLINK --------------------------------------------------------------------------- */

#define ONE_SHARED                                                                                 \
    TARGET SHARED("v", "0") KERNEL("K", THROUGH("v")) ATTRIBUTES("0", SIZE("4") ID("one"))

static void DG_POSTLINK_01_an_option_asks_for_it(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", ONE_SHARED}));
    assert_globals(fixture, 0, "one=4");
    assert_true(declares_decorations(fixture, 0));
    fixture->no_device_globals = true;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", ONE_SHARED}));
    assert_null(set_of(fixture, 0));
    assert_false(declares_decorations(fixture, 0));
}

static void DG_POSTLINK_02_functions_that_are_called_count(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"m.ll",
                 TARGET SHARED("v", "0") SCOPED(
                     "plain", "1") "define internal spir_func void @h() noinline {\n" THROUGH("v")
                     STORE("plain") " ret void\n}\n" KERNEL("K", " call spir_func void "
                                                                 "@h()\n")
                         ATTRIBUTES("0", SIZE("4") ID("one"))
                             ATTRIBUTES("1", "\"other\"=\"1\" ")}));
    assert_int_equal(fixture_function(*state, 0, "h"), INTERNAL);
    assert_globals(*state, 0, "one=4");
}

/* The variables `v` and `w`, each used in two kernels, with the attributes #0 and #1. */
#define TWO_SCOPED(first, second)                                                                  \
    TARGET SCOPED("v", "0") SCOPED("w", "1") KERNEL("K", STORE("v") STORE("w"))                    \
        KERNEL("L", STORE("w") STORE("v")) ATTRIBUTES("0", first) ATTRIBUTES("1", second)

static void DG_POSTLINK_03_image_scope_is_one_image(void **state)
{
    static const char code[] =
        TWO_SCOPED(SIZE("4") ID("one") IMAGE_SCOPE, SIZE("4") ID("two") IMAGE_SCOPE);
    rt_status status = fixture_postlink(*state, RT_SPLIT_PER_KERNEL, SOURCES({"m.ll", code}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v w");
    assert_message(*state, status,
                   "device_global variable 'v' with property \"device_image_scope\" is used in "
                   "more than one device image.");
    /* Twins: without a split, and with a kernel that refers to neither variable. */
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"m.ll", code}));
    assert_globals(*state, 0, "one=4! two=4!");
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 2,
                 SOURCES({"m.ll", TARGET SCOPED("v", "0") KERNEL("K", STORE("v")) KERNEL("L", "")
                                      ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE)}));
}

static void DG_POSTLINK_03_names_the_line(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_PER_KERNEL,
        SOURCES(
            {"A",
             "\n" ANNOTATED(
                 "int", "int value[1];",
                 "device_image_scope") "v = {0};\n"
                                       "kernel void K() { v.value[0]++; }\nkernel void L() { v.value[0]++; }\n"}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
    assert_message(*state, status,
                   "A:2: device_global variable 'v' with property \"device_image_scope\" is used "
                   "in more than one device image.");
}

#define TWO_KERNELS_SHARE                                                                          \
    TARGET SHARED("v", "0") KERNEL("K", THROUGH("v")) KERNEL("L", THROUGH("v")) KERNEL("M", "")    \
        ATTRIBUTES("0", SIZE("4") ID("one"))

static void DG_POSTLINK_04_without_image_scope_any_number(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 3, SOURCES({"m.ll", TWO_KERNELS_SHARE}));
    assert_globals(*state, 0, "one=4");
    assert_globals(*state, 1, "one=4");
}

static void DG_POSTLINK_05_each_that_refers_to_it_defines_it(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 3, SOURCES({"m.ll", TWO_KERNELS_SHARE}));
    assert_int_equal(fixture_variable(*state, 0, "v"), EXPORTED);
    assert_int_equal(fixture_variable(*state, 1, "v"), EXPORTED);
    assert_int_equal(fixture_variable(*state, 2, "v"), ABSENT);
    assert_imports(*state, 1, "");
}

static void DG_POSTLINK_06_every_one_has_a_name_for_the_host(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"m.ll", ONE_SHARED}));
    assert_decorations(*state, 0, "v", "access 2 one");
    assert_true(declares_decorations(*state, 0));
    /* Twin: without device_globals, the code has neither a decoration nor the capability for it. */
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"m.ll", TARGET SCOPED("v", "0") KERNEL("K", STORE("v"))
                                      ATTRIBUTES("0", "\"other\"=\"1\" ")}));
    assert_false(declares_decorations(*state, 0));
}

static void DG_POSTLINK_07_the_access_is_the_propertys(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"m.ll",
                 TARGET SCOPED("a", "0") SCOPED("b", "1") SCOPED("c", "2") SCOPED("d", "3") SCOPED(
                     "e", "4") KERNEL("K", STORE("a") STORE("b") STORE("c") STORE("d") STORE("e"))
                     ATTRIBUTES("0", SIZE("4") ID("A") IMAGE_SCOPE ACCESS("0"))
                         ATTRIBUTES("1", SIZE("4") ID("B") IMAGE_SCOPE ACCESS("1"))
                             ATTRIBUTES("2", SIZE("4") ID("C") IMAGE_SCOPE ACCESS("2"))
                                 ATTRIBUTES("3", SIZE("4") ID("D") IMAGE_SCOPE ACCESS("3"))
                                     ATTRIBUTES("4", SIZE("4") ID("E") IMAGE_SCOPE)}));
    assert_decorations(*state, 0, "a", "access 0 A");
    assert_decorations(*state, 0, "b", "access 1 B");
    assert_decorations(*state, 0, "c", "access 2 C");
    assert_decorations(*state, 0, "d", "access 3 D");
    assert_decorations(*state, 0, "e", "access 2 E");
    assert_registered(*state, "a A=4! read, b B=4! write, c C=4! read_write, d D=4! none, "
                              "e E=4! read_write");
}

static void DG_POSTLINK_08_the_name_is_the_unique_id(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", ONE_SHARED}));
    const rt_property_set *set = set_of(fixture, 0);
    assert_true(set && rt_text_is(set->properties[0].name, "one"));
    assert_decorations(fixture, 0, "v", "access 2 one");
}

#define WITH(attribute)                                                                            \
    SOURCES({"m.ll", TARGET SCOPED("v", "0") KERNEL("K", STORE("v"))                               \
                         ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE attribute)})

static void DG_POSTLINK_09_init_mode_where_it_is_given(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH("\"sycl-init-mode\"=\"0\" "));
    assert_decorations(*state, 0, "v", "access 2 one init 0");
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH("\"sycl-init-mode\"=\"1\" "));
    assert_decorations(*state, 0, "v", "access 2 one init 1");
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH(""));
    assert_decorations(*state, 0, "v", "access 2 one");
}

static void DG_POSTLINK_10_registers_where_they_are_given(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH("\"sycl-implement-in-csr\"=\"true\" "));
    assert_decorations(*state, 0, "v", "access 2 one csr 1");
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH("\"sycl-implement-in-csr\"=\"false\" "));
    assert_decorations(*state, 0, "v", "access 2 one csr 0");
    fixture_make(*state, RT_SPLIT_OFF, 1, WITH(""));
    assert_decorations(*state, 0, "v", "access 2 one");
}

static void DG_POSTLINK_11_a_set_where_there_are_any(void **state)
{
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 3, SOURCES({"m.ll", TWO_KERNELS_SHARE}));
    assert_non_null(set_of(*state, 0));
    assert_non_null(set_of(*state, 1));
    assert_null(set_of(*state, 2));
}

static void DG_POSTLINK_12_other_attributes_make_none(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"m.ll", TWO_SCOPED(ID("one") IMAGE_SCOPE ACCESS("0"), ID("two") IMAGE_SCOPE)}));
    assert_null(set_of(*state, 0));
    assert_registered(*state, "");
    /* A constant may be copied to both images, so nothing else prevents the split. */
    static const char constant[] = TARGET
        "@v = internal addrspace(2) constant i32 0 #0\n"
        "define spir_kernel void @K(i32 addrspace(1)* %p) {\n"
        " %a = load volatile i32, i32 addrspace(2)* @v\n store i32 %a, i32 addrspace(1)* %p\n"
        " ret void\n}\n"
        "define spir_kernel void @L(i32 addrspace(1)* %p) {\n"
        " %a = load volatile i32, i32 addrspace(2)* @v\n store i32 %a, i32 addrspace(1)* %p\n"
        " ret void\n}\n";
    char code[2048];
    snprintf(code, sizeof code, "%s%s", constant, ATTRIBUTES("0", ID("one") IMAGE_SCOPE));
    fixture_make(*state, RT_SPLIT_PER_KERNEL, 2, SOURCES({"m.ll", code}));
    /* Twin: with the size attribute the variable is a device_global, which the split would tear
     * apart. */
    snprintf(code, sizeof code, "%s%s", constant, ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE));
    rt_status status = fixture_postlink(*state, RT_SPLIT_PER_KERNEL, SOURCES({"m.ll", code}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
}

/* ---- DG-PROPSET ---------------------------------------------------------------------------- */

/* A variable of 4 bytes with image scope, and one of 24 bytes without. */
#define BOTH                                                                                       \
    TARGET SCOPED("v", "0") SHARED("w", "1") KERNEL("K", STORE("v") THROUGH("w"))                  \
        ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE) ATTRIBUTES("1", SIZE("24") ID("two"))

static void DG_PROPSET_01_a_property_for_each(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", BOTH}));
    const rt_property_set *set = set_of(fixture, 0);
    assert_true(set && set->property_count == 2);
    assert_true(rt_text_is(set->properties[0].name, "one"));
    assert_true(rt_text_is(set->properties[1].name, "two"));
}

static void DG_PROPSET_02_of_type_bytes(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", BOTH}));
    const rt_property_set *set = set_of(fixture, 0);
    assert_non_null(set);
    for (uint32_t i = 0; i < set->property_count; i++)
        assert_int_equal(set->properties[i].type, RT_PROPERTY_BYTES);
}

static void DG_PROPSET_03_a_size_then_a_truth(void **state)
{
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", BOTH}));
    const rt_property_set *set = set_of(fixture, 0);
    assert_non_null(set);
    assert_int_equal(set->properties[0].bytes.size, 8);
    assert_memory_equal(set->properties[0].bytes.data, "\x04\0\0\0\x01", 5);
    assert_memory_equal(set->properties[1].bytes.data, "\x18\0\0\0\0", 5);
}

static void DG_PROPSET_04_the_size_is_the_attributes(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"m.ll", BOTH}));
    assert_globals(*state, 0, "one=4! two=24");
}

static void DG_PROPSET_05_the_truth_is_the_propertys(void **state)
{
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"m.ll", BOTH}));
    const rt_property_set *set = set_of(*state, 0);
    assert_non_null(set);
    assert_int_equal(set->properties[0].bytes.data[4], 1);
    assert_int_equal(set->properties[1].bytes.data[4], 0);
}

/* ---- What is refused ----------------------------------------------------------------------- */

static void declarations_are_checked_as_by_a_front_end(void **state)
{
    static const struct {
        const char *properties, *expected;
    } rows[] = {
        {"host_access(read), host_access(read)",
         "A:1: error: device_global 'v' has the property host_access twice; state each property "
         "only once"},
        {"host_access(read), host_access(write)",
         "A:1: error: device_global 'v' has the property host_access twice, with different values; "
         "state each property only once"},
        {"host_access(all)",
         "A:1: error: device_global 'v' has the property 'host_access(all)', but host_access takes "
         "read, write, read_write or none"},
        {"init_mode",
         "A:1: error: device_global 'v' has the property 'init_mode', but init_mode takes reprogram "
         "or reset"},
        {"device_image_scope(1)",
         "A:1: error: device_global 'v' has the property 'device_image_scope(1)', but "
         "device_image_scope takes no argument"},
        {"hostaccess(read)",
         "A:1: error: device_global 'v' has the unknown property 'hostaccess(read)'; the known "
         "ones are device_image_scope, host_access(...), init_mode(...) and implement_in_csr(...)"},
        {"host_access(read",
         "A:1: error: device_global 'v' has the unknown property 'host_access(read'; the known "
         "ones are device_image_scope, host_access(...), init_mode(...) and implement_in_csr(...)"},
        {"device_image_scope",
         "A:1: error: device_global 'v' does not have a type of 1 to 4294967295 bytes; declare "
         "it with DEVICE_GLOBAL(type, name, properties...)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[512];
        snprintf(code, sizeof code,
                 "__attribute__((annotate(\"assay-device-global:%s\", 4))) "
                 "global struct { global int *value; } v = {0};\n"
                 "kernel void K() { *v.value = 1; }",
                 rows[i].properties);
        rt_status status = fixture_postlink(*state, RT_SPLIT_OFF, SOURCES({"A", code}));
        assert_refused(*state, status, RT_COMPILE_TIME, "v");
        assert_message(*state, status, rows[i].expected);
    }
}

static void a_variable_of_a_function_is_refused(void **state)
{
    rt_status status =
        fixture_postlink(*state, RT_SPLIT_OFF,
                         SOURCES({"A", "kernel void K() {\n static " ANNOTATED(
                                           "int", "int value[1];",
                                           "device_image_scope") "v = {0};\n v.value[0]++; }"}));
    assert_refused(*state, status, RT_COMPILE_TIME, "K.v");
    assert_message(*state, status,
                   "A:2: error: device_global 'K.v' is declared in a function; it has to be "
                   "declared in a namespace");
}

/* A declaration is written as a pointer, like EXTERN_DEVICE_GLOBAL in the prelude. */
#define DECLARED_ELSEWHERE(type, declaration, properties)                                          \
    "extern global struct { " declaration " } v;\n"                                                \
    "static const global void *constant there __attribute__((used, annotate("                      \
    "\"assay-extern-device-global:" properties "\", sizeof(" type ")))) = &v;\n"

static void declarations_of_one_variable_agree(void **state)
{
    static const char user[] = DECLARED_ELSEWHERE(
        "int", "global int *value;", "host_access(read)") "kernel void K() { *v.value = 1; }";
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", user}, {"B", ANNOTATED("int", "global int *value;",
                                                      "host_access(read)") "v = {0};"}));
    assert_globals(*state, 0, "_Z1v=4");
    assert_registered(*state, "v _Z1v=4 read");
    assert_exports(*state, 0, "v");
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", user}));
    assert_imports(*state, 0, "v");
    assert_registered(*state, "");
    assert_null(set_of(*state, 0));
    assert_decorations(*state, 0, "v", "access 0 _Z1v");
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES({"A", user}, {"B", ANNOTATED("int", "global int *value;", "") "v = {0};"}));
    assert_refused(*state, status, RT_COMPILE_TIME, "v");
    assert_message(*state, status,
                   "B:1: error: device_global 'v' was declared before with a different size or "
                   "different properties; make the declarations agree");
}

static void attributes_without_a_meaning_are_refused(void **state)
{
    static const struct {
        const char *attributes, *expected;
    } rows[] = {
        {SIZE("4"),
         "device_global variable 'v' has no attribute 'sycl-unique-id', or an empty one"},
        {SIZE("0") ID("one"),
         "device_global variable 'v' has the attribute "
         "'sycl-device-global-size' with a value that is not a number of bytes from 1 to "
         "4294967295"},
        {SIZE("4294967296") ID("one"),
         "device_global variable 'v' has the attribute "
         "'sycl-device-global-size' with a value that is not a number of bytes from 1 "
         "to 4294967295"},
        {SIZE("4") ID("one") ACCESS("4"), "device_global variable 'v' has the attribute "
                                          "'sycl-host-access' with a value other than 0 (read), "
                                          "1 (write), 2 (read_write) or 3 (none)"},
        {SIZE("4") ID("one") "\"sycl-init-mode\"=\"reset\" ",
         "device_global variable 'v' has the attribute 'sycl-init-mode' with a value other than 0 "
         "(reprogram) or 1 (reset)"},
        {SIZE("4") ID("one") "\"sycl-implement-in-csr\"=\"2\" ",
         "device_global variable 'v' has the attribute 'sycl-implement-in-csr' with a value other "
         "than true or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[1024];
        snprintf(code, sizeof code,
                 TARGET SCOPED("v", "0") KERNEL("K", STORE("v")) "attributes #0 = "
                                                                 "{ %s}\n",
                 rows[i].attributes);
        rt_status status = fixture_postlink(*state, RT_SPLIT_OFF, SOURCES({"m.ll", code}));
        assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
        assert_message(*state, status, rows[i].expected);
    }
}

static void a_variable_that_a_host_cannot_find_is_refused(void **state)
{
    static const struct {
        const char *variable, *name, *expected;
    } rows[] = {
        {"@0 = internal addrspace(1) global i32 0 #0\n", "",
         "device_global variable '' has no name; give it one"},
        {"@v = global i32 0 #0\n", "v",
         "device_global variable 'v' is not in global memory; declare it with addrspace(1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char code[1024];
        snprintf(code, sizeof code,
                 TARGET "%s" KERNEL("K", "") ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE),
                 rows[i].variable);
        rt_status status = fixture_postlink(*state, RT_SPLIT_OFF, SOURCES({"m.ll", code}));
        assert_refused(*state, status, RT_POSTLINK_ERROR, rows[i].name);
        assert_message(*state, status, rows[i].expected);
    }
}

/* What sycl-post-link writes: the attributes are still there, and the decorations are metadata,
 * with the older or the newer numbers.  Each variable has one HostAccessINTEL, from its attributes.
 */
static void decorations_in_metadata_are_written_once(void **state)
{
    assert_true(rt_ok(fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES(
            {"m.ll", TARGET
             "@v = addrspace(1) global { [1 x i32] } zeroinitializer, "
             "!spirv.Decorations !0 #0\n"
             "@w = addrspace(1) global { [1 x i32] } zeroinitializer, "
             "!spirv.Decorations !3 #1\n" KERNEL("K", STORE("v") STORE("w"))
                 ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE ACCESS("0")) ATTRIBUTES(
                     "1", SIZE("4") ID("two") IMAGE_SCOPE
                     "\"sycl-init-mode\"=\"1\" ") "!0 = !{!1, !2}\n!1 = !{i32 6147, i32 0, !\"one\"}\n!2 = !{i32 22}\n"
                                                  "!3 = !{!4, !5}\n!4 = !{i32 6188, i32 2, !\"two\"}\n!5 = !{i32 6190, i32 1}\n"}))));
    assert_decorations(*state, 0, "v", "access 0 one");
    assert_decorations(*state, 0, "w", "access 2 two init 1");
}

static void decorations_of_another_variable_are_refused(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES({"m.ll",
                 TARGET "@v = addrspace(1) global { [1 x i32] } zeroinitializer, "
                        "!spirv.Decorations !0\n" KERNEL(
                            "K", STORE("v")) "!0 = !{!1}\n!1 = !{i32 6147, i32 2, !\"one\"}\n"}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
    assert_message(*state, status,
                   "variable 'v' has decorations of a device_global, but not the attributes "
                   "sycl-unique-id and sycl-device-global-size, from which they are written; add "
                   "the attributes");
}

static void two_variables_with_one_id_are_refused(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES({"m.ll", TARGET SCOPED("v", "0") SCOPED("w", "0") KERNEL("K", STORE("v") STORE("w"))
                             ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE)}));
    assert_refused(*state, status, RT_COMPILE_TIME, "w");
    assert_message(*state, status,
                   "m.ll: error: device_global 'w' has the same unique id 'one' as 'v'; "
                   "rename one of them");
}

static void only_zero_is_an_initial_value(void **state)
{
    rt_status status = fixture_postlink(
        *state, RT_SPLIT_OFF,
        SOURCES({"m.ll",
                 TARGET "@v = addrspace(1) global { [1 x i32] } { [1 x i32] [i32 7] } #0\n" KERNEL(
                     "K", STORE("v")) ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE)}));
    assert_refused(*state, status, RT_POSTLINK_ERROR, "v");
    assert_message(*state, status,
                   "device_global variable 'v' has an initial value other than zero "
                   "(DeviceGlobal.md, \"Should the value be zero-initialized\")");
}

/* ---- Ids, defining images and order ---------------------------------------------------------- */

static void static_variables_of_two_sources_are_distinct(void **state)
{
    static const char code[] = "static " ANNOTATED("int", "global int *value;", "") "v = {0};\n";
    char first[512], second[512];
    snprintf(first, sizeof first, "%skernel void K() { *v.value = 1; }", code);
    snprintf(second, sizeof second, "%skernel void L() { *v.value = 2; }", code);
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", first}, {"B", second}));
    assert_globals(*state, 0, "A____ZL1v=4 B____ZL1v=4");
    assert_registered(*state, "v A____ZL1v=4 read_write, v B____ZL1v=4 read_write");
    assert_exports(*state, 0, "");
}

static void one_image_exports_and_other_definitions_yield(void **state)
{
    fixture_make(
        *state, RT_SPLIT_PER_KERNEL, 2,
        SOURCES({"A", ANNOTATED("int", "global int *value;",
                                "") "v = {0};\n"
                                    "static " ANNOTATED(
                                        "int", "global int *value;",
                                        "") "w = {0};\n"
                                            "kernel void K() { *v.value = *w.value; }\n"
                                            "kernel void L() { *v.value = *w.value + 1; }\n"}));
    assert_exports(*state, 0, "v");
    assert_exports(*state, 1, "");
    /* LinkOnceODR is 2: a static variable is linked under its id, which is unique. */
    assert_decorations(*state, 0, "A____ZL1w", "access 2 A____ZL1w");
    assert_decorations(*state, 1, "A____ZL1w", "access 2 A____ZL1w");
    assert_globals(*state, 1, "_Z1v=4 A____ZL1w=4");
}

/* Compares OpSource of image 0 with a language and its version. */
static void assert_source(const postlink_fixture *fixture, uint32_t language, uint32_t version)
{
    rt_spirv_walk walk = rt_spirv_walk_start(fixture->images.images[0].code);
    rt_spirv_instruction at;
    while (rt_spirv_walk_next(&walk, &at) && at.opcode != OP_SOURCE) {
    }
    assert_int_equal(at.opcode, OP_SOURCE);
    assert_int_equal(rt_spirv_word(&at, 1), language);
    assert_int_equal(rt_spirv_word(&at, 2), version);
}

/* Intel's CPU runtime ignores names for the host in OpenCL C; a name finds every definition. */
static void images_with_device_globals_have_the_language_of_dpcpp(void **state)
{
    enum { OPENCL_C = 3, OPENCL_CPP = 4 };
    static const char without[] = "kernel void K(global int *p) { p[0] = 1; }";
    fixture_make(*state, RT_SPLIT_OFF, 1, SOURCES({"A", without}));
    assert_source(*state, OPENCL_C, 200000);
    fixture_make(*state, RT_SPLIT_OFF, 1,
                 SOURCES({"A", "static " ANNOTATED("int", "global int *value;",
                                                   "") "w = {0};\n"
                                                       "kernel void K() { *w.value = 1; }\n"}));
    assert_source(*state, OPENCL_CPP, 100000);
}

static void unreferenced_device_globals_are_only_registered(void **state)
{
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"A", ANNOTATED("int", "global int *value;",
                                "") "late = {0};\n"
                                    "static " ANNOTATED(
                                        "int", "global int *value;",
                                        "") "early = {0};\n"
                                            "kernel void K(global int *p) { p[0] = 1; }"}));
    assert_null(set_of(*state, 0));
    assert_int_equal(fixture_variable(*state, 0, "late"), ABSENT);
    assert_exports(*state, 0, "");
    assert_registered(*state, "late _Z4late=4 read_write");
    /* Clang does not even emit unreferenced static variables. */
    fixture_make(*state, RT_SPLIT_OFF, 0,
                 SOURCES({"A", ANNOTATED("int", "global int *value;", "") "v = {0};"}));
    assert_registered(*state, "v _Z1v=4 read_write");
}

static void lines_are_the_order_of_registration(void **state)
{
    /* Clang emits static variables after all others. */
    fixture_make(
        *state, RT_SPLIT_OFF, 1,
        SOURCES({"A", "static " ANNOTATED("int", "global int *value;", "") "one = {0};\n" ANNOTATED(
                          "int", "global int *value;",
                          "") "two = {0};\n"
                              "kernel void K() { *one.value = *two.value; }"}));
    assert_registered(*state, "one A____ZL3one=4 read_write, two _Z3two=4 read_write");
}

static void shipped_dpcpp_drops_the_access_without_image_scope(void **state)
{
    static const char code[] =
        TARGET SCOPED("v", "0") SHARED("w", "1") KERNEL("K", STORE("v") THROUGH("w"))
            ATTRIBUTES("0", SIZE("4") ID("one") IMAGE_SCOPE ACCESS("0"))
                ATTRIBUTES("1", SIZE("4") ID("two") ACCESS("0"));
    postlink_fixture *fixture = *state;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", code}));
    assert_decorations(fixture, 0, "v", "access 0 one");
    assert_decorations(fixture, 0, "w", "access 0 two");
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(fixture, RT_SPLIT_OFF, 1, SOURCES({"m.ll", code}));
    assert_decorations(fixture, 0, "v", "access 0 one");
    assert_decorations(fixture, 0, "w", "access 2 two");
}

static void shipped_dpcpp_exports_device_globals_too(void **state)
{
    postlink_fixture *fixture = *state;
    fixture->profile = RT_PROFILE_DPCPP;
    fixture_make(
        fixture, RT_SPLIT_OFF, 1,
        SOURCES(
            {"A",
             ANNOTATED("int", "global int *value;", "") "v = {0};\n" ANNOTATED(
                 "int", "int value[1];",
                 "device_image_scope") "w = {0};\n"
                                       "global int plain;\n"
                                       "kernel void K() { *v.value = w.value[0] + plain++; }"}));
    assert_exports(fixture, 0, "v");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)

/* With a test's name as argument, runs only that test. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(DG_HEADER_08_the_size_marks_a_variable),
        TEST(DG_POSTLINK_01_an_option_asks_for_it),
        TEST(DG_POSTLINK_02_functions_that_are_called_count),
        TEST(DG_POSTLINK_03_image_scope_is_one_image),
        TEST(DG_POSTLINK_03_names_the_line),
        TEST(DG_POSTLINK_04_without_image_scope_any_number),
        TEST(DG_POSTLINK_05_each_that_refers_to_it_defines_it),
        TEST(DG_POSTLINK_06_every_one_has_a_name_for_the_host),
        TEST(DG_POSTLINK_07_the_access_is_the_propertys),
        TEST(DG_POSTLINK_08_the_name_is_the_unique_id),
        TEST(DG_POSTLINK_09_init_mode_where_it_is_given),
        TEST(DG_POSTLINK_10_registers_where_they_are_given),
        TEST(DG_POSTLINK_11_a_set_where_there_are_any),
        TEST(DG_POSTLINK_12_other_attributes_make_none),
        TEST(DG_PROPSET_01_a_property_for_each),
        TEST(DG_PROPSET_02_of_type_bytes),
        TEST(DG_PROPSET_03_a_size_then_a_truth),
        TEST(DG_PROPSET_04_the_size_is_the_attributes),
        TEST(DG_PROPSET_05_the_truth_is_the_propertys),
        TEST(declarations_are_checked_as_by_a_front_end),
        TEST(a_variable_of_a_function_is_refused),
        TEST(declarations_of_one_variable_agree),
        TEST(attributes_without_a_meaning_are_refused),
        TEST(a_variable_that_a_host_cannot_find_is_refused),
        TEST(decorations_in_metadata_are_written_once),
        TEST(decorations_of_another_variable_are_refused),
        TEST(two_variables_with_one_id_are_refused),
        TEST(only_zero_is_an_initial_value),
        TEST(static_variables_of_two_sources_are_distinct),
        TEST(one_image_exports_and_other_definitions_yield),
        TEST(unreferenced_device_globals_are_only_registered),
        TEST(images_with_device_globals_have_the_language_of_dpcpp),
        TEST(lines_are_the_order_of_registration),
        TEST(shipped_dpcpp_drops_the_access_without_image_scope),
        TEST(shipped_dpcpp_exports_device_globals_too),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
