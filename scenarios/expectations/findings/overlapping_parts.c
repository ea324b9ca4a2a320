/* Two parts of a buffer that overlap are used one after the other and released, on every device
 * that the loader finds, without assay. Only concurrent use of them is undefined (OpenCL 3.0
 * API, 5.2.1, clCreateSubBuffer). A part begins at a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN,
 * which is in bits, or it is refused. Each case runs in a process of its own. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static cl_mem part_of(cl_mem buffer, size_t offset, cl_int *out_code)
{
    const cl_buffer_region region = {offset, 128};
    return clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                             out_code);
}

/* Uses and releases both parts, the second of which begins `distance` bytes after the first. */
static void overlap(cl_device_id device, size_t offset, size_t distance)
{
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    const char *source = "kernel void add(global int *data) { data[get_global_id(0)] += 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "add", NULL);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    cl_int codes[2];
    cl_mem parts[2] = {part_of(buffer, offset, &codes[0]),
                       part_of(buffer, offset + distance, &codes[1])};
    printf("%d and %d; released:", codes[0], codes[1]);
    const size_t items = 32;
    for (int i = 0; i < 2 && parts[0] && parts[1]; i++) {
        clSetKernelArg(kernel, 0, sizeof parts[i], &parts[i]);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
        clFinish(queue);
    }
    for (int i = 0; i < 2; i++) {
        if (!parts[i]) continue;
        fflush(stdout);
        printf(" %d", clReleaseMemObject(parts[i]));
    }
    clReleaseMemObject(buffer);
}

static void describe(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    cl_uint alignment = 0;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment, &alignment, NULL);
    printf("%s, driver %s, parts at multiples of %u bytes\n", name, version, alignment / 8);
}

static cl_device_id device_at(unsigned index)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    unsigned found = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++)
            if (found++ == index) return devices[k];
    }
    return NULL;
}

/* The driver is opened in the child only. False: there is no such device. */
static int child(unsigned index, int number)
{
    static const size_t cases[][2] = {{0, 0}, {0, 64}, {4, 124}};
    cl_device_id device = device_at(index);
    if (!device) return 0;
    if (number == 0) {
        describe(device);
    } else {
        printf("  parts at %zu and %zu: ", cases[number - 1][0],
               cases[number - 1][0] + cases[number - 1][1]);
        overlap(device, cases[number - 1][0], cases[number - 1][1]);
    }
    fflush(stdout);
    return 1;
}

int main(void)
{
    for (unsigned index = 0;; index++) {
        for (int number = 0; number < 4; number++) {
            pid_t pid = fork();
            if (pid == 0) _exit(child(index, number) ? 0 : 1);
            int status = 0;
            waitpid(pid, &status, 0);
            if (number == 0 && status != 0) return index == 0;
            if (number > 0 && WIFSIGNALED(status)) printf(" ended by signal %d", WTERMSIG(status));
            if (number > 0) putchar('\n');
            fflush(stdout);
        }
    }
}
