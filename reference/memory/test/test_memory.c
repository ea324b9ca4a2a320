/* Unit tests of the bookkeeping: which copy of a memory has the latest contents, parts of buffers,
 * and the host's values of device_globals. */
#include "reference/memory/device_global.h"
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
    assert_int_equal(memory->written_on, f->device.id);
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
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data,
                        "memory 'm' of 4294967297 bytes cannot be allocated on the host");
    assert_null(memory);
}

static void too_large_a_usm_is_refused(void **state)
{
    fixture *f = *state;
    rt_memory *memory = (rt_memory *)f;
    rt_status status =
        rt_memory_usm_create(f->sink, 0, RT_TEXT("m"), &f->device, DEV_MEMORY_USM_SHARED,
                             RT_MEMORY_SIZE_MAX + 1, NULL, &memory);
    assert_int_equal(status.code, RT_ERRC_MEMORY_ALLOCATION);
    assert_null(memory);
}

static void what_the_host_writes_is_newest(void **state)
{
    fixture *f = *state;
    rt_memory *memory = make(f, NULL);
    dev_memory *copy = NULL;
    assert_true(rt_ok(rt_memory_on_device(memory, &f->device, &copy)));
    rt_memory_written(memory, &f->device);
    rt_memory_host_written(memory);
    assert_true(memory->host_valid);
    assert_int_equal(memory->written_on, UINT32_MAX);
    assert_int_equal(rt_memory_valid_device(memory), UINT32_MAX);
    assert_true(rt_memory_needs_upload(memory, &f->device));
    rt_memory_destroy(memory);
}

/* ---- Parts --------------------------------------------------------------------------------- */

static rt_memory *make_part(fixture *f, rt_memory *whole, uint64_t offset, uint64_t size)
{
    rt_memory *part = NULL;
    assert_true(rt_ok(rt_memory_part_create(f->sink, 1, RT_TEXT("p"), whole, offset, size, &part)));
    assert_ptr_equal(rt_memory_whole(part), whole);
    assert_ptr_equal(part->host, whole->host + offset);
    assert_int_equal(part->size, size);
    return part;
}

static void expect_no_part(fixture *f, rt_memory *whole, uint64_t offset, uint64_t size,
                           const char *message)
{
    rt_memory *part = whole;
    rt_status status = rt_memory_part_create(f->sink, 1, RT_TEXT("p"), whole, offset, size, &part);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_string_equal(rt_sink_diagnostic(f->sink, status)->message.data, message);
    assert_null(part);
}

static void a_part_is_inside_a_buffer(void **state)
{
    fixture *f = *state;
    rt_memory *whole = make(f, "abcd"), *usm = NULL;
    rt_memory *part = make_part(f, whole, 1, 3);
    rt_memory_destroy(make_part(f, whole, 0, 4));
    expect_no_part(f, whole, 1, 4,
                   "'p' cannot be the 4 bytes at offset 1 of 'm', which is too "
                   "small");
    expect_no_part(f, whole, 5, 1,
                   "'p' cannot be the 1 bytes at offset 5 of 'm', which is too "
                   "small");
    expect_no_part(f, whole, 4, 1,
                   "'p' cannot be the 1 bytes at offset 4 of 'm', which is too "
                   "small");
    expect_no_part(f, part, 0, 1,
                   "'p' cannot be the 1 bytes at offset 0 of 'p', which is itself "
                   "part of a buffer");
    assert_true(rt_ok(rt_memory_usm_create(f->sink, 2, RT_TEXT("u"), &f->device,
                                           DEV_MEMORY_USM_HOST, 4, NULL, &usm)));
    expect_no_part(f, usm, 0, 1,
                   "'p' cannot be the 1 bytes at offset 0 of 'u', which is not a "
                   "buffer");
    rt_memory_destroy(usm);
    rt_memory_destroy(part);
    rt_memory_destroy(whole);
}

static void parts_overlap_if_they_share_a_byte(void **state)
{
    fixture *f = *state;
    rt_memory *whole = make(f, "abcd");
    rt_memory *left = make_part(f, whole, 0, 2), *right = make_part(f, whole, 2, 2),
              *middle = make_part(f, whole, 1, 2);
    assert_false(rt_memory_overlap(left, right));
    assert_false(rt_memory_overlap(right, left));
    assert_true(rt_memory_overlap(left, middle));
    assert_true(rt_memory_overlap(middle, left));
    assert_true(rt_memory_overlap(middle, right));
    assert_true(rt_memory_overlap(right, middle));
    assert_true(rt_memory_overlap(whole, right));
    assert_true(rt_memory_overlap(right, whole));
    assert_true(rt_memory_overlap(right, right));
    rt_memory *const parts[] = {left, right, middle};
    for (uint32_t i = 0; i < sizeof parts / sizeof *parts; i++)
        rt_memory_destroy(parts[i]);
    rt_memory_destroy(whole);
}

