/* Unit tests of device_globals: the database, the preparation before a kernel, copies, and
 * refusals. */
#include "reference/program/test/fixture.h"
#include "reference/sched/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Two programs share a variable; another variable has image scope. */
static const fixture_module modules[] = {
    {"main", "k", NULL, NULL, .globals = "plain"},
    {"second", "l", NULL, NULL, .globals = "plain own"},
    {"scoped", "m", NULL, NULL, .globals = "inside!"},
};

static const rt_device_global plain = {{"plain", 5}, {"ns::plain", 9}, 4, false, 0};
static const rt_device_global inside = {{"inside", 6}, {"inside", 6}, 4, true, 0};
static const rt_device_global unused = {{"unused", 6}, {"unused", 6}, 4, true, 0};

typedef struct world {
    fixture *f;
    rt_global_database *database;
    rt_scheduler *scheduler;
    rt_queue_id queue, other; /* other: a queue of the other device */
    rt_memory *data, *data2;
    uint32_t memory_count;
} world;

static uint32_t next_memory(void *user)
{
    return ((world *)user)->memory_count++;
}

static int set_up(void **state)
{
    world *w = rt_alloc(sizeof *w);
    w->f = fixture_create(modules, sizeof modules / sizeof *modules, "");
    w->memory_count = 2;
    w->database = rt_global_database_create(&(rt_global_database_parameters){
        .sink = w->f->sink, .trace = w->f->trace, .memory_id = next_memory, .user = w});
    rt_program_manager_observe(
        w->f->manager,
        (rt_program_observer){w->database, rt_global_program_created, rt_global_program_released});
    w->scheduler = rt_scheduler_create(w->f->sink, w->f->trace, w->f->manager, w->database);
    for (uint32_t i = 0; i < sizeof modules / sizeof *modules; i++)
        assert_true(rt_ok(rt_loader_open(&w->f->loader, i)));
    const rt_device *device = &w->f->device, *other = &w->f->other;
    assert_true(rt_ok(rt_scheduler_queue_create(w->scheduler, device, 0, false, &w->queue)));
    assert_true(rt_ok(rt_scheduler_queue_create(w->scheduler, other, 0, false, &w->other)));
    assert_true(rt_ok(rt_memory_create(w->f->sink, 0, RT_TEXT("data"), 8, "abcdefgh", &w->data)));
    assert_true(rt_ok(rt_memory_create(w->f->sink, 1, RT_TEXT("data2"), 8, NULL, &w->data2)));
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    world *w = *state;
    rt_scheduler_destroy(w->scheduler);
    rt_memory_destroy(w->data);
    rt_memory_destroy(w->data2);
    rt_program_manager *manager = w->f->manager;
    w->f->manager = NULL; /* destroyed before the database, which holds variables of the manager's
                           * programs */
    rt_program_manager_destroy(manager);
    rt_global_database_destroy(w->database);
    fixture_destroy(w->f);
    rt_free(w);
    return 0;
}

/* ---- Shorthands --------------------------------------------------------------------------- */

static rt_status launch(world *w, rt_queue_id queue, const char *kernel)
{
    const rt_argument arguments[] = {{.kind = RT_ARGUMENT_NULL}, {.kind = RT_ARGUMENT_NULL}};
    const rt_launch request = {
        .kernel = rt_text_of(kernel),
        .range = {.dimensions = 1, .global = {1, 1, 1}},
        .arguments = arguments,
        .argument_count = 2,
    };
    rt_command_id command;
    return rt_scheduler_launch(w->scheduler, queue, &request, &command);
}

static rt_global_copy copy_of(world *w, const rt_device_global *global, bool to_global)
{
    return (rt_global_copy){
        .address = rt_global_database_address(w->database, global->unique_id),
        .name = global->name,
        .type_size = global->size,
        .image_scope = global->image_scope,
        .host_access = global->host_access,
        .to_global = to_global,
        .memory = to_global ? w->data : w->data2,
        .size = global->size,
    };
}

static rt_status copy(world *w, rt_global_copy request)
{
    rt_command_id command;
    return rt_scheduler_global_copy(w->scheduler, w->queue, &request, &command);
}

static void expect_refused(world *w, rt_status status, rt_code code, const char *part)
{
    assert_int_equal(status.code, code);
    const rt_diagnostic *diagnostic = rt_sink_diagnostic(w->f->sink, status);
    if (!strstr(diagnostic->message.data, part))
        fail_msg("'%s' is not in: %s", part, diagnostic->message.data);
}

