/* Tests the address space qualifier functions of OpenCL C, on every device that the loader finds,
 * without assay.
 *
 *     cc address_spaces.c -l:libOpenCL.so.1 -o address_spaces && ./address_spaces
 *
 * OpenCL C specification, "Address Space Qualifier Functions": each function returns null for a
 * pointer that it cannot cast, so exactly one bit is set for a pointer into each memory. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
    "int kinds(void *p) { return !!to_global(p) + 2 * !!to_local(p) + 4 * !!to_private(p); }\n"
    "kernel void ask(global int *out, local int *near, global const int *which) {\n"
    "  for (int i = 0; i < 3; i++) {\n"
    "    int mine = 0;\n"
    "    void *p = which[i] == 0 ? (void *)out : which[i] == 1 ? (void *)near : (void *)&mine;\n"
    "    out[i] = kinds(p);\n"
    "  }\n"
    "}\n";

static void run(cl_device_id device)
{
    cl_int which[3] = {0, 1, 2}, out[3] = {-1, -1, -1}, status = CL_SUCCESS;
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    status |= clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL);
    if (status != CL_SUCCESS) {
        printf("%s, driver %s: no generic address space\n", name, version);
        return;
    }
    cl_kernel kernel = clCreateKernel(program, "ask", NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, NULL);
    cl_mem in =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof which, which, NULL);
    size_t one = 1;
    status |= clSetKernelArg(kernel, 0, sizeof to, &to);
    status |= clSetKernelArg(kernel, 1, sizeof(cl_int), NULL);
    status |= clSetKernelArg(kernel, 2, sizeof in, &in);
    status |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    printf("  pointer to global memory  %d, must be 1\n", out[0]);
    printf("  pointer to local memory   %d, must be 2\n", out[1]);
    printf("  pointer to private memory %d, must be 4\n", out[2]);
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
