/* Tests of the linker: which module defines what, and every refusal with the symbols' names. */
#include "sim/module/layout.h"
#include "sim/module/library.h"
#include "sim/module/linker.h"
#include "sim/test/assembler.h"

#define TYPES                                                                                      \
    "%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n%void = OpTypeVoid\n"                          \
    "%get = OpTypeFunction %int %int\n%getl = OpTypeFunction %long %long\n"                        \
    "%start = OpTypeFunction %void\n%global = OpTypePointer CrossWorkgroup %int\n"                 \
    "%one = OpConstant %int 1\n"

#define IMPORT(name)                                                                               \
    SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"" name "\" Import\n" TYPES                 \
                     "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n"             \
                     "OpFunctionEnd\n"

#define DEFINE(name, linkage)                                                                      \
    "OpCapability Linkage\nOpCapability Kernel\nOpCapability Addresses\nOpCapability Int64\n"      \
    "OpExtension \"SPV_KHR_linkonce_odr\"\nOpMemoryModel Physical64 OpenCL\n"                      \
    "OpDecorate %f LinkageAttributes \"" name "\" " linkage "\n" TYPES                             \
    "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"                \
    "OpReturnValue %x\nOpFunctionEnd\n"

#define VARIABLE(name, linkage, initializer)                                                       \
    SIM_TEST_PRELUDE "OpDecorate %v LinkageAttributes \"" name "\" " linkage "\n" TYPES            \
                     "%v = OpVariable %global CrossWorkgroup " initializer "\n"

#define KERNEL(name)                                                                               \
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"" name "\"\n" TYPES                                 \
                     "%k = OpFunction %void None %start\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"

enum { MODULES_MAX = 4 };

typedef struct link_fixture {
    rt_sink *sink;
    sim_module *modules[MODULES_MAX];
    uint32_t count;
    sim_linkage linkage;
    rt_status status;
} link_fixture;

static link_fixture link_texts(const char *const *texts, uint32_t count)
{
    link_fixture fixture = {.sink = rt_sink_create(), .count = count};
    assert_true(count <= MODULES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        fixture.modules[i] = sim_test_module(fixture.sink, texts[i]);
    }
    fixture.status = sim_linkage_create(fixture.sink, (const sim_module *const *)fixture.modules,
                                        count, &fixture.linkage);
    return fixture;
}

static void release(link_fixture *fixture)
{
    sim_linkage_free(&fixture->linkage);
    for (uint32_t i = 0; i < fixture->count; i++) {
        sim_module_destroy(fixture->modules[i]);
    }
    rt_sink_destroy(fixture->sink);
}

static void assert_place(sim_place place, uint32_t module, uint32_t index)
{
    assert_int_equal(place.module, module);
    assert_int_equal(place.index, index);
}

static void test_import(void **state)
{
    (void)state;
    const char *texts[] = {IMPORT("f"), DEFINE("f", "Export"), VARIABLE("v", "Import", ""),
                           VARIABLE("v", "Export", "%one")};
    link_fixture fixture = link_texts(texts, 4);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.functions[0][0], 1, 0);
    assert_place(fixture.linkage.functions[1][0], 1, 0);
    assert_place(fixture.linkage.variables[2][0], 3, 0);
    assert_place(fixture.linkage.variables[3][0], 3, 0);
    release(&fixture);
}

static void test_one_definition(void **state)
{
    (void)state;
    const char *odr[] = {DEFINE("f", "LinkOnceODR"), DEFINE("f", "LinkOnceODR"), IMPORT("f")};
    link_fixture fixture = link_texts(odr, 3);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.functions[1][0], 0, 0);
    assert_place(fixture.linkage.functions[2][0], 0, 0);
    release(&fixture);
    const char *strong[] = {DEFINE("f", "LinkOnceODR"), DEFINE("f", "Export")};
    fixture = link_texts(strong, 2);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.functions[0][0], 1, 0);
    release(&fixture);
}

/* Links, expects a refusal, and checks its text and the names that it lists. */
static void assert_refused(const char *const *texts, uint32_t count, const char *message,
                           uint32_t name_count)
{
    link_fixture fixture = link_texts(texts, count);
    assert_int_equal(fixture.status.code, RT_LINK_ERROR);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(fixture.sink, fixture.status);
    assert_true(rt_text_is(diagnostic->message, message));
    assert_int_equal(diagnostic->name_count, name_count);
    assert_null(fixture.linkage.functions);
    release(&fixture);
}