/* ---- The database -------------------------------------------------------------------------- */

static void DG_DB_02_an_entry_has_its_five_parts(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &plain);
    assert_true(rt_ok(launch(w, w->queue, "k")));
    rt_global_entry *entry = rt_global_database_entry(w->database, plain.unique_id);
    assert_non_null(entry);
    assert_int_equal(entry->address, rt_global_database_address(w->database, plain.unique_id));
    assert_true(rt_text_is(entry->unique_id, "plain"));
    assert_int_equal(entry->size, 4);
    assert_false(entry->image_scope);
    /* There is a buffer on the device that was used, and none on the other. */
    assert_int_equal(entry->instances.count, 1);
    assert_ptr_equal(entry->instances.items[0]->device, &w->f->device);
    assert_int_equal(entry->instances.items[0]->memory->size, 4);
}

static void DG_DB_04_a_program_tells_of_its_variables_before_its_kernel_runs(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &plain);
    rt_global_entry *before = rt_global_database_entry(w->database, plain.unique_id);
    assert_int_equal(before->size, 0);
    assert_null(rt_global_database_entry(w->database, inside.unique_id));
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_true(rt_ok(launch(w, w->queue, "m")));
    /* If the host registers a variable after the image has described it, the entry has the same
     * fields. */
    rt_global_database_add(w->database, &inside);
    rt_global_entry *behind = rt_global_database_entry(w->database, inside.unique_id);
    assert_int_equal(before->size, 4);
    assert_int_equal(behind->size, 4);
    assert_false(before->image_scope);
    assert_true(behind->image_scope);
    assert_int_not_equal(behind->address, RT_HOST_ADDRESS_NONE);
    assert_int_not_equal(behind->address, before->address);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_DEVICE_GLOBAL_DESCRIBE, "id"), "inside");
}

static void an_object_that_goes_takes_its_address_along(void **state)
{
    world *w = *state;
    assert_int_equal(rt_global_database_address(w->database, plain.unique_id),
                     RT_HOST_ADDRESS_NONE);
    rt_global_database_add(w->database, &plain);
    rt_global_database_add(w->database, &plain); /* as a second module registers it */
    rt_host_address first = rt_global_database_address(w->database, plain.unique_id);
    assert_true(rt_ok(copy(w, copy_of(w, &plain, true))));
    rt_global_database_remove(w->database, &plain);
    assert_int_equal(rt_global_database_address(w->database, plain.unique_id), first);
    rt_global_copy late = copy_of(w, &plain, true);
    rt_global_database_remove(w->database, &plain);
    assert_int_equal(rt_global_database_address(w->database, plain.unique_id),
                     RT_HOST_ADDRESS_NONE);
    expect_refused(w, copy(w, late), RT_ERRC_INVALID, "'ns::plain' is not registered");
    rt_global_database_add(w->database, &plain);
    assert_int_not_equal(rt_global_database_address(w->database, plain.unique_id), first);
    assert_int_equal(rt_global_database_entry(w->database, plain.unique_id)->instances.count, 0);
}

/* ---- Before the first kernel --------------------------------------------------------------- */

/* 4 bytes is what the images' property sets say; usmptr has 8. */
static void DG_INIT_03_storage_is_device_memory_of_the_size_in_the_database(void **state)
{
    world *w = *state;
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_string_equal(rt_buffer_string(&w->f->counting->usm_sizes), "[device 4]");
    assert_true(rt_ok(launch(w, w->queue, "l"))); /* adds own; plain has its storage */
    assert_string_equal(rt_buffer_string(&w->f->counting->usm_sizes), "[device 4][device 4]");
}

static void DG_INIT_07_the_pointer_is_written_by_name(void **state)
{
    world *w = *state;
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_string_equal(rt_buffer_string(&w->f->counting->globals),
                        "[plain][plain+0:1122334455660000]");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_DEVICE_GLOBAL_POINT, "size"), "8");
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "after"), "0 1");
}

