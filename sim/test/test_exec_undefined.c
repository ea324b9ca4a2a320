/* Tests that uninitialised values are reported where they decide something, and only there. Kernels
 * of undefined.cl at three levels on every engine; assembly for the cases that no compiler
 * generates.
 */
#include "sim/check/shadow.h"
#include "sim/test/harness.h"

#include <string.h>

#define ITEMS 16

/* The kernel's arguments, one letter each.  D and U: buffers of 16 integers, fully defined and
 * undefined; I: as D; V: 64 defined integers; H: a buffer whose first four integers are defined; R:
 * 64 undefined bytes per work-item; L: local memory of 64 bytes; 0 to 9: an integer. */
typedef struct row {
    const char *kernel, *arguments;
    const char *words; /* of the only finding; NULL: none */
    uint64_t count;    /* work-item instructions concerned; 0: depends on the compiler */
    const char *object;
    uint8_t levels; /* bit mask of the levels at which the compiler keeps the use of the value; 0:
                     * all */
} row;

#define NOT_O0 6
/* LLVM 19 loads a component of a vector in memory by its address. */
#define COMPONENTS (SIM_TEST_LLVM >= 19 ? 1 : 0)
#define NOT_O2     3

static const row rows[] = {
    {"bad_branch", "D2", "branch on a value that was never written", 16, "tmp", 0},
    {"good_branch", "D2", NULL, 0, NULL, 0},
    {"bad_lanes", "D4", "branch on a value", 0, "tmp", 0},
    {"good_lanes", "D4", NULL, 0, NULL, 0},
    {"bad_again", "DI", "branch on a value", 0, "tmp", NOT_O0},
    {"bad_frame", "D1", "branch on a value", 0, NULL, NOT_O2},
    {"good_frame", "D1", NULL, 0, NULL, 0},
    {"bad_address", "DU", "store to an address made of a value that was never written", 16, "U", 0},
    {"good_address", "DU", NULL, 0, NULL, 0},
    {"bad_load_address", "DU", "load from an address made of", 16, "U", 0},
    {"bad_divisor", "DU", "division by a value that was never written", 16, "U", 0},
    {"good_dividend", "DU", NULL, 0, NULL, 0},
    {"bad_switch", "DU", "switch on a value", 16, "U", 0},
    {"bad_compare", "DU", "atomic comparison with a value", 16, "U", 0},
    {"good_exchange", "DD", NULL, 0, NULL, 0},
    {"bad_component", "DUV", "component chosen by a value", 16, NULL, COMPONENTS},
    {"good_copy", "DU", NULL, 0, NULL, 0},
    {"good_select", "DU", NULL, 0, NULL, NOT_O0},
    {"good_fields", "DR", NULL, 0, NULL, 0},
    {"bad_fields", "DR", "branch on a value", 16, "R", 0},
    {"good_sign", "DR", NULL, 0, NULL, 0},
    {"good_bits", "DR", NULL, 0, NULL, 0},
    {"good_record", "DR", NULL, 0, NULL, 0},
    {"bad_record", "DR", "branch on a value", 16, "", 0},
    {"good_arrays", "D8", NULL, 0, NULL, 0},
    {"good_first", "DD8", NULL, 0, NULL, 0},
    {"bad_local", "D", "branch on a value", 8, "bad_local.tile", 0},
    {"good_local", "DL", NULL, 0, NULL, 0},
    {"bad_reduce", "DH", "branch on", 16, NULL, 0},
    {"good_reduce", "DU", NULL, 0, NULL, 0},
    {"bad_vote", "DH", "branch on", 16, NULL, 0},
    {"good_broadcast", "DH", NULL, 0, NULL, 0},
    {"good_async", "DUL", NULL, 0, NULL, 0},
    {"bad_unsettled", "DU", "branch on a value", 1, "bad_unsettled.tile", 0},
    {"bad_counter", "D", "at an address made of", 0, NULL, 0},
    {"good_counter", "D", NULL, 0, NULL, 0},
    {"bad_call", "D2", "call through a function pointer made of a value that was never written", 16,
     "table", NOT_O2},
    {"good_call", "D2", NULL, 0, NULL, 0},
    {"bad_async", "DUL", "branch on a value", 16, "local argument 2", 0},
};