static void test_refusals(void **state)
{
    (void)state;
    const char *unresolved[] = {IMPORT("f"), IMPORT("g"), IMPORT("f"), VARIABLE("v", "Import", "")};
    assert_refused(
        unresolved, 4,
        "imported but not defined: f (module 0 imports function i32(i32), module 2 imports "
        "function i32(i32)), g (module 1 imports function i32(i32)), v (module 3 imports "
        "CrossWorkgroup variable i32)",
        3);
    const char *twice[] = {DEFINE("f", "Export"), DEFINE("f", "Export"), DEFINE("f", "Export")};
    assert_refused(
        twice, 3,
        "defined more than once: f (module 0 defines function i32(i32), module 1 defines "
        "function i32(i32), module 2 defines function i32(i32))",
        1);
    const char *mixed[] = {IMPORT("f"), VARIABLE("f", "Export", "%one")};
    assert_refused(
        mixed, 2,
        "imported or defined with different types: f (module 0 imports function i32(i32), "
        "module 1 defines CrossWorkgroup variable i32)",
        1);
    const char *kernels[] = {KERNEL("run"), KERNEL("run")};
    assert_refused(kernels, 2, "kernel in more than one module: run (module 0, module 1)", 1);
}

static void test_types_differ(void **state)
{
    (void)state;
    const char *texts[] = {
        IMPORT("f"), SIM_TEST_PRELUDE
        "OpDecorate %f LinkageAttributes \"f\" Export\n" TYPES "%f = OpFunction %long None %getl\n"
        "%x = OpFunctionParameter %long\n%l = OpLabel\nOpReturnValue %x\nOpFunctionEnd\n"};
    assert_refused(
        texts, 2,
        "imported or defined with different types: f (module 0 imports function i32(i32), "
        "module 1 defines function i64(i64))",
        1);
    const char *returned[] = {
        IMPORT("f"), SIM_TEST_PRELUDE
        "OpDecorate %f LinkageAttributes \"f\" Export\n" TYPES
        "%other = OpTypeFunction %long %int\n%long1 = OpConstant %long 1\n"
        "%f = OpFunction %long None %other\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
        "OpReturnValue %long1\nOpFunctionEnd\n"};
    assert_refused(returned, 2,
                   "imported or defined with different types: f (module 0 imports function "
                   "i32(i32), module 1 defines function i64(i32))",
                   1);
    /* Pointers of one storage class are of one type, whatever they point to. */
    const char *pointers[] = {
        SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"f\" Import\n" TYPES
                         "%of = OpTypeFunction %void %global\n%f = OpFunction %void None %of\n"
                         "%x = OpFunctionParameter %global\nOpFunctionEnd\n",
        SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"f\" Export\n" TYPES
                         "%other = OpTypePointer CrossWorkgroup %long\n"
                         "%of = OpTypeFunction %void %other\n%f = OpFunction %void None %of\n"
                         "%x = OpFunctionParameter %other\n%l = OpLabel\nOpReturn\n"
                         "OpFunctionEnd\n"};
    link_fixture fixture = link_texts(pointers, 2);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.functions[0][0], 1, 0);
    release(&fixture);
}

/* Functions and variables without a linkage name may come before those with one. */
static void test_internal_symbols_first(void **state)
{
    (void)state;
    const char *texts[] = {
        SIM_TEST_PRELUDE "OpDecorate %v LinkageAttributes \"v\" Import\n"
                         "OpDecorate %f LinkageAttributes \"f\" Import\n" TYPES
                         "%own = OpVariable %global CrossWorkgroup %one\n"
                         "%v = OpVariable %global CrossWorkgroup\n"
                         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n"
                         "OpFunctionEnd\n"
                         "%g = OpFunction %void None %start\n%l = OpLabel\nOpReturn\n"
                         "OpFunctionEnd\n",
        SIM_TEST_PRELUDE "OpDecorate %v LinkageAttributes \"v\" Export\n"
                         "OpDecorate %f LinkageAttributes \"f\" Export\n" TYPES
                         "%own = OpVariable %global CrossWorkgroup %one\n"
                         "%v = OpVariable %global CrossWorkgroup %one\n"
                         "%g = OpFunction %void None %start\n%l = OpLabel\nOpReturn\n"
                         "OpFunctionEnd\n"
                         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n"
                         "%l2 = OpLabel\nOpReturnValue %x\nOpFunctionEnd\n"};
    link_fixture fixture = link_texts(texts, 2);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.variables[0][0], 0, 0);
    assert_place(fixture.linkage.variables[0][1], 1, 1);
    assert_place(fixture.linkage.variables[1][1], 1, 1);
    assert_place(fixture.linkage.functions[0][0], 1, 1);
    assert_place(fixture.linkage.functions[0][1], 0, 1);
    assert_place(fixture.linkage.functions[1][0], 1, 0);
    release(&fixture);
}

