/* Tests of validation: types of operands, dominance, phis, calls, constants; and of flow.c's
 * analysis of blocks.  Every refusal has an accepted counterpart of the same shape. */
#include "sim/module/module.h"
#include "sim/test/assembler.h"

#include <stdio.h>

#define TYPES                                                                                        \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%char = OpTypeInt 8 0\n%int = OpTypeInt 32 0\n"         \
    "%long = OpTypeInt 64 0\n%float = OpTypeFloat 32\n%double = OpTypeFloat 64\n"                    \
    "%ints = OpTypeVector %int 4\n%floats = OpTypeVector %float 4\n%bools = OpTypeVector %bool 4\n"  \
    "%pair = OpTypeStruct %int %float\n%zero = OpConstant %int 0\n%one = OpConstant %int 1\n"        \
    "%two = OpConstant %int 2\n%half = OpConstant %float 0.5\n%long1 = OpConstant %long 1\n"         \
    "%table = OpTypeArray %int %two\n%yes = OpConstantTrue %bool\n"                                  \
    "%global = OpTypePointer CrossWorkgroup %int\n%private = OpTypePointer Function %int\n"          \
    "%generic = OpTypePointer Generic %int\n%pairs = OpTypePointer CrossWorkgroup %pair\n"           \
    "%fpointer = OpTypePointer CrossWorkgroup %float\n%type = OpTypeFunction %void %global %pairs\n" \
    "%floats2 = OpTypeVector %float 2\n%floats8 = OpTypeVector %float 8\n"                           \
    "%get = OpTypeFunction %int %int\n"

#define FUNCTION                                                                                   \
    "%main = OpFunction %void None %type\n%g = OpFunctionParameter %global\n"                      \
    "%s = OpFunctionParameter %pairs\n%entry = OpLabel\n"

/* A module with a function that consists of the statements, which must end their last block. */
static const char *module_of(char *text, size_t size, const char *statements)
{
    int length = snprintf(text, size, "%s%s%s%sOpFunctionEnd\n", SIM_TEST_PRELUDE, TYPES, FUNCTION,
                          statements);
    assert_true(length > 0 && (size_t)length < size);
    return text;
}

typedef struct refusal {
    const char *statements;
    const char *words; /* of the message; NULL: accepted */
} refusal;

static void run(const refusal *cases, size_t count)
{
    char text[8192];
    for (size_t i = 0; i < count; i++) {
        module_of(text, sizeof text, cases[i].statements);
        if (cases[i].words) {
            sim_test_refused(text, RT_MALFORMED, cases[i].words);
        } else {
            rt_sink *sink = rt_sink_create();
            sim_module_destroy(sim_test_module(sink, text));
            rt_sink_destroy(sink);
        }
    }
}

#define RUN(cases) run(cases, sizeof(cases) / sizeof(cases)[0])

