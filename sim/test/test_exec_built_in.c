/* Tests of built-in variables, read as a whole and by component; masks of sub-groups; and exchanges
 * between neighbours in a sub-group: quads and rotations. */
#include "sim/test/harness.h"

enum { ITEMS = 40, SUBGROUP = 16 }; /* the third sub-group has eight work-items */

/* A kernel that writes four integers per work-item, %r0 to %r3, which a body computes from built-in
 * variable %v. A format string whose arguments are the built-in, its type and the body. */
#define MODULE                                                                                     \
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"      \
    "OpCapability Groups\nOpCapability GroupNonUniform\nOpCapability GroupNonUniformBallot\n"      \
    "OpCapability GroupNonUniformQuad\nOpCapability GroupNonUniformRotateKHR\n"                    \
    "OpExtension \"SPV_KHR_subgroup_rotate\"\nOpMemoryModel Physical64 OpenCL\n"                   \
    "OpEntryPoint Kernel %%k \"k\" %%gid %%v\n"                                                    \
    "OpDecorate %%gid BuiltIn GlobalLinearId\nOpDecorate %%v BuiltIn %s\n"                         \
    "%%void = OpTypeVoid\n%%bool = OpTypeBool\n%%i32 = OpTypeInt 32 0\n%%i64 = OpTypeInt 64 0\n"   \
    "%%v3i64 = OpTypeVector %%i64 3\n%%v4i32 = OpTypeVector %%i32 4\n"                             \
    "%%c0 = OpConstant %%i32 0\n%%c1 = OpConstant %%i32 1\n%%c2 = OpConstant %%i32 2\n"            \
    "%%c3 = OpConstant %%i32 3\n%%w4 = OpConstant %%i64 4\n%%w8 = OpConstant %%i64 8\n"            \
    "%%g = OpTypePointer CrossWorkgroup %%i32\n%%p64 = OpTypePointer Input %%i64\n"                \
    "%%p32 = OpTypePointer Input %%i32\n%%pv = OpTypePointer Input %%%s\n"                         \
    "%%gid = OpVariable %%p64 Input\n%%v = OpVariable %%pv Input\n"                                \
    "%%kt = OpTypeFunction %%void %%g\n%%k = OpFunction %%void None %%kt\n"                        \
    "%%out = OpFunctionParameter %%g\n%%l = OpLabel\n%%i = OpLoad %%i64 %%gid\n"                   \
    "%%i0 = OpUConvert %%i32 %%i\n%%at = OpIMul %%i64 %%i %%w4\n"                                  \
    "%%o0 = OpInBoundsPtrAccessChain %%g %%out %%at\n"                                             \
    "%%o1 = OpInBoundsPtrAccessChain %%g %%o0 %%c1\n"                                              \
    "%%o2 = OpInBoundsPtrAccessChain %%g %%o0 %%c2\n"                                              \
    "%%o3 = OpInBoundsPtrAccessChain %%g %%o0 %%c3\n%s"                                            \
    "OpStore %%o0 %%r0\nOpStore %%o1 %%r1\nOpStore %%o2 %%r2\nOpStore %%o3 %%r3\n"                 \
    "OpReturn\nOpFunctionEnd\n"

static harness open_body(const char *built_in, const char *type, const char *body)
{
    static char text[8192];
    snprintf(text, sizeof text, MODULE, built_in, type, body);
    return harness_text(text);
}

typedef uint32_t wanted(uint32_t item, uint32_t place);

