/* Tests of what the compiled tier finds out about a kernel before it emits code: how far apart the
 * places of adjacent work-items are (strides.c), which objects it accesses and when work-items may
 * store to them (flat.c), and which private variables are marked (marks.c). Most of it decides how
 * quick code is, so that no launch shows it. */
#include "sim/compiled/emit.h"
#include "sim/compiled/handlers.h"
#include "sim/decode/limits.h"
#include "sim/test/harness.h"

/* Functions, behind the types. */
#define FUNCTIONS                                                                                                                           \
    "%thrice = OpFunction %i64 None %ft\n%thrice_a = OpFunctionParameter %i64\n"                                                            \
    "%thrice_e = OpLabel\n%thrice_r = OpIMul %i64 %thrice_a %l3\nOpReturnValue %thrice_r\n"                                                 \
    "OpFunctionEnd\n"                                                                                                                       \
    "%put = OpFunction %void None %put_t\n"                                                                                                 \
    "%put_p = OpFunctionParameter %g\n%put_e = OpLabel\nOpStore %put_p %c1\nOpReturn\n"                                                     \
    "OpFunctionEnd\n"                                                                                                                       \
    "%own = OpFunction %void None %own_t\n"                                                                                                 \
    "%own_p = OpFunctionParameter %p32\n%own_e = OpLabel\n%own_v = OpVariable %pa4 Function\n"                                              \
    "%own_s = OpInBoundsAccessChain %p32 %own_v %c1\nOpStore %own_s %c1\nOpStore %own_p %c1\n"                                              \
    "OpReturn\nOpFunctionEnd\n"                                                                                                             \
    "%wait = OpFunction %void None %wait_t\n%wait_e = OpLabel\n"                                                                            \
    "%wait_a = OpInBoundsAccessChain %l %local_a %c0\nOpControlBarrier %c2 %c2 %c264\n"                                                     \
    "OpStore %wait_a %c1\nOpReturn\nOpFunctionEnd\n"                                                                                        \
    "%forever = OpFunction %void None %wait_t\n%forever_e = OpLabel\n%forever_v = OpFunctionCall %void %forever\nOpReturn\nOpFunctionEnd\n" \
    "%alone = OpFunction %void None %wait_t\n%alone_e = OpLabel\n%alone_v = OpVariable %pa4 Function\n"                                     \
    "%alone_s = OpInBoundsAccessChain %p32 %alone_v %c1\nOpStore %alone_s %c1\nOpReturn\nOpFunctionEnd\n"

#define TYPES                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
    "OpEntryPoint Kernel %k \"k\" %gid %lid %linear %place %lane %sub\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                             \
    "OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %lid BuiltIn LocalInvocationId\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
    "OpDecorate %linear BuiltIn GlobalLinearId\nOpDecorate %place BuiltIn LocalInvocationIndex\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "OpDecorate %lane BuiltIn SubgroupLocalInvocationId\nOpDecorate %sub BuiltIn SubgroupId\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                       \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%i8 = OpTypeInt 8 0\n%i16 = OpTypeInt 16 0\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                           \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%v3 = OpTypeVector %i64 3\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                      \
    "%pin = OpTypePointer Input %v3\n%pin32 = OpTypePointer Input %i32\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                            \
    "%pin64 = OpTypePointer Input %i64\n%g8 = OpTypePointer CrossWorkgroup %i8\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "%g = OpTypePointer CrossWorkgroup %i32\n%l = OpTypePointer Workgroup %i32\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "%l0 = OpConstant %i64 0\n%l1 = OpConstant %i64 1\n%l2 = OpConstant %i64 2\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "%l3 = OpConstant %i64 3\n%l5 = OpConstant %i64 5\n%l7 = OpConstant %i64 7\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "%l15 = OpConstant %i64 15\n%l17 = OpConstant %i64 17\n%l18 = OpConstant %i64 18\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                              \
    "%l19 = OpConstant %i64 19\n%l20 = OpConstant %i64 20\n%most = OpConstant %i64 1048575\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                        \
    "%million = OpConstant %i64 1048576\n%half = OpConstant %i64 600000\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                           \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                    \
    "%c3 = OpConstant %i32 3\n%c4 = OpConstant %i32 4\n%c8 = OpConstant %i32 8\n%c16 = OpConstant %i32 16\n%c256 = OpConstant %i32 256\n%c258 = OpConstant %i32 258\n%c260 = OpConstant %i32 260\n%c264 = OpConstant %i32 264\n%c272 = OpConstant %i32 272\n%c520 = OpConstant %i32 520\n%l4 = OpConstant %i64 4\n%limit = OpConstant %i64 262144\n%beyond = OpConstant %i64 262160\n%alimit = OpTypeArray %i32 %limit\n%abeyond = OpTypeArray %i32 %beyond\n%plimit = OpTypePointer Function %alimit\n%pbeyond = OpTypePointer Function %abeyond\n" \
    "%a4 = OpTypeArray %i32 %c4\n%pa4 = OpTypePointer Function %a4\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                \
    "%p32 = OpTypePointer Function %i32\n%p64 = OpTypePointer Function %i64\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                       \
    "%p8 = OpTypePointer Function %i8\n%la4 = OpTypePointer Workgroup %a4\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                         \
    "%local_a = OpVariable %la4 Workgroup\n%local_b = OpVariable %la4 Workgroup\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
    "%ft = OpTypeFunction %i64 %i64\n%kt = OpTypeFunction %void %g %g %i32 %i64 %g8 %l\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                            \
    "%gid = OpVariable %pin Input\n%lid = OpVariable %pin Input\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   \
    "%linear = OpVariable %pin64 Input\n%place = OpVariable %pin64 Input\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                          \
    "%lane = OpVariable %pin32 Input\n%sub = OpVariable %pin32 Input\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                              \
    "%put_t = OpTypeFunction %void %g\n%own_t = OpTypeFunction %void %p32\n%wait_t = OpTypeFunction %void\n" FUNCTIONS                                                                                                                                                                                                                                                                                                                                                                                                                               \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                \
    "%in = OpFunctionParameter %g\n%n32 = OpFunctionParameter %i32\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                                \
    "%n = OpFunctionParameter %i64\n%out8 = OpFunctionParameter %g8\n"                                                                                                                                                                                                                                                                                                                                                                                                                                                                               \
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
    static char text[1 << 20];
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

