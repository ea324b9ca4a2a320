/* Tests of what compiled code saves to undo a launch, and of the objects whose accesses it does not
 * record because each work-item keeps to its own part (exec/undo.h). Every kernel has one buffer of
 * ints, which hold their indices, or nothing. */
#include "reference/base/alloc.h"
#include "sim/exec/undo.h"
#include "sim/test/harness.h"

/* %to: the place of the work-item, number %x (64 bits) or %w (32). */
#define HEAD                                                                                       \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"                         \
    "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = OpTypeVoid\n%bool = OpTypeBool\n"         \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%v3 = OpTypeVector %i64 3\n"                    \
    "%pin = OpTypePointer Input %v3\n%g = OpTypePointer CrossWorkgroup %i32\n"                     \
    "%c0 = OpConstant %i32 0\n%c1 = OpConstant %i32 1\n%c2 = OpConstant %i32 2\n"                  \
    "%c3 = OpConstant %i32 3\n%l1 = OpConstant %i64 1\n%l2 = OpConstant %i64 2\n"                  \
    "%l3 = OpConstant %i64 3\n%l4 = OpConstant %i64 4\n%l6 = OpConstant %i64 6\n"                  \
    "%l21 = OpConstant %i64 21\n%l63 = OpConstant %i64 63\n%l511 = OpConstant %i64 511\n"          \
    "%gid = OpVariable %pin Input\n%kt = OpTypeFunction %void %g\n"                                \
    "%k = OpFunction %void None %kt\n%out = OpFunctionParameter %g\n%entry = OpLabel\n"            \
    "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"       \
    "%to = OpInBoundsPtrAccessChain %g %out %x\n"
#define END       "OpReturn\nOpFunctionEnd\n"
#define AT_Y      "%aty = OpPtrAccessChain %g %out %y\n"
#define INCREMENT "%v = OpLoad %i32 %aty\n%s = OpIAdd %i32 %v %c1\nOpStore %aty %s\n"

static const char own[] = HEAD "%aty = OpPtrAccessChain %g %out %x\n" INCREMENT END;
static const char crossed[] = HEAD "%y = OpBitwiseXor %i64 %x %l1\n" AT_Y INCREMENT END;
/* Every second group of 64 is mirrored. */
static const char mirrored[] =
    HEAD "%h = OpShiftRightLogical %i64 %x %l6\n%b = OpBitwiseAnd %i64 %h %l1\n"
         "%m = OpIMul %i64 %b %l63\n%y = OpBitwiseXor %i64 %x %m\n" AT_Y INCREMENT END;
/* All groups store to the first one's places. */
static const char stacked[] = HEAD "%y = OpBitwiseAnd %i64 %x %l63\n" AT_Y "OpStore %aty %w\n" END;
/* Work-items 0, 1, 512 and 513 store, 2^23 bytes apart: 512 times that is 0 in 32 bits. */
static const char distant[] =
    HEAD "%y0 = OpBitwiseAnd %i64 %x %l511\n%y = OpShiftLeftLogical %i64 %y0 %l21\n"
         "%is = OpULessThan %bool %y0 %l2\nOpBranchConditional %is %yes %no\n"
         "%yes = OpLabel\n" AT_Y "OpStore %aty %w\nOpBranch %no\n%no = OpLabel\n" END;
#define ROW_STORE(k)                                                                               \
    "%y" k " = OpIAdd %i64 %first %l" k "\n%at" k " = OpPtrAccessChain %g %out %y" k "\n"          \
    "OpStore %at" k " %w\n"
/* Each work-item stores to the four ints of its row, or to one more. */
static const char rows[] = HEAD
    "%first = OpIMul %i64 %x %l4\n%at0 = OpPtrAccessChain %g %out %first\nOpStore %at0 %w\n" ROW_STORE(
        "1") ROW_STORE("2") ROW_STORE("3") END;
static const char long_rows[] = HEAD
    "%first = OpIMul %i64 %x %l4\n%at0 = OpPtrAccessChain %g %out %first\nOpStore %at0 %w\n" ROW_STORE(
        "1") ROW_STORE("2") ROW_STORE("3") ROW_STORE("4") END;
