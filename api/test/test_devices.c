/* Tests of the library over a driver: the same calls as on the simulated device.
 *   api_devices_tests DEVICE
 * Exits with 77 if the device is not available. */
#include "api/test/fixture.h"

#include <stdio.h>
#include <string.h>

static const char *device_name;

static void kernels_are_linked_and_launched(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    fixture_module(f, "libtwice");
    int values[] = {1, 2, 3};
    assay_memory *memory = fixture_values(f, values, 3);
    assert_ok(launch(f, "apply", memory, 3, NULL));
    assert_ok(assay_memory_read(memory, 0, sizeof values, values));
    assert_int_equal(values[0], 2);
    assert_int_equal(values[2], 6);
    assert_refused(launch(f, "lost", memory, 3, NULL), ASSAY_ERRC_BUILD, "nowhere");
}

/* Two additions of 10, fused: 21, 22. */
static void kernels_are_fused(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    assay_queue *queue;
    int values[] = {1, 2};
    assay_memory *memory = fixture_values(f, values, 2);
    assay_event event;
    assert_ok(assay_queue_create(f->device, NULL, ASSAY_QUEUE_FUSION, &queue));
    assert_ok(assay_fusion_start(queue));
    assert_ok(launch_add(f, queue, memory, 2, 10, NULL));
    assert_ok(launch_add(f, queue, memory, 2, 10, NULL));
    assert_ok(assay_fusion_complete(queue, true, &event));
    assert_ok(assay_event_wait(event));
    assert_ok(assay_memory_read(memory, 0, sizeof values, values));
    assert_int_equal(values[0], 21);
    assert_int_equal(values[1], 22);
}

static void bundles_are_built(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    const char *const names[] = {"add"};
    assay_bundle *bundle;
    int value = 1, added = 2;
    assay_memory *memory = fixture_values(f, &value, 1);
    assert_ok(
        assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_EXECUTABLE, names, 1, NULL, 0, &bundle));
    const assay_argument arguments[] = {
        {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory},
        {.kind = ASSAY_ARGUMENT_VALUE, .value = &added, .size = sizeof added},
    };
    const assay_launch through = {.kernel = "add",
                                  .dimensions = 1,
                                  .global = {1},
                                  .arguments = arguments,
                                  .argument_count = 2,
                                  .bundle = bundle};
    assert_ok(assay_submit(f->queue, &through, NULL));
    assert_ok(assay_memory_read(memory, 0, sizeof value, &value));
    assert_int_equal(value, 3);
}

static int set_up(void **state)
{
    static api_fixture fixture;
    fixture_begin_on(&fixture, device_name, NULL);
    *state = &fixture;
    return 0;
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s DEVICE\n", words[0]);
        return 2;
    }
    device_name = words[1];
    assay_runtime *runtime = assay_runtime_create(NULL);
    assay_device *device;
    assay_status status = assay_device_open(runtime, device_name, &device);
    const bool is_missing = status.code == ASSAY_UNAVAILABLE;
    if (is_missing) printf("%s\n", status.message);
    assay_runtime_destroy(runtime);
    if (is_missing) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_are_linked_and_launched, set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(kernels_are_fused, set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(bundles_are_built, set_up, fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
