/* Tests atomic instructions one by one: what they return and store in 32 and 64 bits, and what is
 * reported if their memory is misaligned, out of bounds, null or constant. */
#include "sim/test/harness.h"

#define CAPABILITIES                                                                               \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Int8\nOpCapability Float64\nOpCapability Int64Atomics\n"                         \
    "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat64AddEXT\n"                         \
    "OpCapability AtomicFloat32MinMaxEXT\nOpCapability AtomicFloat64MinMaxEXT\n"                   \
    "OpExtension \"SPV_EXT_shader_atomic_float_add\"\n"                                            \
    "OpExtension \"SPV_EXT_shader_atomic_float_min_max\"\nOpMemoryModel Physical64 OpenCL\n"       \
    "OpEntryPoint Kernel %k \"k\"\n"
#define CAPABILITIES_OF_MANY                                                                       \
    "OpCapability Addresses\nOpCapability Kernel\nOpCapability Int64\nOpCapability Int8\n"         \
    "OpCapability Float64\nOpCapability Int64Atomics\nOpMemoryModel Physical64 OpenCL\n"           \
    "OpEntryPoint Kernel %k \"k\" %gid\nOpDecorate %gid BuiltIn GlobalInvocationId\n"
#define TYPES                                                                                      \
    "%void = OpTypeVoid\n%i8 = OpTypeInt 8 0\n%i32 = OpTypeInt 32 0\n%i64 = OpTypeInt 64 0\n"      \
    "%f32 = OpTypeFloat 32\n%f64 = OpTypeFloat 64\n"                                               \
    "%pb = OpTypePointer CrossWorkgroup %i8\n%pc = OpTypePointer UniformConstant %i8\n"            \
    "%device = OpConstant %i32 1\n%relaxed = OpConstant %i32 0\n"

/* A row's operation returns the memory's old value, unless it only stores, and leaves `after` in
 * the memory; the numbers are bit patterns, truncated to the type's width. i: integer, f: float. */
typedef struct row {
    const char *name;
    char type;
    const char *operands; /* after pointer, scope and semantics; %v is the value */
    uint64_t before, value, after;
} row;

static const row rows[] = {
    {"OpAtomicLoad", 'i', "", 5, 0, 5},
    {"OpAtomicStore", 'i', " %v", 5, 9, 9},
    {"OpAtomicExchange", 'i', " %v", 5, 9, 9},
    {"OpAtomicCompareExchange", 'i', " %relaxed %v %five", 5, 9, 9},
    {"OpAtomicCompareExchange", 'i', " %relaxed %v %five", 6, 9, 6},
    {"OpAtomicCompareExchangeWeak", 'i', " %relaxed %v %five", 5, 9, 9},
    {"OpAtomicCompareExchangeWeak", 'i', " %relaxed %v %five", 6, 9, 6},
    {"OpAtomicIIncrement", 'i', "", UINT64_MAX, 0, 0},
    {"OpAtomicIDecrement", 'i', "", 0, 0, UINT64_MAX},
    {"OpAtomicIAdd", 'i', " %v", UINT64_MAX, 3, 2},
    {"OpAtomicISub", 'i', " %v", 2, 3, UINT64_MAX},
    {"OpAtomicSMin", 'i', " %v", 2, UINT64_MAX, UINT64_MAX},
    {"OpAtomicUMin", 'i', " %v", 2, UINT64_MAX, 2},
    {"OpAtomicSMax", 'i', " %v", 2, UINT64_MAX, 2},
    {"OpAtomicUMax", 'i', " %v", 2, UINT64_MAX, UINT64_MAX},
    {"OpAtomicAnd", 'i', " %v", 12, 10, 8},
    {"OpAtomicOr", 'i', " %v", 12, 10, 14},
    {"OpAtomicXor", 'i', " %v", 12, 10, 6},
};
/* Operations on double and on float: 1.5 + 2 = 3.5; the minimum and maximum of 1.5 and -2, and of
 * 1.5 and a NaN. */