/* Stores, and reads nothing. */
static const char plain[] = HEAD "OpStore %to %w\n" END;
/* The same in a loop of 64 turns. */
static const char repeated[] =
    HEAD "OpBranch %loop\n%loop = OpLabel\n%i = OpPhi %i64 %l1 %entry %j %loop\n"
         "%j = OpIAdd %i64 %i %l1\nOpStore %to %w\n%on = OpULessThan %bool %i %l63\n"
         "OpBranchConditional %on %loop %end\n%end = OpLabel\n" END;
static const char then_atomic[] = HEAD "OpStore %to %w\n"
                                       "%v = OpAtomicIAdd %i32 %to %c1 %c0 %w\n" END;

/* All groups add 1 to the first one's places. */
static const char counted[] =
    HEAD "%y = OpBitwiseAnd %i64 %x %l63\n" AT_Y "%v = OpAtomicIAdd %i32 %aty %c1 %c0 %c1\n" END;
static const char atomic_then[] =
    HEAD "%a = OpAtomicIAdd %i32 %to %c1 %c0 %w\n%v = OpLoad %i32 %to\n%s = OpIAdd %i32 %v %c1\n"
         "OpStore %to %s\n" END;
/* All work-items add 1 to the first int, and then store to their own. */
static const char atomic_and_plain[] =
    HEAD "%a = OpAtomicIAdd %i32 %out %c1 %c0 %c1\nOpStore %to %w\n" END;

/* The same with a second parameter %in, of the type. */
#define HEAD_2(in)                                                                                 \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\" %gid\n"                         \
    "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = OpTypeVoid\n"                             \
    "%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n%v3 = OpTypeVector %i64 3\n"                    \
    "%pin = OpTypePointer Input %v3\n%g = OpTypePointer CrossWorkgroup %i32\n"                     \
    "%gg = OpTypePointer CrossWorkgroup %g\n%l = OpTypePointer Workgroup %i32\n"                   \
    "%c1 = OpConstant %i32 1\n%zero = OpConstant %i32 0\n%gid = OpVariable %pin Input\n"           \
    "%kt = OpTypeFunction %void %g " in "\n%k = OpFunction %void None %kt\n"                       \
    "%out = OpFunctionParameter %g\n%in = OpFunctionParameter " in "\n%entry = OpLabel\n"          \
    "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n%w = OpUConvert %i32 %x\n"       \
    "%to = OpInBoundsPtrAccessChain %g %out %x\n"
#define PLACE_IN "%from = OpInBoundsPtrAccessChain %g %in %x\n"
#define VALUE_IN PLACE_IN "%v = OpLoad %i32 %from\n"

enum { GROUP = 64, LARGE = 8192 /* ints, more than are saved at once */ };

/* What the int at index i is in the end. */
typedef uint32_t final_value(uint32_t i);
static uint32_t one_more(uint32_t i)
{
    return i + 1;
}
static uint32_t unchanged(uint32_t i)
{
    return i;
}
static uint32_t twice(uint32_t i)
{
    return 2 * i;
}
static uint32_t row_of(uint32_t i)
{
    return i / 4;
}
static uint32_t counted_value(uint32_t i)
{
    return i < 64 ? i + 8192 / 64 : i;
}
static uint32_t twice_and_one(uint32_t i)
{
    return 2 * i + 1;
}
/* The additions of the first group are before its first work-item's store. */
static uint32_t later_groups(uint32_t i)
{
    return i == 0 ? 8192 - GROUP : i;
}
/* Of two work-items that race, the later one's value remains: of the second group, or the second
 * store of one work-item. */
static uint32_t second_group(uint32_t i)
{
    return i < 64 ? i + 64 : i;
}
static uint32_t distant_value(uint32_t i)
{
    if (i == 0) return 512;
    return i == 1u << 21 ? 513 : i;
}

