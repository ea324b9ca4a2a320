/* Tests of the reader: header, forms, sections, types and layout, decorations, entry points;
 * arbitrary damage is refused or harmless and never causes a crash. */
#include "sim/module/module.h"
#include "sim/test/assembler.h"

#include <stdio.h>
#include <string.h>

/* Types that most texts use. */
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n"                                                                         \
    "%bool = OpTypeBool\n"                                                                         \
    "%char = OpTypeInt 8 0\n"                                                                      \
    "%short = OpTypeInt 16 0\n"                                                                    \
    "%int = OpTypeInt 32 0\n"                                                                      \
    "%long = OpTypeInt 64 0\n"                                                                     \
    "%float = OpTypeFloat 32\n"                                                                    \
    "%double = OpTypeFloat 64\n"

static rt_status read_bytes(rt_sink *sink, const void *data, size_t size)
{
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, (rt_bytes){data, size}, NULL, 0, &module);
    assert_true(rt_ok(status) == (module != NULL));
    sim_module_destroy(module);
    return status;
}

/* The header of the empty kernel module, 5 words, with one word replaced. */
static rt_code read_header_with(uint32_t index, uint32_t value)
{
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(SIM_TEST_PRELUDE);
    ((uint32_t *)code.data)[index] = value;
    rt_status status = read_bytes(sink, code.data, code.size);
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
    return status.code;
}

static void test_header(void **state)
{
    (void)state;
    assert_int_equal(read_header_with(4, 0), RT_OK);
    assert_int_equal(read_header_with(0, 0x07230204), RT_MALFORMED);
    assert_int_equal(read_header_with(1, 0x00010000), RT_OK);
    assert_int_equal(read_header_with(1, 0x00010600), RT_OK);
    assert_int_equal(read_header_with(1, 0x00010700), RT_UNSUPPORTED);
    assert_int_equal(read_header_with(1, 0x00000100), RT_MALFORMED);
    assert_int_equal(read_header_with(3, 0), RT_MALFORMED);
    assert_int_equal(read_header_with(3, 1), RT_MALFORMED); /* %std is outside the bound */
    assert_int_equal(read_header_with(3, 4194304), RT_OK);
    assert_int_equal(read_header_with(3, 4194305), RT_LIMIT);
    assert_int_equal(read_header_with(4, 1), RT_MALFORMED);
}

/* The name of an extension that fills its words has no end; the module ends there, too. */
static void test_extension_without_end(void **state)
{
    (void)state;
    enum { HEADER = 5, WORDS = 4 };
    const uint32_t module[] = {0x07230203, 0x00010000, 0,         8,
                               0,          0x00020011, 6,         WORDS << 16 | 10,
                               0x5f565053, 0x5f524b48, 0x616e616e};
    uint32_t *words = rt_alloc(sizeof module);
    memcpy(words, module, sizeof module);
    rt_sink *sink = rt_sink_create();
    rt_status status = read_bytes(sink, words, sizeof module);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data,
                           "the extension's name is not terminated"));
    words[HEADER + 2 + WORDS - 1] = 0x00616e61; /* the last letter: the end */
    assert_int_equal(read_bytes(sink, words, sizeof module).code, RT_UNSUPPORTED);
    rt_sink_destroy(sink);
    rt_free(words);
}

static void test_sizes(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(SIM_TEST_PRELUDE);
    assert_int_equal(read_bytes(sink, code.data, 0).code, RT_MALFORMED);
    assert_int_equal(read_bytes(sink, code.data, 16).code, RT_MALFORMED);
    assert_int_equal(read_bytes(sink, code.data, code.size - 1).code, RT_MALFORMED);
    assert_int_equal(read_bytes(sink, code.data, code.size - 4).code, RT_MALFORMED);
    assert_int_equal(read_bytes(sink, code.data, code.size).code, RT_OK);
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
}

static void test_byte_order(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(SIM_TEST_PRELUDE TYPES "%seven = OpConstant %int 7\n");
    uint32_t *words = (uint32_t *)code.data;
    for (size_t i = 0; i < code.size / 4; i++) {
        words[i] = __builtin_bswap32(words[i]);
    }
    sim_module *module = NULL;
    assert_true(rt_ok(sim_module_create(sink, code, NULL, 0, &module)));
    assert_int_equal(module->constant_count, 1);
    assert_int_equal(module->constants[0].bits, 7);
    sim_module_destroy(module);
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
}