/* Creates the buffer or value that a letter denotes. */
static sim_argument argument_of(harness *h, char letter, int32_t *number)
{
    int32_t numbers[ITEMS], four[4 * ITEMS];
    for (int32_t i = 0; i < ITEMS; i++)
        numbers[i] = i & 3;
    for (int32_t i = 0; i < 4 * ITEMS; i++)
        four[i] = i;
    char label[2] = {letter, 0};
    sim_object object = 0;
    switch (letter) {
    case 'L': return harness_local(64);
    case 'D':
    case 'I': return harness_global(harness_memory(h, label, numbers, sizeof numbers));
    case 'V': return harness_global(harness_memory(h, label, four, sizeof four));
    case 'U': return harness_global(harness_memory(h, label, NULL, sizeof numbers));
    case 'R': return harness_global(harness_memory(h, label, NULL, 64 * ITEMS));
    case 'H':
        object = harness_memory(h, label, NULL, sizeof numbers);
        sim_object_write(h->world, object, 0, 16, numbers);
        return harness_global(object);
    default: *number = letter - '0'; return harness_value(number, sizeof *number);
    }
}

/* True if the finding is the one that the row expects; prints the difference otherwise. */
static bool is_expected(const row *r, uint32_t level, const sim_finding *finding)
{
    if (!r->words || strcmp(finding->kind, "uninitialised") ||
        !strstr(finding->message.data, r->words)) {
        return false;
    }
    bool right = !r->count || finding->count == r->count;
    right &= !r->object || !strncmp(finding->object.data, r->object, strlen(r->object));
    if (!right) {
        print_error("%s -O%u: %s: '%s', %u\n", r->kernel, level, finding->message.data,
                    finding->object.data, (unsigned)finding->count);
    }
    return right;
}

static bool check_row(const row *r, uint32_t level, uint32_t engine)
{
    harness h = harness_open_file("undefined", level, engine);
    sim_argument arguments[4];
    int32_t numbers[4] = {0};
    uint32_t count = (uint32_t)strlen(r->arguments), found = 0;
    for (uint32_t i = 0; i < count; i++)
        arguments[i] = argument_of(&h, r->arguments[i], &numbers[i]);
    harness_try(&h, r->kernel, harness_range(ITEMS, ITEMS), arguments, count);
    assert_true(rt_ok(h.status));
    for (uint32_t i = 0; i < h.finding_count; i++)
        found += is_expected(r, level, &h.findings[i]);
    bool right = r->words ? found > 0 : h.finding_count == 0;
    if (!right) {
        print_error("%s -O%u: expected %s, found %u, first '%s'\n", r->kernel, level,
                    r->words ? r->words : "nothing", h.finding_count,
                    h.finding_count ? h.findings[0].message.data : "");
    }
    harness_close(&h);
    return right;
}

static void test_kernels(void **state)
{
    (void)state;
    uint32_t wrong = 0;
    FOR_EACH_BUILD(level, engine)
    {
        for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            if (rows[i].levels && !(rows[i].levels >> level & 1)) continue;
            wrong += !check_row(&rows[i], level, engine);
        }
    }
    assert_int_equal(wrong, 0);
}

/* Local memory does not keep its contents from one work-group to the next. */
static void test_second_group(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("undefined", level, engine);
        int32_t numbers[2 * ITEMS] = {0};
        sim_argument arguments[] = {
            harness_global(harness_memory(&h, "out", numbers, sizeof numbers))};
        harness_try(&h, "bad_second_group", harness_range(2 * ITEMS, ITEMS), arguments, 1);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "uninitialised");
        assert_int_equal(h.findings[0].work_item[0], ITEMS);
        assert_int_equal(h.findings[0].count, ITEMS);
        harness_close(&h);
    }
}

/* What explains a fault comes first: the address was never written, so it is out of bounds. */
static void test_undefined_address_out_of_bounds(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("undefined", level, engine);
        int32_t numbers[ITEMS] = {0};
        sim_argument arguments[] = {
            harness_global(harness_memory(&h, "out", numbers, sizeof numbers)),
            harness_global(harness_memory(&h, "index", NULL, sizeof numbers))};
        harness_try(&h, "bad_far_address", harness_range(1, 1), arguments, 2);
        assert_int_equal(h.finding_count, 2);
        assert_string_equal(h.findings[0].kind, "uninitialised");
        assert_string_equal(h.findings[1].kind, "out-of-bounds");
        assert_int_equal(h.findings[0].source_line, h.findings[1].source_line);
        harness_close(&h);
    }
}

#define MANY 512

