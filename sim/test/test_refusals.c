/* Modules that are refused when they are read or linked, each with the status and the words of its
 * message, and, where the rule is a limit or a form, a twin that is accepted. */
#include "sim/module/module.h"
#include "sim/sim.h"
#include "sim/test/assembler.h"

/* What a case adds to the common module; NULL: nothing. */
typedef struct parts {
    const char *before;    /* capabilities and extensions */
    const char *modes;     /* execution modes and annotations */
    const char *types;     /* types, constants and variables */
    const char *body;      /* of the kernel */
    const char *functions; /* after the kernel */
} parts;

typedef struct refusal {
    const char *words; /* of the message; NULL: accepted */
    rt_code code;
    parts parts;
} refusal;

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static char *text_of(const parts *p)
{
    char *text = NULL;
    int length = asprintf(
        &text,
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability Int16\nOpCapability Int8\nOpCapability Groups\n"
        "OpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n"
        "OpCapability GroupNonUniformShuffle\nOpCapability GroupNonUniformArithmetic\n"
        "OpCapability GroupNonUniformClustered\nOpCapability GroupNonUniformQuad\n"
        "OpCapability GroupNonUniformVote\nOpCapability GenericPointer\nOpCapability Float64\n"
        "OpCapability Float16Buffer\n%s\n%%std = OpExtInstImport \"OpenCL.std\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%k \"k\" %%gid\n%s\n"
        "OpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%char = OpTypeInt 8 0\n"
        "%%int = OpTypeInt 32 0\n%%long = OpTypeInt 64 0\n%%float = OpTypeFloat 32\n"
        "%%double = OpTypeFloat 64\n%%half = OpTypeFloat 16\n%%event = OpTypeEvent\n%%v2 = OpTypeVector %%int 2\n%%v4 = OpTypeVector %%int 4\n"
        "%%f4 = OpTypeVector %%float 4\n%%v3l = OpTypeVector %%long 3\n"
        "%%pi = OpTypePointer CrossWorkgroup %%int\n%%pin = OpTypePointer Input %%v3l\n"
        "%%wi = OpTypePointer Workgroup %%int\n%%fi = OpTypePointer Function %%int\n"
        "%%c0 = OpConstant %%int 0\n%%c1 = OpConstant %%int 1\n%%c2 = OpConstant %%int 2\n"
        "%%c3 = OpConstant %%int 3\n%%c4 = OpConstant %%int 4\n%%c64 = OpConstant %%int 64\n"
        "%%l1 = OpConstant %%long 1\n%%l2 = OpConstant %%long 2\n%%f1 = OpConstant %%float 1\n"
        "%%yes = OpConstantTrue %%bool\n%%null = OpConstantNull %%pi\n"
        "%%vc = OpConstantComposite %%v4 %%c1 %%c1 %%c1 %%c1\n"
        "%%gid = OpVariable %%pin Input\n%%fk = OpTypeFunction %%void %%pi\n"
        "%%fv = OpTypeFunction %%void\n%s\n"
        "%%k = OpFunction %%void None %%fk\n%%p = OpFunctionParameter %%pi\n%%e = OpLabel\n"
        "%%all = OpLoad %%v3l %%gid\n%%x = OpCompositeExtract %%long %%all 0\n"
        "%%w = OpUConvert %%int %%x\n%s\nOpReturn\nOpFunctionEnd\n%s\n",
        or_nothing(p->before), or_nothing(p->modes), or_nothing(p->types), or_nothing(p->body),
        or_nothing(p->functions));
    assert_true(length > 0);
    return text;
}

/* Reads and links the module; expects the case's outcome. */
static void try(const refusal *c)
{
    char *text = text_of(&c->parts);
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(text);
    sim_module *module = NULL;
    sim_program *program = NULL;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    if (rt_ok(status)) {
        status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
        assert_true(rt_ok(status) == (program != NULL));
    }
    const char *message = rt_ok(status) ? "" : rt_sink_diagnostic(sink, status)->message.data;
    if (status.code != c->code || (c->words && !strstr(message, c->words)))
        fail_msg("%s: expected %s with '%s', got %s: %s", c->parts.body ? c->parts.body : "",
                 rt_code_name(c->code), or_nothing(c->words), rt_code_name(status.code), message);
    sim_program_destroy(program);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    rt_free((void *)code.data);
    free(text);
}

#define TRY_ALL(cases)                                                                             \
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases)[0]; i++)                                  \
    try(&(cases)[i])

/* ---- Reading --------------------------------------------------------------------------------- */

static const refusal declarations_cases[] = {
    {NULL, RT_OK, {.body = ""}},
    {"is not a decoration group defined earlier",
     RT_MALFORMED,
     {.modes = "OpGroupDecorate %c1 %gid"}},
    {NULL,
     RT_OK,
     {.modes = "OpDecorate %group Constant\n%group = OpDecorationGroup\n"
               "OpGroupDecorate %group %a %b",
      .types = "%a = OpVariable %pi CrossWorkgroup %c1\n"
               "%b = OpVariable %pi CrossWorkgroup %c1"}},
    {"the linkage name of id",
     RT_MALFORMED,
     {.modes = "OpDecorate %a LinkageAttributes \"\" Export",
      .types = "%a = OpVariable %pi CrossWorkgroup %c1"}},
    {"has no values",
     RT_MALFORMED,
     {.types = "%pf = OpTypePointer CrossWorkgroup %fv\n%a = OpVariable %pf CrossWorkgroup"}},
    {"the alignment 3 is not a power of two",
     RT_MALFORMED,
     {.modes = "OpDecorate %a Alignment 3", .types = "%a = OpVariable %pi CrossWorkgroup %c1"}},
    {"the alignment 0 is not a power of two",
     RT_MALFORMED,
     {.modes = "OpDecorate %a Alignment 0", .types = "%a = OpVariable %pi CrossWorkgroup %c1"}},
    {"is not an integer that is known before the program runs",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstantNull %int\n%a = OpTypeArray %int %n"}},
    {"storage class Image does not occur in kernels",
     RT_UNSUPPORTED,
     {.types = "%a = OpTypePointer Image %int"}},
    {"is not a pointer type that is defined later",
     RT_MALFORMED,
     {.types = "OpTypeForwardPointer %pi CrossWorkgroup"}},
    {"is not defined in this module but has an initializer",
     RT_MALFORMED,
     {.modes = "OpDecorate %a LinkageAttributes \"a\" Import",
      .types = "%a = OpVariable %pi CrossWorkgroup %c1"}},
    {"is not a constant of type",
     RT_MALFORMED,
     {.types = "%pp = OpTypePointer CrossWorkgroup %pin\n%a = OpVariable %pp CrossWorkgroup %gid"}},
    {"is not a function",
     RT_MALFORMED,
     {.before = "OpCapability FunctionPointersINTEL\n"
                "OpExtension \"SPV_INTEL_function_pointers\"",
      .types = "%pc = OpTypePointer CodeSectionINTEL %fv\n"
               "%a = OpConstantFunctionPointerINTEL %pc %c1"}},
    {"is not a decoration group defined earlier",
     RT_MALFORMED,
     {.modes = "OpGroupDecorate %late %gid\n%late = OpDecorationGroup"}},
    {"is not a pointer to storage class UniformConstant",
     RT_MALFORMED,
     {.types = "%a = OpVariable %int UniformConstant"}},
    {"is not a pointer to storage class Workgroup",
     RT_MALFORMED,
     {.types = "%a = OpVariable %pi Workgroup"}},
    {"floats of 128 bits are refused", RT_UNSUPPORTED, {.types = "%a = OpTypeFloat 128"}},
    {"integers of 128 bits are refused", RT_UNSUPPORTED, {.types = "%a = OpTypeInt 128 0"}},
    {"must have signedness 0", RT_UNSUPPORTED, {.types = "%a = OpTypeInt 32 1"}},
    {NULL,
     RT_OK,
     {.before = "OpCapability Vector16",
      .types = "%a = OpTypeVector %int 8\n%b = OpTypeVector %int 16"}},
    {"must have 2, 3, 4, 8 or 16 components, not 5",
     RT_MALFORMED,
     {.before = "OpCapability Vector16", .types = "%a = OpTypeVector %int 5"}},
    {"must have 2, 3, 4, 8 or 16 components, not 17",
     RT_MALFORMED,
     {.before = "OpCapability Vector16", .types = "%a = OpTypeVector %int 17"}},
    {"must have 2, 3, 4, 8 or 16 components, not 1",
     RT_MALFORMED,
     {.types = "%a = OpTypeVector %int 1"}},
    {"are not scalars", RT_MALFORMED, {.types = "%a = OpTypeVector %pi 4"}},
    {"is not a constant defined earlier",
     RT_MALFORMED,
     {.types = "%a = OpTypeArray %int %late\n%late = OpConstant %int 5"}},
    {"is not a constant defined earlier", RT_MALFORMED, {.types = "%a = OpTypeArray %int %int"}},
    {"the array has no elements", RT_MALFORMED, {.types = "%a = OpTypeArray %int %c0"}},
    {"can be neither passed nor returned",
     RT_MALFORMED,
     {.types = "%a = OpTypeFunction %void %void"}},
    {"can be neither passed nor returned", RT_MALFORMED, {.types = "%a = OpTypeFunction %fv"}},
    {"kernels have no such variable", RT_UNSUPPORTED, {.types = "%a = OpVariable %pin Input"}},
    {"kernels have no such variable",
     RT_UNSUPPORTED,
     {.modes = "OpDecorate %a BuiltIn GlobalSize",
      .types = "%pc = OpTypePointer UniformConstant %v3l\n%a = OpVariable %pc UniformConstant"}},
    {"must consist of integers of 32 or 64 bits (components: 3)",
     RT_MALFORMED,
     {.modes = "OpDecorate %a BuiltIn GlobalSize",
      .types = "%pf = OpTypePointer Input %f4\n%a = OpVariable %pf Input"}},
    {"must consist of integers of 32 or 64 bits (components: 3)",
     RT_MALFORMED,
     {.modes = "OpDecorate %a BuiltIn GlobalSize",
      .types = "%v3f = OpTypeVector %float 3\n%pf = OpTypePointer Input %v3f\n"
               "%a = OpVariable %pf Input"}},
    {"must consist of integers of 32 or 64 bits (components: 3)",
     RT_MALFORMED,
     {.modes = "OpDecorate %a BuiltIn GlobalSize",
      .types = "%v3c = OpTypeVector %char 3\n%pf = OpTypePointer Input %v3c\n"
               "%a = OpVariable %pf Input"}},
    {"must consist of integers of 32 or 64 bits (components: 1)",
     RT_MALFORMED,
     {.modes = "OpDecorate %a BuiltIn WorkDim", .types = "%a = OpVariable %pin Input"}},
    {"id", RT_MALFORMED, {.modes = "OpEntryPoint Kernel %int \"x\""}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.modes = "OpExecutionModeId %k LocalSizeId %int %c1 %c1"}},
    {"follows a definition",
     RT_MALFORMED,
     {.modes = "OpDecorate %late LinkageAttributes \"late\" Import",
      .functions = "%late = OpFunction %void None %fv\nOpFunctionEnd"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 16384\n%a = OpTypeArray %char %n\n"
               "%fa = OpTypeFunction %void %a"}},
    /* The structure itself counts too. */
    {"a constant has more than 16777216 parts",
     RT_LIMIT,
     {.types = "%n = OpConstant %int 16777216\n%a = OpTypeArray %char %n\n"
               "%w_ = OpTypeStruct %a\n%z = OpConstantNull %a\n"
               "%whole = OpConstantComposite %w_ %z"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 16777215\n%a = OpTypeArray %char %n\n"
               "%w_ = OpTypeStruct %a\n%z = OpConstantNull %a\n"
               "%whole = OpConstantComposite %w_ %z"}},
    {"has more than 16384 parts and cannot be passed",
     RT_LIMIT,
     {.types = "%n = OpConstant %int 16385\n%a = OpTypeArray %int %n\n"
               "%fa = OpTypeFunction %void %a"}},
    {"a value of type",
     RT_LIMIT,
     {.types = "%n = OpConstant %int 16385\n%a = OpTypeArray %int %n\n",
      .body = "%v = OpUndef %a"}},
};

static void test_declarations(void **state)
{
    (void)state;
    TRY_ALL(declarations_cases);
}

