/* Tests a condition on the ids of a work-item (intel/llvm#7877), on every device that the loader
 * finds and that takes SPIR-V, without assay. Optimised SPIR-V has the condition as
 * (5 - l) + -5 g > -1, and shows the defect; OpenCL C does not.
 *
 *     clang-14 -c -emit-llvm -target spir64 -O1 -Xclang -finclude-default-header -cl-std=CL2.0 \
 *         early_exit.cl -o early_exit.bc && llvm-spirv-14 early_exit.bc -o early_exit.spv
 *     cc early_exit.c -l:libOpenCL.so.1 -o early_exit && ./early_exit early_exit.spv
 *
 * OpenCL C 3.0, "Operators": 5 + -5 * g + -1 * l >= 0 holds for work-items 0 to 5 of group 0, and
 * each of them stores its id. */
#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 8, SIZE_MAX_BYTES = 1 << 16 };

static int run(cl_device_id device, const void *code, size_t size)
{
    cl_int out[ITEMS];
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    for (int i = 0; i < ITEMS; i++)
        out[i] = -1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithIL(context, code, size, NULL);
    if (!program || clBuildProgram(program, 1, &device, "", NULL, NULL)) return 1;
    cl_kernel kernel = clCreateKernel(program, "store", NULL);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, out, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  stored:");
    for (int i = 0; i < ITEMS; i++)
        printf(" %d", out[i]);
    printf(", must be 0 1 2 3 4 5 -1 -1\n");
    for (int i = 0; i < ITEMS; i++)
        if (out[i] != (i <= 5 ? i : -1)) return 1;
    return status != 0;
}

int main(int count, char **words)
{
    static char code[SIZE_MAX_BYTES];
    FILE *file = count == 2 ? fopen(words[1], "rb") : NULL;
    if (!file) {
        printf("usage: early_exit FILE.spv\n");
        return 2;
    }
    size_t size = fread(code, 1, sizeof code, file);
    fclose(file);
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    int result = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++)
            result |= run(devices[k], code, size);
    }
    return platform_count == 0 || result;
}
