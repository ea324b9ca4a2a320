/* Tests the simulated device's adapter on a fake of sim.h: order, lifetimes, failures. */
#include "backends/sim/simdev.h"
#include "backends/sim/test/fake_sim.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    rt_sink *sink;
    dev_device *device;
    dev_queue *queue;
    dev_memory *memory;
    dev_finding finding; /* the last one; the texts it points to have been freed */
    uint32_t finding_count;
} fixture;

static void finding_keep(void *user, const dev_finding *finding)
{
    fixture *f = user;
    f->finding = *finding;
    f->finding_count++;
}

static void open_with(fixture *f, uint64_t seed, const char *selector)
{
    fake_sim_reset();
    *f = (fixture){.sink = rt_sink_create()};
    const dev_open_parameters parameters = {
        .sink = f->sink, .seed = seed, .on_finding = finding_keep, .finding_user = f};
    assert_true(
        rt_ok(dev_device_open(&simdev_backend, &parameters, rt_text_of(selector), &f->device)));
    assert_true(rt_ok(dev_queue_create(f->device, &f->queue)));
    assert_true(rt_ok(dev_memory_create(f->device, 16, RT_TEXT("data"), &f->memory)));
}

static void open_with_seed(fixture *f, uint64_t seed)
{
    open_with(f, seed, "");
}

static void close_all(fixture *f)
{
    dev_memory_destroy(f->memory);
    dev_queue_destroy(f->queue);
    dev_device_destroy(f->device);
    assert_int_equal(fake_sim.live, 0);
    rt_sink_destroy(f->sink);
}

static rt_bytes bytes_of(const char *text)
{
    return (rt_bytes){(const uint8_t *)text, strlen(text)};
}

static dev_code code_of(const char *text)
{
    return (dev_code){.format = RT_FORMAT_SPIRV64, .bytes = bytes_of(text)};
}

static dev_program *program_build(fixture *f, const char *text)
{
    const dev_code code = code_of(text);
    dev_program *program;
    assert_true(rt_ok(dev_program_build(f->device, &code, &program)));
    return program;
}

static dev_kernel *kernel_build(fixture *f, const char *name)
{
    dev_program *program = program_build(f, name);
    dev_kernel *kernel;
    assert_true(rt_ok(dev_kernel_create(program, rt_text_of(name), &kernel)));
    dev_program_destroy(program); /* the kernel keeps it alive */
    return kernel;
}

static const dev_nd_range range_one = {.dimensions = 1, .global = {1, 1, 1}};

/* Enqueues a launch of kernel(value, memory). */
static dev_event *launch(fixture *f, dev_kernel *kernel, uint8_t value, dev_event *const *wait,
                         uint32_t wait_count)
{
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = f->memory},
    };
    const dev_command command = {.tag = value, .wait = wait, .wait_count = wait_count};
    dev_event *event;
    assert_true(
        rt_ok(dev_enqueue_kernel(f->queue, command, kernel, &range_one, arguments, 2, &event)));
    return event;
}

static void nothing_runs_before_a_wait(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_kernel *kernel = kernel_build(&f, "k");
    dev_event *event = launch(&f, kernel, 5, NULL, 0);
    assert_int_equal(dev_event_query(event), DEV_EVENT_PENDING);
    assert_true(rt_ok(dev_queue_flush(f.queue)));
    assert_int_equal(fake_sim.launch_count, 0);
    assert_true(rt_ok(dev_event_wait(event)));
    assert_true(rt_ok(dev_event_wait(event)));
    assert_int_equal(dev_event_query(event), DEV_EVENT_COMPLETE);
    assert_int_equal(fake_sim.launch_count, 1);
    assert_int_equal(fake_sim.launches[0], 5);
    assert_int_equal(fake_sim.last_range.local[0], 1);
    dev_event_destroy(event);
    dev_kernel_destroy(kernel);
    close_all(&f);
}

/* Runs eight independent launches and returns the order in which they ran. */
static void order_of_eight(uint64_t seed, uint8_t *out_order)
{
    fixture f;
    open_with_seed(&f, seed);
    dev_kernel *kernel = kernel_build(&f, "k");
    for (uint8_t i = 0; i < 8; i++)
        dev_event_destroy(launch(&f, kernel, i, NULL, 0));
    dev_kernel_destroy(kernel); /* the commands keep it alive */
    dev_queue_destroy(f.queue);
    f.queue = NULL;
    assert_int_equal(fake_sim.launch_count, 8);
    memcpy(out_order, fake_sim.launches, 8);
    close_all(&f);
}

static void seed_chooses_the_order(void **state)
{
    (void)state;
    uint8_t first[8], repeated[8], other[8];
    order_of_eight(1, first);
    order_of_eight(1, repeated);
    assert_memory_equal(first, repeated, 8);
    bool differs = false;
    for (uint64_t seed = 2; seed < 10 && !differs; seed++) {
        order_of_eight(seed, other);
        differs = memcmp(first, other, 8) != 0;
    }
    assert_true(differs);
}

static void wait_lists_are_obeyed_for_every_seed(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        fixture f;
        open_with_seed(&f, seed);
        dev_kernel *kernel = kernel_build(&f, "k");
        dev_event *events[6];
        /* 0 and 1 wait for nothing; 2 waits for both; 3 for 2; 4 for 0; 5 for 3 and 4. */
        events[0] = launch(&f, kernel, 0, NULL, 0);
        events[1] = launch(&f, kernel, 1, NULL, 0);
        events[2] = launch(&f, kernel, 2, events, 2);
        events[3] = launch(&f, kernel, 3, &events[2], 1);
        events[4] = launch(&f, kernel, 4, events, 1);
        events[5] = launch(&f, kernel, 5, &events[3], 2);
        assert_true(rt_ok(dev_event_wait(events[5])));
        assert_int_equal(fake_sim.launch_count, 6);
        uint32_t at[6];
        for (uint32_t i = 0; i < 6; i++)
            at[fake_sim.launches[i]] = i;
        assert_true(at[2] > at[0] && at[2] > at[1] && at[3] > at[2]);
        assert_true(at[4] > at[0] && at[5] > at[3] && at[5] > at[4]);
        for (uint32_t i = 0; i < 6; i++)
            dev_event_destroy(events[i]);
        dev_kernel_destroy(kernel);
        close_all(&f);
    }
}