static void content_is_created_once_and_every_program_points_to_it(void **state)
{
    world *w = *state;
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_true(rt_ok(launch(w, w->queue, "l")));
    assert_true(rt_ok(launch(w, w->queue, "l")));
    /* plain and own are allocated; k's program has one pointer, l's has two. */
    assert_int_equal(w->f->counting->usms, 2);
    assert_int_equal(w->f->counting->fills, 2);
    assert_int_equal(fixture_count(w->f, RT_EVENT_DEVICE_GLOBAL_POINT), 3);
    /* The other device has separate programs and storage; a variable with image scope needs no
     * storage and no pointer. */
    assert_true(rt_ok(launch(w, w->other, "k")));
    assert_int_equal(w->f->other_counting->usms, 1);
    assert_true(rt_ok(launch(w, w->other, "m")));
    assert_int_equal(w->f->other_counting->usms, 1);
    assert_int_equal(fixture_count(w->f, RT_EVENT_DEVICE_GLOBAL_POINT), 4);
}

/* If the preparation of a variable fails, the launch is refused; the next launch completes the
 * preparation. */
static void a_launch_fails_with_its_variables_and_the_next_succeeds(void **state)
{
    world *w = *state;
    counting_device *device = w->f->counting;
    device->fail_fills = true;
    expect_refused(w, launch(w, w->queue, "k"), RT_DRIVER_ERROR, "on demand");
    device->fail_fills = false;
    device->fail_globals = true;
    expect_refused(w, launch(w, w->queue, "k"), RT_ERRC_INVALID, "no variable");
    device->fail_globals = false;
    device->global_size = 4;
    expect_refused(w, launch(w, w->queue, "k"), RT_MALFORMED, "'plain' has 4 bytes");
    device->global_size = 0;
    device->fail_writes = true;
    expect_refused(w, launch(w, w->queue, "k"), RT_DRIVER_ERROR, "on demand");
    device->fail_writes = false;
    assert_int_equal(device->launches, 0);
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_int_equal(device->usms, 1);
    assert_int_equal(device->launches, 1);
    assert_string_equal(fixture_newest(w->f, RT_EVENT_LAUNCH, "after"), "0 1");
}

static void devices_without_the_capabilities_refuse(void **state)
{
    world *w = *state;
    w->f->device.capabilities.globals_by_name = false;
    expect_refused(w, launch(w, w->queue, "k"), RT_ERRC_FEATURE_NOT_SUPPORTED,
                   "cannot look up variables by name");
    w->f->device.capabilities.globals_by_name = true;
    w->f->other.capabilities.usm = false;
    expect_refused(w, launch(w, w->other, "k"), RT_ERRC_FEATURE_NOT_SUPPORTED,
                   "unified shared memory");
}

/* An earlier copy has created storage of T's size; an image that states another size is refused. */
static void images_and_types_must_agree(void **state)
{
    world *w = *state;
    rt_device_global wide = plain;
    wide.size = 8;
    rt_global_database_add(w->database, &wide);
    assert_true(rt_ok(copy(w, copy_of(w, &wide, true))));
    expect_refused(w, launch(w, w->queue, "k"), RT_MALFORMED,
                   "says that device_global 'plain' has 4 bytes");
}

/* A launch has created storage of the size that the image states; a read of more is refused. */
static void a_read_beyond_the_storage_is_refused(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &plain);
    assert_true(rt_ok(launch(w, w->queue, "k")));
    rt_global_copy wide = copy_of(w, &plain, false);
    wide.type_size = 8;
    rt_buffer bytes = {0}, defined = {0};
    expect_refused(w,
                   rt_scheduler_global_read(w->scheduler, w->queue, &wide, false, &bytes, &defined),
                   RT_ERRC_INVALID, "has 4 bytes on the device, but its type has 8");
    assert_int_equal(bytes.size, 0);
}

/* ---- Copies -------------------------------------------------------------------------------- */

static void copied_content_is_read_back(void **state)
{
    world *w = *state;
    const rt_device_global *variables[] = {&plain, &inside, &unused};
    for (uint32_t i = 0; i < 3; i++) {
        rt_global_database_add(w->database, variables[i]);
        rt_global_copy part = copy_of(w, variables[i], true);
        part.offset = 1;
        part.memory_offset = 2;
        part.size = 2;
        assert_true(rt_ok(copy(w, part)));
        rt_global_copy whole = copy_of(w, variables[i], false);
        whole.memory_offset = 4;
        assert_true(rt_ok(copy(w, whole)));
        assert_true(rt_ok(rt_scheduler_host_read(w->scheduler, w->data2)));
        assert_memory_equal(w->data2->host + 4, "\0cd\0", 4);
        /* The content exists now, so whether a read may create it makes no difference. */
        for (int existing = 0; existing < 2; existing++) {
            rt_buffer bytes = {0}, defined = {0};
            whole = copy_of(w, variables[i], false);
            assert_true(rt_ok(rt_scheduler_global_read(w->scheduler, w->queue, &whole, existing,
                                                       &bytes, &defined)));
            assert_int_equal(bytes.size, 4);
            assert_memory_equal(bytes.data, "\0cd\0", 4);
            assert_int_equal(defined.size, 1);
            rt_buffer_free(&bytes);
            rt_buffer_free(&defined);
        }
    }
    /* Only the variable that is in an image was accessed by name. */
    assert_string_equal(rt_buffer_string(&w->f->counting->globals), "[inside]");
}