/* Only element 300 of `in` is undefined; it is broadcast, so both waves of the group use it. */
static void test_two_waves(void **state)
{
    (void)state;
    FOR_EACH_BUILD(level, engine)
    {
        harness h = harness_open_file("undefined", level, engine);
        static const int32_t zeros[MANY];
        int32_t from = 300;
        sim_object in = harness_memory(&h, "in", NULL, sizeof zeros);
        sim_object_write(h.world, in, 0, 4 * 300, zeros);
        sim_object_write(h.world, in, 4 * 301, sizeof zeros - 4 * 301, zeros);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, sizeof zeros)),
                                    harness_global(in), harness_value(&from, sizeof from)};
        harness_try(&h, "two_waves", harness_range(MANY, MANY), arguments, 3);
        assert_int_equal(h.finding_count, 1);
        assert_string_equal(h.findings[0].kind, "uninitialised");
        assert_int_equal(h.findings[0].count, MANY);
        from = 299;
        harness_run(&h, "two_waves", harness_range(MANY, MANY), arguments, 3);
        harness_close(&h);
    }
}

/* ---- Modules in assembly -------------------------------------------------------------------- */

#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%bool = OpTypeBool\n%int = OpTypeInt 32 0\n%long = OpTypeInt 64 0\n"      \
    "%byte = OpTypeInt 8 0\n%float = OpTypeFloat 32\n%v3long = OpTypeVector %long 3\n"             \
    "%pv3 = OpTypePointer Input %v3long\n%gint = OpTypePointer CrossWorkgroup %int\n"              \
    "%pint = OpTypePointer Function %int\n%pbyte = OpTypePointer Function %byte\n"                 \
    "%main_t = OpTypeFunction %void %gint %gint\n%id = OpVariable %pv3 Input\n"                    \
    "%gbyte = OpTypePointer CrossWorkgroup %byte\n%c4 = OpConstant %int 4\n"                       \
    "%c0 = OpConstant %int 0\n%c1 = OpConstant %int 1\n%c7 = OpConstant %int 7\n"                  \
    "%true = OpConstantTrue %bool\n%undef = OpUndef %int\n%undef_bool = OpUndef %bool\n"           \
    "%scope = OpConstant %int 2\n%sub = OpConstant %int 3\n%v4 = OpTypeVector %int 4\n"            \
    "%bit15 = OpConstant %int 0x8000\n%bit16 = OpConstant %int 0x10000\n"                          \
    "%l1 = OpConstant %long 1\n%l4 = OpConstant %long 4\n%event = OpTypeEvent\n"                   \
    "%pevent = OpTypePointer Function %event\n%gevent = OpTypePointer CrossWorkgroup %event\n"     \
    "%glong = OpTypePointer CrossWorkgroup %long\n%none = OpConstantNull %event\n"                 \
    "%c16 = OpConstant %int 16\n%tile = OpTypeArray %int %c16\n"                                   \
    "%ltile = OpTypePointer Workgroup %tile\n%lint = OpTypePointer Workgroup %int\n"               \
    "%local = OpVariable %ltile Workgroup\n%v2 = OpTypeVector %int 2\n"                            \
    "%gv2 = OpTypePointer CrossWorkgroup %v2\n%c6 = OpConstant %int 6\n"                           \
    "%b37 = OpConstant %byte 37\n%b100 = OpConstant %byte 100\n%b32 = OpConstant %byte 32\n"       \
    "%b0 = OpConstant %byte 0\n%text = OpTypeArray %byte %c6\n"                                    \
    "%percents = OpConstantComposite %text %b37 %b100 %b32 %b37 %b100 %b0\n"                       \
    "%ptext = OpTypePointer UniformConstant %text\n"                                               \
    "%pchar = OpTypePointer UniformConstant %byte\n"                                               \
    "%format = OpVariable %ptext UniformConstant %percents\n"
#define MODULE(body)                                                                                           \
    "OpCapability Groups\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n" SIM_TEST_PRELUDE \
    "OpEntryPoint Kernel %main \"main\" %id\n%file = OpString \"k.cl\"\n"                                      \
    "OpDecorate %id BuiltIn GlobalInvocationId\n" TYPES                                                        \
    "%main = OpFunction %void None %main_t\n%out = OpFunctionParameter %gint\n"                                \
    "%in = OpFunctionParameter %gint\n%entry = OpLabel\n" body "OpReturn\nOpFunctionEnd\n"
/* Defines %i, the work-item's number, and %to, its element of the output. */
#define ITEM                                                                                       \
    "%ids = OpLoad %v3long %id Aligned 32\n%i64 = OpCompositeExtract %long %ids 0\n"               \
    "%i = OpUConvert %int %i64\n%to = OpInBoundsPtrAccessChain %gint %out %i64\n"                  \
    "%from = OpInBoundsPtrAccessChain %gint %in %i64\n"