static void copies_fills_and_reads_move_bytes(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 3);
    dev_memory *other;
    assert_true(rt_ok(dev_memory_create(f.device, 10000, RT_TEXT("other"), &other)));
    const uint8_t written[4] = {1, 2, 3, 4};
    uint8_t read[12] = {0};
    const dev_command free_command = {0};
    dev_event *events[4];
    assert_true(rt_ok(dev_enqueue_write(f.queue, free_command, f.memory, 4, 4, written, events)));
    const uint16_t pattern = 0xABCD;
    assert_true(rt_ok(dev_enqueue_fill(f.queue, free_command, other, 2, 9998,
                                       (rt_bytes){(const uint8_t *)&pattern, 2}, &events[1])));
    assert_true(rt_ok(dev_enqueue_copy(f.queue, (dev_command){.wait = events, .wait_count = 2},
                                       f.memory, 4, other, 9000, 4, &events[2])));
    dev_memory_destroy(f.memory); /* the copy keeps it alive */
    f.memory = NULL;
    assert_true(rt_ok(dev_enqueue_read(f.queue, (dev_command){.wait = &events[2], .wait_count = 1},
                                       other, 8996, 12, read, &events[3])));
    assert_true(rt_ok(dev_event_wait(events[3])));
    const uint8_t expected[12] = {0xCD, 0xAB, 0xCD, 0xAB, 1, 2, 3, 4, 0xCD, 0xAB, 0xCD, 0xAB};
    assert_memory_equal(read, expected, 12);
    uint8_t bits[1];
    assert_true(rt_ok(dev_memory_defined(other, 0, 4, bits)));
    assert_int_equal(bits[0], 0x0C); /* bytes 0 and 1 were never written */
    for (uint32_t i = 0; i < 4; i++)
        dev_event_destroy(events[i]);
    dev_memory_destroy(other);
    close_all(&f);
}

static void failure_is_passed_on_without_running(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        fixture f;
        open_with_seed(&f, seed);
        fake_sim.refuse = RT_BUDGET;
        dev_kernel *bad = kernel_build(&f, "fails"), *good = kernel_build(&f, "k");
        dev_event *failing = launch(&f, bad, 1, NULL, 0);
        dev_event *first = launch(&f, good, 2, &failing, 1);
        dev_event *second = launch(&f, good, 3, &first, 1);
        dev_event *unrelated = launch(&f, good, 4, NULL, 0);
        assert_int_equal(dev_event_wait(second).code, RT_BUDGET);
        assert_int_equal(dev_event_wait(failing).code, RT_BUDGET);
        assert_true(rt_ok(dev_event_wait(unrelated)));
        assert_int_equal(fake_sim.launch_count, 1);
        assert_int_equal(dev_event_query(first), DEV_EVENT_FAILED);
        /* A predecessor that has already failed counts too. */
        dev_event *late = launch(&f, good, 5, &failing, 1);
        assert_int_equal(dev_event_wait(late).code, RT_BUDGET);
        assert_int_equal(fake_sim.launch_count, 1);
        dev_event *events[] = {failing, first, second, unrelated, late};
        for (uint32_t i = 0; i < 5; i++)
            dev_event_destroy(events[i]);
        dev_kernel_destroy(bad);
        dev_kernel_destroy(good);
        close_all(&f);
    }
}

static void findings_carry_the_tag(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_kernel *kernel = kernel_build(&f, "k");
    const uint8_t value = 9;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_MEMORY, .memory = NULL},
    };
    dev_event *event;
    assert_true(rt_ok(dev_enqueue_kernel(f.queue, (dev_command){.tag = 77}, kernel, &range_one,
                                         arguments, 2, &event)));
    assert_true(rt_ok(dev_event_wait(event)));
    assert_int_equal(f.finding_count, 1);
    assert_int_equal(f.finding.tag, 77);
    assert_string_equal(f.finding.kind, "out-of-bounds");
    assert_int_equal(f.finding.work_item[0], 7);
    assert_int_equal(f.finding.count, 3);
    dev_event_destroy(event);
    dev_kernel_destroy(kernel);
    close_all(&f);
}

static void arguments_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_kernel *kernel = kernel_build(&f, "k"), *local = kernel_build(&f, "local");
    assert_int_equal(dev_kernel_argument_count(kernel), 2);
    assert_int_equal(dev_kernel_local_bytes(kernel), 0);
    assert_int_equal(dev_kernel_local_bytes(local), 48);
    const uint8_t bytes[4] = {0};
    const dev_argument memory = {.kind = DEV_ARGUMENT_MEMORY, .memory = f.memory};
    const dev_argument byte = {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 1}};
    const dev_argument word = {.kind = DEV_ARGUMENT_BYTES, .bytes = {bytes, 4}};
    const dev_argument scratch = {.kind = DEV_ARGUMENT_LOCAL, .size = 32};
    const struct {
        dev_kernel *kernel;
        dev_argument arguments[2];
        uint32_t count;
        rt_code code;
    } rows[] = {
        {kernel, {byte, memory}, 2, RT_OK},
        {kernel, {byte}, 1, RT_ERRC_KERNEL_ARGUMENT},
        {kernel, {word, memory}, 2, RT_ERRC_KERNEL_ARGUMENT},
        {kernel, {memory, memory}, 2, RT_ERRC_KERNEL_ARGUMENT},
        {kernel, {byte, scratch}, 2, RT_ERRC_KERNEL_ARGUMENT},
        {local, {scratch}, 1, RT_OK},
        {local, {memory}, 1, RT_ERRC_KERNEL_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dev_event *event;
        rt_status status = dev_enqueue_kernel(f.queue, (dev_command){0}, rows[i].kernel, &range_one,
                                              rows[i].arguments, rows[i].count, &event);
        assert_int_equal(status.code, rows[i].code);
        dev_event_destroy(event);
    }
    const dev_nd_range uneven = {.dimensions = 1, .global = {10, 1, 1}, .local = {4, 1, 1}};
    dev_event *event;
    const dev_argument fitting[] = {byte, memory};
    assert_int_equal(
        dev_enqueue_kernel(f.queue, (dev_command){0}, kernel, &uneven, fitting, 2, &event).code,
        RT_ERRC_ND_RANGE);
    dev_kernel_destroy(kernel);
    dev_kernel_destroy(local);
    close_all(&f);
}

