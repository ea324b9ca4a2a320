/* Tests of memory objects as the host sees them: contents, copies, windows, which bytes are
 * defined; of the memory of waves, of lists of findings, and of the choice of an engine. */
#include "sim/exec/exec.h"
#include "sim/memory/access.h"
#include "sim/memory/finding.h"
#include "sim/memory/wave.h"
#include "sim/memory/world.h"
#include "sim/test/assembler.h"

#include <sys/mman.h>

static void test_contents(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_object a, b;
    assert_true(rt_ok(sim_object_create(world, 16, RT_TEXT("a"), &a)));
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("b"), &b)));
    assert_int_not_equal(a, b);
    uint8_t bits[2], bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[16];
    sim_object_defined(world, a, 0, 16, bits);
    assert_int_equal(bits[0] | bits[1], 0);
    sim_object_write(world, a, 3, 4, bytes);
    sim_object_defined(world, a, 0, 16, bits);
    assert_int_equal(bits[0], 0x78);
    assert_int_equal(bits[1], 0);
    sim_object_read(world, a, 3, 4, out);
    assert_memory_equal(out, bytes, 4);
    sim_object_write(world, b, 0, 8, bytes);
    sim_object_defined(world, b, 0, 8, bits);
    assert_int_equal(bits[0], 0xff);
    sim_object_destroy(world, a);
    assert_true(rt_ok(sim_object_create(world, 4, RT_TEXT("c"), &a)));
    assert_true(a > b); /* ids are not reused */
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* Under a sanitizer, the process may have something at these addresses. */
static bool is_free(uint64_t address)
{
    void *wanted = (void *)(uintptr_t)address;
    void *page = mmap(wanted, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page == MAP_FAILED) return false;
    munmap(page, 4096);
    return page == wanted;
}

/* An address that the process uses is passed over, and once there is none left, creation fails. */
static void test_mapped_addresses(void **state)
{
    (void)state;
    enum { MAPPED_MAX = 126 };
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_world_reserve_mapped(world);
    uint64_t free_count = 0;
    bool was_free[MAPPED_MAX + 1];
    for (sim_object i = 1; i <= MAPPED_MAX; i++) {
        was_free[i] = is_free(sim_object_address(i));
        free_count += was_free[i];
    }
    void *taken = NULL;
    if (was_free[2])
        taken = mmap((void *)(uintptr_t)sim_object_address(2), 4096, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    free_count -= was_free[2];
    was_free[2] = false;
    sim_object object = 0, last = 0;
    for (uint64_t i = 0; i < free_count; i++) {
        assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("m"), &object)));
        assert_true(object > last && object <= MAPPED_MAX && was_free[object]);
        last = object;
    }
    rt_status status = sim_object_create_mapped(world, 8, RT_TEXT("m"), &object);
    assert_int_equal(status.code, RT_ERRC_MEMORY_ALLOCATION);
    assert_int_equal(object, 0);
    if (last) {
        sim_object_destroy(world, last);
        assert_int_equal(sim_object_create_mapped(world, 8, RT_TEXT("m"), &object).code,
                         RT_ERRC_MEMORY_ALLOCATION);
        sim_object_retire(world, last);
        assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("m"), &object)));
        assert_int_equal(object, last);
        sim_object plain;
        uint8_t bits;
        assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("plain"), &plain)));
        sim_object_copy(world, plain, 0, last, 0, 8);
        sim_mapped_settle(world);
        sim_object_defined(world, last, 0, 8, &bits);
        assert_int_equal(bits, 0xff);
    }
    sim_world_destroy(world);
    for (sim_object i = 1; i <= MAPPED_MAX; i++) /* nothing stays mapped */
        assert_true(is_free(sim_object_address(i)) == was_free[i]);
    if (taken) munmap(taken, 4096);
    rt_sink_destroy(sink);
}