/* Branches on the bool. */
#define BRANCH(condition)                                                                          \
    "OpBranchConditional " condition " %yes %no\n%yes = OpLabel\nOpStore %to %c7 Aligned 4\n"      \
    "OpBranch %no\n%no = OpLabel\n"

typedef struct assembly {
    const char *name, *text;
    const char *words; /* NULL: no finding */
    uint64_t count;
} assembly;

static const assembly assemblies[] = {
    {"undefined condition", MODULE(ITEM BRANCH("%undef_bool")), "branch on an undefined value", 16},
    {"undefined, or true", MODULE(ITEM "%c = OpLogicalOr %bool %undef_bool %true\n" BRANCH("%c")),
     NULL, 0},
    {"not undefined", MODULE(ITEM "%c = OpLogicalNot %bool %undef_bool\n" BRANCH("%c")),
     "branch on an undefined value", 16},
    {"selection by an undefined condition, both values equal",
     MODULE(ITEM
            "%s = OpSelect %int %undef_bool %c7 %c7\n%c = OpIEqual %bool %s %c7\n" BRANCH("%c")),
     NULL, 0},
    {"selection by an undefined condition",
     MODULE(ITEM
            "%s = OpSelect %int %undef_bool %c7 %c1\n%c = OpIEqual %bool %s %c7\n" BRANCH("%c")),
     "branch on an undefined value", 16},
    {"an undefined value, masked", /* a bit that is defined differs: bit 0 of 6 & x is 0 */
     MODULE(ITEM "%six = OpIAdd %int %c7 %c7\n%s = OpBitwiseAnd %int %undef %six\n"
                 "%c = OpIEqual %bool %s %c7\n" BRANCH("%c")),
     NULL, 0},
    {"shifted out",
     MODULE(ITEM "%k = OpIMul %int %c7 %c1\n%l = OpShiftLeftLogical %int %undef %k\n"
                 "%s = OpBitwiseAnd %int %l %c1\n%c = OpINotEqual %bool %s %c0\n" BRANCH("%c")),
     NULL, 0},
    {"a phi's undefined side, for every other work-item",
     MODULE(ITEM
            "%b = OpBitwiseAnd %int %i %c1\n%odd = OpIEqual %bool %b %c1\n"
            "OpBranchConditional %odd %left %right\n%left = OpLabel\nOpBranch %join\n"
            "%right = OpLabel\nOpBranch %join\n%join = OpLabel\n"
            "%p = OpPhi %int %i %left %undef %right\n%c = OpULessThan %bool %p %c7\n" BRANCH("%c")),
     "branch on an undefined value", 8},
    {"a phi's undefined side, not used",
     MODULE(ITEM "%b = OpBitwiseAnd %int %i %c1\n%odd = OpIEqual %bool %b %c1\n"
                 "OpBranchConditional %odd %left %right\n%left = OpLabel\nOpBranch %join\n"
                 "%right = OpLabel\nOpBranch %join\n%join = OpLabel\n"
                 "%p = OpPhi %int %i %left %undef %right\n%less = OpULessThan %bool %p %c7\n"
                 "%c = OpLogicalAnd %bool %less %odd\n" BRANCH("%c")),
     NULL, 0},
    {"a variable after its end",
     MODULE("%v = OpVariable %pint Function\n" ITEM "OpStore %v %c1 Aligned 4\n"
            "%raw = OpBitcast %pbyte %v\nOpLifetimeStop %raw 4\n%x = OpLoad %int %v Aligned 4\n"
            "%c = OpIEqual %bool %x %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"a variable before its end",
     MODULE("%v = OpVariable %pint Function\n" ITEM "%raw = OpBitcast %pbyte %v\n"
            "OpLifetimeStart %raw 4\nOpStore %v %c1 Aligned 4\n%x = OpLoad %int %v Aligned 4\n"
            "%c = OpIEqual %bool %x %c1\n" BRANCH("%c") "OpLifetimeStop %raw 4\n"),
     NULL, 0},
    {"the size of a copy",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%n = OpBitwiseAnd %int %x %c4\n"
                 "%a = OpBitcast %gbyte %to\n%b = OpBitcast %gbyte %from\n"
                 "OpCopyMemorySized %a %b %n\n"),
     "copy whose size in bytes is", 16},
    {"the target of a copy",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%n = OpBitwiseAnd %int %x %c1\n"
                 "%n64 = OpUConvert %long %n\n%a = OpBitcast %gbyte %to\n"
                 "%b = OpBitcast %gbyte %from\n"
                 "%p = OpInBoundsPtrAccessChain %gbyte %a %n64\nOpCopyMemorySized %p %b %c1\n"),
     "copy to an address made of a value that was never written", 16},
    {"the source of a copy",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%n = OpBitwiseAnd %int %x %c1\n"
                 "%n64 = OpUConvert %long %n\n%a = OpBitcast %gbyte %to\n"
                 "%b = OpBitcast %gbyte %from\n"
                 "%p = OpInBoundsPtrAccessChain %gbyte %b %n64\nOpCopyMemorySized %a %p %c1\n"),
     "copy from an address made of a value that was never written", 16},
    {"a copy of undefined bytes",
     MODULE(ITEM "%a = OpBitcast %gbyte %to\n%b = OpBitcast %gbyte %from\n"
                 "OpCopyMemorySized %a %b %c4\n"),
     NULL, 0},
    {"undefined bytes, copied",
     MODULE(ITEM "%a = OpBitcast %gbyte %to\n%b = OpBitcast %gbyte %from\n"
                 "OpCopyMemorySized %a %b %c4\n%x = OpLoad %int %to Aligned 4\n"
                 "%c = OpIEqual %bool %x %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"bits of an undefined mask",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%m = OpCompositeConstruct %v4 %x %c0 %c0 %c0\n"
                 "%g = OpGroupNonUniformBallotBitCount %int %sub Reduce %m\n"
                 "%c = OpIEqual %bool %g %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"the lowest bit of an undefined mask",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%m = OpCompositeConstruct %v4 %x %c0 %c0 %c0\n"
                 "%g = OpGroupNonUniformBallotFindLSB %int %sub %m\n"
                 "%c = OpIEqual %bool %g %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"bits of a mask that is undefined only beyond the sub-group",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%y = OpBitwiseAnd %int %x %bit16\n"
                 "%m = OpCompositeConstruct %v4 %y %x %x %x\n"
                 "%g = OpGroupNonUniformBallotBitCount %int %sub Reduce %m\n"
                 "%c = OpIEqual %bool %g %c1\n" BRANCH("%c")),
     NULL, 0},
    {"bits of a mask whose last bit of the sub-group is undefined",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%y = OpBitwiseAnd %int %x %bit15\n"
                 "%m = OpCompositeConstruct %v4 %y %c0 %c0 %c0\n"
                 "%g = OpGroupNonUniformBallotBitCount %int %sub Reduce %m\n"
                 "%c = OpIEqual %bool %g %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"a bit of a mask at an undefined index",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%m = OpCompositeConstruct %v4 %c1 %c0 %c0 %c0\n"
                 "%c = OpGroupNonUniformBallotBitExtract %bool %sub %m %x\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
    {"an election among work-items with undefined values",
     MODULE(ITEM
            "%x = OpLoad %int %from Aligned 4\n%y = OpIAdd %int %x %c1\n"
            "%c = OpGroupNonUniformElect %bool %sub\n" BRANCH("%c") "OpStore %from %y Aligned 4\n"),
     NULL, 0},
    {"a broadcast of an undefined value",
     MODULE(ITEM
            "%x = OpLoad %int %from Aligned 4\n"
            "%g = OpGroupBroadcast %int %sub %x %c1\n%c = OpIEqual %bool %g %c1\n" BRANCH("%c")),
     "branch on a value that was never written", 16},
};

