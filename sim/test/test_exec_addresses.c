/* Tests of pointers as values: compared, subtracted, converted to integers and back, cast to
 * generic pointers and back, moved by signed indices of both widths; and vectors indexed by values
 * known only at run time.  All of this runs with varying and with uniform operands, on every
 * engine; accesses past the end are reported. */
#include "sim/test/harness.h"

#define MODULE                                                                                     \
    "OpCapability Float16Buffer\n" SIM_TEST_PRELUDE                                                \
    "OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"              \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n"         \
    "%i64 = OpTypeInt 64 0\n%half = OpTypeFloat 16\n%f32 = OpTypeFloat 32\n"                       \
    "%ids = OpTypeVector %i64 3\n%v4 = OpTypeVector %i64 4\n"                                      \
    "%b4 = OpTypeVector %bool 4\n%v4f = OpTypeVector %f32 4\n%c4 = OpConstant %i64 4\n"            \
    "%four = OpTypeArray %i64 %c4\n%record = OpTypeStruct %i64 %four\n"                            \
    "%pids = OpTypePointer Input %ids\n%p = OpTypePointer CrossWorkgroup %i64\n"                   \
    "%pr = OpTypePointer CrossWorkgroup %record\n%pw = OpTypePointer Workgroup %i64\n"             \
    "%pg = OpTypePointer Generic %i64\n%ph = OpTypePointer CrossWorkgroup %half\n"                 \
    "%fn = OpTypeFunction %void %p %p %i64\n%c0 = OpConstant %i64 0\n%c1 = OpConstant %i64 1\n"    \
    "%c2 = OpConstant %i64 2\n%c3 = OpConstant %i64 3\n%c5 = OpConstant %i64 5\n"                  \
    "%c8 = OpConstant %i64 8\n%w1 = OpConstant %i32 1\n%w2 = OpConstant %i32 2\n"                  \
    "%minus2 = OpConstant %i64 18446744073709551614\n%minus = OpConstant %i32 4294967295\n"        \
    "%m2_32 = OpConstant %i32 4294967294\n%scope = OpConstant %i32 1\n"                            \
    "%semantics = OpConstant %i32 528\n%gid = OpVariable %pids Input\n"                            \
    "%k = OpFunction %void None %fn\n%data = OpFunctionParameter %p\n"                             \
    "%out = OpFunctionParameter %p\n%n = OpFunctionParameter %i64\n%start = OpLabel\n"             \
    "%all = OpLoad %ids %gid\n%x = OpCompositeExtract %i64 %all 0\n"                               \
    "%zx = OpIMul %i64 %x %n\n%er = OpPtrAccessChain %p %out %x\n"

#define END "OpStore %er %r Aligned 8\nOpReturn\nOpFunctionEnd\n"

/* %data points to 10, 11, … 17; %z is 0, varying or uniform; the body computes %r. */
typedef struct example {
    const char *body;
    uint64_t result;
    const char *finding; /* NULL: none */
} example;

#define E2          "%e2i = OpIAdd %i64 %c2 %z\n%e2 = OpPtrAccessChain %p %data %e2i\n"
#define E5          "%e5i = OpIAdd %i64 %c5 %z\n%e5 = OpInBoundsPtrAccessChain %p %data %e5i\n"
#define TRUTH       "%r = OpSelect %i64 %t %c1 %c0\n"
#define READ(place) "%r = OpLoad %i64 " place " Aligned 8\n"
#define VECTOR      "%y = OpIAdd %i64 %c5 %z\n%v = OpCompositeConstruct %v4 %c1 %y %c3 %c8\n"