static const sim_type *named_type(const sim_module *module, const char *name)
{
    for (sim_id id = 1; id < module->id_bound; id++) {
        if (rt_text_is(sim_module_name(module, id), name)) return sim_module_type(module, id);
    }
    fail_msg("no type %s", name);
    return NULL;
}

/* Sizes and offsets must be those of an OpenCL C compiler. */
static void test_layout(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, SIM_TEST_PRELUDE
                        "OpName %plain \"plain\"\nOpName %packed \"packed\"\n"
                        "OpName %three \"three\"\nOpName %row \"row\"\n"
                        "OpName %outer \"outer\"\nOpName %none \"none\"\n"
                        "OpDecorate %packed CPacked\n" TYPES "%three = OpTypeVector %float 3\n"
                        "%plain = OpTypeStruct %char %double %short %three\n"
                        "%packed = OpTypeStruct %char %double %short\n"
                        "%five = OpConstant %int 5\n"
                        "%row = OpTypeArray %packed %five\n"
                        "%outer = OpTypeStruct %char %row %plain\n"
                        "%none = OpTypeStruct\n");
    const sim_type *three = named_type(module, "three");
    assert_int_equal(three->size_bytes, 16);
    assert_int_equal(three->alignment_bytes, 16);
    const sim_type *plain = named_type(module, "plain");
    assert_int_equal(plain->offsets[0], 0);
    assert_int_equal(plain->offsets[1], 8);
    assert_int_equal(plain->offsets[2], 16);
    assert_int_equal(plain->offsets[3], 32);
    assert_int_equal(plain->size_bytes, 48);
    assert_int_equal(plain->alignment_bytes, 16);
    const sim_type *packed = named_type(module, "packed");
    assert_int_equal(packed->offsets[1], 1);
    assert_int_equal(packed->offsets[2], 9);
    assert_int_equal(packed->size_bytes, 11);
    assert_int_equal(packed->alignment_bytes, 1);
    assert_int_equal(named_type(module, "row")->size_bytes, 55);
    assert_int_equal(named_type(module, "outer")->offsets[1], 1);
    assert_int_equal(named_type(module, "outer")->offsets[2], 64);
    assert_int_equal(named_type(module, "outer")->size_bytes, 112);
    assert_int_equal(named_type(module, "none")->size_bytes, 0);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

static void test_forward_pointer(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, SIM_TEST_PRELUDE "OpName %node \"node\"\n"
                                               "OpTypeForwardPointer %link CrossWorkgroup\n" TYPES
                                               "%node = OpTypeStruct %int %link\n"
                                               "%link = OpTypePointer CrossWorkgroup %node\n");
    const sim_type *node = named_type(module, "node");
    assert_int_equal(node->size_bytes, 16);
    assert_ptr_equal(node->members[1]->element, node);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    sim_test_refused(SIM_TEST_PRELUDE TYPES "%node = OpTypeStruct %int %link\n"
                                            "%link = OpTypePointer CrossWorkgroup %node\n",
                     RT_MALFORMED, "is used before");
    sim_test_refused(SIM_TEST_PRELUDE "OpTypeForwardPointer %link Workgroup\n" TYPES
                                      "%link = OpTypePointer CrossWorkgroup %int\n",
                     RT_MALFORMED, "a different storage class");
}

static void test_types_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        rt_code code;
        const char *words;
    } cases[] = {
        {"%a = OpTypeInt 24 0\n", RT_UNSUPPORTED, "24 bits"},
        {"%a = OpTypeInt 32 1\n", RT_UNSUPPORTED, "signedness"},
        {"%f = OpTypeFloat 32\n%a = OpTypeVector %f 5\n", RT_MALFORMED, "not 5"},
        {"%v = OpTypeVoid\n%a = OpTypeStruct %v\n", RT_MALFORMED, "no values"},
        {"%i = OpTypeInt 32 0\n%z = OpConstant %i 0\n%a = OpTypeArray %i %z\n", RT_MALFORMED,
         "no elements"},
        {"%i = OpTypeInt 64 0\n%z = OpConstant %i 0x20000001\n%a = OpTypeArray %i %z\n", RT_LIMIT,
         "larger than"},
        {"%i = OpTypeInt 32 0\n%a = OpTypePointer Uniform %i\n", RT_UNSUPPORTED, "Uniform"},
        {"%a = OpTypeRuntimeArray %b\n", RT_UNSUPPORTED,
         "OpTypeRuntimeArray: the instruction is refused"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", SIM_TEST_PRELUDE, cases[i].text);
        sim_test_refused(text, cases[i].code, cases[i].words);
    }
}

