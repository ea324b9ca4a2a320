/* Tests of memory operands (one or two sets, with and without extra words), sizes of types, targets
 * of generic pointers, copies between equal types, and split barriers. */
#include "sim/test/one_instruction.h"

/* ---- Memory operands ------------------------------------------------------------------------ */

/* %s4 and %s2 point to integers in a, four and two bytes from its start; %w4 and %w2 do so in r. */
#define PLACES                                                                                     \
    "%ga = OpTypePointer CrossWorkgroup %i32\n%two = OpConstant %i64 2\n"                          \
    "%four = OpConstant %i64 4\n%size = OpConstant %i64 4\n"
#define AT(name, base, bytes)                                                                      \
    "%" name "b@ = OpInBoundsPtrAccessChain %ptr %" base " %" bytes "\n%" name                     \
    "@ = OpBitcast %ga %" name "b@\n"
#define POINTERS                                                                                   \
    AT("s4", "pa", "four") AT("s2", "pa", "two") AT("w4", "pr", "four") AT("w2", "pr", "two")

#define MEMORY(body)                                                                               \
    {                                                                                              \
        "access", "i8", "i8", "i8", "i8", NULL, PLACES, POINTERS body                              \
    }

/* Launches one work-item and returns the finding's kind; "" if there is none. */
static const char *finding_kind(const instruction *insn)
{
    static char text[16384], kind[64];
    static const uint8_t data[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    module_text(text, sizeof text, insn);
    harness h = harness_text(text);
    sim_argument arguments[4];
    for (uint32_t i = 0; i < 4; i++)
        arguments[i] = harness_global(harness_memory(&h, "memory", data, sizeof data));
    harness_try(&h, "lanes", harness_range(1, 1), arguments, 4);
    assert_true(rt_ok(h.status));
    assert_true(h.finding_count <= 1);
    snprintf(kind, sizeof kind, "%s", h.finding_count ? h.findings[0].kind : "");
    harness_close(&h);
    return kind;
}

static void test_operands(void **state)
{
    (void)state;
    static const struct {
        instruction insn;
        const char *kind;
    } cases[] = {
        /* Without operands, the type's alignment is required. */
        {MEMORY("OpCopyMemory %w4@ %s4@\n"), ""},
        {MEMORY("OpCopyMemory %w4@ %s2@\n"), "misaligned"},
        {MEMORY("OpCopyMemory %w2@ %s4@\n"), "misaligned"},
        /* A single set applies to both sides. */
        {MEMORY("OpCopyMemory %w2@ %s2@ Aligned 2\n"), ""},
        {MEMORY("OpCopyMemory %w2@ %s2@ Volatile|Aligned|Nontemporal 2\n"), ""},
        {MEMORY("OpCopyMemory %w4@ %s4@ Aligned 8\n"), "misaligned"},
        /* With two sets, the first applies to the target, the second to the source. */
        {MEMORY("OpCopyMemory %w4@ %s2@ Aligned 4 Aligned 2\n"), ""},
        {MEMORY("OpCopyMemory %w4@ %s2@ Aligned 2 Aligned 4\n"), "misaligned"},
        {MEMORY("OpCopyMemory %w2@ %s4@ Volatile|Aligned 2 Aligned|Nontemporal 4\n"), ""},
        {MEMORY("OpCopyMemory %w2@ %s4@ Volatile Aligned 4\n"), "misaligned"},
        {MEMORY("OpCopyMemory %w2@ %s4@ Aligned 2 Volatile\n"), ""},
        {MEMORY("OpCopyMemorySized %w4@ %s2@ %size Aligned 4 Aligned 2\n"), ""},
        {MEMORY("OpCopyMemorySized %w4@ %s2@ %size Aligned 2 Aligned 4\n"), "misaligned"},
        {MEMORY("OpCopyMemorySized %w4@ %s2@ %size Aligned 1\n"), ""},
        /* Loads and stores, with operands after the alignment. */
        {MEMORY("%t0 = OpLoad %i32 %s2@ Aligned 2\n"), ""},
        {MEMORY("%t0 = OpLoad %i32 %s2@ Volatile\n"), "misaligned"},
        {MEMORY("%t0 = OpLoad %i32 %s4@ Volatile|Aligned|Nontemporal 8\n"), "misaligned"},
        {MEMORY("OpStore %w2@ %c32_1 Volatile|Aligned|Nontemporal 2\n"), ""},
        {MEMORY("OpStore %w2@ %c32_1 Nontemporal\n"), "misaligned"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *kind = finding_kind(&cases[i].insn);
        if (strcmp(kind, cases[i].kind)) {
            fail_msg("%s: '%s', expected '%s'", cases[i].insn.body, kind, cases[i].kind);
        }
    }
}

/* Alias scopes are words after the alignment, in the first set and in the second. */
static void test_aliasing(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n"
        "OpCapability MemoryAccessAliasingINTEL\nOpExtension \"SPV_INTEL_memory_access_aliasing\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n"
        "%domain = OpAliasDomainDeclINTEL\n%scope = OpAliasScopeDeclINTEL %domain\n"
        "%list = OpAliasScopeListDeclINTEL %scope\n"
        "%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n%g = OpTypePointer CrossWorkgroup %i32\n"
        "%kt = OpTypeFunction %void %g %g\n%k = OpFunction %void None %kt\n"
        "%to = OpFunctionParameter %g\n%from = OpFunctionParameter %g\n%l = OpLabel\n"
        "%a = OpLoad %i32 %from Aligned|AliasScopeINTELMask 4 %list\n"
        "OpStore %to %a Aligned|NoAliasINTELMask 4 %list\n"
        "OpCopyMemory %to %from Aligned|NoAliasINTELMask %ALIGN %list Aligned|AliasScopeINTELMask "
        "%ALSO %list\nOpReturn\nOpFunctionEnd\n";
    static const struct {
        const char *target, *source;
        uint32_t findings;
    } cases[] = {{"4", "2", 0}, {"2", "4", 1}};
    for (uint32_t i = 0; i < 2; i++) {
        char changed[2 * sizeof text];
        const char *align = strstr(text, "%ALIGN"), *also = strstr(text, "%ALSO");
        snprintf(changed, sizeof changed, "%.*s%s%.*s%s%s", (int)(align - text), text,
                 cases[i].target, (int)(also - align - 6), align + 6, cases[i].source, also + 5);
        harness h = harness_text(changed);
        static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        sim_argument arguments[] = {harness_global(harness_memory(&h, "to", data, 8)),
                                    harness_global(harness_memory(&h, "from", data, 8))};
        harness_run(&h, "k", harness_range(1, 1), arguments, 2);
        arguments[1].offset = 2;
        harness_try(&h, "k", harness_range(1, 1), arguments, 2);
        assert_int_equal(h.finding_count, 1 + cases[i].findings); /* one from the load */
        harness_close(&h);
    }
}

static void test_operands_refused(void **state)
{
    (void)state;
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"%t0 = OpLoad %i32 %s4@ Aligned 3\n", "the alignment 3 is not a power of two"},
        {"OpStore %w4@ %c32_1 Volatile|Aligned 0\n", "the alignment 0 is not a power of two"},
        {"OpCopyMemory %w4@ %s4@ Aligned 4 Aligned 12\n", "the alignment 12 is not a power of two"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char text[16384], body[2048];
        snprintf(body, sizeof body, "%s%s", POINTERS, cases[i].body);
        instruction insn = MEMORY("");
        insn.body = body;
        module_text(text, sizeof text, &insn);
        sim_test_refused(text, RT_MALFORMED, cases[i].words);
    }
}

/* ---- Sizes and memory ----------------------------------------------------------------------- */

#define SHAPES                                                                                     \
    "%S = OpTypeStruct %i8 %i64 %i16\n%A = OpTypeArray %S %three\n"                                \
    "%pS = OpTypePointer Function %S\n%pA = OpTypePointer CrossWorkgroup %A\n"                     \
    "%pv = OpTypePointer Workgroup %v3i32\n%nS = OpConstantNull %pS\n"                             \
    "%nA = OpConstantNull %pA\n%nv = OpConstantNull %pv\n%op = OpTypeOpaque \"o\"\n"               \
    "%po = OpTypePointer Function %op\n%no = OpConstantNull %po\n"

/* {i8, i64, i16} has 24 bytes, three of them have 72, a three-component vector has 16; nothing is
 * loaded. */
static void test_size_of(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        uint32_t size;
    } cases[] = {{"%r = OpSizeOf %i32 %nS\n", 24},
                 {"%r = OpSizeOf %i32 %nA\n", 72},
                 {"%r = OpSizeOf %i32 %nv\n", 16},
                 {"%r = OpSizeOf %i32 %pa\n", 4}};
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        instruction insn = {"OpSizeOf", "i32", "i32", "i32", "i32", NULL, SHAPES, cases[i].body};
        uint32_t in[2] = {0}, out[2];
        run_memory(&insn, in, sizeof in, out, sizeof out, 2);
        assert_int_equal(out[0], cases[i].size);
        assert_int_equal(out[1], cases[i].size);
    }
    static const struct {
        const char *body, *words;
    } wrong[] = {{"%t0 = OpSizeOf %i32 %no\n", "which has no size"},
                 {"%t0 = OpSizeOf %i64 %nS\n", "32-bit integers"},
                 {"%t0 = OpSizeOf %i32 %a\n", "must be a pointer"}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        static char text[16384];
        instruction insn = {"OpSizeOf", "i32", "i32", "i32", "i32", NULL, SHAPES, wrong[i].body};
        module_text(text, sizeof text, &insn);
        sim_test_refused(text, RT_MALFORMED, wrong[i].words);
    }
}