static const refusal operations_cases[] = {
    {"the operand must be a number, a bool or a vector",
     RT_MALFORMED,
     {.body = "%a = OpGroupNonUniformBroadcastFirst %pi %c3 %p"}},
    {"the index must be an integer",
     RT_MALFORMED,
     {.body = "%a = OpGroupNonUniformBallotBitExtract %bool %c3 %vc %f1"}},
    {"the mask must be a vector of four 32-bit integers",
     RT_MALFORMED,
     {.body = "%m = OpUndef %v2\n%a = OpGroupNonUniformBallotBitExtract %bool %c3 %m %c1"}},
    {"the mask must be a vector of four 32-bit integers",
     RT_MALFORMED,
     {.body = "%m = OpUndef %v2\n%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %m"}},
    {"the mask must be a vector of four 32-bit integers",
     RT_MALFORMED,
     {.body = "%m = OpUndef %f4\n%a = OpGroupNonUniformBallotFindLSB %int %c3 %m"}},
    {"the index must be an integer",
     RT_MALFORMED,
     {.body = "%a = OpGroupNonUniformShuffle %int %c3 %w %f1"}},
    {"the scope must be a 32-bit integer",
     RT_MALFORMED,
     {.body = "%a = OpGroupNonUniformElect %bool %l2"}},
    {"the result and both values must have the same type",
     RT_MALFORMED,
     {.before = "OpCapability SubgroupShuffleINTEL\nOpExtension \"SPV_INTEL_subgroups\"",
      .body = "%a = OpSubgroupShuffleDownINTEL %int %w %x %c1"}},
    {"which has no size",
     RT_MALFORMED,
     {.types = "%pv = OpTypePointer CrossWorkgroup %fv",
      .body = "%v = OpBitcast %pv %p\n%a = OpInBoundsPtrAccessChain %pv %v %x"}},
    {"has no values",
     RT_MALFORMED,
     {.types = "%fp = OpTypePointer Function %fv", .body = "%a = OpVariable %fp Function"}},
    {"is not a constant that selects one of 2 members",
     RT_MALFORMED,
     {.types = "%s = OpTypeStruct %int %int\n%ps = OpTypePointer CrossWorkgroup %s",
      .body = "%v = OpBitcast %ps %p\n%a = OpInBoundsAccessChain %pi %v %c2"}},
    {NULL,
     RT_OK,
     {.types = "%s = OpTypeStruct %int %int\n%ps = OpTypePointer CrossWorkgroup %s\n"
               "%zero = OpConstantNull %int",
      .body = "%v = OpBitcast %ps %p\n%a = OpInBoundsAccessChain %pi %v %zero\n"
              "OpStore %a %c1"}},
    {"the value is not a 32-bit or 64-bit integer",
     RT_MALFORMED,
     {.types = "%pc = OpTypePointer CrossWorkgroup %char\n%b1 = OpConstant %char 1",
      .body = "%v = OpBitcast %pc %p\n%a = OpAtomicIAdd %char %v %c1 %c0 %b1"}},
    {"the value is not a 32-bit or 64-bit integer",
     RT_MALFORMED,
     {.types = "%pf = OpTypePointer CrossWorkgroup %float",
      .body = "%v = OpBitcast %pf %p\n%a = OpAtomicIAdd %float %v %c1 %c0 %f1"}},
    {"the result and the operands have different component types",
     RT_MALFORMED,
     {.body = "%v = OpUndef %f4\n%a = OpExtInst %v4 %std shuffle %v %vc"}},
    {"points to a built-in variable, which can only be loaded",
     RT_UNSUPPORTED,
     {.body = "OpStore %gid %all"}},
    {"points to a built-in variable, which can only be loaded",
     RT_UNSUPPORTED,
     {.types = "%fin = OpTypePointer Function %pin", .body = "%a = OpVariable %fin Function %gid"}},
    {"points to a built-in variable, which can only be loaded",
     RT_UNSUPPORTED,
     {.types = "%pl = OpTypePointer Input %long\n%v2l = OpTypeVector %long 2",
      .body = "%v = OpInBoundsAccessChain %pl %gid %c0\n"
              "%a = OpExtInst %v2l %std vloadn %x %v 2"}},
};

static void test_operations(void **state)
{
    (void)state;
    TRY_ALL(operations_cases);
}

/* ---- Types of operands ----------------------------------------------------------------------- */

/* A refusal as malformed, or, without words, an accepted statement. */
typedef struct rule {
    const char *words, *body;
    const char *types, *before; /* NULL: none */
} rule;

static void try_rules(const rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const refusal c = {
            rules[i].words,
            rules[i].words ? RT_MALFORMED : RT_OK,
            {.before = rules[i].before, .types = rules[i].types, .body = rules[i].body}};
        try(&c);
    }
}

#define TRY_RULES(rules) try_rules(rules, sizeof(rules) / sizeof(rules)[0])

#define BOOLS "%b4 = OpTypeVector %bool 4\n%b2 = OpTypeVector %bool 2\n"
#define ARRAY BOOLS "%array = OpTypeArray %int %c4\n"
#define SHAPE "the condition differs in shape from the result"
#define FUNCTION_POINTERS                                                                          \
    "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\""
#define EMPTY(type) "%g = OpFunction %void None " type "\n%in = OpLabel\nOpReturn\nOpFunctionEnd"

