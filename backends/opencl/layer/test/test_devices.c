/* Tests the layer between the machine's OpenCL loader and a real driver: `opencl_layer_device_tests
 * SELECTOR`.  Our adapter must not see hidden aspects, and nothing else may change; the adapter's
 * calls are recorded.  Exits with status 77, which CTest counts as skipped, if the device is not
 * installed.  A loader reads its environment variables once, so each device is opened in a separate
 * process. */
#include "backends/opencl/layer/log.h"
#include "backends/opencl/opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char *selector;

/* A child's report on the device that it opened. */
typedef struct opened {
    bool is_open, usm;
    uint32_t aspects;
    char message[512];
} opened;

/* A link tool that is never called: opening a device links nothing. */
static rt_status no_link(void *user, rt_sink *sink, const dev_code *codes, uint32_t count,
                         rt_buffer *out_bitcode)
{
    (void)user, (void)codes, (void)count, (void)out_bitcode;
    return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "nothing is linked here");
}

static opened open_here(void)
{
    opened result = {0};
    rt_sink *sink = rt_sink_create();
    const dev_tools tools = {NULL, no_link};
    const dev_open_parameters parameters = {.sink = sink, .tools = &tools};
    dev_device *device = NULL;
    rt_status status = dev_device_open(&ocl_backend, &parameters, rt_text_of(selector), &device);
    result.is_open = rt_ok(status);
    if (result.is_open) {
        dev_capabilities capabilities;
        dev_device_capabilities(device, &capabilities);
        result.usm = capabilities.usm;
        result.aspects = capabilities.aspects;
        dev_device_destroy(device);
    } else {
        rt_text message = rt_sink_diagnostic(sink, status)->message;
        snprintf(result.message, sizeof result.message, "%.*s", RT_TEXT_ARG(message));
    }
    rt_sink_destroy(sink);
    return result;
}

/* Opens the device in a separate process, whose loader uses the layer unless `layer` is NULL. */
static opened open_with(const char *layer, const char *hide, int log)
{
    opened result = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", log);
        if (layer) setenv("OPENCL_LAYERS", layer, 1);
        setenv(OCL_LAYER_HIDE, hide, 1);
        setenv(OCL_LAYER_LOG, log >= 0 ? number : "", 1);
        result = open_here();
        /* Drivers' threads and destructors are not under test. */
        _exit(write(ends[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
    }
    assert_true(child > 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], &result, sizeof result), sizeof result);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return result;
}

static void without_the_layer_nothing_is_hidden(void **state)
{
    (void)state;
    opened plain = open_with(NULL, "fp64", -1);
    assert_true(plain.is_open);
    assert_true((plain.aspects & 1u << DEV_ASPECT_FP64) != 0);
}

static void each_aspect_is_hidden_alone(void **state)
{
    (void)state;
    opened plain = open_with(NULL, "", -1);
    for (int aspect = 0; aspect < DEV_ASPECT_COUNT; aspect++) {
        opened masked = open_with(LAYER_FILE, dev_aspect_name((dev_aspect)aspect), -1);
        assert_true(masked.is_open);
        assert_int_equal(masked.aspects, plain.aspects & ~(1u << aspect));
        assert_int_equal(masked.usm, plain.usm);
    }
    opened masked = open_with(LAYER_FILE, "usm_shared_allocations", -1);
    assert_int_equal(masked.aspects, plain.aspects);
    assert_false(masked.usm);
}

/* Opening a device must record look-ups of extension functions first, and the creation of its
 * context last. */
static void what_the_adapter_asks_is_recorded(void **state)
{
    (void)state;
    int file = memfd_create("log", MFD_CLOEXEC);
    opened result = open_with(LAYER_FILE, "", file);
    assert_true(result.is_open);
    static char text[1 << 16];
    ssize_t size = pread(file, text, sizeof text, 0);
    assert_true(size > 0);
    close(file);
    rt_sink *sink = rt_sink_create();
    rt_arena arena = {0};
    ocl_call_log log;
    rt_text whole = {text, (size_t)size};
    assert_true(rt_ok(ocl_call_log_read(sink, &arena, whole, false, &log)));
    assert_int_equal(log.process_count, 1);
    assert_true(log.call_count > 1);
    assert_true(rt_text_is(log.calls[0].name, "clGetExtensionFunctionAddressForPlatform"));
    const ocl_call *last = &log.calls[log.call_count - 1];
    assert_true(rt_text_is(last->name, "clCreateContext"));
    assert_true(last->returned && last->result == 0);
    assert_true(rt_text_is(ocl_call_text(last, "devices"), "0"));
    rt_arena_reset(&arena);
    rt_sink_destroy(sink);
}

/* If an aspect is unknown, the loader continues without the layer, and nothing is hidden. */
static void a_refusing_layer_is_left_out(void **state)
{
    (void)state;
    opened result = open_with(LAYER_FILE, "fp64,elephants", -1);
    assert_true(result.is_open);
    assert_true((result.aspects & 1u << DEV_ASPECT_FP64) != 0);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: opencl_layer_device_tests SELECTOR\n");
        return 2;
    }
    selector = arguments[1];
    opened plain = open_with(NULL, "", -1);
    if (!plain.is_open) {
        printf("skipped: %s\n", plain.message);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_layer_nothing_is_hidden),
        cmocka_unit_test(each_aspect_is_hidden_alone),
        cmocka_unit_test(what_the_adapter_asks_is_recorded),
        cmocka_unit_test(a_refusing_layer_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
