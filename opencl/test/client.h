/* What the test programs share: a client of the OpenCL API, as any program is.  They run under
 * `assay exec`, so that calls pass through the system's loader. */
#ifndef OPENCL_TEST_CLIENT_H
#define OPENCL_TEST_CLIENT_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct client {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
} client;

/* Opens the platform's device, a context and a queue with these properties. */
client client_open(cl_command_queue_properties flags);
void client_close(client *c);

/* Builds a program; the test fails with the log if it does not build. */
cl_program client_build(const client *c, const char *source, const char *options);
/* The kernel of a program that is built from the source, and needs no options. */
cl_kernel client_kernel(const client *c, const char *source, const char *name);

/* A buffer of `count` ints, with these contents, or undefined ones for NULL. */
cl_mem client_ints(const client *c, const cl_int *values, size_t count);
/* Reads `count` ints and compares them. */
void client_expect(const client *c, cl_mem buffer, const cl_int *expected, size_t count);

/* Runs a kernel with one buffer argument over `count` work-items. */
void client_run(const client *c, cl_kernel kernel, cl_mem buffer, size_t count);

/* Functions of Intel's extensions, which the loader does not export. */
typedef struct client_intel {
    clDeviceMemAllocINTEL_fn allocate;
    clHostMemAllocINTEL_fn allocate_host;
    clSharedMemAllocINTEL_fn allocate_shared;
    clMemFreeINTEL_fn free;
    clEnqueueMemcpyINTEL_fn copy;
    clEnqueueMemFillINTEL_fn fill;
    clSetKernelArgMemPointerINTEL_fn set;
    clGetMemAllocInfoINTEL_fn info;
    cl_int(CL_API_CALL *variable)(cl_device_id device, cl_program program, const char *name,
                                  size_t *out_size, void **out_pointer);
    cl_int(CL_API_CALL *function)(cl_device_id device, cl_program program, const char *name,
                                  cl_ulong *out_pointer);
} client_intel;

/* Finds them as programs do: through the platform. */
client_intel client_intel_find(const client *c);

/* The first words of a module in SPIR-V 1.0, whose ids are below `bound`. */
#define IL_HEADER(bound) 0x07230203, 0x00010000, 0, (bound), 0
/* An instruction: its opcode and operands.  Its first word is that of the opcode, with the number
 * of words above it. */
#define IL_OP(...)                                                                                 \
    ((uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)) << 16) + __VA_ARGS__

#define assert_cl(expression) assert_int_equal((expression), CL_SUCCESS)

#endif
