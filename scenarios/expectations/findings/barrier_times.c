/* Reads the profiling times of a barrier and of a marker after a kernel, on every device that the
 * loader finds, without assay.
 *
 *     cc barrier_times.c -l:libOpenCL.so.1 -o barrier_times && ./barrier_times
 *
 * Both are commands of a queue that records times, and both wait for the kernel, so each starts
 * after the kernel has ended.  OpenCL 3.0 API, "Profiling Operations on Memory Objects and
 * Kernels"; "Markers, Barriers and Waiting for Events". */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

enum { ITEMS = 4 };

static const char *source = "kernel void add(global int *data) { data[get_global_id(0)] += 1; }\n";

static void show(const char *name, cl_event event, cl_ulong end_before)
{
    cl_ulong start = 0, end = 0;
    cl_int status =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    status |= clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    printf("  %s: status %d, %s before the kernel's end%s\n", name, status,
           start < end_before ? "starts" : "does not start",
           start == 0 && end == 0 ? ", times 0" : "");
}

static void run(cl_device_id device)
{
    cl_int data[ITEMS] = {0};
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
    size_t items = ITEMS;
    cl_event first = NULL, barrier = NULL, marker = NULL;
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, &first);
    status |= clEnqueueBarrierWithWaitList(queue, 1, &first, &barrier);
    status |= clEnqueueMarkerWithWaitList(queue, 1, &first, &marker);
    status |= clFinish(queue);
    cl_ulong end = 0;
    status |= clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    printf("%s, driver %s, status %d\n", name, version, status);
    show("barrier", barrier, end);
    show("marker", marker, end);
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
