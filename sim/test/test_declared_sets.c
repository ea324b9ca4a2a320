/* Tests of the declared sets of virtual functions: which programs know each other's functions,
 * which calls are declared, and that a native image preserves what decides this. */
#include "sim/sim.h"
#include "sim/test/harness.h"

#define HEAD                                                                                       \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\"\n"            \
    "OpMemoryModel Physical64 OpenCL\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"                          \
    "%slot = OpTypePointer CrossWorkgroup %long\n%result = OpTypePointer CrossWorkgroup %int\n"    \
    "%unary = OpTypeFunction %int %int\n%code = OpTypePointer CodeSectionINTEL %unary\n"

/* kernel void keep(global long *slot) { *slot = (long)far; } */
static const char keeper[] = HEAD
    "OpEntryPoint Kernel %keep \"keep\"\nOpDecorate %far LinkageAttributes \"far\" Import\n" TYPES
    "%kernel = OpTypeFunction %void %slot\n%at = OpConstantFunctionPointerINTEL %code %far\n"
    "%far = OpFunction %int None %unary\n%fx = OpFunctionParameter %int\nOpFunctionEnd\n"
    "%keep = OpFunction %void None %kernel\n%p = OpFunctionParameter %slot\n%l = OpLabel\n"
    "%n = OpConvertPtrToU %long %at\nOpStore %p %n Aligned 8\nOpReturn\nOpFunctionEnd\n";

/* kernel void call(global long *slot, global int *out) { *out = (*slot)(7); } */
static const char caller[] = HEAD
    "OpEntryPoint Kernel %call \"call\"\n" TYPES "%kernel = OpTypeFunction %void %slot %result\n"
    "%c7 = OpConstant %int 7\n"
    "%call = OpFunction %void None %kernel\n%p = OpFunctionParameter %slot\n"
    "%out = OpFunctionParameter %result\n%l = OpLabel\n%held = OpLoad %long %p Aligned 8\n"
    "%f = OpConvertUToPtr %code %held\n%r = OpFunctionPointerCallINTEL %int %f %c7\n"
    "OpStore %out %r Aligned 4\nOpReturn\nOpFunctionEnd\n";

/* int far(int x) { return x * n; }, where n is specialisation constant 5, by default 10. */
static const char provider[] =
    HEAD "OpDecorate %far LinkageAttributes \"far\" Export\nOpDecorate %n SpecId 5\n" TYPES
         "%n = OpSpecConstant %int 10\n%far = OpFunction %int None %unary\n"
         "%x = OpFunctionParameter %int\n%l = OpLabel\n%r = OpIMul %int %x %n\n"
         "OpReturnValue %r\nOpFunctionEnd\n";

/* An unrelated module to link with. */
static const char bystander[] = HEAD TYPES "%c1 = OpConstant %int 1\n";

static const sim_declared_sets in_set_a = {{"far", 3}, {"a", 1}};
static const sim_declared_sets all_in_set_a = {{0}, {"a", 1}};

/* The provider. `row` declares the sets of its function or of all functions; NULL: none are
 * declared. Constant 5 is `factor`, or its default if `factor` is 0. */
static sim_module *provider_with(rt_sink *sink, const sim_declared_sets *row, uint32_t factor)
{
    rt_bytes code = sim_test_assemble(provider);
    sim_spec_constant constant = {5, {(const uint8_t *)&factor, sizeof factor}};
    sim_module *module = NULL;
    assert_true(rt_ok(sim_module_create(sink, code, &constant, factor ? 1 : 0, &module)));
    rt_free((void *)code.data);
    sim_module_declare(module,
                       &(sim_declarations){.functions = row, .function_count = row != NULL});
    return module;
}

static sim_module *caller_of(rt_sink *sink, const char *sets)
{
    sim_module *module = sim_test_module(sink, caller);
    const sim_declared_sets row = {{"call", 4}, rt_text_of(sets)};
    sim_module_declare(module, &(sim_declarations){.kernels = &row, .kernel_count = 1});
    return module;
}

static sim_program *program_of(rt_sink *sink, sim_module *first, sim_module *second)
{
    sim_module *modules[] = {first, second};
    sim_program *program = NULL;
    assert_true(rt_ok(sim_program_link(sink, (const sim_module *const *)modules, 2, &program)));
    sim_module_destroy(first);
    sim_module_destroy(second);
    return program;
}

/* A world in which one program's kernel `keep` has run, the program that calls, and the memories of
 * both kernels. */
typedef struct pair {
    harness h; /* its program has kernel `keep` */
    sim_program *calling;
    sim_object slot, out;
} pair;

static pair pair_open(rt_sink *sink, sim_module *keeping_provider, sim_module *calling,
                      sim_module *calling_provider)
{
    sim_module *keeping[] = {sim_test_module(sink, keeper), keeping_provider};
    pair p = {.h = harness_link(sink, keeping, 2, sim_engine_best())};
    p.calling = program_of(sink, calling, calling_provider);
    p.slot = harness_memory(&p.h, "slot", NULL, 8);
    p.out = harness_memory(&p.h, "out", NULL, 4);
    sim_argument argument = harness_global(p.slot);
    harness_run(&p.h, "keep", harness_range(1, 1), &argument, 1);
    return p;
}