static void test_values(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"%a = OpIAdd %int %one %two\n%b = OpNot %int %a\n%c = OpIEqual %bool %a %b\nOpReturn\n",
         NULL},
        {"%a = OpIAdd %int %one %long1\nOpReturn\n", "type of the result"},
        {"%a = OpIAdd %float %half %half\nOpReturn\n", "the result must be integers"},
        {"%a = OpIAdd %int %one %int\nOpReturn\n", "is not a value"},
        {"%a = OpIAdd %int %one %main\nOpReturn\n", "is not a value"},
        {"%a = OpFAdd %float %half %one\nOpReturn\n", "type of the result"},
        {"%a = OpShiftLeftLogical %long %long1 %one\nOpReturn\n", NULL},
        {"%a = OpShiftLeftLogical %long %long1 %half\nOpReturn\n", "operand 1"},
        {"%a = OpConvertFToS %long %half\nOpReturn\n", NULL},
        {"%a = OpConvertFToS %ints %half\nOpReturn\n", "operand 0"},
        {"%a = OpFOrdLessThan %bool %half %half\nOpReturn\n", NULL},
        {"%a = OpFOrdLessThan %bools %half %half\nOpReturn\n", "operand 0"},
        {"%a = OpIEqual %bool %one %long1\nOpReturn\n", "type of the first operand"},
        {"%a = OpSelect %int %yes %one %two\nOpReturn\n", NULL},
        {"%a = OpSelect %int %one %one %two\nOpReturn\n", "must be bools"},
        {"%a = OpBitcast %float %one\nOpReturn\n", NULL},
        {"%a = OpBitcast %double %one\nOpReturn\n", "32 bits"},
        {"%a = OpConvertPtrToU %long %g\n%b = OpConvertUToPtr %global %a\nOpReturn\n", NULL},
        {"%a = OpConvertPtrToU %long %one\nOpReturn\n", "must be a pointer"},
        {"%a = OpPtrCastToGeneric %generic %g\n%b = OpGenericCastToPtr %global %a\nOpReturn\n",
         NULL},
        {"%a = OpPtrCastToGeneric %global %g\nOpReturn\n", "Generic"},
        {"%a = OpGenericCastToPtr %global %g\nOpReturn\n", "Generic"},
        {"%a = OpExtInst %float %std fma %half %half %half\nOpReturn\n", NULL},
        {"%a = OpExtInst %int %std fma %one %one %one\nOpReturn\n", "the result must be floats"},
        {"%a = OpExtInst %int %std s_max %one %half\nOpReturn\n", "type of the result"},
    };
    RUN(cases);
}

/* Functions of OpenCL.std over several types. */
static void test_mixed_functions(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"%p = OpInBoundsPtrAccessChain %fpointer %s %long1 %one\n"
         "%a = OpExtInst %float %std pown %half %one\n%b = OpExtInst %int %std ilogb %half\n"
         "%c = OpExtInst %float %std nan %one\n%d = OpExtInst %float %std fract %half %p\n"
         "%e = OpExtInst %float %std frexp %half %g\n"
         "%f = OpExtInst %float %std remquo %half %half %g\n"
         "%h = OpCompositeConstruct %floats %half %half %half %half\n"
         "%i = OpExtInst %floats %std cross %h %h\n%j = OpExtInst %float %std length %h\n"
         "%k = OpExtInst %float %std distance %half %half\n"
         "%l = OpExtInst %floats %std normalize %h\nOpReturn\n",
         NULL},
        {"%a = OpExtInst %float %std pown %half %half\nOpReturn\n", "must be integers"},
        {"%a = OpExtInst %float %std rootn %half %long1\nOpReturn\n", "32-bit integers"},
        {"%a = OpExtInst %float %std ldexp %one %one\nOpReturn\n", "type of the result"},
        {"%a = OpExtInst %long %std ilogb %half\nOpReturn\n", "32-bit integers"},
        {"%a = OpExtInst %float %std ilogb %half\nOpReturn\n", "the result must be integers"},
        {"%a = OpExtInst %float %std nan %long1\nOpReturn\n", "differs in width"},
        {"%a = OpExtInst %float %std nan %half\nOpReturn\n", "must be integers"},
        {"%a = OpExtInst %float %std fract %half %g\nOpReturn\n", "does not point to"},
        {"%a = OpExtInst %float %std modf %half %half\nOpReturn\n", "must be a pointer"},
        {"%p = OpInBoundsPtrAccessChain %fpointer %s %long1 %one\n"
         "%a = OpExtInst %float %std frexp %half %p\nOpReturn\n",
         "32-bit integers"},
        {"%h = OpCompositeConstruct %floats %half %half %half %half\n"
         "%a = OpExtInst %floats %std lgamma_r %h %g\nOpReturn\n",
         "differ in shape"},
        {"%a = OpExtInst %float %std remquo %half %half %half\nOpReturn\n", "must be a pointer"},
        {"%a = OpExtInst %float %std cross %half %half\nOpReturn\n", "the result must be floats"},
        {"%h = OpCompositeConstruct %floats2 %half %half\n"
         "%a = OpExtInst %floats2 %std cross %h %h\nOpReturn\n",
         "2 components, not 3 to 4"},
        {"%h = OpUndef %floats8\n%a = OpExtInst %float %std length %h\nOpReturn\n",
         "8 components, not 1 to 4"},
        {"%h = OpUndef %floats8\n%a = OpExtInst %floats8 %std normalize %h\nOpReturn\n",
         "8 components, not 1 to 4"},
        {"%a = OpExtInst %double %std length %half\nOpReturn\n",
         "not have the operands' component type"},
        {"%h = OpUndef %floats\n%a = OpExtInst %float %std distance %h %half\nOpReturn\n",
         "type of the first operand"},
    };
    RUN(cases);
}