static void programs_link_or_say_why_not(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_program *user, *exporter, *linked, *none;
    dev_kernel *kernel;
    const rt_text no_options = RT_TEXT("");
    const dev_code user_code = code_of("apply needs f"), exporter_code = code_of("x exports f");
    assert_true(rt_ok(dev_program_compile(f.device, &user_code, &user)));
    assert_true(rt_ok(dev_program_compile(f.device, &exporter_code, &exporter)));
    assert_int_equal(dev_program_link(f.device, &user, 1, no_options, &none).code, RT_LINK_ERROR);
    assert_null(none);
    dev_program *programs[] = {user, exporter};
    assert_true(rt_ok(dev_program_link(f.device, programs, 2, no_options, &linked)));
    dev_program_destroy(user);
    dev_program_destroy(exporter);
    assert_true(rt_ok(dev_kernel_create(linked, RT_TEXT("apply"), &kernel)));
    dev_kernel_destroy(kernel);
    assert_int_equal(dev_kernel_create(linked, RT_TEXT("aply"), &kernel).code, RT_ERRC_INVALID);
    dev_program_destroy(linked);
    const dev_code empty = code_of(""), unresolved = code_of("k needs g");
    const dev_code native = {.format = RT_FORMAT_SPIRV64_GEN, .bytes = bytes_of("native:k")};
    assert_int_equal(dev_program_build(f.device, &empty, &none).code, RT_MALFORMED);
    /* The format for GPUs: the device's own format under another name. */
    assert_true(rt_ok(dev_program_build(f.device, &native, &none)));
    dev_program_destroy(none);
    assert_int_equal(dev_program_build(f.device, &unresolved, &none).code, RT_LINK_ERROR);
    close_all(&f);
}

static dev_program *native_compile(fixture *f, const char *text)
{
    const dev_code code = {.format = RT_FORMAT_NATIVE, .bytes = bytes_of(text)};
    dev_program *program;
    assert_true(rt_ok(dev_program_compile(f->device, &code, &program)));
    return program;
}

/* Native images are linked with each other and with SPIR-V; each image contributes all of its
 * modules. */
static void native_images_link(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    const dev_code spirv = code_of("apply needs h"),
                   bad = {.format = RT_FORMAT_NATIVE, .bytes = bytes_of("k")};
    dev_program *programs[3] = {native_compile(&f, "native:k needs f;x exports g"),
                                native_compile(&f, "native:l needs g;x exports f;y exports h")};
    dev_program *linked, *none;
    assert_true(rt_ok(dev_program_compile(f.device, &spirv, &programs[2])));
    const rt_text no_options = RT_TEXT("");
    assert_int_equal(dev_program_link(f.device, programs, 1, no_options, &none).code,
                     RT_LINK_ERROR);
    assert_true(rt_ok(dev_program_link(f.device, programs, 3, no_options, &linked)));
    static const char *const names[] = {"k", "l", "apply"};
    for (int i = 0; i < 3; i++) {
        dev_kernel *kernel;
        assert_true(rt_ok(dev_kernel_create(linked, rt_text_of(names[i]), &kernel)));
        dev_kernel_destroy(kernel);
        dev_program_destroy(programs[i]);
    }
    dev_program_destroy(linked);
    assert_int_equal(dev_program_build(f.device, &bad, &none).code, RT_MALFORMED);
    assert_int_equal(dev_program_compile(f.device, &bad, &none).code, RT_MALFORMED);
    close_all(&f);
}

/* The binary of a linked program holds the modules of all its inputs, which may have been destroyed
 * by then; the binary of a built or loaded program holds that program's own modules. */
static void programs_survive_as_binaries(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_program *inputs[] = {native_compile(&f, "native:k needs f;x exports g"),
                             native_compile(&f, "native:l needs g;x exports f")};
    dev_program *programs[3], *none;
    assert_true(rt_ok(dev_program_link(f.device, inputs, 2, RT_TEXT(""), &programs[0])));
    dev_program_destroy(inputs[0]);
    dev_program_destroy(inputs[1]);
    for (int i = 0; i < 3; i++) {
        rt_buffer binary = {0};
        assert_true(rt_ok(dev_program_binary(programs[i], &binary)));
        assert_string_equal(rt_buffer_string(&binary),
                            "native:k needs f;x exports g;l needs g;x exports f");
        if (i < 2)
            assert_true(
                rt_ok(dev_program_load(f.device, rt_buffer_bytes(&binary), &programs[i + 1])));
        rt_buffer_free(&binary);
    }
    dev_kernel *kernel;
    assert_true(rt_ok(dev_kernel_create(programs[2], RT_TEXT("l"), &kernel)));
    dev_kernel_destroy(kernel);
    for (int i = 0; i < 3; i++)
        dev_program_destroy(programs[i]);
    assert_int_equal(dev_program_load(f.device, bytes_of("k"), &none).code, RT_MALFORMED);
    assert_int_equal(dev_program_load(f.device, bytes_of("native:k needs f"), &none).code,
                     RT_LINK_ERROR);
    close_all(&f);
}

static void what_the_offline_compiler_makes_is_taken(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    rt_buffer image = {0};
    assert_true(rt_ok(simdev_offline_compile(f.sink, bytes_of("k"), &image)));
    const dev_code code = {.format = RT_FORMAT_NATIVE, .bytes = rt_buffer_bytes(&image)};
    dev_program *program;
    assert_true(rt_ok(dev_program_build(f.device, &code, &program)));
    dev_program_destroy(program);
    rt_buffer_free(&image);
    assert_int_equal(simdev_offline_compile(f.sink, bytes_of(""), &image).code, RT_MALFORMED);
    assert_int_equal(image.size, 0);
    close_all(&f);
}

