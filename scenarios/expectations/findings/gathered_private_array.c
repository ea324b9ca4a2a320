/* Tests reading a private array out of order, on every device that the loader finds, without assay.
 *
 *     cc gathered_private_array.c -l:libOpenCL.so.1 -o gathered_private_array &&
 *         ./gathered_private_array
 *
 * One work-item fills an array of 16 elements with 100, 101, ... and copies element 3k mod 16 to
 * element k of the result, which is then 100 + 3k mod 16. OpenCL specification, "Memory Model": a
 * work-item that reads memory which no other work-item accesses gets the value that it stored there
 * last.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { COUNT = 16 };

static const char *source = "kernel void gather(global uint *out) {\n"
                            "  uint s[16];\n"
                            "  for (uint k = 0; k < 16; k++)\n"
                            "    s[k] = k + 100;\n"
                            "  for (uint k = 0; k < 16; k++)\n"
                            "    out[k] = s[k * 3 & 15];\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_uint out[COUNT] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "gather", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    size_t items = 1;
    clSetKernelArg(kernel, 0, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    unsigned wrong = 0;
    for (unsigned k = 0; k < COUNT; k++)
        wrong += out[k] != 100 + (3 * k & 15);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  %u of %d elements are wrong\n", wrong, COUNT);
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