/* A function with or without a body, with `attribute` on its parameter, which has type `type`. */
#define FUNCTION(linkage, type, attribute, body)                                                   \
    SIM_TEST_PRELUDE attribute                                                                     \
        "OpDecorate %f LinkageAttributes \"f\" " linkage "\n" TYPES                                \
        "%float = OpTypeFloat 32\n%v2 = OpTypeVector %float 2\n%four = OpConstant %int 4\n"        \
        "%bool = OpTypeBool\n%event = OpTypeEvent\n"                                               \
        "%array = OpTypeArray %v2 %four\n%pair = OpTypeStruct %int %long\n"                        \
        "%private = OpTypePointer Function %pair\n%generic = OpTypePointer Generic %int\n"         \
        "%of = OpTypeFunction %void " type "\n%f = OpFunction %void None %of\n"                    \
        "%x = OpFunctionParameter " type "\n" body "OpFunctionEnd\n"
#define BODY   "%l = OpLabel\nOpReturn\n"
#define BY_VAL "OpDecorate %x FuncParamAttr ByVal\n"

static void test_parameters_differ(void **state)
{
    (void)state;
    const char *passed[] = {FUNCTION("Import", "%private", BY_VAL, ""),
                            FUNCTION("Export", "%private", "", BODY)};
    assert_refused(passed, 2,
                   "imported or defined with different types: f (module 0 imports function "
                   "void(Function pointer by value), module 1 defines function void(Function "
                   "pointer))",
                   1);
    const char *classes[] = {FUNCTION("Import", "%global", "", ""),
                             FUNCTION("Export", "%generic", "", BODY)};
    assert_refused(classes, 2,
                   "imported or defined with different types: f (module 0 imports function "
                   "void(CrossWorkgroup pointer), module 1 defines function void(Generic pointer))",
                   1);
    const char *aggregates[] = {FUNCTION("Import", "%array", "", ""),
                                FUNCTION("Export", "%pair", "", BODY)};
    assert_refused(aggregates, 2,
                   "imported or defined with different types: f (module 0 imports function void(4 "
                   "x 2 x f32), module 1 defines function void(struct of 16 bytes))",
                   1);
    const char *others[] = {FUNCTION("Import", "%bool", "", ""),
                            FUNCTION("Export", "%event", "", BODY)};
    assert_refused(others, 2,
                   "imported or defined with different types: f (module 0 imports function "
                   "void(bool), module 1 defines function void(event))",
                   1);
    const char *alike[] = {
        FUNCTION("Import", "%private", BY_VAL, ""),
        FUNCTION("Export", "%private", BY_VAL "OpDecorate %x FuncParamAttr NoCapture\n", BODY)};
    link_fixture fixture = link_texts(alike, 2);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.functions[0][0], 1, 0);
    release(&fixture);
}

#define TYPED_VARIABLE(linkage, storage_class, type)                                               \
    SIM_TEST_PRELUDE "OpDecorate %v LinkageAttributes \"v\" " linkage "\n" TYPES                   \
                     "%p = OpTypePointer " storage_class " " type "\n"                             \
                     "%v = OpVariable %p " storage_class "\n"

#define LAID_OUT(linkage, decorations, type)                                                       \
    SIM_TEST_PRELUDE "OpDecorate %v LinkageAttributes \"v\" " linkage "\n" decorations TYPES       \
                     "%byte = OpTypeInt 8 0\n%ulong4 = OpConstant %long 4\n%ulong5 = OpConstant "  \
                     "%long 5\n%four = OpTypeArray %byte %ulong4\n%five = OpTypeArray %byte "      \
                     "%ulong5\n%flat = OpTypeStruct %long %int\n%base = OpTypeStruct %long %int\n" \
                     "%padded = OpTypeStruct %base %four\n%larger = OpTypeStruct %base %five\n"    \
                     "%turned = OpTypeStruct %int %long\n"                                         \
                     "%p = OpTypePointer CrossWorkgroup " type "\n%v = OpVariable %p "             \
                     "CrossWorkgroup\n"