/* The host accesses a mapped object at its address; ids are used again, the last freed one last. */
static void test_mapped_objects(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 1);
    sim_world_reserve_mapped(world);
    sim_object plain, first, second, third;
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("plain"), &plain)));
    assert_true(sim_object_address(plain) >> 47 != 0); /* no address of a process */
    if (!is_free(sim_object_address(1))) {
        sim_world_destroy(world);
        rt_sink_destroy(sink);
        skip();
    }
    assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("first"), &first)));
    assert_int_equal(first, 1);
    uint64_t *bytes = (uint64_t *)(uintptr_t)sim_object_address(first), read = 0;
    sim_object_read(world, first, 0, sizeof read, &read);
    assert_true(read == UINT64_C(0x0101010101010101) * (sim_world_choose(world, first) & 0xff));
    *bytes = 77;
    sim_object_read(world, first, 0, sizeof read, &read);
    assert_int_equal(read, 77);
    uint8_t bits;
    sim_object_defined(world, first, 0, 8, &bits);
    assert_int_equal(bits, 0xff);
    /* Undefined bytes that are copied there count as written by the host at the next launch. */
    sim_object_copy(world, plain, 0, first, 0, 8);
    sim_object_defined(world, first, 0, 8, &bits);
    assert_int_equal(bits, 0);
    sim_mapped_settle(world);
    sim_object_defined(world, first, 0, 8, &bits);
    assert_int_equal(bits, 0xff);
    sim_object_destroy(world, first);
    assert_false(sim_object_is_alive(world, first));
    /* The id is used again once it is retired, after all others. */
    enum { ROUNDS = 300 };
    bool is_used_again = false;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        if (i == ROUNDS) sim_object_retire(world, first);
        assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("next"), &second)));
        if (i < ROUNDS) assert_int_not_equal(second, first);
        is_used_again = is_used_again || second == first;
        sim_object_destroy(world, second);
        sim_object_retire(world, second);
    }
    assert_true(is_used_again);
    assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("second"), &second)));
    assert_int_not_equal(second, first);
    assert_true(rt_ok(sim_object_create_mapped(world, 8, RT_TEXT("third"), &third)));
    assert_int_not_equal(third, first);
    assert_int_not_equal(third, second);
    assert_int_equal(
        sim_object_create_mapped(world, RT_MEMORY_SIZE_MAX + 1, RT_TEXT("huge"), &third).code,
        RT_LIMIT);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

static void test_copies_keep_undefined_bytes(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_object a, b;
    uint8_t bits, bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("a"), &a)));
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("b"), &b)));
    sim_object_write(world, a, 0, 2, bytes);
    sim_object_write(world, b, 0, 8, bytes);
    sim_object_copy(world, a, 0, b, 4, 4);
    sim_object_defined(world, b, 0, 8, &bits);
    assert_int_equal(bits, 0x3f);
    sim_object_copy(world, b, 0, b, 1, 7);
    sim_object_defined(world, b, 0, 8, &bits);
    assert_int_equal(bits, 0x7f);
    sim_object_read(world, b, 0, 8, out);
    assert_memory_equal(out, ((uint8_t[]){1, 1, 2, 3, 4, 1, 2}), 7);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* Copies of defined bytes define their target, all of it or the part that they cover. */