static const struct {
    const char *name;
    uint32_t before[2], value[2], after[2]; /* the upper 32 bits of a double, a float's bits */
} floats[] = {
    {"OpAtomicFAddEXT",
     {0x3ff80000, 0x3fc00000},
     {0x40000000, 0x40000000},
     {0x400c0000, 0x40600000}},
    {"OpAtomicFMinEXT",
     {0x3ff80000, 0x3fc00000},
     {0xc0000000, 0xc0000000},
     {0xc0000000, 0xc0000000}},
    {"OpAtomicFMaxEXT",
     {0x3ff80000, 0x3fc00000},
     {0xc0000000, 0xc0000000},
     {0x3ff80000, 0x3fc00000}},
    {"OpAtomicFMaxEXT",
     {0x3ff80000, 0x3fc00000},
     {0x7ff80000, 0x7fc00000},
     {0x3ff80000, 0x3fc00000}},
};

static row float_row(size_t index, uint32_t bits)
{
    bool is_wide = bits == 64;
    uint32_t shift = is_wide ? 32 : 0;
    return (row){floats[index].name,
                 'f',
                 " %v",
                 (uint64_t)floats[index].before[!is_wide] << shift,
                 (uint64_t)floats[index].value[!is_wide] << shift,
                 (uint64_t)floats[index].after[!is_wide] << shift};
}

static bool gives(const row *entry)
{
    return strcmp(entry->name, "OpAtomicStore") != 0;
}
static bool writes(const row *entry)
{
    return strcmp(entry->name, "OpAtomicLoad") != 0;
}

/* k(global char *m, long o, T v, global T *old, constant char *c): the memory passed as c is
 * constant while the kernel runs. */
static harness open_row(const row *entry, uint32_t bits)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "%s%s%%pt = OpTypePointer CrossWorkgroup %%%c%u\n"
             "%%fn = OpTypeFunction %%void %%pb %%i64 %%%c%u %%pt %%pc\n%%five = OpConstant %%%c%u "
             "%s\n%%k = OpFunction %%void None %%fn\n%%m = OpFunctionParameter %%pb\n"
             "%%o = OpFunctionParameter %%i64\n%%v = OpFunctionParameter %%%c%u\n"
             "%%old = OpFunctionParameter %%pt\n%%c = OpFunctionParameter %%pc\n%%b = OpLabel\n"
             "%%e = OpPtrAccessChain %%pb %%m %%o\n%%p = OpBitcast %%pt %%e\n",
             CAPABILITIES, TYPES, entry->type, bits, entry->type, bits, entry->type, bits, "5",
             entry->type, bits);
    size_t used = strlen(text);
    if (gives(entry)) {
        snprintf(text + used, sizeof text - used, "%%r = %s %%%c%u %%p %%device %%relaxed%s\n%s",
                 entry->name, entry->type, bits, entry->operands, "OpStore %old %r\n");
    } else {
        snprintf(text + used, sizeof text - used, "%s %%p %%device %%relaxed%s\n", entry->name,
                 entry->operands);
    }
    strcat(text, "OpReturn\nOpFunctionEnd\n");
    return harness_text(text);
}

typedef struct place {
    const char *kind; /* of the finding; NULL: none */
    bool is_null, is_constant;
    uint64_t offset;
} place;