static void constants_reach_the_reader(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    const uint8_t value[4] = {9, 0, 0, 0};
    const dev_spec_constant constants[] = {{.id = 3, .value = {value, 4}},
                                           {.id = 4, .value = {value, 1}}};
    dev_code code = code_of("k");
    code.constants = constants;
    code.constant_count = 2;
    dev_program *program;
    assert_true(rt_ok(dev_program_build(f.device, &code, &program)));
    assert_int_equal(fake_sim.constant_count, 2);
    assert_int_equal(fake_sim.constant_id, 3);
    assert_int_equal(fake_sim.constant_value, 9);
    dev_program_destroy(program);
    assert_true(rt_ok(dev_program_compile(f.device, &code, &program)));
    assert_int_equal(fake_sim.constant_count, 2);
    dev_program_destroy(program);
    code.constant_count = 0;
    assert_true(rt_ok(dev_program_build(f.device, &code, &program)));
    assert_int_equal(fake_sim.constant_count, 0);
    dev_program_destroy(program);
    close_all(&f);
}

static void declared_sets_reach_every_module(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    const dev_declared_sets functions[] = {{RT_TEXT("f"), RT_TEXT("s")},
                                           {RT_TEXT("g"), RT_TEXT("t")}};
    const dev_declared_sets kernel = {RT_TEXT("k"), RT_TEXT("s,t")};
    dev_code code = code_of("native:k;l");
    code.format = RT_FORMAT_NATIVE;
    dev_program *program;
    assert_true(rt_ok(dev_program_compile(f.device, &code, &program)));
    assert_int_equal(fake_sim.declared_count, 0); /* a native image's own declarations remain */
    dev_program_destroy(program);
    code.function_sets = functions;
    code.function_set_count = 2;
    code.kernel_sets = &kernel;
    code.kernel_set_count = 1;
    assert_true(rt_ok(dev_program_compile(f.device, &code, &program)));
    assert_int_equal(fake_sim.declared_count, 2);
    assert_int_equal(fake_sim.declared_function, 'g');
    assert_int_equal(fake_sim.declared_set, 't');
    assert_int_equal(fake_sim.declared_kernel, 'k');
    dev_program_destroy(program);
    close_all(&f);
}

/* ---- Unified shared memory and variables -------------------------------------------------- */

static dev_memory *usm_create(fixture *f, dev_memory_kind kind, uint64_t size)
{
    dev_memory *memory;
    assert_true(rt_ok(dev_usm_create(f->device, kind, size, RT_TEXT("usm"), &memory)));
    assert_int_equal(memory->kind, kind);
    assert_int_equal(memory->size, size);
    return memory;
}

static void pointers_arrive_with_their_offset(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_memory *first = usm_create(&f, DEV_MEMORY_USM_SHARED, 16);
    dev_memory *second = usm_create(&f, DEV_MEMORY_USM_HOST, 16);
    assert_int_not_equal(dev_memory_address(first), dev_memory_address(second));
    assert_int_equal(dev_memory_address(first), dev_memory_address(first));
    dev_kernel *kernel = kernel_build(&f, "k");
    const uint8_t value = 5;
    const dev_argument arguments[] = {
        {.kind = DEV_ARGUMENT_BYTES, .bytes = {&value, 1}},
        {.kind = DEV_ARGUMENT_POINTER, .memory = first, .offset = 12},
    };
    const dev_argument swapped[] = {arguments[1], arguments[0]};
    dev_event *event;
    assert_int_equal(
        dev_enqueue_kernel(f.queue, (dev_command){0}, kernel, &range_one, swapped, 2, &event).code,
        RT_ERRC_KERNEL_ARGUMENT);
    assert_true(rt_ok(
        dev_enqueue_kernel(f.queue, (dev_command){0}, kernel, &range_one, arguments, 2, &event)));
    assert_true(rt_ok(dev_event_wait(event)));
    dev_event_destroy(event);
    assert_int_equal(fake_sim.last_offset, 12);
    uint8_t bits[2];
    assert_true(rt_ok(dev_memory_defined(first, 0, 16, bits)));
    assert_int_equal(bits[0], 0);
    assert_int_equal(bits[1], 0x10);
    dev_kernel_destroy(kernel);
    dev_memory_destroy(first);
    dev_memory_destroy(second);
    close_all(&f);
}

/* A command that uses memory after it was freed is reported to the application, whatever the kind
 * of command. */
static void usm_is_freed_at_once(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    const dev_command free_command = {.tag = 6};
    const uint8_t pattern = 1;
    uint8_t host[4] = {1, 2, 3, 4};
    for (int i = 0; i < 5; i++) {
        dev_memory *freed = usm_create(&f, DEV_MEMORY_USM_DEVICE, 8);
        dev_event *event = NULL;
        rt_status status =
            i == 0   ? dev_enqueue_read(f.queue, free_command, freed, 4, 4, host, &event)
            : i == 1 ? dev_enqueue_write(f.queue, free_command, freed, 4, 4, host, &event)
            : i == 2 ? dev_enqueue_copy(f.queue, free_command, freed, 4, f.memory, 0, 4, &event)
            : i == 3 ? dev_enqueue_copy(f.queue, free_command, f.memory, 0, freed, 4, 4, &event)
                     : dev_enqueue_fill(f.queue, free_command, freed, 4, 4, (rt_bytes){&pattern, 1},
                                        &event);
        assert_true(rt_ok(status));
        f.finding_count = 0;
        dev_memory_destroy(freed);
        assert_true(rt_ok(dev_event_wait(event)));
        dev_event_destroy(event);
        assert_int_equal(f.finding_count, 1);
        assert_string_equal(f.finding.kind, "use-after-free");
        assert_int_equal(f.finding.tag, 6);
        assert_int_equal(f.finding.offset, 4);
        assert_int_equal(f.finding.count, 1);
        if (i == 0) assert_int_equal(host[0] | host[1] | host[2] | host[3], 0);
    }
    uint8_t bits[1];
    assert_true(rt_ok(dev_memory_defined(f.memory, 0, 8, bits)));
    assert_int_equal(bits[0], 0); /* the copy moved nothing */
    close_all(&f);
}

