/* Tests work-item remapping against an independent table: in a fused launch, the ids that the
 * work-items of each kernel query must equal those of a plain enumeration of the kernel's own
 * nd-range. The table is the one that scenarios use as `oracle`: it uses none of the document's
 * formulas and enumerates work-items one after the other, the first index varying fastest, as in
 * OpenCL. Small ranges of up to three dimensions are tried in all pairs, larger ones at random from
 * a fixed seed. */
#include "conformance/build/test/fusion_fixture.h"
#include "conformance/scenario/resolve/oracle.h"

#include "reference/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The slots of a work-item's record: the number of visits; the results of each built-in that takes
 * an index, for the indices 0 to 3, the last of which is not a dimension; and those of the
 * built-ins without an index. */
enum {
    VISITS,
    GLOBAL_ID,
    GLOBAL_SIZE = GLOBAL_ID + 4,
    GLOBAL_OFFSET = GLOBAL_SIZE + 4,
    LOCAL_ID = GLOBAL_OFFSET + 4,
    LOCAL_SIZE = LOCAL_ID + 4,
    ENQUEUED_SIZE = LOCAL_SIZE + 4,
    GROUP_ID = ENQUEUED_SIZE + 4,
    NUM_GROUPS = GROUP_ID + 4,
    WORK_DIM = NUM_GROUPS + 4,
    GLOBAL_LINEAR_ID,
    LOCAL_LINEAR_ID,
    RECORD,
    UNTOUCHED = 0xABCD,
    SPARE = 4 /* records after the last one, which must remain untouched */
};

/* The queries are in a function that is not inlined and takes the index at run time. */
static const char asking[] =
    "__attribute__((noinline)) void ask_of(global ulong *r, uint d) {\n"
    " r[1 + d] = get_global_id(d); r[5 + d] = get_global_size(d);\n"
    " r[9 + d] = get_global_offset(d); r[13 + d] = get_local_id(d);\n"
    " r[17 + d] = get_local_size(d); r[21 + d] = get_enqueued_local_size(d);\n"
    " r[25 + d] = get_group_id(d); r[29 + d] = get_num_groups(d); }\n"
    "kernel void ask(global ulong *out, uint last) {\n"
    " size_t x = get_global_id(0) - get_global_offset(0);\n"
    " size_t y = get_global_id(1) - get_global_offset(1);\n"
    " size_t z = get_global_id(2) - get_global_offset(2);\n"
    " size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    " global ulong *r = out + at * 36;\n"
    " r[0] = r[0] == 0xABCD ? 1 : r[0] + 1;\n"
    " for (uint d = 0; d <= last; d++) ask_of(r, d);\n"
    " r[33] = get_work_dim(); r[34] = get_global_linear_id();\n"
    " r[35] = get_local_linear_id(); }\n";
_Static_assert(RECORD == 36 && WORK_DIM == 33, "the kernel uses these numbers");

/* ---- The table ----------------------------------------------------------------------------- */

static scn_nd_range table_of(const rt_fusion_range *range)
{
    scn_nd_range table = {.dimensions = range->dimensions};
    memcpy(table.global, range->global, sizeof table.global);
    memcpy(table.local, range->local, sizeof table.local);
    memcpy(table.offset, range->offset, sizeof table.offset);
    return table;
}

static uint64_t items_of(const rt_fusion_range *range)
{
    scn_nd_range table = table_of(range);
    return scn_oracle_items(&table);
}

/* The first slot of each built-in in a record. */
static const uint32_t slots[SCN_BUILT_IN_COUNT] = {
    [SCN_BUILT_IN_GLOBAL_ID] = GLOBAL_ID,
    [SCN_BUILT_IN_GLOBAL_SIZE] = GLOBAL_SIZE,
    [SCN_BUILT_IN_GLOBAL_OFFSET] = GLOBAL_OFFSET,
    [SCN_BUILT_IN_LOCAL_ID] = LOCAL_ID,
    [SCN_BUILT_IN_LOCAL_SIZE] = LOCAL_SIZE,
    [SCN_BUILT_IN_ENQUEUED_LOCAL_SIZE] = ENQUEUED_SIZE,
    [SCN_BUILT_IN_GROUP_ID] = GROUP_ID,
    [SCN_BUILT_IN_NUM_GROUPS] = NUM_GROUPS,
    [SCN_BUILT_IN_WORK_DIM] = WORK_DIM,
    [SCN_BUILT_IN_GLOBAL_LINEAR_ID] = GLOBAL_LINEAR_ID,
    [SCN_BUILT_IN_LOCAL_LINEAR_ID] = LOCAL_LINEAR_ID,
};

