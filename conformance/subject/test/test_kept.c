/* Tests of devices that stay open, and of the child that runs several scenarios on them. */
#include "conformance/subject/kept.h"

#include "backends/null/null.h"
#include "backends/sim/simdev.h"
#include "conformance/process/child.h"
#include "conformance/process/service.h"
#include "conformance/process/start.h"
#include "conformance/subject/test/scenario_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Opens the simulated device, and counts how often, in memory that children share. */
static uint32_t *open_count;

static rt_status open_counted(const dev_open_parameters *parameters, rt_text selector,
                              dev_device **out_device)
{
    ++*open_count;
    /* Nothing that belongs to one execution may reach a device that outlives it. */
    assert_true(!parameters->choose_command && !parameters->on_order && !parameters->order_user);
    return simdev_backend.open(parameters, selector, out_device);
}
static const dev_backend counted_backend = {"counted", open_counted};

static const cnf_subject counted = {.name = "counted",
                                    .runtime = &cnf_reference_operations,
                                    .backend = &counted_backend,
                                    .selector = ""};
static const cnf_subject links_only = {.name = "links-only",
                                       .runtime = &cnf_reference_operations,
                                       .backend = &null_backend,
                                       .selector = ""};

typedef struct fixture {
    rt_sink *sink;
    cnf_execution execution;
    cnf_kept kept;
    dev_device *device;
} fixture;

static void begin(fixture *f, const cnf_subject *subject)
{
    *f = (fixture){.sink = rt_sink_create(), .execution = {.subject = subject}};
    f->kept.sink = f->sink;
    *open_count = 0;
}

/* Lends device 0 to the scenario, with parameters that name its execution. */
static dev_device *lend(fixture *f)
{
    const dev_open_parameters parameters = {.sink = f->sink,
                                            .on_finding = cnf_execution_finding,
                                            .finding_user = &f->execution,
                                            .choose_command = cnf_execution_choose,
                                            .on_order = cnf_execution_order,
                                            .order_user = &f->execution};
    dev_device *device;
    rt_status status = cnf_kept_open(&f->kept, &f->execution, 0, &parameters, RT_TEXT(""), &device);
    assert_true(rt_ok(status));
    return device;
}

static void assert_release(fixture *f, cnf_kept_fault fault, const char *message)
{
    rt_buffer text = {0};
    assert_int_equal(cnf_kept_release(&f->kept, &text), fault);
    assert_string_equal(rt_buffer_string(&text), message);
    assert_null(f->kept.execution);
    rt_buffer_free(&text);
}

static void end(fixture *f)
{
    cnf_kept_close(&f->kept);
    assert_null(f->kept.execution);
    rt_sink_destroy(f->sink);
}

static void a_device_is_opened_once(void **state)
{
    (void)state;
    fixture f;
    begin(&f, &counted);
    dev_device *device = lend(&f);
    assert_release(&f, CNF_KEPT_CLEAN, "");
    assert_ptr_equal(lend(&f), device);
    assert_release(&f, CNF_KEPT_CLEAN, "");
    assert_int_equal(*open_count, 1);
    lend(&f); /* the last scenario is not followed by a release */
    end(&f);
}

/* What a scenario leaves is counted, before and after the probe has objects of its own. */
static void objects_that_are_left_are_found(void **state)
{
    (void)state;
    fixture f;
    for (int releases = 0; releases < 2; releases++) {
        begin(&f, &counted);
        dev_device *device = lend(&f);
        if (releases > 0) assert_release(&f, CNF_KEPT_CLEAN, "");
        dev_memory *memories[2];
        dev_queue *queue;
        lend(&f);
        for (int i = 0; i < 2; i++)
            assert_true(rt_ok(dev_memory_create(device, 16, RT_TEXT("m"), &memories[i])));
        assert_true(rt_ok(dev_queue_create(device, &queue)));
        assert_release(&f, CNF_KEPT_OBJECTS,
                       "the scenario has ended, but its device still has 2 memories and 1 queue");
        dev_queue_destroy(queue);
        for (int i = 0; i < 2; i++)
            dev_memory_destroy(memories[i]);
        end(&f);
    }
}

