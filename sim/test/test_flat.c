/* Tests of what the compiled tier finds out about a kernel before it emits code: how far apart the
 * places of adjacent work-items are (strides.c), which objects it accesses and when work-items may
 * store to them (flat.c), and which private variables are marked (marks.c). Most of it decides how
 * quick code is, so that no launch shows it. */
#include "sim/compiled/emit.h"
#include "sim/compiled/handlers.h"
#include "sim/test/harness.h"

#define TYPES                                                                                      \
    "OpEntryPoint Kernel %k \"k\" %gid %lid %linear %place %lane %sub\n"                           \
    "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %lid BuiltIn LocalInvocationId\n"      \
    "OpDecorate %linear BuiltIn GlobalLinearId\nOpDecorate %place BuiltIn LocalInvocationIndex\n"  \
    "OpDecorate %lane BuiltIn SubgroupLocalInvocationId\nOpDecorate %sub BuiltIn SubgroupId\n"     \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n"         \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%v3 = OpTypeVector %i64 3\n"                    \
    "%pin = OpTypePointer Input %v3\n%pin32 = OpTypePointer Input %i32\n"                          \
    "%pin64 = OpTypePointer Input %i64\n%g8 = OpTypePointer CrossWorkgroup %i8\n"                  \
    "%g = OpTypePointer CrossWorkgroup %i32\n%l = OpTypePointer Workgroup %i32\n"                  \
    "%l0 = OpConstant %i64 0\n%l1 = OpConstant %i64 1\n%l2 = OpConstant %i64 2\n"                  \
    "%l3 = OpConstant %i64 3\n%l5 = OpConstant %i64 5\n%l7 = OpConstant %i64 7\n"                  \
    "%l15 = OpConstant %i64 15\n%l17 = OpConstant %i64 17\n%l18 = OpConstant %i64 18\n"            \
    "%l19 = OpConstant %i64 19\n%l20 = OpConstant %i64 20\n%most = OpConstant %i64 1048575\n"      \
    "%million = OpConstant %i64 1048576\n%half = OpConstant %i64 600000\n"                         \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                  \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n"                                           \
    "%a4 = OpTypeArray %i32 %c4\n%pa4 = OpTypePointer Function %a4\n"                              \
    "%p32 = OpTypePointer Function %i32\n%p64 = OpTypePointer Function %i64\n"                     \
    "%p8 = OpTypePointer Function %i8\n%la4 = OpTypePointer Workgroup %a4\n"                       \
    "%local_a = OpVariable %la4 Workgroup\n%local_b = OpVariable %la4 Workgroup\n"                 \
    "%ft = OpTypeFunction %i64 %i64\n%kt = OpTypeFunction %void %g %g %i32 %i64 %g8 %l\n"          \
    "%gid = OpVariable %pin Input\n%lid = OpVariable %pin Input\n"                                 \
    "%linear = OpVariable %pin64 Input\n%place = OpVariable %pin64 Input\n"                        \
    "%lane = OpVariable %pin32 Input\n%sub = OpVariable %pin32 Input\n"                            \
    "%thrice = OpFunction %i64 None %ft\n%thrice_a = OpFunctionParameter %i64\n"                   \
    "%thrice_e = OpLabel\n%thrice_r = OpIMul %i64 %thrice_a %l3\nOpReturnValue %thrice_r\n"        \
    "OpFunctionEnd\n"                                                                              \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n"                              \
    "%in = OpFunctionParameter %g\n%n32 = OpFunctionParameter %i32\n"                              \
    "%n = OpFunctionParameter %i64\n%out8 = OpFunctionParameter %g8\n"                             \
    "%shared = OpFunctionParameter %l\n%entry = OpLabel\n"

#define START                                                                                      \
    "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"

#define STORE "%to = OpInBoundsPtrAccessChain %g %out %at\nOpStore %to %n32\n"
#define STORE8                                                                                     \
    "%one = OpUConvert %i8 %n32\n%to = OpInBoundsPtrAccessChain %g8 %out8 %at\nOpStore %to %one\n"
#define END "OpReturn\nOpFunctionEnd\n"