static void test_composites(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"%a = OpCompositeConstruct %ints %one %one %two %two\n"
         "%b = OpCompositeExtract %int %a 3\n%c = OpVectorShuffle %ints %a %a 0 7 4294967295 1\n"
         "%d = OpCompositeInsert %ints %b %a 0\n%e = OpVectorExtractDynamic %int %a %one\n"
         "%f = OpVectorInsertDynamic %ints %a %one %two\nOpReturn\n",
         NULL},
        {"%a = OpCompositeConstruct %ints %one %one %two\nOpReturn\n", "3 components, not 4"},
        {"%a = OpCompositeConstruct %pair %one %half\n%b = OpCompositeExtract %float %a 1\n"
         "OpReturn\n",
         NULL},
        {"%a = OpCompositeConstruct %pair %half %one\nOpReturn\n", "constituent 0"},
        {"%a = OpCompositeConstruct %pair %one\nOpReturn\n", "1 constituents"},
        {"%a = OpUndef %pair\n%b = OpCompositeExtract %float %a 2\nOpReturn\n", "index 2"},
        {"%a = OpUndef %pair\n%b = OpCompositeExtract %int %a 1\nOpReturn\n", "differs in type"},
        {"%a = OpUndef %ints\n%b = OpVectorShuffle %ints %a %a 0 8 1 1\nOpReturn\n", "component 8"},
        {"%a = OpUndef %ints\n%b = OpVectorShuffle %ints %a %a 0 1\nOpReturn\n", "2 components"},
        {"%a = OpUndef %pair\n%b = OpCompositeInsert %pair %half %a 0\nOpReturn\n",
         "differs in type"},
    };
    RUN(cases);
}

static void test_memory(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"%v = OpVariable %private Function %one\n%a = OpLoad %int %g Aligned 4\n"
         "OpStore %v %a Aligned 4\n%p = OpInBoundsPtrAccessChain %fpointer %s %long1 %one\n"
         "%f = OpLoad %float %p\nOpCopyMemory %v %v\nOpReturn\n",
         NULL},
        {"%a = OpLoad %float %g\nOpReturn\n", "does not point to"},
        {"OpStore %g %half\nOpReturn\n", "does not point to"},
        {"OpStore %one %one\nOpReturn\n", "must be a pointer"},
        {"%v = OpVariable %global CrossWorkgroup\nOpReturn\n", "storage class Function"},
        {"%v = OpVariable %private Function %half\nOpReturn\n", "initializer"},
        {"%p = OpInBoundsPtrAccessChain %fpointer %s %long1 %two\nOpReturn\n", "2 members"},
        {"%p = OpInBoundsPtrAccessChain %global %s %long1 %one\nOpReturn\n", "does not point to"},
        {"%p = OpInBoundsPtrAccessChain %global %g %long1 %one\nOpReturn\n", "has no parts"},
        {"%p = OpAccessChain %private %s %zero\nOpReturn\n", "does not point to"},
        {"%a = OpLoad %int %g\n%p = OpAccessChain %global %s %a\nOpReturn\n", "not a constant"},
        {"%a = OpAtomicIAdd %int %g %one %zero %one\nOpReturn\n", NULL},
        {"%a = OpAtomicIAdd %long %g %one %zero %long1\nOpReturn\n", "does not point to"},
        {"OpControlBarrier %two %two %zero\nOpReturn\n", NULL},
        {"OpControlBarrier %two %half %zero\nOpReturn\n", "must be a 32-bit integer"},
        {"OpControlBarrier %two %two %long1\nOpReturn\n", "must be a 32-bit integer"},
        {"OpMemoryBarrier %long1 %zero\nOpReturn\n", "must be a 32-bit integer"},
        {"%a = OpAtomicIAdd %int %g %one %long1 %one\nOpReturn\n", "must be a 32-bit integer"},
    };
    RUN(cases);
    char text[8192];
    sim_test_refused(module_of(text, sizeof text,
                               "%a = OpLoad %int %g\nOpControlBarrier %a %two %zero\nOpReturn\n"),
                     RT_UNSUPPORTED, "not a plain constant");
    sim_test_refused(module_of(text, sizeof text, "%a = OpExtInst %int %std printf %g\nOpReturn\n"),
                     RT_MALFORMED, "the format is not a pointer");
}

