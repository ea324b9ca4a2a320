/* Tests of rules of a module's structure: each has a module that breaks it, which we and, for most
 * rules, SPIRV-Tools refuse, and a similar module that obeys it, which both accept. */
#include "sim/test/assembler.h"
#include "sim/test/second_opinion.h"

/* The parts of a module that differ between cases; a missing part is empty. */
typedef struct parts {
    const char *capabilities, *debug, *annotations, *types, *body;
} parts;

typedef struct rule_case {
    const char *name, *words; /* words of our message */
    parts wrong, right;
    bool is_ours_alone; /* SPIRV-Tools does not check the rule */
} rule_case;

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static rt_bytes module_of(const parts *p)
{
    char text[8192];
    int length = snprintf(
        text, sizeof text,
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability GenericPointer\n%s\n%%std = OpExtInstImport \"OpenCL.std\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%k \"k\"\n%s\n"
        "OpDecorate %%f LinkageAttributes \"f\" Export\n%s\n"
        "%%void = OpTypeVoid\n%%int = OpTypeInt 32 0\n%%long = OpTypeInt 64 0\n"
        "%%float = OpTypeFloat 32\n%%v4 = OpTypeVector %%float 4\n"
        "%%pi = OpTypePointer CrossWorkgroup %%int\n%%pc = OpTypePointer UniformConstant %%int\n"
        "%%pl = OpTypePointer CrossWorkgroup %%long\n%%gi = OpTypePointer Generic %%int\n"
        "%%gf = OpTypePointer Generic %%float\n%%pf = OpTypePointer CrossWorkgroup %%float\n"
        "%%one = OpConstant %%int 1\n%%nine = OpConstant %%int 9\n%%two = OpConstant %%int 2\n"
        "%%six = OpConstant %%int 6\n%%l1 = OpConstant %%long 1\n%%f1 = OpConstant %%float 1\n"
        "%%vf = OpConstantComposite %%v4 %%f1 %%f1 %%f1 %%f1\n%s\n"
        "%%fk = OpTypeFunction %%void %%pi %%pc %%pl %%pf\n%%fv = OpTypeFunction %%void\n"
        "%%f = OpFunction %%void None %%fv\n%%fe = OpLabel\nOpReturn\nOpFunctionEnd\n"
        "%%k2 = OpFunction %%void None %%fv\n%%k2e = OpLabel\nOpReturn\nOpFunctionEnd\n"
        "%%k = OpFunction %%void None %%fk\n%%i = OpFunctionParameter %%pi\n"
        "%%c = OpFunctionParameter %%pc\n%%l = OpFunctionParameter %%pl\n"
        "%%p = OpFunctionParameter %%pf\n%%e = OpLabel\n%s\nOpReturn\nOpFunctionEnd\n",
        or_nothing(p->capabilities), or_nothing(p->debug), or_nothing(p->annotations),
        or_nothing(p->types), or_nothing(p->body));
    assert_true(length > 0 && (size_t)length < sizeof text);
    return sim_test_assemble(text);
}

#define INDIRECT "OpCapability IndirectReferencesINTEL\nOpExtension \"SPV_INTEL_function_pointers\""