static void run_assembly(const assembly *a)
{
    harness h = harness_text(a->text);
    int32_t zeros[ITEMS] = {0};
    sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, sizeof zeros)),
                                harness_global(harness_memory(&h, "in", NULL, sizeof zeros))};
    harness_try(&h, "main", harness_range(ITEMS, ITEMS), arguments, 2);
    assert_true(rt_ok(h.status));
    if (h.finding_count != (a->words ? 1 : 0)) {
        fail_msg("%s: %u findings, first '%s'", a->name, h.finding_count,
                 h.finding_count ? h.findings[0].message.data : "");
    }
    if (a->words) {
        assert_string_equal(h.findings[0].kind, "uninitialised");
        if (!strstr(h.findings[0].message.data, a->words)) {
            fail_msg("%s: '%s'", a->name, h.findings[0].message.data);
        }
        assert_int_equal(h.findings[0].count, a->count);
    }
    harness_close(&h);
}

static void test_assembly(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof assemblies / sizeof assemblies[0]; i++)
        run_assembly(&assemblies[i]);
}

/* A copy of four elements from `out` to local memory, and the wait for it. %z is an undefined 0. */
#define COPY(operands, store, wait)                                                                \
    MODULE("%v = OpVariable %pevent Function\n%raw = OpBitcast %glong %in\n"                       \
           "%z = OpLoad %long %raw Aligned 8\n%first = OpInBoundsAccessChain %lint %local %c0\n"   \
           "%target = OpInBoundsPtrAccessChain %lint %first %z\n"                                  \
           "%source = OpInBoundsPtrAccessChain %gint %out %z\n%n = OpIAdd %long %z %l4\n"          \
           "%stride = OpIAdd %long %z %l1\n%rawe = OpBitcast %gevent %in\n"                        \
           "%shared = OpLoad %event %rawe Aligned 8\n%few = OpUConvert %int %z\n"                  \
           "%one = OpIAdd %int %few %c1\n%there = OpInBoundsPtrAccessChain %pevent %v %z\n"        \
           "%e = OpGroupAsyncCopy %event %scope " operands "\n" store                              \
           "OpGroupWaitEvents %scope " wait "\n")