static const dev_queue_ops *right_ops;

/* Fills with zeros instead of the pattern. */
static rt_status fill_otherwise(dev_queue *queue, dev_command command, dev_memory *memory,
                                uint64_t offset, uint64_t size, rt_bytes pattern,
                                dev_event **out_event)
{
    static const uint8_t zeros[16];
    pattern.data = zeros;
    return right_ops->enqueue_fill(queue, command, memory, offset, size, pattern, out_event);
}

/* Makes queues whose fills are damaged once `damages` is set. */
static const dev_device_ops *right_device_ops;
static dev_queue_ops damaged_ops;
static bool damages;

static rt_status fill(dev_queue *queue, dev_command command, dev_memory *memory, uint64_t offset,
                      uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    dev_enqueue_fill_op *operation = damages ? fill_otherwise : right_ops->enqueue_fill;
    return operation(queue, command, memory, offset, size, pattern, out_event);
}

static rt_status damaged_queue_create(dev_device *device, dev_queue **out_queue)
{
    rt_status status = right_device_ops->queue_create(device, out_queue);
    if (!rt_ok(status)) return status;
    right_ops = (*out_queue)->ops;
    damaged_ops = *right_ops;
    damaged_ops.enqueue_fill = fill;
    (*out_queue)->ops = &damaged_ops;
    return status;
}

/* The first scenario leaves a device that computes; the second damages it. */
static void a_device_that_no_longer_computes_is_found(void **state)
{
    (void)state;
    fixture f;
    begin(&f, &counted);
    dev_device *device = lend(&f);
    right_device_ops = device->ops;
    dev_device_ops ops = *right_device_ops;
    ops.queue_create = damaged_queue_create;
    device->ops = &ops;
    damages = false;
    assert_release(&f, CNF_KEPT_CLEAN, "");
    lend(&f);
    damages = true;
    assert_release(&f, CNF_KEPT_ANSWER,
                   "after the scenario, its device no longer computes: element 0 of a known "
                   "computation is 0x00000000, not 0x0f0f0f0e");
    device->ops = right_device_ops;
    end(&f);
}

static void new_memories_hold_the_pattern(void **state)
{
    (void)state;
    fixture f;
    begin(&f, &counted);
    dev_device *device = lend(&f);
    dev_memory *memory;
    dev_queue *queue;
    dev_event *event;
    uint8_t bytes[24] = {0};
    assert_true(rt_ok(dev_memory_create(device, sizeof bytes, RT_TEXT("m"), &memory)));
    assert_true(rt_ok(dev_queue_create(device, &queue)));
    assert_true(
        rt_ok(dev_enqueue_read(queue, (dev_command){0}, memory, 0, sizeof bytes, bytes, &event)));
    assert_true(rt_ok(dev_event_wait(event)));
    for (size_t i = 0; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0xa5);
    dev_event_destroy(event);
    dev_queue_destroy(queue);
    dev_memory_destroy(memory);
    assert_release(&f, CNF_KEPT_CLEAN, "");
    end(&f);
}

/* There is nothing to fill, and the probe only builds. */
static void a_device_that_only_links_can_be_kept(void **state)
{
    (void)state;
    fixture f;
    begin(&f, &links_only);
    dev_device *device = lend(&f);
    assert_null(f.kept.devices.items[0].filler);
    assert_release(&f, CNF_KEPT_CLEAN, "");
    assert_ptr_equal(lend(&f), device);
    assert_release(&f, CNF_KEPT_CLEAN, "");
    end(&f);
}

/* ---- The child ----------------------------------------------------------------------------- */

/* The probe's kernel: data[i] becomes 3 * data[i] + i. */
static const char head[] = "assay: 1\n"
                           "summary: A test.\n"
                           "modules:\n"
                           "  app: {sources: [{language: opencl-c, code: a}]}\n"
                           "  library: {sources: [{language: opencl-c, code: b}]}\n"
                           "memory:\n"
                           "  data: {type: uint, values: [1, 2, 3]}\n"
                           "steps:\n";