/* A device_global as the shipped DPC++ compiler declares it in one module and defines it in
 * another; a structure of the same size with a different layout is a different type. */
static void test_variables_of_one_layout(void **state)
{
    (void)state;
    const char *alike[] = {LAID_OUT("Import", "OpDecorate %base CPacked\n", "%padded"),
                           LAID_OUT("Export", "", "%flat")};
    link_fixture fixture = link_texts(alike, 2);
    assert_true(rt_ok(fixture.status));
    assert_place(fixture.linkage.variables[0][0], 1, 0);
    release(&fixture);
    const char *turned[] = {LAID_OUT("Import", "", "%turned"), LAID_OUT("Export", "", "%flat")};
    assert_refused(turned, 2,
                   "imported or defined with different types: v (module 0 imports CrossWorkgroup "
                   "variable struct of 16 bytes, module 1 defines CrossWorkgroup variable struct "
                   "of 16 bytes)",
                   1);
    const char *larger[] = {LAID_OUT("Import", "OpDecorate %base CPacked\n", "%larger"),
                            LAID_OUT("Export", "", "%flat")};
    assert_refused(larger, 2,
                   "imported or defined with different types: v (module 0 imports CrossWorkgroup "
                   "variable struct of 17 bytes, module 1 defines CrossWorkgroup variable struct "
                   "of 16 bytes)",
                   1);
}

/* Pairs of types; two have one layout if they have the same size and the same values, other than
 * bytes of padding, at the same offsets. */