static void a_read_of_existing_content_creates_none(void **state)
{
    world *w = *state;
    const rt_device_global *variables[] = {&plain, &inside, &unused};
    for (uint32_t i = 0; i < 3; i++) {
        rt_buffer bytes = {0}, defined = {0};
        rt_global_database_add(w->database, variables[i]);
        rt_global_copy whole = copy_of(w, variables[i], false);
        assert_true(rt_ok(
            rt_scheduler_global_read(w->scheduler, w->queue, &whole, true, &bytes, &defined)));
        assert_int_equal(bytes.size, 0);
    }
    assert_int_equal(w->f->counting->usms, 0);
    assert_int_equal(w->f->counting->builds, 0);
    assert_int_equal(fixture_count(w->f, RT_EVENT_DEVICE_GLOBAL_HOST), 0);
}

static void copies_are_refused_with_nothing_changed(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &plain);
    rt_global_copy request = copy_of(w, &plain, true);
    request.address = 7;
    expect_refused(w, copy(w, request), RT_ERRC_INVALID, "not registered");
    request = copy_of(w, &plain, true);
    request.offset = UINT64_MAX;
    expect_refused(w, copy(w, request), RT_ERRC_INVALID, "it has only 4 bytes");
    request.offset = 1;
    request.size = UINT64_MAX;
    expect_refused(w, copy(w, request), RT_ERRC_INVALID, "it has only 4 bytes");
    request = copy_of(w, &plain, true);
    request.memory_offset = 5;
    expect_refused(w, copy(w, request), RT_ERRC_INVALID, "'data': it has only 8 bytes");
    request = copy_of(w, &plain, true);
    request.host_access = RT_HOST_ACCESS_READ;
    expect_refused(w, copy(w, request), RT_COMPILE_TIME, "host_access is read");
    request = copy_of(w, &plain, false);
    request.host_access = RT_HOST_ACCESS_WRITE;
    expect_refused(w, copy(w, request), RT_COMPILE_TIME, "host_access is write");
    assert_int_equal(w->f->counting->copies, 0);
}

/* The property host_access decides which copies exist (sycl_ext_oneapi_device_global). */
static void the_hosts_access_decides_which_copies_exist(void **state)
{
    world *w = *state;
    static const struct {
        rt_host_access access;
        bool writes, reads;
    } rows[] = {
        {RT_HOST_ACCESS_READ_WRITE, true, true},
        {RT_HOST_ACCESS_READ, false, true},
        {RT_HOST_ACCESS_WRITE, true, false},
        {RT_HOST_ACCESS_NONE, false, false},
    };
    rt_global_database_add(w->database, &plain);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rt_global_copy to = copy_of(w, &plain, true), from = copy_of(w, &plain, false);
        to.host_access = from.host_access = rows[i].access;
        assert_int_equal(copy(w, to).code, rows[i].writes ? RT_OK : RT_COMPILE_TIME);
        assert_int_equal(copy(w, from).code, rows[i].reads ? RT_OK : RT_COMPILE_TIME);
    }
}

/* An entry that only images describe has no host object, and so no address that stands for it. */
static void a_copy_needs_a_registered_object(void **state)
{
    world *w = *state;
    assert_true(rt_ok(launch(w, w->queue, "k")));
    assert_non_null(rt_global_database_entry(w->database, plain.unique_id));
    rt_global_copy request = copy_of(w, &plain, true);
    assert_int_equal(request.address, RT_HOST_ADDRESS_NONE);
    static const char message[] =
        "device_global 'ns::plain' is not registered: no loaded module has it";
    expect_refused(w, copy(w, request), RT_ERRC_INVALID, message);
    /* Nor does a scheduler without a database know any. */
    rt_scheduler *scheduler = rt_scheduler_create(w->f->sink, w->f->trace, w->f->manager, NULL);
    rt_queue_id queue;
    rt_command_id command = 0;
    assert_true(rt_ok(rt_scheduler_queue_create(scheduler, &w->f->device, 0, false, &queue)));
    request.address = 1;
    expect_refused(w, rt_scheduler_global_copy(scheduler, queue, &request, &command),
                   RT_ERRC_INVALID, message);
    assert_int_equal(command, UINT32_MAX);
    rt_scheduler_destroy(scheduler);
}