static void test_constants(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(
        sink, SIM_TEST_PRELUDE "OpDecorate %spec SpecId 9\n" TYPES "%minus = OpConstant %char 255\n"
                               "%big = OpConstant %long 0x123456789abcdef0\n"
                               "%yes = OpConstantTrue %bool\n"
                               "%spec = OpSpecConstant %int 3\n"
                               "%pair = OpTypeVector %int 2\n"
                               "%both = OpConstantComposite %pair %spec %spec\n"
                               "%sum = OpSpecConstantOp %int IAdd %spec %spec\n"
                               "%nothing = OpConstantNull %pair\n"
                               "%any = OpUndef %pair\n");
    const sim_constant *constants = module->constants;
    assert_int_equal(constants[0].bits, 0xff);
    assert_true(constants[1].bits == UINT64_C(0x123456789abcdef0));
    assert_int_equal(constants[2].bits, 1);
    assert_int_equal(constants[3].spec_id, 9);
    assert_int_equal(constants[0].spec_id, SIM_NONE);
    assert_int_equal(constants[4].kind, SIM_CONSTANT_COMPOSITE);
    assert_int_equal(constants[5].opcode->number, SIM_OpIAdd);
    assert_int_equal(constants[5].count, 2);
    assert_int_equal(constants[5].kind, SIM_CONSTANT_BITS);
    assert_int_equal(constants[5].bits, 6);
    assert_int_equal(constants[6].kind, SIM_CONSTANT_NULL);
    assert_int_equal(constants[7].kind, SIM_CONSTANT_UNDEFINED);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

static void test_decorations(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module = sim_test_module(sink, SIM_TEST_PRELUDE
                                         "OpName %a \"first\"\n"
                                         "OpDecorate %group Constant\n"
                                         "OpDecorate %group Alignment 64\n"
                                         "%group = OpDecorationGroup\n"
                                         "OpGroupDecorate %group %a %b\n"
                                         "OpDecorate %b LinkageAttributes \"shared\" Export\n" TYPES
                                         "%pointer = OpTypePointer CrossWorkgroup %int\n"
                                         "%one = OpConstant %int 1\n"
                                         "%a = OpVariable %pointer CrossWorkgroup %one\n"
                                         "%b = OpVariable %pointer CrossWorkgroup %one\n");
    assert_int_equal(module->variable_count, 2);
    assert_int_equal(module->variables[0].alignment_bytes, 64);
    assert_int_equal(module->variables[1].alignment_bytes, 64);
    assert_true(rt_text_is(module->variables[0].name, "first"));
    assert_int_equal(module->variables[0].linkage, SIM_LINKAGE_NONE);
    assert_true(rt_text_is(module->variables[1].link_name, "shared"));
    assert_int_equal(module->variables[1].linkage, SIM_LINKAGE_EXPORT);
    sim_id b = module->variables[1].id;
    assert_non_null(sim_module_decoration(module, b, SIM_NONE, SIM_DecorationConstant));
    assert_null(sim_module_decoration(module, b, 0, SIM_DecorationConstant));
    assert_null(sim_module_decoration(module, b, SIM_NONE, SIM_DecorationVolatile));
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* A literal whose type is not a number. The assembler would refuse such a module, so its words are
 * patched. */
static void test_literal_of_no_number(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    rt_bytes code = sim_test_assemble(SIM_TEST_PRELUDE "%bool = OpTypeBool\n"
                                                       "%word = OpTypeInt 32 0\n"
                                                       "%one = OpConstant %word 1\n");
    uint32_t *words = (uint32_t *)(void *)code.data, count = (uint32_t)(code.size / sizeof *words);
    assert_int_equal(words[count - 4], 4u << 16 | SIM_OpConstant);
    words[count - 3] = words[count - 9]; /* the id of %bool */
    sim_module *module = NULL;
    rt_status status = sim_module_create(sink, code, NULL, 0, &module);
    assert_int_equal(status.code, RT_MALFORMED);
    assert_non_null(
        strstr(rt_sink_diagnostic(sink, status)->message.data, "is not a numerical scalar"));
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
}

/* A group may decorate several members of one type. */
static void test_decorated_members(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, SIM_TEST_PRELUDE "OpName %S \"S\"\nOpDecorate %group Volatile\n"
                                               "OpDecorate %group Aliased\n"
                                               "%group = OpDecorationGroup\n"
                                               "OpGroupMemberDecorate %group %S 2 %S 0 %S 3\n" TYPES
                                               "%S = OpTypeStruct %int %int %int %int\n");
    sim_id id = 1;
    while (!rt_text_is(sim_module_name(module, id), "S"))
        id++;
    for (uint32_t member = 0; member < 4; member++) {
        bool is_volatile =
            sim_module_decoration(module, id, member, SIM_DecorationVolatile) != NULL;
        assert_int_equal(is_volatile, member != 1);
        bool is_aliased = sim_module_decoration(module, id, member, SIM_DecorationAliased) != NULL;
        assert_int_equal(is_aliased, member != 1);
    }
    assert_null(sim_module_decoration(module, id, SIM_NONE, SIM_DecorationVolatile));
    sim_module_destroy(module);
    rt_sink_destroy(sink);
}

/* The supplement defines HostAccessINTEL in both of its encodings.  The module is written word by
 * word, because the assembler does not know the decoration. */
static void test_supplement(void **state)
{
    (void)state;
    for (uint32_t number = 6147; number <= 6188; number += 6188 - 6147) {
        uint32_t words[] = {0x07230203,
                            0x00010000,
                            0,
                            4,
                            0,
                            2u << 16 | SIM_OpCapability,
                            SIM_CapabilityKernel,
                            2u << 16 | SIM_OpCapability,
                            SIM_CapabilityAddresses,
                            2u << 16 | SIM_OpCapability,
                            number - 1,
                            3u << 16 | SIM_OpMemoryModel,
                            2,
                            2,
                            5u << 16 | SIM_OpDecorate,
                            3,
                            number,
                            3,
                            0x78 /* "x" */,
                            4u << 16 | SIM_OpTypeInt,
                            1,
                            32,
                            0,
                            4u << 16 | SIM_OpTypePointer,
                            2,
                            SIM_StorageClassCrossWorkgroup,
                            1,
                            4u << 16 | SIM_OpVariable,
                            2,
                            3,
                            SIM_StorageClassCrossWorkgroup};
        rt_sink *sink = rt_sink_create();
        assert_int_equal(read_bytes(sink, words, sizeof words).code, RT_OK);
        words[16] = 6150;
        assert_int_equal(read_bytes(sink, words, sizeof words).code, RT_UNSUPPORTED);
        rt_sink_destroy(sink);
    }
}

#define KERNEL(modes, body)                                                                        \
    SIM_TEST_PRELUDE "OpEntryPoint Kernel %main \"run\" %where\n" modes                            \
                     "%file = OpString \"run.cl\"\n"                                               \
                     "OpDecorate %where BuiltIn GlobalInvocationId\n"                              \
                     "OpDecorate %where LinkageAttributes \"__spirv_where\" Import\n" TYPES        \
                     "%ids = OpTypeVector %long 3\n"                                               \
                     "%input = OpTypePointer Input %ids\n"                                         \
                     "%where = OpVariable %input Input\n"                                          \
                     "%data = OpTypePointer CrossWorkgroup %int\n"                                 \
                     "%type = OpTypeFunction %void %data\n"                                        \
                     "%main = OpFunction %void None %type\n"                                       \
                     "%out = OpFunctionParameter %data\n"                                          \
                     "%entry = OpLabel\n" body "OpReturn\n"                                        \
                     "OpFunctionEnd\n"

static void test_entry(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, KERNEL("OpExecutionMode %main LocalSize 4 2 1\n",
                                     "OpLine %file 12 3\n%i = OpLoad %ids %where\nOpNoLine\n"));
    assert_int_equal(module->entry_count, 1);
    assert_true(rt_text_is(module->entries[0].name, "run"));
    assert_int_equal(module->entries[0].local_size[0], 4);
    assert_int_equal(module->entries[0].local_size[1], 2);
    assert_int_equal(module->variables[0].built_in, SIM_BuiltInGlobalInvocationId);
    assert_int_equal(module->variables[0].linkage, SIM_LINKAGE_NONE);
    assert_int_equal(module->instruction_count, 2);
    assert_int_equal(module->instructions[0].line, 12);
    assert_true(rt_text_is(sim_module_string(module, module->instructions[0].source), "run.cl"));
    assert_int_equal(module->instructions[1].line, 0);
    assert_int_equal(module->instructions[1].opcode->group, SIM_GROUP_RETURN);
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    sim_test_refused(KERNEL("OpExecutionMode %main LocalSize 4 0 1\n", ""), RT_LIMIT, "work-items");
    sim_test_refused(KERNEL("OpExecutionMode %main RoundingModeRTZ 32\n", ""), RT_UNSUPPORTED,
                     "RoundingModeRTZ");
    sim_test_refused(KERNEL("OpExecutionMode %void ContractionOff\n", ""), RT_MALFORMED,
                     "not an entry point");
    sim_test_refused(SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"run\"\n"
                                      "OpEntryPoint Kernel %k \"run\"\n" TYPES
                                      "%f = OpTypeFunction %void\n%k = OpFunction %void None %f\n"
                                      "%l = OpLabel\nOpReturn\nOpFunctionEnd\n",
                     RT_MALFORMED, "declared twice");
    sim_test_refused(KERNEL("", "%i = OpConvertPtrToU %long %where\n"), RT_UNSUPPORTED,
                     "only be loaded");
    sim_test_refused(SIM_TEST_PRELUDE "OpEntryPoint Kernel %k \"run\" %int\n" TYPES
                                      "%f = OpTypeFunction %void\n%k = OpFunction %void None %f\n"
                                      "%l = OpLabel\nOpReturn\nOpFunctionEnd\n",
                     RT_MALFORMED, "not a variable at module scope");
    sim_test_refused(KERNEL("", "OpLine %int 12 3\n"), RT_MALFORMED, "not an OpString");
}

