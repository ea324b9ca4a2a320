/* Commands that wait for a user event which the host fails, on every device that the loader finds,
 * without assay.
 *
 * status: a read that waits for the event is terminated, so its execution status is negative
 * (OpenCL 3.0 API, 5.11, clSetUserEventStatus), and its target keeps its 1.
 *
 * after: the same read, enqueued after the event has failed. It is given two seconds.
 *
 * twice: the status of the event is set a second time, which is refused.
 *
 * later: kernels in an out-of-order queue: two that wait for the event and each other are
 * terminated, one that waits for nothing was submitted between them and runs. */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static cl_context context;
static cl_command_queue queue;
static cl_event event;

static void read_status(void)
{
    int stored = 7, target = 1;
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof stored, &stored, NULL);
    cl_event read = NULL;
    cl_int status = CL_QUEUED;
    clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, sizeof target, &target, 1, &event, &read);
    clSetUserEventStatus(event, -5);
    cl_int waited = clWaitForEvents(1, &read);
    clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("  clWaitForEvents: %d, must be %d\n", waited,
           CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    printf("  execution status: %d, must be negative; target: %d, must be 1\n", status, target);
}

static void read_after_failure(void)
{
    int stored = 7, target = 1;
    cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof stored, &stored, NULL);
    cl_event read = NULL;
    cl_int status = CL_QUEUED;
    clSetUserEventStatus(event, -5);
    cl_int enqueued =
        clEnqueueReadBuffer(queue, memory, CL_FALSE, 0, sizeof target, &target, 1, &event, &read);
    clFlush(queue);
    for (time_t end = time(NULL) + 2; enqueued == 0 && status > 0 && time(NULL) <= end;)
        clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("  enqueued: %d, execution status: %d, must be negative; target: %d, must be 1\n",
           enqueued, status, target);
    fflush(stdout);
    _exit(0); /* what waits forever cannot be released */
}

static void set_twice(void)
{
    cl_int status = CL_QUEUED;
    cl_int first = clSetUserEventStatus(event, CL_COMPLETE);
    cl_int second = clSetUserEventStatus(event, -5);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    printf("  clSetUserEventStatus: %d, then %d, must be %d; status %d\n", first, second,
           CL_INVALID_OPERATION, status);
}

static void run_later(cl_device_id device)
{
    const char *source = "kernel void nothing(int n) {}";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "nothing", NULL);
    const size_t items = 1;
    cl_event first = NULL, second = NULL;
    for (int n = 1; n <= 3; n++) {
        const cl_event *wait = n == 1 ? &event : n == 3 ? &first : NULL;
        cl_event *out_event = n == 1 ? &first : n == 3 ? &second : NULL;
        clSetKernelArg(kernel, 0, sizeof n, &n);
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, wait ? 1 : 0, wait, out_event);
    }
    clSetUserEventStatus(event, -5);
    cl_int waited = clWaitForEvents(1, &second);
    printf("  clWaitForEvents: %d, must be %d\n", waited,
           CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    fflush(stdout);
    printf("  clFinish: %d\n", clFinish(queue));
}

static void run(cl_device_id device, const char *mode)
{
    char name[256] = "", version[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    printf("%s, driver %s\n", name, version);
    fflush(stdout);
    int is_later = strcmp(mode, "later") == 0;
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, is_later ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, 0};
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueueWithProperties(context, device, properties, NULL);
    event = clCreateUserEvent(context, NULL);
    if (is_later)
        run_later(device);
    else if (strcmp(mode, "after") == 0)
        read_after_failure();
    else if (strcmp(mode, "twice") == 0)
        set_twice();
    else
        read_status();
}

int main(int count, char **words)
{
    static const char *const modes[] = {"status", "after", "later", "twice"};
    int is_known = 0;
    for (size_t i = 0; count == 2 && i < sizeof modes / sizeof *modes; i++)
        is_known |= strcmp(words[1], modes[i]) == 0;
    if (!is_known) {
        printf("usage: events status|after|later|twice\n");
        return 2;
    }
    cl_platform_id platforms[8];
    cl_uint platform_count = 0;
    clGetPlatformIDs(8, platforms, &platform_count);
    for (cl_uint i = 0; i < platform_count && i < 8; i++) {
        cl_device_id devices[8];
        cl_uint device_count = 0;
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 8, devices, &device_count);
        for (cl_uint k = 0; k < device_count && k < 8; k++)
            run(devices[k], words[1]);
    }
    return platform_count == 0;
}
