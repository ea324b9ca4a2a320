/* Tests of memory objects as the host sees them: contents, copies, windows, which bytes are
 * defined; and of the choice of an engine. */
#include "sim/exec/exec.h"
#include "sim/memory/world.h"
#include "sim/test/assembler.h"

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

/* The host accesses a mapped object at its address; ids are used again, the last freed one last. */
static void test_mapped_objects(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
    sim_world_reserve_mapped(world);
    sim_object plain, first, second, third;
    assert_true(rt_ok(sim_object_create(world, 8, RT_TEXT("plain"), &plain)));
    assert_true(sim_object_address(plain) >> 47 != 0); /* no address of a process */
    rt_status status = sim_object_create_mapped(world, 8, RT_TEXT("first"), &first);
    if (status.code == RT_ERRC_MEMORY_ALLOCATION) { /* under a sanitizer that has these addresses */
        sim_world_destroy(world);
        rt_sink_destroy(sink);
        skip();
    }
    assert_true(rt_ok(status));
    uint64_t *bytes = (uint64_t *)(uintptr_t)sim_object_address(first), read = 0;
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
    assert_true(sim_world_memory(world, whole)->all_defined);
    sim_window_open(world, open);
    sim_memory_unsettle(open);
    open->defined[1] = 0xf0;
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
    sim_world_destroy(world);
    rt_sink_destroy(sink);
}

/* Contents that become undefined again are the seed's pattern, as in a new object. */
static void test_undefined_contents(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    sim_world *world = sim_world_create(sink, 7);
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
        cmocka_unit_test(test_copies_keep_undefined_bytes),
        cmocka_unit_test(test_copies_define),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_undefined_contents),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_engines),
        cmocka_unit_test(test_limits_and_seed),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