static const struct {
    const char *name, *text;
    uint32_t items, ints;
    final_value *value;
    const char *finding; /* of the last kind; NULL: there is none */
    uint32_t compiled, undone;
    bool is_recorded; /* the race shadow has cells for stores or atomics */
} cases[] = {
    {"own", own, 8192, 8192, one_more, NULL, 1, 0, false},
    /* The last work-item's place does not exist: all others' are undone and computed again. */
    {"own, beyond", own, 8192, 8191, one_more, "out-of-bounds", 0, 1, true},
    {"plain, beyond", plain, 8192, 8191, unchanged, "out-of-bounds", 0, 1, true},
    {"crossed", crossed, 8192, 8192, one_more, NULL, 1, 0, true},
    {"crossed, beyond", crossed, 8192, 8191, one_more, "out-of-bounds", 0, 1, true},
    {"mirrored", mirrored, 8192, 8192, one_more, NULL, 1, 0, true},
    {"stacked", stacked, 128, 128, second_group, "race", 0, 1, true},
    {"distant", distant, 1024, (1u << 21) + 1, distant_value, "race", 0, 1, true},
    {"rows", rows, 2048, 8192, row_of, NULL, 1, 0, false},
    {"then atomic", then_atomic, 8192, 8192, twice, NULL, 1, 0, true},
    {"counted", counted, 8192, 8192, counted_value, NULL, 1, 0, false},
    {"atomic, then", atomic_then, 8192, 8192, twice_and_one, NULL, 1, 0, true},
    {"atomic and plain", atomic_and_plain, 8192, 8192, later_groups, "race", 0, 1, true},
};

static bool is_recorded(const harness *h, sim_object object)
{
    const struct sim_race_shadow *shadow = sim_world_memory(h->world, object)->race;
    return shadow->cells[SIM_RACE_WRITES] || shadow->cells[SIM_RACE_ATOMIC_WRITES];
}

static void test_launches(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        harness h = harness_text(cases[k].text);
        h.schedule = SIM_SCHEDULE_LOCKSTEP;
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        size_t size = cases[k].ints * sizeof(uint32_t);
        uint32_t *ints = rt_alloc(size);
        for (uint32_t i = 0; i < cases[k].ints; i++)
            ints[i] = i;
        sim_object to = harness_memory(&h, "out", ints, size);
        const sim_argument arguments[] = {harness_global(to)};
        harness_try(&h, "k", harness_range(cases[k].items, GROUP), arguments, 1);
        const char *kind = h.finding_count ? h.findings[h.finding_count - 1].kind : "none";
        const char *expected = cases[k].finding ? cases[k].finding : "none";
        if (strcmp(kind, expected) != 0) fail_msg("%s: %s", cases[k].name, kind);
        harness_read_back(&h, to, ints, size);
        for (uint32_t i = 0; i < cases[k].ints; i++) {
            if (ints[i] != cases[k].value(i)) fail_msg("%s: %u: %u", cases[k].name, i, ints[i]);
        }
        sim_tier_report report = sim_world_tier_report(h.world);
        if (report.compiled != cases[k].compiled || report.undone != cases[k].undone)
            fail_msg("%s: %u compiled, %u undone", cases[k].name, (unsigned)report.compiled,
                     (unsigned)report.undone);
        if (is_recorded(&h, to) != cases[k].is_recorded)
            fail_msg("%s: recorded or not", cases[k].name);
        rt_free(ints);
        harness_close(&h);
    }
}

/* A part of each row belongs to the next work-item as well. */
static void test_rows_meet(void **state)
{
    (void)state;
    enum { ITEMS = 128 };
    harness h = harness_text(long_rows);
    h.schedule = SIM_SCHEDULE_LOCKSTEP;
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    uint32_t ints[4 * ITEMS + 1];
    sim_object to = harness_memory(&h, "out", NULL, sizeof ints);
    const sim_argument arguments[] = {harness_global(to)};
    harness_try(&h, "k", harness_range(ITEMS, GROUP), arguments, 1);
    assert_true(h.finding_count >= 1);
    for (uint32_t i = 0; i < h.finding_count; i++)
        assert_string_equal(h.findings[i].kind, "race");
    assert_int_equal(sim_world_tier_report(h.world).undone, 1);
    harness_close(&h);
}

/* Accesses to one object that must be recorded are no reason to record those to another one, in
 * this launch and in later ones. */