/* A kernel, as the tier sees it. */
typedef struct flattened {
    sim_program *program;
    rt_sink *sink;
    tier_flat flat;
    const char *reason;
} flattened;

static flattened flat_open(const char *variables, const char *body)
{
    static char text[1 << 16];
    snprintf(text, sizeof text, "%s%s%s%s%s%s", "OpCapability Groups\n" SIM_TEST_PRELUDE, TYPES,
             variables, START, body, END);
    flattened f = {.sink = rt_sink_create()};
    sim_module *module = sim_test_module(f.sink, text);
    const sim_module *modules[] = {module};
    rt_status status = sim_program_link(f.sink, modules, 1, &f.program);
    if (!rt_ok(status)) fail_msg("%s", rt_sink_diagnostic(f.sink, status)->message.data);
    sim_module_destroy(module);
    const sim_kernel *kernel = sim_program_kernel(f.program, RT_TEXT("k"));
    f.reason = tier_flatten(f.program, kernel->function, &f.flat);
    return f;
}

static void flat_close(flattened *f)
{
    for (uint32_t i = 0; i < f->flat.instances.count; i++)
        rt_free(f->flat.instances.items[i].frame);
    tier_flat_free(&f->flat);
    sim_program_destroy(f->program);
    rt_sink_destroy(f->sink);
}

/* Finds the accesses of a shape, in order; returns how many there are. */
typedef struct found {
    const tier_block *block;
    const sim_op *op;
    uint32_t index; /* among the operations of all blocks */
} found;

static uint32_t accesses_find(const tier_flat *flat, tier_shape shape, found *out, uint32_t most)
{
    uint32_t count = 0, index = 0;
    for (uint32_t b = 0; b < flat->blocks.count; b++) {
        const tier_block *block = &flat->blocks.items[b];
        const sim_code_function *function = flat->instances.items[block->instance].function;
        for (uint32_t i = 0; i < block->block->op_count; i++, index++) {
            const sim_op *op = &function->ops[block->block->op_first + i];
            if (tier_handler_at(op->handler)->shape != shape) continue;
            if (count >= most) fail_msg("more than %u accesses", most);
            out[count++] = (found){block, op, index};
        }
    }
    return count;
}

/* ---- Strides -------------------------------------------------------------------------------- */

#define UNKNOWN TIER_STRIDE_UNKNOWN
#define MIXED   TIER_STRIDE_MIXED

#define LOADED(name, at)                                                                           \
    "%" name "_p = OpInBoundsPtrAccessChain %g %in " at "\n%" name "_v = OpLoad %i32 %" name       \
    "_p\n"                                                                                         \
    "%" name " = OpUConvert %i64 %" name "_v\n"
#define TWICE  "%x2 = OpIAdd %i64 %x %x\n"
#define SQUARE "%xx = OpIMul %i64 %x %x\n"
#define LESS   "%less = OpULessThan %bool %x %n\n"
#define EQUAL  "%equal = OpIEqual %bool %n %l7\n"
/* %at is `yes` or `no`, from two branches. */
#define CHOSEN(condition, yes, no)                                                                 \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %y %z\n%y = OpLabel\n"           \
    "OpBranch %m\n%z = OpLabel\nOpBranch %m\n%m = OpLabel\n%at = OpPhi %i64 " yes " %y " no        \
    " %z\n"
/* %at begins with `first` and becomes `next`, n times. */
#define LOOP(first, next)                                                                          \
    "OpBranch %head\n%head = OpLabel\n%at = OpPhi %i64 " first " %entry %next %head\n"             \
    "%i = OpPhi %i64 %l0 %entry %i1 %head\n" STORE next "%i1 = OpIAdd %i64 %i %l1\n"               \
    "%more = OpULessThan %bool %i1 %n\nOpLoopMerge %done %head None\n"                             \
    "OpBranchConditional %more %head %done\n%done = OpLabel\n"

