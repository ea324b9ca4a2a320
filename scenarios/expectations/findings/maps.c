/* Two maps for writing that overlap, on every device that the loader finds, without assay: the
 * second one must be refused (OpenCL 3.0 API, 5.2.4, clEnqueueMapBuffer: CL_INVALID_OPERATION if
 * mapping would lead to overlapping regions being mapped for writing). */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>

static void run(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 16, NULL, NULL);
    cl_int first = 1, second = 1;
    void *a = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 8, 0, NULL, NULL, &first);
    void *b =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &second);
    printf("  bytes 0 to 8: %d; bytes 4 to 12: %d, must be %d\n", first, second,
           CL_INVALID_OPERATION);
    if (a) clEnqueueUnmapMemObject(queue, buffer, a, 0, NULL, NULL);
    if (b) clEnqueueUnmapMemObject(queue, buffer, b, 0, NULL, NULL);
    clFinish(queue);
}

int main(void)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++)
            run(devices[k]);
    }
    return platform_count == 0;
}