/* From the fourth dimension on, built-ins return 1 for sizes and 0 for everything else (OpenCL C
 * 3.0, 6.15.1). */
static uint64_t answer_outside(uint32_t slot)
{
    bool size =
        slot == GLOBAL_SIZE || slot == LOCAL_SIZE || slot == ENQUEUED_SIZE || slot == NUM_GROUPS;
    return size ? 1 : 0;
}

/* If the local size is open, the device chooses the groups, so the built-ins about groups are
 * skipped. */
static void table_record(const scn_nd_range *range, const scn_place *place, uint64_t *record)
{
    record[VISITS] = 1;
    for (uint32_t b = 0; b < SCN_BUILT_IN_COUNT; b++) {
        scn_built_in built_in = (scn_built_in)b;
        if (scn_oracle_is_of_groups(built_in) && range->local[0] == 0) continue;
        uint32_t indices = b < SCN_BUILT_IN_PLAIN_FIRST ? SCN_ORACLE_DIMENSIONS : 1;
        for (uint32_t d = 0; d < indices; d++)
            record[slots[b] + d] = scn_oracle_answer(range, place, built_in, d);
        if (indices > 1) record[slots[b] + indices] = answer_outside(slots[b]);
    }
}

/* False for slots about groups if the local size is open, because the device then chooses it. */
static bool is_compared(const rt_fusion_range *range, uint32_t slot)
{
    bool of_groups = (slot >= LOCAL_ID && slot < WORK_DIM) || slot == LOCAL_LINEAR_ID;
    return !of_groups || range->local[0] > 0;
}

/* ---- Which ranges may be fused ------------------------------------------------------------- */

/* True if no group of the kernel is spread over several groups of the launch. */
static bool is_whole(const rt_fusion_range *kernel, const rt_fusion_range *launch)
{
    uint64_t groups[4096];
    scn_nd_range inner = table_of(kernel), outer = table_of(launch);
    scn_place of_kernel = {0}, of_launch = {0};
    uint64_t items = items_of(kernel);
    assert_true(items <= 4096);
    for (uint64_t i = 0; i < items; i++)
        groups[i] = UINT64_MAX;
    for (uint64_t i = 0; i < items; i++) {
        uint64_t *group = &groups[scn_oracle_group(&inner, &of_kernel)];
        uint64_t around = scn_oracle_group(&outer, &of_launch);
        if (*group == UINT64_MAX) *group = around;
        if (*group != around) return false;
        scn_oracle_next(&inner, &of_kernel);
        scn_oracle_next(&outer, &of_launch);
    }
    return true;
}

/* Makes the launch satisfy the restrictions of fusion with this kernel: if its local size is open,
 * it adopts the kernel's. Returns false if the restrictions cannot be satisfied. */
static bool make_legal(const rt_fusion_range *kernel, rt_fusion_range *launch)
{
    if (items_of(kernel) > items_of(launch)) return false;
    if (kernel->local[0] > 0 && launch->local[0] == 0)
        memcpy(launch->local, kernel->local, sizeof launch->local);
    if (launch->local[0] == 0) return true;
    for (uint32_t d = 0; d < 3; d++) {
        if (launch->global[d] % launch->local[d] != 0) return false;
        if (kernel->local[0] > 0 && kernel->local[d] != launch->local[d]) return false;
    }
    return kernel->local[0] == 0 || is_whole(kernel, launch);
}

/* ---- One comparison ------------------------------------------------------------------------ */