static void test_control(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"OpBranchConditional %yes %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n"
         "%x = OpPhi %int %one %entry %two %a\nOpReturn\n",
         NULL},
        {"OpBranch %entry\n", "the first of its function"},
        {"OpBranch %one\n", "not a block"},
        {"OpBranchConditional %one %a %a\n%a = OpLabel\nOpReturn\n", "must be a bool"},
        {"OpReturnValue %one\n", "not the function's return type"},
        {"OpReturn\n%a = OpIAdd %int %one %one\n", "between blocks"},
        {"%a = OpIAdd %int %b %one\n%b = OpIAdd %int %one %one\nOpReturn\n", "does not reach"},
        {"%a = OpIAdd %int %a %one\nOpReturn\n", "does not reach"},
        {"OpBranchConditional %yes %a %b\n%a = OpLabel\n%x = OpIAdd %int %one %one\nOpBranch %b\n"
         "%b = OpLabel\n%y = OpIAdd %int %x %one\nOpReturn\n",
         "does not reach"},
        {"OpBranchConditional %yes %a %b\n%a = OpLabel\n%x = OpIAdd %int %one %one\nOpBranch %b\n"
         "%b = OpLabel\n%y = OpPhi %int %x %a %one %entry\nOpReturn\n",
         NULL},
        {"OpBranchConditional %yes %a %b\n%a = OpLabel\n%x = OpIAdd %int %one %one\nOpBranch %b\n"
         "%b = OpLabel\n%y = OpPhi %int %x %entry %one %a\nOpReturn\n",
         "does not reach the end"},
        {"OpBranch %a\n%a = OpLabel\n%x = OpPhi %int %one %a\nOpReturn\n", "not a predecessor"},
        {"OpBranchConditional %yes %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n"
         "%x = OpPhi %int %one %a\nOpReturn\n",
         "1 of the block's 2 predecessors"},
        {"OpBranch %a\n%a = OpLabel\n%x = OpPhi %int %half %entry\nOpReturn\n", "phi's type"},
        {"OpBranch %a\n%a = OpLabel\n%y = OpIAdd %int %one %one\n"
         "%x = OpPhi %int %one %entry\nOpReturn\n",
         "beginning of its block"},
        {"OpSwitch %one %a 1 %b 2 %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n"
         "%x = OpPhi %int %one %entry %one %entry %two %a\nOpReturn\n",
         NULL},
        {"OpSwitch %one %a 1 %b 2 %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n"
         "%x = OpPhi %int %one %entry %two %entry %two %a\nOpReturn\n",
         "has two values for block"},
        {"OpSwitch %long1 %a 4294967297 %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\nOpReturn\n",
         NULL},
        {"OpSwitch %half %a\n%a = OpLabel\nOpReturn\n", "not a numerical scalar"},
        /* Unreachable uses need not be dominated. */
        {"OpReturn\n%a = OpLabel\n%x = OpIAdd %int %y %one\nOpBranch %b\n%b = OpLabel\n"
         "%y = OpIAdd %int %one %one\nOpBranch %a\n",
         NULL},
    };
    RUN(cases);
}