static void test_layouts(void **state)
{
    (void)state;
    static const char text[] = SIM_TEST_PRELUDE
        "OpDecorate %packed CPacked\n" TYPES
        "%byte = OpTypeInt 8 0\n%bool = OpTypeBool\n%float = OpTypeFloat 32\n"
        "%two = OpConstant %int 2\n%four = OpConstant %int 4\n%eight = OpConstant %int 8\n"
        "%pad4 = OpTypeArray %byte %four\n%pad8 = OpTypeArray %byte %eight\n"
        "%ints = OpTypeArray %int %two\n%floats = OpTypeArray %float %two\n"
        "%bools = OpTypeArray %bool %eight\n%bytes = OpTypeVector %byte 4\n"
        "%pointer = OpTypePointer CrossWorkgroup %byte\n"
        "%flat = OpTypeStruct %long %int\n"
        "%packed = OpTypeStruct %long %int\n%padded = OpTypeStruct %packed %pad4\n"
        "%nested = OpTypeStruct %flat\n"
        "%turned = OpTypeStruct %int %long\n%long_float = OpTypeStruct %long %float\n"
        "%three = OpTypeStruct %long %int %int\n%long_pad = OpTypeStruct %long %pad8\n"
        "%long_ints = OpTypeStruct %long %ints\n%long_floats = OpTypeStruct %long %floats\n"
        "%long_bools = OpTypeStruct %long %bools\n%long_pointer = OpTypeStruct %long %pointer\n"
        "%int_bytes = OpTypeStruct %int %bytes\n%int_pad = OpTypeStruct %int %pad4\n"
        "%int_int = OpTypeStruct %int %int\n%float_int = OpTypeStruct %float %int\n"
        "%int_byte = OpTypeStruct %int %byte\n"
        "%apart = OpTypeStruct %int %pad4 %int\n%close = OpTypeStruct %int %int %pad4\n"
        "%s16 = OpTypeStruct %int %int %int %int %int %int %int %int %int %int %int %int %int %int "
        "%int %int\n"
        "%s256 = OpTypeStruct %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 %s16 "
        "%s16 %s16 %s16\n"
        "%s4096 = OpTypeStruct %s256 %s256 %s256 %s256 %s256 %s256 %s256 %s256 %s256 %s256 %s256 "
        "%s256 %s256 %s256 %s256 %s256\n"
        "%more = OpTypeStruct %s4096 %int\n%more_padded = OpTypeStruct %s4096 %pad4\n"
        "%less = OpTypeStruct %pad4 %s4096\n";
    static const struct {
        const char *a, *b;
        bool is_same;
    } cases[] = {
        {"%int", "%int", true},
        {"%int", "%float", false},
        {"%flat", "%flat", true},
        {"%flat", "%padded", true},
        {"%flat", "%nested", true},
        {"%flat", "%packed", false}, /* 16 and 12 bytes */
        {"%flat", "%turned", false},
        {"%flat", "%long_float", false},
        {"%flat", "%three", false},
        {"%flat", "%long_pad", false},
        {"%long_ints", "%long_pad", false},
        {"%long_floats", "%long_pad", false},
        {"%long_bools", "%long_pad", false},
        {"%long_pointer", "%long_pad", false},
        {"%long_ints", "%three", false},
        {"%long_ints", "%long_floats", false},
        {"%long_ints", "%long_ints", true},
        {"%long_floats", "%long_floats", true},
        {"%int_bytes", "%int_pad", false},
        {"%int_int", "%float_int", false},
        {"%int_byte", "%int_pad", false},
        {"%apart", "%close", false},
        {"%apart", "%apart", true},
        {"%s4096", "%s4096", true}, /* more values are not compared */
        {"%more", "%more", false},
        {"%more", "%more_padded", false},
        {"%more_padded", "%more_padded", true},
        {"%more_padded", "%less", false},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        const char *a = cases[i / 2].a, *b = cases[i / 2].b;
        char whole[8192];
        snprintf(whole, sizeof whole,
                 "%s%%pa = OpTypePointer Workgroup %s\n%%va = OpVariable %%pa Workgroup\n"
                 "%%pb = OpTypePointer Generic %s\n%%pf = OpTypeFunction %%void %%pb\n",
                 text, i % 2 ? a : b, i % 2 ? b : a);
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, whole);
        const sim_type *types = module->types, *last = &types[module->type_count - 1];
        const sim_type *left = types[module->type_count - 3].element;
        const sim_type *right = last->members[0]->element;
        if (sim_type_same_layout(left, right) != cases[i / 2].is_same) fail_msg("%s and %s", a, b);
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

static void test_variables_differ(void **state)
{
    (void)state;
    const char *types[] = {TYPED_VARIABLE("Import", "UniformConstant", "%int"),
                           TYPED_VARIABLE("Export", "UniformConstant", "%long")};
    assert_refused(types, 2,
                   "imported or defined with different types: v (module 0 imports UniformConstant "
                   "variable i32, module 1 defines UniformConstant variable i64)",
                   1);
    const char *classes[] = {TYPED_VARIABLE("Import", "UniformConstant", "%int"),
                             TYPED_VARIABLE("Export", "CrossWorkgroup", "%int")};
    assert_refused(classes, 2,
                   "imported or defined with different types: v (module 0 imports UniformConstant "
                   "variable i32, module 1 defines CrossWorkgroup variable i32)",
                   1);
    const char *kinds[] = {IMPORT("v"), TYPED_VARIABLE("Export", "UniformConstant", "%int")};
    assert_refused(kinds, 2,
                   "imported or defined with different types: v (module 0 imports function "
                   "i32(i32), module 1 defines UniformConstant variable i32)",
                   1);
}

/* Modules of different versions link; a kernel may have the same name as an exported
 * function. */
static void test_versions_and_kernels(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *modules[3] = {sim_test_module(sink, IMPORT("f"))};
    rt_bytes code = sim_test_assemble(DEFINE("f", "Export"));
    ((uint32_t *)code.data)[1] = 0x00010000;
    assert_true(rt_ok(sim_module_create(sink, code, NULL, 0, &modules[1])));
    rt_free((void *)code.data);
    modules[2] = sim_test_module(sink, KERNEL("f"));
    assert_true(modules[0]->version != modules[1]->version);
    sim_linkage linkage;
    assert_true(rt_ok(sim_linkage_create(sink, (const sim_module *const *)modules, 3, &linkage)));
    assert_place(linkage.functions[0][0], 1, 0);
    sim_linkage_free(&linkage);
    for (uint32_t i = 0; i < 3; i++)
        sim_module_destroy(modules[i]);
    rt_sink_destroy(sink);
}

/* Modules that are refused before they can be linked. */
static void test_modules_refused(void **state)
{
    (void)state;
    sim_test_refused("OpCapability Kernel\nOpCapability Addresses\n"
                     "OpMemoryModel Physical32 OpenCL\n",
                     RT_UNSUPPORTED, "memory model Physical32 OpenCL is refused");
    sim_test_refused("OpCapability Kernel\nOpCapability Addresses\n"
                     "OpMemoryModel Logical OpenCL\n",
                     RT_UNSUPPORTED, "memory model Logical OpenCL is refused");
    sim_test_refused(SIM_TEST_PRELUDE
                     "OpEntryPoint Kernel %k \"k\"\n"
                     "OpDecorate %k LinkageAttributes \"k\" Export\n" TYPES
                     "%k = OpFunction %void None %start\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n",
                     RT_MALFORMED, "is an entry point but has linkage");
}

/* The import of the function that assert calls, with `last` as the type of its last parameter. */
#define ASSERT_IMPORT(last)                                                                        \
    SIM_TEST_PRELUDE                                                                               \
    "OpDecorate %f LinkageAttributes \"__devicelib_assert_fail\" Import\n" TYPES                   \
    "%char = OpTypeInt 8 0\n%text = OpTypePointer Generic %char\n"                                 \
    "%fail = OpTypeFunction %void %text %text %int %text %long %long %long %long "                 \
    "%long " last "\n%f = OpFunction %void None %fail\n"                                           \
    "%a = OpFunctionParameter %text\n%b = OpFunctionParameter %text\n"                             \
    "%c = OpFunctionParameter %int\n%d = OpFunctionParameter %text\n"                              \
    "%e = OpFunctionParameter %long\n%g = OpFunctionParameter %long\n"                             \
    "%h = OpFunctionParameter %long\n%i = OpFunctionParameter %long\n"                             \
    "%j = OpFunctionParameter %long\n%k = OpFunctionParameter " last "\nOpFunctionEnd\n"

/* Links the modules as a program. */
static rt_code program_code(const char *const *texts, uint32_t count)
{
    rt_sink *sink = rt_sink_create();
    const sim_module *modules[MODULES_MAX];
    for (uint32_t i = 0; i < count; i++)
        modules[i] = sim_test_module(sink, texts[i]);
    sim_program *program;
    rt_code code = (rt_code)sim_program_link(sink, modules, count, &program).code;
    sim_program_destroy(program);
    for (uint32_t i = 0; i < count; i++)
        sim_module_destroy((sim_module *)modules[i]);
    rt_sink_destroy(sink);
    return code;
}

/* The device defines what assert calls, unless a module does; as any other function, it has one
 * type. */
static void test_library(void **state)
{
    (void)state;
    const char *imported[] = {ASSERT_IMPORT("%long"), IMPORT("f"), DEFINE("f", "Export")};
    assert_int_equal(program_code(imported, 3), RT_OK);
    /* Functions before it do not matter: one of the module's own, one that it exports. */
    const char *after_others[] = {
        SIM_TEST_PRELUDE "OpDecorate %f LinkageAttributes \"__devicelib_assert_fail\" Import\n"
                         "OpDecorate %g LinkageAttributes \"g\" Import\n" TYPES
                         "%char = OpTypeInt 8 0\n%text = OpTypePointer Generic %char\n"
                         "%fail = OpTypeFunction %void %text %text %int %text %long %long %long "
                         "%long %long %long\n%g = OpFunction %int None %get\n"
                         "%y = OpFunctionParameter %int\nOpFunctionEnd\n"
                         "%f = OpFunction %void None %fail\n%a = OpFunctionParameter %text\n"
                         "%b = OpFunctionParameter %text\n%c = OpFunctionParameter %int\n"
                         "%d = OpFunctionParameter %text\n%e = OpFunctionParameter %long\n"
                         "%h = OpFunctionParameter %long\n%i = OpFunctionParameter %long\n"
                         "%j = OpFunctionParameter %long\n%k = OpFunctionParameter %long\n"
                         "%n = OpFunctionParameter %long\nOpFunctionEnd\n",
        DEFINE("g", "Export")};
    assert_int_equal(program_code(after_others, 2), RT_OK);
    const char *of_another_type[] = {ASSERT_IMPORT("%int")};
    assert_int_equal(program_code(of_another_type, 1), RT_LINK_ERROR);
    const char *defined[] = {IMPORT(SIM_ASSERT_NAME), DEFINE(SIM_ASSERT_NAME, "Export")};
    assert_int_equal(program_code(defined, 2), RT_OK);
    const char *of_another_name[] = {IMPORT("__devicelib_assert_read")};
    assert_int_equal(program_code(of_another_name, 1), RT_LINK_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_one_definition),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_types_differ),
        cmocka_unit_test(test_internal_symbols_first),
        cmocka_unit_test(test_parameters_differ),
        cmocka_unit_test(test_variables_differ),
        cmocka_unit_test(test_variables_of_one_layout),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_versions_and_kernels),
        cmocka_unit_test(test_modules_refused),
        cmocka_unit_test(test_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