static const rule_case cases[] = {
    {"capability of an instruction",
     "it needs the capability Groups",
     {.types = "%bool = OpTypeBool\n%t = OpConstantTrue %bool",
      .body = "%q = OpGroupAll %bool %two %t"},
     {.capabilities = "OpCapability Groups",
      .types = "%bool = OpTypeBool\n%t = OpConstantTrue %bool",
      .body = "%q = OpGroupAll %bool %two %t"}},
    {"capability of an enumerant",
     "needs the capability OptNone", /* …INTEL, in newer grammars …EXT */
     {.types = "%ft = OpTypeFunction %void",
      .body = "OpReturn\nOpFunctionEnd\n%o = OpFunction %void OptNoneINTEL %fv\n%oe = OpLabel"},
     {.body = "OpReturn\nOpFunctionEnd\n%o = OpFunction %void Inline %fv\n%oe = OpLabel"}},
    {"capability of a width",
     "an integer of this width needs the capability Int16",
     {.types = "%short = OpTypeInt 16 0"},
     {.capabilities = "OpCapability Int16", .types = "%short = OpTypeInt 16 0"}},
    {"capability of double",
     "a double needs the capability Float64",
     {.types = "%double = OpTypeFloat 64"},
     {.capabilities = "OpCapability Float64", .types = "%double = OpTypeFloat 64"}},
    {"capability of half",
     "a half needs the capability Float16Buffer or Float16",
     {.types = "%half = OpTypeFloat 16"},
     {.capabilities = "OpCapability Float16Buffer", .types = "%half = OpTypeFloat 16"}},
    {"capability of a vector",
     "a vector of this size needs the capability Vector16",
     {.types = "%v8 = OpTypeVector %float 8"},
     {.capabilities = "OpCapability Vector16", .types = "%v8 = OpTypeVector %float 8"}},
    {"capability of atomics",
     "a 64-bit atomic needs the capability Int64Atomics",
     {.body = "%a = OpAtomicIAdd %long %l %one %two %l1"},
     {.capabilities = "OpCapability Int64Atomics",
      .body = "%a = OpAtomicIAdd %long %l %one %two %l1"}},
    {"strings before names",
     "among the names",
     {.debug = "OpName %k \"k\"\n%s = OpString \"s\""},
     {.debug = "%s = OpString \"s\"\nOpName %k \"k\""}},
    {"target of Constant",
     "which is not a variable",
     {.annotations = "OpDecorate %int Constant"},
     {.annotations = "OpDecorate %x Constant",
      .types = "%x = OpVariable %pc UniformConstant %one"}},
    {"target of Volatile",
     "which is not a variable, parameter or member",
     {.annotations = "OpDecorate %int Volatile"},
     {.annotations = "OpDecorate %i Volatile"}},
    {"target of NoSignedWrap",
     "which is not an integer operation that can wrap",
     {.annotations = "OpDecorate %q NoSignedWrap", .body = "%q = OpBitwiseAnd %int %one %two"},
     {.annotations = "OpDecorate %q NoSignedWrap", .body = "%q = OpIAdd %int %one %two"}},
    {"target of SpecId",
     "which is not a scalar specialisation constant",
     {.annotations = "OpDecorate %i SpecId 1"},
     {.annotations = "OpDecorate %s SpecId 1", .types = "%s = OpSpecConstant %int 7"}},
    {"target of FuncParamAttr",
     "which is not a parameter or function",
     {.annotations = "OpDecorate %int FuncParamAttr NoCapture"},
     {.annotations = "OpDecorate %i FuncParamAttr NoCapture"},
     .is_ours_alone = true},
    {"target of LinkageAttributes",
     "which is not a variable or function",
     {.annotations = "OpDecorate %int LinkageAttributes \"x\" Export"},
     {.annotations = "OpDecorate %k2 LinkageAttributes \"x\" Export"},
     .is_ours_alone = true},
    {"target of ReferencedIndirectlyINTEL",
     "which is not a function",
     {.capabilities = INDIRECT, .annotations = "OpDecorate %int ReferencedIndirectlyINTEL"},
     {.capabilities = INDIRECT, .annotations = "OpDecorate %k2 ReferencedIndirectlyINTEL"},
     .is_ours_alone = true},
    {"a kernel has no linkage",
     "is an entry point but has linkage",
     {.annotations = "OpDecorate %k LinkageAttributes \"k\" Export"},
     {.annotations = "OpDecorate %k2 LinkageAttributes \"k2\" Export"}},
    {"a kernel is not called",
     "is an entry point, which cannot be called",
     {.body = "%r = OpFunctionCall %void %k %i %c %l %p"},
     {.body = "%r = OpFunctionCall %void %f"}},
    {"literals fit their type",
     "does not fit into the type's 16 bits",
     {.capabilities = "OpCapability Int16",
      .types = "%short = OpTypeInt 16 0\n"
               "%s = OpConstant %short !65536"},
     {.capabilities = "OpCapability Int16",
      .types = "%short = OpTypeInt 16 0\n"
               "%s = OpConstant %short !65535"}},
    {"a conversion changes the width",
     "the operand is as wide as the result",
     {.body = "%q = OpFConvert %float %f1"},
     {.capabilities = "OpCapability Float64",
      .types = "%double = OpTypeFloat 64",
      .body = "%q = OpFConvert %double %f1"}},
    {"scopes exist",
     "9 is not a scope",
     {.body = "OpMemoryBarrier %nine %two"},
     {.body = "OpMemoryBarrier %one %two"}},
    {"one order",
     "specify several orders",
     {.body = "OpMemoryBarrier %one %six"},
     {.body = "OpMemoryBarrier %one %two"}},
    {"a cast keeps what is pointed to",
     "do not point to the same type",
     {.body = "%q = OpPtrCastToGeneric %gf %i"},
     {.body = "%q = OpPtrCastToGeneric %gi %i"}},
    {"nothing is stored to constant memory",
     "storage class UniformConstant cannot be written",
     {.body = "OpStore %c %one"},
     {.body = "OpStore %i %one"}},
    {"an offset has 64 bits",
     "the offset is not a 64-bit integer",
     {.body = "%q = OpExtInst %void %std vstoren %vf %one %p"},
     {.body = "%q = OpExtInst %void %std vstoren %vf %l1 %p"}},
    {"a type is declared once",
     "is already declared",
     {.types = "%again = OpTypeInt 32 0"},
     {.types = "%again = OpTypePointer CrossWorkgroup %int"}},
    {"types are told apart by their ids",
     "does not point to the value's type",
     {.types = "%sa = OpTypeStruct %int\n%sb = OpTypeStruct %int\n%n = OpConstantNull %sb\n"
               "%ps = OpTypePointer CrossWorkgroup %sa",
      .body = "%q = OpBitcast %ps %i\nOpStore %q %n"},
     {.types = "%sa = OpTypeStruct %int\n%sb = OpTypeStruct %int\n%n = OpConstantNull %sb\n"
               "%ps = OpTypePointer CrossWorkgroup %sb",
      .body = "%q = OpBitcast %ps %i\nOpStore %q %n"}},
};

