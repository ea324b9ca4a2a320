/* Tests of constant memory: every kind of store to it is reported and changes nothing, and the same
 * kernel can store once the memory is no longer constant. */
#include "sim/test/harness.h"

/* k(global char *to, global char *from, constant char *c): the memory passed as c is constant while
 * the kernel runs. %x is the work-item's number, %n a uniform number. */
#define MODULE                                                                                     \
    SIM_TEST_PRELUDE                                                                               \
    "OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"              \
    "%void = OpTypeVoid\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"      \
    "%v4 = OpTypeVector %i32 4\n%ids = OpTypeVector %i64 3\n%pids = OpTypePointer Input %ids\n"    \
    "%pb = OpTypePointer CrossWorkgroup %i8\n%pc = OpTypePointer UniformConstant %i8\n"            \
    "%p32 = OpTypePointer CrossWorkgroup %i32\n%pv = OpTypePointer CrossWorkgroup %v4\n"           \
    "%fn = OpTypeFunction %void %pb %pb %pc\n%one = OpConstant %i32 1\n%c4 = OpConstant %i64 4\n"  \
    "%c8 = OpConstant %i64 8\n%c16 = OpConstant %i64 16\n%gid = OpVariable %pids Input\n"          \
    "%ones = OpConstantComposite %v4 %one %one %one %one\n"                                        \
    "%k = OpFunction %void None %fn\n%to = OpFunctionParameter %pb\n"                              \
    "%from = OpFunctionParameter %pb\n%c = OpFunctionParameter %pc\n%b = OpLabel\n"                \
    "%all = OpLoad %ids %gid\n%x = OpCompositeExtract %i64 %all 0\n"                               \
    "%to32 = OpBitcast %p32 %to\n%tov = OpBitcast %pv %to\n"

/* Stores without %x are launched on one work-item: several would race. */
static const char *const stores[] = {
    "OpStore %to32 %one Aligned 4\n",
    "%e = OpPtrAccessChain %p32 %to32 %x\nOpStore %e %one Aligned 4\n",
    "%y = OpUConvert %i32 %x\n%e = OpPtrAccessChain %p32 %to32 %y\nOpStore %e %one Aligned 4\n",
    "%e = OpPtrAccessChain %pv %tov %x\nOpStore %e %ones Aligned 16\n",
    "%a = OpConvertPtrToU %i64 %to32\n%d = OpIMul %i64 %x %c8\n%s = OpIAdd %i64 %a %d\n"
    "%e = OpConvertUToPtr %p32 %s\nOpStore %e %one Aligned 4\n",
    "OpCopyMemorySized %to %from %c16\n",
    "%e = OpPtrAccessChain %p32 %to32 %x\n%f32 = OpBitcast %p32 %from\n"
    "OpCopyMemory %e %f32 Aligned 4\n",
};

static void stores_are_found(void **state)
{
    (void)state;
    static char text[8192];
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        snprintf(text, sizeof text, "%s%sOpReturn\nOpFunctionEnd\n", MODULE, stores[i]);
        uint64_t items = strstr(stores[i], "%x") ? 20 : 1;
        harness h = harness_text(text);
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
            if (!sim_engine_at(engine)) continue;
            h.world->engine = engine;
            uint8_t before[512] = {0}, after[512], ones[512];
            memset(ones, 1, sizeof ones);
            sim_object to = harness_memory(&h, "to", before, sizeof before);
            sim_object from = harness_memory(&h, "from", ones, sizeof ones);
            sim_argument arguments[] = {harness_global(to), harness_global(from),
                                        harness_global(to)};
            harness_try(&h, "k", harness_range(items, items), arguments, 3);
            assert_true(rt_ok(h.status));
            assert_int_equal(h.finding_count, 1);
            assert_string_equal(h.findings[0].kind, "write-to-constant");
            assert_string_equal(h.findings[0].object.data, "to");
            harness_read_back(&h, to, after, sizeof after);
            assert_memory_equal(before, after, sizeof after);
            /* The same memory in a launch that passes another object as constant. */
            arguments[2] = harness_global(from);
            harness_run(&h, "k", harness_range(items, items), arguments, 3);
            harness_read_back(&h, to, after, sizeof after);
            assert_int_equal(after[0], 1);
        }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