/* The results are bits of MemorySemantics: WorkgroupMemory 0x100, CrossWorkgroupMemory 0x200. */
static void test_generic_semantics(void **state)
{
    (void)state;
    static const instruction insn = {
        "OpGenericPtrMemSemantics",
        "i32",
        "i32",
        "i32",
        "i32",
        NULL,
        "%gen = OpTypePointer Generic %i32\n%pf = OpTypePointer Function %i32\n"
        "%pw = OpTypePointer Workgroup %i32\n%shared = OpVariable %pw Workgroup\n"
        "%c2 = OpConstant %i32 2\n",
        "%t0 = OpVariable %pf Function\n%t1 = OpPtrCastToGeneric %gen %t0\n"
        "%t2 = OpPtrCastToGeneric %gen %shared\n%t3 = OpPtrCastToGeneric %gen %pa\n"
        "%t4 = OpIEqual %bool %a %c32_1\n%t5 = OpIEqual %bool %a %c2\n"
        "%t6 = OpSelect %gen %t4 %t2 %t1\n%t7 = OpSelect %gen %t5 %t3 %t6\n"
        "%r = OpGenericPtrMemSemantics %i32 %t7\n"};
    static const uint32_t in[4] = {0, 1, 2, 1};
    uint32_t out[4];
    run_memory(&insn, in, sizeof in, out, sizeof out, 4);
    static const uint32_t want[4] = {0, 0x100, 0x200, 0x100};
    assert_memory_equal(out, want, sizeof want);
    instruction wrong = insn;
    wrong.body = "%r = OpGenericPtrMemSemantics %i32 %pa\n";
    static char text[16384];
    module_text(text, sizeof text, &wrong);
    sim_test_refused(text, RT_MALFORMED, "not of storage class Generic");
}

