/* Tests of integer division, which rows and chunks compute with floats where these are exact:
 * numbers around the powers of two and around their products, of every width, on every engine and
 * compiled, against the division of C. Some work-items divide nothing. */
#include "sim/test/harness.h"

enum { GROUP = 64, EDGES_MAX = 49, PAIRS_MAX = 4 * EDGES_MAX * EDGES_MAX + GROUP, RESULTS = 5 };

typedef struct pairs {
    uint32_t bits, count;
    uint64_t a[PAIRS_MAX], b[PAIRS_MAX];
} pairs;

static uint64_t mask_of(uint32_t bits)
{
    return UINT64_MAX >> (64 - bits);
}

static int64_t signed_of(uint32_t bits, uint64_t value)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* The quotient that does not fit is left out. */
static void pair_add(pairs *p, uint64_t a, uint64_t b)
{
    a &= mask_of(p->bits);
    b &= mask_of(p->bits);
    if (b == mask_of(p->bits) && a == UINT64_C(1) << (p->bits - 1)) return;
    assert_true(p->count < PAIRS_MAX);
    p->a[p->count] = a;
    p->b[p->count++] = b;
}

static uint32_t edges_of(uint32_t bits, uint64_t *out)
{
    static const uint32_t powers[] = {1, 4, 7, 8, 12, 16, 24, 31, 32, 47, 48, 49, 52, 53, 54, 63};
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof powers / sizeof *powers && powers[i] < bits; i++) {
        for (uint32_t k = 0; k < 3; k++)
            out[count++] = (UINT64_C(1) << powers[i]) + k - 1;
    }
    out[count++] = 0;
    assert_true(count <= EDGES_MAX);
    return count;
}

/* Pairs whose numbers are all small, or all not, for some groups of work-items. */
static void pairs_list(pairs *p, bool is_large)
{
    uint64_t edges[EDGES_MAX];
    uint32_t n = edges_of(p->bits, edges);
    p->count = 0;
    for (uint32_t i = 0; i < n * n; i++) {
        uint64_t q = edges[i / n], b = edges[i % n];
        bool overflows = b && q > (UINT64_C(1) << 47) / b;
        if (overflows != is_large) continue;
        for (uint64_t k = 0; k < 3; k++)
            pair_add(p, q * b + k - 1, k == 1 && is_large ? 0 - b : b);
        pair_add(p, q, b);
    }
    while (p->count % GROUP)
        pair_add(p, p->count, 3);
}

static uint64_t wanted_of(const pairs *p, uint32_t i, uint32_t operation)
{
    uint64_t a = p->a[i], b = p->b[i];
    int64_t sa = signed_of(p->bits, a), sb = signed_of(p->bits, b);
    if (b == 0) return 0;
    int64_t rest = sa % sb;
    switch (operation) {
    case 0: return a / b;
    case 1: return a % b;
    case 2: return (uint64_t)(sa / sb);
    case 3: return (uint64_t)rest;
    default: return (uint64_t)(rest != 0 && (rest ^ sb) < 0 ? rest + sb : rest);
    }
}

/* out[i + k * n] is the result of operation k for a[i] and b[i], unless b[i] is 0. `divisor`: a
 * constant that is used instead of b[i]; NULL: none is. */