static void run_range(const char *built_in, const char *type, const char *body, sim_range range,
                      wanted *want)
{
    for (uint32_t engine = 0; engine < SIM_ENGINE_COUNT; engine++) {
        if (!sim_engine_at(engine)) continue;
        uint32_t out[ITEMS][4];
        harness h = open_body(built_in, type, body);
        h.world->engine = engine;
        sim_object to = harness_memory(&h, "out", NULL, sizeof out);
        sim_argument arguments[] = {harness_global(to)};
        harness_run(&h, "k", range, arguments, 1);
        harness_read_back(&h, to, out, sizeof out);
        for (uint32_t i = 0; i < ITEMS; i++) {
            for (uint32_t k = 0; k < 4; k++) {
                if (out[i][k] == want(i, k)) continue;
                fail_msg("%s of %u at %u: %#x, expected %#x", built_in, i, k, out[i][k],
                         want(i, k));
            }
        }
        harness_close(&h);
    }
}

/* A vector's fourth result repeats the first. */
static wanted *want_vector;
static uint32_t repeated(uint32_t item, uint32_t place)
{
    return want_vector(item, place < 3 ? place : 0);
}
static void run_uneven(const char *built_in, const char *type, const char *body, sim_range range,
                       wanted *want)
{
    want_vector = want;
    run_range(built_in, type, body, range, type[0] == 'v' ? repeated : want);
}

static void run(const char *built_in, const char *type, const char *body, wanted *want)
{
    run_range(built_in, type, body, harness_range(ITEMS, ITEMS), want);
}

/* ---- Masks ------------------------------------------------------------------------------------
 */

/* The expected masks have bits for a full sub-group, although the third sub-group has only eight
 * work-items. */
#define MASK(name, relation)                                                                       \
    static uint32_t name(uint32_t item, uint32_t place)                                            \
    {                                                                                              \
        uint32_t mask = 0;                                                                         \
        for (uint32_t bit = 0; bit < SUBGROUP; bit++)                                              \
            mask |= (uint32_t)(bit relation item % SUBGROUP) << bit;                               \
        return place == 0 ? mask : 0;                                                              \
    }
MASK(equal, ==)
MASK(not_below, >=)
MASK(above, >)
MASK(not_above, <=)
MASK(below, <)

static void test_masks(void **state)
{
    (void)state;
    static const char body[] =
        "%m = OpLoad %v4i32 %v\n%r0 = OpCompositeExtract %i32 %m 0\n"
        "%r1 = OpCompositeExtract %i32 %m 1\n%r2 = OpCompositeExtract %i32 %m 2\n"
        "%r3 = OpCompositeExtract %i32 %m 3\n";
    run("SubgroupEqMask", "v4i32", body, equal);
    run("SubgroupGeMask", "v4i32", body, not_below);
    run("SubgroupGtMask", "v4i32", body, above);
    run("SubgroupLeMask", "v4i32", body, not_above);
    run("SubgroupLtMask", "v4i32", body, below);
}

/* ---- Components -------------------------------------------------------------------------------
 */

/* 5 x 4 x 2 work-items in groups of 5 x 2 x 1. */
static uint32_t global_id(uint32_t item, uint32_t place)
{
    uint32_t id[4] = {item % 5, item / 5 % 4, item / 20, 0};
    id[3] = id[item % 3];
    return id[place];
}
static uint32_t group_size(uint32_t item, uint32_t place)
{
    static const uint32_t size[3] = {5, 2, 1};
    return place < 3 ? size[place] : size[item % 3];
}

/* Selects components 0 to 2 by constant indices and, for the last result, one by the work-item's id
 * modulo 3. */
static void test_components(void **state)
{
    (void)state;
    static const char body[] =
        "%a0 = OpInBoundsAccessChain %p64 %v %c0\n%a1 = OpAccessChain %p64 %v %c1\n"
        "%whole = OpAccessChain %pv %v\n%a2 = OpAccessChain %p64 %whole %c2\n"
        "%which = OpUMod %i32 %i0 %c3\n%a3 = OpAccessChain %p64 %v %which\n"
        "%l0 = OpLoad %i64 %a0\n%l1 = OpLoad %i64 %a1\n%l2 = OpLoad %i64 %a2\n"
        "%l3 = OpLoad %i64 %a3\n%r0 = OpUConvert %i32 %l0\n%r1 = OpUConvert %i32 %l1\n"
        "%r2 = OpUConvert %i32 %l2\n%r3 = OpUConvert %i32 %l3\n";
    sim_range range = {.global = {5, 4, 2}, .local = {5, 2, 1}, .dimensions = 3};
    run_range("GlobalInvocationId", "v3i64", body, range, global_id);
    run_range("WorkgroupSize", "v3i64", body, range, group_size);
}