static void test_copies_define(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_object from, to, part;
    uint8_t bits, bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8];
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("from"), &from)));
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("to"), &to)));
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("part"), &part)));
    sim_object_write(world, from, 0, 0, NULL);
    sim_object_defined(world, from, 0, 8, &bits);
    assert_int_equal(bits, 0);
    assert_false(sim_world_memory(world, from)->all_defined);
    sim_object_write(world, from, 0, 8, bytes);
    assert_true(sim_world_memory(world, from)->all_defined);
    sim_object_copy(world, from, 0, to, 8, 0);
    sim_object_copy(world, from, 1, to, 2, 3);
    sim_object_defined(world, to, 0, 8, &bits);
    assert_int_equal(bits, 0x1c);
    assert_false(sim_world_memory(world, to)->all_defined);
    assert_false(sim_object_took_undefined(world, to));
    sim_object_copy(world, from, 0, to, 0, 8);
    assert_true(sim_world_memory(world, to)->all_defined);
    sim_object_read(world, to, 0, 8, out);
    assert_memory_equal(out, bytes, 8);
    /* What is copied of `part` is defined, and later not. */
    sim_object_write(world, part, 0, 4, bytes);
    sim_object_copy(world, part, 0, to, 0, 4);
    assert_false(sim_object_took_undefined(world, to));
    sim_object_copy(world, part, 3, to, 6, 2);
    assert_true(sim_object_took_undefined(world, to));
    sim_object_defined(world, to, 0, 8, &bits);
    assert_int_equal(bits, 0x7f);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* A window's bytes are its object's, while it is open; what a launch stored there is kept. */
static void test_windows(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_object whole, window;
    uint8_t bits, bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("whole"), &whole)));
    assert_true(rt_ok(sim_object_create_window(world, whole, 2, 4, RT_TEXT("window"), &window)));
    sim_memory *open = sim_world_memory(world, window);
    assert_null(open->data);
    /* Partly defined: both use the same bits. */
    sim_object_write(world, whole, 2, 1, bytes);
    sim_window_open(world, open);
    assert_ptr_equal(open->data, sim_world_memory(world, whole)->data + 2);
    sim_object_defined(world, window, 0, 4, &bits);
    assert_int_equal(bits, 1);
    open->defined[3] = 0xff;
    sim_window_close(world, open);
    assert_null(open->data);
    sim_object_defined(world, whole, 0, 8, &bits);
    assert_int_equal(bits, 0x24);
    /* Defined, until a launch stores undefined bits. */
    sim_object_write(world, whole, 0, 8, bytes);
    sim_window_open(world, open);
    assert_true(open->all_defined);
    sim_window_close(world, open);
    assert_false(open->all_defined);
    assert_true(sim_world_memory(world, whole)->all_defined);
    sim_window_open(world, open);
    sim_memory_unsettle(open);
    open->defined[1] = 0xf0;
    sim_window_open(world, open); /* it is open */
    assert_false(open->all_defined);
    assert_int_equal(open->defined[1], 0xf0);
    sim_window_close(world, open);
    sim_object_defined(world, whole, 0, 8, &bits);
    assert_int_equal(bits, 0xf7);
    /* The same if the object has lost its own bits of being defined meanwhile. */
    sim_object_write(world, whole, 0, 8, bytes);
    sim_window_open(world, open);
    sim_memory_unsettle(open);
    sim_memory_unsettle(sim_world_memory(world, whole));
    open->defined[0] = 0;
    sim_window_close(world, open);
    sim_object_defined(world, whole, 0, 8, &bits);
    assert_int_equal(bits, 0xfb);
    sim_object_destroy(world, whole);
    sim_window_open(world, open);
    assert_null(open->data);
    sim_object_destroy(world, window);
    sim_window_open(world, open); /* neither a destroyed window nor a destroyed object opens */
    assert_null(open->data);
    sim_window_open(world, sim_world_memory(world, whole));
    assert_null(sim_world_memory(world, whole)->data);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* Contents that become undefined again are the seed's pattern, as in a new object. */
