/* Programs: options, headers, linking, binaries, IL and its constants, queries. */
#include "opencl/test/client.h"

#include <CL/cl_ext.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char set_source[] =
    "#ifndef VALUE\n"
    "#define VALUE 1\n"
    "#endif\n"
    "kernel void set(global int *a) { a[get_global_id(0)] = VALUE; }\n";

/* Runs the kernel 'set' of a program and expects that value. */
static void set_expect(const client *c, cl_program program, cl_int expected)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, "set", &code);
    assert_cl(code);
    cl_mem buffer = client_ints(c, NULL, 1);
    client_run(c, kernel, buffer, 1);
    client_expect(c, buffer, &expected, 1);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
}

static void options_reach_the_compiler(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c, set_source, "-DVALUE=5 -cl-std=CL1.2");
    set_expect(&c, program, 5);
    assert_cl(clBuildProgram(program, 0, NULL, "-D 'VALUE=(2 + 4)' -cl-std=CL3.0", NULL, NULL));
    set_expect(&c, program, 6);
    assert_int_equal(clBuildProgram(program, 0, NULL, "-cl-nonsense", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    char options[64];
    assert_cl(clGetProgramBuildInfo(program, c.device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                    options, NULL));
    assert_string_equal(options, "-D 'VALUE=(2 + 4)' -cl-std=CL3.0");
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void a_failed_build_says_where(void **state)
{
    (void)state;
    client c = client_open(0);
    const char *source = "kernel void k(global int *a) {\n  a[0] = oops;\n}\n";
    cl_program program = clCreateProgramWithSource(c.context, 1, &source, NULL, NULL);
    assert_int_equal(clBuildProgram(program, 1, &c.device, "", NULL, NULL),
                     CL_BUILD_PROGRAM_FAILURE);
    cl_build_status status;
    char log[512];
    assert_cl(clGetProgramBuildInfo(program, c.device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                    &status, NULL));
    assert_int_equal(status, CL_BUILD_ERROR);
    assert_cl(
        clGetProgramBuildInfo(program, c.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    assert_non_null(strstr(log, ":2:10: error: use of undeclared identifier 'oops'"));
    cl_int code;
    assert_null(clCreateKernel(program, "k", &code));
    assert_int_equal(code, CL_INVALID_PROGRAM_EXECUTABLE);
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void programs_are_compiled_with_headers_and_linked(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    const char *header_source = "int thrice(int x);\n";
    const char *library_source = "#include \"lib/thrice.h\"\nint thrice(int x) { return 3 * x; }\n";
    const char *source = "#include \"lib/thrice.h\"\n"
                         "kernel void set(global int *a) { a[get_global_id(0)] = thrice(14); }\n";
    const char *name = "lib/thrice.h";
    cl_program header = clCreateProgramWithSource(c.context, 1, &header_source, NULL, NULL);
    cl_program library = clCreateProgramWithSource(c.context, 1, &library_source, NULL, NULL);
    cl_program main_part = clCreateProgramWithSource(c.context, 1, &source, NULL, NULL);
    assert_cl(clCompileProgram(library, 0, NULL, "", 1, &header, &name, NULL, NULL));
    assert_cl(clCompileProgram(main_part, 0, NULL, "", 1, &header, &name, NULL, NULL));
    const cl_program parts[] = {main_part, library};
    cl_program linked = clLinkProgram(c.context, 0, NULL, "", 2, parts, NULL, NULL, &code);
    assert_cl(code);
    set_expect(&c, linked, 42);
    /* Without the library the import stays open. */
    cl_program broken = clLinkProgram(c.context, 0, NULL, "", 1, parts, NULL, NULL, &code);
    assert_int_equal(code, CL_LINK_PROGRAM_FAILURE);
    assert_cl(clReleaseProgram(broken));
    /* The library as a library. */
    cl_program archive =
        clLinkProgram(c.context, 0, NULL, "-create-library", 1, &library, NULL, NULL, &code);
    assert_cl(code);
    const cl_program again[] = {main_part, archive};
    cl_program second = clLinkProgram(c.context, 0, NULL, "", 2, again, NULL, NULL, &code);
    assert_cl(code);
    set_expect(&c, second, 42);
    assert_null(clLinkProgram(c.context, 0, NULL, "", 1, &second, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_OPERATION); /* an executable */
    const cl_program all[] = {header, library, main_part, linked, archive, second};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_cl(clReleaseProgram(all[i]));
    client_close(&c);
}

/* C99's inline gives no definition that other programs could use; a header's functions still work
 * in each program that includes it. */
static void inline_functions_and_empty_programs(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    const char *header_source = "inline int seven(void) { return 7; }\n";
    const char *source = "#include \"seven.h\"\n"
                         "kernel void set(global int *a) { a[get_global_id(0)] = seven(); }\n";
    const char *name = "seven.h";
    cl_program header = clCreateProgramWithSource(c.context, 1, &header_source, NULL, NULL);
    cl_program part = clCreateProgramWithSource(c.context, 1, &source, NULL, NULL);
    assert_cl(clCompileProgram(header, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    assert_cl(clCompileProgram(part, 0, NULL, "", 1, &header, &name, NULL, NULL));
    const cl_program parts[] = {part, header};
    cl_program linked = clLinkProgram(c.context, 0, NULL, "", 2, parts, NULL, NULL, &code);
    assert_cl(code);
    set_expect(&c, linked, 7);
    const cl_program all[] = {header, part, linked};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_cl(clReleaseProgram(all[i]));
    client_close(&c);
}

static void a_binary_restores_a_program(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c, set_source, "-DVALUE=9");
    size_t size;
    assert_cl(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    assert_true(size > 0);
    unsigned char *binary = malloc(size);
    assert_cl(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    assert_cl(clReleaseProgram(program));
    cl_int status, code;
    const unsigned char *bytes = binary;
    program = clCreateProgramWithBinary(c.context, 1, &c.device, &size, &bytes, &status, &code);
    assert_cl(code);
    assert_cl(status);
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    set_expect(&c, program, 9);
    assert_cl(clReleaseProgram(program));
    const size_t half = size / 2;
    assert_null(clCreateProgramWithBinary(c.context, 1, &c.device, &half, &bytes, &status, &code));
    assert_int_equal(code, CL_INVALID_BINARY);
    assert_int_equal(status, CL_INVALID_BINARY);
    free(binary);
    client_close(&c);
}

/* SPIR-V 1.0 of: kernel void set(global int *a) { *a = value; }, where `value` is a constant with
 * SpecId 7 and the default 11. */
static const uint32_t il[] = {
    IL_HEADER(20),
    IL_OP(17, 4),                 /* OpCapability Addresses */
    IL_OP(17, 6),                 /* OpCapability Kernel */
    IL_OP(14, 2, 2),              /* OpMemoryModel Physical64 OpenCL */
    IL_OP(15, 6, 10, 0x00746573), /* OpEntryPoint Kernel %10 "set" */
    IL_OP(71, 9, 1, 7),           /* OpDecorate %9 SpecId 7 */
    IL_OP(19, 1),                 /* %1 = OpTypeVoid */
    IL_OP(21, 2, 32, 0),          /* %2 = OpTypeInt 32 0 */
    IL_OP(32, 3, 5, 2),           /* %3 = OpTypePointer CrossWorkgroup %2 */
    IL_OP(33, 4, 1, 3),           /* %4 = OpTypeFunction %1 %3 */
    IL_OP(50, 2, 9, 11),          /* %9 = OpSpecConstant %2 11 */
    IL_OP(54, 1, 10, 0, 4),       /* %10 = OpFunction %1 None %4 */
    IL_OP(55, 3, 11),             /* %11 = OpFunctionParameter %3 */
    IL_OP(248, 12),               /* %12 = OpLabel */
    IL_OP(62, 11, 9, 2, 4),       /* OpStore %11 %9 Aligned 4 */
    IL_OP(253),                   /* OpReturn */
    IL_OP(56),                    /* OpFunctionEnd */
};

/* The same with two constants of SpecId 7, 11 and 22, whose sum is stored. */
static const uint32_t il_of_two[] = {
    IL_HEADER(20),
    IL_OP(17, 4),                 /* OpCapability Addresses */
    IL_OP(17, 6),                 /* OpCapability Kernel */
    IL_OP(14, 2, 2),              /* OpMemoryModel Physical64 OpenCL */
    IL_OP(15, 6, 10, 0x00746573), /* OpEntryPoint Kernel %10 "set" */
    IL_OP(71, 9, 1, 7),           /* OpDecorate %9 SpecId 7 */
    IL_OP(71, 13, 1, 7),          /* OpDecorate %13 SpecId 7 */
    IL_OP(19, 1),                 /* %1 = OpTypeVoid */
    IL_OP(21, 2, 32, 0),          /* %2 = OpTypeInt 32 0 */
    IL_OP(32, 3, 5, 2),           /* %3 = OpTypePointer CrossWorkgroup %2 */
    IL_OP(33, 4, 1, 3),           /* %4 = OpTypeFunction %1 %3 */
    IL_OP(50, 2, 9, 11),          /* %9 = OpSpecConstant %2 11 */
    IL_OP(50, 2, 13, 22),         /* %13 = OpSpecConstant %2 22 */
    IL_OP(54, 1, 10, 0, 4),       /* %10 = OpFunction %1 None %4 */
    IL_OP(55, 3, 11),             /* %11 = OpFunctionParameter %3 */
    IL_OP(248, 12),               /* %12 = OpLabel */
    IL_OP(128, 2, 14, 9, 13),     /* %14 = OpIAdd %2 %9 %13 */
    IL_OP(62, 11, 14, 2, 4),      /* OpStore %11 %14 Aligned 4 */
    IL_OP(253),                   /* OpReturn */
    IL_OP(56),                    /* OpFunctionEnd */
};

static void il_with_two_constants_of_one_number(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    const cl_int value = 77;
    cl_program program = clCreateProgramWithIL(c.context, il_of_two, sizeof il_of_two, &code);
    assert_cl(code);
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    set_expect(&c, program, 33);
    assert_cl(clSetProgramSpecializationConstant(program, 7, 4, &value));
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    set_expect(&c, program, 154);
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void il_with_a_constant(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    const cl_int value = 77;
    cl_program program = clCreateProgramWithIL(c.context, il, sizeof il, &code);
    assert_cl(code);
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    set_expect(&c, program, 11);
    assert_int_equal(clSetProgramSpecializationConstant(program, 8, 4, &value), CL_INVALID_SPEC_ID);
    assert_int_equal(clSetProgramSpecializationConstant(program, 7, 8, &value), CL_INVALID_VALUE);
    assert_cl(clSetProgramSpecializationConstant(program, 7, 4, &value));
    assert_cl(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    set_expect(&c, program, 77);
    assert_cl(clReleaseProgram(program));
    assert_null(clCreateProgramWithIL(c.context, set_source, sizeof set_source, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    client_close(&c);
}

/* The compile worker is a child of the program, whatever the program does with its children. */
static void a_program_may_ignore_its_children(void **state)
{
    (void)state;
    client c = client_open(0);
    signal(SIGCHLD, SIG_IGN);
    cl_program program = client_build(&c, set_source, "-DVALUE=13");
    signal(SIGCHLD, SIG_DFL);
    set_expect(&c, program, 13);
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* The process that compiles is not a child of the program, which may wait for all of its own. */
static void a_program_may_wait_for_all_its_children(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c, set_source, "-DVALUE=15");
    assert_int_equal(wait(NULL), -1);
    assert_int_equal(errno, ECHILD);
    set_expect(&c, program, 15);
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* A source's headers are searched for where the program is when it builds. */
static void headers_are_in_the_current_folder(void **state)
{
    (void)state;
    client c = client_open(0);
    char folders[2][32];
    for (int i = 0; i < 2; i++) {
        strcpy(folders[i], "/tmp/opencl-test-XXXXXX");
        assert_non_null(mkdtemp(folders[i]));
        assert_int_equal(chdir(folders[i]), 0);
        FILE *file = fopen("value.h", "w");
        assert_non_null(file);
        fprintf(file, "#define VALUE %d\n", 21 + i);
        assert_int_equal(fclose(file), 0);
    }
    static const char source[] =
        "#include \"value.h\"\n"
        "kernel void set(global int *a) { a[get_global_id(0)] = VALUE; }\n";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chdir(folders[i]), 0);
        cl_program program = client_build(&c, source, "-I .");
        set_expect(&c, program, 21 + i);
        assert_cl(clReleaseProgram(program));
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chdir(folders[i]), 0);
        assert_int_equal(unlink("value.h"), 0);
        assert_int_equal(rmdir(folders[i]), 0);
    }
    client_close(&c);
}

static void sub_groups_are_as_queried(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c,
                                      "kernel void k(global int *a) {\n"
                                      "  if (get_global_id(0) == 0) {\n"
                                      "    a[0] = get_sub_group_size();\n"
                                      "    a[1] = get_num_sub_groups();\n"
                                      "  }\n"
                                      "}\n",
                                      "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "k", NULL);
    const size_t items = 64;
    size_t size, count;
    size_t sizes[8], answer_size;
    assert_cl(clGetDeviceInfo(c.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes,
                              &answer_size));
    assert_int_equal(answer_size, 3 * sizeof *sizes);
    assert_int_equal(sizes[0], 8);
    assert_int_equal(sizes[1], 16);
    assert_int_equal(sizes[2], 32);
    assert_cl(clGetKernelSubGroupInfo(kernel, c.device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0,
                                      NULL, sizeof sizes[0], sizes, NULL));
    assert_int_equal(sizes[0], 0); /* none is required */
    assert_cl(clGetKernelSubGroupInfo(kernel, c.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                      sizeof items, &items, sizeof size, &size, NULL));
    assert_cl(clGetKernelSubGroupInfo(kernel, c.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                      sizeof items, &items, sizeof count, &count, NULL));
    assert_int_equal(size * count, items);
    cl_mem buffer = client_ints(&c, NULL, 2);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL));
    const cl_int expected[] = {(cl_int)size, (cl_int)count};
    client_expect(&c, buffer, expected, 2);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* The macros of OpenCL C 3.0 agree with CL_DEVICE_OPENCL_C_FEATURES, and the functions are there;
 * lines are counted from the source's first. */
static void features_are_as_reported(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(
        &c,
        "#if __OPENCL_VERSION__ != 300 || defined(__opencl_c_read_write_images)\n"
        "#error\n"
        "#endif\n"
        "#ifdef __opencl_c_work_group_collective_functions\n"
        "kernel void sums(global int *a) { a[get_global_id(0)] = work_group_reduce_add(__LINE__); }\n"
        "#endif\n",
        "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "sums", NULL);
    cl_mem buffer = client_ints(&c, NULL, 4);
    client_run(&c, kernel, buffer, 4);
    const cl_int expected[] = {20, 20, 20, 20};
    client_expect(&c, buffer, expected, 4);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* Null pointers of all address spaces are equal, also to the compiler. */
static void null_pointers_are_equal(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c,
                                      "kernel void equal(global int *a) {\n"
                                      "  int *p = 0; local int *l = 0; global int *g = 0;\n"
                                      "  p = l;\n"
                                      "  a[get_global_id(0)] = (g == p) + 2 * (l == p);\n"
                                      "}\n",
                                      "-cl-std=CL3.0");
    cl_kernel kernel = clCreateKernel(program, "equal", NULL);
    cl_mem buffer = client_ints(&c, NULL, 2);
    client_run(&c, kernel, buffer, 2);
    const cl_int expected[] = {3, 3};
    client_expect(&c, buffer, expected, 2);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* An exclusive scan begins with the operation's identity, -1 for `and` of bytes; a cluster that is
 * larger than the sub-group may be in the code as long as it is not executed. */
static void sub_group_functions_of_extensions(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program =
        client_build(&c,
                     "kernel void scan(global int *a) {\n"
                     "  int i = get_global_id(0);\n"
                     "  a[i] = sub_group_non_uniform_scan_exclusive_and((char)~i);\n"
                     "  a[4 + i] = sub_group_non_uniform_scan_exclusive_logical_and(i < 2);\n"
                     "}\n"
                     "kernel void reduce(global int *a, int size) {\n"
                     "  int i = get_global_id(0);\n"
                     "  switch (size) {\n"
                     "  case 2: a[i] = sub_group_clustered_reduce_add(i, 2); break;\n"
                     "  case 128: a[i] = sub_group_clustered_reduce_add(i, 128); break;\n"
                     "  }\n"
                     "}\n",
                     "-cl-std=CL3.0");
    cl_kernel kernels[] = {clCreateKernel(program, "scan", NULL),
                           clCreateKernel(program, "reduce", NULL)};
    cl_mem buffer = client_ints(&c, NULL, 8);
    client_run(&c, kernels[0], buffer, 4);
    const cl_int scans[] = {-1, -1, -2, -4, 1, 1, 1, 0};
    client_expect(&c, buffer, scans, 8);
    const cl_int size = 2, sums[] = {1, 1, 5, 5};
    assert_cl(clSetKernelArg(kernels[1], 1, sizeof size, &size));
    client_run(&c, kernels[1], buffer, 4);
    client_expect(&c, buffer, sums, 4);
    /* A loader's own function of that name goes through the table of functions. */
    __typeof__(&clGetKernelSubGroupInfo) query;
    void *function =
        clGetExtensionFunctionAddressForPlatform(c.platform, "clGetKernelSubGroupInfoKHR");
    assert_non_null(function);
    memcpy(&query, &function, sizeof query);
    size_t items = 1, largest = 0;
    assert_cl(query(kernels[0], c.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR,
                    sizeof items, &items, sizeof largest, &largest, NULL));
    assert_int_equal(largest, 1);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernels[0]));
    assert_cl(clReleaseKernel(kernels[1]));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

static void queries(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_program program = client_build(&c,
                                      "kernel void one(global int *a) {}\n"
                                      "__attribute__((reqd_work_group_size(4, 2, 1),"
                                      " vec_type_hint(short4)))\n"
                                      "kernel void two(float x, local const uint *restrict l) {\n"
                                      "  local int own[6]; own[0] = l[0]; }\n"
                                      "global int variables[5] = {1};\n",
                                      "-cl-std=CL3.0 -cl-kernel-arg-info");
    size_t count, size;
    char names[64];
    assert_cl(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    assert_int_equal(count, 2);
    assert_cl(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, &size));
    assert_true(strcmp(names, "one;two") == 0 || strcmp(names, "two;one") == 0);
    assert_int_equal(size, 8);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 7, names, NULL),
                     CL_INVALID_VALUE);
    cl_kernel kernel = clCreateKernel(program, "two", NULL);
    cl_uint arguments;
    size_t group[3];
    assert_cl(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL));
    assert_int_equal(arguments, 2);
    assert_cl(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof names, names, NULL));
    assert_string_equal(names, "reqd_work_group_size(4,2,1) vec_type_hint(short4)");
    static const struct {
        const char *type;
        cl_kernel_arg_type_qualifier qualifiers;
    } expected[] = {
        {"float", CL_KERNEL_ARG_TYPE_NONE},
        {"uint*", CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT},
    };
    for (cl_uint i = 0; i < 2; i++) {
        cl_kernel_arg_type_qualifier qualifiers;
        assert_cl(
            clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof names, names, NULL));
        assert_string_equal(names, expected[i].type);
        assert_cl(clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers,
                                     &qualifiers, NULL));
        assert_int_equal(qualifiers, expected[i].qualifiers);
    }
    /* Its own variable, and the argument once that is set. */
    cl_ulong local;
    for (size_t argument = 0; argument <= 100; argument += 100) {
        if (argument > 0) assert_cl(clSetKernelArg(kernel, 1, argument, NULL));
        assert_cl(clGetKernelWorkGroupInfo(kernel, c.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                           &local, NULL));
        assert_int_equal(local, 24 + argument);
    }
    assert_cl(clGetProgramBuildInfo(program, c.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                                    sizeof size, &size, NULL));
    assert_int_equal(size, 20);
    assert_cl(clGetKernelWorkGroupInfo(kernel, c.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                       sizeof group, group, NULL));
    assert_int_equal(group[0] * 100 + group[1] * 10 + group[2], 421);
    cl_kernel_arg_address_qualifier space;
    assert_cl(
        clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    assert_int_equal(space, CL_KERNEL_ARG_ADDRESS_LOCAL);
    assert_cl(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof names, names, NULL));
    assert_string_equal(names, "x");
    /* A program with kernel objects cannot be built. */
    assert_int_equal(clBuildProgram(program, 0, NULL, "", NULL, NULL), CL_INVALID_OPERATION);
    assert_cl(clReleaseKernel(kernel));
    assert_cl(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    assert_cl(clReleaseProgram(program));
    client_close(&c);
}

/* The last group of a kernel that requires a size may be smaller, unless the program is uniform; a
 * launch without a local size has the required one (OpenCL API 3.0, clEnqueueNDRangeKernel). */
static void a_required_size_leaves_a_smaller_group(void **state)
{
    (void)state;
    client c = client_open(0);
    static const char *source = "__attribute__((reqd_work_group_size(4, 1, 1)))"
                                "kernel void sizes(global int *a)"
                                "{ a[get_global_id(0)] = (int)get_local_size(0); }";
    const size_t items = 6, required = 4;
    const struct {
        const char *options;
        const size_t *local;
        cl_int expected;
    } cases[] = {
        {"-cl-std=CL2.0", &required, CL_SUCCESS},
        {"-cl-std=CL2.0", NULL, CL_SUCCESS},
        {"-cl-std=CL2.0 -cl-uniform-work-group-size", &required, CL_INVALID_WORK_GROUP_SIZE},
        {"-cl-std=CL2.0 -cl-uniform-work-group-size", NULL, CL_INVALID_WORK_GROUP_SIZE},
        {"-cl-std=CL1.2", &required, CL_INVALID_WORK_GROUP_SIZE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cl_program program = client_build(&c, source, cases[i].options);
        cl_int code;
        cl_kernel kernel = clCreateKernel(program, "sizes", &code);
        assert_cl(code);
        cl_mem buffer = client_ints(&c, (cl_int[6]){0}, 6);
        assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        assert_int_equal(
            clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &items, cases[i].local, 0, NULL, NULL),
            cases[i].expected);
        const int is_run = cases[i].expected == CL_SUCCESS;
        client_expect(&c, buffer, is_run ? (cl_int[]){4, 4, 4, 4, 2, 2} : (cl_int[6]){0}, 6);
        assert_cl(clReleaseMemObject(buffer));
        assert_cl(clReleaseKernel(kernel));
        assert_cl(clReleaseProgram(program));
    }
    client_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_reach_the_compiler),
        cmocka_unit_test(a_failed_build_says_where),
        cmocka_unit_test(programs_are_compiled_with_headers_and_linked),
        cmocka_unit_test(inline_functions_and_empty_programs),
        cmocka_unit_test(a_binary_restores_a_program),
        cmocka_unit_test(il_with_a_constant),
        cmocka_unit_test(il_with_two_constants_of_one_number),
        cmocka_unit_test(a_program_may_ignore_its_children),
        cmocka_unit_test(a_program_may_wait_for_all_its_children),
        cmocka_unit_test(headers_are_in_the_current_folder),
        cmocka_unit_test(sub_groups_are_as_queried),
        cmocka_unit_test(features_are_as_reported),
        cmocka_unit_test(null_pointers_are_equal),
        cmocka_unit_test(sub_group_functions_of_extensions),
        cmocka_unit_test(a_required_size_leaves_a_smaller_group),
        cmocka_unit_test(queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