/* Groups of several sizes: the last of each dimension is smaller. */
static const sim_range *uneven;

static uint32_t group_of(uint32_t item, uint32_t dimension)
{
    const uint64_t *size = uneven->global;
    uint64_t id[] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
    return (uint32_t)(id[dimension] / uneven->local[dimension]);
}
static uint32_t uneven_size(uint32_t item, uint32_t dimension)
{
    uint64_t first = group_of(item, dimension) * uneven->local[dimension];
    uint64_t left = uneven->global[dimension] - first, size = uneven->local[dimension];
    return (uint32_t)(left < size ? left : size);
}
static uint32_t uneven_local(uint32_t item, uint32_t dimension)
{
    const uint64_t *size = uneven->global;
    uint64_t id[] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
    return (uint32_t)(id[dimension] % uneven->local[dimension]);
}
static uint32_t enqueued_size(uint32_t item, uint32_t dimension)
{
    (void)item;
    return (uint32_t)uneven->local[dimension];
}
static uint32_t group_count(uint32_t item, uint32_t dimension)
{
    (void)item;
    return (uint32_t)((uneven->global[dimension] + uneven->local[dimension] - 1) /
                      uneven->local[dimension]);
}
/* The work-item's number in its group, and the number of work-items of the group. */
static uint32_t linear(uint32_t item)
{
    return (uneven_local(item, 2) * uneven_size(item, 1) + uneven_local(item, 1)) *
               uneven_size(item, 0) +
           uneven_local(item, 0);
}
static uint32_t items_of(uint32_t item)
{
    return uneven_size(item, 0) * uneven_size(item, 1) * uneven_size(item, 2);
}
static uint32_t uneven_linear(uint32_t item, uint32_t place)
{
    return place == 0 ? linear(item) : 0;
}
static uint32_t subgroup_number(uint32_t item, uint32_t place)
{
    return place == 0 ? linear(item) / SUBGROUP : 0;
}
static uint32_t subgroup_count(uint32_t item, uint32_t place)
{
    return place == 0 ? (items_of(item) + SUBGROUP - 1) / SUBGROUP : 0;
}
static uint32_t subgroup_items(uint32_t item, uint32_t place)
{
    uint32_t left = items_of(item) - linear(item) / SUBGROUP * SUBGROUP;
    return place > 0 ? 0 : left < SUBGROUP ? left : SUBGROUP;
}
static uint32_t enqueued_subgroups(uint32_t item, uint32_t place)
{
    (void)item;
    uint64_t items = uneven->local[0] * uneven->local[1] * uneven->local[2];
    return place == 0 ? (uint32_t)((items + SUBGROUP - 1) / SUBGROUP) : 0;
}

