/* Tests the null device: uses the whole interface, and checks what little the device refuses. */
#include "backends/null/null.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static dev_device *open_null(rt_sink *sink)
{
    const dev_open_parameters parameters = {.sink = sink};
    dev_device *device;
    assert_true(rt_ok(dev_device_open(&null_backend, &parameters, RT_TEXT(""), &device)));
    return device;
}

static const uint8_t spirv[4] = {0x03, 0x02, 0x23, 0x07};

static void everything_completes_at_once(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    dev_device *device = open_null(sink);
    dev_program *compiled, *linked;
    dev_kernel *kernel;
    dev_queue *queue;
    dev_memory *memory;
    dev_event *events[5];
    const rt_text none = RT_TEXT("");
    const dev_code code = {.format = RT_FORMAT_SPIRV64, .bytes = {spirv, sizeof spirv}};
    assert_true(rt_ok(dev_program_compile(device, &code, &compiled)));
    assert_true(rt_ok(dev_program_link(device, &compiled, 1, none, &linked)));
    assert_true(rt_ok(dev_kernel_create(linked, RT_TEXT("any"), &kernel)));
    assert_int_equal(dev_kernel_argument_count(kernel), DEV_ARGUMENT_COUNT_UNKNOWN);
    assert_true(rt_ok(dev_queue_create(device, &queue)));
    assert_true(rt_ok(dev_memory_create(device, 16, RT_TEXT("m"), &memory)));

    uint8_t host[16] = {1, 2, 3};
    const dev_command first = {.tag = 1};
    const dev_nd_range range = {.dimensions = 1, .global = {4, 1, 1}};
    const rt_bytes pattern = {host, 4};
    assert_true(rt_ok(dev_enqueue_write(queue, first, memory, 0, 16, host, &events[0])));
    const dev_command second = {.tag = 2, .wait = events, .wait_count = 1};
    assert_true(rt_ok(dev_enqueue_kernel(queue, second, kernel, &range, NULL, 0, &events[1])));
    assert_true(rt_ok(dev_enqueue_copy(queue, second, memory, 0, memory, 8, 8, &events[2])));
    assert_true(rt_ok(dev_enqueue_fill(queue, second, memory, 0, 16, pattern, &events[3])));
    assert_true(rt_ok(dev_enqueue_read(queue, second, memory, 0, 16, host, &events[4])));
    assert_true(rt_ok(dev_queue_flush(queue)));
    assert_int_equal(host[0], 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(dev_event_query(events[i]), DEV_EVENT_COMPLETE);
        assert_true(rt_ok(dev_event_wait(events[i])));
        dev_event_destroy(events[i]);
    }
    uint8_t bits[2] = {0xFF, 0xFF};
    assert_true(rt_ok(dev_memory_defined(memory, 0, 16, bits)));
    assert_int_equal(bits[0] | bits[1], 0);

    dev_memory_destroy(memory);
    dev_queue_destroy(queue);
    dev_kernel_destroy(kernel);
    dev_program_destroy(linked);
    dev_program_destroy(compiled);
    dev_device_destroy(device);
    rt_sink_destroy(sink);
}

static void capabilities_promise_no_execution(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    dev_device *device = open_null(sink);
    dev_capabilities capabilities;
    dev_device_capabilities(device, &capabilities);
    assert_false(capabilities.executes);
    assert_false(capabilities.usm || capabilities.globals_by_name || capabilities.spec_constants);
    assert_true(dev_capabilities_link(&capabilities, RT_FORMAT_SPIRV64));
    dev_device_destroy(device);
    rt_sink_destroy(sink);
}

static void wrong_input_is_refused(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    dev_device *device = open_null(sink);
    dev_program *program;
    dev_kernel *kernel;
    dev_queue *queue;
    dev_event *event;
    const dev_code code = {.format = RT_FORMAT_SPIRV64, .bytes = {spirv, sizeof spirv}};
    const dev_code cut = {.format = RT_FORMAT_SPIRV64, .bytes = {spirv, 3}};
    const dev_code native = {.format = RT_FORMAT_SPIRV64_GEN, .bytes = {spirv, sizeof spirv}};
    assert_int_equal(dev_program_build(device, &cut, &program).code, RT_MALFORMED);
    assert_int_equal(dev_program_build(device, &native, &program).code, RT_UNSUPPORTED);
    assert_true(rt_ok(dev_program_build(device, &code, &program)));
    assert_int_equal(dev_kernel_create(program, RT_TEXT(""), &kernel).code, RT_ERRC_INVALID);
    assert_true(rt_ok(dev_kernel_create(program, RT_TEXT("k"), &kernel)));
    assert_true(rt_ok(dev_queue_create(device, &queue)));
    const dev_nd_range uneven = {.dimensions = 1, .global = {3, 1, 1}, .local = {2, 1, 1}};
    assert_int_equal(
        dev_enqueue_kernel(queue, (dev_command){0}, kernel, &uneven, NULL, 0, &event).code,
        RT_ERRC_ND_RANGE);
    dev_queue_destroy(queue);
    dev_kernel_destroy(kernel);
    dev_program_destroy(program);
    dev_device_destroy(device);
    const dev_open_parameters parameters = {.sink = sink};
    assert_int_equal(dev_device_open(&null_backend, &parameters, RT_TEXT("x"), &device).code,
                     RT_ERRC_INVALID);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_completes_at_once),
        cmocka_unit_test(capabilities_promise_no_execution),
        cmocka_unit_test(wrong_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