static void compare(fusion_fixture *fixture, const rt_fusion_range *range, sim_object out)
{
    uint64_t items = items_of(range), count = (items + SPARE) * RECORD;
    uint64_t *seen = rt_alloc(count * sizeof *seen);
    sim_object_read(fixture->world, out, 0, count * sizeof *seen, seen);
    scn_nd_range table = table_of(range);
    scn_place place = {0};
    for (uint64_t i = 0; i < items; i++, scn_oracle_next(&table, &place)) {
        uint64_t expected[RECORD] = {0};
        table_record(&table, &place, expected);
        for (uint32_t slot = 0; slot < RECORD; slot++) {
            uint64_t value = seen[i * RECORD + slot];
            if (!is_compared(range, slot) || value == expected[slot]) continue;
            fail_msg("range %u{%u,%u,%u}/{%u,%u,%u}: work-item %u, slot %u is %u, expected %u",
                     range->dimensions, (unsigned)range->global[0], (unsigned)range->global[1],
                     (unsigned)range->global[2], (unsigned)range->local[0],
                     (unsigned)range->local[1], (unsigned)range->local[2], (unsigned)i, slot,
                     (unsigned)value, (unsigned)expected[slot]);
        }
    }
    for (uint64_t i = items * RECORD; i < count; i++)
        assert_int_equal(seen[i], UNTOUCHED);
    rt_free(seen);
}

/* Fuses `ask` over each of the ranges, launches the fused kernel over `launch` and compares all
 * records.
 */
static void check_list(fusion_fixture *fixture, const rt_link_code *code,
                       const rt_fusion_range *ranges, uint32_t count, const rt_fusion_range *launch)
{
    static const uint32_t last = SCN_ORACLE_DIMENSIONS; /* one past the last dimension */
    rt_fusion_kernel kernels[8];
    sim_argument arguments[16];
    sim_object outs[8];
    assert_true(count <= 8);
    for (uint32_t i = 0; i < count; i++) {
        kernels[i] = (rt_fusion_kernel){RT_TEXT("ask"), code, 1, ranges[i]};
        outs[i] = fixture_words(fixture, (items_of(&ranges[i]) + SPARE) * RECORD, UNTOUCHED);
        arguments[2 * i] = fixture_pass(outs[i]);
        arguments[2 * i + 1] = (sim_argument){.kind = SIM_PARAMETER_VALUE,
                                              .bytes = {(const uint8_t *)&last, sizeof last}};
    }
    const rt_fusion_request request = {.name = RT_TEXT("fused"),
                                       .kernels = kernels,
                                       .kernel_count = count,
                                       .range = *launch,
                                       .barriers = true,
                                       .format = RT_FORMAT_SPIRV64,
                                       .spirv_version_max = 0x00010200};
    fixture_must_fuse(fixture, &request);
    fixture_launch(fixture, fixture->result.image.code, RT_TEXT("fused"), launch, arguments,
                   2 * count);
    for (uint32_t i = 0; i < count; i++) {
        compare(fixture, &ranges[i], outs[i]);
        sim_object_destroy(fixture->world, outs[i]);
    }
    assert_int_equal(fixture->finding_count, 0);
    rt_arena_reset(&fixture->arena);
}

static rt_link_code code_of(fusion_fixture *fixture, rt_arena *arena)
{
    return (rt_link_code){rt_arena_bytes(arena, fixture_compile(fixture, asking)), NULL, 0};
}

/* ---- Small ranges -------------------------------------------------------------------------- */

enum { SMALL_MAX = 64 };

static uint32_t small_ranges(rt_fusion_range *ranges)
{
    static const uint64_t lines[] = {1, 2, 3, 4, 6, 8, 12};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        ranges[count++] = fixture_range(lines[i], 0, 0);
    for (uint64_t y = 1; y <= 4; y++)
        for (uint64_t x = 1; x <= 4; x++)
            ranges[count++] = fixture_range(x, y, 0);
    for (uint64_t z = 1; z <= 3; z++)
        for (uint64_t y = 1; y <= 3; y++)
            for (uint64_t x = 1; x <= 3; x++)
                ranges[count++] = fixture_range(x, y, z);
    assert_true(count <= SMALL_MAX);
    return count;
}

static void every_pair_of_small_ranges_is_as_alone(void **state)
{
    fusion_fixture *fixture = *state;
    rt_fusion_range ranges[SMALL_MAX];
    rt_arena arena = {0};
    rt_link_code code = code_of(fixture, &arena);
    uint32_t count = small_ranges(ranges), done = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            rt_fusion_range launch = ranges[j];
            if (!make_legal(&ranges[i], &launch)) continue;
            check_list(fixture, &code, (rt_fusion_range[]){ranges[i], launch}, 2, &launch);
            done++;
        }
    }
    print_message("%u pairs\n", done);
    assert_true(done > 1000);
    rt_arena_reset(&arena);
}

/* Local sizes of 1 or the whole range in each dimension, for a kernel that has a local size and a
 * launch that adopts it. */