/* ---- Objects --------------------------------------------------------------------------------- */

#define VARIABLES             "%slots = OpVariable %pa4 Function\n%more = OpVariable %pa4 Function\n"
#define LOCAL(name, variable) "%" name " = OpInBoundsAccessChain %l %" variable " %low\n"
#define LOW                   "%low = OpBitwiseAnd %i64 %x %l3\n"

/* The object that the last store of a kernel reaches: a parameter, by its number; a variable in
 * local memory, by its number; a private variable, by the numbers of its activation and its own. */
typedef enum object_kind { ANY, GLOBAL, LOCAL_PARAMETER, LOCAL_VARIABLE, PRIVATE } object_kind;

static void object_check(const flattened *f, const found *store, object_kind kind, uint32_t number,
                         const char *body)
{
    tier_object object = tier_object_of(&f->flat, store->block->instance, store->block->block,
                                        store->op, store->op->a);
    const sim_code_function *kernel = f->flat.instances.items[0].function;
    tier_object wanted = {.local = TIER_LOCAL_ANY, .pointer = SIM_REGISTER_NONE};
    if (kind == GLOBAL || kind == LOCAL_PARAMETER)
        wanted.pointer = kernel->parameters[number].place;
    wanted.is_global = kind == GLOBAL;
    /* The program has two variables in local memory; the parameters come after them. */
    if (kind == GLOBAL || kind == PRIVATE) wanted.local = 0;
    if (kind == LOCAL_PARAMETER) wanted.local = UINT64_C(1) << (3 + number);
    if (kind == LOCAL_VARIABLE) wanted.local = UINT64_C(1) << number;
    if (kind == LOCAL_VARIABLE) wanted.key = SIM_TIER_KEY(sim_address_of(SIM_CLASS_LOCAL, number));
    if (kind == PRIVATE) wanted.key = SIM_TIER_KEY(sim_address_of(SIM_CLASS_PRIVATE, number));
    if (object.is_global != wanted.is_global || object.local != wanted.local ||
        object.key != wanted.key || object.pointer != wanted.pointer)
        fail_msg("global %d, local %llx, key %llx, pointer %x, expected %d, %llx, %llx, %x:\n%s",
                 object.is_global, (unsigned long long)object.local, (unsigned long long)object.key,
                 object.pointer, wanted.is_global, (unsigned long long)wanted.local,
                 (unsigned long long)wanted.key, wanted.pointer, body);
}

#define OF(activation, variable) ((activation) << SIM_PRIVATE_VARIABLE_BITS | (variable))
#define AT_OUT                   "%p = OpPtrAccessChain %g %out %x\n"
#define AT_IN                    "%q = OpPtrAccessChain %g %in %x\n"
#define NUMBER(p)                "%u = OpConvertPtrToU %i64 %" p "\n"
#define POINTER                  "%to = OpConvertUToPtr %g %at\nOpStore %to %n32\n"
#define POINTERS(condition, yes, no)                                                               \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %y %z\n%y = OpLabel\n"           \
    "OpBranch %m\n%z = OpLabel\nOpBranch %m\n%m = OpLabel\n%to = OpPhi %g " yes " %y " no " %z\n"  \
    "OpStore %to %n32\n"