/* Debug information may be among the types, in blocks and after functions; its operands are not
 * checked, and it is dropped entirely. */
static void test_debug_information(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_module *module =
        sim_test_module(sink, "OpCapability Kernel\nOpCapability Addresses\n"
                              "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                              "%notes = OpExtInstImport \"NonSemantic.Notes\"\n"
                              "%std = OpExtInstImport \"OpenCL.std\"\n"
                              "OpMemoryModel Physical64 OpenCL\n%text = OpString \"text\"\n"
                              "OpName %f \"f\"\n%void = OpTypeVoid\n%type = OpTypeFunction %void\n"
                              "%a = OpExtInst %void %notes 1 %text\n"
                              "%f = OpFunction %void None %type\n%l = OpLabel\n"
                              "%b = OpExtInst %void %notes 2 %a\nOpNop\nOpReturn\nOpFunctionEnd\n"
                              "%c = OpExtInst %void %notes 3\n");
    assert_int_equal(module->instruction_count, 1);
    assert_true(rt_text_is(module->functions[0].name, "f"));
    for (sim_id id = 1; id < module->id_bound; id++) {
        assert_int_not_equal(sim_module_id(module, id)->kind, SIM_ID_RESULT);
    }
    sim_module_destroy(module);
    rt_sink_destroy(sink);
    sim_test_refused(SIM_TEST_PRELUDE TYPES "%half = OpConstant %float 0.5\n"
                                            "%a = OpExtInst %float %std fabs %half\n",
                     RT_MALFORMED, "only in functions");
}