static void variables_are_found_by_name(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_program *program = program_build(&f, "k variable counter");
    dev_memory *found, *second, *none;
    assert_int_equal(dev_global_find(program, RT_TEXT("count"), &none).code, RT_ERRC_INVALID);
    assert_null(none);
    fake_sim.refuse_object = true;
    assert_int_equal(dev_global_find(program, RT_TEXT("counter"), &none).code,
                     RT_ERRC_MEMORY_ALLOCATION);
    assert_true(rt_ok(dev_global_find(program, RT_TEXT("counter"), &found)));
    assert_true(rt_ok(dev_global_find(program, RT_TEXT("counter"), &second)));
    assert_int_equal(found->kind, DEV_MEMORY_GLOBAL);
    assert_int_equal(found->size, 4);
    assert_true(dev_memory_address(found) == dev_memory_address(second));
    dev_memory_destroy(found);

    /* An enqueued command keeps the variable alive, and the variable keeps its program alive. */
    const uint8_t written[2] = {1, 2};
    uint8_t read[4] = {0};
    dev_event *events[2];
    assert_true(
        rt_ok(dev_enqueue_write(f.queue, (dev_command){0}, second, 1, 2, written, &events[0])));
    assert_true(rt_ok(dev_enqueue_read(f.queue, (dev_command){.wait = events, .wait_count = 1},
                                       second, 0, 4, read, &events[1])));
    dev_memory_destroy(second);
    dev_program_destroy(program);
    assert_true(rt_ok(dev_event_wait(events[1])));
    const uint8_t expected[4] = {7, 1, 2, 7};
    assert_memory_equal(read, expected, 4);
    dev_event_destroy(events[0]);
    dev_event_destroy(events[1]);
    close_all(&f);
}

static void functions_are_found_by_name(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_program *program = program_build(&f, "k");
    uint64_t address;
    assert_true(rt_ok(simdev_function_find(program, RT_TEXT("indirect"), &address)));
    assert_true(address == FAKE_FUNCTION);
    rt_status status = simdev_function_find(program, RT_TEXT("k"), &address);
    assert_int_equal(status.code, RT_ERRC_INVALID);
    assert_true(address == 0);
    dev_program_destroy(program);
    close_all(&f);
}

static void memory_that_cannot_be_allocated_is_a_status(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    fake_sim.refuse_object = true;
    dev_memory *memory;
    assert_int_equal(dev_memory_create(f.device, 8, RT_TEXT("m"), &memory).code,
                     RT_ERRC_MEMORY_ALLOCATION);
    assert_null(memory);
    close_all(&f);
}

static void selector_chooses_schedule_and_engine(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        sim_schedule schedule;
        bool has_engine, has_tier;
    } rows[] = {{"", SIM_SCHEDULE_LOCKSTEP, false},
                {"schedule=lockstep", SIM_SCHEDULE_LOCKSTEP, false},
                {"schedule=forward", SIM_SCHEDULE_FORWARD, false},
                {"schedule=backward", SIM_SCHEDULE_BACKWARD, false},
                {"schedule=seeded", SIM_SCHEDULE_SEEDED, false},
                {"engine=v3", SIM_SCHEDULE_LOCKSTEP, true},
                {"engine=v3,schedule=seeded", SIM_SCHEDULE_SEEDED, true},
                {"schedule=forward,engine=v3", SIM_SCHEDULE_FORWARD, true},
                {"tier=compiled", SIM_SCHEDULE_LOCKSTEP, false, true},
                {"tier=compiled,schedule=backward,engine=v3", SIM_SCHEDULE_BACKWARD, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        fake_sim.last_engine = NULL;
        fake_sim.last_tier = NULL;
        open_with(&f, 1, rows[i].selector);
        dev_kernel *kernel = kernel_build(&f, "k");
        dev_event *event = launch(&f, kernel, 1, NULL, 0);
        assert_true(rt_ok(dev_event_wait(event)));
        assert_int_equal(fake_sim.last_schedule, rows[i].schedule);
        assert_int_equal(fake_sim.last_engine != NULL, rows[i].has_engine);
        assert_int_equal(fake_sim.last_tier != NULL, rows[i].has_tier);
        dev_event_destroy(event);
        dev_kernel_destroy(kernel);
        close_all(&f);
    }
}

/* With usm=mapped, the kinds of USM that the host accesses are mapped, and nothing else is. */
static void selector_maps_the_hosts_usm(void **state)
{
    (void)state;
    for (int is_mapped = 0; is_mapped < 2; is_mapped++) {
        fixture f;
        open_with(&f, 1, is_mapped ? "usm=mapped" : "");
        assert_int_equal(fake_sim.may_map, is_mapped);
        dev_memory *of_device = usm_create(&f, DEV_MEMORY_USM_DEVICE, 8);
        assert_int_equal(fake_sim.mapped, 0);
        dev_memory *of_host = usm_create(&f, DEV_MEMORY_USM_HOST, 8);
        dev_memory *shared = usm_create(&f, DEV_MEMORY_USM_SHARED, 8);
        assert_int_equal(fake_sim.mapped, is_mapped ? 2 : 0);
        dev_memory_destroy(of_device);
        dev_memory_destroy(of_host);
        dev_memory_destroy(shared);
        assert_int_equal(fake_sim.retired, 3);
        close_all(&f);
    }
}

static void other_selectors_are_refused(void **state)
{
    (void)state;
    static const char *const selectors[] = {"2",
                                            "schedule",
                                            "schedule=",
                                            "schedule=sideways",
                                            "forward",
                                            "schedule=forward,schedule=backward",
                                            "engine=",
                                            "engine=v9",
                                            "engine=v3,engine=v3",
                                            "engine=v3;schedule=forward",
                                            "clock=sundial",
                                            "usm=",
                                            "usm=far",
                                            "tier=",
                                            "tier=fast",
                                            "tier=compiled,tier=compiled"};
    rt_sink *sink = rt_sink_create();
    const dev_open_parameters parameters = {.sink = sink};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        dev_device *device;
        rt_status status =
            dev_device_open(&simdev_backend, &parameters, rt_text_of(selectors[i]), &device);
        assert_int_equal(status.code, RT_ERRC_INVALID);
        assert_null(device);
        assert_int_equal(fake_sim.live, 0);
    }
    rt_sink_destroy(sink);
}