static void row_try(const row *entry, uint32_t bits, place where, uint32_t engine)
{
    harness h = open_row(entry, bits);
    h.world->engine = engine;
    uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX, content[2] = {0, 0}, old = 0;
    uint32_t size = bits / 8;
    memcpy((uint8_t *)content + (where.kind ? 0 : where.offset), &entry->before, size);
    sim_object memory = harness_memory(&h, "memory", content, sizeof content);
    sim_object out = harness_memory(&h, "old", &old, size);
    sim_argument arguments[] = {harness_global(where.is_null ? 0 : memory),
                                harness_value(&where.offset, 8), harness_value(&entry->value, size),
                                harness_global(out),
                                harness_global(where.is_constant ? memory : 0)};
    harness_try(&h, "k", harness_range(1, 1), arguments, 5);
    assert_true(rt_ok(h.status));
    uint64_t seen[2] = {0, 0};
    harness_read_back(&h, memory, seen, sizeof seen);
    harness_read_back(&h, out, &old, size);
    if (where.kind) {
        if (h.finding_count != 1 || strcmp(h.findings[0].kind, where.kind) != 0) {
            fail_msg("%s of %u bits: %u findings, expected %s", entry->name, bits, h.finding_count,
                     where.kind);
        }
        assert_memory_equal(seen, content, sizeof seen);
    } else {
        uint64_t after = 0;
        memcpy(&after, (uint8_t *)seen + where.offset, size);
        if (h.finding_count) fail_msg("%s: %s", entry->name, h.findings[0].message.data);
        if (after != (entry->after & mask) || (gives(entry) && old != (entry->before & mask))) {
            fail_msg("%s of %u bits leaves %llx, expected %llx; it gave %llx", entry->name, bits,
                     (unsigned long long)after, (unsigned long long)(entry->after & mask),
                     (unsigned long long)old);
        }
    }
    harness_close(&h);
}

static void row_try_all(const row *entry, uint32_t bits)
{
    const place places[] = {
        {NULL, .offset = 0},
        {NULL, .offset = 8},
        {"misaligned", .offset = 1},
        {"misaligned", .offset = bits == 64 ? 4 : 2},
        {"out-of-bounds", .offset = 16},
        {"out-of-bounds", .offset = UINT64_MAX - 7},
        {"null-pointer", .is_null = true},
        {writes(entry) ? "write-to-constant" : NULL, .is_constant = true},
    };
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            row_try(entry, bits, places[i], engine);
    }
}

static void on_integers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        row_try_all(&rows[i], 32);
        row_try_all(&rows[i], 64);
    }
}

static void on_floats(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        for (uint32_t bits = 32; bits <= 64; bits += 32) {
            row entry = float_row(i, bits);
            row_try_all(&entry, bits);
        }
    }
}

/* ---- Many work-items ------------------------------------------------------------------------- */

enum { ITEMS = 40, PLACES = 3 };

/* k(global T *out, global const T *in, global T *old): work-item i applies the operation with in[i]
 * to out[i % 3] and keeps the old value in old[i]; or only work-items with an odd number do. */
static harness open_many(const char *operation, const char *operands, char type, uint32_t bits,
                         bool is_part, uint32_t engine)
{
    static char text[4096];
    bool is_void = strcmp(operation, "OpAtomicStore") == 0;
    char result[64] = "", keep[128] = "";
    if (!is_void) {
        snprintf(result, sizeof result, "%%r = %s %%%c%u", operation, type, bits);
        snprintf(keep, sizeof keep,
                 "%%there = OpInBoundsPtrAccessChain %%pt %%old %%x\nOpStore %%there %%r Aligned "
                 "%u\n",
                 bits / 8);
    }
    snprintf(text, sizeof text,
             "%s%s%%pt = OpTypePointer CrossWorkgroup %%%c%u\n%%bool = OpTypeBool\n"
             "%%v3 = OpTypeVector %%i64 3\n%%pin = OpTypePointer Input %%v3\n"
             "%%gid = OpVariable %%pin Input\n%%three = OpConstant %%i64 3\n"
             "%%odd = OpConstant %%i64 %u\n%%five = OpConstant %%%c%u 5\n"
             "%%fn = OpTypeFunction %%void %%pt %%pt %%pt\n%%k = OpFunction %%void None %%fn\n"
             "%%out = OpFunctionParameter %%pt\n%%in = OpFunctionParameter %%pt\n"
             "%%old = OpFunctionParameter %%pt\n%%b = OpLabel\n%%all = OpLoad %%v3 %%gid\n"
             "%%x = OpCompositeExtract %%i64 %%all 0\n"
             "%%from = OpInBoundsPtrAccessChain %%pt %%in %%x\n"
             "%%v = OpLoad %%%c%u %%from Aligned %u\n%%third = OpUMod %%i64 %%x %%three\n"
             "%%p = OpInBoundsPtrAccessChain %%pt %%out %%third\n"
             "%%low = OpBitwiseAnd %%i64 %%x %%odd\n%%takes = OpIEqual %%bool %%low %%odd\n"
             "OpSelectionMerge %%done None\nOpBranchConditional %%takes %%yes %%done\n"
             "%%yes = OpLabel\n%s %%p %%device %%relaxed%s\n%sOpBranch %%done\n%%done = OpLabel\n"
             "OpReturn\nOpFunctionEnd\n",
             CAPABILITIES_OF_MANY, TYPES, type, bits, is_part ? 1 : 0, type, bits, type, bits,
             bits / 8, is_void ? operation : result, operands, keep);
    harness h = harness_text(text);
    h.world->engine = engine;
    return h;
}