/* Each call of the device that a read of the content makes may fail, with and without storage. */
static void a_read_fails_with_its_device(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &plain);
    const rt_global_copy request = copy_of(w, &plain, false);
    uint32_t failures = 0;
    for (uint32_t later = 0; failures == later; later++) {
        rt_buffer bytes = {0}, defined = {0};
        w->f->counting->fail_call = w->f->counting->calls + 1 + later;
        rt_status status =
            rt_scheduler_global_read(w->scheduler, w->queue, &request, false, &bytes, &defined);
        if (!rt_ok(status)) {
            assert_int_equal(status.code, RT_DRIVER_ERROR);
            failures++;
        } else {
            assert_memory_equal(bytes.data, "\0\0\0\0", 4);
            assert_int_equal(defined.size, 1);
        }
        rt_buffer_free(&bytes);
        rt_buffer_free(&defined);
    }
    assert_true(failures >= 2);
}

/* A program that was dropped with its module no longer counts: copies access the host object until
 * the module is loaded again. */
static void a_program_that_lost_its_image_is_not_meant(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &inside);
    assert_true(rt_ok(copy(w, copy_of(w, &inside, true))));
    assert_int_equal(w->f->counting->builds, 1);
    assert_true(rt_ok(rt_loader_close(&w->f->loader, 2)));
    assert_true(rt_ok(copy(w, copy_of(w, &inside, true))));
    assert_string_equal(fixture_newest(w->f, RT_EVENT_DEVICE_GLOBAL_HOST, "id"), "inside");
    assert_true(rt_ok(rt_loader_open(&w->f->loader, 2)));
    assert_true(rt_ok(copy(w, copy_of(w, &inside, true))));
    assert_int_equal(w->f->counting->builds, 2);
}

static void an_image_for_other_devices_has_the_variable_all_the_same(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &inside);
    w->f->device.capabilities.formats_taken = 1u << RT_FORMAT_NATIVE;
    expect_refused(w, copy(w, copy_of(w, &inside, true)), RT_ERRC_KERNEL_NOT_SUPPORTED,
                   "only in images that device device cannot run");
}

/* A copy is refused if its program cannot be built or lacks the variable; the next copy succeeds.
 */
static void a_program_that_cannot_be_built_refuses_the_copy(void **state)
{
    world *w = *state;
    rt_global_database_add(w->database, &inside);
    w->f->counting->fail_builds = true;
    expect_refused(w, copy(w, copy_of(w, &inside, true)), RT_ERRC_BUILD, "on demand");
    w->f->counting->fail_builds = false;
    w->f->counting->fail_globals = true;
    expect_refused(w, copy(w, copy_of(w, &inside, true)), RT_ERRC_INVALID, "no variable");
    w->f->counting->fail_globals = false;
    assert_true(rt_ok(copy(w, copy_of(w, &inside, true))));
    assert_int_equal(w->f->counting->builds, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(DG_DB_02_an_entry_has_its_five_parts),
        TEST(DG_DB_04_a_program_tells_of_its_variables_before_its_kernel_runs),
        TEST(an_object_that_goes_takes_its_address_along),
        TEST(DG_INIT_03_storage_is_device_memory_of_the_size_in_the_database),
        TEST(DG_INIT_07_the_pointer_is_written_by_name),
        TEST(content_is_created_once_and_every_program_points_to_it),
        TEST(a_launch_fails_with_its_variables_and_the_next_succeeds),
        TEST(devices_without_the_capabilities_refuse),
        TEST(images_and_types_must_agree),
        TEST(a_read_beyond_the_storage_is_refused),
        TEST(copied_content_is_read_back),
        TEST(a_read_of_existing_content_creates_none),
        TEST(copies_are_refused_with_nothing_changed),
        TEST(the_hosts_access_decides_which_copies_exist),
        TEST(a_copy_needs_a_registered_object),
        TEST(a_read_fails_with_its_device),
        TEST(a_program_that_lost_its_image_is_not_meant),
        TEST(an_image_for_other_devices_has_the_variable_all_the_same),
        TEST(a_program_that_cannot_be_built_refuses_the_copy),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