#define STEPS                                                                                      \
    "  - submit: {kernel: assay_probe, range: [3], args: [data]}\n"                                \
    "  - expect: {memory: data, equals: [3, 7, 11]}\n"

/* Sends a scenario to the child and waits until it is ready for the next, or has ended. */
static void request(int socket, rt_bytes pack, bool is_last, bool *out_ready)
{
    int input = cnf_start_input(pack), log = memfd_create("log", MFD_CLOEXEC);
    assert_true(input >= 0 && log >= 0);
    assert_int_equal(cnf_service_send(socket, input, log, is_last), 0);
    close(input);
    close(log);
    char byte;
    *out_ready = read(socket, &byte, 1) == 1;
}

/* Three scenarios on one opened device: after each but the last, the child says that it has
 * released everything; closing the device checks the last. */
static void a_child_serves_scenarios_on_one_device(void **state)
{
    (void)state;
    *open_count = 0;
    rt_arena arena = {0};
    rt_buffer pack = {0};
    const scenario_fixture scenarios = {.head = head,
                                        .images = {cnf_probe_scenario.modules[0].images, {0}}};
    scn_pack_write(&pack, scenario_fixture_read(&arena, &scenarios, STEPS));
    int ours, theirs, messages[2];
    assert_int_equal(cnf_service_create(&ours, &theirs), 0);
    assert_int_equal(pipe(messages), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const cnf_subject_options options = {0};
        close(ours);
        close(messages[0]);
        /* The socket and the pipe get the numbers that are not the log's. */
        int socket = dup2(theirs, 20), pipe_end = dup2(messages[1], 21);
        int log = memfd_create("log", 0);
        if (dup2(log, CNF_CHILD_LOG) < 0) _exit(9);
        _exit(cnf_subject_serve(&counted, &options, socket, pipe_end));
    }
    close(theirs);
    close(messages[1]);
    for (int i = 0; i < 3; i++) {
        bool is_ready;
        request(ours, rt_buffer_bytes(&pack), i == 2, &is_ready);
        assert_int_equal(is_ready, i < 2);
    }
    char text[1 << 16];
    size_t size = 0;
    for (ssize_t part; (part = read(messages[0], text + size, sizeof text - size)) > 0;)
        size += (size_t)part;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(*open_count, 1);
    /* Each scenario's messages, which end before the next "open" stage, are read separately. */
    rt_text rest = {text, size};
    for (int i = 0; i < 3; i++) {
        const char *next =
            memmem(rest.data + 1, rest.length - 1, "{\"type\":\"stage\",\"stage\":\"open\"", 30);
        assert_int_equal(next != NULL, i < 2);
        rt_text sent = {rest.data, next ? (size_t)(next - rest.data) : rest.length};
        cnf_messages read_messages;
        cnf_messages_read(&arena, sent, &read_messages);
        assert_null(read_messages.fault);
        assert_int_equal(read_messages.end, CNF_MESSAGES_ENDED);
        assert_int_equal(read_messages.is_released, i < 2);
        assert_true(read_messages.check_count > 0);
        for (uint32_t k = 0; k < read_messages.check_count; k++)
            assert_true(read_messages.checks[k].ok);
        rest = rt_text_skip(rest, sent.length);
    }
    close(ours);
    close(messages[0]);
    rt_buffer_free(&pack);
    rt_arena_reset(&arena);
}

int main(void)
{
    open_count =
        mmap(NULL, sizeof *open_count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (open_count == MAP_FAILED) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_is_opened_once),
        cmocka_unit_test(objects_that_are_left_are_found),
        cmocka_unit_test(a_device_that_no_longer_computes_is_found),
        cmocka_unit_test(new_memories_hold_the_pattern),
        cmocka_unit_test(a_device_that_only_links_can_be_kept),
        cmocka_unit_test(a_child_serves_scenarios_on_one_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
