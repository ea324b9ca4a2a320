/* Intel's unified shared memory of the device, as programs find it: through the platform. */
#include "opencl/test/client.h"

#include <CL/cl_ext.h>

typedef struct functions {
    clDeviceMemAllocINTEL_fn allocate;
    clHostMemAllocINTEL_fn allocate_host;
    clMemFreeINTEL_fn free;
    clEnqueueMemcpyINTEL_fn copy;
    clEnqueueMemFillINTEL_fn fill;
    clSetKernelArgMemPointerINTEL_fn set;
    clGetMemAllocInfoINTEL_fn info;
} functions;

static functions functions_find(const client *c)
{
    functions found;
    const struct {
        const char *name;
        void *place;
    } rows[] = {{"clDeviceMemAllocINTEL", &found.allocate},
                {"clHostMemAllocINTEL", &found.allocate_host},
                {"clMemFreeINTEL", &found.free},
                {"clEnqueueMemcpyINTEL", &found.copy},
                {"clEnqueueMemFillINTEL", &found.fill},
                {"clSetKernelArgMemPointerINTEL", &found.set},
                {"clGetMemAllocInfoINTEL", &found.info}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = clGetExtensionFunctionAddressForPlatform(c->platform, rows[i].name);
        assert_non_null(function);
        memcpy(rows[i].place, &function, sizeof function);
    }
    return found;
}

/* Kernel `sum` adds what two pointers lead to, one of them stored in memory. */
static const char source[] =
    "kernel void store(global ulong *list, global int *p) { list[0] = (ulong)p; }\n"
    "kernel void sum(global ulong *list, global int *p, global int *out) {\n"
    "  global int *q = (global int *)list[0];\n"
    "  out[0] = q[1] + p[0];\n"
    "}\n";