/* What the operation leaves. */
static uint64_t after_of(const char *operation, uint32_t bits, uint64_t a, uint64_t b)
{
    uint32_t unused = 64 - bits;
    int64_t x = (int64_t)(a << unused), y = (int64_t)(b << unused);
    const char *name = operation + strlen("OpAtomic");
    if (strcmp(name, "Load") == 0) return a;
    if (strcmp(name, "Store") == 0 || strcmp(name, "Exchange") == 0) return b;
    if (strcmp(name, "CompareExchange") == 0) return a == 5 ? b : a;
    if (strcmp(name, "IIncrement") == 0) return a + 1;
    if (strcmp(name, "IDecrement") == 0) return a - 1;
    if (strcmp(name, "IAdd") == 0) return a + b;
    if (strcmp(name, "ISub") == 0) return a - b;
    if (strcmp(name, "SMin") == 0) return x < y ? a : b;
    if (strcmp(name, "SMax") == 0) return x > y ? a : b;
    if (strcmp(name, "UMin") == 0) return a < b ? a : b;
    if (strcmp(name, "UMax") == 0) return a > b ? a : b;
    if (strcmp(name, "And") == 0) return a & b;
    return strcmp(name, "Or") == 0 ? a | b : a ^ b;
}

/* Work-items apply the operation in their order, and as quickly the second time as one may expect:
 * not one by one.  If a part of the memory is undefined, the values are still right, and the
 * undefined bits are gone where a store has been. */