/* Functions, kernels and their modes. */
static const refusal functions_and_kernels[] = {
    {NULL,
     RT_OK,
     {.before = FUNCTION_POINTERS,
      .types = "%pc = OpTypePointer CodeSectionINTEL %fv\n"
               "%a = OpConstantFunctionPointerINTEL %pc %g",
      .functions = EMPTY("%fv")}},
    {"does not point to the type of function",
     RT_MALFORMED,
     {.before = FUNCTION_POINTERS,
      .types = "%a = OpConstantFunctionPointerINTEL %pi %g",
      .functions = EMPTY("%fv")}},
    {"does not point to the type of function",
     RT_MALFORMED,
     {.before = FUNCTION_POINTERS,
      .types = "%a = OpConstantFunctionPointerINTEL %int %g",
      .functions = EMPTY("%fv")}},
    {"does not point to the type of function",
     RT_MALFORMED,
     {.before = FUNCTION_POINTERS,
      .types = "%pc = OpTypePointer CodeSectionINTEL %fk\n"
               "%a = OpConstantFunctionPointerINTEL %pc %g",
      .functions = EMPTY("%fv")}},
    {"is not a function type that returns", RT_MALFORMED, {.functions = EMPTY("%int")}},
    {"is not a function type that returns",
     RT_MALFORMED,
     {.types = "%fi_ = OpTypeFunction %int", .functions = EMPTY("%fi_")}},
    {"does not match the type",
     RT_MALFORMED,
     {.functions = "%g = OpFunction %void None %fv\n%a = OpFunctionParameter %int\n%in = OpLabel\n"
                   "OpReturn\nOpFunctionEnd"}},
    {"does not match the type",
     RT_MALFORMED,
     {.functions = "%g = OpFunction %void None %fk\n%a = OpFunctionParameter %int\n%in = OpLabel\n"
                   "OpReturn\nOpFunctionEnd"}},
    {"has 0 parameters, but its type has 1", RT_MALFORMED, {.functions = EMPTY("%fk")}},
    {"is not defined here or returns a value",
     RT_MALFORMED,
     {.modes = "OpEntryPoint Kernel %g \"g\"",
      .types = "%fi_ = OpTypeFunction %int",
      .functions = "%g = OpFunction %int None %fi_\n%in = OpLabel\nOpReturnValue %c1\n"
                   "OpFunctionEnd"}},
    {"parameter 0 of kernel g is a pointer that no caller can pass",
     RT_UNSUPPORTED,
     {.modes = "OpEntryPoint Kernel %g \"g\"",
      .types = "%gi = OpTypePointer Generic %int\n%fg = OpTypeFunction %void %gi %int",
      .functions = "%g = OpFunction %void None %fg\n%a = OpFunctionParameter %gi\n"
                   "%b = OpFunctionParameter %int\n%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"parameter 1 of kernel g is a pointer that no caller can pass",
     RT_UNSUPPORTED,
     {.modes = "OpEntryPoint Kernel %g \"g\"",
      .types = "%gi = OpTypePointer Generic %int\n%fg = OpTypeFunction %void %int %gi",
      .functions = "%g = OpFunction %void None %fg\n%b = OpFunctionParameter %int\n"
                   "%a = OpFunctionParameter %gi\n%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"parameter 0 of kernel g is a pointer that no caller can pass",
     RT_UNSUPPORTED,
     {.modes = "OpEntryPoint Kernel %g \"g\"",
      .types = "%fg = OpTypeFunction %void %fi",
      .functions = "%g = OpFunction %void None %fg\n%a = OpFunctionParameter %fi\n%in = OpLabel\n"
                   "OpReturn\nOpFunctionEnd"}},
    {"kernel k is declared twice",
     RT_MALFORMED,
     {.modes = "OpEntryPoint Kernel %g \"k\"", .functions = EMPTY("%fv")}},
    {NULL, RT_OK, {.modes = "OpExecutionMode %k LocalSize 4096 1 1"}},
    {NULL, RT_OK, {.modes = "OpExecutionMode %k LocalSize 1 64 64"}},
    {"a work-group must have 1 to 4096 work-items",
     RT_LIMIT,
     {.modes = "OpExecutionMode %k LocalSize 4097 1 1"}},
    {"a work-group must have 1 to 4096 work-items",
     RT_LIMIT,
     {.modes = "OpExecutionMode %k LocalSize 1 1 4097"}},
    {"a work-group must have 1 to 4096 work-items",
     RT_LIMIT,
     {.modes = "OpExecutionMode %k LocalSize 64 65 1"}},
    {"a work-group must have 1 to 4096 work-items",
     RT_LIMIT,
     {.modes = "OpExecutionMode %k LocalSize 1 0 1"}},
    {"bytes",
     RT_LIMIT,
     {.types = "%n = OpConstant %long 0x7fffffffffffffff\n%a = OpTypeArray %char %n"}},
    {"bytes",
     RT_LIMIT,
     {.types = "%n = OpConstant %int 0x3fffffff\n%a = OpTypeArray %char %n\n"
               "%b = OpTypeStruct %a %a %a %a %a"}},
};

static void test_functions_and_kernels(void **state)
{
    (void)state;
    TRY_ALL(functions_and_kernels);
}

static const rule values_rules[] = {
    {NULL, "%c = OpUndef %b4\n%v = OpUndef %v4\n%a = OpSelect %v4 %c %v %v", BOOLS},
    {NULL, "%c = OpUndef %bool\n%v = OpUndef %v4\n%a = OpSelect %v4 %c %v %v", BOOLS},
    {SHAPE, "%c = OpUndef %b4\n%v = OpUndef %v2\n%a = OpSelect %v2 %c %v %v", BOOLS},
    {SHAPE, "%c = OpUndef %b2\n%v = OpUndef %v4\n%a = OpSelect %v4 %c %v %v", BOOLS},
    {SHAPE, "%c = OpUndef %b4\n%a = OpSelect %int %c %c1 %c1", BOOLS},
    {SHAPE, "%c = OpUndef %b4\n%v = OpUndef %array\n%a = OpSelect %array %c %v %v", ARRAY},
    {NULL, "%v = OpUndef %f4\n%a = OpDot %float %v %v"},
    {"the result does not have the operands' component type",
     "%v = OpUndef %f4\n%a = OpDot %double %v %v"},
    {NULL, "%v = OpUndef %f4\n%a = OpVectorTimesScalar %f4 %v %f1"},
    {"the scalar does not have the vector's component type",
     "%v = OpUndef %f4\n%d = OpUndef %double\n%a = OpVectorTimesScalar %f4 %v %d"},
    {NULL, "%a = OpExtInst %int %std u_mul24 %c1 %c1\n%b = OpExtInst %int %std s_mul24 %c1 %c1\n"
           "%c = OpExtInst %int %std u_mad24 %c1 %c1 %c1\n"
           "%d = OpExtInst %int %std s_mad24 %c1 %c1 %c1"},
    {"the result must be 32-bit integers", "%a = OpExtInst %long %std u_mul24 %l1 %l1"},
    {"the result must be 32-bit integers", "%a = OpExtInst %long %std s_mul24 %l1 %l1"},
    {"the result must be 32-bit integers", "%a = OpExtInst %long %std u_mad24 %l1 %l1 %l1"},
    {"the result must be 32-bit integers", "%a = OpExtInst %long %std s_mad24 %l1 %l1 %l1"},
    {NULL, "%a = OpUConvert %long %c1\n%b = OpSConvert %char %c1\n%c = OpFConvert %double %f1\n"
           "%d = OpSatConvertSToU %int %c1"},
    {"the operand is as wide as the result", "%a = OpUConvert %int %c1"},
    {"the operand is as wide as the result", "%a = OpSConvert %int %c1"},
    {"the operand is as wide as the result", "%a = OpFConvert %float %f1"},
    {"OpenCL.std fabs takes 1 operands, not 2", "%a = OpExtInst %float %std !23 %f1 %f1"},
    {"OpenCL.std fma takes 3 operands, not 2", "%a = OpExtInst %float %std !26 %f1 %f1"},
    {"OpenCL.std has no instruction 999", "%a = OpExtInst %float %std !999 %f1"},
    {NULL, "%a = OpUMulExtended %pair %c1 %c1", "%pair = OpTypeStruct %int %int"},
    {"the result must have a type that the instruction accepts", "%a = OpUMulExtended %v2 %c1 %c1"},
    {"the result is not a struct of two members", "%a = OpUMulExtended %pair %c1 %c1",
     "%pair = OpTypeArray %int %c2"},
    {"the result is not a struct of two members", "%a = OpUMulExtended %pair %c1 %c1",
     "%pair = OpTypeStruct %int %int %int"},
    {"the result is not a struct of two members", "%a = OpUMulExtended %pair %c1 %c1",
     "%pair = OpTypeStruct %int %long"},
    {"the result is not a struct of two members", "%a = OpUMulExtended %pair %c1 %c1",
     "%pair = OpTypeStruct %long %int"},
    {"the result is not twice as wide", "%a = OpExtInst %long %std u_upsample %b1 %b1",
     "%b1 = OpConstant %char 1"},
    {NULL, "%a = OpExtInst %long %std u_upsample %c1 %c1"},
    {NULL, "%a = OpExtInst %float %std select %f1 %f1 %c1"},
    {"the selector differs in width from the result",
     "%a = OpExtInst %float %std select %f1 %f1 %l1"},
};

static void test_values(void **state)
{
    (void)state;
    TRY_RULES(values_rules);
}

#define CONSTANTS                                                                                  \
    "%pc = OpTypePointer UniformConstant %int\n%constant = OpVariable %pc UniformConstant %c1\n"   \
    "%gi = OpTypePointer Generic %int\n%gl = OpTypePointer Generic %long\n"                        \
    "%local = OpVariable %wi Workgroup\n%pl = OpTypePointer CrossWorkgroup %long\n"                \
    "%pf = OpTypePointer CrossWorkgroup %fv\n%wl = OpTypePointer Workgroup %long\n"                \
    "%far = OpVariable %wl Workgroup\n"
#define TO_GENERIC   "the cast is not to storage class Generic"
#define FROM_GENERIC "the cast is not from storage class Generic"
#define SAME_TYPE    "the operand and the result do not point to the same type"
#define SIZED        "the pointers must point to the same type, which must have a size"
#define SAME_SIZED   "the operands must point to the same type, which must have a size"
static const rule pointers_rules[] = {
    {NULL,
     "%v = OpVariable %fi Function\n%a = OpPtrCastToGeneric %gi %p\n"
     "%b = OpPtrCastToGeneric %gi %local\n%c = OpPtrCastToGeneric %gi %v\n"
     "%d = OpGenericCastToPtr %pi %a\n%f = OpGenericCastToPtr %wi %a\n"
     "%g = OpGenericCastToPtr %fi %a",
     CONSTANTS},
    {TO_GENERIC, "%a = OpPtrCastToGeneric %gi %constant", CONSTANTS},
    {TO_GENERIC, "%a = OpPtrCastToGeneric %wi %p", CONSTANTS},
    {SAME_TYPE, "%a = OpPtrCastToGeneric %gl %p", CONSTANTS},
    {FROM_GENERIC, "%a = OpPtrCastToGeneric %gi %p\n%b = OpGenericCastToPtr %pc %a", CONSTANTS},
    {FROM_GENERIC, "%a = OpGenericCastToPtr %wi %p", CONSTANTS},
    {SAME_TYPE, "%a = OpPtrCastToGeneric %gi %p\n%b = OpGenericCastToPtr %pl %a", CONSTANTS},
    {"the pointer does not point to the result's type", "%a = OpLoad %long %p"},
    {"the pointer does not point to the value's type", "OpStore %p %l1"},
    {"storage class UniformConstant cannot be written", "OpStore %constant %c1", CONSTANTS},
    {NULL, "OpCopyMemory %p %local", CONSTANTS},
    {"the pointers must point to the same type, which must have values", "OpCopyMemory %p %far",
     CONSTANTS},
    {"the pointers must point to the same type, which must have values",
     "%a = OpBitcast %pf %p\nOpCopyMemory %a %a", CONSTANTS},
    {"a variable in a function must have storage class Function",
     "%a = OpVariable %pi CrossWorkgroup"},
    {"a variable in a function must have storage class Function", "%a = OpVariable %pi Function"},
    {NULL, "%a = OpVariable %fi Function %c1"},
    {"a variable in a function must have storage class Function",
     "%a = OpVariable %fi CrossWorkgroup"},
    {NULL, "%a = OpVariable %fp Function %var",
     "%fp = OpTypePointer Function %pi\n%var = OpVariable %pi CrossWorkgroup"},
    {NULL, "%b = OpBitcast %pf %p\n%a = OpPtrCastToGeneric %gl %b", CONSTANTS},
    {NULL, "%b = OpBitcast %gc %p\n%a = OpPtrDiff %long %b %b",
     "%gc = OpTypePointer CrossWorkgroup %char"},
    {"is not a constant of type", "%a = OpVariable %fi Function %l1"},
    {"is not a constant of type", "%a = OpVariable %fp Function %p",
     "%fp = OpTypePointer Function %pi"},
    {NULL,
     "%a = OpGroupAsyncCopy %event %c2 %local %p %l1 %l1 %none\n"
     "%b = OpGroupAsyncCopy %event %c2 %p %local %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {"the copy is not between CrossWorkgroup and Workgroup memory",
     "%a = OpGroupAsyncCopy %event %c2 %p %p %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {"the copy is not between CrossWorkgroup and Workgroup memory",
     "%a = OpGroupAsyncCopy %event %c2 %local %local %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {"the copy is not between CrossWorkgroup and Workgroup memory",
     "%a = OpGroupAsyncCopy %event %c2 %constant %local %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {"the copy is not between CrossWorkgroup and Workgroup memory",
     "%a = OpGroupAsyncCopy %event %c2 %local %constant %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {SIZED, "%a = OpGroupAsyncCopy %event %c2 %far %p %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event"},
    {SIZED,
     "%a = OpBitcast %pf %p\n%b = OpBitcast %wf %local\n"
     "%c = OpGroupAsyncCopy %event %c2 %b %a %l1 %l1 %none",
     CONSTANTS "%none = OpConstantNull %event\n%wf = OpTypePointer Workgroup %fv"},
    {NULL, "%a = OpPtrDiff %long %p %p"},
    {SAME_SIZED, "%b = OpBitcast %pl %p\n%a = OpPtrDiff %long %p %b", CONSTANTS},
    {SAME_SIZED, "%b = OpBitcast %pf %p\n%a = OpPtrDiff %long %b %b", CONSTANTS},
    {"the pointer is not of storage class Generic", "%a = OpGenericPtrMemSemantics %int %p"},
    {"the result must be 32-bit integers",
     "%g = OpPtrCastToGeneric %gi %p\n%a = OpGenericPtrMemSemantics %long %g", CONSTANTS},
    {NULL, "%g = OpPtrCastToGeneric %gi %p\n%a = OpGenericPtrMemSemantics %int %g", CONSTANTS},
    {NULL, "%a = OpSizeOf %int %p"},
    {"the result must be 32-bit integers", "%a = OpSizeOf %long %p"},
    {"which has no size", "%b = OpBitcast %pf %p\n%a = OpSizeOf %int %b", CONSTANTS},
};

static void test_pointers(void **state)
{
    (void)state;
    TRY_RULES(pointers_rules);
}

#define PAIRS                                                                                      \
    "%pair = OpTypeStruct %int %long\n%ps = OpTypePointer CrossWorkgroup %pair\n"                  \
    "%pl = OpTypePointer CrossWorkgroup %long\n%array = OpTypeArray %pair %c4\n"                   \
    "%pa = OpTypePointer CrossWorkgroup %array\n%u = OpUndef %int\n%sn = OpSpecConstant %int 1\n"
#define BASE    "%s = OpBitcast %ps %p\n%t = OpBitcast %pa %p\n"
#define MEMBERS "is not a constant that selects one of 2 members"
static const rule chains_rules[] = {
    {NULL,
     BASE "%a = OpInBoundsAccessChain %pl %s %c1\n%b = OpAccessChain %pl %t %w %c1\n"
          "%c = OpInBoundsPtrAccessChain %pi %s %x %c0\n%d = OpAccessChain %ps %t %c64",
     PAIRS},
    {"is not an integer", BASE "%a = OpInBoundsAccessChain %pl %t %f1 %c1", PAIRS},
    {"is not an integer", BASE "%a = OpInBoundsAccessChain %pl %t %yes %c1", PAIRS},
    {"is not an integer", BASE "%a = OpInBoundsAccessChain %pl %t %int %c1", PAIRS},
    {MEMBERS, BASE "%a = OpInBoundsAccessChain %pl %s %w", PAIRS},
    {MEMBERS, BASE "%a = OpInBoundsAccessChain %pl %s %u", PAIRS},
    {MEMBERS, BASE "%a = OpInBoundsAccessChain %pl %s %c2", PAIRS},
    {"which has no parts", BASE "%a = OpInBoundsAccessChain %pi %s %c0 %c0", PAIRS},
    {"which has no parts", "%a = OpInBoundsAccessChain %pi %p %c0"},
    {"the result does not point to type", BASE "%a = OpInBoundsAccessChain %pi %s %c1", PAIRS},
    {"the result does not point to type", BASE "%a = OpInBoundsAccessChain %wi %s %c0", PAIRS},
    {"the result does not point to type", "%a = OpInBoundsPtrAccessChain %wi %p %x"},
};

static void test_chains(void **state)
{
    (void)state;
    TRY_RULES(chains_rules);
}

#define TYPES_OF_PARTS                                                                                \
    "%pair = OpTypeStruct %int %float\n%twin = OpTypeStruct %int %float\n"                            \
    "%other = OpTypeStruct %int %int\n%longer = OpTypeStruct %int %float %int\n"                      \
    "%array = OpTypeArray %pair %c2\n%array2 = OpTypeArray %twin %c2\n"                               \
    "%array3 = OpTypeArray %twin %c3\n%outer = OpTypeStruct %array\n%outer2 = OpTypeStruct %array2\n" \
    "%fvc = OpConstantComposite %f4 %f1 %f1 %f1 %f1\n%v2c = OpConstantComposite %v2 %c1 %c1\n"        \
    "%up = OpUndef %pair\n%ua = OpUndef %array\n%uo = OpUndef %outer\n"
#define COPY_LOGICAL "are not two aggregates with matching parts"
static const rule composites_rules[] = {
    {NULL, "%a = OpVectorExtractDynamic %int %vc %c0"},
    {"the result does not have the vector's component type",
     "%a = OpVectorExtractDynamic %long %vc %c0"},
    {NULL, "%a = OpVectorInsertDynamic %v4 %vc %c1 %c0"},
    {"the operand does not have the vector's component type",
     "%a = OpVectorInsertDynamic %v4 %vc %f1 %c0"},
    {NULL, "%a = OpVectorShuffle %v4 %vc %v2c 0 5 3 0xffffffff", TYPES_OF_PARTS},
    {"component 6 does not exist", "%a = OpVectorShuffle %v4 %vc %v2c 0 5 6 3", TYPES_OF_PARTS},
    {"component 6 does not exist", "%a = OpVectorShuffle %v4 %v2c %vc 6 0 1 2", TYPES_OF_PARTS},
    {"the vectors differ in component type", "%a = OpVectorShuffle %v4 %vc %fvc 0 1 2 3",
     TYPES_OF_PARTS},
    {"the vectors differ in component type", "%a = OpVectorShuffle %v4 %fvc %vc 0 1 2 3",
     TYPES_OF_PARTS},
    {"3 components are selected, but the result has 4", "%a = OpVectorShuffle %v4 %vc %vc 0 1 2"},
    {"5 components are selected, but the result has 4",
     "%a = OpVectorShuffle %v4 %vc %vc 0 1 2 3 4"},
    {NULL, "%a = OpCompositeConstruct %v4 %v2c %c1 %w\n%b = OpCompositeConstruct %v4 %v2c %v2c",
     TYPES_OF_PARTS},
    {"the constituents have 3 components, not 4", "%a = OpCompositeConstruct %v4 %c1 %c1 %c1"},
    {"the constituents have 5 components, not 4", "%a = OpCompositeConstruct %v4 %v2c %v2c %c1",
     TYPES_OF_PARTS},
    {"constituent 1, id", "%a = OpCompositeConstruct %v4 %c1 %f1 %c1 %c1"},
    {"constituent 1, id", "%a = OpCompositeConstruct %v2 %c1 %int"},
    {"constituent 1, id", "%a = OpCompositeConstruct %v2 %c1 %e"},
    {"constituent 0, id", "%a = OpCompositeConstruct %pair %int %f1", TYPES_OF_PARTS},
    {"constituent 0, id", "%a = OpCompositeConstruct %v2 %l1 %c1"},
    {"constituent 0, id", "%a = OpCompositeConstruct %v4 %fvc", TYPES_OF_PARTS},
    {"is not a composite", "%a = OpCompositeConstruct %int %c1"},
    {NULL, "%a = OpCompositeConstruct %pair %c1 %f1\n%b = OpCompositeConstruct %array %a %a",
     TYPES_OF_PARTS},
    {"there are 1 constituents, but the type has 2", "%a = OpCompositeConstruct %pair %c1",
     TYPES_OF_PARTS},
    {"there are 3 constituents, but the type has 2", "%a = OpCompositeConstruct %array %up %up %up",
     TYPES_OF_PARTS},
    {"constituent 1, id", "%a = OpCompositeConstruct %pair %c1 %c1", TYPES_OF_PARTS},
    {"constituent 0, id", "%a = OpCompositeConstruct %array %c1 %up", TYPES_OF_PARTS},
    {NULL, "%a = OpCompositeExtract %float %ua 1 1\n%b = OpCompositeExtract %pair %ua 1",
     TYPES_OF_PARTS},
    {"index 2 does not select a member", "%a = OpCompositeExtract %pair %ua 2", TYPES_OF_PARTS},
    {"index 4 does not select a member", "%a = OpCompositeExtract %int %vc 4"},
    {"index 0 does not select a member", "%a = OpCompositeExtract %int %vc 0 0"},
    {"the part differs in type from the result", "%a = OpCompositeExtract %long %vc 0"},
    {NULL, "%a = OpCompositeInsert %v4 %c1 %vc 3"},
    {"index 4 does not select a member", "%a = OpCompositeInsert %v4 %c1 %vc 4"},
    {"the operand differs in type from the part", "%a = OpCompositeInsert %v4 %f1 %vc 3"},
    {NULL,
     "%a = OpCopyLogical %twin %up\n%b = OpCopyLogical %array2 %ua\n"
     "%c = OpCopyLogical %outer2 %uo",
     TYPES_OF_PARTS},
    {COPY_LOGICAL, "%a = OpCopyLogical %pair %up", TYPES_OF_PARTS},
    {COPY_LOGICAL, "%a = OpCopyLogical %other %up", TYPES_OF_PARTS},
    {COPY_LOGICAL, "%a = OpCopyLogical %longer %up", TYPES_OF_PARTS},
    {COPY_LOGICAL, "%a = OpCopyLogical %fpair %up",
     TYPES_OF_PARTS "%fpair = OpTypeStruct %float %float"},
    {COPY_LOGICAL, "%a = OpCopyLogical %array3 %ua", TYPES_OF_PARTS},
    {COPY_LOGICAL, "%a = OpCopyLogical %array2 %up", TYPES_OF_PARTS},
    {"the result must have a type that the instruction accepts", "%a = OpCopyLogical %int %c1"},
};

static void test_composites(void **state)
{
    (void)state;
    TRY_RULES(composites_rules);
}

#define POINTERS                                                                                   \
    "%pl = OpTypePointer CrossWorkgroup %long\n%pf = OpTypePointer CrossWorkgroup %float\n"        \
    "%pd = OpTypePointer CrossWorkgroup %double\n%d1 = OpConstant %double 1\n"                     \
    "%one = OpTypeFunction %int %int\n"
static const rule atomics_and_calls_rules[] = {
    {NULL,
     "%f = OpBitcast %pf %p\n%a = OpAtomicLoad %float %f %c1 %c0\n"
     "OpAtomicStore %f %c1 %c0 %f1\n%b = OpAtomicExchange %float %f %c1 %c0 %f1\n"
     "%d = OpBitcast %pd %p\n%c = OpAtomicLoad %double %d %c1 %c0\n"
     "OpAtomicStore %d %c1 %c0 %d1",
     POINTERS},
    {"the pointer does not point to the value's type", "%a = OpAtomicIAdd %long %p %c1 %c0 %l1"},
    {"the pointer does not point to the value's type", "OpAtomicStore %p %c1 %c0 %l1"},
    {"the value is not a 32-bit or 64-bit integer",
     "%f = OpBitcast %pf %p\n%a = OpAtomicISub %float %f %c1 %c0 %f1", POINTERS},
    {NULL, "%a = OpAtomicFlagTestAndSet %bool %p %c1 %c0"},
    {"the pointer does not point to a 32-bit integer",
     "%l = OpBitcast %pl %p\n%a = OpAtomicFlagTestAndSet %bool %l %c1 %c0", POINTERS},
    {"the pointer does not point to a 32-bit integer",
     "%f = OpBitcast %pf %p\n%a = OpAtomicFlagTestAndSet %bool %f %c1 %c0", POINTERS},
    {"is not a function", "%a = OpFunctionCall %void %c1"},
    {"is an entry point, which cannot be called", "%a = OpFunctionCall %void %k %p"},
    {"the pointer does not point to the value's type", "%a = OpAtomicFAddEXT %float %p %c1 %c0 %f1",
     NULL, "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\""},
    {NULL, "%f = OpBitcast %pf %p\n%a = OpAtomicFAddEXT %float %f %c1 %c0 %f1", POINTERS,
     "OpCapability AtomicFloat32AddEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\""},
    {"the call has no function pointer", "%a = OpFunctionPointerCallINTEL %void", NULL,
     "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\""},
    {"does not point to a function", "%a = OpFunctionPointerCallINTEL %void %p", NULL,
     "OpCapability FunctionPointersINTEL\nOpExtension \"SPV_INTEL_function_pointers\""},
};
static const refusal atomics_and_calls_returns[] = {
    {"1 arguments are passed, but function",
     RT_MALFORMED,
     {.before = "OpCapability FunctionPointersINTEL\n"
                "OpExtension \"SPV_INTEL_function_pointers\"",
      .types = "%pc = OpTypePointer CodeSectionINTEL %fv\n"
               "%fp = OpConstantFunctionPointerINTEL %pc %g",
      .body = "%a = OpFunctionPointerCallINTEL %void %fp %c1",
      .functions = "%g = OpFunction %void None %fv\n%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"the function returns a value",
     RT_MALFORMED,
     {.types = POINTERS,
      .functions = "%g = OpFunction %int None %one\n%n = OpFunctionParameter %int\n"
                   "%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"the value's type is not the function's return type",
     RT_MALFORMED,
     {.types = POINTERS,
      .functions = "%g = OpFunction %int None %one\n%n = OpFunctionParameter %int\n"
                   "%in = OpLabel\nOpReturnValue %l1\nOpFunctionEnd"}},
};

static void test_atomics_and_calls(void **state)
{
    (void)state;
    TRY_RULES(atomics_and_calls_rules);
    static const char next[] = "%next = OpFunction %int None %one\n%n = OpFunctionParameter %int\n"
                               "%in = OpLabel\nOpReturnValue %n\nOpFunctionEnd";
    static const char *const calls[][2] = {
        {"%a = OpFunctionCall %int %next %c1", NULL},
        {"%a = OpFunctionCall %long %next %c1", "the result's type is not the return type"},
        {"%a = OpFunctionCall %int %next", "0 arguments are passed, but function"},
        {"%a = OpFunctionCall %int %next %c1 %c1", "2 arguments are passed, but function"},
        {"%a = OpFunctionCall %int %next %l1", "argument 0, id"},
        {"%a = OpFunctionCall %int %next %int", "argument 0, id"},
    };
    for (uint32_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const refusal c = {calls[i][1],
                           calls[i][1] ? RT_MALFORMED : RT_OK,
                           {.types = POINTERS, .body = calls[i][0], .functions = next}};
        try(&c);
    }
    TRY_ALL(atomics_and_calls_returns);
}

#define FORMATS                                                                                    \
    "%pc = OpTypePointer UniformConstant %char\n%gc = OpTypePointer CrossWorkgroup %char\n"        \
    "%pn = OpTypePointer UniformConstant %int\n%b1 = OpConstant %char 65\n"                        \
    "%text = OpVariable %pc UniformConstant %b1\n%global = OpVariable %gc CrossWorkgroup %b1\n"    \
    "%number = OpVariable %pn UniformConstant %c1\n%pair = OpTypeStruct %int %int\n"               \
    "%up = OpUndef %pair\n"
#define FORMAT "the format is not a pointer to 8-bit integers in UniformConstant"
static const rule printf_rules[] = {
    {NULL,
     "%a = OpExtInst %int %std printf %text %c1 %f1 %vc %p\n"
     "%b = OpExtInst %int %std printf %text",
     FORMATS},
    {"the result of printf must be a 32-bit integer", "%a = OpExtInst %long %std printf %text",
     FORMATS},
    {FORMAT, "%a = OpExtInst %int %std printf %global", FORMATS},
    {FORMAT, "%a = OpExtInst %int %std printf %number", FORMATS},
    {"argument 1 of printf is not a number or pointer",
     "%a = OpExtInst %int %std printf %text %yes", FORMATS},
    {"argument 2 of printf is not a number or pointer",
     "%a = OpExtInst %int %std printf %text %c1 %up", FORMATS},
};

static void test_printf(void **state)
{
    (void)state;
    TRY_RULES(printf_rules);
}

#define INTEL    "OpCapability SubgroupShuffleINTEL\nOpExtension \"SPV_INTEL_subgroups\""
#define MASK     "the mask must be a vector of four 32-bit integers"
#define IS_BOOL  "the result must be a bool"
#define OPERATES "the operation does not accept the operand's type"
#define SCOPE    "the scope must be a 32-bit integer"
#define BOTH     "the result and both values must have the same type"
#define PARTS                                                                                      \
    "%array = OpTypeArray %int %c4\n%ua = OpUndef %array\n%v4l = OpTypeVector %long 4\n"           \
    "%ul = OpUndef %v4l\n%uf = OpUndef %f4\n%b4 = OpTypeVector %bool 4\n%ub = OpUndef %b4\n"
static const rule collectives_rules[] = {
    /* Operands that are types or labels. */
    {"the operand must be a bool", "%a = OpGroupNonUniformAll %bool %c3 %int"},
    {MASK, "%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %int"},
    {"the operand must be a number, a bool or a vector",
     "%a = OpGroupNonUniformBroadcastFirst %int %c3 %int"},
    {"the operand must be a number, a bool or a vector",
     "%a = OpGroupNonUniformBroadcastFirst %int %c3 %e"},
    {"the result must have the type of the value", "%a = OpGroupNonUniformShuffle %int %c3 %e %c1"},
    {"the index must be an integer", "%a = OpGroupNonUniformShuffle %int %c3 %w %int"},
    {"the index must be an integer", "%a = OpGroupBroadcast %int %c2 %w %int"},
    {OPERATES, "%a = OpGroupNonUniformIAdd %int %c3 Reduce %int"},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %int %w %int %c1", NULL, INTEL},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %int %int %w %c1", NULL, INTEL},
    {"the distance must be an integer", "%a = OpSubgroupShuffleDownINTEL %int %w %w %int", NULL,
     INTEL},
    /* Only work-groups have work-items with several indices. */
    {NULL, "%v = OpUndef %v2l\n%a = OpGroupBroadcast %int %c2 %w %v",
     "%v2l = OpTypeVector %long 2"},
    {"the index must be an integer",
     "%v = OpUndef %v4\n%a = OpGroupNonUniformShuffle %int %c3 %w %v"},
    {"the index must be an integer", "%v = OpUndef %f4\n%a = OpGroupBroadcast %int %c2 %w %v"},
    {NULL, "%a = OpGroupNonUniformElect %bool %c3"},
    {SCOPE, "%a = OpGroupNonUniformElect %bool %f1"},
    {SCOPE, "%a = OpGroupNonUniformElect %bool %yes"},
    {SCOPE, "%a = OpGroupNonUniformElect %bool %l1"},
    {IS_BOOL, "%a = OpGroupNonUniformElect %int %c3"},
    {NULL, "%a = OpGroupNonUniformAll %bool %c3 %yes"},
    {"the operand must be a bool", "%a = OpGroupNonUniformAll %bool %c3 %w"},
    {IS_BOOL, "%a = OpGroupNonUniformAny %int %c3 %yes"},
    {NULL, "%a = OpGroupNonUniformBallot %v4 %c3 %yes"},
    {"the result must be a vector of four 32-bit integers",
     "%a = OpGroupNonUniformBallot %v2 %c3 %yes"},
    {"the result must be a vector of four 32-bit integers",
     "%a = OpGroupNonUniformBallot %int %c3 %yes"},
    {NULL,
     "%a = OpGroupNonUniformAllEqual %bool %c3 %w\n%b = OpGroupNonUniformBroadcastFirst %v4 %c3 "
     "%vc\n%c = OpGroupNonUniformBroadcastFirst %b4 %c3 %ub",
     PARTS},
    {IS_BOOL, "%a = OpGroupNonUniformAllEqual %int %c3 %w"},
    {"the operand must be a number, a bool or a vector",
     "%a = OpGroupNonUniformBroadcastFirst %array %c3 %ua", PARTS},
    {"the result must have the operand's type",
     "%a = OpGroupNonUniformBroadcastFirst %long %c3 %w"},
    {NULL, "%a = OpGroupNonUniformShuffle %int %c3 %w %c1"},
    {"the result must have the type of the value",
     "%a = OpGroupNonUniformShuffle %long %c3 %w %c1"},
    {"the result must have the type of the value", "%a = OpGroupNonUniformShuffle %pi %c3 %p %c1"},
    {NULL, "%a = OpSubgroupShuffleDownINTEL %int %w %w %c1", NULL, INTEL},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %long %w %w %c1", NULL, INTEL},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %int %x %w %c1", NULL, INTEL},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %int %w %x %c1", NULL, INTEL},
    {BOTH, "%a = OpSubgroupShuffleDownINTEL %pi %p %p %c1", NULL, INTEL},
    {"the distance must be an integer", "%a = OpSubgroupShuffleDownINTEL %int %w %w %f1", NULL,
     INTEL},
    {OPERATES, "%a = OpGroupNonUniformIAdd %float %c3 Reduce %f1"},
    {OPERATES, "%a = OpGroupNonUniformIAdd %bool %c3 Reduce %yes"},
    {OPERATES, "%a = OpGroupNonUniformFAdd %int %c3 Reduce %w"},
    {OPERATES, "%a = OpGroupNonUniformFMin %int %c3 Reduce %w"},
    {OPERATES, "%a = OpGroupNonUniformFMax %int %c3 Reduce %w"},
    {OPERATES, "%a = OpGroupNonUniformFMul %int %c3 Reduce %w"},
    {OPERATES, "%a = OpGroupNonUniformBitwiseAnd %float %c3 Reduce %f1"},
    {OPERATES, "%a = OpGroupNonUniformBitwiseOr %float %c3 Reduce %f1"},
    {OPERATES, "%a = OpGroupNonUniformBitwiseXor %float %c3 Reduce %f1"},
    {OPERATES, "%a = OpGroupNonUniformUMin %float %c3 Reduce %f1"},
    {"the result must have the operand's type", "%a = OpGroupNonUniformIAdd %long %c3 Reduce %w"},
    {NULL,
     "%a = OpGroupNonUniformIAdd %v4 %c3 Reduce %vc\n"
     "%b = OpGroupNonUniformLogicalAnd %bool %c3 Reduce %yes\n"
     "%c = OpGroupNonUniformFMax %f4 %c3 Reduce %uf",
     PARTS},
    {NULL, "%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %vc\n"
           "%b = OpGroupNonUniformInverseBallot %bool %c3 %vc\n"
           "%c = OpGroupNonUniformBallotBitExtract %bool %c3 %vc %c1\n"
           "%d = OpGroupNonUniformBallotFindMSB %int %c3 %vc"},
    {MASK, "%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %ul", PARTS},
    {MASK, "%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %uf", PARTS},
    {MASK, "%a = OpGroupNonUniformBallotBitCount %int %c3 Reduce %w"},
    {MASK, "%a = OpGroupNonUniformInverseBallot %bool %c3 %ul", PARTS},
    {MASK, "%a = OpGroupNonUniformInverseBallot %bool %c3 %ua", PARTS},
    {IS_BOOL, "%a = OpGroupNonUniformInverseBallot %int %c3 %vc"},
    {IS_BOOL, "%a = OpGroupNonUniformBallotBitExtract %int %c3 %vc %c1"},
    {"the result must be an integer", "%a = OpGroupNonUniformBallotFindLSB %float %c3 %vc"},
    {"the result must be an integer", "%a = OpGroupNonUniformBallotBitCount %float %c3 Reduce %vc"},
};

static void test_collectives(void **state)
{
    (void)state;
    TRY_RULES(collectives_rules);
}

#define DOT                                                                                        \
    "OpCapability DotProduct\nOpCapability DotProductInputAll\n"                                   \
    "OpCapability DotProductInput4x8BitPacked\nOpExtension \"SPV_KHR_integer_dot_product\""
#define VECTORS                                                                                        \
    "%v3 = OpTypeVector %int 3\n%u3 = OpUndef %v3\n%u2 = OpUndef %v2\n%v4l = OpTypeVector %long 4\n"   \
    "%ul = OpUndef %v4l\n%uf = OpUndef %f4\n%ph = OpTypePointer CrossWorkgroup %half\n"                \
    "%short = OpTypeInt 16 0\n%psh = OpTypePointer CrossWorkgroup %short\n"                            \
    "%pf = OpTypePointer CrossWorkgroup %float\n%array = OpTypeArray %int %c4\n%ua = OpUndef %array\n" \
    "%c4v = OpTypeVector %char 4\n%uc = OpUndef %c4v\n%s1 = OpConstant %short 1\n"
#define NO_MASK "the mask is not a vector of integers of the result's shape and width"
#define POINTS  "the pointer does not point to the type that is loaded or stored"
#define NEITHER "the operands are neither vectors nor 32-bit integers with a packed vector format"
static const rule vectors_rules[] = {
    {NULL, "%a = OpExtInst %v4 %std shuffle %u2 %vc\n%b = OpExtInst %v4 %std shuffle2 %u2 %u2 %vc",
     VECTORS},
    {NO_MASK, "%a = OpExtInst %v4 %std shuffle %vc %uf", VECTORS},
    {NO_MASK, "%a = OpExtInst %v4 %std shuffle %vc %u2", VECTORS},
    {NO_MASK, "%a = OpExtInst %v4 %std shuffle %vc %ul", VECTORS},
    {"must be a number", "%a = OpExtInst %v4 %std shuffle %vc %ua", VECTORS},
    {"must be a number", "%a = OpExtInst %v4 %std shuffle %vc %w", VECTORS},
    {NO_MASK, "%a = OpExtInst %v4 %std shuffle2 %vc %vc %int"},
    {"the operands have different types", "%a = OpExtInst %v4 %std shuffle2 %vc %u2 %vc", VECTORS},
    {"three-component vectors cannot be shuffled", "%a = OpExtInst %v4 %std shuffle %u3 %vc",
     VECTORS},
    {"three-component vectors cannot be shuffled", "%a = OpExtInst %v3 %std shuffle %vc %u3",
     VECTORS},
    {NULL,
     "%h = OpBitcast %ph %p\n%a = OpExtInst %v4 %std vloadn %x %p 4\n"
     "%b = OpExtInst %float %std vload_half %x %h\n"
     "%c = OpExtInst %f4 %std vload_halfn %x %h 4\n"
     "%d = OpExtInst %void %std vstoren %vc %x %p\n"
     "%f = OpExtInst %void %std vstore_half %f1 %x %h",
     VECTORS},
    {"the value is not a vector", "%a = OpExtInst %int %std vloadn %x %p 1"},
    {"the value is a vector", "%h = OpBitcast %ph %p\n%a = OpExtInst %f4 %std vload_half %x %h",
     VECTORS},
    {"the value is a vector",
     "%h = OpBitcast %ph %p\n%a = OpExtInst %void %std vstore_half %uf %x %h", VECTORS},
    {POINTS, "%a = OpExtInst %f4 %std vloadn %x %p 4"},
    {POINTS, "%h = OpBitcast %psh %p\n%a = OpExtInst %float %std vload_half %x %h", VECTORS},
    {POINTS, "%h = OpBitcast %pf %p\n%a = OpExtInst %float %std vload_half %x %h", VECTORS},
    {"the offset is not a 64-bit integer", "%a = OpExtInst %v4 %std vloadn %w %p 4"},
    {"the offset is not a 64-bit integer", "%a = OpExtInst %void %std vstoren %vc %w %p"},
    {"2 components are requested, but the result has 4", "%a = OpExtInst %v4 %std vloadn %x %p 2"},
    {"a store has no result", "%a = OpExtInst %int %std vstoren %vc %x %p"},
    {NULL,
     "%a = OpSDot %int %vc %vc\n%b = OpUDot %char %w %w PackedVectorFormat4x8Bit\n"
     "%c = OpSDotAccSat %int %w %w %c1 PackedVectorFormat4x8Bit\n"
     "%d = OpUDotAccSat %int %vc %vc %c1\n%f = OpSUDotAccSat %int %uc %uc %c1\n"
     "%g = OpUDot %char %uc %uc",
     VECTORS, DOT},
    {NEITHER, "%a = OpSDot %int %w %w", VECTORS, DOT},
    {NEITHER, "%a = OpSDot %int %vc %vc PackedVectorFormat4x8Bit", VECTORS, DOT},
    {NEITHER, "%a = OpSDot %long %x %x PackedVectorFormat4x8Bit", VECTORS, DOT},
    {NEITHER, "%a = OpSDotAccSat %int %w %w %c1", VECTORS, DOT},
    {"the result is narrower than the components", "%a = OpSDot %short %vc %vc", VECTORS, DOT},
    {"the accumulator differs in type from the result",
     "%a = OpSDotAccSat %int %w %w %l1 PackedVectorFormat4x8Bit", VECTORS, DOT},
    {"the accumulator differs in type from the result", "%a = OpUDotAccSat %int %vc %vc %s1",
     VECTORS, DOT},
};

static void test_vectors(void **state)
{
    (void)state;
    TRY_RULES(vectors_rules);
}

/* ---- Sections -------------------------------------------------------------------------------- */

/* An instruction of each section, in order, and where the next one then is. */
static const char *const sections[][2] = {
    {"OpCapability Int64\n", "among the capabilities"},
    {"OpExtension \"SPV_KHR_no_integer_wrap_decoration\"\n", "among the extensions"},
    {"%std = OpExtInstImport \"OpenCL.std\"\n", "among the imports of instruction sets"},
    {"OpMemoryModel Physical64 OpenCL\n", "after the memory model"},
    {"OpEntryPoint Kernel %k \"k\"\n", "among the entry points"},
    {"OpExecutionMode %k LocalSize 1 1 1\n", "among the execution modes"},
    {"%s = OpString \"s\"\n", "among the sources and strings"},
    {"OpName %k \"k\"\n", "among the names"},
    {"OpModuleProcessed \"p\"\n", "after the names"},
    {"OpDecorate %k FuncParamAttr NoWrite\n", "among the annotations"},
    {"%void = OpTypeVoid\n%fv = OpTypeFunction %void\n%int = OpTypeInt 32 0\n%f = OpTypeFloat 32\n"
     "%c1 = OpConstant %int 1\n%f1 = OpConstant %f 1\n",
     "among types, constants and variables"},
    {"%k = OpFunction %void None %fv\n%e = OpLabel\nOpReturn\nOpFunctionEnd\n",
     "between functions"},
};
enum { SECTIONS = sizeof sections / sizeof sections[0], MODEL = 3 };

/* A module in which one section follows another that it should precede. */
static void sections_move(uint32_t from, uint32_t to, char *text, size_t size)
{
    snprintf(text, size, "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n");
    for (uint32_t i = 0; i < SECTIONS; i++) {
        if (i != from) strncat(text, sections[i][0], size - strlen(text) - 1);
        if (i == to) strncat(text, sections[from][0], size - strlen(text) - 1);
    }
}

static void test_sections(void **state)
{
    (void)state;
    char text[4096];
    for (uint32_t from = 0; from < SECTIONS; from++) {
        sections_move(from, from, text, sizeof text);
        if (from == 0) {
            rt_sink *sink = rt_sink_create();
            sim_module_destroy(sim_test_module(sink, text));
            rt_sink_destroy(sink);
        }
        for (uint32_t to = from + 1; to < SECTIONS; to++) {
            sections_move(from, to, text, sizeof text);
            /* Without a memory model, the section after it is the first to be wrong. */
            char words[128];
            snprintf(words, sizeof words, "the instruction is not allowed %s",
                     sections[from == MODEL ? MODEL - 1 : to][1]);
            sim_test_refused(text, RT_MALFORMED, words);
        }
    }
}

static void test_functions(void **state)
{
    (void)state;
    static const struct {
        const char *function, *words; /* NULL: accepted */
    } cases[] = {
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpReturn\nOpFunctionEnd\n"
         "%h = OpFunction %void None %fv\n%e3 = OpLabel\nOpReturn\nOpFunctionEnd\n",
         NULL},
        {"OpLine %s 1 1\n%g = OpFunction %void None %fv\nOpLine %s 1 1\n%e2 = OpLabel\n"
         "%u = OpUndef %int\nOpLine %s 1 1\nOpReturn\nOpLine %s 1 1\nOpFunctionEnd\n",
         NULL},
        {"%e2 = OpLabel\n", "not allowed between functions"},
        {"OpFunctionEnd\n", "not allowed between functions"},
        {"%x = OpFunctionParameter %int\n", "not allowed between functions"},
        {"OpReturn\n", "not allowed between functions"},
        {"%u = OpUndef %int\n", "not allowed between functions"},
        {"%g = OpFunction %void None %fv\nOpReturn\n", "not allowed among the parameters"},
        {"%g = OpFunction %void None %fv\n%u = OpUndef %int\n", "not allowed among the parameters"},
        {"%g = OpFunction %void None %fv\n%h = OpFunction %void None %fv\n",
         "not allowed among the parameters"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n%e3 = OpLabel\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpFunctionEnd\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n%x = OpFunctionParameter %int\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n%h = OpFunction %void None %fv\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n%c2 = OpConstant %int 2\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n%t = OpTypeInt 8 0\n",
         "not allowed inside a block"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpReturn\nOpReturn\n",
         "not allowed between blocks"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpReturn\n%u = OpUndef %int\n",
         "not allowed between blocks"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpReturn\n%x = OpFunctionParameter %int\n",
         "not allowed between blocks"},
        {"%g = OpFunction %void None %fv\n", "the module ends inside a function"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\n", "the module ends inside a function"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpReturn\n",
         "the module ends inside a function"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpSwitch %int %e2\n",
         "is not a value defined earlier"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpSwitch %f1 %e3\n%e3 = OpLabel\nOpReturn\n"
         "OpFunctionEnd\n",
         "is not a numerical scalar"},
        {"%g = OpFunction %void None %fv\n%e2 = OpLabel\nOpSwitch %c1 %e3 7 %e3\n%e3 = OpLabel\n"
         "OpReturn\nOpFunctionEnd\n",
         NULL},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[4096];
        sections_move(SECTIONS - 1, SECTIONS - 1, text, sizeof text);
        strncat(text, cases[i].function, sizeof text - strlen(text) - 1);
        if (cases[i].words) {
            sim_test_refused(text, RT_MALFORMED, cases[i].words);
        } else {
            rt_sink *sink = rt_sink_create();
            sim_module_destroy(sim_test_module(sink, text));
            rt_sink_destroy(sink);
        }
    }
}

/* Sets of instructions that only describe the source are accepted by name. */
static void test_sets(void **state)
{
    (void)state;
    static const char *const accepted[] = {"OpenCL.DebugInfo.100", "DebugInfo",
                                           "NonSemantic.Other"};
    for (uint32_t i = 0; i < sizeof accepted / sizeof accepted[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "OpCapability Kernel\nOpCapability Addresses\n"
                 "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                 "%%set = OpExtInstImport \"%s\"\nOpMemoryModel Physical64 OpenCL\n",
                 accepted[i]);
        rt_sink *sink = rt_sink_create();
        sim_module_destroy(sim_test_module(sink, text));
        rt_sink_destroy(sink);
    }
}

/* Widths of numbers and sizes of vectors name all capabilities that would allow them. */
static void test_widths(void **state)
{
    (void)state;
    static const struct {
        const char *type, *words;
    } cases[] = {
        {"OpTypeInt 8 0", "an integer of this width needs the capability Int8, which is not"},
        {"OpTypeInt 16 0", "an integer of this width needs the capability Int16, which is not"},
        {"OpTypeInt 64 0", "an integer of this width needs the capability Int64, which is not"},
        {"OpTypeFloat 64", "a double needs the capability Float64, which is not declared"},
        {"OpTypeFloat 16", "a half needs the capability Float16Buffer or Float16, which is not"},
        {"OpTypeVector %int 8", "a vector of this size needs the capability Vector16, which is"},
        {"OpTypeVector %int 16", "a vector of this size needs the capability Vector16, which is"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "OpCapability Kernel\nOpCapability Addresses\nOpMemoryModel Physical64 OpenCL\n"
                 "%%int = OpTypeInt 32 0\n%%float = OpTypeFloat 32\n"
                 "%%four = OpTypeVector %%int 4\n%%a = %s\n",
                 cases[i].type);
        sim_test_refused(text, RT_MALFORMED, cases[i].words);
    }
}

/* Uses of values, constants and decorations, each beside its accepted counterpart. */
static const refusal uses_cases[] = {
    /* Functions are the only constants that may be defined later. */
    {NULL,
     RT_OK,
     {.before = FUNCTION_POINTERS,
      .types = "%pc = OpTypePointer CodeSectionINTEL %fv\n%s = OpTypeStruct %pc\n"
               "%a = OpConstantComposite %s %f\n%f = OpConstantFunctionPointerINTEL %pc %g",
      .functions = EMPTY("%fv")}},
    {"is not a constant defined earlier",
     RT_MALFORMED,
     {.types = "%s = OpTypeStruct %int %int\n%a = OpConstantComposite %s %late %c1\n"
               "%late = OpConstant %int 5"}},
    {"there are 1 constituents, but the type has 2",
     RT_MALFORMED,
     {.types = "%s = OpTypeStruct %int %int\n%a = OpConstantComposite %s %c1"}},
    {"is not a constant of type", RT_MALFORMED, {.types = "%a = OpVariable %pi CrossWorkgroup %w"}},
    {"is not defined in this module but has an initializer",
     RT_MALFORMED,
     {.modes = "OpDecorate %a BuiltIn GlobalSize",
      .types = "%z = OpConstantNull %v3l\n%a = OpVariable %pin Input %z"}},
    /* Decorations of conversions. */
    {NULL,
     RT_OK,
     {.modes = "OpDecorate %a SaturatedConversion\nOpDecorate %b SaturatedConversion\n"
               "OpDecorate %c SaturatedConversion\nOpDecorate %d SaturatedConversion",
      .body = "%a = OpSConvert %char %w\n%b = OpUConvert %char %w\n"
              "%c = OpConvertFToS %char %f1\n%d = OpConvertFToU %char %f1"}},
    {"SaturatedConversion decorates something other than a conversion to an integer",
     RT_MALFORMED,
     {.modes = "OpDecorate %a SaturatedConversion", .body = "%a = OpFConvert %half %f1"}},
    {"SaturatedConversion decorates something other than a conversion to an integer",
     RT_MALFORMED,
     {.modes = "OpDecorate %a SaturatedConversion", .body = "%a = OpConvertUToF %float %w"}},
    {"SaturatedConversion decorates something other than a conversion to an integer",
     RT_MALFORMED,
     {.modes = "OpDecorate %a SaturatedConversion",
      .types = "%a = OpSpecConstantOp %float ConvertSToF %c1"}},
    {NULL,
     RT_OK,
     {.modes = "OpDecorate %a FPRoundingMode RTZ\nOpDecorate %b FPRoundingMode RTP\n"
               "OpDecorate %c FPRoundingMode RTN\nOpDecorate %d FPRoundingMode RTZ\n"
               "OpDecorate %g_ FPRoundingMode RTZ",
      .body = "%a = OpFConvert %half %f1\n%b = OpConvertSToF %float %w\n"
              "%c = OpConvertFToU %int %f1\n%d = OpSConvert %char %w\n"
              "%g_ = OpUConvert %char %w"}},
    {"rounding mode RTZ is refused: only conversions have one",
     RT_UNSUPPORTED,
     {.modes = "OpDecorate %a FPRoundingMode RTZ", .body = "%a = OpConvertPtrToU %long %p"}},
    {"rounding mode RTN is refused: only conversions have one",
     RT_UNSUPPORTED,
     {.modes = "OpDecorate %a FPRoundingMode RTN", .body = "%a = OpFMul %float %f1 %f1"}},
    /* The alignment of accesses. */
    {NULL,
     RT_OK,
     {.body = "%a = OpLoad %int %p Aligned 1\nOpStore %p %a Aligned 2\n"
              "%b = OpLoad %int %p Volatile|Aligned 8\nOpStore %p %b Volatile\n"
              "%c = OpLoad %int %p Nontemporal\nOpStore %p %c Aligned|Nontemporal 4"}},
    {"the alignment 0 is not a power of two",
     RT_MALFORMED,
     {.body = "%a = OpLoad %int %p Aligned 0"}},
    {"the alignment 3 is not a power of two",
     RT_MALFORMED,
     {.body = "%a = OpLoad %int %p Aligned 3"}},
    {"the alignment 5 is not a power of two",
     RT_MALFORMED,
     {.body = "OpStore %p %w Volatile|Aligned 5"}},
    {"the alignment 12 is not a power of two",
     RT_MALFORMED,
     {.body = "OpStore %p %w Aligned|Nontemporal 12"}},
    /* Scopes and memory semantics. */
    {NULL,
     RT_OK,
     {.types = "%null_int = OpConstantNull %int\n%acquire = OpConstant %int 0x302\n"
               "%release = OpConstant %int 0x304\n%both = OpConstant %int 0x308\n"
               "%all_ = OpConstant %int 0x310",
      .body = "OpControlBarrier %c2 %c2 %null_int\nOpMemoryBarrier %c4 %c0\n"
              "OpMemoryBarrier %null_int %both\nOpMemoryBarrier %c1 %acquire\n"
              "OpMemoryBarrier %c2 %release\nOpMemoryBarrier %c3 %all_"}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.types = "%any = OpUndef %int", .body = "OpControlBarrier %c2 %c2 %any"}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.types = "%any = OpSpecConstantOp %int UDiv %c1 %c0",
      .body = "OpControlBarrier %c2 %c2 %any"}},
    {"7 is not a scope",
     RT_MALFORMED,
     {.types = "%c7 = OpConstant %int 7", .body = "OpMemoryBarrier %c7 %c0"}},
    {"4294967298 is not a scope",
     RT_MALFORMED,
     {.types = "%scope = OpConstant %long 4294967298", .body = "OpMemoryBarrier %scope %c0"}},
    {"memory semantics 0x6 specify several orders",
     RT_MALFORMED,
     {.types = "%c6 = OpConstant %int 6", .body = "OpMemoryBarrier %c2 %c6"}},
    {"memory semantics 0xa specify several orders",
     RT_MALFORMED,
     {.types = "%c10 = OpConstant %int 10", .body = "OpMemoryBarrier %c2 %c10"}},
    {"memory semantics 0x14 specify several orders",
     RT_MALFORMED,
     {.types = "%c20 = OpConstant %int 20", .body = "OpMemoryBarrier %c2 %c20"}},
    {"memory semantics 0x18 specify several orders",
     RT_MALFORMED,
     {.types = "%c24 = OpConstant %int 24", .body = "OpMemoryBarrier %c2 %c24"}},
    {"UniformMemory needs the capability Shader, which is refused",
     RT_UNSUPPORTED,
     {.body = "OpMemoryBarrier %c2 %c64"}},
    /* Ids that are not types. */
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypeArray %c1 %c4"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypeVector %c1 4"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypeStruct %int %c1"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypePointer Workgroup %c1"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypeFunction %c1 %int"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpTypeFunction %int %int %c1"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpConstantNull %c1"}},
    {"is not a type", RT_MALFORMED, {.types = "%a = OpVariable %c1 Workgroup"}},
    {"is used before word",
     RT_MALFORMED,
     {.types = "%a = OpTypeStruct %int %late\n%late = OpTypeStruct %int"}},
    {"is not an integer that is known before the program runs",
     RT_UNSUPPORTED,
     {.types = "%a = OpTypeArray %int %f1"}},
    /* Vectors and aggregates. */
    {"component 8 does not exist",
     RT_MALFORMED,
     {.body = "%a = OpVectorShuffle %v4 %vc %vc 0 1 2 8"}},
    {"component 6 does not exist",
     RT_MALFORMED,
     {.body = "%u = OpUndef %v2\n%a = OpVectorShuffle %v4 %u %vc 6 1 2 3"}},
    {NULL, RT_OK, {.body = "%u = OpUndef %v2\n%a = OpVectorShuffle %v4 %u %vc 5 4294967295 2 5"}},
    {"the result does not have the operands' component type",
     RT_MALFORMED,
     {.body = "%u = OpUndef %f4\n%a = OpDot %double %u %u"}},
    {NULL, RT_OK, {.body = "%u = OpUndef %f4\n%a = OpDot %float %u %u"}},
    {"are not two aggregates with matching parts",
     RT_MALFORMED,
     {.types = "%s = OpTypeStruct %int %pi\n%t = OpTypeStruct %int %wi",
      .body = "%u = OpUndef %s\n%a = OpCopyLogical %t %u"}},
    {"are not two aggregates with matching parts",
     RT_MALFORMED,
     {.types = "%i2 = OpTypeArray %int %c2\n%f2 = OpTypeArray %float %c2\n"
               "%s = OpTypeStruct %int %i2\n%t = OpTypeStruct %int %f2",
      .body = "%u = OpUndef %s\n%a = OpCopyLogical %t %u"}},
    {"are not two aggregates with matching parts",
     RT_MALFORMED,
     {.types = "%s = OpTypeStruct %int %int\n%t = OpTypeStruct %int %int %int",
      .body = "%u = OpUndef %s\n%a = OpCopyLogical %t %u"}},
    {"the result must have a type that the instruction accepts",
     RT_MALFORMED,
     {.body = "%u = OpUndef %v4\n%a = OpCopyLogical %f4 %u"}},
    {NULL,
     RT_OK,
     {.types = "%i2 = OpTypeArray %int %c2\n%j2 = OpTypeArray %int %c2\n"
               "%s = OpTypeStruct %int %i2 %pi\n%t = OpTypeStruct %int %j2 %pi",
      .body = "%u = OpUndef %s\n%a = OpCopyLogical %t %u"}},
    /* Execution modes. */
    {NULL, RT_OK, {.modes = "OpExecutionModeId %k LocalSizeId %c4 %c2 %c1"}},
    {"execution mode ContractionOff takes no ids and requires OpExecutionMode",
     RT_MALFORMED,
     {.modes = "OpExecutionModeId %k ContractionOff"}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.modes = "OpExecutionModeId %k LocalSizeId %c1 %nothing %c1",
      .types = "%nothing = OpConstantNull %int"}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.modes = "OpExecutionModeId %k LocalSizeId %c1 %c1 %large",
      .types = "%large = OpConstant %long 4294967297"}},
    {"is not a plain constant",
     RT_UNSUPPORTED,
     {.modes = "OpExecutionModeId %k LocalSizeId %c1 %c1 %p"}},
    {"a work-group must have 1 to",
     RT_LIMIT,
     {.modes = "OpExecutionModeId %k LocalSizeId %c1 %c0 %c1"}},
    {"a work-group must have 1 to", RT_LIMIT, {.modes = "OpExecutionMode %k LocalSize 1 1 0"}},
    {"is not an entry point", RT_MALFORMED, {.modes = "OpExecutionMode %p LocalSize 1 1 1"}},
    /* Definitions that do not reach their use. */
    {"does not reach this use",
     RT_MALFORMED,
     {.body = "OpBranch %b\n%dead = OpLabel\n%u = OpIAdd %int %w %w\nOpBranch %b\n"
              "%b = OpLabel\n%v = OpIAdd %int %u %w"}},
    {"belongs to another function",
     RT_MALFORMED,
     {.functions = "%g = OpFunction %void None %fv\n%in = OpLabel\n%a = OpIAdd %int %w %c1\n"
                   "OpReturn\nOpFunctionEnd"}},
    {"belongs to another function",
     RT_MALFORMED,
     {.functions = "%g = OpFunction %void None %fv\n%in = OpLabel\nOpBranch %next\n"
                   "%next = OpLabel\n%a = OpPhi %int %c1 %e\nOpReturn\nOpFunctionEnd"}},
    {"not a block", RT_MALFORMED, {.body = "OpBranch %w\n%b = OpLabel"}},
    /* Phis. */
    {"is not a predecessor of this block",
     RT_MALFORMED,
     {.body = "OpBranch %b\n%b = OpLabel\n%a = OpPhi %int %w %all"}},
    {"is not a value of the phi's type",
     RT_MALFORMED,
     {.body = "OpBranch %b\n%b = OpLabel\n%a = OpPhi %int %e %e"}},
    {"the phi has two values for block",
     RT_MALFORMED,
     {.body = "OpSwitch %w %b 1 %b\n%b = OpLabel\n%a = OpPhi %int %c1 %e %c2 %e"}},
    {NULL,
     RT_OK,
     {.body = "OpSwitch %w %b1 2 %b2 3 %b3 4 %b4 5 %b5 6 %b6 7 %b7\n"
              "%b1 = OpLabel\nOpBranch %b\n%b2 = OpLabel\nOpBranch %b\n"
              "%b3 = OpLabel\nOpBranch %b\n%b4 = OpLabel\nOpBranch %b\n"
              "%b5 = OpLabel\nOpBranch %b\n%b6 = OpLabel\nOpBranch %b\n"
              "%b7 = OpLabel\nOpBranch %b\n%b = OpLabel\n"
              "%a = OpPhi %int %c1 %b4 %c2 %b1 %c3 %b7 %c4 %b2 %c1 %b6 %c2 %b3 %c3 %b5\n"
              "%c = OpPhi %int %c2 %b4 %c1 %b1 %c4 %b7 %c3 %b2 %c2 %b6 %c1 %b3 %c4 %b5"}},
};