static void test_undefined_contents(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 3);
    sim_object a, b;
    uint8_t bits[3], out[20], bytes[20];
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i + 1);
    assert_true(rt_ok(sim_object_create(world, 20, RT_TEXT("a"), &a)));
    assert_true(rt_ok(sim_object_create(world, 20, RT_TEXT("b"), &b)));
    assert_true(rt_text_is(sim_object_label(world, b), "b"));
    assert_int_equal(sim_object_size(world, b), 20);
    const uint8_t pattern[2] = {(uint8_t)sim_world_choose(world, a),
                                (uint8_t)sim_world_choose(world, b)};
    assert_int_not_equal(pattern[0], pattern[1]);
    for (uint32_t k = 0; k < 2; k++) {
        sim_object_read(world, k ? b : a, 0, 20, out);
        for (uint32_t i = 0; i < 20; i++)
            assert_int_equal(out[i], pattern[k]);
    }
    /* The bits of a part begin with its first byte. */
    sim_object_write(world, a, 0, 20, bytes);
    sim_object_undefine(world, a, 5, 0);
    assert_true(sim_world_memory(world, a)->all_defined);
    sim_object_undefine(world, a, 3, 9);
    assert_false(sim_world_memory(world, a)->all_defined);
    assert_int_equal(sim_world_memory(world, a)->defined[3], 0);
    assert_int_equal(sim_world_memory(world, a)->defined[11], 0);
    sim_object_defined(world, a, 0, 20, bits);
    assert_memory_equal(bits, ((uint8_t[]){0x07, 0xf0, 0x0f}), 3);
    bits[1] = 0x55;
    sim_object_defined(world, a, 1, 8, bits);
    assert_memory_equal(bits, ((uint8_t[]){0x03, 0x55}), 2); /* and end with its last */
    sim_object_defined(world, a, 11, 9, bits);
    assert_memory_equal(bits, ((uint8_t[]){0xfe, 0x01}), 2);
    sim_object_read(world, a, 0, 20, out);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(out[i], i >= 3 && i < 12 ? pattern[0] : bytes[i]);
    sim_object_write(world, a, 3, 9, bytes + 3);
    sim_object_defined(world, a, 0, 20, bits);
    assert_memory_equal(bits, ((uint8_t[]){0xff, 0xff, 0x0f}), 3);
    bits[1] = 0x54;
    sim_object_defined(world, a, 1, 8, bits);
    assert_memory_equal(bits, ((uint8_t[]){0xff, 0x54}), 2);
    sim_object_destroy(world, b);
    assert_false(sim_object_is_alive(world, b));
    assert_true(sim_object_is_alive(world, a));
    sim_world_destroy(world);
    rt_sink_destroy(sink);
    for (uint32_t size = 0; size <= 20; size++) {
        memset(out, 0xff, sizeof out);
        assert_true(sim_defined_all(out, size));
        for (uint32_t i = 0; i < size; i++) {
            out[i] = 0x7f;
            assert_false(sim_defined_all(out, size));
            out[i] = 0xff;
        }
        memset(out, 0, sizeof out);
        assert_int_equal(sim_defined_all(out, size), size == 0);
    }
}

/* The choices are the numbers of splitmix64, whose first ones from the seed 0 are published. */
static void test_choices(void **state)
{
    (void)state;
    static const uint64_t published[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                         UINT64_C(0x06c45d188009454f)};
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 0 - UINT64_C(0x632be59bd9b4e019));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(sim_world_choose(world, i + 1) == published[i]);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* ---- Waves ---------------------------------------------------------------------------------- */

static void test_memory_grows(void **state)
{
    (void)state;
    sim_lane_memory memory = {0};
    sim_lane_memory_grow(&memory, 0, 0xa5);
    assert_null(memory.data);
    sim_lane_memory_grow(&memory, 24, 0xa5);
    assert_int_equal(memory.size, 24);
    assert_int_equal((uintptr_t)memory.data % 64, 0);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(memory.data[i], 0xa5);
    for (uint32_t i = 0; i < 24; i++)
        memory.data[i] = (uint8_t)i;
    const uint8_t *before = memory.data;
    sim_lane_memory_grow(&memory, 24, 0xff);
    assert_ptr_equal(memory.data, before);
    sim_lane_memory_grow(&memory, 25, 0);
    assert_int_equal(memory.size, 49); /* the size at least doubles */
    assert_int_equal((uintptr_t)memory.data % 64, 0);
    for (uint32_t i = 0; i < 49; i++)
        assert_int_equal(memory.data[i], i < 24 ? i : 0);
    rt_free(memory.block);
}