static const example examples[] = {
    {E2 E5 "%t = OpPtrEqual %bool %e2 %e5\n" TRUTH, 0, NULL},
    {E2 "%o = OpPtrAccessChain %p %data %c2\n%t = OpPtrEqual %bool %e2 %o\n" TRUTH, 1, NULL},
    {E2 E5 "%t = OpPtrNotEqual %bool %e2 %e5\n" TRUTH, 1, NULL},
    {E2 E5 "%r = OpPtrDiff %i64 %e5 %e2\n", 3, NULL},
    {E2 E5 "%r = OpPtrDiff %i64 %e2 %e5\n", UINT64_MAX - 2, NULL},
    {E5 "%q = OpPtrAccessChain %p %e5 %minus2\n" READ("%q"), 13, NULL},
    {E5 "%q = OpInBoundsPtrAccessChain %p %e5 %minus\n" READ("%q"), 14, NULL},
    {E2 "%w = OpUConvert %i32 %z\n%i = OpIAdd %i32 %w %m2_32\n"
        "%q = OpPtrAccessChain %p %e2 %i\n" READ("%q"),
     10, NULL},
    {E2 "%q = OpPtrAccessChain %p %e2 %minus2\n%q2 = OpPtrAccessChain %p %q %minus\n" READ("%q2"),
     0, "out-of-bounds"},
    {E2 "%s = OpBitcast %pr %e2\n%q = OpAccessChain %p %s %w1 %c2\n" READ("%q"), 15, NULL},
    {E2 "%s = OpBitcast %pr %data\n%q = OpInBoundsAccessChain %p %s %w1 %z\n" READ("%q"), 11, NULL},
    {E5 "%u = OpConvertPtrToU %i64 %e5\n%u8 = OpIAdd %i64 %u %c8\n"
        "%q = OpConvertUToPtr %p %u8\n" READ("%q"),
     16, NULL},
    {E2 "%g = OpPtrCastToGeneric %pg %e2\n%q = OpGenericCastToPtr %p %g\n" READ("%q"), 12, NULL},
    {E2 "%g = OpPtrCastToGeneric %pg %e2\n" READ("%g"), 12, NULL},
    {E2 "%g = OpPtrCastToGeneric %pg %e2\n"
        "%q = OpGenericCastToPtrExplicit %p %g CrossWorkgroup\n" READ("%q"),
     12, NULL},
    {E2 "%g = OpPtrCastToGeneric %pg %e2\n%q = OpGenericCastToPtrExplicit %pw %g Workgroup\n"
        "%r = OpConvertPtrToU %i64 %q\n",
     0, NULL},
    {E5 "OpCopyMemory %er %e5 Aligned 8\n%r = OpLoad %i64 %er Aligned 8\n", 15, NULL},
    {E5 "OpMemoryBarrier %scope %semantics\n" READ("%e5"), 15, NULL},
    {"%u = OpUndef %i64\n%r = OpBitwiseAnd %i64 %u %c0\n", 0, NULL},
    {VECTOR "%i = OpIAdd %i64 %c1 %z\n%r = OpVectorExtractDynamic %i64 %v %i\n", 5, NULL},
    {VECTOR "%i = OpIAdd %i64 %c3 %z\n%r = OpVectorExtractDynamic %i64 %v %i\n", 8, NULL},
    {VECTOR "%i = OpIAdd %i64 %c4 %z\n%r0 = OpVectorExtractDynamic %i64 %v %i\n"
            "%r = OpBitwiseAnd %i64 %r0 %c0\n",
     0, "undefined-arithmetic"},
    {VECTOR "%i = OpIAdd %i64 %c3 %z\n%v2 = OpVectorInsertDynamic %v4 %v %c2 %i\n"
            "%r = OpCompositeExtract %i64 %v2 3\n",
     2, NULL},
    {VECTOR "%i = OpIAdd %i64 %c4 %z\n%v2 = OpVectorInsertDynamic %v4 %v %c2 %i\n"
            "%r0 = OpCompositeExtract %i64 %v2 1\n%r = OpBitwiseAnd %i64 %r0 %c0\n",
     0, "undefined-arithmetic"},
    {VECTOR
     "%v2 = OpVectorShuffle %v4 %v %v 4294967295 1 6 0\n%r = OpCompositeExtract %i64 %v2 2\n",
     3, NULL},
    {VECTOR "%same = OpIEqual %b4 %v %v\n%t = OpAll %bool %same\n" TRUTH, 1, NULL},
    {VECTOR "%w = OpCompositeConstruct %v4 %c1 %c1 %c1 %c1\n%same = OpIEqual %b4 %v %w\n"
            "%t = OpAll %bool %same\n" TRUTH,
     0, NULL},
    {VECTOR "%w = OpCompositeConstruct %v4 %c1 %c1 %c1 %c1\n%same = OpIEqual %b4 %v %w\n"
            "%t = OpAny %bool %same\n" TRUTH,
     1, NULL},
    {VECTOR "%same = OpINotEqual %b4 %v %v\n%t = OpAny %bool %same\n" TRUTH, 0, NULL},
    /* 1 as a half is 0x3c00; four halves overwrite an element. */
    {"%f = OpConvertUToF %f32 %c1\n%fs = OpCompositeConstruct %v4f %f %f %f %f\n"
     "%h = OpBitcast %ph %er\n%vs = OpExtInst %void %std vstorea_halfn_r %fs %z %h RTZ\n"
     "%r = OpLoad %i64 %er Aligned 8\n",
     UINT64_C(0x3c003c003c003c00), NULL},
};