static void test_one_of_two(void **state)
{
    (void)state;
    enum { ITEMS = 8192 };
    static const char text[] = HEAD_2("%g") VALUE_IN "%a = OpAtomicIAdd %i32 %from %c1 %zero %v\n"
                                                     "%b = OpLoad %i32 %from\nOpStore %to %b\n" END;
    static uint32_t ints[ITEMS];
    harness h = harness_text(text);
    h.schedule = SIM_SCHEDULE_LOCKSTEP;
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    for (uint32_t i = 0; i < ITEMS; i++)
        ints[i] = i;
    sim_object in = harness_memory(&h, "in", ints, sizeof ints);
    sim_object out = harness_memory(&h, "out", ints, sizeof ints);
    const sim_argument arguments[] = {harness_global(out), harness_global(in)};
    for (uint32_t turn = 1; turn <= 2; turn++) {
        harness_run(&h, "k", harness_range(ITEMS, GROUP), arguments, 2);
        assert_int_equal(sim_world_tier_report(h.world).compiled, turn);
        assert_int_equal(sim_world_tier_report(h.world).undone, 0);
        assert_true(is_recorded(&h, in));
        assert_false(is_recorded(&h, out));
        harness_read_back(&h, out, ints, sizeof ints);
        for (uint32_t i = 0; i < ITEMS; i++)
            assert_int_equal(ints[i], (1u << turn) * i);
    }
    harness_close(&h);
}

/* Of each work-item's vector of four, the second component is read. Work-item 0 stores to
 * work-item 31's, or next to it. */
static void test_components(void **state)
{
    (void)state;
    enum { ITEMS = 64, READ = 4 * 31 + 1 };
    static const char head[] =
        "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\n"
        "OpCapability Int64\nOpMemoryModel Physical64 OpenCL\n"
        "OpEntryPoint Kernel %k \"k\" %gid\n"
        "OpDecorate %gid BuiltIn GlobalInvocationId\n%void = OpTypeVoid\n"
        "%bool = OpTypeBool\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"
        "%i32x4 = OpTypeVector %i32 4\n%v3 = OpTypeVector %i64 3\n"
        "%pin = OpTypePointer Input %v3\n%g = OpTypePointer CrossWorkgroup %i32\n"
        "%g4 = OpTypePointer CrossWorkgroup %i32x4\n%c7 = OpConstant %i32 7\n"
        "%l0 = OpConstant %i64 0\n%gid = OpVariable %pin Input\n";
    static const char body[] =
        "%kt = OpTypeFunction %void %g %g\n%k = OpFunction %void None %kt\n"
        "%in = OpFunctionParameter %g\n%out = OpFunctionParameter %g\n%entry = OpLabel\n"
        "%all = OpLoad %v3 %gid\n%x = OpCompositeExtract %i64 %all 0\n"
        "%vectors = OpBitcast %g4 %in\n%from = OpInBoundsPtrAccessChain %g4 %vectors %x\n"
        "%v = OpLoad %i32x4 %from Aligned 16\n%y = OpCompositeExtract %i32 %v 1\n"
        "%to = OpInBoundsPtrAccessChain %g %out %x\nOpStore %to %y\n"
        "%is = OpIEqual %bool %x %l0\nOpBranchConditional %is %yes %no\n%yes = OpLabel\n"
        "%there = OpInBoundsPtrAccessChain %g %in %place\nOpStore %there %c7\nOpBranch %no\n"
        "%no = OpLabel\n" END;
    static const uint32_t zeros[4 * ITEMS];
    for (uint32_t next = 0; next < 4; next++) {
        char text[sizeof head + sizeof body + 64];
        snprintf(text, sizeof text, "%s%%place = OpConstant %%i64 %u\n%s", head, READ + next, body);
        harness h = harness_text(text);
        h.schedule = SIM_SCHEDULE_LOCKSTEP;
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        const sim_argument arguments[] = {
            harness_global(harness_memory(&h, "in", zeros, sizeof zeros)),
            harness_global(harness_memory(&h, "out", zeros, sizeof zeros))};
        harness_try(&h, "k", harness_range(ITEMS, GROUP), arguments, 2);
        assert_int_equal(h.finding_count, next == 0);
        if (next == 0) assert_string_equal(h.findings[0].kind, "race");
        assert_int_equal(sim_world_tier_report(h.world).compiled, next != 0);
        harness_close(&h);
    }
}