static void test_refused_by_name(void **state)
{
    (void)state;
    sim_test_refused("OpCapability Shader\nOpMemoryModel Physical64 OpenCL\n", RT_UNSUPPORTED,
                     "capability Shader");
    sim_test_refused("OpCapability Kernel\nOpExtension \"SPV_XYZ\"\n"
                     "OpMemoryModel Physical64 OpenCL\n",
                     RT_UNSUPPORTED, "SPV_XYZ");
    sim_test_refused("OpCapability Kernel\nOpCapability Addresses\n"
                     "OpMemoryModel Physical32 OpenCL\n",
                     RT_UNSUPPORTED, "Physical32");
    sim_test_refused("OpCapability Kernel\n%a = OpExtInstImport \"GLSL.std.450\"\n"
                     "OpMemoryModel Physical64 OpenCL\n",
                     RT_UNSUPPORTED, "GLSL.std.450");
}

static void test_sections(void **state)
{
    (void)state;
    sim_test_refused("OpCapability Addresses\nOpCapability Kernel\n"
                     "OpMemoryModel Physical64 OpenCL\nOpCapability Int8\n",
                     RT_MALFORMED, "after the memory model");
    sim_test_refused("OpCapability Kernel\n%v = OpTypeVoid\n", RT_MALFORMED,
                     "among the capabilities");
    sim_test_refused("OpCapability Kernel\n", RT_MALFORMED, "before its memory model");
    sim_test_refused(SIM_TEST_PRELUDE TYPES "OpName %int \"int\"\n", RT_MALFORMED,
                     "is not allowed");
    sim_test_refused(SIM_TEST_PRELUDE TYPES "%f = OpTypeFunction %void\n"
                                            "%g = OpFunction %void None %f\n",
                     RT_MALFORMED, "ends inside a function");
    sim_test_refused(SIM_TEST_PRELUDE TYPES "%f = OpTypeFunction %void\n"
                                            "%g = OpFunction %void None %f\nOpFunctionEnd\n",
                     RT_MALFORMED, "neither imported nor defined");
    sim_test_refused(SIM_TEST_PRELUDE "OpDecorate %absent Constant\n" TYPES, RT_MALFORMED,
                     "never defined");
}