static void example_try(const example *test_case, bool is_lanes, uint32_t engine)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%s%s%s", MODULE,
             is_lanes ? "%z = OpCopyObject %i64 %zx\n" : "%z = OpCopyObject %i64 %n\n",
             test_case->body, END);
    harness h = harness_text(text);
    h.world->engine = engine;
    const uint64_t data[] = {10, 11, 12, 13, 14, 15, 16, 17}, zero = 0;
    uint64_t out[40];
    sim_object memory = harness_memory(&h, "data", data, sizeof data);
    sim_object results = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(memory), harness_global(results),
                                harness_value(&zero, 8)};
    harness_try(&h, "k", harness_range(40, 20), arguments, 3);
    assert_true(rt_ok(h.status));
    if (h.finding_count != (test_case->finding ? 1u : 0u) ||
        (test_case->finding && strcmp(h.findings[0].kind, test_case->finding) != 0)) {
        fail_msg("%u findings, expected %s:\n%s%s", h.finding_count,
                 test_case->finding ? test_case->finding : "none", test_case->body,
                 h.finding_count ? h.findings[0].message.data : "");
    }
    harness_read_back(&h, results, out, sizeof out);
    bool is_open = test_case->finding && strcmp(test_case->finding, "out-of-bounds") == 0;
    for (uint32_t i = 0; i < 40 && !is_open; i++) {
        if (out[i] == test_case->result) continue;
        fail_msg("element %u is %llx, expected %llx:\n%s", i, (unsigned long long)out[i],
                 (unsigned long long)test_case->result, test_case->body);
    }
    harness_close(&h);
}

static void examples_hold(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
            if (!sim_engine_at(engine)) continue;
            example_try(&examples[i], true, engine);
            example_try(&examples[i], false, engine);
        }
    }
}

/* A work-item that reaches OpUnreachable is reported and ends; if none reaches it, nothing is
 * reported. */
static void unreachable_places(void **state)
{
    (void)state;
    harness h =
        harness_text(MODULE "%is = OpIEqual %bool %x %n\nOpBranchConditional %is %never %on\n"
                            "%never = OpLabel\nOpUnreachable\n%on = OpLabel\n"
                            "OpStore %er %c1 Aligned 8\nOpReturn\nOpFunctionEnd\n");
    for (uint64_t n = 2; n <= 4; n += 2) {
        uint64_t out[4] = {0}, data = 0;
        sim_object results = harness_memory(&h, "out", out, sizeof out);
        sim_object memory = harness_memory(&h, "data", &data, sizeof data);
        sim_argument arguments[] = {harness_global(memory), harness_global(results),
                                    harness_value(&n, 8)};
        harness_try(&h, "k", harness_range(4, 4), arguments, 3);
        assert_int_equal(h.finding_count, n == 2 ? 1 : 0);
        if (n == 2) assert_string_equal(h.findings[0].kind, "unreachable");
        if (n == 2) assert_int_equal(h.findings[0].work_item[0], 2);
        harness_read_back(&h, results, out, sizeof out);
        for (uint64_t i = 0; i < 4; i++)
            assert_int_equal(out[i], i == n ? 0 : 1);
    }
    harness_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_hold),
        cmocka_unit_test(unreachable_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