/* What a launch stores is not read through another parameter either, if the launch runs again. */
static void test_memory_of_two_parameters(void **state)
{
    (void)state;
    enum { ITEMS = 8192 };
    static const char text[] =
        HEAD_2("%g") VALUE_IN "%s = OpIAdd %i32 %v %c1\nOpStore %to %s\n" END;
    static uint32_t ints[ITEMS - 1];
    harness h = harness_text(text);
    h.schedule = SIM_SCHEDULE_LOCKSTEP;
    assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
    for (uint32_t i = 0; i < ITEMS - 1; i++)
        ints[i] = i;
    sim_object memory = harness_memory(&h, "memory", ints, sizeof ints);
    const sim_argument arguments[] = {harness_global(memory), harness_global(memory)};
    harness_try(&h, "k", harness_range(ITEMS, GROUP), arguments, 2);
    assert_int_equal(sim_world_tier_report(h.world).undone, 1);
    harness_read_back(&h, memory, ints, sizeof ints);
    for (uint32_t i = 0; i < ITEMS - 1; i++)
        assert_int_equal(ints[i], i + 1);
    harness_close(&h);
}

/* A launch whose budget suffices for some of its groups only: compiled code runs chunks of a group
 * for which the interpreter does not even begin the block, and their stores are undone, in memory
 * that was undefined and in memory that was not. Each block of the loop once would be cheap enough.
 */
static void test_budget(void **state)
{
    (void)state;
    enum { ITEMS = 8192 };
    static const struct {
        const char *text;
        uint64_t budget;
    } kernels[] = {{plain, 10007}, {repeated, 1000003}};
    static uint32_t ints[ITEMS];
    static uint8_t defined[sizeof ints / 8];
    for (uint32_t k = 0; k < 4; k++) {
        bool is_filled = k % 2 == 1;
        harness h = harness_text(kernels[k / 2].text);
        h.schedule = SIM_SCHEDULE_LOCKSTEP;
        h.budget = kernels[k / 2].budget;
        assert_true(rt_ok(sim_world_choose_tier(h.world, RT_TEXT("compiled"), NULL)));
        for (uint32_t i = 0; i < ITEMS; i++)
            ints[i] = UINT32_MAX - i;
        sim_object to = harness_memory(&h, "out", is_filled ? ints : NULL, sizeof ints);
        const sim_argument arguments[] = {harness_global(to)};
        harness_try(&h, "k", harness_range(ITEMS, GROUP), arguments, 1);
        assert_int_equal(h.status.code, RT_BUDGET);
        assert_int_equal(sim_world_tier_report(h.world).undone, 1);
        harness_read_back(&h, to, ints, sizeof ints);
        sim_object_defined(h.world, to, 0, sizeof ints, defined);
        uint32_t done = 0;
        while (done < ITEMS && ints[done] == done)
            done++;
        assert_true(done > 0 && done < ITEMS && done % GROUP == 0);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint32_t bits = defined[i / 2] >> (i % 2 * 4) & 0xf;
            assert_int_equal(bits, i < done || is_filled ? 0xf : 0);
            if (i >= done && is_filled) assert_int_equal(ints[i], UINT32_MAX - i);
        }
        harness_close(&h);
    }
}

/* ---- What needs no copy --------------------------------------------------------------------- */

/* Whether a launch that may execute as much saves nothing of the memory of the kernel's first
 * parameter. */
static bool saves_nothing(harness *h, const sim_argument *arguments, uint64_t budget,
                          uint64_t steps)
{
    const sim_range range = harness_range(LARGE, GROUP);
    const sim_launch_state l = {.world = h->world,
                                .kernel = sim_program_kernel(h->program, RT_TEXT("k")),
                                .program = h->program,
                                .range = &range,
                                .budget = budget,
                                .steps = steps};
    sim_undo undo = {0};
    sim_undo_open(&undo, &l, arguments, 0);
    assert_true(undo.objects.count >= 1);
    bool is_none = undo.objects.items[0].is_whole && !undo.objects.items[0].is_saved[0];
    sim_undo_close(&undo, false);
    sim_undo_free(&undo);
    return is_none;
}

static bool text_saves_nothing(const char *text, uint32_t ints, uint64_t budget, uint64_t steps)
{
    static const uint32_t zeros[LARGE];
    harness h = harness_text(text);
    const sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, ints * 4))};
    bool is_none = saves_nothing(&h, arguments, budget, steps);
    harness_close(&h);
    return is_none;
}

