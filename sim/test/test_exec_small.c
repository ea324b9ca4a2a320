/* Runs small kernels whose results follow from the rules of SPIR-V: constants that are computed
 * where they are used, unreachable blocks, pointers as numbers, asynchronous copies, variables.
 *
 * Each case is a kernel of four work-items in one group. %in has the numbers 1 to 16; work-item %x
 * (64 bits), %w (32 bits) stores %r to its element of %out. */
#include "sim/test/harness.h"

#define ITEMS 4

typedef struct small_case {
    const char *name, *types, *functions, *body; /* NULL: nothing */
    int32_t expected[ITEMS];
} small_case;

#define HEAD                                                                                       \
    "OpCapability Groups\n" SIM_TEST_PRELUDE                                                       \
    "OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"              \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n"         \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%ids = OpTypeVector %i64 3\n"                   \
    "%pids = OpTypePointer Input %ids\n%g = OpTypePointer CrossWorkgroup %i32\n"                   \
    "%fi = OpTypePointer Function %i32\n%wi = OpTypePointer Workgroup %i32\n"                      \
    "%event = OpTypeEvent\n%fe = OpTypePointer Function %event\n%none = OpConstantNull %event\n"   \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                  \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c5 = OpConstant %i32 5\n"                  \
    "%c6 = OpConstant %i32 6\n%c7 = OpConstant %i32 7\n%c8 = OpConstant %i32 8\n"                  \
    "%l1 = OpConstant %i64 1\n%l2 = OpConstant %i64 2\n%l3 = OpConstant %i64 3\n"                  \
    "%l32 = OpConstant %i64 32\n%A4 = OpTypeArray %i32 %c4\n"                                      \
    "%pA4 = OpTypePointer CrossWorkgroup %A4\n%wA4 = OpTypePointer Workgroup %A4\n"                \
    "%near = OpVariable %wA4 Workgroup\n%S = OpTypeStruct %g %g\n"                                 \
    "%gid = OpVariable %pids Input\n%kt = OpTypeFunction %void %g %g\n"
#define START                                                                                      \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n"                              \
    "%in = OpFunctionParameter %g\n%start = OpLabel\n%all = OpLoad %ids %gid\n"                    \
    "%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"                               \
    "%to = OpInBoundsPtrAccessChain %g %out %x\n"
#define END "OpStore %to %r\nOpReturn\nOpFunctionEnd\n"

/* %both holds the addresses of the elements 7 and 8 of %table; it is computed in each function. */
#define BOTH                                                                                       \
    "%values = OpConstantComposite %A4 %c5 %c6 %c7 %c8\n"                                          \
    "%table = OpVariable %pA4 CrossWorkgroup %values\n"                                            \
    "%at2 = OpSpecConstantOp %g InBoundsAccessChain %table %c2\n"                                  \
    "%at3 = OpSpecConstantOp %g InBoundsAccessChain %table %c3\n"                                  \
    "%both = OpSpecConstantComposite %S %at2 %at3\n%get = OpTypeFunction %i32\n"
#define BRANCH(a, b)                                                                               \
    "%low = OpSLessThan %bool %w %c2\nOpBranchConditional %low %a %b\n%a = OpLabel\n" a            \
    "OpBranch %m\n%b = OpLabel\n" b "OpBranch %m\n%m = OpLabel\n"

/* The element of %near that belongs to the work-item. */
#define NEAR "%n = OpInBoundsAccessChain %wi %near %c0\n%nx = OpInBoundsPtrAccessChain %wi %n %x\n"
#define WAIT "%ev = OpVariable %fe Function\n"
#define AT(name, index)                                                                            \
    "%p" name " = OpInBoundsPtrAccessChain %g %in %" index "\n%" name " = OpLoad %i32 %p" name "\n"