/* Every word of a module is replaced by interesting values, and the module is truncated at every
 * word: each result is refused or accepted and never causes a crash, which the sanitizers check. */
static void test_damage(void **state)
{
    (void)state;
    static const uint32_t values[] = {0, 1, 2, 7, 0xffff, 0x10000, 0x7fffffff, 0xffffffff};
    rt_bytes code = sim_test_assemble(
        KERNEL("OpExecutionMode %main LocalSize 4 2 1\n",
               "%i = OpLoad %ids %where\n%j = OpCompositeExtract %long %i 0\n"
               "%p = OpInBoundsPtrAccessChain %data %out %j\n%x = OpLoad %int %p Aligned 4\n"
               "%y = OpExtInst %int %std s_max %x %x\nOpStore %p %y Aligned 4\n"));
    uint32_t *words = (uint32_t *)code.data;
    rt_sink *sink = rt_sink_create();
    for (size_t i = 0; i < code.size / 4; i++) {
        uint32_t original = words[i];
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
            words[i] = values[k];
            (void)!rt_ok(read_bytes(sink, code.data, code.size));
            words[i] = original ^ values[k];
            (void)!rt_ok(read_bytes(sink, code.data, code.size));
        }
        words[i] = original;
        (void)!rt_ok(read_bytes(sink, code.data, i * 4));
    }
    assert_true(rt_ok(read_bytes(sink, code.data, code.size)));
    rt_free((void *)code.data);
    rt_sink_destroy(sink);
}

static void test_tables(void **state)
{
    (void)state;
    assert_string_equal(sim_opcode_find(SIM_OpIAdd)->name, "OpIAdd");
    assert_null(sim_opcode_find(9));
    assert_null(sim_opcode_find(65535));
    assert_string_equal(sim_opcode_find(SIM_OpArithmeticFenceEXT)->name, "OpArithmeticFenceEXT");
    assert_string_equal(sim_extended_find(SIM_STD_fabs)->name, "fabs");
    assert_null(sim_extended_find(111));
    assert_string_equal(sim_enumerant_name(SIM_KIND_StorageClass, 4), "Workgroup");
    assert_string_equal(sim_enumerant_name(SIM_KIND_StorageClass, 12345), "unknown");
    for (uint32_t i = 0; i < 0x10000; i++) {
        const sim_opcode *opcode = sim_opcode_find(i);
        if (!opcode) continue;
        assert_int_equal(opcode->number, i);
        bool is_refused = opcode->treatment == SIM_TREATMENT_REFUSED;
        assert_true(is_refused == (opcode->reason[0] != '\0'));
        assert_true(is_refused == (opcode->group == SIM_GROUP_NONE));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_extension_without_end),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_byte_order),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_forward_pointer),
        cmocka_unit_test(test_types_refused),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_decorations),
        cmocka_unit_test(test_decorated_members),
        cmocka_unit_test(test_literal_of_no_number),
        cmocka_unit_test(test_supplement),
        cmocka_unit_test(test_entry),
        cmocka_unit_test(test_refused_by_name),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_debug_information),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