static void local_sizes_are_as_alone(void **state)
{
    fusion_fixture *fixture = *state;
    rt_fusion_range ranges[SMALL_MAX];
    rt_arena arena = {0};
    rt_link_code code = code_of(fixture, &arena);
    uint32_t count = small_ranges(ranges), done = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            for (uint64_t size = 0; size < 8; size++) {
                rt_fusion_range kernel = ranges[i], launch = ranges[j];
                uint64_t x = size & 1 ? kernel.global[0] : 1, y = size & 2 ? kernel.global[1] : 1,
                         z = size & 4 ? kernel.global[2] : 1;
                if (x == 1 && y == 1 && z == 1 && size != 1) continue; /* tried only as size 1 */
                kernel = fixture_range_local(kernel, x, y, z);
                if (!make_legal(&kernel, &launch)) continue;
                rt_fusion_range open = launch;
                memset(open.local, 0, sizeof open.local);
                rt_fusion_range list[] = {kernel, size % 2 ? open : launch};
                check_list(fixture, &code, list, 2, &launch);
                done++;
            }
        }
    }
    print_message("%u pairs\n", done);
    assert_true(done > 1000);
    rt_arena_reset(&arena);
}

/* ---- Offsets, long lists, random ranges ---------------------------------------------------- */

/* Offsets are kept if ids are not remapped: the kernels differ only in the slowest dimension. */
static void offsets_are_as_alone(void **state)
{
    fusion_fixture *fixture = *state;
    rt_arena arena = {0};
    rt_link_code code = code_of(fixture, &arena);
    rt_fusion_range list[] = {fixture_range(8, 0, 0), fixture_range(16, 0, 0)};
    list[0].offset[0] = list[1].offset[0] = 4;
    check_list(fixture, &code, list, 2, &list[1]);
    rt_fusion_range planes[] = {fixture_range(3, 5, 2), fixture_range(3, 5, 4)};
    for (uint32_t i = 0; i < 2; i++) {
        planes[i].offset[0] = 7;
        planes[i].offset[2] = 1;
    }
    check_list(fixture, &code, planes, 2, &planes[1]);
    rt_arena_reset(&arena);
}

static void a_list_of_every_number_of_dimensions(void **state)
{
    fusion_fixture *fixture = *state;
    rt_arena arena = {0};
    rt_link_code code = code_of(fixture, &arena);
    rt_fusion_range list[] = {fixture_range(24, 0, 0), fixture_range(6, 4, 0),
                              fixture_range(4, 3, 2), fixture_range(24, 0, 0),
                              fixture_range(5, 0, 0)};
    for (uint32_t i = 0; i < 4; i++)
        check_list(fixture, &code, list, 5, &list[i]);
    rt_fusion_range alike[] = {list[2], list[2], list[2]};
    check_list(fixture, &code, alike, 3, &list[2]);
    rt_arena_reset(&arena);
}

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

static rt_fusion_range draw_range(uint64_t *seed)
{
    uint64_t dimensions = 1 + draw(seed, 3);
    if (dimensions == 1) return fixture_range(1 + draw(seed, 1500), 0, 0);
    if (dimensions == 2) return fixture_range(1 + draw(seed, 40), 1 + draw(seed, 40), 0);
    return fixture_range(1 + draw(seed, 12), 1 + draw(seed, 12), 1 + draw(seed, 12));
}

static void large_ranges_at_random_are_as_alone(void **state)
{
    fusion_fixture *fixture = *state;
    rt_arena arena = {0};
    rt_link_code code = code_of(fixture, &arena);
    uint64_t seed = 17;
    for (uint32_t round = 0; round < 60; round++) {
        rt_fusion_range list[3];
        uint32_t largest = 0;
        for (uint32_t i = 0; i < 3; i++) {
            list[i] = draw_range(&seed);
            if (items_of(&list[i]) > items_of(&list[largest])) largest = i;
        }
        check_list(fixture, &code, list, 3, &list[largest]);
    }
    rt_arena_reset(&arena);
}

int main(int argc, char **argv)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fusion_fixture_open, fusion_fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(every_pair_of_small_ranges_is_as_alone),
        TEST(local_sizes_are_as_alone),
        TEST(offsets_are_as_alone),
        TEST(a_list_of_every_number_of_dimensions),
        TEST(large_ranges_at_random_are_as_alone),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