static const small_case cases[] = {
    {"a composite with computed parts, in two functions",
     BOTH,
     "%other = OpFunction %i32 None %get\n%o0 = OpLabel\n%oq = OpCompositeExtract %g %both 1\n"
     "%ov = OpLoad %i32 %oq\nOpReturnValue %ov\nOpFunctionEnd\n",
     "%q = OpCompositeExtract %g %both 0\n%v = OpLoad %i32 %q\n"
     "%o = OpFunctionCall %i32 %other\n%r = OpIAdd %i32 %v %o\n",
     {15, 15, 15, 15}},
    {"a composite with computed parts, on both sides of a branch and in a phi",
     BOTH,
     NULL,
     BRANCH(
         "%qa = OpCompositeExtract %g %both 0\n%va = OpLoad %i32 %qa\n",
         "%qb = OpCompositeExtract %g %both 1\n%vb = OpLoad %i32 %qb\n") "%s = OpPhi %S %both %a %both %b\n%v = OpPhi %i32 %va %a %vb %b\n"
                                                                         "%qs = OpCompositeExtract %g %s 1\n%vs = OpLoad %i32 %qs\n%r = OpIAdd %i32 %v %vs\n",
     {15, 15, 16, 16}},
    {"a computed constant on both sides of a branch and in a phi",
     BOTH,
     NULL,
     BRANCH(
         "%va = OpLoad %i32 %at2\n",
         "%vb = OpLoad %i32 %at3\n") "%s = OpPhi %g %at3 %a %at2 %b\n%v = OpPhi %i32 %va %a %vb %b\n"
                                     "%vs = OpLoad %i32 %s\n%twice = OpIMul %i32 %vs %c2\n%r = OpIAdd %i32 %v %twice\n",
     {23, 23, 22, 22}},
    /* Blocks that are never reached are predecessors all the same. */
    {"an unreachable block before a phi",
     NULL,
     NULL,
     "OpBranch %m\n%dead = OpLabel\nOpBranch %m\n%m = OpLabel\n"
     "%r = OpPhi %i32 %w %start %c4 %dead\n",
     {0, 1, 2, 3}},
    {"unreachable blocks before and in a loop",
     NULL,
     NULL,
     "OpBranch %head\n%dead = OpLabel\nOpBranch %head\n%head = OpLabel\n"
     "%i = OpPhi %i32 %c0 %start %c8 %dead %next %body\n%c = OpSLessThan %bool %i %w\n"
     "OpBranchConditional %c %body %m\n%dead2 = OpLabel\nOpBranch %body\n%body = OpLabel\n"
     "%step = OpPhi %i32 %c1 %head %c2 %dead2\n%next = OpIAdd %i32 %i %step\nOpBranch %head\n"
     "%dead3 = OpLabel\nOpBranch %dead3\n%m = OpLabel\n%r = OpIAdd %i32 %i %c5\n",
     {5, 6, 7, 8}},
    {"a pointer as 32 bits",
     NULL,
     NULL,
     "%n = OpConvertPtrToU %i32 %to\n%n64 = OpConvertPtrToU %i64 %to\n%cut = OpUConvert %i32 %n64\n"
     "%same = OpIEqual %bool %n %cut\n%r = OpSelect %i32 %same %c1 %c0\n",
     {1, 1, 1, 1}},
    {"a pointer from 32 bits is not sign-extended",
     NULL,
     NULL,
     "%minus = OpISub %i32 %c0 %w\n%p = OpConvertUToPtr %g %minus\n%n = OpConvertPtrToU %i64 %p\n"
     "%high = OpShiftRightLogical %i64 %n %l32\n%r = OpUConvert %i32 %high\n",
     {0, 0, 0, 0}},
    {"a generic pointer and back",
     "%gen = OpTypePointer Generic %i32\n",
     NULL,
     "%e = OpPtrCastToGeneric %gen %to\n%b = OpGenericCastToPtr %g %e\nOpStore %b %c7\n"
     "%b2 = OpGenericCastToPtrExplicit %g %e CrossWorkgroup\n%r = OpLoad %i32 %b2\n",
     {7, 7, 7, 7}},
    /* in[3] = 4 elements at a stride of in[1] = 2, which counts in global memory. */
    {"a copy into local memory with a count of 32 bits and a stride of 8",
     NULL,
     NULL,
     WAIT NEAR AT("count", "l3")
         AT("two",
            "l1") "%stride = OpUConvert %i8 %two\n"
                  "%e = OpGroupAsyncCopy %event %c2 %n %in %count %stride %none\nOpStore %ev %e\n"
                  "OpGroupWaitEvents %c2 %c1 %ev\n%r = OpLoad %i32 %nx\n",
     {1, 3, 5, 7}},
    {"a copy out of local memory with a count of 16 bits and a stride",
     NULL,
     NULL,
     WAIT NEAR AT(
         "two",
         "l1") "%ten = OpIAdd %i32 %w %c8\nOpStore %nx %ten\nOpControlBarrier %c2 %c2 %c272\n"
               "%count = OpUConvert %i16 %two\n"
               "%e = OpGroupAsyncCopy %event %c2 %out %n %count %l2 %none\nOpStore %ev %e\n"
               "OpGroupWaitEvents %c2 %c1 %ev\n%old = OpLoad %i32 %to\n"
               "OpControlBarrier %c2 %c2 %c528\n%r = OpIAdd %i32 %old %c1\n",
     {9, 1, 10, 1}},
    /* Each work-item has one component that is true, or one that is false; later, none. */
    {"any and all components",
     "%v4b = OpTypeVector %bool 4\n",
     NULL,
     "%e0 = OpIEqual %bool %w %c0\n%e1 = OpIEqual %bool %w %c1\n%e2 = OpIEqual %bool %w %c2\n"
     "%e3 = OpIEqual %bool %w %c3\n%n0 = OpINotEqual %bool %w %c0\n"
     "%n1 = OpINotEqual %bool %w %c1\n%n2 = OpINotEqual %bool %w %c2\n"
     "%n3 = OpINotEqual %bool %w %c3\n%no = OpIEqual %bool %w %c5\n"
     "%yes = OpINotEqual %bool %w %c5\n%ve = OpCompositeConstruct %v4b %e0 %e1 %e2 %e3\n"
     "%vn = OpCompositeConstruct %v4b %n0 %n1 %n2 %n3\n"
     "%vno = OpCompositeConstruct %v4b %no %no %no %no\n"
     "%vyes = OpCompositeConstruct %v4b %yes %yes %yes %yes\n%a0 = OpAny %bool %ve\n"
     "%a1 = OpAll %bool %vn\n%a2 = OpAny %bool %vno\n%a3 = OpAll %bool %vyes\n"
     "%s0 = OpSelect %i32 %a0 %c1 %c0\n%s1 = OpSelect %i32 %a1 %c2 %c0\n"
     "%s2 = OpSelect %i32 %a2 %c4 %c0\n%s3 = OpSelect %i32 %a3 %c8 %c0\n"
     "%t1 = OpIAdd %i32 %s0 %s1\n%t2 = OpIAdd %i32 %t1 %s2\n%r = OpIAdd %i32 %t2 %s3\n",
     {9, 9, 9, 9}},
    /* Variables keep their own memory, whatever their size and alignment. */
    {"private variables of several sizes",
     "%A5 = OpTypeArray %i32 %c5\n%fA5 = OpTypePointer Function %A5\n%fb = OpTypePointer Function %i8\n"
     "%v16 = OpTypeVector %i64 16\n%fv = OpTypePointer Function %v16\n%b1 = OpConstant %i8 1\n",
     NULL,
     "%vb = OpVariable %fb Function\n%va = OpVariable %fA5 Function\n%vv = OpVariable %fv Function\n"
     "%vi = OpVariable %fi Function\nOpStore %vb %b1\n%e4 = OpInBoundsAccessChain %fi %va %c4\n"
     "OpStore %e4 %w\n%ones = OpCompositeConstruct %v16 %x %x %x %x %x %x %x %x %x %x %x %x %x %x %x "
     "%l3\nOpStore %vv %ones\nOpStore %vi %c5\n%lb = OpLoad %i8 %vb\n%wb = OpUConvert %i32 %lb\n"
     "%la = OpLoad %i32 %e4\n%lv = OpLoad %v16 %vv\n%last = OpCompositeExtract %i64 %lv 15\n"
     "%w15 = OpUConvert %i32 %last\n%li = OpLoad %i32 %vi\n%s1 = OpIAdd %i32 %wb %la\n"
     "%s2 = OpIAdd %i32 %s1 %w15\n%r = OpIAdd %i32 %s2 %li\n",
     {9, 10, 11, 12}},
};