/* One of four threads that share a device; each enqueues launches on its own queue and waits for
 * them. */
static void *thread_run(void *user)
{
    fixture shared = *(fixture *)user;
    dev_queue *queue;
    CHECK(rt_ok(dev_queue_create(shared.device, &queue)));
    shared.queue = queue;
    dev_kernel *kernel = kernel_build(&shared, "k");
    for (uint8_t i = 0; i < 20; i++) {
        dev_event *first = launch(&shared, kernel, i, NULL, 0);
        dev_event *second = launch(&shared, kernel, i, &first, 1);
        dev_event_destroy(first);
        CHECK(rt_ok(dev_event_wait(second)));
        dev_event_destroy(second);
    }
    dev_kernel_destroy(kernel);
    dev_queue_destroy(queue);
    return NULL;
}

static void threads_share_a_device(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, thread_run, &f), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(fake_sim.launch_count, 160);
    close_all(&f);
}

static void a_host_event_holds_commands_back(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_kernel *kernel = kernel_build(&f, "k");
    dev_event *host;
    assert_true(rt_ok(dev_host_event_create(f.device, &host)));
    dev_event *held = launch(&f, kernel, 1, &host, 1);
    dev_event *unrelated = launch(&f, kernel, 2, NULL, 0);
    /* Polling runs what can run, and does not block. */
    assert_int_equal(dev_event_advance(held), DEV_EVENT_PENDING);
    assert_int_equal(dev_event_query(unrelated), DEV_EVENT_COMPLETE);
    assert_true(rt_ok(dev_host_event_complete(host, false)));
    assert_int_equal(dev_host_event_complete(host, true).code, RT_ERRC_INVALID);
    assert_int_equal(dev_event_query(held), DEV_EVENT_PENDING);
    assert_true(rt_ok(dev_event_wait(held)));
    assert_true(rt_ok(dev_event_wait(host)));
    assert_int_equal(fake_sim.launch_count, 2);
    assert_int_equal(fake_sim.launches[1], 1);
    dev_event *events[] = {host, held, unrelated};
    for (uint32_t i = 0; i < 3; i++)
        dev_event_destroy(events[i]);
    dev_kernel_destroy(kernel);
    close_all(&f);
}

static void a_host_event_that_fails_fails_its_dependents(void **state)
{
    (void)state;
    for (int is_destroyed = 0; is_destroyed < 2; is_destroyed++) {
        fixture f;
        open_with_seed(&f, 1);
        dev_kernel *kernel = kernel_build(&f, "k");
        dev_event *host;
        assert_true(rt_ok(dev_host_event_create(f.device, &host)));
        dev_event *held = launch(&f, kernel, 1, &host, 1);
        if (!is_destroyed) assert_true(rt_ok(dev_host_event_complete(host, true)));
        dev_event_destroy(host);
        assert_int_equal(dev_event_wait(held).code, RT_DRIVER_ERROR);
        assert_int_equal(fake_sim.launch_count, 0);
        dev_event_destroy(held);
        dev_kernel_destroy(kernel);
        close_all(&f);
    }
}

static void *host_event_complete(void *event)
{
    return rt_ok(dev_host_event_complete(event, false)) ? event : NULL;
}

static void a_waiter_sleeps_until_the_host_completes(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_event *host, *marker;
    pthread_t thread;
    assert_true(rt_ok(dev_host_event_create(f.device, &host)));
    const dev_command after_host = {.wait = &host, .wait_count = 1};
    assert_true(rt_ok(dev_enqueue_marker(f.queue, after_host, (dev_marker){0}, &marker)));
    assert_int_equal(pthread_create(&thread, NULL, host_event_complete, host), 0);
    assert_true(rt_ok(dev_event_wait(marker)));
    void *completed = NULL;
    assert_int_equal(pthread_join(thread, &completed), 0);
    assert_ptr_equal(completed, host);
    dev_event_destroy(host);
    dev_event_destroy(marker);
    close_all(&f);
}

/* What the application does between two launches that write the same byte. */
typedef enum between {
    BETWEEN_NOTHING,
    BETWEEN_WAIT_LIST,
    BETWEEN_WAIT,
    BETWEEN_QUERY,         /* until it is complete */
    BETWEEN_BARRIER,       /* waits for all, and holds later commands back */
    BETWEEN_BARRIER_OF,    /* holds later commands back, and waits for the first launch */
    BETWEEN_MARKER,        /* waits for all, and the second launch waits for it */
    BETWEEN_UNUSED_MARKER, /* the second launch does not wait for it */
    BETWEEN_LATER,         /* a third launch, that the second does not wait for, is waited for */
    BETWEEN_CHAIN,         /* the second waits for a copy elsewhere that waits for the first */
    BETWEEN_KINDS
} between;