/* ---- Copies between types with the same members --------------------------------------------- */

static void test_copy_logical(void **state)
{
    (void)state;
    static const char declarations[] =
        "%two = OpConstant %i64 2\n%In = OpTypeStruct %i32 %i64\n%Pk = OpTypeStruct %i32 %i64\n"
        "%Ai = OpTypeArray %In %two\n%Ap = OpTypeArray %Pk %two\n%S = OpTypeStruct %Ai %i8\n"
        "%P = OpTypeStruct %Ap %i8\n%Q = OpTypeStruct %Ap %i16\n";
    static const char body[] =
        "%t0 = OpUConvert %i64 %a\n%t1 = OpCompositeConstruct %In %b %t0\n"
        "%t2 = OpCompositeConstruct %In %a %n0\n%t3 = OpCompositeConstruct %Ai %t2 %t1\n"
        "%t4 = OpCompositeConstruct %S %t3 %one8\n%t5 = OpCopyLogical %P %t4\n"
        "%t6 = OpCompositeExtract %i64 %t5 0 1 1\n%t7 = OpCompositeExtract %i32 %t5 0 0 0\n"
        "%t8 = OpUConvert %i32 %t6\n%r = OpIAdd %i32 %t7 %t8\n";
    /* P's inner struct is packed, so P's type is different. */
    instruction insn = {"OpCopyLogical", "i32", "i32", "i32", "i32", "OpDecorate %Pk CPacked\n",
                        declarations,    body};
    static const uint32_t in[3] = {5, 70, 900};
    uint32_t out[3];
    run_memory(&insn, in, sizeof in, out, sizeof out, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(out[i], 2 * in[i]);
    static const struct {
        const char *body;
    } wrong[] = {{"%t0 = OpUndef %S\n%t1 = OpCopyLogical %S %t0\n"},
                 {"%t0 = OpUndef %S\n%t1 = OpCopyLogical %Q %t0\n"},
                 {"%t0 = OpUndef %S\n%t1 = OpCopyLogical %Ai %t0\n"}};
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        static char text[16384];
        insn.body = wrong[i].body;
        module_text(text, sizeof text, &insn);
        sim_test_refused(text, RT_MALFORMED, "are not two aggregates with matching parts");
    }
}