/* What decides what a copy reads and writes, and what a wait waits for, must be defined. */
static void test_copies(void **state)
{
    (void)state;
#define KEEP "OpStore %v %e Aligned 8\n"
    static const assembly cases[] = {
        {"nothing", COPY("%first %out %l4 %l1 %none", KEEP, "%c1 %v"), NULL, 0},
        {"target", COPY("%target %out %l4 %l1 %none", KEEP, "%c1 %v"), "copy to an address made of",
         ITEMS},
        {"source", COPY("%first %source %l4 %l1 %none", KEEP, "%c1 %v"),
         "copy from an address made of", ITEMS},
        {"count", COPY("%first %out %n %l1 %none", KEEP, "%c1 %v"), "copy whose element count is",
         ITEMS},
        {"stride", COPY("%first %out %l4 %stride %none", KEEP, "%c1 %v"), "copy whose stride is",
         ITEMS},
        {"event", COPY("%first %out %l4 %l1 %shared", KEEP, "%c1 %v"), "copy whose event is",
         ITEMS},
        {"number of events", COPY("%first %out %l4 %l1 %none", KEEP, "%one %v"),
         "wait whose event count is", ITEMS},
        {"events", COPY("%first %out %l4 %l1 %none", KEEP, "%c1 %there"),
         "wait for events at an address made of", ITEMS},
        {"no event stored", COPY("%first %out %l4 %l1 %none", "", "%c1 %v"),
         "wait for an uninitialised event", ITEMS},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        harness h = harness_text(cases[i].text);
        int32_t zeros[ITEMS] = {0};
        sim_object in = harness_memory(&h, "in", NULL, sizeof zeros);
        memset(sim_world_memory(h.world, in)->data, 0, sizeof zeros);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, sizeof zeros)),
                                    harness_global(in)};
        harness_try(&h, "main", harness_range(ITEMS, ITEMS), arguments, 2);
        assert_true(rt_ok(h.status));
        uint32_t found = 0;
        for (uint32_t k = 0; k < h.finding_count; k++) {
            if (strcmp(h.findings[k].kind, "uninitialised") != 0) continue;
            found++;
            if (!cases[i].words || !strstr(h.findings[k].message.data, cases[i].words) ||
                h.findings[k].count != cases[i].count)
                fail_msg("%s: '%s', %u times", cases[i].name, h.findings[k].message.data,
                         (unsigned)h.findings[k].count);
        }
        if (found != (cases[i].words ? 1 : 0)) fail_msg("%s: %u findings", cases[i].name, found);
        harness_close(&h);
    }
}

/* Memory that a kernel leaves undefined or partly defined remains so for the host and the next
 * kernel. */
static void test_memory_stays_undefined(void **state)
{
    (void)state;
    static const char text[] =
        MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%y = OpIAdd %int %x %c1\n"
                    "%b = OpBitwiseAnd %int %i %c1\n%odd = OpIEqual %bool %b %c1\n"
                    "%s = OpSelect %int %odd %i %y\nOpStore %to %s Aligned 4\n");
    harness h = harness_text(text);
    int32_t zeros[ITEMS] = {0};
    sim_object out = harness_memory(&h, "out", zeros, sizeof zeros); /* defined until now */
    sim_argument arguments[] = {harness_global(out),
                                harness_global(harness_memory(&h, "in", NULL, sizeof zeros))};
    harness_run(&h, "main", harness_range(ITEMS, ITEMS), arguments, 2);
    uint8_t bits[ITEMS / 2];
    sim_object_defined(h.world, out, 0, sizeof zeros, bits);
    for (uint32_t i = 0; i < sizeof bits; i++)
        assert_int_equal(bits[i], 0xf0); /* the bytes of odd elements */
    harness_close(&h);
}