/* Runs two launches and returns the number of findings. */
static uint32_t races_between(uint64_t seed, between what)
{
    fixture f;
    open_with_seed(&f, seed);
    dev_kernel *kernel = kernel_build(&f, "k");
    dev_memory *elsewhere;
    assert_true(rt_ok(dev_memory_create(f.device, 16, RT_TEXT("elsewhere"), &elsewhere)));
    dev_event *first = launch(&f, kernel, 1, NULL, 0), *middle = NULL;
    dev_command command = {.tag = 7};
    const uint8_t zero = 0;
    switch (what) {
    case BETWEEN_WAIT: assert_true(rt_ok(dev_event_wait(first))); break;
    case BETWEEN_QUERY:
        dev_event_advance(first);
        assert_int_equal(dev_event_query(first), DEV_EVENT_COMPLETE);
        break;
    case BETWEEN_BARRIER_OF:
    case BETWEEN_CHAIN:
        command.wait = &first;
        command.wait_count = 1;
        break;
    default: break;
    }
    const dev_marker markers[BETWEEN_KINDS] = {
        [BETWEEN_BARRIER] = {.is_barrier = true, .waits_for_all = true},
        [BETWEEN_BARRIER_OF] = {.is_barrier = true},
        [BETWEEN_MARKER] = {.waits_for_all = true},
        [BETWEEN_UNUSED_MARKER] = {.waits_for_all = true}};
    bool is_marker = markers[what].is_barrier || markers[what].waits_for_all;
    if (is_marker) assert_true(rt_ok(dev_enqueue_marker(f.queue, command, markers[what], &middle)));
    if (what == BETWEEN_LATER || what == BETWEEN_CHAIN)
        assert_true(rt_ok(
            dev_enqueue_fill(f.queue, command, elsewhere, 0, 16, (rt_bytes){&zero, 1}, &middle)));
    if (what == BETWEEN_LATER) assert_true(rt_ok(dev_event_wait(middle)));
    dev_event *waits = what == BETWEEN_WAIT_LIST                         ? first
                       : what == BETWEEN_MARKER || what == BETWEEN_CHAIN ? middle
                                                                         : NULL;
    dev_event *second = launch(&f, kernel, 2, &waits, waits != NULL);
    assert_true(rt_ok(dev_event_wait(second)));
    assert_true(rt_ok(dev_event_wait(first)));
    uint32_t count = f.finding_count;
    if (count > 0) {
        assert_string_equal(f.finding.kind, "command-race");
        assert_true(f.finding.has_other && !f.finding.is_host);
        assert_int_equal(f.finding.tag, 2);
        assert_int_equal(f.finding.other_tag, 1);
    }
    dev_event *events[] = {first, middle, second};
    for (uint32_t i = 0; i < 3; i++)
        dev_event_destroy(events[i]);
    dev_memory_destroy(elsewhere);
    dev_kernel_destroy(kernel);
    close_all(&f);
    return count;
}

/* Whichever of the two runs first. */
static void commands_race_unless_something_orders_them(void **state)
{
    (void)state;
    for (between what = BETWEEN_NOTHING; what < BETWEEN_KINDS; what++) {
        bool races =
            what == BETWEEN_NOTHING || what == BETWEEN_UNUSED_MARKER || what == BETWEEN_LATER;
        for (uint64_t seed = 0; seed < 20; seed++)
            assert_int_equal(races_between(seed, what), races);
    }
}

/* The launch writes byte 8 through one window, and then byte 0 through another. */
static void ranges_need_not_ascend(void **state)
{
    (void)state;
    for (uint64_t offset = 0; offset <= 8; offset += 4) {
        fixture f;
        open_with_seed(&f, 0);
        dev_kernel *kernel = kernel_build(&f, "windows");
        dev_event *first = launch(&f, kernel, 1, NULL, 0), *second;
        const uint8_t zero = 0;
        const dev_command command = {.tag = 2};
        assert_true(rt_ok(dev_enqueue_fill(f.queue, command, f.memory, offset, 4,
                                           (rt_bytes){&zero, 1}, &second)));
        assert_true(rt_ok(dev_event_wait(second)));
        assert_true(rt_ok(dev_event_wait(first)));
        assert_int_equal(f.finding_count, offset != 4);
        dev_event_destroy(first);
        dev_event_destroy(second);
        dev_kernel_destroy(kernel);
        close_all(&f);
    }
}

/* The host's own read of shared memory is ordered by what the host knows, and orders what follows.
 */
static void accesses_of_the_host_take_part(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        fixture f;
        open_with_seed(&f, seed);
        dev_memory *shared;
        dev_event *first, *second;
        const uint8_t zero = 0;
        const rt_bytes pattern = {&zero, 1};
        assert_true(
            rt_ok(dev_usm_create(f.device, DEV_MEMORY_USM_SHARED, 16, RT_TEXT("shared"), &shared)));
        assert_true(rt_ok(
            dev_enqueue_fill(f.queue, (dev_command){.tag = 1}, shared, 0, 8, pattern, &first)));
        dev_memory_host_access(shared, 9, 8, 8, false);
        dev_memory_host_access(shared, 9, 4, 4, false);
        assert_true(rt_ok(dev_event_wait(first)));
        assert_int_equal(f.finding_count, 1);
        assert_true(f.finding.has_other && f.finding.is_host);
        assert_int_equal(f.finding.tag, 9);
        assert_int_equal(f.finding.other_tag, 1);
        dev_memory_host_access(shared, 9, 4, 4, false);
        assert_true(rt_ok(
            dev_enqueue_fill(f.queue, (dev_command){.tag = 2}, shared, 0, 8, pattern, &second)));
        assert_false(dev_event_is_known(second));
        assert_true(rt_ok(dev_event_wait(second)));
        assert_true(dev_event_is_known(second));
        assert_int_equal(f.finding_count, 1);
        dev_event_destroy(first);
        dev_event_destroy(second);
        dev_memory_destroy(shared);
        close_all(&f);
    }
}

/* What a choice takes is scripted; the requests of the device are kept. */
typedef struct order_log {
    uint32_t choices, index;
    uint32_t wanted, number, alternative;
} order_log;

static uint32_t command_choose(void *user, uint32_t count, uint32_t drawn, uint32_t *out_number)
{
    order_log *log = user;
    assert_true(drawn < count && count == 2);
    *out_number = log->choices++;
    return log->index;
}

static void order_want(void *user, uint32_t number, uint32_t alternative)
{
    order_log *log = user;
    log->wanted++;
    log->number = number;
    log->alternative = alternative;
}

