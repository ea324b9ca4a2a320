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
        "OpCapability GenericPointer\n%s\n%%std = OpExtInstImport \"OpenCL.std\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%k \"k\" %%gid\n%s\n"
        "OpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%char = OpTypeInt 8 0\n"
        "%%int = OpTypeInt 32 0\n%%long = OpTypeInt 64 0\n%%float = OpTypeFloat 32\n"
        "%%event = OpTypeEvent\n%%v2 = OpTypeVector %%int 2\n%%v4 = OpTypeVector %%int 4\n"
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

static void test_declarations(void **state)
{
    (void)state;
    static const refusal cases[] = {
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
        {"is not a function",
         RT_MALFORMED,
         {.before = "OpCapability FunctionPointersINTEL\n"
                    "OpExtension \"SPV_INTEL_function_pointers\"",
          .types = "%pc = OpTypePointer CodeSectionINTEL %fv\n"
                   "%a = OpConstantFunctionPointerINTEL %pc %c1"}},
        {"has more than 16384 parts and cannot be passed",
         RT_LIMIT,
         {.types = "%n = OpConstant %int 16385\n%a = OpTypeArray %int %n\n"
                   "%fa = OpTypeFunction %void %a"}},
        {"a value of type",
         RT_LIMIT,
         {.types = "%n = OpConstant %int 16385\n%a = OpTypeArray %int %n\n",
          .body = "%v = OpUndef %a"}},
    };
    TRY_ALL(cases);
}

static void test_operations(void **state)
{
    (void)state;
    static const refusal cases[] = {
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
         {.types = "%pl = OpTypePointer Input %long\n%v2l = OpTypeVector %long 2",
          .body = "%v = OpInBoundsAccessChain %pl %gid %c0\n"
                  "%a = OpExtInst %v2l %std vloadn %x %v 2"}},
    };
    TRY_ALL(cases);
}

/* ---- Linking --------------------------------------------------------------------------------- */

static void test_code(void **state)
{
    (void)state;
    static const refusal cases[] = {
        {"the cluster size must be a constant power of two up to 32",
         RT_UNSUPPORTED,
         {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %w"}},
        {"the cluster size must be a constant power of two up to 32",
         RT_UNSUPPORTED,
         {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c3"}},
        {"the cluster size must be a constant power of two up to 32",
         RT_UNSUPPORTED,
         {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c64"}},
        {"the cluster size must be a constant power of two up to 32",
         RT_UNSUPPORTED,
         {.body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c0"}},
        {NULL,
         RT_OK,
         {.types = "%c32 = OpConstant %int 32",
          .body = "%a = OpGroupNonUniformIAdd %int %c3 ClusteredReduce %w %c32\n"
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
         {.before = "OpCapability SubgroupDispatch",
          .modes = "OpExecutionMode %k SubgroupSize 64"}},
        {"requires sub-groups of 4 work-items",
         RT_UNSUPPORTED,
         {.before = "OpCapability SubgroupDispatch", .modes = "OpExecutionMode %k SubgroupSize 4"}},
        {NULL,
         RT_OK,
         {.before = "OpCapability SubgroupDispatch", .modes = "OpExecutionMode %k SubgroupSize 8"}},
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
    TRY_ALL(cases);
}

/* Initial values that contain addresses. */
static void test_initial_values(void **state)
{
    (void)state;
#define ADDRESSES                                                                                  \
    "%pp = OpTypePointer CrossWorkgroup %pi\n%target = OpVariable %pi CrossWorkgroup %c1\n"        \
    "%pw = OpTypePointer CrossWorkgroup %wi\n%pl = OpTypePointer CrossWorkgroup %long\n"           \
    "%local = OpVariable %wi Workgroup\n%zero = OpConstantNull %int\n%undefined = OpUndef %int\n"
    static const refusal cases[] = {
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
    TRY_ALL(cases);
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
        char types[16384], *end = types;
        for (uint32_t i = 1; i <= depth; i++)
            end += sprintf(
                end, i == 1 ? "%%s%u_ = OpTypeStruct %%int\n" : "%%s%u_ = OpTypeStruct %%s%u_\n", i,
                i - 1);
        refusal c = {NULL, RT_OK, {.types = types}};
        if (depth > 255) {
            c.code = RT_LIMIT;
            c.words = "types are nested more than 255 levels deep";
        }
        try(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_declarations),   cmocka_unit_test(test_operations),
        cmocka_unit_test(test_code),           cmocka_unit_test(test_initial_values),
        cmocka_unit_test(test_many_variables), cmocka_unit_test(test_deep_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