static void test_objects(void **state)
{
    (void)state;
    static const struct {
        const char *variables, *body;
        object_kind kind;
        uint32_t number;
    } cases[] = {
        {"", "OpStore %out %n32\n", GLOBAL, 0},
        {"", AT_OUT "OpStore %p %n32\n", GLOBAL, 0},
        {"", AT_IN "OpStore %q %n32\n", GLOBAL, 1},
        {"", "%at = OpIAdd %i64 %x %l1\n" STORE8, GLOBAL, 4},
        {"", AT_OUT "%to = OpPtrAccessChain %g %p %n\nOpStore %to %n32\n", GLOBAL, 0},
        {"", LESS AT_OUT POINTERS("less", "%p", "%out"), GLOBAL, 0},
        {"", LESS AT_OUT AT_IN POINTERS("less", "%p", "%q"), ANY, 0},
        {"", EQUAL AT_OUT AT_IN POINTERS("equal", "%q", "%out"), ANY, 0},
        {"", NUMBER("out") "%at = OpIAdd %i64 %u %x\n" POINTER, GLOBAL, 0},
        {"", NUMBER("in") "%at = OpIAdd %i64 %l15 %u\n" POINTER, GLOBAL, 1},
        {"", NUMBER("in") "%at = OpISub %i64 %u %l15\n" POINTER, GLOBAL, 1},
        {"", NUMBER("in") "%at = OpISub %i64 %u %x\n" POINTER, GLOBAL, 1},
        {"", NUMBER("in") "%at = OpISub %i64 %x %u\n" POINTER, ANY, 0},
        {"", NUMBER("in") "%at = OpIMul %i64 %u %n\n" POINTER, ANY, 0},
        {"", NUMBER("in") "%at = OpBitwiseAnd %i64 %u %n\n" POINTER, ANY, 0},
        {"", "%at = OpIAdd %i64 %n %x\n" POINTER, ANY, 0}, /* a number */
        {"", "%at = OpIAdd %i64 %x %l15\n" POINTER, ANY, 0},
        {"", LOADED("a", "%x") "%at = OpIAdd %i64 %a %l1\n" POINTER, ANY, 0},
        {"", LOW LOCAL("to", "local_a") "OpStore %to %n32\n", LOCAL_VARIABLE, 1},
        {"", LOW LOCAL("to", "local_b") "OpStore %to %n32\n", LOCAL_VARIABLE, 2},
        {"", LOW "%to = OpPtrAccessChain %l %shared %low\nOpStore %to %n32\n", LOCAL_PARAMETER, 5},
        {VARIABLES, LOW "%to = OpInBoundsAccessChain %p32 %slots %low\nOpStore %to %n32\n", PRIVATE,
         OF(1, 0)},
        {VARIABLES, LOW "%to = OpInBoundsAccessChain %p32 %more %low\nOpStore %to %n32\n", PRIVATE,
         OF(1, 1)},
        /* In functions. */
        {"", "%v = OpFunctionCall %void %put %in\n", GLOBAL, 1},
        {VARIABLES,
         "%p = OpInBoundsAccessChain %p32 %more %c0\n"
         "%v = OpFunctionCall %void %own %p\n",
         PRIVATE, OF(1, 1)},
        {"", "%v = OpFunctionCall %void %wait\n", LOCAL_VARIABLE, 1},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open(cases[i].variables, cases[i].body);
        found stores[4];
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        uint32_t count = accesses_find(&f.flat, TIER_STORE, stores, 4);
        assert_true(count >= 1);
        object_check(&f, &stores[count - 1], cases[i].kind, cases[i].number, cases[i].body);
        flat_close(&f);
    }
}

/* A function's variables come after those of its caller, and have the next number. */
static void test_frames(void **state)
{
    (void)state;
    flattened f = flat_open(VARIABLES, "%p = OpInBoundsAccessChain %p32 %slots %c0\n"
                                       "%v = OpFunctionCall %void %own %p\n"
                                       "%v2 = OpFunctionCall %i64 %thrice %x\n");
    if (f.reason) fail_msg("%s", f.reason);
    found stores[4];
    assert_int_equal(f.flat.instances.count, 3);
    const tier_instance *in = f.flat.instances.items;
    assert_int_equal(in[0].frame->number, 1);
    assert_int_equal(in[1].frame->number, 2);
    assert_int_equal(in[2].frame->number, 0); /* it has no variables */
    assert_int_equal(in[0].frame->private_first, 0);
    assert_int_equal(in[1].frame->private_first, in[0].function->private_bytes);
    assert_int_equal(in[2].frame->private_first, in[0].function->private_bytes);
    assert_int_equal(f.flat.private_bytes,
                     in[0].function->private_bytes + in[1].function->private_bytes);
    assert_int_equal(in[0].depth, 0);
    assert_int_equal(in[1].depth, 1);
    assert_int_equal(in[2].depth, 1);
    assert_int_equal(in[0].caller, SIM_NONE);
    assert_int_equal(in[1].caller, 0);
    assert_int_equal(accesses_find(&f.flat, TIER_STORE, stores, 4), 2);
    object_check(&f, &stores[0], PRIVATE, OF(2, 0), "the callee's");
    object_check(&f, &stores[1], PRIVATE, OF(1, 0), "the caller's");
    flat_close(&f);
    f = flat_open("", "%v = OpFunctionCall %void %alone\n");
    if (f.reason) fail_msg("%s", f.reason);
    assert_int_equal(f.flat.instances.count, 2);
    assert_int_equal(f.flat.instances.items[0].frame->number, 0);
    assert_int_equal(f.flat.instances.items[1].frame->number, 1);
    assert_int_equal(f.flat.private_bytes, f.flat.instances.items[1].function->private_bytes);
    flat_close(&f);
}

/* ---- Stores to local memory ------------------------------------------------------------------ */

#define PUT(variable)  "OpStore %" variable " %n32\n"
#define A              LOCAL("a", "local_a")
#define B              LOCAL("b", "local_b")
#define GET            "%got = OpLoad %i32 %a\nOpStore %out %got\n"
#define BARRIER(order) "OpControlBarrier %c2 %c2 %" order "\n"
#define WAIT           BARRIER("c264") /* acquires and releases memory of the work-group */
#define TURNS(body)                                                                                \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n" body                 \
    "%i1 = OpIAdd %i64 %i %l1\n%again = OpULessThan %bool %i1 %n\nOpLoopMerge %done %head None\n"  \
    "OpBranchConditional %again %head %done\n%done = OpLabel\n"

