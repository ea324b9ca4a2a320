/* Unit tests of the library: every function, and what each refuses. */
#include "api/test/fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Statuses and runtimes ----------------------------------------------------------------- */

static void codes_have_the_names_of_scenarios(void **state)
{
    (void)state;
    assert_string_equal(assay_code_name(ASSAY_OK), "success");
    assert_string_equal(assay_code_name(ASSAY_ERRC_BUILD), "errc::build");
    assert_string_equal(assay_code_name(ASSAY_TOOL), "tool");
    assert_string_equal(assay_code_name((assay_code)99), "unknown");
    assert_string_equal(assay_code_name((assay_code)-1), "unknown");
    assert_int_equal(assay_interface_version(), ASSAY_INTERFACE_VERSION);
}

static void assert_all_refused(const assay_status *refusals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(refusals[i].code, ASSAY_ERRC_INVALID);
        assert_true(refusals[i].message[0] != '\0');
        assert_string_equal(refusals[i].rule, "");
    }
}

static void null_pointers_for_objects_are_refused(void **state)
{
    api_fixture *f = *state;
    assay_runtime *runtime = f->runtime;
    assay_device *device = NULL;
    assay_context *context = NULL;
    assay_queue *queue = NULL;
    assay_memory *memory = NULL;
    assay_module *module = NULL;
    assay_bundle *bundle = NULL;
    const assay_status refusals[] = {
        assay_runtime_wait(NULL),
        assay_device_open(NULL, "sim", &device),
        assay_device_open(runtime, NULL, &device),
        assay_device_open(runtime, "sim", NULL),
        assay_context_create(NULL, 1, &context),
        assay_context_create(&device, 0, &context),
        assay_context_create(&device, 1, &context),
        assay_context_create(&device, 1, NULL),
        assay_module_register(NULL, "m", "", &module),
        assay_module_register(runtime, NULL, "", &module),
        assay_module_register(runtime, "", "", &module),
        assay_module_register(runtime, "m", NULL, &module),
        assay_module_register(runtime, "m", "", NULL),
        assay_module_read(NULL, "m", "x", 1, &module),
        assay_module_read(runtime, NULL, "x", 1, &module),
        assay_module_read(runtime, "m", NULL, 1, &module),
        assay_module_read(runtime, "m", "x", 0, &module),
        assay_module_read(runtime, "m", "x", 1, NULL),
        assay_module_unregister(NULL),
        assay_buffer_create(NULL, "b", 4, NULL, &memory),
        assay_buffer_create(runtime, NULL, 4, NULL, &memory),
        assay_buffer_create(runtime, "b", 4, NULL, NULL),
        assay_usm_create(NULL, ASSAY_USM_HOST, "u", 4, NULL, &memory),
        assay_buffer_promote(NULL, 4, ASSAY_PROMOTION_LOCAL),
        assay_memory_read(NULL, 0, 0, NULL),
        assay_buffer_end(NULL),
        assay_queue_create(NULL, NULL, 0, &queue),
        assay_queue_create(NULL, NULL, 0, NULL),
        assay_bundle_get(NULL, NULL, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, &bundle),
        assay_bundle_get(NULL, NULL, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, NULL),
        assay_bundle_compile(NULL, NULL, &bundle),
        assay_bundle_compile(NULL, NULL, NULL),
        assay_bundle_link(NULL, 1, NULL, &bundle),
        assay_bundle_link(&bundle, 1, NULL, &bundle),
        assay_bundle_link(&bundle, 1, NULL, NULL),
        assay_bundle_build(NULL, &bundle),
        assay_bundle_build(NULL, NULL),
        assay_bundle_join(NULL, 0, &bundle),
        assay_bundle_join(&bundle, 1, NULL),
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
    assert_string_equal(assay_device_name(NULL), "");
    assert_false(assay_device_executes(NULL));
    assert_null(assay_bundle_image(NULL, 0));
    assert_null(assay_bundle_kernel(NULL, 0));
    assert_null(assay_bundle_unresolved(NULL, 0));
    assay_runtime_destroy(NULL);
}

static void null_pointers_for_commands_are_refused(void **state)
{
    (void)state;
    assay_memory *memory = NULL;
    assay_event event = {0};
    assay_event_state progress;
    assay_times times;
    const assay_launch launch = {0};
    const assay_status refusals[] = {
        assay_queue_end(NULL),
        assay_queue_wait(NULL),
        assay_event_wait(event),
        assay_event_query(event, &progress),
        assay_event_query(event, NULL),
        assay_event_times(event, &times),
        assay_event_times(event, NULL),
        assay_submit(NULL, &launch, &event),
        assay_copy(NULL, memory, 0, memory, 0, 0, NULL, 0, &event),
        assay_fill(NULL, memory, 0, 0, "x", 1, NULL, 0, &event),
        assay_barrier(NULL, NULL, 0, &event),
        assay_global_write(NULL, "g", 0, memory, 0, 0, NULL, 0, &event),
        assay_global_read(NULL, "g", 0, memory, 0, 0, NULL, 0, &event),
        assay_fusion_start(NULL),
        assay_fusion_complete(NULL, false, &event),
        assay_fusion_cancel(NULL),
    };
    assert_all_refused(refusals, sizeof refusals / sizeof *refusals);
    assert_false(assay_fusion_is_active(NULL));
}

static void objects_of_another_runtime_are_refused(void **state)
{
    api_fixture *f = *state;
    api_fixture other;
    fixture_begin(&other, NULL);
    fixture_module(&other, "libtwice");
    assay_context *context;
    assay_queue *queue;
    assay_bundle *ours, *theirs;
    assay_event event;
    assay_device *const devices[] = {f->device, other.device};
    assert_refused(assay_context_create(devices, 2, &context), ASSAY_ERRC_INVALID,
                   "belongs to another runtime");
    assert_ok(assay_context_create(&other.device, 1, &context));
    assert_refused(assay_queue_create(f->device, context, 0, &queue), ASSAY_ERRC_INVALID,
                   "the context belongs to another runtime");
    assert_refused(
        assay_bundle_get(f->device, context, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, &ours),
        ASSAY_ERRC_INVALID, "the context belongs to another runtime");
    assay_memory *memory = fixture_buffer(&other, 1);
    assert_refused(assay_fill(f->queue, memory, 0, 4, "abcd", 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "a memory belongs to another runtime");
    assert_refused(launch(f, "add", memory, 1, NULL), ASSAY_ERRC_INVALID,
                   "a memory belongs to another runtime");
    assert_ok(assay_barrier(other.queue, NULL, 0, &event));
    assert_refused(assay_barrier(f->queue, &event, 1, NULL), ASSAY_ERRC_INVALID,
                   "event 0 of the wait list does not identify a command of this runtime");
    fixture_module(f, "work");
    assert_ok(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, &ours));
    assert_ok(assay_bundle_get(other.device, NULL, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, &theirs));
    assay_bundle *const both[] = {ours, theirs};
    assay_bundle *joined;
    assert_refused(assay_bundle_join(both, 2, &joined), ASSAY_ERRC_INVALID,
                   "a bundle belongs to another runtime");
    assay_launch foreign = {.kernel = "say", .dimensions = 1, .global = {1}, .bundle = theirs};
    assert_refused(assay_submit(f->queue, &foreign, NULL), ASSAY_ERRC_INVALID,
                   "the bundle belongs to another runtime");
    fixture_end(&other);
}

static void unknown_devices_are_refused_with_a_suggestion(void **state)
{
    api_fixture *f = *state;
    assay_device *device;
    assert_refused(assay_device_open(f->runtime, "sin", &device), ASSAY_ERRC_INVALID,
                   "unknown device 'sin'; did you mean 'sim'?");
    assert_null(device);
    assert_true(assay_device_executes(f->device));
    assert_true(strlen(assay_device_name(f->device)) > 0);
}

/* ---- Modules ------------------------------------------------------------------------------- */

static void damaged_files_are_refused(void **state)
{
    api_fixture *f = *state;
    assay_module *module;
    assert_refused(assay_module_read(f->runtime, "m", "no image", 8, &module), ASSAY_UNSUPPORTED,
                   "");
    assert_null(module);
    static const char elf[64] = "\177ELF\2\1\1";
    assert_refused(assay_module_read(f->runtime, "m", elf, sizeof elf, &module), ASSAY_UNSUPPORTED,
                   "it is for another machine");
    /* In the data of this program, but not a descriptor; and on the stack. */
    assert_refused(assay_module_register(f->runtime, "m", elf, &module), ASSAY_MALFORMED, "");
    assert_refused(assay_module_register(f->runtime, "m", &module, &module), ASSAY_MALFORMED,
                   "is not in the data of a module of this process");
}

/* The name of a variable's property, "in", is the only string of its kind in the file. */
static void a_variable_without_an_id_is_refused(void **state)
{
    api_fixture *f = *state;
    static const char name[] = {'\0', 'i', 'n', '\0'};
    size_t size;
    char *bytes = fixture_file("variables", &size);
    char *found = memmem(bytes, size, name, sizeof name);
    assert_non_null(found);
    found[1] = '\0';
    assay_module *module;
    assert_refused(assay_module_read(f->runtime, "m", bytes, size, &module), ASSAY_MALFORMED,
                   "image m/0: property 0 of its set SYCL/device globals has no name");
    assert_null(module);
    free(bytes);
}

static void a_module_is_unregistered_once(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    assay_module *twice = fixture_module(f, "libtwice");
    int values[] = {1, 2};
    assay_memory *memory = fixture_values(f, values, 2);
    assert_ok(launch(f, "apply", memory, 2, NULL));
    assert_ok(assay_memory_read(memory, 0, sizeof values, values));
    assert_int_equal(values[0], 2);
    assert_int_equal(values[1], 4);
    assert_ok(assay_module_unregister(twice));
    assert_refused(assay_module_unregister(twice), ASSAY_ERRC_INVALID,
                   "module 'libtwice' is not registered");
    assay_status status = launch(f, "apply", memory, 2, NULL);
    assert_refused(status, ASSAY_ERRC_BUILD, "twice");
    assert_string_equal(status.rule, "DL-RESOLVE-09");
    assert_ptr_equal(fixture_module(f, "libtwice"), twice);
    assert_ok(launch(f, "apply", memory, 2, NULL));
    assert_ok(assay_memory_read(memory, 4, 4, values));
    assert_int_equal(values[0], 8);
}

/* Document 003, "Device images collection and linking": the launch of a kernel whose import no
 * image exports fails. */
static void a_missing_symbol_is_named(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    assay_memory *memory = fixture_buffer(f, 1);
    assay_event event = {f->runtime, 7};
    assert_refused(launch(f, "lost", memory, 1, &event), ASSAY_ERRC_BUILD, "nowhere");
    assert_null(event.runtime);
    assert_refused(launch(f, "appyl", memory, 1, NULL), ASSAY_ERRC_RUNTIME,
                   "did you mean 'apply'?");
}

/* ---- Memories ------------------------------------------------------------------------------ */

static void memories_have_bounds(void **state)
{
    api_fixture *f = *state;
    assay_memory *memory;
    assert_refused(assay_buffer_create(f->runtime, "b", 0, NULL, &memory), ASSAY_ERRC_INVALID,
                   "memory 'b' of 0 bytes");
    assert_refused(assay_buffer_create(f->runtime, "b", (UINT64_C(1) << 32) + 1, NULL, &memory),
                   ASSAY_LIMIT, "it must have 1 to 4294967296");
    assert_refused(assay_usm_create(f->device, (assay_usm_kind)3, "u", 4, NULL, &memory),
                   ASSAY_ERRC_INVALID, "unknown");
    int values[] = {5, 6, 7};
    memory = fixture_values(f, values, 3);
    char byte;
    assert_refused(assay_memory_read(memory, 12, 1, &byte), ASSAY_ERRC_INVALID,
                   "read of 1 bytes at offset 12 of 'values': it has only 12 bytes");
    assert_refused(assay_memory_read(memory, 1, UINT64_MAX, &byte), ASSAY_ERRC_INVALID, "");
    assert_refused(assay_memory_read(memory, 0, 4, NULL), ASSAY_ERRC_INVALID, "destination");
    assert_ok(assay_memory_read(memory, 12, 0, NULL));
    int last;
    assert_ok(assay_memory_read(memory, 8, 4, &last));
    assert_int_equal(last, 7);
}

static void a_buffer_ends_once(void **state)
{
    api_fixture *f = *state;
    int values[] = {1};
    assay_memory *memory = fixture_values(f, values, 1), *usm;
    fixture_module(f, "work");
    assert_ok(launch_add(f, f->queue, memory, 1, 4, NULL));
    assert_ok(assay_buffer_end(memory));
    assert_refused(assay_buffer_end(memory), ASSAY_ERRC_INVALID, "has already ended");
    assert_refused(launch_add(f, f->queue, memory, 1, 4, NULL), ASSAY_ERRC_INVALID,
                   "a buffer of the command has ended");
    assert_ok(assay_memory_read(memory, 0, 4, values));
    assert_int_equal(values[0], 5);
    assert_ok(assay_usm_create(f->device, ASSAY_USM_SHARED, "u", 4, values, &usm));
    assert_refused(assay_buffer_end(usm), ASSAY_ERRC_INVALID, "the memory is not a buffer");
    assert_refused(assay_buffer_promote(usm, 4, ASSAY_PROMOTION_LOCAL), ASSAY_ERRC_INVALID,
                   "the memory is not a buffer");
    assert_refused(assay_buffer_promote(memory, 4, ASSAY_PROMOTION_LOCAL), ASSAY_ERRC_INVALID,
                   "commands already use the buffer");
    memory = fixture_values(f, values, 1);
    assert_refused(assay_buffer_promote(memory, 3, ASSAY_PROMOTION_LOCAL), ASSAY_ERRC_INVALID,
                   "not a multiple");
    assert_refused(assay_buffer_promote(memory, 4, (assay_promotion)3), ASSAY_ERRC_INVALID,
                   "the promotion is unknown");
}

static void a_refused_command_uses_no_buffer(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    assay_memory *memory = fixture_buffer(f, 2);
    assert_refused(launch(f, "lost", memory, 1, NULL), ASSAY_ERRC_BUILD, "nowhere");
    assert_refused(assay_fill(f->queue, memory, 0, 6, "abcd", 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "multiples");
    assert_refused(assay_copy(f->queue, memory, 0, memory, 2, 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "overlap");
    assert_ok(assay_buffer_promote(memory, 4, ASSAY_PROMOTION_LOCAL));
    assert_ok(assay_fill(f->queue, memory, 0, 8, "abcd", 4, NULL, 0, NULL));
    assert_refused(assay_buffer_promote(memory, 4, ASSAY_PROMOTION_LOCAL), ASSAY_ERRC_INVALID,
                   "commands already use the buffer");
}

/* ---- Queues and commands ------------------------------------------------------------------- */

static void queues_have_known_properties(void **state)
{
    api_fixture *f = *state;
    assay_queue *queue;
    assert_refused(assay_queue_create(f->device, NULL, 8, &queue), ASSAY_ERRC_INVALID,
                   "a property of the queue is unknown");
    assay_device *second;
    assay_context *context;
    assert_ok(assay_device_open(f->runtime, "sim", &second));
    assert_ok(assay_context_create(&second, 1, &context));
    assert_refused(assay_queue_create(f->device, context, 0, &queue), ASSAY_ERRC_INVALID,
                   "the context does not hold device 'sim'");
    assay_bundle *bundle;
    assert_refused(
        assay_bundle_get(f->device, context, ASSAY_BUNDLE_INPUT, NULL, 0, NULL, 0, &bundle),
        ASSAY_ERRC_INVALID, "the context does not hold device 'sim'");
    assert_ok(assay_queue_create(second, context, ASSAY_QUEUE_IN_ORDER, &queue));
    assert_ok(assay_queue_end(queue));
    assert_refused(assay_barrier(queue, NULL, 0, NULL), ASSAY_ERRC_INVALID, "");
}

/* 1 + 2, copied, filled over in the first element: 9, 3. */
static void commands_are_ordered_by_their_memories(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    int values[] = {1, 1};
    assay_memory *from = fixture_values(f, values, 2), *to = fixture_buffer(f, 2);
    assay_event added, filled;
    assert_ok(launch_add(f, f->queue, from, 2, 2, &added));
    const assay_argument arguments[] = {
        {.kind = ASSAY_ARGUMENT_BUFFER, .memory = from, .access = ASSAY_READ},
        {.kind = ASSAY_ARGUMENT_BUFFER, .memory = to, .access = ASSAY_WRITE},
        {.kind = ASSAY_ARGUMENT_LOCAL, .size = 8},
    };
    const assay_launch copy = {.kernel = "copy",
                               .dimensions = 1,
                               .global = {2},
                               .local = {2},
                               .arguments = arguments,
                               .argument_count = 3};
    assert_ok(assay_submit(f->queue, &copy, NULL));
    const int nine = 9;
    assert_ok(assay_fill(f->queue, to, 0, 4, &nine, 4, &added, 1, &filled));
    assert_ok(assay_barrier(f->queue, &filled, 1, NULL));
    assert_ok(assay_copy(f->queue, from, 0, to, 0, 8, NULL, 0, NULL));
    assert_ok(assay_event_wait(filled));
    assay_event_state progress;
    assert_ok(assay_event_query(filled, &progress));
    assert_int_equal(progress, ASSAY_EVENT_COMPLETE);
    assert_ok(assay_queue_wait(f->queue));
    assert_ok(assay_runtime_wait(f->runtime));
    assert_ok(assay_memory_read(from, 0, 8, values));
    assert_int_equal(values[0], 9);
    assert_int_equal(values[1], 3);
}

static void events_have_times_if_the_queue_records_them(void **state)
{
    api_fixture *f = *state;
    assay_queue *queue;
    assert_ok(assay_queue_create(f->device, NULL, ASSAY_QUEUE_PROFILING, &queue));
    assay_memory *memory = fixture_buffer(f, 4);
    assay_event event;
    assay_times times;
    assert_ok(assay_fill(queue, memory, 0, 16, "x", 1, NULL, 0, &event));
    assert_ok(assay_event_times(event, &times));
    assert_true(times.submit <= times.start && times.start <= times.end);
    assert_ok(assay_fill(f->queue, memory, 0, 16, "x", 1, NULL, 0, &event));
    assert_refused(assay_event_times(event, &times), ASSAY_ERRC_INVALID, "");
    event.number++;
    assert_refused(assay_event_times(event, &times), ASSAY_ERRC_INVALID,
                   "the event does not identify a command");
    assert_refused(assay_event_wait(event), ASSAY_ERRC_INVALID,
                   "the event does not identify a command");
}

/* True if a query reports, before many others have been made, that the command is complete. */
static bool is_complete_when_polled(assay_event event)
{
    assay_event_state progress = ASSAY_EVENT_SUBMITTED;
    for (unsigned i = 0; i < 1000 && progress != ASSAY_EVENT_COMPLETE; i++)
        assert_ok(assay_event_query(event, &progress));
    return progress == ASSAY_EVENT_COMPLETE;
}

static void polls_end(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    int value = 1;
    assay_memory *memory = fixture_values(f, &value, 1);
    assay_event event;
    assert_ok(launch_add(f, f->queue, memory, 1, 1, NULL));
    assert_ok(launch_add(f, f->queue, memory, 1, 1, &event));
    assert_true(is_complete_when_polled(event));
    assert_ok(launch(f, "large", memory, 1, &event));
    assert_true(is_complete_when_polled(event));
    assert_refused(assay_event_wait(event), ASSAY_BUDGET, "");
}

/* The kernel needs more private memory than a work-item has, so the device stops it. */
static void an_event_keeps_its_failure(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    const int value = 0;
    assay_memory *memory = fixture_values(f, &value, 1);
    assay_event event, after;
    assert_ok(launch(f, "large", memory, 1, &event));
    assert_ok(assay_barrier(f->queue, &event, 1, &after));
    assert_refused(assay_queue_wait(f->queue), ASSAY_BUDGET, "");
    assert_ok(assay_queue_wait(f->queue));
    for (unsigned i = 0; i < 2; i++) {
        assert_refused(assay_event_wait(event), ASSAY_BUDGET, "");
        assert_refused(assay_event_wait(after), ASSAY_BUDGET, "");
    }
    assert_ok(assay_runtime_wait(f->runtime));
}

static void transfers_are_checked(void **state)
{
    api_fixture *f = *state;
    assay_memory *memory = fixture_buffer(f, 2);
    assert_refused(assay_copy(f->queue, memory, 0, memory, 2, 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "overlap");
    assert_refused(assay_copy(f->queue, memory, 6, memory, 0, 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "it has only 8 bytes");
    assert_refused(assay_fill(f->queue, memory, 0, 6, "abcd", 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "multiples");
    assert_refused(assay_fill(f->queue, memory, 0, 4, "abcd", 0, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "it must have 1 to 128");
    assert_refused(assay_fill(f->queue, memory, 0, 4, NULL, 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "the pattern is a null pointer");
    assert_refused(assay_copy(f->queue, NULL, 0, memory, 0, 4, NULL, 0, NULL), ASSAY_ERRC_INVALID,
                   "a memory of the command is a null pointer");
    assert_refused(assay_barrier(f->queue, NULL, 1, NULL), ASSAY_ERRC_INVALID,
                   "the list of events is a null pointer");
}

static void arguments_are_checked(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    assay_memory *buffer = fixture_buffer(f, 1), *usm;
    assert_ok(assay_usm_create(f->device, ASSAY_USM_DEVICE, "u", 4, NULL, &usm));
    const int one = 1;
    const assay_argument good = {.kind = ASSAY_ARGUMENT_VALUE, .value = &one, .size = 4};
    const struct {
        assay_argument argument;
        const char *message;
    } arguments[] = {
        {{.kind = ASSAY_ARGUMENT_BUFFER, .memory = usm}, "pass it as a pointer"},
        {{.kind = ASSAY_ARGUMENT_POINTER, .memory = buffer}, "a buffer is passed as a pointer"},
        {{.kind = ASSAY_ARGUMENT_POINTER, .memory = usm, .offset = 5}, "which has 4 bytes"},
        {{.kind = ASSAY_ARGUMENT_BUFFER, .memory = NULL}, "a memory of the command is a null"},
        {{.kind = ASSAY_ARGUMENT_BUFFER, .memory = buffer, .access = (assay_access)3},
         "the access of an argument is unknown"},
        {{.kind = ASSAY_ARGUMENT_BUFFER, .memory = buffer, .promotion = (assay_promotion)9},
         "the promotion is unknown"},
        {{.kind = ASSAY_ARGUMENT_VALUE, .value = NULL, .size = 4}, "value of an argument is empty"},
        {{.kind = ASSAY_ARGUMENT_LOCAL, .size = 0}, "local memory of 0 bytes"},
        {{.kind = (assay_argument_kind)9}, "the kind of an argument is unknown"},
    };
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        const assay_argument list[] = {arguments[i].argument, good};
        const assay_launch checked = {.kernel = "add",
                                      .dimensions = 1,
                                      .global = {1},
                                      .arguments = list,
                                      .argument_count = 2};
        assert_refused(assay_submit(f->queue, &checked, NULL), ASSAY_ERRC_INVALID,
                       arguments[i].message);
    }
}

/* A launch of `add` with one member changed. */
static void launches_are_checked(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    assay_memory *buffer = fixture_buffer(f, 1);
    const int one = 1;
    const assay_argument good = {.kind = ASSAY_ARGUMENT_VALUE, .value = &one, .size = 4};
    const assay_constant unnamed = {NULL, &one, 4}, empty = {"c", &one, 0};
    const assay_constant twice[] = {{"c", &one, 4}, {"c", &one, 4}};
    const assay_argument list[] = {{.kind = ASSAY_ARGUMENT_BUFFER, .memory = buffer}, good};
    const assay_launch whole = {
        .kernel = "add", .dimensions = 1, .global = {1}, .arguments = list, .argument_count = 2};
    assay_launch launches[9];
    for (size_t i = 0; i < 9; i++)
        launches[i] = whole;
    launches[0].kernel = NULL;
    launches[1].dimensions = 0;
    launches[2].dimensions = 4;
    launches[3].arguments = NULL;
    launches[4].after_count = 1;
    launches[5].constants = &unnamed, launches[5].constant_count = 1;
    launches[6].constants = &empty, launches[6].constant_count = 1;
    launches[7].constants = twice, launches[7].constant_count = 2;
    launches[8].constant_count = 1;
    for (size_t i = 0; i < 9; i++)
        assert_refused(assay_submit(f->queue, &launches[i], NULL), ASSAY_ERRC_INVALID, "");
    assert_refused(assay_submit(f->queue, NULL, NULL), ASSAY_ERRC_INVALID, "the launch");
    assay_launch changed = whole;
    changed.argument_count = 1;
    assert_refused(assay_submit(f->queue, &changed, NULL), ASSAY_ERRC_KERNEL_ARGUMENT,
                   "has 2 parameters, but the launch gives 1 arguments");
    changed = whole;
    changed.dimensions = 2, changed.global[1] = 1, changed.local[0] = 1;
    assert_refused(assay_submit(f->queue, &changed, NULL), ASSAY_ERRC_INVALID,
                   "give the local sizes of all dimensions, or of none");
    changed = whole;
    changed.global[0] = 3, changed.local[0] = 2;
    assert_refused(assay_submit(f->queue, &changed, NULL), ASSAY_ERRC_ND_RANGE, "");
    assert_ok(assay_submit(f->queue, &whole, NULL));
}

/* 2, by the constant's default 3, by 10, and by 10 through a bundle: 6, 60, 600. */
static void constants_have_the_values_of_the_launch(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "constants");
    int value = 2;
    const int ten = 10;
    assay_memory *memory = fixture_values(f, &value, 1);
    const assay_argument argument = {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory};
    const assay_constant constant = {"factor", &ten, sizeof ten}, unknown = {"facto", &ten, 4};
    assay_launch scale = {.kernel = "scale",
                          .dimensions = 1,
                          .global = {1},
                          .arguments = &argument,
                          .argument_count = 1};
    assert_ok(assay_submit(f->queue, &scale, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 6);
    scale.constants = &constant, scale.constant_count = 1;
    assert_ok(assay_submit(f->queue, &scale, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 60);
    /* A value for a constant that no image has does nothing, so the factor is 3. */
    scale.constants = &unknown;
    assert_ok(assay_submit(f->queue, &scale, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 180);

    const char *const names[] = {"scale"};
    assay_bundle *input, *built;
    assert_ok(
        assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, names, 1, &constant, 1, &input));
    assert_ok(assay_bundle_build(input, &built));
    scale.constants = NULL, scale.constant_count = 0, scale.bundle = built;
    assert_ok(assay_submit(f->queue, &scale, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 1800);
}

static unsigned removed_count; /* files that tree_remove has removed */

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)place;
    removed_count += kind == FTW_F;
    return remove(path);
}

/* Removes a folder with its contents; returns the number of files. */
static unsigned tree_remove(const char *folder)
{
    removed_count = 0;
    assert_int_equal(nftw(folder, entry_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
    return removed_count;
}

static void programs_are_kept_in_a_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/assay-api-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const assay_options options = {.isolated = true, .persistent_cache = folder};
    for (unsigned i = 0; i < 2; i++) {
        api_fixture f;
        int value = 4;
        fixture_begin(&f, &options);
        fixture_module(&f, "app");
        fixture_module(&f, "libtwice");
        assay_memory *memory = fixture_values(&f, &value, 1);
        assert_ok(launch(&f, "apply", memory, 1, NULL));
        assert_ok(assay_memory_read(memory, 0, 4, &value));
        assert_int_equal(value, 8);
        fixture_end(&f);
    }
    assert_int_equal(tree_remove(folder), 1);
}

/* ---- device_globals ------------------------------------------------------------------------ */

/* The kernel returns element 1, which the host set to 40, and adds 1. */
static void device_globals_are_written_and_read(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "variables");
    int values[] = {40, 0};
    assay_memory *host = fixture_values(f, values, 2), *out = fixture_buffer(f, 1);
    /* The waits are needed: a device_global creates no dependency between commands. */
    assert_ok(assay_global_write(f->queue, "in", 4, host, 0, 4, NULL, 0, NULL));
    assert_ok(assay_queue_wait(f->queue));
    assert_ok(launch(f, "step", out, 1, NULL));
    assert_ok(assay_queue_wait(f->queue));
    assert_ok(assay_global_read(f->queue, "in", 0, host, 0, 8, NULL, 0, NULL));
    int seen;
    assert_ok(assay_memory_read(out, 0, 4, &seen));
    assert_int_equal(seen, 40);
    assert_ok(assay_memory_read(host, 0, 8, values));
    assert_int_equal(values[0], 0);
    assert_int_equal(values[1], 41);
    assert_refused(assay_global_read(f->queue, "out", 0, host, 0, 8, NULL, 0, NULL),
                   ASSAY_ERRC_INVALID,
                   "no registered image has a device_global with the unique id 'out'");
    assert_refused(assay_global_read(f->queue, NULL, 0, host, 0, 8, NULL, 0, NULL),
                   ASSAY_ERRC_INVALID, "unique id is a null pointer");
    assert_refused(assay_global_read(f->queue, "in", 4, host, 0, 8, NULL, 0, NULL),
                   ASSAY_ERRC_INVALID, "");
}

/* ---- Fusion -------------------------------------------------------------------------------- */

static void kernels_are_fused(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "work");
    assay_queue *queue;
    assert_ok(assay_queue_create(f->device, NULL, ASSAY_QUEUE_FUSION, &queue));
    assert_refused(assay_fusion_start(f->queue), ASSAY_ERRC_INVALID, "");
    assert_refused(assay_fusion_complete(queue, false, NULL), ASSAY_ERRC_INVALID, "");
    int values[] = {1, 2};
    assay_memory *memory = fixture_values(f, values, 2);
    for (unsigned round = 0; round < 2; round++) {
        assay_event event, fused = {0};
        assay_event_state progress;
        assert_ok(assay_fusion_start(queue));
        assert_true(assay_fusion_is_active(queue));
        assert_ok(launch_add(f, queue, memory, 2, 10, &event));
        assert_ok(launch_add(f, queue, memory, 2, 100, NULL));
        assert_ok(assay_event_query(event, &progress));
        assert_int_equal(progress, ASSAY_EVENT_SUBMITTED);
        if (round == 0)
            assert_ok(assay_fusion_complete(queue, true, &fused));
        else
            assert_ok(assay_fusion_cancel(queue));
        assert_false(assay_fusion_is_active(queue));
        assert_true(is_complete_when_polled(round == 0 ? fused : event));
    }
    assert_ok(assay_memory_read(memory, 0, 8, values));
    assert_int_equal(values[0], 221);
    assert_int_equal(values[1], 222);
}

/* ---- Bundles ------------------------------------------------------------------------------- */

static void bundles_pass_through_their_states(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    fixture_module(f, "libtwice");
    const char *const names[] = {"apply"};
    assay_bundle *input, *object, *linked, *joined, *other;
    assert_ok(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, names, 1, NULL, 0, &input));
    assert_string_equal(assay_bundle_image(input, 0), "app/0");
    assert_string_equal(assay_bundle_image(input, 1), "libtwice/0");
    assert_null(assay_bundle_image(input, 2));
    assert_string_equal(assay_bundle_kernel(input, 0), "apply");
    assert_null(assay_bundle_kernel(input, 1));
    assert_null(assay_bundle_unresolved(input, 0));
    assert_ok(assay_bundle_compile(input, NULL, &object));
    assert_ok(assay_bundle_link(&object, 1, NULL, &linked));
    assert_ok(assay_bundle_build(input, &other));
    assay_bundle *const pair[] = {linked, other};
    assert_ok(assay_bundle_join(pair, 2, &joined));
    int value = 21;
    assay_memory *memory = fixture_values(f, &value, 1);
    const assay_argument argument = {.kind = ASSAY_ARGUMENT_BUFFER, .memory = memory};
    assay_launch through = {.kernel = "apply",
                            .dimensions = 1,
                            .global = {1},
                            .arguments = &argument,
                            .argument_count = 1,
                            .bundle = joined};
    assert_ok(assay_submit(f->queue, &through, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 42);
    through.options = "-cl-opt-disable";
    assert_refused(assay_submit(f->queue, &through, NULL), ASSAY_ERRC_INVALID, "through a bundle");
    through.options = NULL, through.bundle = input;
    assert_refused(assay_submit(f->queue, &through, NULL), ASSAY_ERRC_INVALID, "not executable");
}

static void bundles_in_another_state_are_refused(void **state)
{
    api_fixture *f = *state;
    fixture_module(f, "app");
    fixture_module(f, "libtwice");
    const int value = 1;
    const char *const names[] = {"apply"}, *const lost[] = {"lost"}, *const none[] = {NULL};
    assay_bundle *input, *object, *other;
    assert_ok(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, names, 1, NULL, 0, &input));
    assert_ok(assay_bundle_compile(input, NULL, &object));
    assert_refused(assay_bundle_compile(object, NULL, &other), ASSAY_ERRC_INVALID, "state input");
    assert_refused(assay_bundle_build(object, &other), ASSAY_ERRC_INVALID, "state input");
    assert_refused(assay_bundle_link(&input, 1, NULL, &other), ASSAY_ERRC_INVALID, "state object");
    assay_bundle *const mixed[] = {input, object};
    assert_refused(assay_bundle_join(mixed, 2, &other), ASSAY_ERRC_INVALID, "different states");
    assert_refused(
        assay_bundle_get(f->device, NULL, (assay_bundle_state)3, names, 1, NULL, 0, &other),
        ASSAY_ERRC_INVALID, "state is unknown");
    assert_refused(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, none, 1, NULL, 0, &other),
                   ASSAY_ERRC_INVALID, "name of kernel 0");
    assert_refused(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, NULL, 1, NULL, 0, &other),
                   ASSAY_ERRC_INVALID, "list of kernels");
    const assay_constant constant = {"c", &value, 4};
    assert_refused(
        assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_OBJECT, names, 1, &constant, 1, &other),
        ASSAY_ERRC_INVALID, "state input has constants");
    assert_ok(assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_INPUT, lost, 1, NULL, 0, &other));
    assert_string_equal(assay_bundle_unresolved(other, 0), "nowhere");
    assert_null(assay_bundle_unresolved(other, 1));
    assert_refused(
        assay_bundle_get(f->device, NULL, ASSAY_BUNDLE_EXECUTABLE, lost, 1, NULL, 0, &other),
        ASSAY_ERRC_BUILD, "nowhere");
    assert_null(other);
}

/* ---- Findings and output ------------------------------------------------------------------- */

typedef struct reports {
    unsigned finding_count;
    bool is_beyond;
    char printed[32];
} reports;

static void finding_note(void *user, const assay_finding *finding)
{
    reports *noted = user;
    noted->finding_count++;
    noted->is_beyond = strcmp(finding->kind, "out-of-bounds") == 0 &&
                       strcmp(finding->kernel, "beyond") == 0 && finding->line > 0;
}

static void output_note(void *user, const char *text, size_t length)
{
    reports *noted = user;
    strncat(noted->printed, text, length);
}

static void findings_and_output_are_reported(void **state)
{
    (void)state;
    reports noted = {0};
    const assay_options options = {
        .isolated = true, .on_finding = finding_note, .on_output = output_note, .user = &noted};
    api_fixture f;
    fixture_begin(&f, &options);
    fixture_module(&f, "work");
    assay_memory *memory = fixture_buffer(&f, 4);
    assert_ok(launch(&f, "beyond", memory, 4, NULL));
    const assay_launch say = {.kernel = "say", .dimensions = 1, .global = {1}};
    assert_ok(assay_submit(f.queue, &say, NULL));
    (void)assay_runtime_wait(f.runtime);
    (void)assay_runtime_wait(f.runtime);
    assert_int_equal(noted.finding_count, 1);
    assert_true(noted.is_beyond);
    assert_string_equal(noted.printed, "hello\n");
    fixture_end(&f);
}

/* Without the program that has the compiler, kernels run one by one (document 001). */
static void without_a_compiler_nothing_is_fused(void **state)
{
    (void)state;
    const assay_options options = {.isolated = true, .program = "/nowhere/assay"};
    api_fixture f;
    fixture_begin(&f, &options);
    fixture_module(&f, "work");
    assay_queue *queue;
    int value = 1;
    assay_memory *memory = fixture_values(&f, &value, 1);
    assert_ok(assay_queue_create(f.device, NULL, ASSAY_QUEUE_FUSION, &queue));
    assert_ok(assay_fusion_start(queue));
    assert_ok(launch_add(&f, queue, memory, 1, 1, NULL));
    assert_ok(launch_add(&f, queue, memory, 1, 1, NULL));
    assert_ok(assay_fusion_complete(queue, false, NULL));
    assert_ok(assay_memory_read(memory, 0, 4, &value));
    assert_int_equal(value, 3);
    fixture_end(&f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(codes_have_the_names_of_scenarios),
        TEST(null_pointers_for_objects_are_refused),
        TEST(null_pointers_for_commands_are_refused),
        TEST(objects_of_another_runtime_are_refused),
        TEST(unknown_devices_are_refused_with_a_suggestion),
        TEST(damaged_files_are_refused),
        TEST(a_variable_without_an_id_is_refused),
        TEST(a_module_is_unregistered_once),
        TEST(a_missing_symbol_is_named),
        TEST(memories_have_bounds),
        TEST(a_buffer_ends_once),
        TEST(a_refused_command_uses_no_buffer),
        TEST(queues_have_known_properties),
        TEST(commands_are_ordered_by_their_memories),
        TEST(events_have_times_if_the_queue_records_them),
        TEST(polls_end),
        TEST(an_event_keeps_its_failure),
        TEST(transfers_are_checked),
        TEST(arguments_are_checked),
        TEST(launches_are_checked),
        TEST(constants_have_the_values_of_the_launch),
        TEST(programs_are_kept_in_a_folder),
        TEST(device_globals_are_written_and_read),
        TEST(kernels_are_fused),
        TEST(bundles_pass_through_their_states),
        TEST(bundles_in_another_state_are_refused),
        TEST(findings_and_output_are_reported),
        TEST(without_a_compiler_nothing_is_fused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