/* Work-item x of a row stores to out[at], whose elements have four bytes, or to out8[at]. */
static void test_strides(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        int32_t bytes; /* from one work-item's place to the next one's */
    } cases[] = {
        {"%at = OpIAdd %i64 %x %l5\n" STORE, 4},
        {"%at = OpIAdd %i64 %l5 %x\n" STORE, 4},
        {"%at = OpIAdd %i64 %x %n\n" STORE, 4},
        {"%at = OpISub %i64 %x %l5\n" STORE, 4},
        {"%at = OpISub %i64 %l5 %x\n" STORE, -4},
        {TWICE "%at = OpIAdd %i64 %x2 %x\n" STORE, 12},
        {TWICE "%at = OpISub %i64 %x %x2\n" STORE, -4},
        {"%at = OpIMul %i64 %x %l3\n" STORE, 12},
        {"%at = OpIMul %i64 %l3 %x\n" STORE, 12},
        {SQUARE "%at = OpIAdd %i64 %xx %l1\n" STORE, UNKNOWN},
        {"%at = OpIMul %i64 %x %n\n" STORE, UNKNOWN},
        {"%at = OpIMul %i64 %n %x\n" STORE, UNKNOWN},
        {"%at = OpShiftLeftLogical %i64 %x %l2\n" STORE, 16},
        {"%at = OpShiftLeftLogical %i64 %l2 %x\n" STORE, UNKNOWN},
        {"%at = OpShiftLeftLogical %i64 %x %x\n" STORE, UNKNOWN},
        {"%at = OpShiftLeftLogical %i64 %x %n\n" STORE, UNKNOWN},
        /* Places that are a megabyte apart are no longer told. */
        {"%at = OpShiftLeftLogical %i64 %x %l17\n" STORE, 4 << 17},
        {"%at = OpShiftLeftLogical %i64 %x %l18\n" STORE, UNKNOWN},
        {"%at = OpShiftLeftLogical %i64 %x %l19\n" STORE8, 1 << 19},
        {"%at = OpShiftLeftLogical %i64 %x %l20\n" STORE8, UNKNOWN},
        {"%at = OpIMul %i64 %x %most\n" STORE8, 1048575},
        {"%at = OpIMul %i64 %x %million\n" STORE8, UNKNOWN},
        {"%y = OpISub %i64 %l5 %x\n%at = OpIMul %i64 %y %most\n" STORE8, -1048575},
        {"%y = OpISub %i64 %l5 %x\n%at = OpIMul %i64 %y %million\n" STORE8, UNKNOWN},
        {TWICE "%at = OpIMul %i64 %x2 %half\n" STORE8, UNKNOWN},
        {TWICE "%y = OpISub %i64 %l5 %x2\n%at = OpIMul %i64 %y %half\n" STORE8, UNKNOWN},
        {"%y = OpISub %i64 %l5 %x\n%at = OpIMul %i64 %y %l3\n" STORE, -12},
        /* Most chunks do not notice a limit. */
        {"%at = OpBitwiseAnd %i64 %x %l15\n" STORE, 4},
        {"%at = OpBitwiseOr %i64 %l7 %x\n" STORE, 4},
        {TWICE "%at = OpBitwiseAnd %i64 %x %x2\n" STORE, UNKNOWN},
        {"%y = OpIAdd %i64 %x %l1\n%at = OpBitwiseOr %i64 %x %y\n" STORE, 4},
        {"%at = OpBitwiseXor %i64 %x %l1\n" STORE, UNKNOWN},
        {"%at = OpNot %i64 %x\n" STORE, UNKNOWN},
        {"%at = OpExtInst %i64 %std u_min %x %n\n" STORE, 4},
        {"%at = OpExtInst %i64 %std u_max %n %x\n" STORE, 4},
        {"%at = OpExtInst %i64 %std s_min %x %n\n" STORE, 4},
        {"%at = OpExtInst %i64 %std s_max %x %n\n" STORE, 4},
        {TWICE "%at = OpExtInst %i64 %std u_min %x %x2\n" STORE, UNKNOWN},
        {"%at = OpUMod %i64 %x %n\n" STORE, 4},
        {"%at = OpSRem %i64 %x %n\n" STORE, 4},
        {"%at = OpSMod %i64 %x %n\n" STORE, 4},
        {"%at = OpUMod %i64 %n %x\n" STORE, UNKNOWN},
        {"%at = OpUMod %i64 %x %x\n" STORE, UNKNOWN},
        {"%at = OpUDiv %i64 %x %n\n" STORE, 0},
        {"%at = OpSDiv %i64 %x %n\n" STORE, 0},
        {"%at = OpShiftRightLogical %i64 %x %l2\n" STORE, 0},
        {"%at = OpUDiv %i64 %n %x\n" STORE, UNKNOWN},
        {"%at = OpShiftRightLogical %i64 %n %x\n" STORE, UNKNOWN},
        /* A choice. */
        {LESS "%at = OpSelect %i64 %less %x %l5\n" STORE, 4},
        {LESS "%at = OpSelect %i64 %less %l5 %x\n" STORE, 4},
        {LESS "%y = OpIAdd %i64 %x %n\n%at = OpSelect %i64 %less %x %y\n" STORE, 4},
        {LESS TWICE "%at = OpSelect %i64 %less %x %x2\n" STORE, UNKNOWN},
        {LESS "%at = OpSelect %i64 %less %l5 %l7\n" STORE, UNKNOWN},
        {EQUAL "%at = OpSelect %i64 %equal %x %l5\n" STORE, 4},
        {EQUAL TWICE "%at = OpSelect %i64 %equal %x %x2\n" STORE, UNKNOWN},
        {LESS CHOSEN("less", "%x", "%l5") STORE, 4},
        {LESS CHOSEN("less", "%l5", "%x") STORE, 4},
        {LESS TWICE CHOSEN("less", "%x2", "%x") STORE, UNKNOWN},
        {LESS TWICE CHOSEN("less", "%x2", "%x2") STORE, 8},
        {LESS CHOSEN("less", "%l5", "%l7") STORE, 0},
        {EQUAL TWICE CHOSEN("equal", "%x", "%x2") STORE, UNKNOWN},
        {LOADED("a", "%x") EQUAL CHOSEN("equal", "%a", "%l5") STORE, MIXED},
        /* A loop. */
        {LOOP("%x", "%next = OpIAdd %i64 %at %l1\n"), 4},
        {LOOP("%x", "%next = OpIAdd %i64 %at %n\n"), 4},
        {LOOP("%x", "%next = OpIAdd %i64 %at %at\n"), UNKNOWN},
        {LOOP("%l5", "%next = OpIAdd %i64 %at %x\n"), UNKNOWN},
        /* What is in memory has no order. */
        {LOADED("a", "%x") "%at = OpIAdd %i64 %a %l1\n" STORE, MIXED},
        {LOADED("a", "%x") "%at = OpIAdd %i64 %a %x\n" STORE, MIXED},
        {LOADED("a", "%x") "%at = OpIAdd %i64 %x %a\n" STORE, MIXED},
        {LOADED("a", "%x") SQUARE "%at = OpIAdd %i64 %xx %a\n" STORE, MIXED},
        {LOADED("a", "%x") SQUARE "%at = OpIAdd %i64 %a %xx\n" STORE, MIXED},
        {LOADED("a", "%x") LOADED("b", "%a") "%at = OpIAdd %i64 %b %l1\n" STORE, MIXED},
        {SQUARE LOADED("a", "%xx") "%at = OpIAdd %i64 %a %l1\n" STORE, MIXED},
        {"%y = OpUDiv %i64 %x %n\n" LOADED("a", "%y") "%at = OpIAdd %i64 %a %l1\n" STORE, 0},
        {LOADED("a", "%l7") "%at = OpIAdd %i64 %a %l1\n" STORE, 0},
        {LOADED("a", "%l7") "%at = OpIAdd %i64 %a %x\n" STORE, 4},
        /* Indices of other widths. */
        {"%at = OpIAdd %i32 %w %n32\n" STORE, 4},
        {"%at = OpIMul %i32 %w %c3\n" STORE, 12},
        {"%y = OpUConvert %i16 %x\n%at = OpUConvert %i64 %y\n" STORE, 4},
        {"%y = OpUConvert %i16 %x\n%at = OpSConvert %i64 %y\n" STORE, 4},
        /* Two steps. */
        {"%p = OpPtrAccessChain %g %out %x\n%to = OpPtrAccessChain %g %p %x\nOpStore %to %n32\n",
         8},
        {LOADED("a", "%x") "%p = OpPtrAccessChain %g %out %a\n%to = OpPtrAccessChain %g %p %x\n"
                           "OpStore %to %n32\n",
         MIXED},
        {SQUARE "%p = OpPtrAccessChain %g %out %xx\n%to = OpPtrAccessChain %g %p %x\n"
                "OpStore %to %n32\n",
         UNKNOWN},
        /* Built-ins. */
        {"%at = OpCompositeExtract %i64 %all 1\n" STORE, 0},
        {"%at = OpCompositeExtract %i64 %all 2\n" STORE, 0},
        {"%ids = OpLoad %v3 %lid\n%at = OpCompositeExtract %i64 %ids 0\n" STORE, 4},
        {"%ids = OpLoad %v3 %lid\n%at = OpCompositeExtract %i64 %ids 1\n" STORE, 0},
        {"%ids = OpLoad %v3 %lid\n%at = OpCompositeExtract %i64 %ids 2\n" STORE, 0},
        {"%at = OpLoad %i64 %linear\n" STORE, 4},
        {"%at = OpLoad %i64 %place\n" STORE, 4},
        {"%at = OpLoad %i32 %lane\n" STORE, 4},
        {"%at = OpLoad %i32 %sub\n" STORE, 0},
        /* Calls. */
        {"%at = OpFunctionCall %i64 %thrice %x\n" STORE, 12},
        {"%y = OpFunctionCall %i64 %thrice %x\n%at = OpFunctionCall %i64 %thrice %y\n" STORE, 36},
        {LOADED("a", "%x") "%at = OpFunctionCall %i64 %thrice %a\n" STORE, MIXED},
        {SQUARE "%at = OpFunctionCall %i64 %thrice %xx\n" STORE, UNKNOWN},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open("", cases[i].body);
        found stores[2];
        uint32_t *first;
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        uint32_t count = accesses_find(&f.flat, TIER_STORE, stores, 2);
        assert_int_equal(count, 1);
        int32_t *strides = tier_strides_find(&f.flat, &first);
        if (strides[stores[0].index] != cases[i].bytes)
            fail_msg("%u: %d, expected %d:\n%s", i, (int)strides[stores[0].index],
                     (int)cases[i].bytes, cases[i].body);
        for (uint32_t b = 0, next = 0; b < f.flat.blocks.count; b++) {
            assert_int_equal(first[b], next);
            next += f.flat.blocks.items[b].block->op_count;
        }
        rt_free(strides);
        rt_free(first);
        flat_close(&f);
    }
}