/* Whether an undefined float fits an integer depends on the seed, so converting it is not a
 * finding, but a branch on the result is. */
static void test_conversion_of_undefined_values(void **state)
{
    (void)state;
#define CONVERTED                                                                                  \
    ITEM "%raw = OpLoad %int %from Aligned 4\n%f = OpBitcast %float %raw\n"                        \
         "%n = OpConvertFToS %int %f\nOpStore %to %n Aligned 4\n"
    static const assembly kept = {.text = MODULE(CONVERTED)};
    static const assembly used = {.text =
                                      MODULE(CONVERTED "%c = OpIEqual %bool %n %c7\n" BRANCH("%c")),
                                  .words = "branch on a value that was never written"};
    for (uint64_t seed = 0; seed < 24; seed++) {
        const assembly *a = seed % 2 ? &used : &kept;
        harness h = harness_text(a->text);
        h.world->seed = seed;
        int32_t zeros[ITEMS] = {0};
        sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, sizeof zeros)),
                                    harness_global(harness_memory(&h, "in", NULL, sizeof zeros))};
        harness_try(&h, "main", harness_range(ITEMS, ITEMS), arguments, 2);
        assert_true(rt_ok(h.status));
        assert_int_equal(h.finding_count, a->words ? 1 : 0);
        if (a->words) assert_non_null(strstr(h.findings[0].message.data, a->words));
        harness_close(&h);
    }
}

/* ---- What a finding says -------------------------------------------------------------------- */

typedef struct said {
    const char *name, *text;
    uint32_t defined; /* bytes of `in` that are defined, from its beginning */
    const char *message, *object;
    uint64_t offset, work_item, count;
} said;

#define ODD                                                                                        \
    "%b = OpBitwiseAnd %int %i %c1\n%odd = OpIEqual %bool %b %c1\n"                                \
    "%which = OpSelect %gint %odd %to %from\n"
#define USED "%c = OpIEqual %bool %x %c7\n" BRANCH("%c")
#define LAST(place)                                                                                \
    "branch on a value that was never written (last undefined read: 4 bytes at offset " place ")"

/* A finding is about the first work-item that uses an undefined value, and names what that one read
 * last. */
