/* Buffers: sub-buffers, maps, rectangles, fills, copies. */
#include "opencl/test/client.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

static void fills_have_every_size(void **state)
{
    (void)state;
    client c = client_open(0);
    uint8_t pattern[128], result[256], expected[256];
    for (int i = 0; i < 128; i++)
        pattern[i] = (uint8_t)(i + 1);
    cl_mem buffer = clCreateBuffer(c.context, CL_MEM_READ_WRITE, sizeof result, NULL, NULL);
    for (size_t size = 1; size <= 128; size *= 2) {
        assert_cl(
            clEnqueueFillBuffer(c.queue, buffer, pattern, size, 0, sizeof result, 0, NULL, NULL));
        assert_cl(
            clEnqueueReadBuffer(c.queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
        for (size_t i = 0; i < sizeof expected; i++)
            expected[i] = (uint8_t)(i % size + 1);
        assert_memory_equal(result, expected, sizeof expected);
    }
    assert_int_equal(clEnqueueFillBuffer(c.queue, buffer, pattern, 3, 0, 3, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueFillBuffer(c.queue, buffer, pattern, 4, 2, 4, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void a_sub_buffer_is_a_part_of_its_buffer(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int values[64], code;
    for (int i = 0; i < 64; i++)
        values[i] = i;
    cl_mem buffer = client_ints(&c, values, 64);
    const cl_buffer_region region = {128, 16}; /* ints 32 to 35 */
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_cl(code);
    cl_kernel kernel =
        client_kernel(&c, "kernel void k(global int *a) { a[get_global_id(0)] += 100; }", "k");
    client_run(&c, kernel, part, 4);
    for (int i = 32; i < 36; i++)
        values[i] += 100;
    client_expect(&c, buffer, values, 64);
    client_expect(&c, part, values + 32, 4);
    client_run(&c, kernel, part, 5); /* one work-item leaves the part, and stores nothing */
    for (int i = 32; i < 36; i++)
        values[i] += 100;
    client_expect(&c, buffer, values, 64);
    const cl_buffer_region misaligned = {4, 16}, outside = {256, 16}, empty = {0, 0};
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &misaligned, &code));
    assert_int_equal(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    assert_null(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_null(clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
    assert_int_equal(code, CL_INVALID_MEM_OBJECT);
    assert_cl(clReleaseMemObject(buffer)); /* the part keeps it */
    client_expect(&c, part, values + 32, 4);
    assert_cl(clReleaseMemObject(part));
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

static void a_map_shows_and_takes_bytes(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int values[4] = {1, 2, 3, 4}, code;
    cl_mem buffer = client_ints(&c, values, 4);
    cl_int *map = clEnqueueMapBuffer(c.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 8, 0,
                                     NULL, NULL, &code);
    assert_cl(code);
    assert_int_equal(map[0], 2);
    assert_int_equal(map[1], 3);
    cl_uint count;
    assert_cl(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    assert_int_equal(count, 1);
    map[1] = values[2] = 30;
    assert_int_equal(clEnqueueUnmapMemObject(c.queue, buffer, map + 1, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_cl(clEnqueueUnmapMemObject(c.queue, buffer, map, 0, NULL, NULL));
    client_expect(&c, buffer, values, 4);
    assert_null(
        clEnqueueMapBuffer(c.queue, buffer, CL_TRUE, CL_MAP_READ, 12, 8, 0, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void the_hosts_memory_is_mapped_in_place(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int values[4] = {1, 2, 3, 4}, code;
    const cl_int expected[4] = {2, 4, 6, 8};
    cl_mem buffer = clCreateBuffer(c.context, CL_MEM_USE_HOST_PTR, sizeof values, values, &code);
    assert_cl(code);
    cl_kernel kernel =
        client_kernel(&c, "kernel void k(global int *a) { a[get_global_id(0)] *= 2; }", "k");
    client_run(&c, kernel, buffer, 4);
    void *map = clEnqueueMapBuffer(c.queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof values, 0, NULL,
                                   NULL, &code);
    assert_ptr_equal(map, values);
    assert_memory_equal(values, expected, sizeof values);
    assert_cl(clEnqueueUnmapMemObject(c.queue, buffer, map, 0, NULL, NULL));
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

/* A 4 x 4 matrix of ints: its middle 2 x 2 block is read, written and copied. */
static void rectangles(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int matrix[16], block[4], code;
    for (int i = 0; i < 16; i++)
        matrix[i] = i;
    cl_mem buffer = client_ints(&c, matrix, 16);
    const size_t middle[] = {4, 1, 0}, none[] = {0, 0, 0}, region[] = {8, 2, 1};
    assert_cl(clEnqueueReadBufferRect(c.queue, buffer, CL_TRUE, middle, none, region, 16, 0, 8, 0,
                                      block, 0, NULL, NULL));
    const cl_int expected[] = {5, 6, 9, 10};
    assert_memory_equal(block, expected, sizeof block);
    const cl_int new_block[] = {50, 60, 90, 100};
    assert_cl(clEnqueueWriteBufferRect(c.queue, buffer, CL_TRUE, middle, none, region, 16, 0, 8, 0,
                                       new_block, 0, NULL, NULL));
    matrix[5] = 50, matrix[6] = 60, matrix[9] = 90, matrix[10] = 100;
    client_expect(&c, buffer, matrix, 16);
    /* To the upper left corner, which overlaps; then to the lower left one, which does not. */
    const size_t corner[] = {0, 0, 0}, below[] = {0, 2, 0}, right[] = {8, 0, 0};
    assert_int_equal(clEnqueueCopyBufferRect(c.queue, buffer, buffer, middle, corner, region, 16, 0,
                                             16, 0, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_cl(clEnqueueCopyBufferRect(c.queue, buffer, buffer, right, below, region, 16, 0, 16, 0,
                                      0, NULL, NULL));
    matrix[8] = 2, matrix[9] = 3, matrix[12] = 60, matrix[13] = 7;
    client_expect(&c, buffer, matrix, 16);
    code = clEnqueueReadBufferRect(c.queue, buffer, CL_TRUE, middle, none, region, 4, 0, 8, 0,
                                   block, 0, NULL, NULL);
    assert_int_equal(code, CL_INVALID_VALUE); /* rows shorter than the region */
    const size_t last[] = {12, 1, 0};
    const size_t tall[] = {4, 4, 1};
    code = clEnqueueReadBufferRect(c.queue, buffer, CL_TRUE, last, none, tall, 16, 0, 4, 0, block,
                                   0, NULL, NULL);
    assert_int_equal(code, CL_INVALID_VALUE); /* ends below the matrix */
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

static void copies(void **state)
{
    (void)state;
    client c = client_open(0);
    const cl_int values[] = {1, 2, 3, 4}, expected[] = {1, 2, 1, 2};
    cl_mem buffer = client_ints(&c, values, 4);
    assert_cl(clEnqueueCopyBuffer(c.queue, buffer, buffer, 0, 8, 8, 0, NULL, NULL));
    client_expect(&c, buffer, expected, 4);
    assert_int_equal(clEnqueueCopyBuffer(c.queue, buffer, buffer, 0, 4, 8, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueCopyBuffer(c.queue, buffer, buffer, 12, 0, 8, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

/* A released buffer lives until the commands that use it have ended. */
static void a_release_waits_for_commands(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 5, result = 0;
    cl_mem buffer = client_ints(&c, &value, 1);
    assert_cl(
        clEnqueueReadBuffer(c.queue, buffer, CL_FALSE, 0, sizeof result, &result, 0, NULL, NULL));
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clFinish(c.queue));
    assert_int_equal(result, 5);
    client_close(&c);
}

static void CL_CALLBACK count_up(cl_mem memory, void *user)
{
    (void)memory;
    ++*(int *)user;
}

/* A kernel keeps no buffer alive that is its argument: clReleaseMemObject frees it. */
static void an_argument_keeps_no_buffer_alive(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_kernel kernel = client_kernel(&c, "kernel void k(global int *a) { a[0] = 1; }", "k");
    cl_mem buffer = client_ints(&c, NULL, 1);
    const size_t one = 1;
    int freed = 0;
    assert_cl(clSetMemObjectDestructorCallback(buffer, count_up, &freed));
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clReleaseMemObject(buffer));
    assert_int_equal(freed, 1);
    assert_int_equal(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    /* Another buffer makes the kernel usable again. */
    buffer = client_ints(&c, NULL, 1);
    client_run(&c, kernel, buffer, 1);
    const cl_int expected = 1;
    client_expect(&c, buffer, &expected, 1);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

/* Programs allocate until it fails; memory that is released can be allocated again. */
static void memory_is_limited(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    cl_ulong total, most;
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof total, &total, NULL));
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    assert_true(most <= total);
    cl_mem buffers[64];
    size_t count = 0;
    for (cl_ulong rest = total; rest > 0; count++) {
        assert_true(count < sizeof buffers / sizeof *buffers);
        cl_ulong size = rest < most ? rest : most;
        buffers[count] = clCreateBuffer(c.context, 0, size, NULL, &code);
        assert_cl(code);
        rest -= size;
    }
    assert_null(clCreateBuffer(c.context, 0, 1, NULL, &code));
    assert_int_equal(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_null(clSVMAlloc(c.context, 0, 1, 0));
    assert_cl(clReleaseMemObject(buffers[0]));
    buffers[0] = clCreateBuffer(c.context, 0, most, NULL, &code);
    assert_cl(code);
    for (size_t i = 0; i < count; i++)
        assert_cl(clReleaseMemObject(buffers[i]));
    client_close(&c);
}

/* The specification leaves undefined what such a kernel does; it is a finding, and the bytes are
 * those that every driver accesses. */
static void flags_are_declarations(void **state)
{
    (void)state;
    client c = client_open(0);
    const cl_int values[2] = {20, 30};
    cl_int code, read[2];
    cl_mem in = clCreateBuffer(c.context, CL_MEM_WRITE_ONLY | CL_MEM_COPY_HOST_PTR, sizeof values,
                               (void *)(uintptr_t)values, &code);
    assert_cl(code);
    cl_mem out = clCreateBuffer(c.context, CL_MEM_READ_ONLY, sizeof values, NULL, &code);
    assert_cl(code);
    cl_kernel kernel =
        client_kernel(&c,
                      "kernel void add(global int *in, global int *out) {\n"
                      "  size_t i = get_global_id(0); out[i] = in[i] + 1; atomic_inc(&in[i]); }\n",
                      "add");
    const size_t count = 2;
    assert_cl(clSetKernelArg(kernel, 0, sizeof in, &in));
    assert_cl(clSetKernelArg(kernel, 1, sizeof out, &out));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    assert_cl(clEnqueueReadBuffer(c.queue, out, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
    assert_int_equal(read[0], 21);
    assert_int_equal(read[1], 31);
    assert_cl(clEnqueueReadBuffer(c.queue, in, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
    assert_int_equal(read[0], 21);
    assert_int_equal(read[1], 31);
    assert_cl(clReleaseMemObject(in));
    assert_cl(clReleaseMemObject(out));
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

static sigjmp_buf after_fault;

static void fault_take(int number)
{
    siglongjmp(after_fault, number);
}

/* The destination of a read cannot be accessed while the read is pending; what surrounds it can,
 * and the program's own handler gets the other faults. */
static void a_pending_read_changes_nothing_else(void **state)
{
    (void)state;
    enum { SIZE = 1 << 16, BEFORE = 100, EXPECTED = 9 };
    client c = client_open(0);
    cl_int code;
    cl_mem buffer = clCreateBuffer(c.context, 0, SIZE, NULL, &code);
    assert_cl(code);
    assert_cl(
        clEnqueueFillBuffer(c.queue, buffer, &(cl_uchar){EXPECTED}, 1, 0, SIZE, 0, NULL, NULL));
    void (*handler_before)(int) = signal(SIGSEGV, fault_take);
    cl_uchar *memory = calloc(BEFORE + SIZE + 1, 1);
    cl_uchar *forbidden = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_non_null(memory);
    assert_true(forbidden != MAP_FAILED);
    for (int times = 0; times < 2; times++) {
        assert_cl(clEnqueueReadBuffer(c.queue, buffer, CL_FALSE, 0, SIZE, memory + BEFORE, 0, NULL,
                                      NULL));
        memory[BEFORE - 1]++;
        memory[BEFORE + SIZE]++;
    }
    if (sigsetjmp(after_fault, 1) == 0) {
        forbidden[0] = 1;
        fail_msg("an access that must fail succeeds");
    }
    assert_cl(clFinish(c.queue));
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(memory[BEFORE + i], EXPECTED);
    assert_int_equal(memory[BEFORE - 1], 2);
    assert_int_equal(memory[BEFORE + SIZE], 2);
    signal(SIGSEGV, handler_before);
    assert_int_equal(munmap(forbidden, SIZE), 0);
    free(memory);
    assert_cl(clReleaseMemObject(buffer));
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_have_every_size),
        cmocka_unit_test(a_sub_buffer_is_a_part_of_its_buffer),
        cmocka_unit_test(a_map_shows_and_takes_bytes),
        cmocka_unit_test(the_hosts_memory_is_mapped_in_place),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(a_pending_read_changes_nothing_else),
        cmocka_unit_test(copies),
        cmocka_unit_test(a_release_waits_for_commands),
        cmocka_unit_test(an_argument_keeps_no_buffer_alive),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(flags_are_declarations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
