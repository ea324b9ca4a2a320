/* Tests a store, a read of the stored value, and an adjacent store, on every device that the loader
 * finds, without assay.
 *
 *     cc read_between_stores.c -l:libOpenCL.so.1 -o read_between_stores && ./read_between_stores
 *
 * Item 1 stores 2 in its first element, reads it back, and stores its cube, 8, in its second
 * element. OpenCL specification, "Memory Model": a work-item that reads memory which no other
 * work-item accesses gets the value that it stored there last.
 *
 * LLVM's loop vectoriser causes the wrong result: in a loop that is marked as parallel, as PoCL
 * marks its loops over work-items, it moves the combined stores past the read. clang 14 does the
 * same without OpenCL:
 *
 *     unsigned pairs[64];
 *     void cubes(unsigned zero, unsigned long count)
 *     {
 *     #pragma clang loop vectorize(assume_safety)
 *         for (unsigned long l = 0; l < count; l++) {
 *             pairs[2 * l] = l + 1;
 *             unsigned v = pairs[2 * l + zero];
 *             pairs[2 * l + 1] = v * v * v;
 *         }
 *     }
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 32 };

static const char *source = "kernel void cubes(global int *out, uint zero) {\n"
                            "  size_t l = get_local_id(0);\n"
                            "  local uint pairs[64];\n"
                            "  pairs[2 * l] = l + 1;\n"
                            "  uint v = pairs[2 * l + zero];\n"
                            "  pairs[2 * l + 1] = v * v * v;\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  out[l] = pairs[2 * l + 1];\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int out[ITEMS] = {0};
    cl_uint zero = 0;
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "cubes", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof to, &to);
    clSetKernelArg(kernel, 1, sizeof zero, &zero);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  item 1 stored %d, must be 8; item 2 %d, must be 27\n", out[1], out[2]);
}

int main(void)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &count);
        for (cl_uint k = 0; k < count && k < 8; k++)
            run(devices[k]);
    }
    return platform_count == 0;
}