static void text_write(uint32_t bits, const uint64_t *divisor, char *out, size_t size)
{
    static const char *const operations[RESULTS] = {"UDiv", "UMod", "SDiv", "SRem", "SMod"};
    char operand[64];
    if (divisor) {
        snprintf(operand, sizeof operand, "%%vb = OpConstant %%i%u %llu\n", bits,
                 (unsigned long long)*divisor);
    } else {
        snprintf(operand, sizeof operand, "%%vb = OpLoad %%i%u %%pb\n", bits);
    }
    int used = snprintf(
        out, size,
        "%sOpEntryPoint Kernel %%k \"k\" %%gid\nOpDecorate %%gid BuiltIn GlobalInvocationId\n"
        "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%i8 = OpTypeInt 8 0\n%%i16 = OpTypeInt 16 0\n"
        "%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n%%v3 = OpTypeVector %%i64 3\n"
        "%%pin = OpTypePointer Input %%v3\n%%gid = OpVariable %%pin Input\n"
        "%%g = OpTypePointer CrossWorkgroup %%i%u\n%s%%none = OpConstantNull %%i%u\n"
        "%%kt = OpTypeFunction %%void %%g %%g %%g %%i64\n%%k = OpFunction %%void None %%kt\n"
        "%%a = OpFunctionParameter %%g\n%%b = OpFunctionParameter %%g\n"
        "%%out = OpFunctionParameter %%g\n%%n = OpFunctionParameter %%i64\n%%entry = OpLabel\n"
        "%%all = OpLoad %%v3 %%gid\n%%at0 = OpCompositeExtract %%i64 %%all 0\n"
        "%%pa = OpInBoundsPtrAccessChain %%g %%a %%at0\n"
        "%%pb = OpInBoundsPtrAccessChain %%g %%b %%at0\n%%va = OpLoad %%i%u %%pa\n"
        "%s%%is = OpINotEqual %%bool %%vb %%none\n"
        "OpSelectionMerge %%end None\nOpBranchConditional %%is %%yes %%end\n%%yes = OpLabel\n",
        SIM_TEST_PRELUDE, bits, divisor ? operand : "", bits, bits, divisor ? "" : operand);
    for (uint32_t k = 0; k < RESULTS; k++)
        used +=
            snprintf(out + used, size - (size_t)used,
                     "%%r%u = Op%s %%i%u %%va %%vb\n"
                     "%%to%u = OpInBoundsPtrAccessChain %%g %%out %%at%u\nOpStore %%to%u %%r%u\n"
                     "%%at%u = OpIAdd %%i64 %%at%u %%n\n",
                     k, operations[k], bits, k, k, k, k, k + 1, k);
    snprintf(out + used, size - (size_t)used,
             "OpBranch %%end\n%%end = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

static sim_object numbers_create(harness *h, const pairs *p, const uint64_t *numbers)
{
    uint32_t bytes = p->bits / 8;
    uint8_t *data = rt_alloc_array(p->count, bytes);
    for (uint32_t i = 0; i < p->count; i++)
        memcpy(data + i * bytes, &numbers[i], bytes);
    sim_object object = harness_memory(h, "numbers", data, (size_t)p->count * bytes);
    rt_free(data);
    return object;
}

static void division_try(harness *h, const pairs *p)
{
    uint32_t bytes = p->bits / 8;
    uint64_t n = p->count;
    size_t size = RESULTS * n * bytes;
    uint8_t *data = rt_alloc(size);
    memset(data, 0, size);
    sim_object out = harness_memory(h, "out", data, size);
    sim_argument arguments[] = {harness_global(numbers_create(h, p, p->a)),
                                harness_global(numbers_create(h, p, p->b)), harness_global(out),
                                harness_value(&n, sizeof n)};
    harness_run(h, "k", harness_range(n, GROUP), arguments, 4);
    harness_read_back(h, out, data, size);
    for (uint32_t i = 0; i < RESULTS * n; i++) {
        uint64_t seen = 0, wanted = wanted_of(p, i % (uint32_t)n, i / (uint32_t)n);
        memcpy(&seen, data + (size_t)i * bytes, bytes);
        wanted &= mask_of(p->bits);
        if (seen != wanted)
            fail_msg("operation %u of %llx and %llx, %u bits: %llx, expected %llx", i / (uint32_t)n,
                     (unsigned long long)p->a[i % n], (unsigned long long)p->b[i % n], p->bits,
                     (unsigned long long)seen, (unsigned long long)wanted);
    }
    rt_free(data);
}

static harness division_open(const pairs *p, const uint64_t *divisor, uint32_t engine,
                             bool is_compiled)
{
    char text[4096];
    text_write(p->bits, divisor, text, sizeof text);
    harness h = harness_text(text);
    h.world->engine = engine;
    if (is_compiled && !harness_compile(&h)) {
        harness_close(&h);
        skip();
    }
    return h;
}

static void on_engine(uint32_t engine, bool is_compiled)
{
    static pairs p;
    for (p.bits = 8; p.bits <= 64; p.bits *= 2) {
        harness h = division_open(&p, NULL, engine, is_compiled);
        for (uint32_t is_large = 0; is_large < 2; is_large++) {
            pairs_list(&p, is_large);
            if (p.count) division_try(&h, &p);
        }
        if (is_compiled) assert_true(sim_world_tier_report(h.world).compiled > 0);
        harness_close(&h);
    }
}

/* Compiled code multiplies instead of dividing by a constant. */
static void by_constants(uint32_t engine, bool is_compiled)
{
    static const uint64_t divisors[] = {
        1, 3, 7, 10, 23, 126, 127, 0 - UINT64_C(1), 0 - UINT64_C(2), 0 - UINT64_C(7)};
    static pairs p;
    uint64_t edges[EDGES_MAX];
    for (p.bits = 8; p.bits <= 64; p.bits *= 2) {
        uint32_t n = edges_of(p.bits, edges);
        for (uint32_t i = 0; i < sizeof divisors / sizeof *divisors; i++) {
            uint64_t divisor = divisors[i] & mask_of(p.bits);
            p.count = 0;
            for (uint32_t k = 0; k < n; k++) {
                for (uint64_t shift = 0; shift < 3; shift++) {
                    pair_add(&p, edges[k] * divisor + shift - 1, divisor);
                    pair_add(&p, 0 - edges[k] + shift - 1, divisor);
                }
            }
            while (p.count % GROUP)
                pair_add(&p, p.count, divisor);
            harness h = division_open(&p, &divisor, engine, is_compiled);
            division_try(&h, &p);
            if (is_compiled) assert_int_equal(sim_world_tier_report(h.world).compiled, 1);
            harness_close(&h);
        }
    }
}

static void test_constants(void **state)
{
    (void)state;
    by_constants(sim_engine_best(), false);
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (sim_engine_at(engine)) by_constants(engine, true);
    }
}

static void test_interpreted(void **state)
{
    (void)state;
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (sim_engine_at(engine)) on_engine(engine, false);
    }
}

static void test_compiled(void **state)
{
    (void)state;
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (sim_engine_at(engine)) on_engine(engine, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpreted),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_constants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
