/* Kernels from public reports, on every device that the loader finds, without assay.
 *
 * return (JuliaGPU/OpenCL.jl#460): a branch returns before a barrier, but no work-item takes it.
 * Item 3 sets the cell that item 0 has reset, and all read 1. OpenCL C 3.0, "Synchronization
 * Functions": after the barrier every work-item of the group sees what was stored before it.
 *
 * name (pocl/pocl#1797): a kernel whose name has 268 characters stores 1.
 *
 * recursion (pocl/pocl#1826): OpenCL C 3.0, "Restrictions": recursion is not supported, so the
 * build may fail; otherwise the result is 13, the seventh Fibonacci number.
 *
 * butterfly (intel/llvm#23220): with a = 1, b = 2 and c = 1, a butterfly step before a barrier and
 * another one after it give a = 2 and b = 4 in item 0, and with c = 8 they give -103 and 137 in
 * item 7.
 *
 * butterfly-items: the same with a = n, b = 2n - 1 and c = n: 2 and 2 in item 0, -768 and 1024 in
 * item 7.
 *
 * loop (no public report; scenarios/kernels/fibonacci_loop.yaml): the Fibonacci numbers, computed
 * by a loop; 0 in item 0 and 13 in item 7. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS = 8, NUMBERS = 2 * ITEMS, NAME_LENGTH = 268 };

#define BUTTERFLY                                                                                  \
    "  t = a; a = fma(c, b, t); b = fma(-c, b, t);\n"                                              \
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"                                                            \
    "  t = a; a = fma(c, b, t); b = fma(-c, b, t);\n"                                              \
    "  out[2 * l] = a; out[2 * l + 1] = b;\n}\n"

/* `last` is the index of the second number that is printed, after the first. */
static const struct report {
    const char *name, *source;
    int last;
    const char *must_be;
} reports[] = {
    {"return",
     "kernel void k(global const float *in, global float *out) {\n"
     "  local int cell;\n"
     "  int l = get_local_id(0), count = in[0] + 3, length = in[1] + 2;\n"
     "  bool active = l < count;\n"
     "  if (active && l == 0) {\n"
     "    if (l >= length) return;\n"
     "    cell = 0;\n"
     "  }\n"
     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
     "  if (active) {\n"
     "    if (l >= length) return;\n"
     "    if (l == 3) cell = 1;\n"
     "  }\n"
     "  barrier(CLK_LOCAL_MEM_FENCE);\n"
     "  if (active) out[l] = cell;\n"
     "}\n",
     3, "1 and 1"},
    {"name", NULL, 1, "1 and 1"},
    {"recursion",
     "__attribute__((noinline)) int fibonacci(int n) {\n"
     "  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);\n"
     "}\n"
     "kernel void k(global const float *in, global float *out) {\n"
     "  out[get_local_id(0)] = fibonacci(get_local_id(0));\n"
     "}\n",
     7, "0 and 13, or refused"},
    {"butterfly",
     "kernel void k(global const float *in, global float *out) {\n"
     "  int l = get_local_id(0);\n"
     "  float a = in[0], b = in[1], c = l + 1, t;\n" BUTTERFLY,
     14, "2 and -103"},
    {"butterfly-items",
     "kernel void k(global const float *in, global float *out) {\n"
     "  int l = get_local_id(0);\n"
     "  float a = l + 1, b = 2 * l + 1, c = l + 1, t;\n" BUTTERFLY,
     14, "2 and -768"},
    {"loop",
     "kernel void k(global const float *in, global float *out) {\n"
     "  int a = 0, b = 1, n = get_local_id(0);\n"
     "  while (n-- > 0) {\n"
     "    int sum = a + b;\n"
     "    a = b;\n"
     "    b = sum;\n"
     "  }\n"
     "  out[get_local_id(0)] = a;\n"
     "}\n",
     7, "0 and 13"},
};

static void run(cl_device_id device, const struct report *report, const char *kernel_name)
{
    const float in[] = {1, 2};
    float out[NUMBERS] = {0};
    char name[256] = "", version[256] = "", source[1024];
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    fflush(stdout);
    snprintf(
        source, sizeof source,
        "kernel void %s(global const float *in, global float *out) { out[get_local_id(0)] = 1; }",
        kernel_name);
    const char *text = report->source ? report->source : source;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_int built = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (built) {
        printf("  refused: clBuildProgram: %d; must be %s\n", built, report->must_be);
        return;
    }
    cl_kernel kernel = clCreateKernel(program, kernel_name, NULL);
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in,
                                 (void *)(size_t)in, NULL);
    cl_mem to =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, out, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof from, &from);
    clSetKernelArg(kernel, 1, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("  status %d, %g and %g, must be %s\n", status, out[0], out[report->last],
           report->must_be);
}

int main(int count, char **words)
{
    const struct report *report = NULL;
    for (size_t i = 0; count == 2 && i < sizeof reports / sizeof *reports; i++)
        if (strcmp(words[1], reports[i].name) == 0) report = &reports[i];
    if (!report) {
        printf("usage: reports return|name|recursion|butterfly|butterfly-items|loop\n");
        return 2;
    }
    char name[NAME_LENGTH + 1] = "k";
    if (!report->source) memset(name, 'k', NAME_LENGTH);
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++)
            run(devices[k], report, name);
    }
    return platform_count == 0;
}