static void pointers_reach_kernels_and_memory(void **state)
{
    (void)state;
    client c = client_open(0);
    functions f = functions_find(&c);
    cl_int code, result = 0;
    const cl_int values[4] = {1, 20, 300, 4000};
    const size_t one = 1;
    int *data = f.allocate(c.context, c.device, NULL, sizeof values, 0, &code);
    assert_cl(code);
    void *list = f.allocate(c.context, c.device, NULL, 8, 8, &code);
    assert_cl(code);
    assert_cl(f.copy(c.queue, CL_FALSE, data, values, sizeof values, 0, NULL, NULL));
    cl_program program = client_build(&c, source, "");
    cl_kernel store = clCreateKernel(program, "store", NULL),
              sum = clCreateKernel(program, "sum", NULL);
    cl_mem out = client_ints(&c, &result, 1);
    assert_cl(f.set(store, 0, list));
    assert_cl(f.set(store, 1, data + 1));
    assert_cl(clEnqueueNDRangeKernel(c.queue, store, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(f.set(sum, 0, list));
    assert_cl(f.set(sum, 1, data + 3));
    assert_cl(clSetKernelArg(sum, 2, sizeof out, &out));
    assert_cl(clEnqueueNDRangeKernel(c.queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
    const cl_int expected = 4300; /* (data + 1)[1] + (data + 3)[0] */
    client_expect(&c, out, &expected, 1);
    cl_unified_shared_memory_type_intel type;
    size_t size;
    void *base;
    assert_cl(f.info(c.context, data + 2, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_TYPE_DEVICE_INTEL);
    assert_cl(f.info(c.context, data + 2, CL_MEM_ALLOC_SIZE_INTEL, sizeof size, &size, NULL));
    assert_int_equal(size, sizeof values);
    assert_cl(f.info(c.context, data + 2, CL_MEM_ALLOC_BASE_PTR_INTEL, sizeof base, &base, NULL));
    assert_ptr_equal(base, data);
    assert_cl(f.info(c.context, &size, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_TYPE_UNKNOWN_INTEL);
    assert_cl(f.free(c.context, list));
    assert_cl(f.free(c.context, data));
    assert_cl(clReleaseMemObject(out));
    assert_cl(clReleaseKernel(store));
    assert_cl(clReleaseKernel(sum));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void fills_and_copies(void **state)
{
    (void)state;
    client c = client_open(0);
    functions f = functions_find(&c);
    cl_int code, result[4];
    const cl_int seven = 7, expected[4] = {7, 7, 7, 7};
    const cl_int values[4] = {1, 2, 3, 4}, copied[4] = {1, 2, 2, 3};
    char *data = f.allocate(c.context, c.device, NULL, 32, 0, &code);
    assert_cl(code);
    assert_cl(f.fill(c.queue, data, &seven, sizeof seven, 16, 0, NULL, NULL));
    assert_cl(f.copy(c.queue, CL_FALSE, data + 16, data, 16, 0, NULL, NULL));
    assert_cl(f.copy(c.queue, CL_TRUE, result, data + 16, 16, 0, NULL, NULL));
    assert_memory_equal(result, expected, sizeof result);
    assert_int_equal(f.copy(c.queue, CL_TRUE, data + 8, data, 16, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(f.copy(c.queue, CL_TRUE, data + 24, result, 16, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(f.fill(c.queue, data, &seven, 3, 16, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(f.free(c.context, data + 4), CL_INVALID_VALUE);
    assert_cl(f.free(c.context, NULL));
    /* As the host's memory of a transfer. */
    cl_mem buffer = client_ints(&c, values, 4);
    assert_cl(clEnqueueReadBuffer(c.queue, buffer, CL_FALSE, 4, 8, data, 0, NULL, NULL));
    assert_cl(clEnqueueWriteBuffer(c.queue, buffer, CL_FALSE, 8, 8, data, 0, NULL, NULL));
    client_expect(&c, buffer, copied, 4);
    assert_int_equal(
        clEnqueueReadBuffer(c.queue, buffer, CL_FALSE, 0, 16, data + 24, 0, NULL, NULL),
        CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(f.free(c.context, data));
    client_close(&c);
}

typedef cl_int(CL_API_CALL *variable_function)(cl_device_id device, cl_program program,
                                               const char *name, size_t *out_size,
                                               void **out_pointer);

static void variables_of_programs_are_found(void **state)
{
    (void)state;
    client c = client_open(0);
    functions f = functions_find(&c);
    variable_function find;
    void *function = clGetExtensionFunctionAddressForPlatform(
        c.platform, "clGetDeviceGlobalVariablePointerINTEL");
    assert_non_null(function);
    memcpy(&find, &function, sizeof find);
    cl_program program = client_build(&c,
                                      "global int counter = 5;\n"
                                      "kernel void k(global int *a) { a[0] = counter++; }\n",
                                      "-cl-std=CL2.0");
    void *pointer, *again;
    size_t size;
    assert_cl(find(c.device, program, "counter", &size, &pointer));
    assert_int_equal(size, 4);
    assert_cl(find(c.device, program, "counter", NULL, &again));
    assert_ptr_equal(pointer, again);
    assert_int_equal(find(c.device, program, "absent", &size, &again), CL_INVALID_VALUE);
    const cl_int forty = 40, expected = 40;
    cl_int result = 0;
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = client_ints(&c, NULL, 1);
    assert_cl(f.copy(c.queue, CL_TRUE, pointer, &forty, sizeof forty, 0, NULL, NULL));
    client_run(&c, kernel, buffer, 1);
    client_expect(&c, buffer, &expected, 1);
    assert_cl(f.copy(c.queue, CL_TRUE, &result, pointer, sizeof result, 0, NULL, NULL));
    assert_int_equal(result, 41);
    assert_int_equal(f.free(c.context, pointer), CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void wrong_allocations_are_refused(void **state)
{
    (void)state;
    client c = client_open(0);
    functions f = functions_find(&c);
    cl_int code;
    assert_null(f.allocate(c.context, c.device, NULL, 0, 0, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_null(f.allocate(c.context, c.device, NULL, 8, 3, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    const cl_mem_properties_intel unknown[] = {1234, 1, 0};
    assert_null(f.allocate(c.context, c.device, unknown, 8, 0, &code));
    assert_int_equal(code, CL_INVALID_PROPERTY);
    cl_bitfield capabilities = 1;
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof capabilities,
                              &capabilities, NULL));
    assert_int_equal(capabilities, 0);
    assert_null(f.allocate_host(c.context, NULL, 8, 0, &code));
    assert_int_equal(code, CL_INVALID_OPERATION);
    cl_kernel kernel = client_kernel(&c, "kernel void k(global int *a, int n) {}", "k");
    assert_int_equal(f.set(kernel, 0, &code), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.set(kernel, 2, NULL), CL_INVALID_ARG_INDEX);
    assert_int_equal(f.set(kernel, 1, NULL), CL_INVALID_ARG_VALUE);
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_reach_kernels_and_memory),
        cmocka_unit_test(fills_and_copies),
        cmocka_unit_test(variables_of_programs_are_found),
        cmocka_unit_test(wrong_allocations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