static void test_calls(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"%a = OpFunctionCall %int %f %one\nOpReturn\nOpFunctionEnd\n"
         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
         "OpReturnValue %x\n",
         NULL},
        {"%a = OpFunctionCall %int %f\nOpReturn\nOpFunctionEnd\n"
         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
         "OpReturnValue %x\n",
         "0 arguments"},
        {"%a = OpFunctionCall %int %f %half\nOpReturn\nOpFunctionEnd\n"
         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
         "OpReturnValue %x\n",
         "argument 0"},
        {"%a = OpFunctionCall %float %f %one\nOpReturn\nOpFunctionEnd\n"
         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
         "OpReturnValue %x\n",
         "not the return type of function"},
        {"%a = OpFunctionCall %int %one %one\nOpReturn\n", "not a function"},
        {"%a = OpIAdd %int %x %one\nOpReturn\nOpFunctionEnd\n"
         "%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n%l = OpLabel\n"
         "OpReturnValue %x\n",
         "another function"},
        {"OpReturn\nOpFunctionEnd\n%f = OpFunction %int None %get\n%l = OpLabel\n"
         "OpReturnValue %one\n",
         "0 parameters"},
        {"OpReturn\nOpFunctionEnd\n%f = OpFunction %int None %get\n%x = OpFunctionParameter %int\n"
         "%l = OpLabel\nOpReturn\n",
         "returns a value"},
    };
    RUN(cases);
}

/* Decorations that would change what is computed. */
static void test_modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *decoration;
        const char *words;
        rt_code code;
    } cases[] = {
        {"OpDecorate %a FPRoundingMode RTZ\n", NULL, RT_OK},
        {"OpDecorate %a FPRoundingMode RTP\n", NULL, RT_OK},
        {"OpDecorate %a SaturatedConversion\n", NULL, RT_OK},
        {"OpDecorate %b FPRoundingMode RTE\n", NULL, RT_OK},
        {"OpDecorate %b FPRoundingMode RTZ\n", NULL, RT_OK},
        {"OpDecorate %b SaturatedConversion\n", "other than a conversion to an integer",
         RT_MALFORMED},
        {"OpDecorate %c FPRoundingMode RTE\n", NULL, RT_OK},
        {"OpDecorate %c FPRoundingMode RTZ\n", "rounding mode RTZ", RT_UNSUPPORTED},
        {"OpDecorate %c SaturatedConversion\n", "other than a conversion to an integer",
         RT_MALFORMED},
    };
    char text[8192];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s%s%s", SIM_TEST_PRELUDE, cases[i].decoration, TYPES,
                 FUNCTION "%a = OpConvertFToS %int %half\n%b = OpConvertSToF %float %one\n"
                          "%c = OpFAdd %float %half %half\n"
                          "OpReturn\nOpFunctionEnd\n");
        if (cases[i].words) {
            sim_test_refused(text, cases[i].code, cases[i].words);
        } else {
            rt_sink *sink = rt_sink_create();
            sim_module_destroy(sim_test_module(sink, text));
            rt_sink_destroy(sink);
        }
    }
}

static void test_constants(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"%c = OpConstantComposite %pair %one %half\n", NULL},
        {"%c = OpConstantComposite %pair %half %one\n", "constituent 0"},
        {"%c = OpConstantComposite %ints %one %one %one\n", "3 constituents"},
        {"%c = OpConstantComposite %table %one %d\n%d = OpConstant %int 7\n", "defined earlier"},
        {"%c = OpSpecConstantOp %int IAdd %one %two\n", NULL},
        {"%c = OpSpecConstantOp %int IAdd %one %half\n", "type of the result"},
        {"%c = OpSpecConstantOp %int IAdd %one %c\n", "defined earlier"},
        {"%c = OpConstantTrue %int\n", "OpTypeBool"},
        {"%c = OpConstantNull %void\n", "no values"},
        {"%v = OpVariable %global CrossWorkgroup %half\n", "initializer"},
        {"%v = OpVariable %global Workgroup\n", "storage class Workgroup"},
        {"%v = OpVariable %private Function %one\n", NULL},
        {"%v = OpVariable %generic Generic\n", "module scope"},
    };
    char text[8192];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "%s%s%s", SIM_TEST_PRELUDE, TYPES, cases[i].text);
        if (cases[i].words) {
            sim_test_refused(text, RT_MALFORMED, cases[i].words);
        } else {
            rt_sink *sink = rt_sink_create();
            sim_module_destroy(sim_test_module(sink, text));
            rt_sink_destroy(sink);
        }
    }
}