static void check_case(const small_case *c)
{
    static char text[32768];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", HEAD,
             "%c272 = OpConstant %i32 272\n%c528 = OpConstant %i32 528\n", c->types ? c->types : "",
             c->functions ? c->functions : "", START, c->body, END);
    harness h = harness_text(text);
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        h.world->engine = engine;
        int32_t out[ITEMS] = {0}, in[16];
        for (int32_t k = 0; k < 16; k++)
            in[k] = k + 1;
        sim_object to = harness_memory(&h, "out", out, sizeof out);
        sim_argument arguments[] = {harness_global(to),
                                    harness_global(harness_memory(&h, "in", in, sizeof in))};
        harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 2);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t k = 0; k < ITEMS; k++) {
            if (out[k] != c->expected[k])
                fail_msg("%s: work-item %u has %d, expected %d", c->name, k, out[k],
                         c->expected[k]);
        }
    }
    harness_close(&h);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* More values are kept across a barrier than a word has bits: the multiples of the work-item's
 * number, whose sum is (1 + ... + 150) times the number. */
static void test_many_values(void **state)
{
    (void)state;
    enum { VALUES = 150, SUM = VALUES * (VALUES + 1) / 2 };
    static char body[16384];
    char *end = body + sprintf(body, "%%v0 = OpIAdd %%i32 %%w %%c0\n");
    for (int i = 1; i < VALUES; i++)
        end += sprintf(end, "%%v%d = OpIAdd %%i32 %%v%d %%w\n", i, i - 1);
    end += sprintf(end, "OpControlBarrier %%c2 %%c2 %%c272\n%%s0 = OpIAdd %%i32 %%v0 %%c0\n");
    for (int i = 1; i < VALUES; i++)
        end += sprintf(end, "%%s%d = OpIAdd %%i32 %%s%d %%v%d\n", i, i - 1, i);
    sprintf(end, "%%r = OpIAdd %%i32 %%s%d %%c0\n", VALUES - 1);
    check_case(&(small_case){"many values", NULL, NULL, body, {0, SUM, 2 * SUM, 3 * SUM}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_many_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
