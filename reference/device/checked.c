/* The dev_* functions: the only callers of an adapter's tables.
 *
 * Before a call they assert that the runtime keeps the contract, and after it that the adapter
 * does: a status code that the contract lists, an object exactly when the status is success, a
 * complete table of operations.  They also count live objects, so that closing a device too early
 * panics immediately instead of crashing later in a driver.
 *
 * They make no decisions: the runtime chooses programs, kernels and the order of commands.  Source
 * of the rules: the comments of device.h. */
#include "reference/device/device.h"

#include <stdio.h>
#include <string.h>

const char *dev_aspect_name(dev_aspect aspect)
{
    static const char *const names[] = {
#define ASPECT_NAME(aspect, name, number) [DEV_ASPECT_##aspect] = name,
        DEV_ASPECTS(ASPECT_NAME)
#undef ASPECT_NAME
    };
    CHECK((unsigned)aspect < DEV_ASPECT_COUNT);
    return names[aspect];
}

const char *dev_aspect_number_name(uint32_t number)
{
    switch (number) {
#define ASPECT_CASE(aspect, name, value)                                                           \
    case value: return name;
        DEV_ASPECTS(ASPECT_CASE)
#undef ASPECT_CASE
    default: return NULL;
    }
}

/* ---- Permitted status codes --------------------------------------------------------------- */

#define BIT(code) (UINT32_C(1) << RT_##code)
_Static_assert(RT_CODE_COUNT <= 32, "a set of codes is a 32-bit word");

/* Every operation may return these. */
#define CODES_ANY                                                                                  \
    (BIT(OK) | BIT(ERRC_MEMORY_ALLOCATION) | BIT(DRIVER_ERROR) | BIT(DEVICE_LOST) | BIT(LIMIT))
#define CODES_TOOLS (BIT(IO) | BIT(TOOL) | BIT(UNAVAILABLE))
#define CODES_COMPILE                                                                              \
    (BIT(ERRC_BUILD) | BIT(UNSUPPORTED) | BIT(MALFORMED) | BIT(ERRC_INVALID) | CODES_TOOLS)
#define CODES_LINK   (CODES_COMPILE | BIT(LINK_ERROR))
#define CODES_LAUNCH (BIT(ERRC_KERNEL_ARGUMENT) | BIT(ERRC_ND_RANGE))

/* operation, and the codes that it may return in addition to CODES_ANY */
#define OPERATIONS(OPERATION)                                                                      \
    OPERATION(open, BIT(UNAVAILABLE) | BIT(ERRC_INVALID))                                          \
    OPERATION(memory_create, 0)                                                                    \
    OPERATION(usm_create, 0)                                                                       \
    OPERATION(memory_part_create, BIT(ERRC_INVALID))                                               \
    OPERATION(memory_defined, 0)                                                                   \
    OPERATION(program_compile, CODES_COMPILE)                                                      \
    OPERATION(program_link, CODES_LINK)                                                            \
    OPERATION(program_build, CODES_LINK)                                                           \
    OPERATION(program_binary, BIT(UNSUPPORTED) | BIT(ERRC_BUILD) | BIT(LINK_ERROR))                \
    OPERATION(program_load, CODES_LINK)                                                            \
    OPERATION(global_find, BIT(ERRC_INVALID))                                                      \
    OPERATION(kernel_create, BIT(ERRC_INVALID))                                                    \
    OPERATION(queue_create, 0)                                                                     \
    OPERATION(enqueue_kernel, CODES_LAUNCH)                                                        \
    OPERATION(enqueue_read, 0)                                                                     \
    OPERATION(enqueue_write, 0)                                                                    \
    OPERATION(enqueue_copy, 0)                                                                     \
    OPERATION(enqueue_fill, 0)                                                                     \
    OPERATION(enqueue_marker, 0)                                                                   \
    OPERATION(enqueue_map, CODES_LAUNCH | BIT(BUDGET) | BIT(ERRC_INVALID))                         \
    OPERATION(enqueue_unmap, 0)                                                                    \
    OPERATION(host_event_create, 0)                                                                \
    OPERATION(host_event_complete, BIT(ERRC_INVALID))                                              \
    OPERATION(flush, 0)                                                                            \
    OPERATION(wait, CODES_LAUNCH | BIT(BUDGET))                                                    \
    OPERATION(times, 0)

typedef enum operation {
#define OPERATION_ENUM(name, codes) OPERATION_##name,
    OPERATIONS(OPERATION_ENUM)
#undef OPERATION_ENUM
} operation;

static const struct {
    const char *name;
    uint32_t codes;
} operations[] = {
#define OPERATION_ROW(name, codes) {#name, CODES_ANY | (codes)},
    OPERATIONS(OPERATION_ROW)
#undef OPERATION_ROW
};

/* Panics unless the contract lists the code and the status was created in the device's sink (which
 * rt_sink_diagnostic asserts). */
static void status_check(operation op, rt_sink *sink, rt_status status)
{
    bool listed =
        status.code < RT_CODE_COUNT && (operations[op].codes >> status.code & UINT32_C(1)) != 0;
    if (!listed) {
        char text[160];
        const char *code = status.code < RT_CODE_COUNT ? rt_code_name((rt_code)status.code) : "?";
        snprintf(text, sizeof text, "%s returned '%s' (%u), which device.h does not list",
                 operations[op].name, code, (unsigned)status.code);
        rt_panic("CONTRACT", text, __FILE__, __LINE__, __func__);
    }
    if (!rt_ok(status)) CHECK(rt_sink_diagnostic(sink, status) != NULL);
}

/* Like status_check, for an operation that creates an object. */
static void result_check(operation op, rt_sink *sink, rt_status status, const void *object)
{
    status_check(op, sink, status);
    CHECK(rt_ok(status) == (object != NULL));
}