/* ---- Split barriers ------------------------------------------------------------------------- */

/* Every work-item writes before it arrives, waits, and then reads what its counterpart wrote; 600
 * of them are three waves. */
static void test_split_barrier(void **state)
{
    (void)state;
    static const char text[] =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
        "OpCapability SplitBarrierINTEL\nOpExtension \"SPV_INTEL_split_barrier\"\n"
        "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %lid\n"
        "OpDecorate %lid BuiltIn LocalInvocationIndex\n"
        "%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
        "%n = OpConstant %i32 600\n%last = OpConstant %i64 599\n%group = OpConstant %i32 2\n"
        "%release = OpConstant %i32 0x104\n%acquire = OpConstant %i32 0x102\n"
        "%array = OpTypeArray %i64 %n\n%pl = OpTypePointer Workgroup %array\n"
        "%p64 = OpTypePointer Workgroup %i64\n%shared = OpVariable %pl Workgroup\n"
        "%pin = OpTypePointer Input %i64\n%lid = OpVariable %pin Input\n"
        "%g = OpTypePointer CrossWorkgroup %i64\n%kt = OpTypeFunction %void %g\n"
        "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n%l = OpLabel\n"
        "%i = OpLoad %i64 %lid\n%at = OpInBoundsAccessChain %p64 %shared %i\n"
        "%square = OpIMul %i64 %i %i\nOpStore %at %square\n"
        "OpControlBarrierArriveINTEL %group %group %release\n%other = OpISub %i64 %last %i\n"
        "OpControlBarrierWaitINTEL %group %group %acquire\n"
        "%from = OpInBoundsAccessChain %p64 %shared %other\n%v = OpLoad %i64 %from\n"
        "%to = OpInBoundsPtrAccessChain %g %out %i\nOpStore %to %v\nOpReturn\nOpFunctionEnd\n";
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        int64_t out[600];
        harness h = harness_text(text);
        h.world->engine = engine;
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to)};
        harness_run(&h, "k", harness_range(600, 600), arguments, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (int64_t i = 0; i < 600; i++)
            assert_int_equal(out[i], (599 - i) * (599 - i));
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands),          cmocka_unit_test(test_aliasing),
        cmocka_unit_test(test_operands_refused),  cmocka_unit_test(test_size_of),
        cmocka_unit_test(test_generic_semantics), cmocka_unit_test(test_copy_logical),
        cmocka_unit_test(test_split_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