/* ---- The host's values of device_globals --------------------------------------------------- */

static uint32_t next_memory(void *user)
{
    return (*(uint32_t *)user)++;
}

static void expect_host_value(rt_global_database *database, rt_global_entry *entry,
                              uint32_t context, uint32_t device, const char expected[4])
{
    rt_memory *value = NULL, *again = NULL;
    assert_null(rt_global_value_find(entry, context, device));
    assert_true(rt_ok(rt_global_value(database, entry, context, device, 4, &value)));
    assert_memory_equal(value->host, expected, 4);
    assert_int_equal(value->size, 4);
    assert_true(value->initialised);
    assert_ptr_equal(rt_global_value_find(entry, context, device), value);
    /* It is created once, and keeps what was written to it. */
    value->host[0] = '!';
    assert_true(rt_ok(rt_global_value(database, entry, context, device, 4, &again)));
    assert_ptr_equal(again, value);
    assert_int_equal(again->host[0], '!');
}

/* A value begins with the variable's initial bytes if it has as many, otherwise with zeros; each
 * context and device has its own. */
static void a_host_value_begins_with_the_initial_value(void **state)
{
    fixture *f = *state;
    uint32_t memory_count = 0;
    rt_global_database *database = rt_global_database_create(&(rt_global_database_parameters){
        .sink = f->sink, .trace = f->trace, .memory_id = next_memory, .user = &memory_count});
    rt_global_database_add(database, &(rt_device_global){{"g", 1}, {"ns::g", 5}, 4, true, 0});
    rt_global_entry *entry = rt_global_database_entry(database, RT_TEXT("g"));
    assert_non_null(entry);
    expect_host_value(database, entry, RT_GLOBAL_VALUE_ALL, RT_GLOBAL_VALUE_ALL, "\0\0\0\0");
    entry->initial = (rt_bytes){(const uint8_t *)"wxyz", 4};
    expect_host_value(database, entry, 0, 0, "wxyz");
    expect_host_value(database, entry, 0, 1, "wxyz");
    expect_host_value(database, entry, 1, 0, "wxyz");
    entry->initial = (rt_bytes){(const uint8_t *)"wxyzwxyz", 8};
    expect_host_value(database, entry, 1, 1, "\0\0\0\0");
    assert_int_equal(memory_count, 5);
    assert_int_equal(fixture_count(f, RT_EVENT_DEVICE_GLOBAL_HOST), 10);
    assert_string_equal(fixture_newest(f, RT_EVENT_DEVICE_GLOBAL_HOST, "variable"), "ns::g");
    assert_string_equal(fixture_newest(f, RT_EVENT_DEVICE_GLOBAL_HOST, "id"), "g");
    /* A device without room has no instance. */
    rt_global_instance *instance = (rt_global_instance *)f;
    f->counting->fail_call = f->counting->calls + 1;
    assert_int_equal(rt_global_instance_make(database, entry, &f->device, 0, 4, &instance).code,
                     RT_DRIVER_ERROR);
    assert_null(instance);
    assert_int_equal(entry->instances.count, 0);
    assert_true(rt_ok(rt_global_instance_make(database, entry, &f->device, 0, 4, &instance)));
    assert_int_equal(entry->instances.count, 1);
    assert_true(rt_text_is(instance->memory->name, "ns::g"));
    /* Such a large one cannot be allocated. */
    rt_memory *value = entry->values.items[0].memory;
    rt_status status = rt_global_value(database, entry, 2, 2, RT_MEMORY_SIZE_MAX + 1, &value);
    assert_int_equal(status.code, RT_ERRC_MEMORY_ALLOCATION);
    assert_null(value);
    assert_string_equal(
        rt_sink_diagnostic(f->sink, status)->message.data,
        "device_global 'ns::g' of 4294967297 bytes cannot be allocated on the host");
    entry->initial = (rt_bytes){0};
    rt_global_database_destroy(database);
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
        TEST(too_large_a_usm_is_refused),
        TEST(what_the_host_writes_is_newest),
        TEST(a_part_is_inside_a_buffer),
        TEST(parts_overlap_if_they_share_a_byte),
        TEST(a_host_value_begins_with_the_initial_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