/* Whether a work-item may store to what another loads from local memory, between two barriers. */
static void test_stores(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool may_store;
    } cases[] = {
        {LOW A PUT("a") WAIT GET, false},
        {LOW A PUT("a") GET, true},
        {LOW A GET, false},
        {LOW A GET PUT("a"), true},
        {LOW A GET WAIT PUT("a"), false},
        {LOW A B PUT("b") GET, false},
        {LOW A "%s = OpPtrAccessChain %l %shared %low\n" PUT("s") GET, false},
        {LOW "%a = OpPtrAccessChain %l %shared %low\n" PUT("a") GET, true},
        {LOW "%a = OpPtrAccessChain %l %shared %low\n" B PUT("b") GET, false},
        {LOW A PUT("in") GET, false},
        {LOW A "%p = OpConvertUToPtr %l %n\n" PUT("p") GET, true}, /* anywhere */
        {LOW A "OpCopyMemory %a %in\n" GET, true},
        {LOW A B "OpCopyMemory %b %a\n" GET, false},
        {LOW A "%old = OpAtomicIAdd %i32 %a %c2 %c0 %n32\n" GET, true},
        {LOW A B "%old = OpAtomicIAdd %i32 %b %c2 %c0 %n32\n" GET, false},
        /* Barriers of other kinds. */
        {LOW A PUT("a") BARRIER("c258") GET, false}, /* acquire */
        {LOW A PUT("a") BARRIER("c260") GET, false}, /* release */
        {LOW A PUT("a") BARRIER("c272") GET, false}, /* in one order for all */
        {LOW A PUT("a") BARRIER("c256") GET, true},  /* relaxed */
        {LOW A PUT("a") BARRIER("c8") GET, true},    /* no memory */
        {LOW A PUT("a") BARRIER("c520") GET, true},  /* global memory */
        {LOW A PUT("a") "OpControlBarrier %c2 %c1 %c264\n" GET, false},
        {LOW A PUT("a") "OpControlBarrier %c2 %c3 %c264\n" GET, true}, /* a sub-group's memory */
        /* Ways. */
        {LOW A TURNS(GET WAIT PUT("a") WAIT), false},
        {LOW A TURNS(GET WAIT PUT("a")), true},
        {LOW A TURNS(PUT("a") WAIT) GET, true}, /* after the barrier comes another turn, or not */
        {LOW A TURNS(WAIT PUT("a")) GET, true},
        {LOW A LESS "OpSelectionMerge %m None\nOpBranchConditional %less %y %m\n%y = OpLabel\n" PUT(
             "a") "OpBranch %m\n%m = OpLabel\n" GET,
         true},
        {LOW A LESS GET
         "OpSelectionMerge %m None\nOpBranchConditional %less %m %y\n%y = OpLabel\n" PUT(
             "a") "OpBranch %m\n%m = OpLabel\n",
         true},
        /* A function that waits and then stores. */
        {LOW A GET "%v = OpFunctionCall %void %wait\n", false},
        {LOW A "%v = OpFunctionCall %void %wait\n" GET, true},
        {LOW A "%v = OpFunctionCall %void %wait\n" WAIT GET, false},
        {LOW A PUT("a") "%v = OpFunctionCall %i64 %thrice %x\n" GET, true},
        {LOW A GET "%v = OpFunctionCall %i64 %thrice %x\n" PUT("a"), true},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open("", cases[i].body);
        found loads[2];
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        assert_int_equal(accesses_find(&f.flat, TIER_LOAD, loads, 2), 1);
        tier_object object = tier_object_of(&f.flat, loads[0].block->instance,
                                            loads[0].block->block, loads[0].op, loads[0].op->a);
        bool may_store = (loads[0].block->stores & object.local) != 0;
        if (may_store != cases[i].may_store)
            fail_msg("%u: %d, expected %d:\n%s", i, may_store, cases[i].may_store, cases[i].body);
        flat_close(&f);
    }
}

/* ---- Marks ----------------------------------------------------------------------------------- */

#define SLOT    LOW "%slot = OpInBoundsAccessChain %p32 %slots %low\n"
#define OTHER   "%other = OpInBoundsAccessChain %p32 %more %low\n"
#define FIRST   "%byte = OpBitcast %p8 %slot\n"
#define NUMBER8 "%one = OpUConvert %i8 %n32\n"

