/* Random sequences of calls, right and wrong ones, on pools of objects: nothing may crash, hang or
 * return a code that the specification does not have, and every object can be released at the end.
 *
 *     test_sequences [FIRST_SEED [SEEDS [CALLS]]]
 *
 * The seed of a failure is printed before its sequence, which is the same every time. */
#include "opencl/test/client.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { POOL = 8, BYTES = 1024, HOST_BYTES = 4096, KINDS_OF_PROGRAMS = 3 };

typedef struct pools {
    client c;
    client_intel intel;
    uint64_t state; /* of the generator */
    cl_mem buffers[POOL];
    cl_event events[POOL], users[POOL];
    cl_program programs[POOL];
    cl_kernel kernels[POOL];
    cl_command_queue queues[POOL];
    void *maps[POOL];
    cl_mem mapped[POOL];
    uint8_t *shared[POOL];    /* shared virtual memory of BYTES each */
    uint8_t *unified[POOL];   /* Intel's unified shared memory of BYTES each */
    int callbacks;            /* that are to be called */
    uint8_t host[HOST_BYTES]; /* lives longer than every command */
} pools;

/* splitmix64 */
static uint64_t draw(pools *p, uint64_t below)
{
    p->state += 0x9E3779B97F4A7C15u;
    uint64_t z = p->state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

static size_t draw_size(pools *p)
{
    static const size_t sizes[] = {0, 1, 4, 16, 64, 100, 128, 256, 512, 1000, BYTES, BYTES + 4};
    return sizes[draw(p, sizeof sizes / sizeof *sizes)];
}

#define ANY(pool) p->pool[draw(p, POOL)] /* an object, or NULL */

static void code_check(cl_int code)
{
    assert_in_range(-code, 0, 72); /* CL_MAX_SIZE_RESTRICTION_EXCEEDED is -72 */
}

/* A wait list of up to three events of the pools; *out_count may disagree with it. */
static const cl_event *draw_list(pools *p, cl_event list[3], cl_uint *out_count)
{
    *out_count = (cl_uint)draw(p, 4);
    for (cl_uint i = 0; i < *out_count; i++)
        list[i] = draw(p, 4) == 0 ? ANY(users) : ANY(events);
    if (draw(p, 30) == 0) return NULL;
    return *out_count > 0 ? list : NULL;
}

static void event_put(pools *p, cl_event event)
{
    cl_event *place = &ANY(events);
    if (*place) assert_cl(clReleaseEvent(*place));
    *place = event;
}

static void buffer_call(pools *p)
{
    cl_mem *place = &ANY(buffers);
    cl_int code;
    if (*place && draw(p, 2) == 0) {
        const cl_buffer_region region = {draw_size(p), draw_size(p)};
        cl_mem part = clCreateSubBuffer(*place, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        code_check(code);
        assert_int_equal(part != NULL, code == CL_SUCCESS);
        if (!part) return;
        assert_cl(clReleaseMemObject(*place));
        *place = part;
        return;
    }
    if (*place) {
        for (int i = 0; i < POOL; i++)
            if (p->mapped[i] == *place) p->maps[i] = NULL, p->mapped[i] = NULL;
        assert_cl(clReleaseMemObject(*place));
    }
    const cl_mem_flags flags = draw(p, 2) ? CL_MEM_COPY_HOST_PTR : 0;
    *place = clCreateBuffer(p->c.context, flags, draw(p, 10) ? BYTES : draw_size(p),
                            flags ? p->host : NULL, &code);
    code_check(code);
}

static void transfer_call(pools *p)
{
    cl_event list[3], event = NULL;
    cl_uint count;
    const cl_event *wait = draw_list(p, list, &count);
    cl_command_queue queue = ANY(queues);
    cl_mem a = ANY(buffers), b = ANY(buffers);
    size_t offset = draw_size(p), other = draw_size(p), size = draw_size(p);
    const size_t origin[] = {draw(p, 8) * 4, draw(p, 4), draw(p, 2)},
                 region[] = {draw(p, 5) * 4, draw(p, 4), 1};
    cl_int code = 0;
    /* A blocking command could wait for a user event that is never completed. */
    switch (draw(p, 7)) {
    case 0:
        code = clEnqueueReadBuffer(queue, a, CL_FALSE, offset, size, p->host, count, wait, &event);
        break;
    case 1:
        code = clEnqueueWriteBuffer(queue, a, CL_FALSE, offset, size, p->host, count, wait, &event);
        break;
    case 2:
        code = clEnqueueCopyBuffer(queue, a, b, offset, other, size, count, wait, &event);
        break;
    case 3:
        code = clEnqueueFillBuffer(queue, a, p->host, (size_t)1 << draw(p, 9), offset, size, count,
                                   wait, &event);
        break;
    case 4:
        code = clEnqueueCopyBufferRect(queue, a, b, origin, region, region, 64, draw(p, 2) * 256,
                                       64, 0, count, wait, &event);
        break;
    case 5:
        code = clEnqueueReadBufferRect(queue, a, CL_FALSE, origin, origin, region, 64, 256, 32, 0,
                                       p->host, count, wait, &event);
        break;
    default:
        code = draw(p, 2) ? clEnqueueBarrierWithWaitList(queue, count, wait, &event)
                          : clEnqueueMarkerWithWaitList(queue, count, wait, &event);
    }
    code_check(code);
    assert_int_equal(event != NULL, code == CL_SUCCESS);
    if (event) event_put(p, event);
}

static void map_call(pools *p)
{
    uint64_t slot = draw(p, POOL);
    cl_command_queue queue = ANY(queues);
    cl_event event = NULL;
    cl_int code;
    if (p->maps[slot]) {
        code = clEnqueueUnmapMemObject(queue, p->mapped[slot], p->maps[slot], 0, NULL, &event);
        if (code == CL_SUCCESS) p->maps[slot] = NULL, p->mapped[slot] = NULL;
    } else {
        cl_mem buffer = ANY(buffers);
        p->maps[slot] = clEnqueueMapBuffer(queue, buffer, CL_FALSE, (cl_map_flags)1 << draw(p, 3),
                                           draw_size(p), draw_size(p), 0, NULL, &event, &code);
        p->mapped[slot] = p->maps[slot] ? buffer : NULL;
    }
    code_check(code);
    if (event) event_put(p, event);
}

/* A module with kernel `k`, to whose number it adds a specialisation constant. */
static const uint32_t il[] = {
    IL_HEADER(15),
    IL_OP(17, 4),             /* OpCapability Addresses */
    IL_OP(17, 6),             /* OpCapability Kernel */
    IL_OP(14, 2, 2),          /* OpMemoryModel Physical64 OpenCL */
    IL_OP(15, 6, 10, 'k'),    /* OpEntryPoint Kernel %10 "k" */
    IL_OP(71, 9, 1, 7),       /* OpDecorate %9 SpecId 7 */
    IL_OP(19, 1),             /* %1 = OpTypeVoid */
    IL_OP(21, 2, 32, 0),      /* %2 = OpTypeInt 32 0 */
    IL_OP(32, 3, 5, 2),       /* %3 = OpTypePointer CrossWorkgroup %2 */
    IL_OP(33, 4, 1, 3, 2),    /* %4 = OpTypeFunction %1 %3 %2 */
    IL_OP(50, 2, 9, 11),      /* %9 = OpSpecConstant %2 11 */
    IL_OP(54, 1, 10, 0, 4),   /* %10 = OpFunction %1 None %4 */
    IL_OP(55, 3, 11),         /* %11 = OpFunctionParameter %3 */
    IL_OP(55, 2, 13),         /* %13 = OpFunctionParameter %2 */
    IL_OP(248, 12),           /* %12 = OpLabel */
    IL_OP(128, 2, 14, 13, 9), /* %14 = OpIAdd %2 %13 %9 */
    IL_OP(62, 11, 14, 2, 4),  /* OpStore %11 %14 Aligned 4 */
    IL_OP(253),               /* OpReturn */
    IL_OP(56),                /* OpFunctionEnd */
};

/* Replaces a program by one of the module, in which half of the time a bit is wrong. */
static void module_call(pools *p, cl_program *place)
{
    uint32_t words[sizeof il / sizeof *il];
    const cl_int value = (cl_int)draw(p, 100);
    cl_int code;
    memcpy(words, il, sizeof il);
    bool is_right = draw(p, 2) == 0;
    if (!is_right) words[draw(p, sizeof il / sizeof *il)] ^= 1u << draw(p, 32);
    cl_program made = clCreateProgramWithIL(p->c.context, words, sizeof words, &code);
    code_check(code);
    assert_true(made || !is_right);
    if (!made) return;
    if (*place) assert_cl(clReleaseProgram(*place));
    *place = made;
    code_check(clSetProgramSpecializationConstant(made, draw(p, 4) ? 7 : 8, sizeof value, &value));
    code = clBuildProgram(made, 0, NULL, "", NULL, NULL);
    code_check(code);
    assert_true(code == CL_SUCCESS || !is_right);
}

static void program_call(pools *p)
{
    static const char *const sources[KINDS_OF_PROGRAMS] = {
        "kernel void k(global int *a, int n) { a[get_global_id(0)] = n; }",
        "int v = 5;\nint f(int x) { return x + v; }\nkernel void k(global int *a, int n) { a[0] = f(n); }",
        "kernel void k(global int *a, int n) { syntax error }",
    };
    cl_program *place = &ANY(programs);
    cl_int code;
    if (*place && draw(p, 2)) {
        static const char *const options[] = {"", "-cl-std=CL2.0", "-cl-std=CL3.0", "-bad"};
        code_check(clBuildProgram(*place, 0, NULL, options[draw(p, 4)], NULL, NULL));
        return;
    }
    if (*place) assert_cl(clReleaseProgram(*place));
    const char *source = sources[draw(p, KINDS_OF_PROGRAMS)];
    *place = clCreateProgramWithSource(p->c.context, 1, &source, NULL, &code);
    assert_cl(code);
}

static void kernel_call(pools *p)
{
    cl_kernel *place = &ANY(kernels);
    cl_int code;
    if (!*place || draw(p, 8) == 0) {
        cl_kernel kernel = clCreateKernel(ANY(programs), draw(p, 9) ? "k" : "absent", &code);
        code_check(code);
        if (!kernel) return;
        if (*place) assert_cl(clReleaseKernel(*place));
        *place = kernel;
    }
    cl_mem buffer = ANY(buffers);
    const cl_int n = (cl_int)draw(p, 100);
    code_check(clSetKernelArg(*place, (cl_uint)draw(p, 3), sizeof buffer, &buffer));
    code_check(clSetKernelArg(*place, 1, draw(p, 9) ? sizeof n : 8, &n));
    cl_event list[3], event = NULL;
    cl_uint count;
    const cl_event *wait = draw_list(p, list, &count);
    const size_t global[] = {draw(p, 20), 1, 1}, local[] = {draw(p, 6), 1, 1};
    code = clEnqueueNDRangeKernel(ANY(queues), *place, (cl_uint)draw(p, 5), NULL, global,
                                  draw(p, 2) ? local : NULL, count, wait, &event);
    code_check(code);
    if (event) event_put(p, event);
}

static void event_call(pools *p)
{
    cl_event *user = &ANY(users), event = ANY(events);
    cl_int status = 0, code;
    cl_ulong time;
    if (!*user) {
        *user = clCreateUserEvent(p->c.context, &code);
        assert_cl(code);
    } else if (draw(p, 2)) {
        code_check(clSetUserEventStatus(*user, draw(p, 4) ? CL_COMPLETE : -1));
        assert_cl(clReleaseEvent(*user));
        *user = NULL;
    }
    code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_true(code == (event ? CL_SUCCESS : CL_INVALID_EVENT));
    code_check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    code_check(clFlush(ANY(queues)));
}

/* A pointer into one of the allocations, to no allocation, or NULL. */
static void *draw_pointer(pools *p)
{
    uint8_t *place = draw(p, 2) ? ANY(shared) : ANY(unified);
    if (!place) return draw(p, 2) ? NULL : p->host;
    return place + draw_size(p);
}

static void shared_call(pools *p)
{
    uint8_t **place = &ANY(shared);
    cl_event list[3], event = NULL;
    cl_uint count;
    const cl_event *wait = draw_list(p, list, &count);
    cl_command_queue queue = ANY(queues);
    void *to = draw_pointer(p), *from = draw_pointer(p);
    size_t size = draw_size(p);
    cl_int code = 0;
    switch (draw(p, 8)) {
    case 0:
        if (!*place) *place = clSVMAlloc(p->c.context, draw(p, 9) ? 0 : 1 << 30, BYTES, 0);
        break;
    case 1:
        /* A pending command may use it: a finding, and no crash. */
        clSVMFree(p->c.context, *place);
        *place = NULL;
        break;
    case 2:
        if (*place)
            code = clEnqueueSVMFree(queue, 1, (void **)place, NULL, NULL, count, wait, &event);
        if (event) *place = NULL;
        break;
    case 3: code = clEnqueueSVMMemcpy(queue, CL_FALSE, to, from, size, count, wait, &event); break;
    case 4:
        code = clEnqueueSVMMemFill(queue, to, p->host, (size_t)1 << draw(p, 9), size, count, wait,
                                   &event);
        break;
    case 5:
        code = clEnqueueSVMMap(queue, CL_FALSE, (cl_map_flags)1 << draw(p, 3), to, size, count,
                               wait, &event);
        break;
    case 6: code = clEnqueueSVMUnmap(queue, to, count, wait, &event); break;
    default: {
        cl_kernel kernel = ANY(kernels);
        code = clSetKernelArgSVMPointer(kernel, (cl_uint)draw(p, 3), to);
    }
    }
    code_check(code);
    if (event) event_put(p, event);
}

static uint8_t *unified_allocate(pools *p)
{
    const client_intel *f = &p->intel;
    const cl_uint alignment = draw(p, 4) ? 0 : (cl_uint)draw_size(p);
    cl_int code = 0;
    void *memory = NULL;
    switch (draw(p, 3)) {
    case 0: memory = f->allocate_host(p->c.context, NULL, BYTES, alignment, &code); break;
    case 1: memory = f->allocate(p->c.context, p->c.device, NULL, BYTES, alignment, &code); break;
    default:
        memory = f->allocate_shared(p->c.context, draw(p, 2) ? p->c.device : NULL, NULL, BYTES,
                                    alignment, &code);
    }
    code_check(code);
    assert_int_equal(memory != NULL, code == CL_SUCCESS);
    return memory;
}

/* Intel's unified shared memory, and the addresses of a program's variables and functions. */
static void unified_call(pools *p)
{
    const client_intel *f = &p->intel;
    uint8_t **place = &ANY(unified);
    cl_event list[3], event = NULL;
    cl_uint count;
    const cl_event *wait = draw_list(p, list, &count);
    cl_command_queue queue = ANY(queues);
    cl_program program = ANY(programs);
    void *to = draw_pointer(p), *from = draw_pointer(p);
    size_t size = draw_size(p);
    cl_ulong number = 0;
    cl_int code = 0;
    switch (draw(p, 8)) {
    case 0:
        if (!*place) *place = unified_allocate(p);
        break;
    case 1:
        /* A pending command may use it: a finding, and no crash. */
        code = f->free(p->c.context, *place);
        *place = NULL;
        break;
    case 2: code = f->copy(queue, CL_FALSE, to, from, size, count, wait, &event); break;
    case 3:
        code = f->fill(queue, to, p->host, (size_t)1 << draw(p, 9), size, count, wait, &event);
        break;
    case 4: code = f->set(ANY(kernels), (cl_uint)draw(p, 3), to); break;
    case 5:
        code = f->info(p->c.context, to, (cl_mem_info_intel)(CL_MEM_ALLOC_TYPE_INTEL + draw(p, 6)),
                       sizeof number, &number, NULL);
        break;
    case 6: code = f->variable(p->c.device, program, draw(p, 3) ? "v" : "f", &size, &to); break;
    default: code = f->function(p->c.device, program, draw(p, 3) ? "f" : "v", &number);
    }
    code_check(code);
    if (event) event_put(p, event);
}

static void CL_CALLBACK event_done(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status;
    __atomic_fetch_sub((int *)user, 1, __ATOMIC_SEQ_CST);
}

/* Callbacks, clones, separate compilation, binaries, modules. */
static void rare_call(pools *p)
{
    cl_program program = ANY(programs), *place = &ANY(programs);
    cl_kernel kernel = ANY(kernels);
    cl_event event = ANY(events);
    cl_int code = 0;
    switch (draw(p, 7)) {
    case 0:
        __atomic_fetch_add(&p->callbacks, 1, __ATOMIC_SEQ_CST);
        code = clSetEventCallback(event, (cl_int)draw(p, 5), event_done, &p->callbacks);
        if (code != CL_SUCCESS) __atomic_fetch_sub(&p->callbacks, 1, __ATOMIC_SEQ_CST);
        break;
    case 1:
        kernel = clCloneKernel(kernel, &code);
        if (kernel) assert_cl(clReleaseKernel(kernel));
        break;
    case 2:
        code = clCompileProgram(program, 0, NULL, "", (cl_uint)draw(p, 2), place,
                                (const char *[]){"header.h"}, NULL, NULL);
        break;
    case 3: {
        const cl_program inputs[] = {program, *place};
        cl_program linked =
            clLinkProgram(p->c.context, 0, NULL, draw(p, 2) ? "" : "-create-library",
                          (cl_uint)draw(p, 3), inputs, NULL, NULL, &code);
        if (!linked) break;
        if (*place) assert_cl(clReleaseProgram(*place));
        *place = linked;
        break;
    }
    case 4: {
        uint8_t binary[1 << 14];
        size_t size = 0;
        unsigned char *out = binary;
        const unsigned char *in = binary;
        code = clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
        if (code != CL_SUCCESS || size == 0 || size > sizeof binary) break;
        assert_cl(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof out, &out, NULL));
        if (draw(p, 2)) binary[draw(p, size)] ^= (uint8_t)(1 << draw(p, 8));
        cl_program made =
            clCreateProgramWithBinary(p->c.context, 1, &p->c.device, &size, &in, NULL, &code);
        if (!made) break;
        if (*place) assert_cl(clReleaseProgram(*place));
        *place = made;
        break;
    }
    case 5: module_call(p, place); break;
    default:
        code = clEnqueueMigrateMemObjects(ANY(queues), 1, &ANY(buffers),
                                          (cl_mem_migration_flags)draw(p, 4), 0, NULL, NULL);
    }
    code_check(code);
}

/* Completes all user events, so that everything ends. */
static void everything_end(pools *p)
{
    for (int i = 0; i < POOL; i++) {
        if (!p->users[i]) continue;
        code_check(clSetUserEventStatus(p->users[i], CL_COMPLETE));
        assert_cl(clReleaseEvent(p->users[i]));
        p->users[i] = NULL;
    }
    for (int i = 0; i < POOL; i++)
        if (p->queues[i]) code_check(clFinish(p->queues[i]));
}

static void sequence_run(uint64_t seed, uint64_t calls)
{
    static void (*const kinds[])(pools * p) = {
        buffer_call,  transfer_call, transfer_call, map_call,    program_call,
        kernel_call,  kernel_call,   event_call,    shared_call, shared_call,
        unified_call, unified_call,  rare_call};
    pools *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->state = seed;
    p->c = client_open(CL_QUEUE_PROFILING_ENABLE);
    p->intel = client_intel_find(&p->c);
    for (int i = 0; i < POOL - 1; i++) {
        cl_int code;
        p->queues[i] = clCreateCommandQueue(
            p->c.context, p->c.device, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
        assert_cl(code);
    }
    for (uint64_t i = 0; i < calls; i++) {
        kinds[draw(p, sizeof kinds / sizeof *kinds)](p);
        if (draw(p, 64) == 0) everything_end(p);
    }
    everything_end(p);
    while (__atomic_load_n(&p->callbacks, __ATOMIC_SEQ_CST) > 0)
        sched_yield();
    for (int i = 0; i < POOL; i++) {
        if (p->shared[i]) clSVMFree(p->c.context, p->shared[i]);
        if (p->unified[i]) assert_cl(p->intel.free(p->c.context, p->unified[i]));
        if (p->events[i]) assert_cl(clReleaseEvent(p->events[i]));
        if (p->buffers[i]) assert_cl(clReleaseMemObject(p->buffers[i]));
        if (p->kernels[i]) assert_cl(clReleaseKernel(p->kernels[i]));
        if (p->programs[i]) assert_cl(clReleaseProgram(p->programs[i]));
        if (p->queues[i]) assert_cl(clReleaseCommandQueue(p->queues[i]));
    }
    client_close(&p->c);
    free(p);
}

static uint64_t first_seed = 1, seeds = 10, calls_of_each = 400;

static void sequences(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        fflush(stdout);
        sequence_run(seed, calls_of_each);
    }
}

int main(int count, char **arguments)
{
    if (count > 1) first_seed = strtoull(arguments[1], NULL, 10);
    if (count > 2) seeds = strtoull(arguments[2], NULL, 10);
    if (count > 3) calls_of_each = strtoull(arguments[3], NULL, 10);
    const struct CMUnitTest tests[] = {cmocka_unit_test(sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