static void many_try(const row *entry, uint32_t bits, bool is_part, uint32_t engine)
{
    uint64_t mask = UINT64_MAX >> (64 - bits), now[PLACES];
    uint32_t bytes = bits / 8;
    harness h = open_many(entry->name, entry->operands, 'i', bits, is_part, engine);
    h.schedule = SIM_SCHEDULE_LOCKSTEP;
    h.world->pack_steps = UINT64_MAX;
    uint8_t in[8 * ITEMS], out[8 * PLACES], old[8 * ITEMS], zeros[8 * ITEMS] = {0};
    for (uint32_t i = 0; i < PLACES; i++)
        now[i] = i == 0 ? 5 : i == 1 ? mask - 5 : mask >> 1;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint64_t value = i % 7 == 6 ? 5 : (i * UINT64_C(0x9e3779b97f4a7c15) >> 3) & mask;
        memcpy(in + i * bytes, &value, bytes);
    }
    sim_object to = harness_memory(&h, "out", zeros, (size_t)bytes * PLACES);
    sim_object kept = harness_memory(&h, "old", zeros, (size_t)bytes * ITEMS);
    sim_argument arguments[] = {harness_global(to),
                                harness_global(harness_memory(&h, "in", in, (size_t)bytes * ITEMS)),
                                harness_global(kept)};
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (uint32_t i = 0; i < PLACES; i++)
            memcpy(out + i * bytes, &now[i], bytes);
        sim_object_write(h.world, to, 0, (size_t)bytes * PLACES, out);
        h.world->lane_accesses = 0;
        harness_run(&h, "k", harness_range(ITEMS, ITEMS / 2), arguments, 3);
        if (turn == 1 && h.world->lane_accesses)
            fail_msg("%s: %u accesses lane by lane", entry->name, (unsigned)h.world->lane_accesses);
        harness_read_back(&h, to, out, (size_t)bytes * PLACES);
        harness_read_back(&h, kept, old, (size_t)bytes * ITEMS);
        for (uint32_t i = 0; i < ITEMS; i++) {
            uint64_t seen = 0, value = 0;
            if (is_part && i % 2 == 0) continue;
            memcpy(&seen, old + i * bytes, bytes);
            memcpy(&value, in + i * bytes, bytes);
            if (gives(entry) && seen != now[i % PLACES])
                fail_msg("%s of %u bits, work-item %u: %#llx, expected %#llx", entry->name, bits, i,
                         (unsigned long long)seen, (unsigned long long)now[i % PLACES]);
            now[i % PLACES] = after_of(entry->name, bits, now[i % PLACES], value) & mask;
        }
        for (uint32_t i = 0; i < PLACES; i++) {
            uint64_t seen = 0;
            memcpy(&seen, out + i * bytes, bytes);
            if (seen != now[i])
                fail_msg("%s of %u bits leaves %#llx, expected %#llx", entry->name, bits,
                         (unsigned long long)seen, (unsigned long long)now[i]);
        }
    }
    harness_close(&h);
}

static void by_many(void **state)
{
    (void)state;
    if (getenv("SIM_TEST_TIER")) skip(); /* test_tier.c has atomics of compiled code */
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            if (strcmp(rows[i].name, "OpAtomicCompareExchangeWeak") == 0) continue;
            for (uint32_t is_part = 0; is_part < 2; is_part++) {
                many_try(&rows[i], 32, is_part, engine);
                many_try(&rows[i], 64, is_part, engine);
            }
        }
    }
}

/* Of an array without contents, each work-item whose atomic stores defines its element. */
static void by_many_on_undefined_bytes(void **state)
{
    (void)state;
    if (getenv("SIM_TEST_TIER")) skip(); /* test_tier.c has atomics of compiled code */
    for (uint32_t stores = 0; stores < 2; stores++) {
        harness h = open_many(stores ? "OpAtomicStore" : "OpAtomicIAdd", " %v", 'i', 32, false,
                              sim_engine_best());
        h.schedule = SIM_SCHEDULE_LOCKSTEP;
        uint32_t in[ITEMS], zeros[ITEMS] = {0};
        uint8_t defined[2];
        for (uint32_t i = 0; i < ITEMS; i++)
            in[i] = i + 100;
        sim_object to = harness_memory(&h, "out", NULL, 4 * (PLACES + 1));
        sim_argument arguments[] = {harness_global(to),
                                    harness_global(harness_memory(&h, "in", in, sizeof in)),
                                    harness_global(harness_memory(&h, "old", zeros, sizeof zeros))};
        harness_try(&h, "k", harness_range(ITEMS, ITEMS), arguments, 3);
        assert_true(rt_ok(h.status));
        sim_object_defined(h.world, to, 0, 4 * (PLACES + 1), defined);
        /* One bit per byte: three elements of four. */
        uint32_t bits = defined[0] | (uint32_t)defined[1] << 8;
        assert_int_equal(bits, stores ? 0x0fff : 0);
        if (stores) {
            uint32_t out[PLACES];
            harness_read_back(&h, to, out, sizeof out);
            for (uint32_t i = 0; i < PLACES; i++)
                assert_int_equal(out[i], 100 + (i == 0 ? 39 : 36 + i));
        }
        harness_close(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_integers),
        cmocka_unit_test(on_floats),
        cmocka_unit_test(by_many),
        cmocka_unit_test(by_many_on_undefined_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