static void test_uneven_groups(void **state)
{
    (void)state;
    static const char vector[] =
        "%m = OpLoad %v3i64 %v\n%x = OpCompositeExtract %i64 %m 0\n"
        "%y = OpCompositeExtract %i64 %m 1\n%z = OpCompositeExtract %i64 %m 2\n"
        "%r0 = OpUConvert %i32 %x\n%r1 = OpUConvert %i32 %y\n%r2 = OpUConvert %i32 %z\n"
        "%r3 = OpUConvert %i32 %x\n";
    static const char wide[] =
        "%m = OpLoad %i64 %v\n%r0 = OpUConvert %i32 %m\n%r1 = OpCopyObject %i32 %c0\n"
        "%r2 = OpCopyObject %i32 %c0\n%r3 = OpCopyObject %i32 %c0\n";
    static const char narrow[] =
        "%r0 = OpLoad %i32 %v\n%r1 = OpCopyObject %i32 %c0\n%r2 = OpCopyObject %i32 %c0\n"
        "%r3 = OpCopyObject %i32 %c0\n";
    static const sim_range ranges[] = {
        {.global = {40, 1, 1}, .local = {24, 1, 1}, .dimensions = 1, .is_non_uniform = true},
        {.global = {5, 4, 2}, .local = {2, 3, 2}, .dimensions = 3, .is_non_uniform = true},
        {.global = {20, 2, 1}, .local = {12, 2, 1}, .dimensions = 2, .is_non_uniform = true},
    };
    static const struct {
        const char *built_in, *type, *body;
        wanted *want;
    } cases[] = {
        {"WorkgroupSize", "v3i64", vector, uneven_size},
        {"EnqueuedWorkgroupSize", "v3i64", vector, enqueued_size},
        {"NumWorkgroups", "v3i64", vector, group_count},
        {"WorkgroupId", "v3i64", vector, group_of},
        {"LocalInvocationId", "v3i64", vector, uneven_local},
        {"LocalInvocationIndex", "i64", wide, uneven_linear},
        {"SubgroupId", "i32", narrow, subgroup_number},
        {"NumSubgroups", "i32", narrow, subgroup_count},
        {"SubgroupSize", "i32", narrow, subgroup_items},
        {"NumEnqueuedSubgroups", "i32", narrow, enqueued_subgroups},
    };
    for (uint32_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        uneven = &ranges[i];
        for (uint32_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
            run_uneven(cases[k].built_in, cases[k].type, cases[k].body, ranges[i], cases[k].want);
    }
}

/* SYCL compilers import the work-item's number in its group as a variable in global memory; it is a
 * built-in just like those of storage class Input. */
static const char global_variable[] =
    "OpCapability Addresses\nOpCapability Linkage\nOpCapability Kernel\nOpCapability Int64\n"
    "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %%k \"k\" %%v\n"
    "OpDecorate %%v LinkageAttributes \"__spirv_BuiltInLocalInvocationIndex\" Import\n"
    "OpDecorate %%v Constant\nOpDecorate %%v BuiltIn LocalInvocationIndex\n"
    "%%void = OpTypeVoid\n%%i64 = OpTypeInt 64 0\n%%g = OpTypePointer CrossWorkgroup %%i64\n"
    "%%v = OpVariable %%g CrossWorkgroup\n%%kt = OpTypeFunction %%void %%g\n"
    "%%k = OpFunction %%void None %%kt\n%%out = OpFunctionParameter %%g\n%%l = OpLabel\n"
    "%%i = OpLoad %%i64 %%v Aligned 8\n%%o = OpInBoundsPtrAccessChain %%g %%out %%i\n"
    "OpStore %%o %%i Aligned 8\n%sOpReturn\nOpFunctionEnd\n";

static void test_global_variable(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, global_variable, "");
    harness h = harness_text(text);
    uint64_t out[ITEMS];
    sim_object to = harness_memory(&h, "out", NULL, sizeof out);
    sim_argument arguments[] = {harness_global(to)};
    harness_run(&h, "k", harness_range(ITEMS, ITEMS), arguments, 1);
    harness_read_back(&h, to, out, sizeof out);
    for (uint32_t i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], i);
    harness_close(&h);
    snprintf(text, sizeof text, global_variable, "OpStore %v %i Aligned 8\n");
    sim_test_refused(text, RT_UNSUPPORTED, "can only be loaded");
}

