/* Builds device code from a file on every device that the loader finds, without assay; with the
 * name of a kernel, launches it over eight work-items in groups of four, with one buffer of eight
 * ints as its only argument.
 *
 *     cc builds.c -l:libOpenCL.so.1 -o builds && ./builds FILE.spv [KERNEL]
 *
 * FILE holds SPIR-V or, for a device that has cl_khr_spir, LLVM bitcode. */
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static cl_program program_of(cl_context context, cl_device_id device, const unsigned char *code,
                             size_t size, int spirv)
{
    cl_int status;
    if (spirv) return clCreateProgramWithIL(context, code, size, &status);
    return clCreateProgramWithBinary(context, 1, &device, &size, &code, NULL, &status);
}

static void launch(cl_context context, cl_device_id device, cl_program program, const char *name)
{
    cl_int data[8] = {0}, status;
    size_t items = 8, group = 4;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    cl_kernel kernel = clCreateKernel(program, name, &status);
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    status |= clSetKernelArg(kernel, 0, sizeof memory, &memory);
    printf("  launch: ");
    fflush(stdout);
    status |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    printf("%d, item 5 has %d\n", status, data[5]);
}

static void build(cl_device_id device, const unsigned char *code, size_t size, const char *kernel)
{
    char name[256] = "", version[256] = "", log[4096] = "";
    int spirv = memcmp(code, "\x03\x02\x23\x07", 4) == 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_program program = program_of(context, device, code, size, spirv);
    printf("%s, driver %s\n", name, version);
    if (!program) {
        printf("  does not accept code in this format\n");
        return;
    }
    printf("  clBuildProgram: ");
    fflush(stdout);
    cl_int status =
        clBuildProgram(program, 1, &device, spirv ? "" : "-x spir -spir-std=1.2", NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    printf("%d, must be 0\n%s\n", status, log);
    if (kernel && status == CL_SUCCESS) launch(context, device, program, kernel);
}

int main(int argument_count, char **arguments)
{
    static unsigned char code[1 << 20];
    FILE *file = argument_count > 1 ? fopen(arguments[1], "rb") : NULL;
    size_t size = file ? fread(code, 1, sizeof code, file) : 0;
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    if (size < 4) return 1;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &count);
        for (cl_uint k = 0; k < count && k < 8; k++)
            build(devices[k], code, size, argument_count > 2 ? arguments[2] : NULL);
    }
    return platform_count == 0;
}