static void expect_opinions(const rule_case *c, const parts *p, bool is_right)
{
    char ours[512], theirs[512];
    rt_bytes bytes = module_of(p);
    uint32_t count = (uint32_t)(bytes.size / sizeof(uint32_t));
    const uint32_t *words = (const uint32_t *)(const void *)bytes.data;
    opinion expected = is_right ? OPINION_VALID : OPINION_INVALID;
    opinion our = opinion_ours(words, count, ours, sizeof ours);
    opinion their = opinion_theirs(words, count, theirs, sizeof theirs);
    if (our != expected || (!is_right && !strstr(ours, c->words))) {
        fail_msg("%s, %s: ours [%s]", c->name, is_right ? "right" : "wrong", ours);
    }
    if (their != expected && !(c->is_ours_alone && !is_right)) {
        fail_msg("%s, %s: SPIRV-Tools [%s]", c->name, is_right ? "right" : "wrong", theirs);
    }
    rt_free((void *)bytes.data);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect_opinions(&cases[i], &cases[i].wrong, false);
        expect_opinions(&cases[i], &cases[i].right, true);
    }
}

/* A decoration that needs a later version of SPIR-V than the module's, and one that needs a
 * capability that no module may declare. */
static void test_versions(void **state)
{
    (void)state;
    const parts uses = {.annotations = "OpDecorate %i MaxByteOffset 4"};
    char ours[512];
    rt_bytes bytes = module_of(&uses);
    uint32_t count = (uint32_t)(bytes.size / sizeof(uint32_t)), *words = (uint32_t *)bytes.data;
    assert_int_equal(opinion_ours(words, count, ours, sizeof ours), OPINION_VALID);
    words[1] = 0x00010000;
    assert_int_equal(opinion_ours(words, count, ours, sizeof ours), OPINION_INVALID);
    assert_non_null(strstr(ours, "MaxByteOffset needs SPIR-V 1.1"));
    rt_free(words);
    const parts shaders = {.annotations = "OpDecorate %i Block"};
    bytes = module_of(&shaders);
    count = (uint32_t)(bytes.size / sizeof(uint32_t));
    words = (uint32_t *)bytes.data;
    assert_int_equal(opinion_ours(words, count, ours, sizeof ours), OPINION_NONE);
    assert_non_null(strstr(ours, "Block needs the capability Shader, which is refused"));
    rt_free(words);
}