/* Reading a component that does not exist is the only finding. */
static void test_component_found(void **state)
{
    (void)state;
    static const char body[] =
        "%a = OpAccessChain %p64 %v %i0\n%l0 = OpLoad %i64 %a\n%r0 = OpUConvert %i32 %l0\n"
        "%r1 = OpCopyObject %i32 %r0\n%r2 = OpCopyObject %i32 %r0\n%r3 = OpCopyObject %i32 %r0\n";
    harness h = open_body("LocalInvocationId", "v3i64", body);
    sim_argument arguments[] = {harness_global(harness_memory(&h, "out", NULL, 64))};
    harness_run(&h, "k", harness_range(3, 3), arguments, 1);
    harness_try(&h, "k", harness_range(4, 4), arguments, 1);
    assert_int_equal(h.finding_count, 1);
    assert_int_equal(h.findings[0].count, 1);
    assert_string_equal(h.findings[0].kind, "undefined-arithmetic");
    harness_close(&h);
}

static uint32_t first_of_four(uint32_t item, uint32_t place)
{
    return place == 0 ? item % SUBGROUP / 4 * 4 : 0;
}

/* A loop in which each iteration has four lanes operate together, as SYCL compilers implement
 * operations on part of a sub-group: the lanes of other iterations do not take part. */
static void test_turns(void **state)
{
    (void)state;
    static const char body[] =
        "%lane = OpLoad %i32 %v\n%part = OpShiftRightLogical %i32 %lane %c2\n"
        "%turns = OpShiftLeftLogical %i32 %c1 %c2\nOpBranch %head\n%head = OpLabel\n"
        "%turn = OpPhi %i32 %c0 %l %next %tail\n%so_far = OpPhi %i32 %c0 %l %then %tail\n"
        "%more = OpULessThan %bool %turn %turns\nOpBranchConditional %more %inside %after\n"
        "%inside = OpLabel\n%mine = OpIEqual %bool %turn %part\n"
        "OpBranchConditional %mine %yes %tail\n%yes = OpLabel\n"
        "%first = OpGroupNonUniformBroadcastFirst %i32 %c3 %lane\nOpBranch %tail\n"
        "%tail = OpLabel\n%then = OpPhi %i32 %so_far %inside %first %yes\n"
        "%next = OpIAdd %i32 %turn %c1\nOpBranch %head\n%after = OpLabel\n"
        "%r0 = OpCopyObject %i32 %so_far\n%r1 = OpCopyObject %i32 %c0\n"
        "%r2 = OpCopyObject %i32 %c0\n%r3 = OpCopyObject %i32 %c0\n";
    run("SubgroupLocalInvocationId", "i32", body, first_of_four);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *built_in, *type;
        rt_code code;
        const char *words;
    } cases[] = {
        {"FragCoord", "v4i32", RT_UNSUPPORTED, "needs the capability Shader, which is refused"},
        {"DeviceIndex", "i32", RT_UNSUPPORTED,
         "needs the capability DeviceGroup, which is refused"},
        {"SubgroupEqMask", "i32", RT_MALFORMED, "(components: 4)"},
        {"WorkgroupSize", "v4i32", RT_MALFORMED, "(components: 3)"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char text[8192];
        snprintf(text, sizeof text, MODULE, cases[i].built_in, cases[i].type,
                 "%r0 = OpCopyObject %i32 %i0\n%r1 = OpCopyObject %i32 %i0\n"
                 "%r2 = OpCopyObject %i32 %i0\n%r3 = OpCopyObject %i32 %i0\n");
        sim_test_refused(text, cases[i].code, cases[i].words);
    }
}

/* ---- Neighbours -------------------------------------------------------------------------------
 */

/* The quad's horizontal, vertical and diagonal neighbours, and its third work-item. */
static uint32_t quad(uint32_t item, uint32_t place)
{
    return place < 3 ? item ^ (place + 1) : (item & ~3u) + 2;
}

/* Rotations within clusters of eight and of four, by zero, and by the full size. */
static uint32_t rotated(uint32_t item, uint32_t place)
{
    if (place == 0) return (item & ~7u) + (item + 6) % 8;
    return place == 1 ? (item & ~3u) + (item + 3) % 4 : item;
}