/* Of two variables, those of which only whole words are accessed are marked. */
static void test_marks(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool slots, more;
    } cases[] = {
        {SLOT OTHER PUT("slot") PUT("other"), true, true},
        {SLOT OTHER FIRST NUMBER8 PUT("other") "OpStore %byte %one\n", false, true},
        {SLOT OTHER FIRST PUT("other") "%got = OpLoad %i8 %byte\nOpStore %out8 %got\n", false,
         true},
        {SLOT OTHER PUT("slot") "OpStore %other %n32 Aligned 2\n", true, false},
        {SLOT OTHER PUT("slot") "OpStore %other %n32 Aligned 4\n", true, true},
        {SLOT OTHER PUT("slot") "%got = OpLoad %i32 %other Aligned 1\nOpStore %out %got\n", true,
         false},
        {SLOT OTHER PUT("other") NUMBER8
         "%q = OpPtrAccessChain %g8 %out8 %x\nOpStore %q %one\n" PUT("slot"),
         true, true},
        {SLOT OTHER PUT("other")
             NUMBER8 LOCAL("s", "local_a") "OpStore %s %n32 Aligned 1\n" PUT("slot"),
         true, true},
        /* A byte somewhere. */
        {SLOT OTHER PUT("other") PUT("slot") NUMBER8
         "%p = OpConvertUToPtr %g8 %n\nOpStore %p %one\n",
         false, false},
        {SLOT OTHER PUT("other") PUT("slot") "%p = OpConvertUToPtr %g %n\nOpStore %p %n32\n", true,
         true},
        /* Copies: in words, if the size is known and all is aligned. */
        {SLOT OTHER PUT("other") "OpCopyMemorySized %slot %in %l4 Aligned 4\n", true, true},
        {SLOT OTHER PUT("other") "OpCopyMemorySized %slot %in %l4 Aligned 2\n", false, true},
        {SLOT OTHER PUT("other") "OpCopyMemorySized %slot %in %l3 Aligned 4\n", false, true},
        {SLOT OTHER PUT("other") "OpCopyMemorySized %slot %in %n Aligned 4\n", false, true},
        {SLOT OTHER PUT("slot") "OpCopyMemorySized %out %other %l3 Aligned 4\n", true, false},
        {SLOT OTHER PUT("slot") "OpCopyMemorySized %other %slot %l3 Aligned 4\n", false, false},
        {SLOT OTHER PUT("slot") "OpCopyMemorySized %out %other %l4 Aligned 4\n", true, true},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open(VARIABLES, cases[i].body);
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        const sim_tier_frame *frame = f.flat.instances.items[0].frame;
        assert_int_equal(frame->function->variable_count, 2);
        if (frame->is_marked[0] != cases[i].slots || frame->is_marked[1] != cases[i].more)
            fail_msg("%u: %d, %d, expected %d, %d:\n%s", i, frame->is_marked[0],
                     frame->is_marked[1], cases[i].slots, cases[i].more, cases[i].body);
        flat_close(&f);
    }
}

/* ---- Kernels that are refused -----------------------------------------------------------------
 */

#define ATOMIC(name, result, scope, semantics)                                                     \
    "%" result " = Op" name " %i32 %out %" scope " %" semantics " %n32\n"

static void refused_check(const char *variables, const char *body, const char *reason)
{
    flattened f = flat_open(variables, body);
    if (strcmp(f.reason ? f.reason : "", reason) != 0)
        fail_msg("'%s', expected '%s':\n%.2000s", f.reason ? f.reason : "", reason, body);
    flat_close(&f);
}