/* Counts a call; true if it is the one that must fail. */
static bool is_to_fail(dev_device *device)
{
    dev_calls *calls = device->calls;
    return calls && atomic_fetch_add(&calls->count, 1) + 1 == calls->failing;
}

static rt_status fail_on_demand(operation op, dev_device *device)
{
    atomic_store(&device->calls->failed, operations[op].name);
    return rt_fail(device->sink, RT_DRIVER_ERROR, RT_RULE_NONE,
                   "call %u of the device, %s, " DEV_FAILED_ON_DEMAND, device->calls->failing,
                   operations[op].name);
}

/* The result of a call of the adapter, which is not made if it must fail. */
#define CALL(name, device, call)                                                                   \
    (is_to_fail(device) ? fail_on_demand(OPERATION_##name, device) : (call))

static void count_up(dev_device *device, dev_object_kind kind)
{
    unsigned before = atomic_fetch_add(&device->live[kind], 1);
    CHECK(before < UINT32_MAX);
}

static void count_down(dev_device *device, dev_object_kind kind)
{
    unsigned before = atomic_fetch_sub(&device->live[kind], 1);
    CHECK(before > 0);
}

static dev_live counts_of(dev_device *device)
{
    dev_live live;
    for (int kind = 0; kind < DEV_OBJECT_KINDS; kind++)
        live.counts[kind] = atomic_load(&device->live[kind]);
    return live;
}

dev_live dev_device_live(dev_device *device)
{
    CHECK(device != NULL);
    dev_live live = counts_of(device);
    for (int kind = 0; kind < DEV_OBJECT_KINDS; kind++) {
        CHECK(live.counts[kind] >= device->kept.counts[kind]);
        live.counts[kind] -= device->kept.counts[kind];
    }
    return live;
}

bool dev_live_is_none(const dev_live *live)
{
    for (int kind = 0; kind < DEV_OBJECT_KINDS; kind++)
        if (live->counts[kind] > 0) return false;
    return true;
}

void dev_live_print(rt_buffer *out, const dev_live *live)
{
    static const char *const names[DEV_OBJECT_KINDS][2] = {
        [DEV_OBJECT_MEMORY] = {"memory", "memories"},
        [DEV_OBJECT_PROGRAM] = {"program", "programs"},
        [DEV_OBJECT_KERNEL] = {"kernel", "kernels"},
        [DEV_OBJECT_QUEUE] = {"queue", "queues"},
        [DEV_OBJECT_EVENT] = {"event", "events"},
    };
    int last = 0;
    for (int kind = 0; kind < DEV_OBJECT_KINDS; kind++)
        if (live->counts[kind] > 0) last = kind;
    bool is_first = true;
    for (int kind = 0; kind <= last; kind++) {
        uint32_t count = live->counts[kind];
        if (count == 0) continue;
        rt_buffer_printf(out, "%s%u %s",
                         is_first       ? ""
                         : kind == last ? " and "
                                        : ", ",
                         count, names[kind][count != 1]);
        is_first = false;
    }
}

void dev_device_keep(dev_device *device)
{
    CHECK(device != NULL);
    device->kept = counts_of(device);
}

void dev_device_fill_memories(dev_device *device, dev_queue *queue)
{
    CHECK(device != NULL && (queue == NULL || queue->device == device));
    device->filler = queue;
}

void dev_device_count_calls(dev_device *device, dev_calls *calls)
{
    CHECK(device != NULL && calls != NULL && device->calls == NULL);
    device->calls = calls;
}

/* ---- Device ------------------------------------------------------------------------------- */

rt_status dev_device_open(const dev_backend *backend, const dev_open_parameters *parameters,
                          rt_text selector, dev_device **out_device)
{
    CHECK(backend != NULL && backend->name != NULL && backend->open != NULL);
    CHECK(parameters != NULL && parameters->sink != NULL);
    CHECK(parameters->tools == NULL || parameters->tools->link_to_bitcode != NULL);
    CHECK(selector.length == 0 || selector.data != NULL);
    CHECK(out_device != NULL);
    *out_device = NULL;
    rt_status status = backend->open(parameters, selector, out_device);
    result_check(OPERATION_open, parameters->sink, status, *out_device);
    if (!rt_ok(status)) return status;
    const dev_device_ops *ops = (*out_device)->ops;
    CHECK(ops != NULL);
    CHECK(ops->destroy != NULL && ops->capabilities != NULL && ops->memory_create != NULL);
    CHECK(ops->program_compile != NULL && ops->program_link != NULL && ops->program_build != NULL);
    CHECK(ops->queue_create != NULL);
    (*out_device)->sink = parameters->sink;
    for (int kind = 0; kind < DEV_OBJECT_KINDS; kind++)
        atomic_init(&(*out_device)->live[kind], 0);
    (*out_device)->kept = (dev_live){0};
    (*out_device)->filler = NULL;
    (*out_device)->calls = NULL;
    atomic_init(&(*out_device)->memory_count, 0);
    return status;
}

void dev_device_destroy(dev_device *device)
{
    if (!device) return;
    const dev_live live = counts_of(device);
    CHECK(dev_live_is_none(&live));
    device->ops->destroy(device);
}

void dev_device_capabilities(dev_device *device, dev_capabilities *out_capabilities)
{
    CHECK(device != NULL);
    CHECK(out_capabilities != NULL);
    *out_capabilities = (dev_capabilities){0};
    device->ops->capabilities(device, out_capabilities);
    CHECK(out_capabilities->name.length > 0);
    CHECK(out_capabilities->formats_taken != 0);
    CHECK(out_capabilities->formats_taken >> RT_FORMAT_COUNT == 0);
    CHECK(out_capabilities->extension_count == 0 || out_capabilities->extensions != NULL);
    CHECK(out_capabilities->aspects >> DEV_ASPECT_COUNT == 0);
    CHECK(out_capabilities->group_size_max >= 1);
    CHECK_IMPLIES(out_capabilities->usm, device->ops->usm_create != NULL);
    CHECK_IMPLIES(out_capabilities->part_alignment > 0, device->ops->memory_part_create != NULL);
    CHECK_IMPLIES(out_capabilities->program_binaries, device->ops->program_load != NULL);
    CHECK_IMPLIES(out_capabilities->profiling, device->ops->queue_create_profiling != NULL);
    CHECK_IMPLIES(out_capabilities->host_events, device->ops->host_event_create != NULL);
}

static dev_capabilities capabilities_of(dev_device *device)
{
    dev_capabilities capabilities;
    dev_device_capabilities(device, &capabilities);
    return capabilities;
}

bool dev_capabilities_link(const dev_capabilities *capabilities, rt_format format)
{
    CHECK(capabilities != NULL);
    CHECK((unsigned)format < RT_FORMAT_COUNT);
    const char *wanted = rt_format_link_extension(format);
    if (*wanted == '\0') return false;
    for (uint32_t i = 0; i < capabilities->extension_count; i++) {
        if (strcmp(capabilities->extensions[i], wanted) == 0) return true;
    }
    return false;
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* Completes a memory that the adapter created, or passes on the adapter's failure. */
static rt_status memory_finish(operation op, dev_device *device, rt_status status,
                               dev_memory_kind kind, dev_memory *memory)
{
    result_check(op, device->sink, status, memory);
    if (!rt_ok(status)) return status;
    CHECK(memory->ops != NULL && memory->ops->destroy != NULL);
    CHECK_IMPLIES(kind != DEV_MEMORY_BUFFER, memory->ops->address != NULL);
    memory->device = device;
    memory->kind = kind;
    memory->program = NULL;
    memory->number = atomic_fetch_add(&device->memory_count, 1);
    memory->origin = 0;
    memory->is_part = false;
    count_up(device, DEV_OBJECT_MEMORY);
    return status;
}

/* Sets the size of a new memory and, on a device that fills new memories, its contents. The memory
 * is destroyed again if that fails. */
static rt_status memory_begin(rt_status status, uint64_t size, dev_memory **inout_memory)
{
    static const uint8_t byte = DEV_NEW_MEMORY_BYTE;
    dev_memory *memory = *inout_memory;
    if (!rt_ok(status)) return status;
    memory->size = size;
    dev_queue *filler = memory->device->filler;
    if (!filler) return status;
    dev_event *filled;
    status = dev_enqueue_fill(filler, (dev_command){0}, memory, 0, size,
                              (rt_bytes){&byte, sizeof byte}, &filled);
    if (rt_ok(status)) status = dev_queue_flush(filler);
    if (rt_ok(status)) status = dev_event_wait(filled);
    dev_event_destroy(filled);
    if (rt_ok(status)) return status;
    *inout_memory = NULL;
    dev_memory_destroy(memory);
    return status;
}

rt_status dev_memory_create(dev_device *device, uint64_t size, rt_text label,
                            dev_memory **out_memory)
{
    CHECK(device != NULL && out_memory != NULL);
    CHECK(size >= 1 && size <= RT_MEMORY_SIZE_MAX);
    *out_memory = NULL;
    rt_status status =
        CALL(memory_create, device, device->ops->memory_create(device, size, label, out_memory));
    status = memory_finish(OPERATION_memory_create, device, status, DEV_MEMORY_BUFFER, *out_memory);
    return memory_begin(status, size, out_memory);
}

rt_status dev_usm_create(dev_device *device, dev_memory_kind kind, uint64_t size, rt_text label,
                         dev_memory **out_memory)
{
    CHECK(device != NULL && out_memory != NULL);
    CHECK(kind == DEV_MEMORY_USM_DEVICE || kind == DEV_MEMORY_USM_HOST ||
          kind == DEV_MEMORY_USM_SHARED);
    CHECK(size >= 1 && size <= RT_MEMORY_SIZE_MAX);
    CHECK(capabilities_of(device).usm);
    *out_memory = NULL;
    rt_status status =
        CALL(usm_create, device, device->ops->usm_create(device, kind, size, label, out_memory));
    status = memory_finish(OPERATION_usm_create, device, status, kind, *out_memory);
    return memory_begin(status, size, out_memory);
}

/* Panics unless [offset, offset + size) is a non-empty range of the memory. */
static void range_check(const dev_memory *memory, uint64_t offset, uint64_t size)
{
    CHECK(memory != NULL);
    CHECK(size >= 1);
    CHECK(offset <= memory->size);
    CHECK(size <= memory->size - offset);
}

rt_status dev_memory_part_create(dev_memory *whole, uint64_t offset, uint64_t size, rt_text label,
                                 dev_memory **out_memory)
{
    range_check(whole, offset, size);
    CHECK(!whole->is_part && whole->kind != DEV_MEMORY_GLOBAL && out_memory != NULL);
    dev_device *device = whole->device;
    const dev_capabilities capabilities = capabilities_of(device);
    CHECK(capabilities.part_alignment > 0);
    CHECK(whole->kind == DEV_MEMORY_BUFFER || capabilities.finds_faults);
    *out_memory = NULL;
    rt_status status =
        CALL(memory_part_create, device,
             device->ops->memory_part_create(whole, offset, size, label, out_memory));
    status =
        memory_finish(OPERATION_memory_part_create, device, status, DEV_MEMORY_BUFFER, *out_memory);
    if (!rt_ok(status)) return status;
    /* A driver may accept an offset that its own alignment forbids. */
    (*out_memory)->size = size;
    (*out_memory)->number = whole->number;
    (*out_memory)->origin = offset;
    (*out_memory)->is_part = true;
    return status;
}

uint64_t dev_memory_address(dev_memory *memory)
{
    CHECK(memory != NULL);
    CHECK(memory->kind != DEV_MEMORY_BUFFER);
    uint64_t address = memory->ops->address(memory);
    CHECK(address != 0);
    CHECK(memory->size <= UINT64_MAX - address);
    return address;
}

void dev_memory_destroy(dev_memory *memory)
{
    if (!memory) return;
    dev_device *device = memory->device;
    if (memory->kind == DEV_MEMORY_GLOBAL) {
        unsigned before = atomic_fetch_sub(&memory->program->live_globals, 1);
        CHECK(before > 0);
    }
    memory->ops->destroy(memory);
    count_down(device, DEV_OBJECT_MEMORY);
}

rt_status dev_memory_defined(dev_memory *memory, uint64_t offset, uint64_t size, uint8_t *out_bits)
{
    range_check(memory, offset, size);
    CHECK(out_bits != NULL);
    memset(out_bits, 0, (size_t)((size + 7) / 8));
    if (!memory->ops->defined) {
        for (uint64_t i = 0; i < size; i++)
            out_bits[i / 8] = (uint8_t)(out_bits[i / 8] | 1u << i % 8);
        return RT_STATUS_OK;
    }
    rt_status status =
        CALL(memory_defined, memory->device, memory->ops->defined(memory, offset, size, out_bits));
    status_check(OPERATION_memory_defined, memory->device->sink, status);
    return status;
}

bool dev_memory_writer(dev_memory *memory, uint64_t offset, dev_writer *out_writer)
{
    range_check(memory, offset, 1);
    *out_writer = (dev_writer){0};
    return memory->ops->writer && memory->ops->writer(memory, offset, out_writer);
}

void dev_memory_host_access(dev_memory *memory, uint32_t tag, uint64_t offset, uint64_t size,
                            bool is_write)
{
    range_check(memory, offset, size);
    CHECK(memory->kind == DEV_MEMORY_USM_HOST || memory->kind == DEV_MEMORY_USM_SHARED);
    if (memory->ops->host_access) memory->ops->host_access(memory, tag, offset, size, is_write);
}

/* ---- Programs and kernels ----------------------------------------------------------------- */

/* Completes a program that the adapter created, or passes on the adapter's failure. */
static rt_status program_finish(operation op, dev_device *device, rt_status status, bool executable,
                                dev_program *program)
{
    result_check(op, device->sink, status, program);
    if (!rt_ok(status)) return status;
    CHECK(program->ops != NULL);
    CHECK(program->ops->destroy != NULL && program->ops->kernel_create != NULL);
    program->device = device;
    program->executable = executable;
    atomic_init(&program->live_globals, 0);
    count_up(device, DEV_OBJECT_PROGRAM);
    return status;
}

static void code_check(dev_device *device, const dev_code *code)
{
    CHECK(device != NULL && code != NULL);
    CHECK((unsigned)code->format < RT_FORMAT_COUNT);
    CHECK(code->bytes.size == 0 || code->bytes.data != NULL);
    CHECK(code->options.length == 0 || code->options.data != NULL);
    CHECK_IMPLIES(code->function_set_count > 0, code->function_sets != NULL);
    CHECK_IMPLIES(code->kernel_set_count > 0, code->kernel_sets != NULL);
    CHECK_IMPLIES(code->constant_count > 0, code->constants != NULL);
    CHECK_IMPLIES(code->constant_count > 0, capabilities_of(device).spec_constants);
    for (uint32_t i = 0; i < code->constant_count; i++) {
        const dev_spec_constant *constant = &code->constants[i];
        size_t size = constant->value.size;
        CHECK(constant->value.data != NULL);
        CHECK(size == 1 || size == 2 || size == 4 || size == 8);
        /* An image has at most tens of constants, so a quadratic check for duplicates is cheap. */
        for (uint32_t k = 0; k < i; k++)
            CHECK(code->constants[k].id != constant->id);
    }
}

rt_status dev_program_compile(dev_device *device, const dev_code *code, dev_program **out_program)
{
    code_check(device, code);
    CHECK(out_program != NULL);
    *out_program = NULL;
    rt_status status =
        CALL(program_compile, device, device->ops->program_compile(device, code, out_program));
    return program_finish(OPERATION_program_compile, device, status, false, *out_program);
}

rt_status dev_program_link(dev_device *device, dev_program *const *programs, uint32_t count,
                           rt_text options, dev_program **out_program)
{
    CHECK(device != NULL && out_program != NULL);
    CHECK(count >= 1 && programs != NULL);
    CHECK(options.length == 0 || options.data != NULL);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(programs[i] != NULL);
        CHECK(programs[i]->device == device);
        CHECK(!programs[i]->executable);
    }
    *out_program = NULL;
    rt_status status =
        CALL(program_link, device,
             device->ops->program_link(device, programs, count, options, out_program));
    return program_finish(OPERATION_program_link, device, status, true, *out_program);
}

rt_status dev_program_build(dev_device *device, const dev_code *code, dev_program **out_program)
{
    code_check(device, code);
    CHECK(out_program != NULL);
    *out_program = NULL;
    rt_status status =
        CALL(program_build, device, device->ops->program_build(device, code, out_program));
    return program_finish(OPERATION_program_build, device, status, true, *out_program);
}

uint64_t dev_program_global_bytes(dev_program *program)
{
    CHECK(program != NULL && program->executable);
    return program->ops->global_bytes ? program->ops->global_bytes(program) : 0;
}

rt_status dev_program_binary(dev_program *program, rt_buffer *out_binary)
{
    CHECK(program != NULL && out_binary != NULL);
    const dev_capabilities capabilities = capabilities_of(program->device);
    CHECK(capabilities.program_binaries);
    CHECK(program->executable || dev_capabilities_link(&capabilities, RT_FORMAT_NATIVE));
    CHECK(program->ops->binary != NULL);
    size_t before = out_binary->size;
    rt_status status =
        CALL(program_binary, program->device, program->ops->binary(program, out_binary));
    status_check(OPERATION_program_binary, program->device->sink, status);
    CHECK(rt_ok(status) ? out_binary->size > before : out_binary->size == before);
    return status;
}

rt_status dev_program_load(dev_device *device, rt_bytes binary, dev_program **out_program)
{
    CHECK(device != NULL && out_program != NULL);
    CHECK(binary.size == 0 || binary.data != NULL);
    CHECK(capabilities_of(device).program_binaries);
    *out_program = NULL;
    rt_status status =
        CALL(program_load, device, device->ops->program_load(device, binary, out_program));
    return program_finish(OPERATION_program_load, device, status, true, *out_program);
}

void dev_program_destroy(dev_program *program)
{
    if (!program) return;
    CHECK(atomic_load(&program->live_globals) == 0);
    dev_device *device = program->device;
    program->ops->destroy(program);
    count_down(device, DEV_OBJECT_PROGRAM);
}

rt_status dev_global_find(dev_program *program, rt_text name, dev_memory **out_memory)
{
    CHECK(program != NULL && out_memory != NULL);
    CHECK(program->executable);
    CHECK(name.length == 0 || name.data != NULL);
    CHECK(capabilities_of(program->device).globals_by_name);
    CHECK(program->ops->global_find != NULL);
    *out_memory = NULL;
    rt_status status =
        CALL(global_find, program->device, program->ops->global_find(program, name, out_memory));
    status = memory_finish(OPERATION_global_find, program->device, status, DEV_MEMORY_GLOBAL,
                           *out_memory);
    if (!rt_ok(status)) return status;
    CHECK((*out_memory)->size >= 1 && (*out_memory)->size <= RT_MEMORY_SIZE_MAX);
    (*out_memory)->program = program;
    atomic_fetch_add(&program->live_globals, 1);
    return status;
}

rt_status dev_kernel_create(dev_program *program, rt_text name, dev_kernel **out_kernel)
{
    CHECK(program != NULL && out_kernel != NULL);
    CHECK(program->executable);
    CHECK(name.length == 0 || name.data != NULL);
    *out_kernel = NULL;
    dev_device *device = program->device;
    rt_status status =
        CALL(kernel_create, device, program->ops->kernel_create(program, name, out_kernel));
    result_check(OPERATION_kernel_create, device->sink, status, *out_kernel);
    if (!rt_ok(status)) return status;
    CHECK((*out_kernel)->ops != NULL);
    CHECK((*out_kernel)->ops->destroy != NULL && (*out_kernel)->ops->argument_count != NULL);
    (*out_kernel)->device = device;
    count_up(device, DEV_OBJECT_KERNEL);
    return status;
}

void dev_kernel_destroy(dev_kernel *kernel)
{
    if (!kernel) return;
    dev_device *device = kernel->device;
    kernel->ops->destroy(kernel);
    count_down(device, DEV_OBJECT_KERNEL);
}

uint32_t dev_kernel_argument_count(dev_kernel *kernel)
{
    CHECK(kernel != NULL);
    return kernel->ops->argument_count(kernel);
}

dev_parameter dev_kernel_parameter(dev_kernel *kernel, uint32_t index)
{
    CHECK(kernel != NULL && kernel->ops->parameter != NULL);
    CHECK(index < kernel->ops->argument_count(kernel));
    dev_parameter parameter = kernel->ops->parameter(kernel, index);
    CHECK((unsigned)parameter.kind < DEV_ARGUMENT_KINDS && parameter.kind != DEV_ARGUMENT_POINTER);
    CHECK_IMPLIES(parameter.kind == DEV_ARGUMENT_BYTES, parameter.size >= 1);
    return parameter;
}

uint64_t dev_kernel_local_bytes(dev_kernel *kernel)
{
    CHECK(kernel != NULL);
    return kernel->ops->local_bytes ? kernel->ops->local_bytes(kernel) : 0;
}

/* ---- Queues ------------------------------------------------------------------------------- */

static rt_status queue_create(dev_device *device, bool profiling, dev_queue **out_queue)
{
    CHECK(device != NULL && out_queue != NULL);
    *out_queue = NULL;
    rt_status status = CALL(queue_create, device,
                            profiling ? device->ops->queue_create_profiling(device, out_queue)
                                      : device->ops->queue_create(device, out_queue));
    result_check(OPERATION_queue_create, device->sink, status, *out_queue);
    if (!rt_ok(status)) return status;
    const dev_queue_ops *ops = (*out_queue)->ops;
    CHECK(ops != NULL);
    CHECK(ops->destroy != NULL && ops->enqueue_kernel != NULL && ops->enqueue_read != NULL);
    CHECK(ops->enqueue_write != NULL && ops->enqueue_copy != NULL && ops->enqueue_fill != NULL);
    CHECK(ops->enqueue_marker != NULL);
    (*out_queue)->device = device;
    (*out_queue)->profiling = profiling;
    count_up(device, DEV_OBJECT_QUEUE);
    return status;
}

rt_status dev_queue_create(dev_device *device, dev_queue **out_queue)
{
    return queue_create(device, false, out_queue);
}

rt_status dev_queue_create_profiling(dev_device *device, dev_queue **out_queue)
{
    CHECK(capabilities_of(device).profiling);
    return queue_create(device, true, out_queue);
}

void dev_queue_destroy(dev_queue *queue)
{
    if (!queue) return;
    dev_device *device = queue->device;
    queue->ops->destroy(queue);
    count_down(device, DEV_OBJECT_QUEUE);
}

static void command_check(const dev_queue *queue, const dev_command *command, dev_event **out_event)
{
    CHECK(queue != NULL && out_event != NULL);
    CHECK(command->wait_count == 0 || command->wait != NULL);
    for (uint32_t i = 0; i < command->wait_count; i++) {
        CHECK(command->wait[i] != NULL);
        CHECK(command->wait[i]->device == queue->device);
    }
    *out_event = NULL;
}

/* Completes an event that the adapter created, or passes on the adapter's failure. */
static rt_status event_finish(operation op, dev_queue *queue, rt_status status, dev_event *event)
{
    result_check(op, queue->device->sink, status, event);
    if (!rt_ok(status)) return status;
    CHECK(event->ops != NULL);
    CHECK(event->ops->destroy != NULL && event->ops->wait != NULL && event->ops->state != NULL);
    CHECK_IMPLIES(queue->profiling, event->ops->times != NULL);
    event->device = queue->device;
    event->profiling = queue->profiling;
    count_up(queue->device, DEV_OBJECT_EVENT);
    return status;
}

static void nd_range_check(const dev_nd_range *range)
{
    CHECK(range != NULL);
    CHECK(range->dimensions >= 1 && range->dimensions <= RT_ND_RANGE_DIMENSIONS);
    bool chosen = range->local[0] != 0; /* chosen by the application, not by the device */
    for (uint32_t d = 0; d < RT_ND_RANGE_DIMENSIONS; d++) {
        bool used = d < range->dimensions;
        CHECK((range->local[d] != 0) == chosen);
        CHECK_IMPLIES(!used, range->global[d] == 1);
        CHECK_IMPLIES(!used && chosen, range->local[d] == 1);
        CHECK_IMPLIES(!used, range->offset[d] == 0);
    }
}

static void argument_check(const dev_device *device, const dev_argument *argument)
{
    CHECK((unsigned)argument->kind < DEV_ARGUMENT_KINDS);
    switch (argument->kind) {
    case DEV_ARGUMENT_MEMORY:
        CHECK(argument->memory == NULL || argument->memory->device == device);
        CHECK(argument->memory == NULL || argument->memory->kind == DEV_MEMORY_BUFFER);
        break;
    case DEV_ARGUMENT_POINTER:
        CHECK(argument->memory != NULL && argument->memory->device == device);
        CHECK(argument->memory->kind != DEV_MEMORY_BUFFER);
        CHECK(argument->offset <= argument->memory->size);
        break;
    case DEV_ARGUMENT_BYTES:
        CHECK(argument->bytes.data != NULL && argument->bytes.size >= 1);
        break;
    case DEV_ARGUMENT_LOCAL: CHECK(argument->size >= 1); break;
    case DEV_ARGUMENT_KINDS: UNREACHABLE();
    }
}

/* Refuses a launch that needs more local memory than the device reports, before it reaches the
 * adapter: some drivers end the process instead of refusing. */
static rt_status local_memory_validate(dev_device *device, const dev_argument *arguments,
                                       uint32_t count)
{
    uint32_t first = 0;
    while (first < count && arguments[first].kind != DEV_ARGUMENT_LOCAL)
        first++;
    if (first == count) return RT_STATUS_OK; /* as most do: the device need not be queried */
    dev_capabilities capabilities;
    dev_device_capabilities(device, &capabilities);
    uint64_t remaining = capabilities.local_size_max;
    for (uint32_t i = first; i < count; i++) {
        if (arguments[i].kind != DEV_ARGUMENT_LOCAL) continue;
        if (arguments[i].size > remaining) {
            return rt_fail(
                device->sink, RT_LIMIT, RT_RULE_NONE,
                "argument %u (from 0) requires %llu bytes of local memory; a work-group of "
                "device '%.*s' has %llu bytes for all arguments together",
                i, (unsigned long long)arguments[i].size, RT_TEXT_ARG(capabilities.name),
                (unsigned long long)capabilities.local_size_max);
        }
        remaining -= arguments[i].size;
    }
    return RT_STATUS_OK;
}

rt_status dev_enqueue_kernel(dev_queue *queue, dev_command command, dev_kernel *kernel,
                             const dev_nd_range *range, const dev_argument *arguments,
                             uint32_t argument_count, dev_event **out_event)
{
    command_check(queue, &command, out_event);
    CHECK(kernel != NULL && kernel->device == queue->device);
    nd_range_check(range);
    CHECK(argument_count <= RT_KERNEL_ARGUMENT_MAX);
    CHECK(argument_count == 0 || arguments != NULL);
    for (uint32_t i = 0; i < argument_count; i++)
        argument_check(queue->device, &arguments[i]);
    RT_TRY(local_memory_validate(queue->device, arguments, argument_count));
    rt_status status = CALL(enqueue_kernel, queue->device,
                            queue->ops->enqueue_kernel(queue, command, kernel, range, arguments,
                                                       argument_count, out_event));
    return event_finish(OPERATION_enqueue_kernel, queue, status, *out_event);
}

rt_status dev_enqueue_read(dev_queue *queue, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, void *destination, dev_event **out_event)
{
    command_check(queue, &command, out_event);
    range_check(memory, offset, size);
    CHECK(memory->device == queue->device);
    CHECK(destination != NULL);
    rt_status status = CALL(
        enqueue_read, queue->device,
        queue->ops->enqueue_read(queue, command, memory, offset, size, destination, out_event));
    return event_finish(OPERATION_enqueue_read, queue, status, *out_event);
}

rt_status dev_enqueue_write(dev_queue *queue, dev_command command, dev_memory *memory,
                            uint64_t offset, uint64_t size, const void *source,
                            dev_event **out_event)
{
    command_check(queue, &command, out_event);
    range_check(memory, offset, size);
    CHECK(memory->device == queue->device);
    CHECK(source != NULL);
    rt_status status =
        CALL(enqueue_write, queue->device,
             queue->ops->enqueue_write(queue, command, memory, offset, size, source, out_event));
    return event_finish(OPERATION_enqueue_write, queue, status, *out_event);
}

/* True if two ranges of `size` bytes share a byte.  Two memories that represent one variable are
 * recognised by their addresses; a buffer overlaps only itself and its parts. */
static bool ranges_overlap(dev_memory *a, uint64_t a_offset, dev_memory *b, uint64_t b_offset,
                           uint64_t size)
{
    bool of_variables = a->kind == DEV_MEMORY_GLOBAL && b->kind == DEV_MEMORY_GLOBAL;
    bool is_same = a->number == b->number;
    if (!is_same && !of_variables) return false;
    uint64_t a_first = is_same ? a->origin + a_offset : dev_memory_address(a) + a_offset;
    uint64_t b_first = is_same ? b->origin + b_offset : dev_memory_address(b) + b_offset;
    return a_first < b_first + size && b_first < a_first + size;
}

rt_status dev_enqueue_copy(dev_queue *queue, dev_command command, dev_memory *source,
                           uint64_t source_offset, dev_memory *destination,
                           uint64_t destination_offset, uint64_t size, dev_event **out_event)
{
    command_check(queue, &command, out_event);
    range_check(source, source_offset, size);
    range_check(destination, destination_offset, size);
    CHECK(source->device == queue->device);
    CHECK(destination->device == queue->device);
    CHECK(!ranges_overlap(source, source_offset, destination, destination_offset, size));
    rt_status status =
        CALL(enqueue_copy, queue->device,
             queue->ops->enqueue_copy(queue, command, source, source_offset, destination,
                                      destination_offset, size, out_event));
    return event_finish(OPERATION_enqueue_copy, queue, status, *out_event);
}

rt_status dev_enqueue_fill(dev_queue *queue, dev_command command, dev_memory *memory,
                           uint64_t offset, uint64_t size, rt_bytes pattern, dev_event **out_event)
{
    command_check(queue, &command, out_event);
    range_check(memory, offset, size);
    CHECK(memory->device == queue->device);
    CHECK(pattern.data != NULL);
    CHECK(pattern.size >= 1 && pattern.size <= DEV_PATTERN_SIZE_MAX);
    CHECK(offset % pattern.size == 0 && size % pattern.size == 0);
    rt_status status =
        CALL(enqueue_fill, queue->device,
             queue->ops->enqueue_fill(queue, command, memory, offset, size, pattern, out_event));
    return event_finish(OPERATION_enqueue_fill, queue, status, *out_event);
}

rt_status dev_enqueue_marker(dev_queue *queue, dev_command command, dev_marker marker,
                             dev_event **out_event)
{
    command_check(queue, &command, out_event);
    CHECK_IMPLIES(marker.waits_for_all, command.wait_count == 0);
    rt_status status = CALL(enqueue_marker, queue->device,
                            queue->ops->enqueue_marker(queue, command, marker, out_event));
    return event_finish(OPERATION_enqueue_marker, queue, status, *out_event);
}

/* ---- Mappings ----------------------------------------------------------------------------- */

static bool is_for_writing(dev_map_access access)
{
    return access != DEV_MAP_READ;
}

rt_status dev_enqueue_map(dev_queue *queue, dev_command command, dev_memory *memory, dev_map map,
                          dev_mapping **out_mapping, dev_event **out_event)
{
    command_check(queue, &command, out_event);
    range_check(memory, map.offset, map.size);
    CHECK(memory->device == queue->device && memory->kind == DEV_MEMORY_BUFFER);
    CHECK((unsigned)map.access < DEV_MAP_ACCESSES && out_mapping != NULL);
    CHECK(queue->ops->enqueue_map != NULL && queue->ops->enqueue_unmap != NULL);
    *out_mapping = NULL;
    rt_status status =
        CALL(enqueue_map, queue->device,
             queue->ops->enqueue_map(queue, command, memory, map, out_mapping, out_event));
    status = event_finish(OPERATION_enqueue_map, queue, status, *out_event);
    CHECK(rt_ok(status) == (*out_mapping != NULL));
    if (!rt_ok(status)) return status;
    CHECK((*out_mapping)->bytes != NULL);
    (*out_mapping)->memory = memory;
    (*out_mapping)->map = map;
    return status;
}

rt_status dev_enqueue_unmap(dev_queue *queue, dev_command command, dev_mapping *mapping,
                            dev_event **out_event)
{
    command_check(queue, &command, out_event);
    CHECK(mapping != NULL && mapping->memory->device == queue->device);
    bool fails = is_to_fail(queue->device);
    rt_status status = queue->ops->enqueue_unmap(queue, command, mapping, out_event);
    status = event_finish(OPERATION_enqueue_unmap, queue, status, *out_event);
    if (!fails || !rt_ok(status)) return status;
    /* Even an unmap that fails frees the mapping. */
    dev_event_destroy(*out_event);
    *out_event = NULL;
    return fail_on_demand(OPERATION_enqueue_unmap, queue->device);
}

void dev_mapping_access(dev_mapping *mapping, uint32_t tag, uint64_t offset, uint64_t size,
                        bool is_write)
{
    CHECK(mapping != NULL && size >= 1);
    CHECK(offset <= mapping->map.size && size <= mapping->map.size - offset);
    CHECK_IMPLIES(is_write, is_for_writing(mapping->map.access));
    const dev_memory_ops *ops = mapping->memory->ops;
    if (ops->mapping_access) ops->mapping_access(mapping, tag, offset, size, is_write);
}

void dev_mapping_defined(dev_mapping *mapping, uint8_t *out_bits)
{
    CHECK(mapping != NULL && out_bits != NULL);
    memset(out_bits, 0, (size_t)((mapping->map.size + 7) / 8));
    if (mapping->memory->ops->mapping_defined) {
        mapping->memory->ops->mapping_defined(mapping, out_bits);
        return;
    }
    for (uint64_t i = 0; i < mapping->map.size; i++)
        out_bits[i / 8] = (uint8_t)(out_bits[i / 8] | 1u << i % 8);
}

rt_status dev_queue_flush(dev_queue *queue)
{
    CHECK(queue != NULL);
    rt_status status =
        CALL(flush, queue->device, queue->ops->flush ? queue->ops->flush(queue) : RT_STATUS_OK);
    status_check(OPERATION_flush, queue->device->sink, status);
    return status;
}

/* ---- Events ------------------------------------------------------------------------------- */

rt_status dev_event_wait(dev_event *event)
{
    CHECK(event != NULL);
    rt_status status = event->ops->wait(event);
    status_check(OPERATION_wait, event->device->sink, status);
    /* The state that the event reports afterwards must agree with the result. */
    CHECK(event->ops->state(event) == (rt_ok(status) ? DEV_EVENT_COMPLETE : DEV_EVENT_FAILED));
    return status;
}

dev_event_state dev_event_query(dev_event *event)
{
    CHECK(event != NULL);
    dev_event_state state = event->ops->state(event);
    CHECK(state == DEV_EVENT_PENDING || state == DEV_EVENT_COMPLETE || state == DEV_EVENT_FAILED);
    if (state != DEV_EVENT_PENDING && event->ops->learn) event->ops->learn(event);
    return state;
}

bool dev_event_is_known(dev_event *event)
{
    CHECK(event != NULL && (event->ops->learn == NULL) == (event->ops->is_known == NULL));
    if (event->ops->is_known) return event->ops->is_known(event);
    return event->ops->state(event) != DEV_EVENT_PENDING;
}

rt_status dev_event_times(dev_event *event, dev_times *out_times)
{
    CHECK(event != NULL && out_times != NULL);
    CHECK(event->profiling && event->ops->state(event) == DEV_EVENT_COMPLETE);
    *out_times = (dev_times){0};
    rt_status status = CALL(times, event->device, event->ops->times(event, out_times));
    status_check(OPERATION_times, event->device->sink, status);
    CHECK_IMPLIES(rt_ok(status),
                  out_times->submit <= out_times->start && out_times->start <= out_times->end);
    return status;
}

void dev_event_destroy(dev_event *event)
{
    if (!event) return;
    dev_device *device = event->device;
    event->ops->destroy(event);
    count_down(device, DEV_OBJECT_EVENT);
}

/* ---- Host events -------------------------------------------------------------------------- */

rt_status dev_host_event_create(dev_device *device, dev_event **out_event)
{
    CHECK(device != NULL && out_event != NULL);
    CHECK(capabilities_of(device).host_events);
    *out_event = NULL;
    rt_status status =
        CALL(host_event_create, device, device->ops->host_event_create(device, out_event));
    result_check(OPERATION_host_event_create, device->sink, status, *out_event);
    if (!rt_ok(status)) return status;
    const dev_event_ops *ops = (*out_event)->ops;
    CHECK(ops != NULL && ops->destroy != NULL && ops->wait != NULL && ops->state != NULL);
    CHECK(ops->complete != NULL);
    (*out_event)->device = device;
    (*out_event)->profiling = false;
    (*out_event)->is_host = true;
    count_up(device, DEV_OBJECT_EVENT);
    return status;
}

rt_status dev_host_event_complete(dev_event *event, bool has_failed)
{
    CHECK(event != NULL && event->is_host);
    rt_status status = event->ops->complete(event, has_failed);
    status_check(OPERATION_host_event_complete, event->device->sink, status);
    return status; /* a driver may accept a second completion, and ignore it */
}

dev_event_state dev_event_advance(dev_event *event)
{
    CHECK(event != NULL);
    if (event->ops->advance) event->ops->advance(event);
    return event->ops->state(event);
}

/* ---- For adapters ------------------------------------------------------------------------- */

rt_status dev_part_validate(rt_sink *sink, rt_text label, uint64_t offset)
{
    if (offset % DEV_PART_ALIGNMENT == 0) return RT_STATUS_OK;
    return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_NONE,
                   "part '%.*s' begins at byte %llu of its buffer, which is not a multiple of the "
                   "%d bytes to which the device aligns buffers",
                   RT_TEXT_ARG(label), (unsigned long long)offset, DEV_PART_ALIGNMENT);
}

rt_status dev_argument_count_validate(rt_sink *sink, uint32_t parameter_count,
                                      uint32_t argument_count)
{
    if (argument_count == parameter_count) return RT_STATUS_OK;
    return rt_fail(sink, RT_ERRC_KERNEL_ARGUMENT, RT_RULE_NONE,
                   "the kernel has %u parameters, but the launch passes %u arguments",
                   parameter_count, argument_count);
}

rt_status dev_nd_range_validate(rt_sink *sink, const dev_nd_range *range, uint32_t group_size_max)
{
    nd_range_check(range);
    CHECK(group_size_max >= 1);
    if (range->local[0] == 0) return RT_STATUS_OK; /* the device chooses a size that fits */
    uint64_t group_size = 1;
    for (uint32_t d = 0; d < range->dimensions; d++) {
        if (range->global[d] % range->local[d] != 0 && !range->is_non_uniform)
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "local size %llu does not divide global size %llu in dimension %u; use "
                           "a local size that does, or specify none",
                           (unsigned long long)range->local[d],
                           (unsigned long long)range->global[d], d);
        /* Divides instead of multiplying, because the product of three sizes may overflow 64 bits.
         */
        if (range->local[d] > group_size_max / group_size)
            return rt_fail(sink, RT_ERRC_ND_RANGE, RT_RULE_NONE,
                           "a work-group of %llu x %llu x %llu work-items is too large; this "
                           "device allows at most %u work-items",
                           (unsigned long long)range->local[0], (unsigned long long)range->local[1],
                           (unsigned long long)range->local[2], group_size_max);
        group_size *= range->local[d];
    }
    return RT_STATUS_OK;
}