/* Checks the names of the only function's blocks, in order. */
static void assert_order(const sim_module *module, const char *expected)
{
    rt_buffer names = {0};
    const sim_function *function = &module->functions[0];
    for (uint32_t i = 0; i < function->order_count; i++) {
        rt_text name = sim_module_name(module, module->blocks[function->order[i]].label);
        rt_buffer_printf(&names, "%s%.*s", i ? " " : "", RT_TEXT_ARG(name));
        assert_int_equal(module->blocks[function->order[i]].order, i);
    }
    assert_string_equal(rt_buffer_string(&names), expected);
    rt_buffer_free(&names);
}

static const sim_block *named_block(const sim_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->block_count; i++) {
        if (rt_text_is(sim_module_name(module, module->blocks[i].label), name)) {
            return &module->blocks[i];
        }
    }
    fail_msg("no block %s", name);
    return NULL;
}

#define NAMES(a, b, c, d, e)                                                                       \
    "OpName %entry \"entry\"\nOpName %" a " \"" a "\"\nOpName %" b " \"" b "\"\nOpName %" c        \
    " \"" c "\"\nOpName %" d " \"" d "\"\nOpName %" e " \"" e "\"\n"

/* Nested loops whose blocks appear and branch in an unhelpful order: the exits still come last. */
static void test_order_of_loops(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(
        sink, SIM_TEST_PRELUDE NAMES("outer", "inner", "body", "latch", "exit") TYPES FUNCTION
        "OpBranch %outer\n%exit = OpLabel\nOpReturn\n"
        "%outer = OpLabel\nOpBranchConditional %yes %exit %inner\n"
        "%inner = OpLabel\nOpBranchConditional %yes %latch %body\n"
        "%latch = OpLabel\nOpBranch %outer\n"
        "%body = OpLabel\nOpBranchConditional %yes %exit %inner\nOpFunctionEnd\n");
    assert_order(module, "entry outer inner body latch exit");
    assert_int_equal(named_block(module, "body")->loop_depth, 2);
    assert_int_equal(named_block(module, "inner")->loop_depth, 2);
    assert_int_equal(named_block(module, "latch")->loop_depth, 1);
    assert_int_equal(named_block(module, "exit")->loop_depth, 0);
    assert_ptr_equal(&module->blocks[named_block(module, "body")->loop],
                     named_block(module, "inner"));
    assert_ptr_equal(&module->blocks[named_block(module, "exit")->dominator],
                     named_block(module, "outer"));
    assert_true(sim_block_dominates(named_block(module, "inner"), named_block(module, "latch")));
    assert_false(sim_block_dominates(named_block(module, "body"), named_block(module, "latch")));
    assert_int_equal(named_block(module, "inner")->predecessor_count, 2);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* Two blocks that branch to each other and are both entered from outside are not a natural loop. */
static void test_irreducible(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, SIM_TEST_PRELUDE NAMES("a", "b", "exit", "dead", "end") TYPES FUNCTION
                        "OpBranchConditional %yes %a %b\n%a = OpLabel\nOpBranch %b\n"
                        "%b = OpLabel\nOpBranchConditional %yes %a %exit\n"
                        "%exit = OpLabel\nOpBranch %end\n%dead = OpLabel\nOpBranch %end\n"
                        "%end = OpLabel\nOpReturn\nOpFunctionEnd\n");
    const sim_block *a = named_block(module, "a"), *b = named_block(module, "b");
    assert_int_equal(a->loop, SIM_NONE);
    assert_int_equal(b->loop, SIM_NONE);
    assert_int_equal(module->functions[0].order_count, 5);
    assert_int_equal(named_block(module, "dead")->order, SIM_NONE);
    assert_int_equal(named_block(module, "end")->predecessor_count, 2);
    assert_ptr_equal(&module->blocks[b->dominator], named_block(module, "entry"));
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_mixed_functions),
        cmocka_unit_test(test_composites),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_control),        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_constants),      cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_order_of_loops), cmocka_unit_test(test_irreducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
