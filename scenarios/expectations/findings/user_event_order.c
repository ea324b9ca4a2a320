/* In an out-of-order queue, a kernel that waits for a user event and one that waits for nothing, on
 * every device that the loader finds, without assay. The host waits for the second one, and then
 * completes the event. A process of its own is ended after ten seconds. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(cl_device_id device)
{
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n  the kernel that waits for nothing: ", name, version);
    fflush(stdout);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, NULL);
    const char *source = "kernel void add(global int *data) { data[get_global_id(0)] += 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_event go = clCreateUserEvent(context, NULL), free = NULL;
    const size_t items = 32;
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = clCreateKernel(program, "add", NULL);
        cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 128, NULL, NULL);
        clSetKernelArg(kernel, 0, sizeof data, &data);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, i == 0, i == 0 ? &go : NULL,
                               i == 0 ? NULL : &free);
    }
    clFlush(queue);
    printf("%d", clWaitForEvents(1, &free));
    clSetUserEventStatus(go, CL_COMPLETE);
    clFinish(queue);
    printf(", and the queue ends");
}

/* Opens the driver in the child only. Returns 1 if there is no device with that number. */
static int child(unsigned number)
{
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    unsigned found = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++) {
            if (found++ != number) continue;
            alarm(10);
            run(devices[k]);
            fflush(stdout);
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    for (unsigned number = 0;; number++) {
        pid_t pid = fork();
        if (pid == 0) _exit(child(number));
        int status = 0;
        waitpid(pid, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 1) return number == 0;
        printf(WIFSIGNALED(status) ? "ended after ten seconds\n" : "\n");
        fflush(stdout);
    }
}