/* Runs `call` and expects the given finding, or none if `kind` is NULL; `gives`: the result is 70.
 */
static void pair_call(pair *p, const char *kind, const char *message, bool gives)
{
    sim_program *keeping = p->h.program;
    p->h.program = p->calling;
    sim_argument arguments[] = {harness_global(p->slot), harness_global(p->out)};
    harness_try(&p->h, "call", harness_range(1, 1), arguments, 2);
    p->h.program = keeping;
    assert_true(rt_ok(p->h.status));
    assert_int_equal(p->h.finding_count, kind != NULL);
    if (kind) {
        assert_string_equal(p->h.findings[0].kind, kind);
        assert_string_equal(p->h.findings[0].message.data, message);
    }
    int32_t result;
    harness_read_back(&p->h, p->out, &result, sizeof result);
    if (gives) assert_int_equal(result, 70);
}

static void pair_close(pair *p)
{
    sim_world_destroy(p->h.world);
    sim_program_destroy(p->calling);
    sim_program_destroy(p->h.program);
    rt_buffer_free(&p->h.output);
    rt_sink_destroy(p->h.sink);
}

static void test_programs_with_one_image_share_its_functions(void **state)
{
    (void)state;
    const sim_declared_sets *rows[] = {&in_set_a, &all_in_set_a};
    for (int i = 0; i < 2; i++) {
        rt_sink *sink = rt_sink_create();
        pair p = pair_open(sink, provider_with(sink, rows[i], 0), caller_of(sink, "b,a"),
                           provider_with(sink, rows[i], 0));
        pair_call(&p, NULL, NULL, true);
        pair_close(&p);
    }
}

static void test_other_functions_are_the_programs_own(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    pair p = pair_open(sink, provider_with(sink, NULL, 0), caller_of(sink, "a"),
                       provider_with(sink, NULL, 0));
    pair_call(&p, "wrong-call-target",
              "call through a pointer to a function of another program by work-item (0, 0, 0)",
              false);
    pair_close(&p);
}

static void test_undeclared_calls_are_reported_and_made(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    pair p = pair_open(sink, provider_with(sink, &in_set_a, 0), caller_of(sink, "b,aa"),
                       provider_with(sink, &in_set_a, 0));
    pair_call(&p, "undeclared-call",
              "call of virtual function 'far' of set 'a', which kernel 'call' does not declare, "
              "by work-item (0, 0, 0)",
              true);
    pair_close(&p);
}

static void test_other_constants_make_other_functions(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    pair p = pair_open(sink, provider_with(sink, &in_set_a, 3), caller_of(sink, "a"),
                       provider_with(sink, &in_set_a, 4));
    pair_call(&p, "wrong-call-target",
              "call of virtual function 'far' of set 'a', whose image is specialised "
              "differently here, by work-item (0, 0, 0)",
              false);
    pair_close(&p);
}

static void test_an_image_must_be_linked(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    pair p = pair_open(sink, provider_with(sink, &in_set_a, 0), caller_of(sink, "a"),
                       sim_test_module(sink, bystander));
    pair_call(&p, "wrong-call-target",
              "call of virtual function 'far' of set 'a', whose image is not linked into this "
              "program, by work-item (0, 0, 0)",
              false);
    pair_close(&p);
}

static void test_a_destroyed_program_has_no_functions(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    pair p = pair_open(sink, provider_with(sink, &in_set_a, 0), caller_of(sink, "a"),
                       provider_with(sink, &in_set_a, 0));
    sim_world_forget(p.h.world, p.h.program);
    pair_call(
        &p, "wrong-call-target",
        "call through a pointer to a function of a program that no longer exists, by work-item "
        "(0, 0, 0)",
        false);
    pair_close(&p);
}

/* A program read back from the persistent cache keeps its declared sets. */
static void test_a_native_image_keeps_declared_sets(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *written[] = {caller_of(sink, "a"), provider_with(sink, &in_set_a, 4)};
    rt_buffer image = {0};
    assert_true(rt_ok(sim_native_write(sink, (const sim_module *const *)written, 2, &image)));
    sim_module_destroy(written[0]);
    sim_module_destroy(written[1]);
    sim_native native;
    assert_true(rt_ok(sim_native_read(sink, rt_buffer_bytes(&image), &native)));
    rt_buffer_free(&image);
    assert_int_equal(native.module_count, 2);
    pair p =
        pair_open(sink, provider_with(sink, &in_set_a, 4), native.modules[0], native.modules[1]);
    native.module_count = 0; /* pair_open has destroyed the modules */
    sim_native_free(&native);
    pair_call(&p, NULL, NULL, false);
    int32_t result;
    harness_read_back(&p.h, p.out, &result, sizeof result);
    assert_int_equal(result, 28);
    pair_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs_with_one_image_share_its_functions),
        cmocka_unit_test(test_other_functions_are_the_programs_own),
        cmocka_unit_test(test_undeclared_calls_are_reported_and_made),
        cmocka_unit_test(test_other_constants_make_other_functions),
        cmocka_unit_test(test_an_image_must_be_linked),
        cmocka_unit_test(test_a_destroyed_program_has_no_functions),
        cmocka_unit_test(test_a_native_image_keeps_declared_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