/* Instructions of later versions of SPIR-V. */
static void test_versions_of_instructions(void **state)
{
    (void)state;
    static const struct {
        const char *capability, *body, *words;
        uint32_t version, before;
    } later[] = {
        {NULL, "%z = OpSizeOf %int %i", "it needs SPIR-V 1.1", 0x00010100, 0x00010000},
        {NULL, "%z = OpPtrDiff %long %i %i", "it needs SPIR-V 1.4", 0x00010400, 0x00010300},
        {NULL, "%z = OpCopyLogical %b %a", "it needs SPIR-V 1.4", 0x00010400, 0x00010300},
        {"OpCapability GroupNonUniform", "%z = OpGroupNonUniformElect %bool %three",
         "GroupNonUniform needs SPIR-V 1.3", 0x00010300, 0x00010200},
    };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        const parts uses = {.capabilities = later[i].capability,
                            .types = "%bool = OpTypeBool\n%three = OpConstant %int 3\n"
                                     "%A = OpTypeStruct %int\n%b = OpTypeStruct %int\n"
                                     "%a = OpConstantComposite %A %one",
                            .body = later[i].body};
        char ours[512];
        rt_bytes bytes = module_of(&uses);
        uint32_t count = (uint32_t)(bytes.size / sizeof(uint32_t)), *words = (uint32_t *)bytes.data;
        words[1] = later[i].version;
        assert_int_equal(opinion_ours(words, count, ours, sizeof ours), OPINION_VALID);
        words[1] = later[i].before;
        assert_int_equal(opinion_ours(words, count, ours, sizeof ours), OPINION_INVALID);
        if (!strstr(ours, later[i].words)) fail_msg("%s: %s", later[i].body, ours);
        rt_free(words);
    }
}

/* Which decorations are allowed on what: every combination. Source: SPIR-V specification 1.6,
 * section 3.20; SPV_KHR_no_integer_wrap_decoration. */
static const struct {
    char letter;
    const char *id;
} decorated[] = {
    {'v', "%var"}, {'l', "%priv"}, {'p', "%par"},  {'m', NULL},     {'f', "%fun"},
    {'s', "%st"},  {'c', "%two"},  {'x', "%spec"}, {'t', "%int"},   {'w', "%add"},
    {'w', "%sub"}, {'w', "%mul"},  {'w', "%neg"},  {'w', "%shl"},   {'w', "%ext"},
    {'o', "%div"}, {'o', "%shr"},  {'o', "%xor"},  {'o', "%label"}, {'o', "%load"},
};
static const struct {
    const char *decoration, *allowed, *noun;
} decorations[] = {
    {"Constant", "vl", "a variable"},
    {"Volatile", "vlpm", "a variable, parameter or member"},
    {"Coherent", "vlpm", "a variable, parameter or member"},
    {"Restrict", "vlpm", "a variable, parameter or member"},
    {"Aliased", "vlpm", "a variable, parameter or member"},
    {"NonWritable", "vlpm", "a variable, parameter or member"},
    {"NonReadable", "vlpm", "a variable, parameter or member"},
    {"FuncParamAttr Zext", "pf", "a parameter or function"},
    {"LinkageAttributes \"z\" Export", "vlf", "a variable or function"},
    {"BuiltIn WorkDim", "vlmcx", "a variable, member or constant"},
    {"SpecId 5", "x", "a scalar specialisation constant"},
    {"CPacked", "s", "a struct type"},
    {"NoSignedWrap", "w", "an integer operation that can wrap"},
    {"NoUnsignedWrap", "w", "an integer operation that can wrap"},
};

