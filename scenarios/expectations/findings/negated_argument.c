/* Keeps the result of a function of a negated number across a barrier, on every device that the
 * loader finds, without assay.
 *
 *     cc negated_argument.c -l:libOpenCL.so.1 -o negated_argument && ./negated_argument
 *
 * Item 5 rounds -5 and stores 5.  OpenCL C specification, "Synchronization Functions": a barrier
 * makes work-items wait; each of them has its own private variables. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 16 };

static const char *source = "kernel void turn(global int *out) {\n"
                            "  int g = get_global_id(0);\n"
                            "  out[g] = g;\n"
                            "  float rounded = rint(-(float)(out[g] & 1023));\n"
                            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                            "  out[g] = (int)-rounded;\n"
                            "}\n";

static void run(cl_device_id device)
{
    cl_int out[ITEMS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "turn", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, NULL);
    size_t items = ITEMS;
    clSetKernelArg(kernel, 0, sizeof to, &to);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  item 5 stored %d, must be 5\n", out[5]);
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
