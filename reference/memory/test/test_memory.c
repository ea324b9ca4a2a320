/* Unit tests of the bookkeeping: which copy of a memory has the latest contents. */
#include "reference/memory/memory.h"
#include "reference/program/test/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const fixture_module modules[] = {{"main", "k", NULL, NULL}};

static int set_up(void **state)
{
    *state = fixture_create(modules, 1, "");
    return 0;
}

static int tear_down(void **state)
{
    fixture_destroy(*state);
    return 0;
}

static rt_memory *make(fixture *f, const void *initial)
{
    rt_memory *memory = NULL;
    assert_true(rt_ok(rt_memory_create(f->sink, 0, RT_TEXT("m"), 4, initial, &memory)));
    return memory;
}

static void initial_content_is_moved_once(void **state)
{
    fixture *f = *state;
    rt_memory *memory = make(f, "abcd");
    dev_memory *first = NULL, *second = NULL;
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &first)));
    assert_true(rt_memory_needs_upload(memory, &f->device));
    assert_int_equal(rt_memory_valid_device(memory), UINT32_MAX);
    rt_memory_uploaded(memory, &f->device);
    assert_false(rt_memory_needs_upload(memory, &f->device));
    assert_true(memory->host_valid);
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &second)));
    assert_ptr_equal(first, second);
    rt_memory_destroy(memory);
}

static void undefined_content_is_never_moved(void **state)
{
    fixture *f = *state;
    rt_memory *memory = make(f, NULL);
    dev_memory *copy = NULL;
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &copy)));
    assert_false(rt_memory_needs_upload(memory, &f->device));
    rt_memory_destroy(memory);
}

static void a_write_makes_the_host_stale_until_it_is_read_back(void **state)
{
    fixture *f = *state;
    rt_memory *memory = make(f, "abcd");
    dev_memory *copy = NULL;
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &copy)));
    rt_memory_written(memory, &f->device);
    assert_false(memory->host_valid);
    assert_int_equal(rt_memory_valid_device(memory), f->device.id);
    assert_false(rt_memory_needs_upload(memory, &f->device));
    rt_memory_downloaded(memory);
    assert_true(memory->host_valid);
    rt_memory_destroy(memory);
}

static void another_device_is_stale_after_a_write(void **state)
{
    fixture *f = *state;
    rt_device other = f->device;
    other.id = f->device.id + 1;
    rt_memory *memory = make(f, "abcd");
    dev_memory *copy = NULL;
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &copy)));
    rt_memory_uploaded(memory, &f->device);
    assert_true(rt_ok(rt_memory_on_device(memory, &other, &copy)));
    rt_memory_written(memory, &other);
    assert_true(rt_memory_needs_upload(memory, &f->device));
    assert_int_equal(rt_memory_valid_device(memory), other.id);
    rt_memory_destroy(memory);
}

static void too_large_a_memory_is_refused(void **state)
{
    fixture *f = *state;
    rt_memory *memory = NULL;
    rt_status status =
        rt_memory_create(f->sink, 0, RT_TEXT("m"), RT_MEMORY_SIZE_MAX + 1, NULL, &memory);
    assert_int_equal(status.code, RT_ERRC_MEMORY_ALLOCATION);
    assert_null(memory);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(initial_content_is_moved_once),
        TEST(undefined_content_is_never_moved),
        TEST(a_write_makes_the_host_stale_until_it_is_read_back),
        TEST(another_device_is_stale_after_a_write),
        TEST(too_large_a_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