static void test_uses(void **state)
{
    (void)state;
    TRY_ALL(uses_cases);
    /* The first constant of its module. */
    sim_test_refused(SIM_TEST_PRELUDE "%int = OpTypeInt 32 0\n%s = OpTypeStruct %int\n"
                                      "%c = OpConstantComposite %s %late\n"
                                      "%late = OpConstant %int 1\n",
                     RT_MALFORMED, "is not a constant defined earlier");
}

/* ---- Linking --------------------------------------------------------------------------------- */

static const refusal code_cases[] = {
    {"the cluster size must be a constant power of two",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %w"}},
    {"the cluster size must be a constant power of two",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c3"}},
    {"the cluster size must be a constant power of two",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c0"}},
    {NULL,
     RT_OK,
     {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c64\n"
              "%b = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c1"}},
    {"the direction must be a constant from 0 to 2",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformQuadSwap %int %c3 %w %c3"}},
    {"the direction must be a constant from 0 to 2",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformQuadSwap %int %c3 %w %w"}},
    {"the index in the quad must be a constant from 0 to 3",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformQuadBroadcast %int %c3 %w %c4"}},
    {NULL,
     RT_OK,
     {.body = "%a = OpGroupNonUniformQuadBroadcast %int %c3 %w %c3\n"
              "%b = OpGroupNonUniformQuadSwap %int %c3 %w %c2"}},
    {"the scope must be constant and be work-group or sub-group",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformElect %bool %c1"}},
    {"for a work-group, only uniform instructions on scalars are supported",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupNonUniformIAdd %int %c2 Reduce %w"}},
    {"for a work-group, only uniform instructions on scalars are supported",
     RT_UNSUPPORTED,
     {.body = "%a = OpGroupIAdd %v4 %c2 Reduce %vc"}},
    {"the scope must be constant and be work-group",
     RT_UNSUPPORTED,
     {.types = "%ne = OpConstantNull %event\n%pe = OpTypePointer Function %event",
      .body = "%v = OpVariable %pe Function\nOpGroupWaitEvents %c3 %c1 %v"}},
    {"its elements are larger than 128 bytes",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 33\n%s = OpTypeArray %int %n\n"
               "%ps = OpTypePointer CrossWorkgroup %s\n%ws = OpTypePointer Workgroup %s\n"
               "%ne = OpConstantNull %event\n%local = OpVariable %ws Workgroup",
      .body = "%v = OpBitcast %ps %p\n"
              "%a = OpGroupAsyncCopy %event %c2 %local %v %l1 %l1 %ne"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 32\n%s = OpTypeArray %int %n\n"
               "%ps = OpTypePointer CrossWorkgroup %s\n%ws = OpTypePointer Workgroup %s\n"
               "%ne = OpConstantNull %event\n%local = OpVariable %ws Workgroup",
      .body = "%v = OpBitcast %ps %p\n"
              "%a = OpGroupAsyncCopy %event %c2 %local %v %l1 %l1 %ne"}},
    {"requires sub-groups of 64 work-items",
     RT_UNSUPPORTED,
     {.before = "OpCapability SubgroupDispatch", .modes = "OpExecutionMode %k SubgroupSize 64"}},
    {"requires sub-groups of 4 work-items",
     RT_UNSUPPORTED,
     {.before = "OpCapability SubgroupDispatch", .modes = "OpExecutionMode %k SubgroupSize 4"}},
    {NULL,
     RT_OK,
     {.before = "OpCapability SubgroupDispatch", .modes = "OpExecutionMode %k SubgroupSize 8"}},
    {"OpFunctionParameter in function '' is refused: a variable is larger than 64 MiB",
     RT_UNSUPPORTED,
     {.modes = "OpDecorate %big FuncParamAttr ByVal",
      .types = "%n = OpConstant %int 16777217\n%a = OpTypeArray %int %n\n"
               "%fa = OpTypePointer Function %a\n%of = OpTypeFunction %void %fa",
      .functions = "%g = OpFunction %void None %of\n%big = OpFunctionParameter %fa\n"
                   "%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"a variable is larger than 64 MiB",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 67108865\n%s = OpTypeArray %char %n\n"
               "%ps = OpTypePointer Function %s",
      .body = "%a = OpVariable %ps Function"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 67108864\n%s = OpTypeArray %char %n\n"
               "%ps = OpTypePointer Function %s",
      .body = "%a = OpVariable %ps Function"}},
    {"its result has more than 4096 scalars",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 4097\n%s = OpTypeArray %char %n\n"
               "%ps = OpTypePointer Function %s",
      .body = "%v = OpVariable %ps Function\n%a = OpLoad %s %v"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 4096\n%s = OpTypeArray %char %n\n"
               "%ps = OpTypePointer Function %s",
      .body = "%v = OpVariable %ps Function\n%a = OpLoad %s %v"}},
    {NULL,
     RT_OK,
     {.types = "%n = OpConstant %int 4095\n%s = OpTypeArray %char %n\n"
               "%fs = OpTypeFunction %void %s %int",
      .functions = "%g = OpFunction %void None %fs\n%a = OpFunctionParameter %s\n"
                   "%b = OpFunctionParameter %int\n%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"its parameters consist of more than 4096 scalars",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 4096\n%s = OpTypeArray %char %n\n"
               "%fs = OpTypeFunction %void %s %int",
      .functions = "%g = OpFunction %void None %fs\n%a = OpFunctionParameter %s\n"
                   "%b = OpFunctionParameter %int\n%in = OpLabel\nOpReturn\nOpFunctionEnd"}},
    {"its result has more than 4096 scalars",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 4097\n%s = OpTypeArray %char %n\n"
               "%fs = OpTypeFunction %s",
      .functions = "%g = OpFunction %s None %fs\n%in = OpLabel\nOpUnreachable\nOpFunctionEnd"}},
    {"it has more than 4096 scalars",
     RT_UNSUPPORTED,
     {.types = "%n = OpConstant %int 4097\n%s = OpTypeArray %char %n\n"
               "%ps = OpTypePointer Function %s\n%z = OpConstantNull %s",
      .body = "%v = OpVariable %ps Function\nOpStore %v %z"}},
    {"the execution scope must be work-group, sub-group or invocation",
     RT_UNSUPPORTED,
     {.body = "OpControlBarrier %c1 %c1 %c0"}},
};

static void test_code(void **state)
{
    (void)state;
    TRY_ALL(code_cases);
}

/* Initial values that contain addresses. */
#define ADDRESSES                                                                                  \
    "%pp = OpTypePointer CrossWorkgroup %pi\n%target = OpVariable %pi CrossWorkgroup %c1\n"        \
    "%pw = OpTypePointer CrossWorkgroup %wi\n%pl = OpTypePointer CrossWorkgroup %long\n"           \
    "%local = OpVariable %wi Workgroup\n%zero = OpConstantNull %int\n%undefined = OpUndef %int\n"
static const refusal initial_values_cases[] = {
    {NULL, RT_OK, {.types = ADDRESSES "%a = OpVariable %pp CrossWorkgroup %target"}},
    {"it contains the address of a variable that is not in global memory",
     RT_UNSUPPORTED,
     {.types = ADDRESSES "%a = OpVariable %pw CrossWorkgroup %local"}},
    {NULL,
     RT_OK,
     {.types = ADDRESSES "%b = OpSpecConstantOp %pi InBoundsPtrAccessChain %target %zero\n"
                         "%a = OpVariable %pp CrossWorkgroup %b"}},
    {"an index in an address is not a plain constant",
     RT_UNSUPPORTED,
     {.types = ADDRESSES "%b = OpSpecConstantOp %pi InBoundsPtrAccessChain %target %undefined\n"
                         "%a = OpVariable %pp CrossWorkgroup %b"}},
    {"an index in an address is not a plain constant",
     RT_UNSUPPORTED,
     {.types = ADDRESSES "%b = OpSpecConstantOp %pi InBoundsPtrAccessChain %target %undefined\n"
                         "%c = OpSpecConstantOp %pi Select %yes %b %null\n"
                         "%a = OpVariable %pp CrossWorkgroup %c"}},
    {NULL, RT_OK, {.types = ADDRESSES "%a = OpVariable %pp CrossWorkgroup %null"}},
    {NULL,
     RT_OK,
     {.types = ADDRESSES "%b = OpSpecConstantOp %long ConvertPtrToU %target\n"
                         "%a = OpVariable %pl CrossWorkgroup %b"}},
    {"its value is not known before the program runs",
     RT_UNSUPPORTED,
     {.types = ADDRESSES "%b = OpSpecConstantOp %long ConvertPtrToU %target\n"
                         "%c = OpSpecConstantOp %long IMul %b %b\n"
                         "%a = OpVariable %pl CrossWorkgroup %c"}},
};

static void test_initial_values(void **state)
{
    (void)state;
    TRY_ALL(initial_values_cases);
}

/* A refusal of an instruction names its line. */
static void test_lines(void **state)
{
    (void)state;
    static const refusal c = {
        "a.cl:7: OpGroupNonUniformIAdd in function '' is refused: the cluster size must be a",
        RT_UNSUPPORTED,
        {.modes = "%file = OpString \"a.cl\"",
         .body = "OpLine %file 7 3\n%r = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c3"}};
    try(&c);
}

/* Constants that cannot be computed, because they are taken from one with too many scalars: %bp is
 * such a pointer, %bi a number, %bb a truth value, and so on. */
#define FAILING_BEFORE                                                                             \
    "OpCapability BitInstructions\nOpCapability DotProduct\n"                                      \
    "OpCapability DotProductInput4x8BitPacked\nOpExtension \"SPV_KHR_bit_instructions\"\n"         \
    "OpExtension \"SPV_KHR_integer_dot_product\""
#define FAILING_TYPES                                                                              \
    "%n5000 = OpConstant %int 5000\n%many = OpTypeArray %pi %n5000\n%nil = OpConstantNull %many\n" \
    "%gen = OpTypePointer Generic %int\n%pf = OpTypePointer CrossWorkgroup %float\n"               \
    "%pv4 = OpTypePointer CrossWorkgroup %v4\n%fe = OpTypePointer Function %event\n"               \
    "%A4 = OpTypeArray %int %c4\n%pA = OpTypePointer CrossWorkgroup %A4\n"                         \
    "%pair = OpTypeStruct %int %int\n%v2b = OpTypeVector %bool 2\n"                                \
    "%bp = OpSpecConstantOp %pi CompositeExtract %nil 7\n"                                         \
    "%bl = OpSpecConstantOp %long ConvertPtrToU %bp\n"                                             \
    "%bi = OpSpecConstantOp %int UConvert %bl\n%bf = OpSpecConstantOp %float Bitcast %bi\n"        \
    "%bb = OpSpecConstantOp %bool INotEqual %bl %l1\n"                                             \
    "%bgen = OpSpecConstantOp %gen PtrCastToGeneric %bp\n"                                         \
    "%bfi = OpSpecConstantOp %fi ConvertUToPtr %bl\n%bpf = OpSpecConstantOp %pf Bitcast %bp\n"     \
    "%bv = OpConstantComposite %v4 %bi %c1 %c1 %c1\n"                                              \
    "%fc = OpConstantComposite %f4 %f1 %f1 %f1 %f1\n"                                              \
    "%bfv = OpConstantComposite %f4 %bf %f1 %f1 %f1\n"                                             \
    "%bbv = OpConstantComposite %v2b %bb %yes\n%near = OpVariable %wi Workgroup\n"                 \
    "%noevent = OpConstantNull %event\n%one = OpTypeFunction %int %int\n"                          \
    "%zero8 = OpConstant %char 0\n%text = OpTypeArray %char %c1\n"                                 \
    "%ptext = OpTypePointer UniformConstant %text\n%pc8 = OpTypePointer UniformConstant %char\n"   \
    "%empty = OpConstantComposite %text %zero8\n"                                                  \
    "%format = OpVariable %ptext UniformConstant %empty\n"

static const char *const failing[] = {
    NULL, /* accepted: nothing uses them */
    "OpStore %bp %c1",
    "%r = OpLoad %int %bp",
    "OpStore %p %bi",
    "%r = OpIAdd %int %bi %w",
    "%r = OpIAdd %int %w %bi",
    "%r = OpSNegate %int %bi",
    "%r = OpFRem %float %bf %f1",
    "%r = OpConvertSToF %float %bi",
    "%r = OpSelect %int %bb %w %c1",
    "%r = OpSelect %int %yes %bi %w",
    "%r = OpBitcast %float %bi",
    "%r = OpCopyObject %int %bi",
    "%r = OpAny %bool %bbv",
    "%r = OpCompositeExtract %int %bv 0",
    "%r = OpCompositeInsert %v4 %bi %vc 0",
    "%r = OpCompositeInsert %v4 %c1 %bv 0",
    "%r = OpCompositeConstruct %v4 %bi %c1 %c1 %c1",
    "%r = OpVectorShuffle %v4 %bv %vc 0 1 2 3",
    "%r = OpVectorShuffle %v4 %vc %bv 0 1 2 3",
    "%r = OpVectorExtractDynamic %int %bv %w",
    "%r = OpVectorExtractDynamic %int %vc %bi",
    "%r = OpVectorInsertDynamic %v4 %bv %c1 %w",
    "%r = OpVectorInsertDynamic %v4 %vc %bi %w",
    "%r = OpVectorInsertDynamic %v4 %vc %c1 %bi",
    "%r = OpDot %float %bfv %fc",
    "%r = OpPtrDiff %long %bp %p",
    "%r = OpConvertPtrToU %long %bp",
    "%r = OpConvertUToPtr %pi %bl",
    "%r = OpPtrCastToGeneric %gen %bp",
    "%r = OpGenericCastToPtr %pi %bgen",
    "%r = OpGenericCastToPtrExplicit %pi %bgen CrossWorkgroup",
    "%r = OpGenericPtrMemSemantics %int %bgen",
    "%r = OpInBoundsPtrAccessChain %pi %bp %l1",
    "%r = OpInBoundsPtrAccessChain %pi %p %bl",
    "%a = OpBitcast %pA %p\n%r = OpInBoundsAccessChain %pi %a %bi",
    "%a = OpInBoundsAccessChain %gid3 %gid %bi\n%r = OpLoad %long %a",
    "OpCopyMemory %bp %p",
    "OpCopyMemory %p %bp",
    "OpCopyMemorySized %p %p %bl",
    "OpLifetimeStart %bfi 0",
    "%v = OpVariable %fi Function %bi",
    "%r = OpAtomicLoad %int %bp %c1 %c0",
    "OpAtomicStore %p %c1 %c0 %bi",
    "%r = OpAtomicCompareExchange %int %p %c1 %c0 %c0 %bi %w",
    "%r = OpAtomicCompareExchange %int %p %c1 %c0 %c0 %w %bi",
    "%r = OpIAddCarry %pair %bi %w",
    "%r = OpBitFieldInsert %int %bi %w %c1 %c1",
    "%r = OpBitFieldUExtract %int %w %bi %c1",
    "%r = OpUDot %int %bi %bi PackedVectorFormat4x8Bit",
    "%r = OpExtInst %int %std s_max %bi %w",
    "%r = OpExtInst %float %std sin %bf",
    "%r = OpExtInst %int %std bitselect %bi %w %w",
    "%r = OpExtInst %int %std select %w %w %bi",
    "%r = OpExtInst %long %std u_upsample %bi %w",
    "%r = OpExtInst %float %std ldexp %bf %w",
    "%r = OpExtInst %float %std ldexp %f1 %bi",
    "%r = OpExtInst %float %std modf %f1 %bpf",
    "%r = OpExtInst %float %std length %bfv",
    "%r = OpExtInst %float %std distance %fc %bfv",
    "%r = OpExtInst %f4 %std normalize %bfv",
    "%r = OpExtInst %v4 %std shuffle %bv %vc",
    "%r = OpExtInst %v4 %std shuffle %vc %bv",
    "%r = OpExtInst %v4 %std vloadn %bl %p 4",
    "%r = OpExtInst %v4 %std vloadn %l1 %bp 4",
    "%r = OpExtInst %void %std vstoren %bv %l1 %p",
    "%r = OpExtInst %void %std vstoren %vc %bl %p",
    "%f = OpBitcast %pc8 %format\n%r = OpExtInst %int %std printf %f %bi",
    "%r = OpGroupIAdd %int %c2 Reduce %bi",
    "%r = OpGroupIAdd %int %c3 Reduce %bi",
    "%r = OpGroupAll %bool %c2 %bb",
    "%r = OpGroupBroadcast %int %c2 %bi %l1",
    "%r = OpGroupBroadcast %int %c2 %w %bl",
    "%r = OpGroupNonUniformShuffle %int %c3 %bi %c1",
    "%r = OpGroupNonUniformShuffle %int %c3 %w %bi",
    "%r = OpGroupNonUniformBallot %v4 %c3 %bb",
    "%r = OpGroupNonUniformInverseBallot %bool %c3 %bv",
    "%r = OpGroupNonUniformBallotBitExtract %bool %c3 %vc %bi",
    "%r = OpGroupNonUniformQuadBroadcast %int %c3 %bi %c1",
    "%r = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %bi %c4",
    "%r = OpGroupAsyncCopy %event %c2 %near %bp %l1 %l1 %noevent",
    "%r = OpGroupAsyncCopy %event %c2 %near %p %bl %l1 %noevent",
    "%r = OpGroupAsyncCopy %event %c2 %near %p %l1 %bl %noevent",
    "%v = OpVariable %fe Function\nOpGroupWaitEvents %c2 %bi %v",
    "OpBranchConditional %bb %m %m\n%m = OpLabel",
    "OpSwitch %bi %m 1 %m\n%m = OpLabel",
    "OpBranch %m\n%m = OpLabel\n%r = OpPhi %int %bi %e",
    "%r = OpFunctionCall %int %same %bi",
    "OpReturn\nOpFunctionEnd\n%back = OpFunction %int None %one\n%q = OpFunctionParameter %int\n"
    "%in = OpLabel\nOpReturnValue %bi\nOpFunctionEnd\n%last = OpFunction %void None %fv\n"
    "%in2 = OpLabel",
};

/* Whatever uses such a constant, and in whatever place, is refused. */
static void test_failing_constants(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        const refusal c = {
            failing[i] ? "a constant in function" : NULL,
            failing[i] ? RT_UNSUPPORTED : RT_OK,
            {.before = FAILING_BEFORE,
             .types = FAILING_TYPES "%gid3 = OpTypePointer Input %long\n",
             .body = failing[i],
             .functions = "%same = OpFunction %int None %one\n%s0 = OpFunctionParameter %int\n"
                          "%s1 = OpLabel\nOpReturnValue %s0\nOpFunctionEnd"}};
        try(&c);
    }
}

/* A function has at most 4096 private variables. */
static void test_many_variables(void **state)
{
    (void)state;
    for (uint32_t count = 4096; count <= 4097; count++) {
        char *body = malloc(64 * count), *end = body;
        assert_non_null(body);
        for (uint32_t i = 0; i < count; i++)
            end += sprintf(end, "%%v%u_ = OpVariable %%fi Function\n", i);
        refusal c = {NULL, RT_OK, {.functions = NULL}};
        char *function = NULL;
        assert_true(asprintf(&function,
                             "%%g = OpFunction %%void None %%fv\n%%in = OpLabel\n%sOpReturn\n"
                             "OpFunctionEnd\n",
                             body) > 0);
        c.parts.functions = function;
        if (count > 4096) {
            c.code = RT_UNSUPPORTED;
            c.words = "a function has more than 4096 variables";
        }
        try(&c);
        free(body);
        free(function);
    }
}

/* Aggregates are nested at most 255 levels deep. */
static void test_deep_types(void **state)
{
    (void)state;
    for (uint32_t depth = 255; depth <= 256; depth++) {
        for (uint32_t is_array = 0; is_array < 2; is_array++) {
            char types[16384], *end = types + sprintf(types, "%%s0_ = OpTypeStruct %%int\n");
            for (uint32_t i = 1; i < depth; i++)
                end += sprintf(end,
                               is_array ? "%%s%u_ = OpTypeArray %%s%u_ %%c1\n"
                                        : "%%s%u_ = OpTypeStruct %%s%u_\n",
                               i, i - 1);
            refusal c = {NULL, RT_OK, {.types = types}};
            if (depth > 255) {
                c.code = RT_LIMIT;
                c.words = "types are nested more than 255 levels deep";
            }
            try(&c);
        }
    }
}

/* A module has at most 4096 kernels, and a struct at most 16383 members in one instruction. */
static void test_limits(void **state)
{
    (void)state;
    for (uint32_t more = 0; more <= 1; more++) {
        char *text = malloc(1 << 20), *end = text;
        assert_non_null(text);
        for (uint32_t i = 0; i < 4095 + more; i++)
            end += sprintf(end, "OpEntryPoint Kernel %%k \"k%u\"\n", i);
        const refusal kernels = {more ? "the module has more than 4096 kernels" : NULL,
                                 more ? RT_LIMIT : RT_OK,
                                 {.modes = text}};
        try(&kernels);
        end = text + sprintf(text, "%%a = OpTypeStruct");
        for (uint32_t i = 0; i < 16383 + more; i++)
            end += sprintf(end, " %%char");
        const refusal members = {more ? "a struct has 16384 members; at most 16383 are supported"
                                      : NULL,
                                 more ? RT_LIMIT : RT_OK,
                                 {.types = text}};
        try(&members);
        free(text);
    }
}

/* A group's decorations apply to all of its targets, and to nothing else. */
static void test_groups(void **state)
{
    (void)state;
    const parts p = {.modes = "OpDecorate %wide Alignment 64\n%wide = OpDecorationGroup\n"
                              "OpDecorate %own Alignment 16\n"
                              "OpGroupDecorate %wide %first %second %third",
                     .types = "%first = OpVariable %pi CrossWorkgroup %c1\n"
                              "%own = OpVariable %pi CrossWorkgroup %c1\n"
                              "%second = OpVariable %pi CrossWorkgroup %c1\n"
                              "%plain = OpVariable %pi CrossWorkgroup %c1\n"
                              "%third = OpVariable %pi CrossWorkgroup %c1"};
    static const uint32_t expected[] = {64, 16, 64, 4, 64}; /* after the built-in variable */
    char *text = text_of(&p);
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, text);
    assert_int_equal(module->variable_count, 6);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(module->variables[1 + i].alignment_bytes, expected[i]);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    free(text);
}

/* One boolean selects vectors in every version of SPIR-V, as llvm-spirv writes it in modules
 * of 1.1; two booleans never select four components. */
static void test_selections(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *words; /* words: of the refusal; NULL: accepted */
    } cases[] = {{"%yes", NULL}, {"%all", NULL}, {"%two", SHAPE}};
    static const char head[] = SIM_TEST_PRELUDE
        "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%int = OpTypeInt 32 0\n"
        "%v4 = OpTypeVector %int 4\n%bool = OpTypeBool\n" BOOLS
        "%yes = OpConstantTrue %bool\n%two = OpConstantNull %b2\n%all = OpConstantNull %b4\n"
        "%a = OpConstantNull %v4\n%fv = OpTypeFunction %void\n"
        "%k = OpFunction %void None %fv\n%e = OpLabel\n%r = OpSelect %v4 ";
    static const char tail[] = " %a %a\nOpReturn\nOpFunctionEnd\n";
    static const uint32_t versions[] = {0x00010000, 0x00010100, 0x00010300, 0x00010400, 0x00010600};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", head, cases[i].condition, tail);
        rt_bytes code = sim_test_assemble(text);
        for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
            rt_sink *sink = rt_sink_create();
            sim_module *module = NULL;
            memcpy((uint8_t *)(uintptr_t)code.data + 4, &versions[k], 4);
            rt_status status = sim_module_create(sink, code, NULL, 0, &module);
            const char *message =
                rt_ok(status) ? "" : rt_sink_diagnostic(sink, status)->message.data;
            assert_true(rt_ok(status) == !cases[i].words);
            assert_true(!cases[i].words || strstr(message, cases[i].words));
            sim_module_destroy(module);
            rt_sink_destroy(sink);
        }
        rt_free((void *)(uintptr_t)code.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_pointers),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_composites),
        cmocka_unit_test(test_atomics_and_calls),
        cmocka_unit_test(test_printf),
        cmocka_unit_test(test_collectives),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_functions_and_kernels),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_code),
        cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_failing_constants),
        cmocka_unit_test(test_many_variables),
        cmocka_unit_test(test_deep_types),
        cmocka_unit_test(test_selections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
