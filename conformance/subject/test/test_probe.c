/* Tests of the probe on devices that compute correctly, compute wrongly, or refuse. */
#include "conformance/subject/probe.h"

#include "backends/null/null.h"
#include "backends/sim/simdev.h"
#include "conformance/subject/skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The simulated device's operations, some of which a broken driver replaces. */
static const dev_queue_ops *sim_queue_ops;
static const dev_device_ops *sim_device_ops;
static dev_queue_ops broken_queue_ops;

static rt_status fill_otherwise(dev_queue *queue, dev_command command, dev_memory *memory,
                                uint64_t offset, uint64_t size, rt_bytes pattern,
                                dev_event **out_event)
{
    static const uint8_t zeros[16];
    pattern.data = zeros;
    return sim_queue_ops->enqueue_fill(queue, command, memory, offset, size, pattern, out_event);
}

/* Reports that the kernel ran, but does nothing. */
static rt_status launch_nothing(dev_queue *queue, dev_command command, dev_kernel *kernel,
                                const dev_nd_range *range, const dev_argument *arguments,
                                uint32_t argument_count, dev_event **out_event)
{
    static const uint8_t zero;
    (void)kernel;
    (void)range;
    (void)argument_count;
    dev_memory *memory = arguments[0].memory;
    return sim_queue_ops->enqueue_write(queue, command, memory, 0, 1, &zero, out_event);
}

static rt_status read_refused(dev_queue *queue, dev_command command, dev_memory *memory,
                              uint64_t offset, uint64_t size, void *destination,
                              dev_event **out_event)
{
    (void)command;
    (void)memory;
    (void)offset;
    (void)size;
    (void)destination;
    (void)out_event;
    return rt_fail(queue->device->sink, RT_DRIVER_ERROR, RT_RULE_NONE, "the context is lost");
}

static rt_status broken_queue_create(dev_device *device, dev_queue **out_queue)
{
    rt_status status = sim_device_ops->queue_create(device, out_queue);
    if (!rt_ok(status)) return status;
    sim_queue_ops = (*out_queue)->ops;
    dev_queue_ops whole = *sim_queue_ops;
    if (broken_queue_ops.enqueue_fill) whole.enqueue_fill = broken_queue_ops.enqueue_fill;
    if (broken_queue_ops.enqueue_kernel) whole.enqueue_kernel = broken_queue_ops.enqueue_kernel;
    if (broken_queue_ops.enqueue_read) whole.enqueue_read = broken_queue_ops.enqueue_read;
    broken_queue_ops = whole;
    (*out_queue)->ops = &broken_queue_ops;
    return status;
}

/* Probes a device of the backend with some of its queue operations broken. */
static void assert_probe(const dev_backend *backend, dev_queue_ops broken, const char *complaint)
{
    rt_sink *sink = rt_sink_create();
    const dev_open_parameters parameters = {.sink = sink};
    dev_device *device = NULL;
    assert_true(rt_ok(dev_device_open(backend, &parameters, RT_TEXT(""), &device)));
    sim_device_ops = device->ops;
    dev_device_ops device_ops = *sim_device_ops;
    device_ops.queue_create = broken_queue_create;
    broken_queue_ops = broken;
    device->ops = &device_ops;
    rt_buffer message = {0};
    assert_int_equal(cnf_probe_device(device, sink, &message), complaint == NULL);
    if (complaint) assert_non_null(strstr(rt_buffer_string(&message), complaint));
    if (!complaint) assert_string_equal(rt_buffer_string(&message), "");
    device->ops = sim_device_ops;
    dev_device_destroy(device);
    rt_buffer_free(&message);
    rt_sink_destroy(sink);
}

static void a_device_that_computes_is_right(void **state)
{
    (void)state;
    assert_probe(&simdev_backend, (dev_queue_ops){0}, NULL);
    assert_probe(&null_backend, (dev_queue_ops){0}, NULL); /* it executes nothing */
}

/* A runtime other than ours must be able to run the probe as a scenario. */
static void the_probe_as_a_scenario_suits_every_runtime(void **state)
{
    (void)state;
    assert_null(cnf_skip_reason(&cnf_probe_scenario, &cnf_shipped_operations));
}

static void a_wrong_answer_is_found(void **state)
{
    (void)state;
    assert_probe(&simdev_backend, (dev_queue_ops){.enqueue_fill = fill_otherwise},
                 "element 0 of a known computation is 0x00000000, not 0x0f0f0f0e");
    assert_probe(&simdev_backend, (dev_queue_ops){.enqueue_kernel = launch_nothing},
                 "element 0 of a known computation is 0x5a5a5a00, not 0x0f0f0f0e");
}

static void a_refusal_is_told(void **state)
{
    (void)state;
    assert_probe(&simdev_backend, (dev_queue_ops){.enqueue_read = read_refused},
                 "the context is lost");
}

static void takes_source_alone(dev_device *device, dev_capabilities *out_capabilities)
{
    sim_device_ops->capabilities(device, out_capabilities);
    out_capabilities->formats_taken = 1u << RT_FORMAT_OPENCL_C;
}

static rt_status source_refused(dev_device *device, const dev_code *code, dev_program **out_program)
{
    (void)out_program;
    assert_int_equal(code->format, RT_FORMAT_OPENCL_C);
    assert_non_null(memmem(code->bytes.data, code->bytes.size, "kernel void assay_probe(", 24));
    return rt_fail(device->sink, RT_ERRC_BUILD, RT_RULE_NONE, "source was asked for");
}

/* A device that accepts only source is probed with source, not skipped. */
static void a_device_of_source_is_asked_in_source(void **state)
{
    (void)state;
    rt_sink *sink = rt_sink_create();
    const dev_open_parameters parameters = {.sink = sink};
    dev_device *device = NULL;
    assert_true(rt_ok(dev_device_open(&simdev_backend, &parameters, RT_TEXT(""), &device)));
    sim_device_ops = device->ops;
    dev_device_ops ops = *sim_device_ops;
    ops.capabilities = takes_source_alone;
    ops.program_build = source_refused;
    device->ops = &ops;
    rt_buffer message = {0};
    assert_false(cnf_probe_device(device, sink, &message));
    assert_non_null(strstr(rt_buffer_string(&message), "source was asked for"));
    device->ops = sim_device_ops;
    dev_device_destroy(device);
    rt_buffer_free(&message);
    rt_sink_destroy(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_computes_is_right),
        cmocka_unit_test(the_probe_as_a_scenario_suits_every_runtime),
        cmocka_unit_test(a_wrong_answer_is_found),
        cmocka_unit_test(a_refusal_is_told),
        cmocka_unit_test(a_device_of_source_is_asked_in_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