static const said saids[] = {
    {"each its own", MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n" USED), 12,
     LAST("12 of 'in'") " by work-item (3, 0, 0)", "in", 12, 3, 13},
    /* The defined byte of element 3 is 0, so the element is not 7. */
    {"part of an integer", MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n" USED), 13,
     LAST("16 of 'in'") " by work-item (4, 0, 0)", "in", 16, 4, 12},
    {"a line", MODULE(ITEM "OpLine %file 7 1\n%x = OpLoad %int %from Aligned 4\nOpNoLine\n" USED),
     60,
     "branch on a value that was never written (last undefined read: 4 bytes at offset 60 of 'in', "
     "line 7) by work-item (15, 0, 0)",
     "in", 60, 15, 1},
    {"no read", MODULE(ITEM BRANCH("%undef_bool")), 64,
     "branch on an undefined value by work-item (0, 0, 0)", "", 0, 0, 16},
    {"the second component",
     MODULE(ITEM "%far = OpBitcast %gv2 %in\n%half = OpShiftRightLogical %int %i %c1\n"
                 "%half64 = OpUConvert %long %half\n"
                 "%pair = OpInBoundsPtrAccessChain %gv2 %far %half64\n"
                 "%both = OpLoad %v2 %pair Aligned 8\n%x = OpCompositeExtract %int %both 1\n"
                 "%y = OpCompositeExtract %int %both 0\nOpStore %to %y Aligned 4\n" USED),
     36, LAST("36 of 'in'") " by work-item (8, 0, 0)", "in", 36, 8, 8},
    {"two objects", MODULE(ITEM ODD "%x = OpLoad %int %which Aligned 4\n" USED), 20,
     LAST("24 of 'in'") " by work-item (6, 0, 0)", "in", 24, 6, 5},
    {"the same for all", MODULE(ITEM "%x = OpLoad %int %in Aligned 4\n" USED), 0,
     LAST("0 of 'in'") " by work-item (0, 0, 0)", "in", 0, 0, 16},
    {"some of them",
     MODULE(ITEM ODD "OpBranchConditional %odd %left %join\n%left = OpLabel\n"
                     "%l = OpLoad %int %from Aligned 4\nOpBranch %join\n%join = OpLabel\n"
                     "%x = OpPhi %int %i %entry %l %left\n" USED),
     20, LAST("20 of 'in'") " by work-item (5, 0, 0)", "in", 20, 5, 6},
    {"a variable",
     MODULE("%v = OpVariable %pint Function\n" ITEM "%x = OpLoad %int %v Aligned 4\n" USED), 64,
     LAST("0 of 'a private variable'") " by work-item (0, 0, 0)", "a private variable", 0, 0, 16},
    {"an atomic", MODULE(ITEM "%x = OpAtomicIAdd %int %from %c1 %c0 %c1\n" USED), 32,
     LAST("32 of 'in'") " by work-item (8, 0, 0)", "in", 32, 8, 8},
    {"the last read, not the one that is used",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%y = OpLoad %int %in Aligned 4\n"
                 "OpStore %to %y Aligned 4\n" USED),
     0, LAST("0 of 'in'") " by work-item (0, 0, 0)", "in", 0, 0, 16},
    {"the last argument that is printed",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%f = OpInBoundsAccessChain %pchar %format %c0\n"
                 "%r = OpExtInst %int %std printf %f %c1 %x\n"),
     56,
     "printing of a value that was never written (last undefined read: 4 bytes at offset 56 of "
     "'in') by work-item (14, 0, 0)",
     "in", 56, 14, 2},
    {"the first argument that is printed",
     MODULE(ITEM "%x = OpLoad %int %from Aligned 4\n%f = OpInBoundsAccessChain %pchar %format %c0\n"
                 "%r = OpExtInst %int %std printf %f %x %c1\n"),
     56,
     "printing of a value that was never written (last undefined read: 4 bytes at offset 56 of "
     "'in') by work-item (14, 0, 0)",
     "in", 56, 14, 2},
    {"what printing returns",
     MODULE(ITEM "%y = OpLoad %int %from Aligned 4\n%f = OpInBoundsAccessChain %pchar %format %c0\n"
                 "%x = OpExtInst %int %std printf %f %c1 %c1\nOpStore %to %y Aligned 4\n" USED),
     0, NULL, NULL, 0, 0, 0},
};

static void test_what_findings_say(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < sizeof saids / sizeof saids[0]; i++) {
        const said *s = &saids[i];
        harness h = harness_text(s->text);
        int32_t zeros[ITEMS] = {0};
        sim_object in = harness_memory(&h, "in", NULL, sizeof zeros);
        if (s->defined) sim_object_write(h.world, in, 0, s->defined, zeros);
        sim_argument arguments[] = {harness_global(harness_memory(&h, "out", zeros, sizeof zeros)),
                                    harness_global(in)};
        harness_try(&h, "main", harness_range(ITEMS, ITEMS), arguments, 2);
        assert_true(rt_ok(h.status));
        if (h.finding_count != (s->message ? 1 : 0))
            fail_msg("%s: %u findings, first '%s'", s->name, h.finding_count, h.texts[0][0]);
        const sim_finding *found = &h.findings[0];
        if (s->message && (strcmp(h.texts[0][0], s->message) != 0 ||
                           strcmp(h.texts[0][1], s->object) != 0 || found->offset != s->offset ||
                           found->work_item[0] != s->work_item || found->count != s->count))
            fail_msg("%s: '%s', object '%s', offset %u, work-item %u, %u times", s->name,
                     h.texts[0][0], h.texts[0][1], (unsigned)found->offset,
                     (unsigned)found->work_item[0], (unsigned)found->count);
        harness_close(&h);
    }
}

static void test_every_handler_has_a_rule(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < SIM_HANDLER_COUNT; i++) {
        if (!sim_shadow_knows(i)) fail_msg("handler %u has no row in shadow_rules.c", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_handler_has_a_rule),
        cmocka_unit_test(test_second_group),
        cmocka_unit_test(test_undefined_address_out_of_bounds),
        cmocka_unit_test(test_two_waves),
        cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_memory_stays_undefined),
        cmocka_unit_test(test_conversion_of_undefined_values),
        cmocka_unit_test(test_what_findings_say),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