static void test_targets_of_decorations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof decorations / sizeof *decorations; i++) {
        for (size_t k = 0; k < sizeof decorated / sizeof *decorated; k++) {
            char annotation[128], ours[512];
            const char *name = decorations[i].decoration;
            if (decorated[k].id)
                snprintf(annotation, sizeof annotation, "OpDecorate %s %s", decorated[k].id, name);
            else
                snprintf(annotation, sizeof annotation, "OpMemberDecorate %%st 0 %s", name);
            const parts uses = {
                .annotations = annotation,
                .types = "%st = OpTypeStruct %int\n%var = OpVariable %pc UniformConstant %one\n"
                         "%spec = OpSpecConstant %int 7\n%fi = OpTypePointer Function %int\n"
                         "%fp = OpTypeFunction %void %int",
                .body = "%priv = OpVariable %fi Function\n%load = OpLoad %int %i\n"
                        "%add = OpIAdd %int %load %two\n%sub = OpISub %int %load %two\n"
                        "%mul = OpIMul %int %load %two\n%neg = OpSNegate %int %load\n"
                        "%shl = OpShiftLeftLogical %int %load %two\n"
                        "%ext = OpExtInst %int %std s_abs %load\n"
                        "%div = OpUDiv %int %load %two\n%xor = OpBitwiseXor %int %load %two\n"
                        "%shr = OpShiftRightLogical %int %load %two\nOpReturn\nOpFunctionEnd\n"
                        "%fun = OpFunction %void None %fp\n%par = OpFunctionParameter %int\n"
                        "%label = OpLabel"};
            rt_bytes bytes = module_of(&uses);
            opinion_ours((uint32_t *)bytes.data, (uint32_t)(bytes.size / 4), ours, sizeof ours);
            rt_free((void *)bytes.data);
            bool is_allowed = strchr(decorations[i].allowed, decorated[k].letter) != NULL;
            if (is_allowed != !strstr(ours, decorations[i].noun))
                fail_msg("%s: expected to be %s, got '%s'", annotation,
                         is_allowed ? "allowed" : "refused", ours);
        }
    }
}

/* The largest SpecId means "none" in the reader. */
static void test_spec_id(void **state)
{
    (void)state;
    const parts last = {.annotations = "OpDecorate %s SpecId 4294967295",
                        .types = "%s = OpSpecConstant %int 7"};
    const parts before = {.annotations = "OpDecorate %s SpecId 4294967294",
                          .types = "%s = OpSpecConstant %int 7"};
    char ours[512];
    rt_bytes bytes = module_of(&last);
    assert_int_equal(opinion_ours((uint32_t *)bytes.data, (uint32_t)(bytes.size / 4), ours, 512),
                     OPINION_NONE);
    assert_non_null(strstr(ours, "SpecId 4294967295 is larger than the limit"));
    rt_free((void *)bytes.data);
    bytes = module_of(&before);
    assert_int_equal(opinion_ours((uint32_t *)bytes.data, (uint32_t)(bytes.size / 4), ours, 512),
                     OPINION_VALID);
    rt_free((void *)bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_versions_of_instructions),
        cmocka_unit_test(test_targets_of_decorations),
        cmocka_unit_test(test_spec_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