/* Only the bytes and lanes that are named become undefined. */
static void test_waves_forget(void **state)
{
    (void)state;
    enum { GRANULES = 4, LANES = 32 };
    for (uint32_t all = 0; all < 2; all++) {
        for (uint32_t size = 0; size <= 16; size += 4) {
            sim_wave wave = {.lane_count = LANES};
            uint8_t mask[SIM_LANES] = {0};
            for (uint32_t lane = 0; lane < LANES; lane++)
                mask[lane] = all || lane % 3 == 1;
            sim_lane_memory_grow(&wave.private_defined, 8 * GRANULES * SIM_LANES, 0xff);
            sim_wave_forget(&wave, mask, 8, size);
            const uint64_t *bits = (const uint64_t *)(const void *)wave.private_defined.data;
            for (uint32_t g = 0; g < GRANULES; g++) {
                for (uint32_t lane = 0; lane < LANES; lane++) {
                    bool is_gone = g >= 1 && 8 * (g - 1) < size && mask[lane];
                    assert_true(bits[g * SIM_LANES + lane] == (is_gone ? 0 : UINT64_MAX));
                }
            }
            rt_free(wave.private_defined.block);
        }
    }
}

/* ---- Addresses ------------------------------------------------------------------------------ */

/* Looks for the object of an address; the kind of the finding if there is none. */
static void expect_kind(sim_exec *x, uint64_t address, sim_finding_kind expected)
{
    sim_view_memory view;
    sim_finding_kind kind = SIM_FINDING_KINDS;
    assert_false(sim_access_find(x, address, &view, &kind));
    assert_int_equal(kind, expected);
}

static sim_view_memory expect_object(sim_exec *x, uint64_t address, const char *label,
                                     uint64_t size, uint64_t offset)
{
    sim_view_memory view;
    sim_finding_kind kind;
    assert_true(sim_access_find(x, address, &view, &kind));
    assert_true(rt_text_is(view.label, label));
    assert_int_equal(view.size, size);
    assert_int_equal(view.offset, offset);
    assert_int_equal(view.class, sim_address_class_of(address));
    assert_int_equal(view.object, sim_address_object(address));
    return view;
}

static uint64_t private_address(uint32_t frame, uint32_t variable)
{
    return sim_address_of(SIM_CLASS_PRIVATE, frame << SIM_PRIVATE_VARIABLE_BITS | variable);
}

