/* Intel's unified shared memory, as programs find it: through the platform. */
#include "opencl/test/client.h"

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
    client_intel f = client_intel_find(&c);
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
    client_intel f = client_intel_find(&c);
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

static void variables_of_programs_are_found(void **state)
{
    (void)state;
    client c = client_open(0);
    client_intel f = client_intel_find(&c);
    cl_program program = client_build(&c,
                                      "global int counter = 5;\n"
                                      "kernel void k(global int *a) { a[0] = counter++; }\n",
                                      "-cl-std=CL2.0");
    void *pointer, *again;
    size_t size;
    assert_cl(f.variable(c.device, program, "counter", &size, &pointer));
    assert_int_equal(size, 4);
    assert_cl(f.variable(c.device, program, "counter", NULL, &again));
    assert_ptr_equal(pointer, again);
    assert_int_equal(f.variable(c.device, program, "absent", &size, &again), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.variable(c.device, program, "counter", &size, NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.variable(c.device, program, NULL, &size, &again), CL_INVALID_ARG_VALUE);
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

typedef cl_int(CL_API_CALL *write_variable_function)(cl_command_queue queue, cl_program program,
                                                     const char *name, cl_bool is_blocking,
                                                     size_t size, size_t offset, const void *host,
                                                     cl_uint wait_count, const cl_event *wait,
                                                     cl_event *out_event);
typedef cl_int(CL_API_CALL *read_variable_function)(cl_command_queue queue, cl_program program,
                                                    const char *name, cl_bool is_blocking,
                                                    size_t size, size_t offset, void *host,
                                                    cl_uint wait_count, const cl_event *wait,
                                                    cl_event *out_event);

static void variables_are_written_and_read(void **state)
{
    (void)state;
    client c = client_open(0);
    write_variable_function write;
    read_variable_function read;
    void *function =
        clGetExtensionFunctionAddressForPlatform(c.platform, "clEnqueueWriteGlobalVariableINTEL");
    memcpy(&write, &function, sizeof write);
    function =
        clGetExtensionFunctionAddressForPlatform(c.platform, "clEnqueueReadGlobalVariableINTEL");
    memcpy(&read, &function, sizeof read);
    assert_non_null(write);
    assert_non_null(read);
    cl_program program =
        client_build(&c,
                     "global int pair[2] = {5, 6};\n"
                     "kernel void k(global int *a) { a[0] = pair[0]++ + pair[1]; }\n",
                     "-cl-std=CL2.0");
    const cl_int seven = 7, expected = 12;
    cl_int values[2];
    assert_cl(write(c.queue, program, "pair", CL_FALSE, 4, 4, &seven, 0, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    cl_mem buffer = client_ints(&c, NULL, 1);
    client_run(&c, kernel, buffer, 1);
    client_expect(&c, buffer, &expected, 1); /* 5 + 7 */
    assert_cl(read(c.queue, program, "pair", CL_TRUE, 8, 0, values, 0, NULL, NULL));
    assert_int_equal(values[0], 6);
    assert_int_equal(values[1], 7);
    assert_int_equal(read(c.queue, program, "pair", CL_TRUE, 8, 4, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(read(c.queue, program, "pair", CL_TRUE, 1, 9, values, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(write(c.queue, program, "absent", CL_TRUE, 4, 0, &seven, 0, NULL, NULL),
                     CL_INVALID_ARG_VALUE);
    assert_int_equal(write(c.queue, NULL, "pair", CL_TRUE, 4, 0, &seven, 0, NULL, NULL),
                     CL_INVALID_PROGRAM);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* SPIR-V 1.0 of a module whose kernel calls what its argument points to:
 *     int twice(int x) { return x + x; }     its address may be taken by the host
 *     int plain(int x) { return x; }
 *     kernel void apply(global int *a, ulong f) { *a = ((int (*)(int))f)(*a); } */
static const uint32_t caller_il[] = {
    IL_HEADER(27), IL_OP(17, 4), /* OpCapability Addresses */
    IL_OP(17, 5),                /* OpCapability Linkage */
    IL_OP(17, 6),                /* OpCapability Kernel */
    IL_OP(17, 11),               /* OpCapability Int64 */
    IL_OP(17, 5603),             /* OpCapability FunctionPointersINTEL */
    IL_OP(17, 5604),             /* OpCapability IndirectReferencesINTEL */
    /* OpExtension "SPV_INTEL_function_pointers" */
    IL_OP(10, 0x5f565053, 0x45544e49, 0x75665f4c, 0x6974636e, 0x705f6e6f, 0x746e696f, 0x00737265),
    IL_OP(14, 2, 2),                          /* OpMemoryModel Physical64 OpenCL */
    IL_OP(15, 6, 20, 0x6c707061, 0x00000079), /* OpEntryPoint Kernel %20 "apply" */
    /* OpDecorate %10 LinkageAttributes "twice" Export */
    IL_OP(71, 10, 41, 0x63697774, 0x00000065, 0),
    IL_OP(71, 10, 5602), /* OpDecorate %10 ReferencedIndirectlyINTEL */
    /* OpDecorate %14 LinkageAttributes "plain" Export */
    IL_OP(71, 14, 41, 0x69616c70, 0x0000006e, 0),
    /* Types and functions */
    IL_OP(19, 1),               /* %1 = OpTypeVoid */
    IL_OP(21, 2, 32, 0),        /* %2 = OpTypeInt 32 0 */
    IL_OP(21, 3, 64, 0),        /* %3 = OpTypeInt 64 0 */
    IL_OP(32, 4, 5, 2),         /* %4 = OpTypePointer CrossWorkgroup %2 */
    IL_OP(33, 5, 2, 2),         /* %5 = OpTypeFunction %2 %2 */
    IL_OP(32, 6, 5605, 5),      /* %6 = OpTypePointer CodeSectionINTEL %5 */
    IL_OP(33, 7, 1, 4, 3),      /* %7 = OpTypeFunction %1 %4 %3 */
    IL_OP(54, 2, 10, 0, 5),     /* %10 = OpFunction %2 None %5 */
    IL_OP(55, 2, 11),           /* %11 = OpFunctionParameter %2 */
    IL_OP(248, 12),             /* %12 = OpLabel */
    IL_OP(128, 2, 13, 11, 11),  /* %13 = OpIAdd %2 %11 %11 */
    IL_OP(254, 13),             /* OpReturnValue %13 */
    IL_OP(56),                  /* OpFunctionEnd */
    IL_OP(54, 2, 14, 0, 5),     /* %14 = OpFunction %2 None %5 */
    IL_OP(55, 2, 15),           /* %15 = OpFunctionParameter %2 */
    IL_OP(248, 16),             /* %16 = OpLabel */
    IL_OP(254, 15),             /* OpReturnValue %15 */
    IL_OP(56),                  /* OpFunctionEnd */
    IL_OP(54, 1, 20, 0, 7),     /* %20 = OpFunction %1 None %7 */
    IL_OP(55, 4, 21),           /* %21 = OpFunctionParameter %4 */
    IL_OP(55, 3, 22),           /* %22 = OpFunctionParameter %3 */
    IL_OP(248, 23),             /* %23 = OpLabel */
    IL_OP(61, 2, 24, 21, 2, 4), /* %24 = OpLoad %2 %21 Aligned 4 */
    IL_OP(120, 6, 25, 22),      /* %25 = OpConvertUToPtr %6 %22 */
    IL_OP(5601, 2, 26, 25, 24), /* %26 = OpFunctionPointerCallINTEL %2 %25 %24 */
    IL_OP(62, 21, 26, 2, 4),    /* OpStore %21 %26 Aligned 4 */
    IL_OP(253),                 /* OpReturn */
    IL_OP(56),                  /* OpFunctionEnd */
};

/* The address of a function reaches a kernel as a number. */
static void functions_of_programs_are_found(void **state)
{
    (void)state;
    client c = client_open(0);
    client_intel f = client_intel_find(&c);
    cl_int code;
    cl_ulong address = 1, again;
    cl_program program = clCreateProgramWithIL(c.context, caller_il, sizeof caller_il, &code);
    assert_cl(code);
    assert_int_equal(f.function(c.device, program, "twice", &address),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    assert_cl(f.function(c.device, program, "twice", &address));
    assert_cl(f.function(c.device, program, "twice", &again));
    assert_true(address == again);

    const cl_int five = 5, ten = 10;
    const size_t one = 1;
    cl_kernel kernel = clCreateKernel(program, "apply", &code);
    assert_cl(code);
    cl_mem buffer = client_ints(&c, &five, 1);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clSetKernelArg(kernel, 1, sizeof address, &address));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    client_expect(&c, buffer, &ten, 1);

    /* What has no address: a name that does not exist, a function whose address nothing takes, and
     * a kernel, which libsycl asks for. */
    assert_int_equal(f.function(c.device, program, "absent", &again), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.function(c.device, program, "plain", &again), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.function(c.device, program, "apply", &again), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.function(c.device, program, NULL, &again), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.function(c.device, program, "twice", NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(f.function(c.device, NULL, "twice", &again), CL_INVALID_PROGRAM);
    assert_int_equal(f.function(NULL, program, "twice", &again), CL_INVALID_DEVICE);
    assert_true(address == again);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* The host and a kernel read what the other has written, at the same addresses. */
static void host_and_device_share(void **state)
{
    (void)state;
    client c = client_open(0);
    client_intel f = client_intel_find(&c);
    cl_int code;
    cl_unified_shared_memory_type_intel type;
    cl_device_id device;
    cl_bitfield capabilities = 0;
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, sizeof capabilities,
                              &capabilities, NULL));
    assert_true(capabilities & CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL);
    cl_int *shared = f.allocate_shared(c.context, c.device, NULL, 4 * sizeof *shared, 0, &code);
    assert_cl(code);
    cl_int **list = f.allocate_host(c.context, NULL, sizeof *list, 0, &code);
    assert_cl(code);
    assert_cl(f.info(c.context, list, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_TYPE_HOST_INTEL);
    assert_cl(f.info(c.context, shared + 1, CL_MEM_ALLOC_TYPE_INTEL, sizeof type, &type, NULL));
    assert_int_equal(type, CL_MEM_TYPE_SHARED_INTEL);
    assert_cl(f.info(c.context, list, CL_MEM_ALLOC_DEVICE_INTEL, sizeof device, &device, NULL));
    assert_null(device);
    *list = shared + 1;
    shared[1] = 20;
    cl_kernel kernel = client_kernel(&c,
                                     "kernel void twice(global ulong *list, global int *all) {\n"
                                     "  global int *one = (global int *)list[0];\n"
                                     "  all[2] = *one * 2;\n"
                                     "  *one = 1;\n"
                                     "}\n",
                                     "twice");
    const size_t one = 1;
    assert_cl(f.set(kernel, 0, list));
    assert_cl(f.set(kernel, 1, shared));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(clFinish(c.queue));
    assert_int_equal(shared[1], 1);
    assert_int_equal(shared[2], 40);
    /* Between two ranges of the host. */
    const cl_int source_value = 9;
    cl_int copied = 0;
    assert_cl(f.copy(c.queue, CL_TRUE, &copied, &source_value, sizeof copied, 0, NULL, NULL));
    assert_int_equal(copied, 9);
    assert_cl(f.free(c.context, shared));
    assert_cl(f.free(c.context, list));
    assert_int_equal(f.free(c.context, list), CL_INVALID_VALUE);
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

/* There are about 120 addresses, which are used again. */
static void addresses_are_used_again(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    client c = client_open(0);
    client_intel f = client_intel_find(&c);
    cl_int code;
    cl_int *first = f.allocate_host(c.context, NULL, 4, 0, &code);
    assert_cl(code);
    *first = 3;
    for (int i = 0; i < ROUNDS; i++) {
        char *next = f.allocate_shared(c.context, NULL, NULL, 100, 0, &code);
        assert_cl(code);
        assert_ptr_not_equal(next, first);
        memset(next, i, 100);
        assert_cl(f.free(c.context, next));
    }
    assert_int_equal(*first, 3);
    uint32_t count = 0;
    void *kept[ROUNDS];
    while (count < ROUNDS && (kept[count] = f.allocate_host(c.context, NULL, 8, 0, &code)))
        count++;
    assert_int_equal(code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    assert_in_range(count, 64, 127);
    while (count-- > 0)
        assert_cl(f.free(c.context, kept[count]));
    assert_cl(f.free(c.context, first));
    client_close(&c);
}

static void wrong_allocations_are_refused(void **state)
{
    (void)state;
    client c = client_open(0);
    client_intel f = client_intel_find(&c);
    cl_int code;
    assert_null(f.allocate(c.context, c.device, NULL, 0, 0, &code));
    assert_int_equal(code, CL_INVALID_BUFFER_SIZE);
    assert_null(f.allocate(c.context, c.device, NULL, 8, 3, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    const cl_mem_properties_intel unknown[] = {1234, 1, 0};
    assert_null(f.allocate(c.context, c.device, unknown, 8, 0, &code));
    assert_int_equal(code, CL_INVALID_PROPERTY);
    assert_null(f.allocate_shared(c.context, (cl_device_id)c.platform, NULL, 8, 0, &code));
    assert_int_equal(code, CL_INVALID_DEVICE);
    assert_null(f.allocate_host(NULL, NULL, 8, 0, &code));
    assert_int_equal(code, CL_INVALID_CONTEXT);
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
        cmocka_unit_test(variables_are_written_and_read),
        cmocka_unit_test(functions_of_programs_are_found),
        cmocka_unit_test(host_and_device_share),
        cmocka_unit_test(addresses_are_used_again),
        cmocka_unit_test(wrong_allocations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