/* `plain` has six instructions: a load, a component, a conversion, a place, a store, the end. */
static void test_cost(void **state)
{
    (void)state;
    static char text[1 << 19];
    const uint64_t cost = 6 * LARGE, much = UINT64_C(1) << 40;
    assert_true(text_saves_nothing(plain, LARGE, cost, cost));
    assert_false(text_saves_nothing(plain, LARGE, cost - 1, much));
    assert_false(text_saves_nothing(plain, LARGE, much, cost - 1));
    /* Small memory is copied at once. */
    assert_false(text_saves_nothing(plain, 4096, much, much));
    for (uint32_t more = 4090; more <= 4091; more++) {
        char *end = text + sprintf(text, "%s%%n0 = OpCopyObject %%i32 %%w\n", HEAD);
        for (uint32_t i = 1; i < more; i++)
            end += sprintf(end, "%%n%u = OpIAdd %%i32 %%n%u %%c1\n", i, i - 1);
        sprintf(end, "OpStore %%to %%n%u\n%s", more - 1, END);
        assert_int_equal(text_saves_nothing(text, LARGE, much, much), more == 4090);
    }
    for (uint32_t depth = 4; depth <= 5; depth++) {
        char *end = text + sprintf(text, "%s%%r = OpFunctionCall %%void %%f1 %%to\n%s", HEAD, END);
        for (uint32_t i = 1; i <= depth; i++) {
            end += sprintf(end, "%%f%u = OpFunction %%void None %%kt\n", i);
            end += sprintf(end, "%%a%u = OpFunctionParameter %%g\n%%e%u = OpLabel\n", i, i);
            end += i == depth
                       ? sprintf(end, "OpStore %%a%u %%c1\n", i)
                       : sprintf(end, "%%r%u = OpFunctionCall %%void %%f%u %%a%u\n", i, i + 1, i);
            end += sprintf(end, "OpReturn\nOpFunctionEnd\n");
        }
        assert_int_equal(text_saves_nothing(text, LARGE, much, much), depth == 4);
    }
}

static void test_what_is_saved(void **state)
{
    (void)state;
    enum { SAME = 1, WINDOW = 2, LOCAL = 4 };
    static const struct {
        const char *name, *text;
        uint32_t second; /* SAME, WINDOW or LOCAL memory; 0: other memory */
        bool saves_nothing;
    } kernels[] = {
        {"reads", own, 0, false},
        {"repeats", repeated, 0, false},
        {"waits", HEAD "OpControlBarrier %c2 %c2 %c0\nOpStore %to %w\n" END, 0, false},
        {"reads another", HEAD_2("%g") VALUE_IN "OpStore %to %v\n" END, 0, true},
        {"reads the same", HEAD_2("%g") VALUE_IN "OpStore %to %v\n" END, SAME, false},
        {"reads through a window", HEAD_2("%g") VALUE_IN "OpStore %to %v\n" END, WINDOW, false},
        {"writes two", HEAD_2("%g") PLACE_IN "OpStore %from %w\nOpStore %to %w\n" END, SAME, true},
        {"reads local memory",
         HEAD_2("%l") "OpStore %in %c1\n%v = OpLoad %i32 %in\nOpStore %to %v\n" END, LOCAL, true},
        {"reads anything",
         HEAD_2("%gg") "%q = OpLoad %g %in\n%v = OpLoad %i32 %q\nOpStore %to %v\n" END, 0, false},
    };
    static const uint32_t zeros[LARGE];
    for (uint32_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        harness h = harness_text(kernels[k].text);
        sim_object out = harness_memory(&h, "out", zeros, sizeof zeros), in = out;
        if (kernels[k].second == 0) in = harness_memory(&h, "in", zeros, sizeof zeros);
        if (kernels[k].second == WINDOW)
            assert_true(rt_ok(
                sim_object_create_window(h.world, out, 0, sizeof zeros, RT_TEXT("window"), &in)));
        const sim_argument arguments[] = {harness_global(out), kernels[k].second == LOCAL
                                                                   ? harness_local(4)
                                                                   : harness_global(in)};
        const uint64_t much = UINT64_C(1) << 40;
        if (saves_nothing(&h, arguments, much, much) != kernels[k].saves_nothing)
            fail_msg("%s", kernels[k].name);
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_rows_meet),
        cmocka_unit_test(test_one_of_two),
        cmocka_unit_test(test_components),
        cmocka_unit_test(test_memory_of_two_parameters),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_what_is_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