static void test_refused(void **state)
{
    (void)state;
    static const char order[] = "has atomics that order work-items";
    static const char matters[] = "has atomics whose order matters";
    static const char kinds[] = "has several kinds of atomics";
    static const struct {
        const char *body, *reason;
    } cases[] = {
        {ATOMIC("AtomicIAdd", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicISub", "a", "c1", "c0"), ""},
        {ATOMIC("AtomicIAdd", "a", "c2", "c256"), ""},
        {ATOMIC("AtomicSMin", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicUMin", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicSMax", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicUMax", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicAnd", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicOr", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicXor", "a", "c2", "c0"), ""},
        {ATOMIC("AtomicExchange", "a", "c2", "c0"), matters},
        {"%a = OpAtomicLoad %i32 %out %c2 %c0\n", matters},
        {"OpAtomicStore %out %c2 %c0 %n32\n", matters},
        {"%a = OpAtomicCompareExchange %i32 %out %c2 %c0 %c0 %n32 %c1\n", matters},
        {ATOMIC("AtomicIAdd", "a", "c2", "c2"), order},  /* acquire */
        {ATOMIC("AtomicIAdd", "a", "c2", "c4"), order},  /* release */
        {ATOMIC("AtomicIAdd", "a", "c2", "c8"), order},  /* both */
        {ATOMIC("AtomicIAdd", "a", "c2", "c16"), order}, /* in one order for all */
        {ATOMIC("AtomicIAdd", "a", "c3", "c0"), order},
        {ATOMIC("AtomicIAdd", "a", "c0", "c0"), order},
        {ATOMIC("AtomicIAdd", "a", "c4", "c0"), order},
        {ATOMIC("AtomicIAdd", "a", "c2", "c0") "OpStore %in %a\n", "uses the results of atomics"},
        {ATOMIC("AtomicIAdd", "a", "c2", "c0") ATOMIC("AtomicISub", "b", "c2", "c0"), ""},
        {ATOMIC("AtomicISub", "a", "c2", "c0") ATOMIC("AtomicIAdd", "b", "c1", "c0"), ""},
        {ATOMIC("AtomicOr", "a", "c2", "c0") ATOMIC("AtomicOr", "b", "c2", "c0"), ""},
        {ATOMIC("AtomicSMin", "a", "c2", "c0") ATOMIC("AtomicSMax", "b", "c2", "c0"), kinds},
        {ATOMIC("AtomicUMin", "a", "c2", "c0") ATOMIC("AtomicSMin", "b", "c2", "c0"), kinds},
        {ATOMIC("AtomicAnd", "a", "c2", "c0") ATOMIC("AtomicIAdd", "b", "c2", "c0"), kinds},
        {ATOMIC("AtomicIAdd", "a", "c2", "c0") ATOMIC("AtomicXor", "b", "c2", "c0"), kinds},
        {"%s = OpGroupIAdd %i32 %c3 Reduce %n32\nOpStore %out %s\n", ""},
        {"%s = OpGroupIAdd %i32 %c2 Reduce %n32\nOpStore %out %s\n",
         "has operations of the work-group"},
        {"OpControlBarrier %c3 %c3 %c8\n", "has barriers of a sub-group"},
        {"OpControlBarrier %c2 %c2 %c8\n", ""},
        {"%v = OpFunctionCall %void %forever\n", "is recursive"},
        {"%v = OpFunctionCall %void %wait\n%v2 = OpFunctionCall %void %wait\n", ""},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused_check("", cases[i].body, cases[i].reason);
}

static void test_too_large(void **state)
{
    (void)state;
    enum { BLOCKS = TIER_BLOCKS_MAX, OPERATIONS = 8192 };
    static char body[1 << 19];
    size_t used = 0;
    /* Each turn ends a block. The kernel's last block is one more. */
    for (uint32_t count = BLOCKS - 1; count <= BLOCKS; count++) {
        used = 0;
        for (uint32_t i = 0; i < count; i++)
            used += (size_t)snprintf(body + used, sizeof body - used, "%s",
                                     "OpControlBarrier %c2 %c2 %c264\n");
        flattened f = flat_open("", body);
        if (count < BLOCKS) {
            assert_null(f.reason);
            assert_int_equal(f.flat.blocks.count, BLOCKS);
            assert_int_equal(f.flat.barrier_count, count + 1);
            for (uint32_t b = 0; b < BLOCKS; b++)
                assert_int_equal(f.flat.blocks.items[b].barrier, b < count ? b + 1 : 0);
        } else {
            assert_string_equal(f.reason, "is too large");
        }
        flat_close(&f);
    }
    /* The operations of all blocks count. */
    for (uint32_t count = OPERATIONS; count <= OPERATIONS + 1; count++) {
        used = 0;
        for (uint32_t i = 0; i < count; i++)
            used += (size_t)snprintf(body + used, sizeof body - used, "%s",
                                     i == 100 ? "OpControlBarrier %c2 %c2 %c264\nOpStore %out %c1\n"
                                              : "OpStore %out %c1\n");
        refused_check("", body, count > OPERATIONS ? "is too large" : "");
    }
    /* A wave of 256 work-items has at most 2 to the power of 28 bytes for private variables. */
    assert_int_equal(SIM_PRIVATE_BYTES_MAX / SIM_LANES, 262144 * sizeof(uint32_t));
    refused_check("%huge = OpVariable %plimit Function\n",
                  "%slot = OpInBoundsAccessChain %p32 %huge %x\nOpStore %slot %n32\n", "");
    refused_check("%huge = OpVariable %pbeyond Function\n",
                  "%slot = OpInBoundsAccessChain %p32 %huge %x\nOpStore %slot %n32\n",
                  "may exhaust its stack");
}

/* ---- Ways -------------------------------------------------------------------------------------
 */

/* Branches that are not folded, because a side stores. */
#define IF(condition)                                                                              \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %y %m\n%y = OpLabel\n"           \
    "OpStore %out %n32\nOpBranch %m\n%m = OpLabel\n"
#define IF_ELSE(condition)                                                                         \
    "OpSelectionMerge %m None\nOpBranchConditional %" condition " %y %z\n%y = OpLabel\n"           \
    "OpStore %out %n32\nOpBranch %m\n%z = OpLabel\nOpBranch %m\n%m = OpLabel\n"
#define CASES(value)                                                                               \
    "OpSelectionMerge %m None\nOpSwitch %" value " %m 1 %y 2 %z\n%y = OpLabel\n"                   \
    "OpBranch %m\n%z = OpLabel\nOpBranch %m\n%m = OpLabel\n"
#define REPEATED                                                                                   \
    "OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %head\n"                      \
    "%i1 = OpIAdd %i64 %i %l1\n%again = OpULessThan %bool %i1 %x\nOpLoopMerge %done %head None\n"  \
    "OpBranchConditional %again %head %done\n%done = OpLabel\n"

/* In which blocks lanes may wait while others run earlier blocks, and what is repeated. */
static void test_ways(void **state)
{
    (void)state;
    static const struct {
        const char *body, *parked; /* per block, 1 or 0 */
        uint32_t header, last;     /* of the only loop; 0: none */
    } cases[] = {
        {"", "0", 0, 0},
        {LESS IF("less"), "011", 0, 0},
        {EQUAL IF("equal"), "001", 0, 0},
        {LESS IF_ELSE("less"), "0111", 0, 0},
        {EQUAL IF_ELSE("equal"), "0011", 0, 0},
        {CASES("x"), "0111", 0, 0},
        {CASES("n"), "0011", 0, 0},
        {WAIT, "00", 0, 0},
        {TURNS(""), "000", 1, 1},
        {REPEATED, "011", 1, 1},
        {TURNS(WAIT), "0000", 1, 2},
        {TURNS(WAIT WAIT), "00000", 1, 3},
        {"%at = OpFunctionCall %i64 %thrice %x\n" STORE, "001", 0, 0},
        {WAIT "%at = OpFunctionCall %i64 %thrice %x\n" STORE, "0001", 0, 0},
        {"%v = OpFunctionCall %void %wait\n", "0001", 0, 0},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open("", cases[i].body);
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        uint32_t count = f.flat.blocks.count, loops = cases[i].header != 0;
        assert_int_equal(count, strlen(cases[i].parked));
        for (uint32_t b = 0; b < count; b++) {
            bool may_be_parked = cases[i].parked[b] == '1';
            if (f.flat.blocks.items[b].may_be_parked != may_be_parked)
                fail_msg("block %u, expected %s:\n%s", b, cases[i].parked, cases[i].body);
        }
        assert_int_equal(f.flat.loops.count, loops);
        if (loops) {
            assert_int_equal(f.flat.loops.items[0].header, cases[i].header);
            assert_int_equal(f.flat.loops.items[0].last, cases[i].last);
        }
        for (uint32_t from = 0; from < count; from++) {
            for (uint32_t at = from + 1; at < count; at++) {
                bool enters =
                    loops && from < cases[i].header && at > cases[i].header && at <= cases[i].last;
                if (tier_may_find(&f.flat, from, at) == enters)
                    fail_msg("blocks %u and %u:\n%s", from, at, cases[i].body);
            }
        }
        flat_close(&f);
    }
}

/* ---- Folded branches --------------------------------------------------------------------------
 */

#define BRANCH(condition, yes, no) "OpBranchConditional %" condition " %" yes " %" no "\n"
#define AT(name, operations, next) "%" name " = OpLabel\n" operations "OpBranch %" next "\n"
/* The value of x in lanes that come from p, and that of w in those that come from q, is used. */
#define MEET(name, p, q)                                                                           \
    "%" name " = OpLabel\n%met_" name " = OpPhi %i64 %l1 %" p " %x %" q "\n"                       \
    "%at_" name " = OpInBoundsPtrAccessChain %g %out %met_" name "\nOpStore %at_" name " %n32\n"
#define TAKEN "%m = OpLabel\n%at = OpPhi %i64 %v %y %x %entry\n" STORE
#define ADD   "%v = OpIAdd %i64 %x %x\n"

/* Where the sides of each branch meet, if it is folded, and the blocks that run only with one. */
static void test_folds(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        const char *joins;  /* per block: the number of its join, or '-' */
        const char *folded; /* per block, 1 or 0 */
    } cases[] = {
        {LESS BRANCH("less", "y", "m") AT("y", "", "m") "%m = OpLabel\n", "2--", "010"},
        {LESS BRANCH("less", "m", "y") AT("y", ADD, "m") "%m = OpLabel\n", "2--", "010"},
        {LESS BRANCH("less", "y", "z") AT("y", ADD, "m") AT("z", "", "m") "%m = OpLabel\n", "3---",
         "0110"},
        {LESS BRANCH("less", "z", "y") AT("y", ADD, "m") AT("z", "", "m") "%m = OpLabel\n", "3---",
         "0110"},
        {LESS BRANCH("less", "y", "m") AT("y", ADD, "m") MEET("m", "y", "entry"), "2--", "010"},
        /* Sides of several blocks. */
        {LESS BRANCH("less", "y", "m") AT("y", ADD, "z") AT("z", "", "m") "%m = OpLabel\n", "3---",
         "0110"},
        /* A branch in a side: the lanes of both meet in one block, or first in one of the side. */
        {LESS BRANCH("less", "m", "y") "%y = OpLabel\n" BRANCH("less", "m", "z")
             AT("z", ADD, "m") "%m = OpLabel\n",
         "33--", "0110"},
        {LESS BRANCH("less", "m", "y") "%y = OpLabel\n" BRANCH("less", "w2", "z") AT("z", ADD, "w2")
             AT("w2", "", "m") "%m = OpLabel\n",
         "43---", "01110"},
        {LESS BRANCH("less", "y", "z") "%y = OpLabel\n" BRANCH("less", "m", "w2") AT("w2", ADD, "m")
             AT("z", "", "m") "%m = OpLabel\n",
         "44---", "01110"},
        /* A block of a side that can also be entered from elsewhere. */
        {LESS BRANCH("less", "y", "z") "%y = OpLabel\n" BRANCH("less", "m", "z")
             AT("z", "OpStore %out %n32\n", "m") "%m = OpLabel\n",
         "----", "0000"},
        {LESS BRANCH("less", "y", "z") AT("y", "OpStore %out %n32\n", "z")
             AT("z", ADD, "m") "%m = OpLabel\n",
         "----", "0000"},
        /* What fails, or does something, even if no lane is active. */
        {LESS BRANCH("less", "y", "m") AT("y", "OpStore %out %n32\n", "m") "%m = OpLabel\n", "---",
         "000"},
        {LESS BRANCH("less", "y", "m")
             AT("y", "%v = OpLoad %i32 %in\nOpStore %out %v\n", "m") "%m = OpLabel\n",
         "---", "000"},
        {LESS BRANCH("less", "y", "m") AT("y", "%v = OpUDiv %i64 %l5 %x\n", "m") TAKEN, "---",
         "000"},
        {LESS BRANCH("less", "y", "m")
             AT("y", "%v = OpFunctionCall %i64 %thrice %x\n", "m") "%m = OpLabel\n",
         "-----", "00000"},
        {LESS BRANCH("less", "y", "m") AT("y", WAIT, "m") "%m = OpLabel\n", "----", "0000"},
        {LESS BRANCH("less", "y", "m") "%y = OpLabel\nOpReturn\n%m = OpLabel\n", "---", "000"},
        /* Shifts fail only in lanes. */
        {LESS BRANCH("less", "y", "m") AT("y", "%v = OpShiftLeftLogical %i64 %x %x\n", "m") TAKEN,
         "2--", "010"},
        /* A value of all lanes. */
        {LESS BRANCH("less", "y", "m")
             AT("y", "%v = OpIAdd %i64 %n %n\n",
                "m") "%m = OpLabel\n%at = OpPhi %i64 %v %y %l1 %entry\n" STORE,
         "---", "000"},
        {EQUAL BRANCH("equal", "y", "m") AT("y", ADD, "m") "%m = OpLabel\n", "---", "000"},
        /* Loops. */
        {REPEATED, "---", "000"},
        {"OpBranch %head\n%head = OpLabel\n%i = OpPhi %i64 %l0 %entry %i1 %next\n"
         "%i1 = OpIAdd %i64 %i %l1\n%again = OpULessThan %bool %i1 %x\n" BRANCH(
             "again", "next", "done") AT("next", "", "head") "%done = OpLabel\n",
         "----", "0000"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        flattened f = flat_open("", cases[i].body);
        if (f.reason) fail_msg("%u: %s", i, f.reason);
        char joins[16] = "", folded[16] = "";
        for (uint32_t b = 0; b < f.flat.blocks.count && b < 15; b++) {
            const tier_block *block = &f.flat.blocks.items[b];
            joins[b] = block->join == SIM_NONE ? '-' : (char)('0' + block->join);
            folded[b] = block->is_folded ? '1' : '0';
            if (block->is_folded) assert_false(block->may_be_parked);
        }
        if (strcmp(joins, cases[i].joins) || strcmp(folded, cases[i].folded))
            fail_msg("joins %s, folded %s, expected %s and %s:\n%s", joins, folded, cases[i].joins,
                     cases[i].folded, cases[i].body);
        flat_close(&f);
    }
}

/* Appends a block with a chain of `count` additions, NAME_1 and so on. */
static void chain_append(rt_buffer *body, const char *name, uint32_t count)
{
    rt_buffer_printf(body, "%%%s = OpLabel\n%%%s_1 = OpIAdd %%i64 %%x %%x\n", name, name);
    for (uint32_t i = 2; i <= count; i++)
        rt_buffer_printf(body, "%%%s_%u = OpIAdd %%i64 %%x %%%s_%u\n", name, i, name, i - 1);
    rt_buffer_printf(body, "OpBranch %%m\n");
}

/* Where the sides of the first branch of a kernel meet. */
static uint32_t first_join(const rt_buffer *body)
{
    flattened f = flat_open("", rt_buffer_string(body));
    assert_null(f.reason);
    uint32_t join = f.flat.blocks.items[0].join;
    flat_close(&f);
    return join;
}

/* Both sides together have at most 16 operations, and there are at most 12 blocks. */
static void test_fold_limits(void **state)
{
    (void)state;
    rt_buffer body = {0};
    for (uint32_t count = 7; count <= 9; count++) {
        body.size = 0;
        rt_buffer_printf(&body, "%s", LESS BRANCH("less", "y", "z"));
        chain_append(&body, "y", count);
        chain_append(&body, "z", 8);
        rt_buffer_printf(&body, "%%m = OpLabel\n%%at = OpPhi %%i64 %%y_%u %%y %%z_8 %%z\n%s", count,
                         STORE);
        assert_int_equal(first_join(&body), count <= 8 ? 3 : SIM_NONE);
    }
    /* The constant is moved. */
    for (uint32_t count = 14; count <= 16; count++) {
        body.size = 0;
        rt_buffer_printf(&body, "%s", LESS BRANCH("less", "y", "m"));
        chain_append(&body, "y", count);
        rt_buffer_printf(&body, "%%m = OpLabel\n%%at = OpPhi %%i64 %%y_%u %%y %%l1 %%entry\n%s",
                         count, STORE);
        assert_int_equal(first_join(&body), count <= 15 ? 2 : SIM_NONE);
    }
    for (uint32_t count = 11; count <= 13; count++) {
        body.size = 0;
        rt_buffer_printf(&body, "%s", LESS BRANCH("less", "y1", "m"));
        for (uint32_t i = 1; i < count; i++)
            rt_buffer_printf(&body, "%%y%u = OpLabel\nOpBranch %%y%u\n", i, i + 1);
        rt_buffer_printf(&body, "%%y%u = OpLabel\nOpBranch %%m\n%%m = OpLabel\n", count);
        assert_int_equal(first_join(&body), count <= 12 ? count + 1 : SIM_NONE);
    }
    rt_buffer_free(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),     cmocka_unit_test(test_many_strides),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_ways),        cmocka_unit_test(test_folds),
        cmocka_unit_test(test_fold_limits), cmocka_unit_test(test_objects),
        cmocka_unit_test(test_frames),      cmocka_unit_test(test_stores),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