static void test_neighbours(void **state)
{
    (void)state;
    static const char quads[] = "%r0 = OpGroupNonUniformQuadSwap %i32 %c3 %i0 %c0\n"
                                "%r1 = OpGroupNonUniformQuadSwap %i32 %c3 %i0 %c1\n"
                                "%r2 = OpGroupNonUniformQuadSwap %i32 %c3 %i0 %c2\n"
                                "%r3 = OpGroupNonUniformQuadBroadcast %i32 %c3 %i0 %c2\n";
    run("SubgroupSize", "i32", quads, quad);
    static const char turns[] = "%c4 = OpIAdd %i32 %c3 %c1\n%c6 = OpIAdd %i32 %c3 %c3\n"
                                "%r0 = OpGroupNonUniformRotateKHR %i32 %c3 %i0 %c6 %w8\n"
                                "%r1 = OpGroupNonUniformRotateKHR %i32 %c3 %i0 %c3 %w4\n"
                                "%r2 = OpGroupNonUniformRotateKHR %i32 %c3 %i0 %c0\n"
                                "%r3 = OpGroupNonUniformRotateKHR %i32 %c3 %i0 %c4 %w4\n";
    run("SubgroupMaxSize", "i32", turns, rotated);
}

/* Each group's work-item (1, 1, 0), by an index in each dimension. */
static uint32_t item_of_group(uint32_t item, uint32_t place)
{
    return place == 0 ? item / 20 * 20 + (item / 5 % 4 / 2 * 2 + 1) * 5 + 1 : 0;
}

static void test_broadcast_by_indices(void **state)
{
    (void)state;
    static const char body[] =
        "%one = OpUConvert %i64 %c1\n%zero = OpUConvert %i64 %c0\n"
        "%at_item = OpCompositeConstruct %v3i64 %one %one %zero\n"
        "%r0 = OpGroupBroadcast %i32 %c2 %i0 %at_item\n%r1 = OpCopyObject %i32 %c0\n"
        "%r2 = OpCopyObject %i32 %c0\n%r3 = OpCopyObject %i32 %c0\n";
    sim_range range = {.global = {5, 4, 2}, .local = {5, 2, 1}, .dimensions = 3};
    run_range("GlobalInvocationId", "v3i64", body, range, item_of_group);
}

static void test_quads_refused(void **state)
{
    (void)state;
    static const struct {
        const char *r0, *words;
    } cases[] = {
        {"OpGroupNonUniformQuadSwap %i32 %c3 %i0 %c3",
         "the direction must be a constant from 0 to 2"},
        {"OpGroupNonUniformQuadSwap %i32 %c3 %i0 %i0",
         "the direction must be a constant from 0 to 2"},
        {"OpGroupNonUniformQuadBroadcast %i32 %c3 %i0 %w4",
         "the index in the quad must be a constant"},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static char text[8192], body[512];
        snprintf(body, sizeof body,
                 "%%r0 = %s\n%%r1 = OpCopyObject %%i32 %%i0\n%%r2 = OpCopyObject %%i32 %%i0\n"
                 "%%r3 = OpCopyObject %%i32 %%i0\n",
                 cases[i].r0);
        snprintf(text, sizeof text, MODULE, "SubgroupSize", "i32", body);
        rt_sink *sink = rt_sink_create();
        sim_module *module = sim_test_module(sink, text);
        sim_program *program = NULL;
        rt_status status = sim_program_link(sink, (const sim_module *const *)&module, 1, &program);
        assert_int_equal(status.code, RT_UNSUPPORTED);
        assert_non_null(strstr(rt_sink_diagnostic(sink, status)->message.data, cases[i].words));
        sim_module_destroy(module);
        rt_sink_destroy(sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_masks),           cmocka_unit_test(test_components),
        cmocka_unit_test(test_component_found), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_neighbours),      cmocka_unit_test(test_quads_refused),
        cmocka_unit_test(test_global_variable), cmocka_unit_test(test_turns),
        cmocka_unit_test(test_uneven_groups),   cmocka_unit_test(test_broadcast_by_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