static void test_objects_of_addresses(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_object gone, known, constant;
    const uint8_t zeros[16] = {0};
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("gone"), &gone)));
    assert_true(rt_ok(sim_object_create(world, 16, RT_TEXT("known"), &known)));
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("constant"), &constant)));
    sim_object_destroy(world, gone);
    sim_memory *memory = sim_world_memory(world, constant);
    memory->constant_uses = 1;
    memory->forbidden = SIM_FORBIDS_LOADS;
    sim_launch_state launch = {.world = world};
    sim_wave wave = {.lane_count = 1};
    sim_exec x = {.launch = &launch, .wave = &wave};

    expect_kind(&x, 0, SIM_FINDING_NULL_POINTER);
    expect_kind(&x, (UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1, SIM_FINDING_NULL_POINTER);
    expect_kind(&x, sim_object_address(constant + 1), SIM_FINDING_OUT_OF_BOUNDS);
    expect_kind(&x, sim_object_address(gone), SIM_FINDING_USE_AFTER_FREE);
    sim_view_memory view = expect_object(&x, sim_object_address(known) + 3, "known", 16, 3);
    assert_ptr_equal(view.data, sim_world_memory(world, known)->data);
    assert_ptr_equal(view.defined, sim_world_memory(world, known)->defined);
    assert_null(view.race);
    assert_false(view.is_constant);
    assert_int_equal(view.forbidden, 0);
    sim_object_write(world, known, 0, 16, zeros);
    view = expect_object(&x, sim_object_address(known) - 1, "known", 16, UINT64_MAX);
    assert_null(view.defined);
    sim_access_unsettle(&x, &view);
    assert_ptr_equal(view.defined, sim_world_memory(world, known)->defined);
    assert_true(sim_defined_all(view.defined, 16));
    assert_false(sim_world_memory(world, known)->all_defined);
    view = expect_object(&x, sim_object_address(constant), "constant", 8, 0);
    assert_true(view.is_constant);
    assert_int_equal(view.forbidden, SIM_FORBIDS_LOADS | SIM_FORBIDS_STORES);

    uint8_t bytes[64], defined[64];
    launch.locals_memory.data = bytes;
    launch.locals_defined.data = defined;
    *rt_vector_push(&launch.locals) = (sim_local_object){.size = 8, .label = RT_TEXT("first")};
    *rt_vector_push(&launch.locals) =
        (sim_local_object){.offset = 8, .size = 24, .all_defined = true, .label = RT_TEXT("last")};
    expect_kind(&x, sim_address_of(SIM_CLASS_LOCAL, 0), SIM_FINDING_OUT_OF_BOUNDS);
    expect_kind(&x, sim_address_of(SIM_CLASS_LOCAL, 3), SIM_FINDING_OUT_OF_BOUNDS);
    view = expect_object(&x, sim_address_of(SIM_CLASS_LOCAL, 1) + 7, "first", 8, 7);
    assert_ptr_equal(view.data, bytes);
    assert_ptr_equal(view.defined, defined);
    view = expect_object(&x, sim_address_of(SIM_CLASS_LOCAL, 2), "last", 24, 0);
    assert_ptr_equal(view.data, bytes + 8);
    assert_null(view.defined);
    assert_null(view.race);
    sim_access_unsettle(&x, &view);
    assert_ptr_equal(view.defined, defined + 8);
    assert_false(launch.locals.items[1].all_defined);
    assert_false(x.stop);

    sim_private_variable variables[2] = {{0, 4, RT_TEXT("i")}, {16, 12, {0}}};
    sim_code_function function = {.variables = variables, .variable_count = 2};
    for (uint32_t i = 0; i < 3; i++)
        *rt_vector_push(&wave.privates) = (sim_private_frame){0};
    wave.privates.items[2] = (sim_private_frame){.function = &function, .private_first = 32};
    expect_kind(&x, private_address(0, 0), SIM_FINDING_OUT_OF_BOUNDS);
    expect_kind(&x, private_address(3, 0), SIM_FINDING_OUT_OF_BOUNDS);
    expect_kind(&x, private_address(1, 0), SIM_FINDING_USE_AFTER_FREE);
    expect_kind(&x, private_address(2, 2), SIM_FINDING_OUT_OF_BOUNDS);
    view = expect_object(&x, private_address(2, 0), "i", 4, 0);
    assert_int_equal(view.position, 32);
    view = expect_object(&x, private_address(2, 1) + 5, "a private variable", 12, 5);
    assert_int_equal(view.position, 48);
    assert_null(view.data);
    expect_kind(&x, sim_address_of(SIM_CLASS_FUNCTION, 1), SIM_FINDING_OUT_OF_BOUNDS);
    rt_vector_free(&wave.privates);
    rt_vector_free(&launch.locals);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* ---- Findings ------------------------------------------------------------------------------- */

typedef struct finding_log {
    sim_finding items[32];
    uint32_t count;
} finding_log;

static void finding_note(void *user, const sim_finding *finding)
{
    finding_log *log = user;
    assert_true(log->count < 32);
    log->items[log->count++] = *finding;
}

/* In the order of sites, and of one site in the order of their kinds. */
static void test_order_of_findings(void **state)
{
    (void)state;
    static const char *const kinds[SIM_FINDING_KINDS] = {"uninitialised",
                                                         "out-of-bounds",
                                                         "array-overrun",
                                                         "use-after-free",
                                                         "null-pointer",
                                                         "misaligned",
                                                         "undefined-arithmetic",
                                                         "divergent-barrier",
                                                         "unreachable",
                                                         "budget",
                                                         "wrong-call-target",
                                                         "undeclared-call",
                                                         "race",
                                                         "same-value-race",
                                                         "subgroup-misuse",
                                                         "stack-exhausted",
                                                         "write-to-constant",
                                                         "access-mode",
                                                         "copy-misuse",
                                                         "unwaited-copy"};
    sim_site sites[4];
    memset(sites, 0, sizeof sites);
    for (uint32_t i = 0; i < 4; i++) {
        sites[i].source = RT_TEXT("k.cl");
        sites[i].line = 10 + i;
        sites[i].column = 20 + i;
    }
    sim_program program = {.sites = sites, .site_count = 4};
    const sim_kernel kernel = {.name = RT_TEXT("k"), .program = &program};
    sim_findings findings = {0};
    sim_finding_row *row;
    finding_log log = {0};
    const sim_launch_options options = {.on_finding = finding_note, .user = &log};
    sim_findings_report(&findings, &kernel, &options);
    assert_int_equal(log.count, 0);
    for (uint32_t k = SIM_FINDING_KINDS; k-- > 0;) {
        if (k == SIM_FINDING_ARRAY_OVERRUN) continue;
        assert_true(sim_findings_add(&findings, 2, (sim_finding_kind)k, k + 1, &row));
        row->message = rt_text_of(kinds[k]);
        row->object = RT_TEXT("m");
        row->offset = 100 + k;
        for (uint64_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
            row->work_item[d] = 10 * k + d;
        if (k == SIM_FINDING_RACE) row->other_site = 3;
    }
    /* An index beyond its array is implied at the site that is out of bounds, not at others. */
    assert_true(sim_findings_add(&findings, 1, SIM_FINDING_ARRAY_OVERRUN, 5, &row));
    assert_true(sim_findings_add(&findings, 2, SIM_FINDING_ARRAY_OVERRUN, 5, &row));
    assert_false(sim_findings_add(&findings, 1, SIM_FINDING_ARRAY_OVERRUN, 7, &row));
    assert_int_equal(row->count, 12);
    sim_findings_report(&findings, &kernel, NULL);
    sim_findings_report(&findings, &kernel, &(sim_launch_options){.user = &log});
    assert_int_equal(log.count, 0);
    sim_findings_report(&findings, &kernel, &options);
    assert_int_equal(log.count, SIM_FINDING_KINDS);
    assert_string_equal(log.items[0].kind, "array-overrun");
    assert_int_equal(log.items[0].count, 12);
    assert_int_equal(log.items[0].source_line, 11);
    for (uint32_t i = 1; i < log.count; i++) {
        const sim_finding *finding = &log.items[i];
        uint32_t k = i - 1 + (i - 1 >= SIM_FINDING_ARRAY_OVERRUN);
        assert_string_equal(finding->kind, kinds[k]);
        assert_true(rt_text_is(finding->message, kinds[k]));
        assert_true(rt_text_is(finding->kernel, "k"));
        assert_true(rt_text_is(finding->source, "k.cl"));
        assert_true(rt_text_is(finding->object, "m"));
        assert_int_equal(finding->source_line, 12);
        assert_int_equal(finding->source_column, 22);
        assert_int_equal(finding->count, k + 1);
        assert_int_equal(finding->offset, 100 + k);
        for (uint64_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++)
            assert_int_equal(finding->work_item[d], 10 * k + d);
        assert_int_equal(finding->other_line, k == SIM_FINDING_RACE ? 13 : 0);
        assert_int_equal(finding->other_source.length, k == SIM_FINDING_RACE ? 4 : 0);
    }
    sim_findings_free(&findings);
    /* If work-items have skipped a copy, what follows from it is not reported. */
    findings.copies_diverge = true;
    log.count = 0;
    assert_true(sim_findings_add(&findings, 3, SIM_FINDING_UNWAITED_COPY, 1, &row));
    assert_true(sim_findings_add(&findings, 1, SIM_FINDING_COPY_MISUSE, 1, &row));
    assert_true(sim_findings_add(&findings, 1, SIM_FINDING_DIVERGENT_BARRIER, 1, &row));
    sim_findings_report(&findings, &kernel, &options);
    assert_int_equal(log.count, 2);
    assert_string_equal(log.items[0].kind, "divergent-barrier");
    assert_string_equal(log.items[1].kind, "unwaited-copy");
    sim_findings_free(&findings);
    assert_int_equal(findings.rows.count, 0);
}

/* ---- The world ------------------------------------------------------------------------------ */

static void test_engines(void **state)
{
    (void)state;
    static const char *const names[] = {"base", "v3", "v4"};
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    for (uint32_t i = 0; i < SIM_ENGINE_COUNT; i++) {
        rt_status status = sim_world_choose_engine(world, rt_text_of(names[i]));
        assert_int_equal(status.code, sim_engine_at(i) ? RT_OK : RT_UNAVAILABLE);
        assert_int_equal(world->engine, sim_engine_at(i) ? i : sim_engine_best());
    }
    assert_true(rt_ok(sim_world_choose_engine(world, RT_TEXT("base"))));
    rt_status status = sim_world_choose_engine(world, RT_TEXT("v5"));
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_int_equal(world->engine, 0);
    sim_world_drop_checks(world);
    assert_true(world->is_unchecked);
    sim_world_destroy(world);
    rt_sink_destroy(sink);
    sim_world_destroy(NULL);
}

static void test_limits_and_seed(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 1), *twin = sim_world_create(sink, 1);
    sim_world *other = sim_world_create(sink, 2);
    sim_object object;
    rt_status status = sim_object_create(world, RT_MEMORY_SIZE_MAX + 1, RT_TEXT("huge"), &object);
    assert_int_equal(status.code, RT_LIMIT);
    assert_int_equal(object, 0);
    sim_object whole;
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("whole"), &whole)));
    uint32_t count = world->objects.count;
    world->objects.count = SIM_OBJECT_COUNT_MAX + 1; /* as if so many had been created */
    assert_int_equal(sim_object_create(world, 1, RT_TEXT("more"), &object).code, RT_LIMIT);
    assert_int_equal(object, 0);
    object = whole;
    status = sim_object_create_window(world, whole, 0, 8, RT_TEXT("window"), &object);
    assert_int_equal(status.code, RT_LIMIT);
    assert_int_equal(object, 0);
    world->objects.count = count;
    assert_int_equal(sim_world_choose(world, 5), sim_world_choose(twin, 5));
    assert_int_not_equal(sim_world_choose(world, 5), sim_world_choose(other, 5));
    assert_int_not_equal(sim_world_choose(world, 5), sim_world_choose(world, 6));
    sim_world_destroy(world);
    sim_world_destroy(twin);
    sim_world_destroy(other);
    rt_sink_destroy(sink);
}

static void test_addresses(void **state)
{
    (void)state;
    uint64_t address = sim_address_of(SIM_CLASS_LOCAL, 77);
    assert_int_equal(sim_address_class_of(address), SIM_CLASS_LOCAL);
    assert_int_equal(sim_address_object(address), 77);
    assert_int_equal(sim_address_offset(address), 0);
    assert_int_equal(sim_address_object(address - 4), 77);
    assert_int_equal((int64_t)sim_address_offset(address - 4), -4);
    assert_int_equal(sim_address_offset(address + 4096), 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_mapped_objects),
        cmocka_unit_test(test_mapped_addresses),
        cmocka_unit_test(test_copies_keep_undefined_bytes),
        cmocka_unit_test(test_copies_define),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_undefined_contents),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_memory_grows),
        cmocka_unit_test(test_waves_forget),
        cmocka_unit_test(test_objects_of_addresses),
        cmocka_unit_test(test_order_of_findings),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_limits_and_seed),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
