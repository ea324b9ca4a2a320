/* Tests of the linker: who defines what, and every refusal with the symbols' names. */
#include "sim/test/assembler.h"

#include "sim/linker.h"

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

/* Links, expects a refusal and checks its text and its names. */
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
    assert_refused(unresolved, 4, "imported and defined nowhere: f, g, v", 3);
    const char *twice[] = {DEFINE("f", "Export"), DEFINE("f", "Export"), DEFINE("f", "Export")};
    assert_refused(twice, 3, "defined more than once: f", 1);
    const char *mixed[] = {IMPORT("f"), VARIABLE("f", "Export", "%one")};
    assert_refused(mixed, 2, "imported or defined with different types: f", 1);
    const char *kernels[] = {KERNEL("run"), KERNEL("run")};
    assert_refused(kernels, 2, "kernel in more than one module: run", 1);
}

static void test_types_differ(void **state)
{
    (void)state;
    const char *texts[] = {
        IMPORT("f"), SIM_TEST_PRELUDE
        "OpDecorate %f LinkageAttributes \"f\" Export\n" TYPES "%f = OpFunction %long None %getl\n"
        "%x = OpFunctionParameter %long\n%l = OpLabel\nOpReturnValue %x\nOpFunctionEnd\n"};
    assert_refused(texts, 2, "imported or defined with different types: f", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_one_definition),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_types_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