/* Loads have the stride of their places; many values are known at the same time. */
static void test_many_strides(void **state)
{
    (void)state;
    enum { COUNT = 300 };
    static char body[1 << 16];
    static found loads[COUNT], stores[COUNT];
    size_t used = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        used +=
            (size_t)snprintf(body + used, sizeof body - used,
                             "%%y%u = OpIAdd %%i64 %s%u %%x\n%%from%u = OpPtrAccessChain %%g %%in "
                             "%%y%u\n%%value%u = OpLoad %%i32 %%from%u\n",
                             i, i ? "%y" : "%l", i ? i - 1 : 5, i, i, i, i);
    for (uint32_t i = 0; i < COUNT; i++)
        used += (size_t)snprintf(
            body + used, sizeof body - used,
            "%%t%u = OpPtrAccessChain %%g %%out %%y%u\nOpStore %%t%u %%value%u\n", i, i, i, i);
    flattened f = flat_open("", body);
    uint32_t *first;
    if (f.reason) fail_msg("%s", f.reason);
    assert_int_equal(accesses_find(&f.flat, TIER_LOAD, loads, COUNT), COUNT);
    assert_int_equal(accesses_find(&f.flat, TIER_STORE, stores, COUNT), COUNT);
    int32_t *strides = tier_strides_find(&f.flat, &first);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(strides[loads[i].index], 4 * (i + 1));
        assert_int_equal(strides[stores[i].index], 4 * (i + 1));
    }
    rt_free(strides);
    rt_free(first);
    flat_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_many_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