/* Two launches that conflict, or not: the other order is asked for only if they do. */
static void orders_that_matter_are_asked_for(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        bool conflicts = i / 2;
        order_log log = {.index = i % 2};
        fixture f = {.sink = rt_sink_create()};
        fake_sim_reset();
        const dev_open_parameters parameters = {.sink = f.sink,
                                                .on_finding = finding_keep,
                                                .finding_user = &f,
                                                .choose_command = command_choose,
                                                .on_order = order_want,
                                                .order_user = &log};
        assert_true(rt_ok(dev_device_open(&simdev_backend, &parameters, RT_TEXT(""), &f.device)));
        assert_true(rt_ok(dev_queue_create(f.device, &f.queue)));
        assert_true(rt_ok(dev_memory_create(f.device, 16, RT_TEXT("data"), &f.memory)));
        const uint8_t zero = 0;
        const rt_bytes pattern = {&zero, 1};
        dev_event *events[2];
        assert_true(rt_ok(dev_enqueue_fill(f.queue, (dev_command){.tag = 1}, f.memory, 0, 8,
                                           pattern, &events[0])));
        assert_true(rt_ok(dev_enqueue_fill(f.queue, (dev_command){.tag = 2}, f.memory,
                                           conflicts ? 7 : 8, 8, pattern, &events[1])));
        assert_true(rt_ok(dev_event_wait(events[0])) && rt_ok(dev_event_wait(events[1])));
        assert_int_equal(log.choices, 1);
        assert_int_equal(log.wanted, conflicts);
        assert_int_equal(f.finding_count, conflicts);
        if (conflicts) assert_int_equal(log.alternative, 1 - log.index);
        dev_event_destroy(events[0]);
        dev_event_destroy(events[1]);
        close_all(&f);
    }
}

static void parameters_are_described(void **state)
{
    (void)state;
    fixture f;
    open_with_seed(&f, 1);
    dev_kernel *kernel = kernel_build(&f, "k"), *local = kernel_build(&f, "local");
    assert_int_equal(dev_kernel_parameter(kernel, 0).kind, DEV_ARGUMENT_BYTES);
    assert_int_equal(dev_kernel_parameter(kernel, 0).size, 1);
    assert_int_equal(dev_kernel_parameter(kernel, 1).kind, DEV_ARGUMENT_MEMORY);
    assert_int_equal(dev_kernel_parameter(local, 0).kind, DEV_ARGUMENT_LOCAL);
    dev_kernel_destroy(kernel);
    dev_kernel_destroy(local);
    close_all(&f);
}

/* Steps are counted from 0; nanoseconds, since the machine was started. */
static void times_are_those_of_the_chosen_clock(void **state)
{
    (void)state;
    static const char *const selectors[] = {"clock=steps", "clock=host"};
    for (int i = 0; i < 2; i++) {
        fixture f;
        open_with(&f, 1, selectors[i]);
        dev_queue *queue;
        dev_event *marker;
        dev_times times;
        assert_true(rt_ok(dev_queue_create_profiling(f.device, &queue)));
        assert_true(rt_ok(dev_enqueue_marker(queue, (dev_command){0}, (dev_marker){0}, &marker)));
        assert_true(rt_ok(dev_event_wait(marker)));
        assert_true(rt_ok(dev_event_times(marker, &times)));
        assert_int_equal(times.submit > 1000000, i == 1);
        dev_event_destroy(marker);
        dev_queue_destroy(queue);
        close_all(&f);
    }
}

/* A launch that waits for the host comes after what the host knew to be done when it completed the
 * event, although the launch was enqueued first; what it learned later is unordered. */
static void a_host_event_orders_what_the_host_knew(void **state)
{
    (void)state;
    for (int knows = 0; knows < 2; knows++) {
        for (uint64_t seed = 1; seed <= 4; seed++) {
            fixture f;
            open_with_seed(&f, seed);
            dev_kernel *kernel = kernel_build(&f, "k");
            dev_event *host;
            assert_true(rt_ok(dev_host_event_create(f.device, &host)));
            dev_event *held = launch(&f, kernel, 1, &host, 1);
            dev_event *free = launch(&f, kernel, 2, NULL, 0);
            if (knows) assert_true(rt_ok(dev_event_wait(free)));
            assert_true(rt_ok(dev_host_event_complete(host, false)));
            if (!knows) assert_true(rt_ok(dev_event_wait(free)));
            assert_true(rt_ok(dev_event_wait(held)));
            assert_int_equal(f.finding_count, knows ? 0 : 1);
            dev_event *events[] = {held, free, host};
            for (uint32_t i = 0; i < 3; i++)
                dev_event_destroy(events[i]);
            dev_kernel_destroy(kernel);
            close_all(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_event_orders_what_the_host_knew),
        cmocka_unit_test(nothing_runs_before_a_wait),
        cmocka_unit_test(seed_chooses_the_order),
        cmocka_unit_test(wait_lists_are_obeyed_for_every_seed),
        cmocka_unit_test(copies_fills_and_reads_move_bytes),
        cmocka_unit_test(failure_is_passed_on_without_running),
        cmocka_unit_test(findings_carry_the_tag),
        cmocka_unit_test(arguments_that_do_not_fit_are_refused),
        cmocka_unit_test(programs_link_or_say_why_not),
        cmocka_unit_test(native_images_link),
        cmocka_unit_test(programs_survive_as_binaries),
        cmocka_unit_test(what_the_offline_compiler_makes_is_taken),
        cmocka_unit_test(constants_reach_the_reader),
        cmocka_unit_test(declared_sets_reach_every_module),
        cmocka_unit_test(pointers_arrive_with_their_offset),
        cmocka_unit_test(usm_is_freed_at_once),
        cmocka_unit_test(variables_are_found_by_name),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(memory_that_cannot_be_allocated_is_a_status),
        cmocka_unit_test(selector_chooses_schedule_and_engine),
        cmocka_unit_test(selector_maps_the_hosts_usm),
        cmocka_unit_test(other_selectors_are_refused),
        cmocka_unit_test(threads_share_a_device),
        cmocka_unit_test(a_host_event_holds_commands_back),
        cmocka_unit_test(a_host_event_that_fails_fails_its_dependents),
        cmocka_unit_test(a_waiter_sleeps_until_the_host_completes),
        cmocka_unit_test(commands_race_unless_something_orders_them),
        cmocka_unit_test(ranges_need_not_ascend),
        cmocka_unit_test(accesses_of_the_host_take_part),
        cmocka_unit_test(orders_that_matter_are_asked_for),
        cmocka_unit_test(parameters_are_described),
        cmocka_unit_test(times_are_those_of_the_chosen_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
