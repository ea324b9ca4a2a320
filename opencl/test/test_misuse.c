/* Wrong uses of every function return the error that the specification lists. */
#include "opencl/test/client.h"

static void platform_and_device(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_uint count;
    cl_device_id device;
    char text[4];
    assert_int_equal(clGetPlatformIDs(0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformInfo(c.platform, CL_PLATFORM_NAME, 1, text, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetPlatformInfo(c.platform, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs(c.platform, 0, 1, &device, NULL), CL_INVALID_DEVICE_TYPE);
    assert_int_equal(clGetDeviceIDs(c.platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceIDs(c.platform, CL_DEVICE_TYPE_CUSTOM, 1, &device, &count),
                     CL_DEVICE_NOT_FOUND);
    assert_int_equal(clGetDeviceInfo(c.device, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    assert_int_equal(clGetDeviceInfo(c.device, CL_DEVICE_NAME, 2, text, NULL), CL_INVALID_VALUE);
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    assert_int_equal(clCreateSubDevices(c.device, equally, 0, NULL, &count), CL_INVALID_VALUE);
    client_close(&c);
}

static void contexts_and_queues(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    assert_null(clCreateContext(NULL, 0, NULL, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    assert_null(clCreateContext(NULL, 1, &c.device, NULL, &c, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    const cl_context_properties unknown[] = {12345, 1, 0};
    assert_null(clCreateContext(unknown, 1, &c.device, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_PROPERTY);
    const cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)c.platform,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)c.platform,
                                           0};
    assert_null(clCreateContext(twice, 1, &c.device, NULL, NULL, &code));
    assert_int_equal(code, CL_INVALID_PROPERTY);
    assert_null(clCreateCommandQueue(c.context, c.device, 1 << 20, &code));
    assert_int_equal(code, CL_INVALID_VALUE);
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    assert_null(clCreateCommandQueueWithProperties(c.context, c.device, on_device, &code));
    assert_int_equal(code, CL_INVALID_QUEUE_PROPERTIES);
    client_close(&c);
}

static void buffers(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 1;
    const struct {
        cl_mem_flags flags;
        size_t size;
        void *host;
        cl_int code;
    } rows[] = {
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, CL_INVALID_VALUE},
        {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, &value, CL_INVALID_VALUE},
        {CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4, NULL, CL_INVALID_VALUE},
        {1 << 20, 4, NULL, CL_INVALID_VALUE},
        {0, 0, NULL, CL_INVALID_BUFFER_SIZE},
        {0, (size_t)1 << 40, NULL, CL_INVALID_BUFFER_SIZE},
        {0, 4, &value, CL_INVALID_HOST_PTR},
        {CL_MEM_COPY_HOST_PTR, 4, NULL, CL_INVALID_HOST_PTR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_int code;
        assert_null(clCreateBuffer(c.context, rows[i].flags, rows[i].size, rows[i].host, &code));
        assert_int_equal(code, rows[i].code);
    }
    cl_mem hidden = clCreateBuffer(c.context, CL_MEM_HOST_NO_ACCESS, 4, NULL, NULL);
    assert_int_equal(clEnqueueReadBuffer(c.queue, hidden, CL_TRUE, 0, 4, &value, 0, NULL, NULL),
                     CL_INVALID_OPERATION);
    assert_int_equal(clEnqueueReadBuffer(c.queue, hidden, CL_TRUE, 0, 4, NULL, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_int_equal(clEnqueueWriteBuffer(c.queue, hidden, CL_TRUE, 2, 4, &value, 0, NULL, NULL),
                     CL_INVALID_VALUE);
    assert_cl(clReleaseMemObject(hidden));
    client_close(&c);
}

static void arguments_and_ranges(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_kernel kernel = client_kernel(
        &c, "kernel void k(global int *a, int n, local int *l) { a[get_global_id(0)] = n; }", "k");
    cl_mem buffer = client_ints(&c, NULL, 8);
    cl_int value = 1;
    cl_long wide = 1;
    const size_t eight = 8, three = 3, none = 0, huge = 5000;
    assert_int_equal(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &eight, NULL, 0, NULL, NULL),
                     CL_INVALID_KERNEL_ARGS);
    assert_int_equal(clSetKernelArg(kernel, 3, 4, &value), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &value), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof(cl_mem), &kernel), CL_INVALID_MEM_OBJECT);
    const uintptr_t no_handle = 3;
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof no_handle, &no_handle),
                     CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof wide, &wide), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 1, sizeof value, NULL), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 2, 16, &value), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 2, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_cl(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_cl(clSetKernelArg(kernel, 1, sizeof value, &value));
    assert_cl(clSetKernelArg(kernel, 2, 16, NULL));
    const struct {
        cl_uint dimensions;
        const size_t *global, *local;
        cl_int code;
    } rows[] = {
        {0, &eight, NULL, CL_INVALID_WORK_DIMENSION},
        {4, &eight, NULL, CL_INVALID_WORK_DIMENSION},
        {1, &eight, &three, CL_INVALID_WORK_GROUP_SIZE}, /* OpenCL C 1.2: must divide */
        {1, &eight, &none, CL_INVALID_WORK_GROUP_SIZE},
        {1, &huge, &huge, CL_INVALID_WORK_ITEM_SIZE},
        {1, &none, NULL, CL_SUCCESS}, /* OpenCL 3.0: nothing to do */
        {1, &eight, NULL, CL_SUCCESS},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(clEnqueueNDRangeKernel(c.queue, kernel, rows[i].dimensions, NULL,
                                                rows[i].global, rows[i].local, 0, NULL, NULL),
                         rows[i].code);
    assert_cl(clReleaseMemObject(buffer));
    assert_cl(clReleaseKernel(kernel));
    client_close(&c);
}

static void wait_lists(void **state)
{
    (void)state;
    client c = client_open(0), other = client_open(0);
    cl_event foreign = clCreateUserEvent(other.context, NULL);
    cl_event none = NULL;
    assert_int_equal(clEnqueueMarkerWithWaitList(c.queue, 1, NULL, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueMarkerWithWaitList(c.queue, 0, &foreign, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueMarkerWithWaitList(c.queue, 1, &none, NULL),
                     CL_INVALID_EVENT_WAIT_LIST);
    assert_int_equal(clEnqueueMarkerWithWaitList(c.queue, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    assert_int_equal(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    cl_event marker;
    assert_cl(clEnqueueMarkerWithWaitList(c.queue, 0, NULL, &marker));
    assert_int_equal(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    assert_cl(clReleaseEvent(marker));
    assert_cl(clReleaseEvent(foreign));
    client_close(&c);
    client_close(&other);
}

/* What is optional and absent. */
static void optional_features(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int code;
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc description = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    assert_null(clCreateImage(c.context, 0, &format, &description, NULL, &code));
    assert_int_equal(code, CL_INVALID_OPERATION);
    assert_null(clCreatePipe(c.context, 0, 4, 4, NULL, &code));
    assert_int_equal(code, CL_INVALID_OPERATION);
    cl_bool has_images = CL_TRUE;
    assert_cl(
        clGetDeviceInfo(c.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    assert_int_equal(has_images, CL_FALSE);
    client_close(&c);
}

/* A released object is recognised, and reported (exec.sh counts this program's findings). */
static void released_objects(void **state)
{
    (void)state;
    client c = client_open(0);
    cl_int value = 1;
    cl_mem buffer = client_ints(&c, &value, 1);
    assert_cl(clReleaseMemObject(buffer));
    assert_int_equal(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    client_close(&c);
}

/* ---- Function by function ----------------------------------------------------------------- */

/* One object of each kind, for the rows below; `wrong` is an object of another kind. */
typedef struct objects {
    client c;
    cl_command_queue profiling;
    cl_mem buffer, part, readable, writable, hidden;
    cl_program program, source;
    cl_kernel kernel;
    cl_event user, marker;
    void *svm;
} objects;

static const char *const text = "kernel void k(global int *a, int n, local int *l) { a[0] = n; }";

static objects objects_make(void)
{
    objects o = {.c = client_open(0)};
    cl_int code;
    const cl_buffer_region region = {128, 64};
    o.profiling = clCreateCommandQueue(o.c.context, o.c.device, CL_QUEUE_PROFILING_ENABLE, &code);
    assert_cl(code);
    o.buffer = client_ints(&o.c, NULL, 64);
    o.part = clCreateSubBuffer(o.buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    assert_cl(code);
    o.readable = clCreateBuffer(o.c.context, CL_MEM_HOST_READ_ONLY, 256, NULL, NULL);
    o.writable = clCreateBuffer(o.c.context, CL_MEM_HOST_WRITE_ONLY, 256, NULL, NULL);
    o.hidden =
        clCreateBuffer(o.c.context, CL_MEM_HOST_NO_ACCESS | CL_MEM_READ_ONLY, 256, NULL, NULL);
    o.program = client_build(&o.c, text, "-cl-kernel-arg-info");
    o.source = clCreateProgramWithSource(o.c.context, 1, (const char *[]){text}, NULL, &code);
    assert_cl(code);
    o.kernel = clCreateKernel(o.program, "k", &code);
    assert_cl(code);
    o.user = clCreateUserEvent(o.c.context, &code);
    assert_cl(code);
    assert_cl(clEnqueueMarkerWithWaitList(o.profiling, 1, &o.user, &o.marker));
    o.svm = clSVMAlloc(o.c.context, 0, 256, 0);
    assert_non_null(o.svm);
    return o;
}

static void objects_release(objects *o)
{
    assert_cl(clSetUserEventStatus(o->user, CL_COMPLETE));
    assert_cl(clFinish(o->profiling));
    assert_cl(clReleaseEvent(o->marker));
    assert_cl(clReleaseEvent(o->user));
    const cl_mem buffers[] = {o->part, o->buffer, o->readable, o->writable, o->hidden};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        assert_cl(clReleaseMemObject(buffers[i]));
    assert_cl(clReleaseKernel(o->kernel));
    assert_cl(clReleaseProgram(o->program));
    assert_cl(clReleaseProgram(o->source));
    assert_cl(clReleaseCommandQueue(o->profiling));
    clSVMFree(o->c.context, o->svm);
    client_close(&o->c);
}

/* A call whose result is compared with its error; in the second form the call stores it. */
#define CALL(error, call)                                                                          \
    do {                                                                                           \
        cl_int found = (call);                                                                     \
        if (found != CL_##error) fail_msg("%d, expected CL_" #error ": " #call, found);            \
    } while (0)
#define MAKES(error, call)                                                                         \
    do {                                                                                           \
        cl_int code = CL_SUCCESS;                                                                  \
        assert_null(call);                                                                         \
        if (code != CL_##error) fail_msg("%d, expected CL_" #error ": " #call, code);              \
    } while (0)
/* The object as a handle of another kind; loaders only read its table of functions. */
#define AS(type, object) ((type)(void *)(object))

static void queries(void **state)
{
    (void)state;
    objects o = objects_make();
    char c; /* too small for every answer */
    cl_ulong time;
    CALL(INVALID_PLATFORM,
         clGetPlatformInfo(AS(cl_platform_id, o.buffer), CL_PLATFORM_NAME, 0, NULL, NULL));
    CALL(INVALID_PLATFORM, clUnloadPlatformCompiler(AS(cl_platform_id, o.buffer)));
    CALL(INVALID_PLATFORM,
         clGetDeviceIDs(AS(cl_platform_id, o.buffer), CL_DEVICE_TYPE_ALL, 0, NULL, &(cl_uint){0}));
    CALL(INVALID_VALUE, clGetDeviceIDs(o.c.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    CALL(INVALID_DEVICE,
         clGetDeviceInfo(AS(cl_device_id, o.buffer), CL_DEVICE_NAME, 0, NULL, NULL));
    CALL(INVALID_DEVICE, clRetainDevice(AS(cl_device_id, o.buffer)));
    CALL(INVALID_DEVICE, clReleaseDevice(AS(cl_device_id, o.buffer)));
    CALL(INVALID_DEVICE, clCreateSubDevices(AS(cl_device_id, o.buffer), NULL, 0, NULL, NULL));
    CALL(INVALID_DEVICE, clGetDeviceAndHostTimer(AS(cl_device_id, o.buffer), &time, &time));
    CALL(INVALID_VALUE, clGetDeviceAndHostTimer(o.c.device, NULL, &time));
    CALL(INVALID_VALUE, clGetDeviceAndHostTimer(o.c.device, &time, NULL));
    CALL(INVALID_DEVICE, clGetHostTimer(AS(cl_device_id, o.buffer), &time));
    CALL(INVALID_VALUE, clGetHostTimer(o.c.device, NULL));
    CALL(INVALID_CONTEXT,
         clGetContextInfo(AS(cl_context, o.buffer), CL_CONTEXT_DEVICES, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetContextInfo(o.c.context, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetContextInfo(o.c.context, CL_CONTEXT_DEVICES, 1, &c, NULL));
    CALL(INVALID_COMMAND_QUEUE,
         clGetCommandQueueInfo(AS(cl_command_queue, o.buffer), CL_QUEUE_CONTEXT, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetCommandQueueInfo(o.c.queue, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetCommandQueueInfo(o.c.queue, CL_QUEUE_CONTEXT, 1, &c, NULL));
    CALL(INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(o.c.queue, CL_QUEUE_SIZE, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clGetMemObjectInfo(AS(cl_mem, o.kernel), CL_MEM_SIZE, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetMemObjectInfo(o.buffer, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetMemObjectInfo(o.buffer, CL_MEM_SIZE, 1, &c, NULL));
    CALL(INVALID_MEM_OBJECT, clGetImageInfo(o.buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clGetPipeInfo(o.buffer, CL_PIPE_PACKET_SIZE, 0, NULL, NULL));
    objects_release(&o);
}

static void queries_of_programs(void **state)
{
    (void)state;
    objects o = objects_make();
    char c; /* too small for every answer */
    CALL(INVALID_PROGRAM,
         clGetProgramInfo(AS(cl_program, o.buffer), CL_PROGRAM_SOURCE, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetProgramInfo(o.program, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetProgramInfo(o.program, CL_PROGRAM_SOURCE, 1, &c, NULL));
    CALL(INVALID_PROGRAM_EXECUTABLE,
         clGetProgramInfo(o.source, CL_PROGRAM_NUM_KERNELS, 0, NULL, NULL));
    CALL(INVALID_PROGRAM, clGetProgramBuildInfo(AS(cl_program, o.buffer), o.c.device,
                                                CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
    CALL(INVALID_DEVICE, clGetProgramBuildInfo(o.program, AS(cl_device_id, o.buffer),
                                               CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetProgramBuildInfo(o.program, o.c.device, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE,
         clGetProgramBuildInfo(o.program, o.c.device, CL_PROGRAM_BUILD_STATUS, 1, &c, NULL));
    CALL(INVALID_KERNEL,
         clGetKernelInfo(AS(cl_kernel, o.buffer), CL_KERNEL_NUM_ARGS, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelInfo(o.kernel, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelInfo(o.kernel, CL_KERNEL_NUM_ARGS, 1, &c, NULL));
    CALL(INVALID_KERNEL,
         clGetKernelArgInfo(AS(cl_kernel, o.buffer), 0, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    CALL(INVALID_ARG_INDEX, clGetKernelArgInfo(o.kernel, 3, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelArgInfo(o.kernel, 0, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelArgInfo(o.kernel, 0, CL_KERNEL_ARG_NAME, 1, &c, NULL));
    CALL(INVALID_KERNEL, clGetKernelWorkGroupInfo(AS(cl_kernel, o.buffer), o.c.device,
                                                  CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    CALL(INVALID_DEVICE, clGetKernelWorkGroupInfo(o.kernel, AS(cl_device_id, o.buffer),
                                                  CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelWorkGroupInfo(o.kernel, o.c.device, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE,
         clGetKernelWorkGroupInfo(o.kernel, o.c.device, CL_KERNEL_WORK_GROUP_SIZE, 1, &c, NULL));
    /* Only custom devices and built-in kernels have it. */
    CALL(INVALID_VALUE,
         clGetKernelWorkGroupInfo(o.kernel, o.c.device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, NULL));
    objects_release(&o);
}

static void queries_of_sub_groups_and_events(void **state)
{
    (void)state;
    objects o = objects_make();
    char c; /* too small for every answer */
    cl_ulong time;
    CALL(INVALID_KERNEL,
         clGetKernelSubGroupInfo(AS(cl_kernel, o.buffer), o.c.device, CL_KERNEL_MAX_NUM_SUB_GROUPS,
                                 0, NULL, 0, NULL, NULL));
    CALL(INVALID_DEVICE,
         clGetKernelSubGroupInfo(o.kernel, AS(cl_device_id, o.buffer), CL_KERNEL_MAX_NUM_SUB_GROUPS,
                                 0, NULL, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelSubGroupInfo(o.kernel, o.c.device, 0, 0, NULL, 0, NULL, NULL));
    CALL(INVALID_VALUE,
         clGetKernelSubGroupInfo(o.kernel, o.c.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0,
                                 NULL, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetKernelSubGroupInfo(o.kernel, o.c.device, CL_KERNEL_MAX_NUM_SUB_GROUPS,
                                                0, NULL, 1, &c, NULL));
    CALL(INVALID_EVENT, clGetEventInfo(AS(cl_event, o.buffer), CL_EVENT_CONTEXT, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetEventInfo(o.user, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clGetEventInfo(o.user, CL_EVENT_CONTEXT, 1, &c, NULL));
    CALL(INVALID_EVENT, clGetEventProfilingInfo(AS(cl_event, o.buffer), CL_PROFILING_COMMAND_END,
                                                sizeof time, &time, NULL));
    CALL(INVALID_VALUE, clGetEventProfilingInfo(o.marker, 0, sizeof time, &time, NULL));
    CALL(PROFILING_INFO_NOT_AVAILABLE,
         clGetEventProfilingInfo(o.user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    CALL(PROFILING_INFO_NOT_AVAILABLE,
         clGetEventProfilingInfo(o.marker, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
    objects_release(&o);
}

static void CL_CALLBACK nothing_done(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status, (void)user;
}

static void objects_and_events(void **state)
{
    (void)state;
    objects o = objects_make();
    void *const other = o.buffer;
    CALL(INVALID_CONTEXT, clRetainContext(other));
    CALL(INVALID_CONTEXT, clReleaseContext(other));
    CALL(INVALID_COMMAND_QUEUE, clRetainCommandQueue(other));
    CALL(INVALID_COMMAND_QUEUE, clReleaseCommandQueue(other));
    CALL(INVALID_MEM_OBJECT, clRetainMemObject(AS(cl_mem, o.kernel)));
    CALL(INVALID_MEM_OBJECT, clReleaseMemObject(AS(cl_mem, o.kernel)));
    CALL(INVALID_PROGRAM, clRetainProgram(other));
    CALL(INVALID_PROGRAM, clReleaseProgram(other));
    CALL(INVALID_KERNEL, clRetainKernel(other));
    CALL(INVALID_KERNEL, clReleaseKernel(other));
    CALL(INVALID_EVENT, clRetainEvent(other));
    CALL(INVALID_EVENT, clReleaseEvent(other));
    CALL(INVALID_SAMPLER, clRetainSampler(other));
    CALL(INVALID_SAMPLER, clReleaseSampler(other));
    CALL(INVALID_SAMPLER, clGetSamplerInfo(other, CL_SAMPLER_CONTEXT, 0, NULL, NULL));
    CALL(INVALID_CONTEXT, clSetContextDestructorCallback(other, NULL, NULL));
    CALL(INVALID_VALUE, clSetContextDestructorCallback(o.c.context, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(AS(cl_mem, o.kernel), NULL, NULL));
    CALL(INVALID_VALUE, clSetMemObjectDestructorCallback(o.buffer, NULL, NULL));
    CALL(INVALID_PROGRAM, clSetProgramReleaseCallback(other, NULL, NULL));
    CALL(INVALID_VALUE, clSetProgramReleaseCallback(o.program, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE, clFlush(other));
    CALL(INVALID_COMMAND_QUEUE, clFinish(other));
    objects_release(&o);
}

static void queues_and_events(void **state)
{
    (void)state;
    objects o = objects_make();
    void *const other = o.buffer;
    CALL(INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(other, o.c.device, o.c.queue));
    CALL(INVALID_DEVICE, clSetDefaultDeviceCommandQueue(o.c.context, other, o.c.queue));
    CALL(INVALID_OPERATION, clSetDefaultDeviceCommandQueue(o.c.context, o.c.device, o.c.queue));
    MAKES(INVALID_CONTEXT, clCreateCommandQueueWithProperties(other, o.c.device, NULL, &code));
    MAKES(INVALID_DEVICE, clCreateCommandQueueWithProperties(o.c.context, other, NULL, &code));
    MAKES(INVALID_VALUE, clCreateCommandQueueWithProperties(
                             o.c.context, o.c.device, (cl_queue_properties[]){5, 5, 0}, &code));
    MAKES(INVALID_CONTEXT, clCreateUserEvent(other, &code));
    const cl_event events[] = {o.user, other};
    CALL(INVALID_VALUE, clWaitForEvents(1, NULL));
    CALL(INVALID_EVENT, clWaitForEvents(2, events));
    CALL(INVALID_EVENT, clSetUserEventStatus(other, CL_COMPLETE));
    CALL(INVALID_VALUE, clSetUserEventStatus(o.user, CL_RUNNING));
    CALL(INVALID_EVENT, clSetEventCallback(other, CL_COMPLETE, nothing_done, NULL));
    CALL(INVALID_VALUE, clSetEventCallback(o.user, CL_COMPLETE, NULL, NULL));
    CALL(INVALID_VALUE, clSetEventCallback(o.user, CL_QUEUED, nothing_done, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueMarkerWithWaitList(other, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueBarrierWithWaitList(other, 0, NULL, NULL));
    CALL(INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(o.c.queue, 2, events, NULL));
    CALL(INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(o.c.queue, 1, NULL, NULL));
    CALL(INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(o.c.queue, 0, events, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueMigrateMemObjects(other, 1, &o.buffer, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueMigrateMemObjects(o.c.queue, 0, &o.buffer, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueMigrateMemObjects(o.c.queue, 1, NULL, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueMigrateMemObjects(o.c.queue, 1, &o.buffer, 1 << 9, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT,
         clEnqueueMigrateMemObjects(o.c.queue, 1, (cl_mem *)&o.kernel, 0, 0, NULL, NULL));
    objects_release(&o);
}

static void sub_buffers(void **state)
{
    (void)state;
    objects o = objects_make();
    const cl_buffer_create_type type = CL_BUFFER_CREATE_TYPE_REGION;
    const struct {
        cl_mem buffer;
        cl_mem_flags flags;
        cl_buffer_create_type type;
        size_t origin, size;
        cl_int code;
    } rows[] = {
        {AS(cl_mem, o.kernel), 0, type, 0, 4, CL_INVALID_MEM_OBJECT},
        {o.part, 0, type, 0, 4, CL_INVALID_MEM_OBJECT},
        {o.buffer, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, type, 0, 4, CL_INVALID_VALUE},
        {o.buffer, CL_MEM_USE_HOST_PTR, type, 0, 4, CL_INVALID_VALUE},
        {o.hidden, CL_MEM_READ_WRITE, type, 0, 4, CL_INVALID_VALUE},
        {o.hidden, CL_MEM_WRITE_ONLY, type, 0, 4, CL_INVALID_VALUE},
        {o.hidden, CL_MEM_HOST_READ_ONLY, type, 0, 4, CL_INVALID_VALUE},
        {o.readable, CL_MEM_HOST_WRITE_ONLY, type, 0, 4, CL_INVALID_VALUE},
        {o.writable, CL_MEM_HOST_READ_ONLY, type, 0, 4, CL_INVALID_VALUE},
        {o.buffer, 0, type + 1, 0, 4, CL_INVALID_VALUE},
        {o.buffer, 0, type, 0, 257, CL_INVALID_VALUE},
        {o.buffer, 0, type, 256, 1, CL_INVALID_VALUE},
        {o.buffer, 0, type, SIZE_MAX, 2, CL_INVALID_VALUE},
        {o.buffer, 0, type, 0, 0, CL_INVALID_BUFFER_SIZE},
        {o.buffer, 0, type, 4, 4, CL_MISALIGNED_SUB_BUFFER_OFFSET},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const cl_buffer_region region = {rows[i].origin, rows[i].size};
        cl_int code;
        assert_null(clCreateSubBuffer(rows[i].buffer, rows[i].flags, rows[i].type, &region, &code));
        if (code != rows[i].code) fail_msg("row %zu: %d, expected %d", i, code, rows[i].code);
    }
    MAKES(INVALID_VALUE, clCreateSubBuffer(o.buffer, 0, type, NULL, &code));
    MAKES(INVALID_CONTEXT, clCreateBuffer(AS(cl_context, o.kernel), 0, 4, NULL, &code));
    MAKES(INVALID_PROPERTY, clCreateBufferWithProperties(
                                o.c.context, (cl_mem_properties[]){5, 5, 0}, 0, 4, NULL, &code));
    objects_release(&o);
}

static void transfers(void **state)
{
    (void)state;
    objects o = objects_make();
    client far = client_open(0);
    cl_mem foreign = client_ints(&far, NULL, 64);
    cl_uchar bytes[512] = {0};
    cl_command_queue q = o.c.queue, no_queue = AS(cl_command_queue, o.buffer);
    cl_mem b = o.buffer, no_buffer = AS(cl_mem, o.kernel);
    const cl_event no_event = AS(cl_event, o.buffer);
    const struct {
        cl_command_queue queue;
        cl_mem buffer;
        size_t offset, size;
        void *host;
        cl_uint wait_count;
        const cl_event *wait;
        cl_int read, write;
    } rows[] = {
        {no_queue, b, 0, 4, bytes, 0, NULL, CL_INVALID_COMMAND_QUEUE, CL_INVALID_COMMAND_QUEUE},
        {q, no_buffer, 0, 4, bytes, 0, NULL, CL_INVALID_MEM_OBJECT, CL_INVALID_MEM_OBJECT},
        {q, foreign, 0, 4, bytes, 0, NULL, CL_INVALID_CONTEXT, CL_INVALID_CONTEXT},
        {q, b, 253, 4, bytes, 0, NULL, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {q, b, SIZE_MAX, 4, bytes, 0, NULL, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {q, b, 4, SIZE_MAX, bytes, 0, NULL, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {q, b, 0, 4, NULL, 0, NULL, CL_INVALID_VALUE, CL_INVALID_VALUE},
        {q, b, 0, 4, bytes, 1, NULL, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_EVENT_WAIT_LIST},
        {q, b, 0, 4, bytes, 1, &no_event, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_EVENT_WAIT_LIST},
        {q, o.readable, 0, 4, bytes, 0, NULL, CL_SUCCESS, CL_INVALID_OPERATION},
        {q, o.writable, 0, 4, bytes, 0, NULL, CL_INVALID_OPERATION, CL_SUCCESS},
        {q, o.hidden, 0, 4, bytes, 0, NULL, CL_INVALID_OPERATION, CL_INVALID_OPERATION},
    };
    const size_t origin[3] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t begin[] = {rows[i].offset, 0, 0}, extent[] = {rows[i].size, 1, 1};
#define ARGUMENTS                                                                                  \
    rows[i].queue, rows[i].buffer, CL_TRUE, rows[i].offset, rows[i].size, rows[i].host,            \
        rows[i].wait_count, rows[i].wait, NULL
#define RECTANGLE                                                                                  \
    rows[i].queue, rows[i].buffer, CL_TRUE, begin, origin, extent, 0, 0, 0, 0, rows[i].host,       \
        rows[i].wait_count, rows[i].wait, NULL
        const cl_int found[] = {clEnqueueReadBuffer(ARGUMENTS), clEnqueueWriteBuffer(ARGUMENTS),
                                clEnqueueReadBufferRect(RECTANGLE),
                                clEnqueueWriteBufferRect(RECTANGLE)};
        for (size_t k = 0; k < 4; k++) {
            cl_int expected = k % 2 ? rows[i].write : rows[i].read;
            if (found[k] != expected)
                fail_msg("row %zu, function %zu: %d, expected %d", i, k, found[k], expected);
        }
    }
    assert_cl(clFinish(q));
    assert_cl(clReleaseMemObject(foreign));
    client_close(&far);
    objects_release(&o);
}

static void rectangles(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_uchar bytes[512] = {0};
    cl_command_queue q = o.c.queue;
    cl_mem b = o.buffer;
    const size_t origin[3] = {0}, region[3] = {4, 1, 1};
    /* Rectangles: origin, region, pitches of the buffer, pitches of the host. */
    const struct {
        size_t origin[3], region[3], row, slice, host_row, host_slice;
    } wrong[] = {
        {{0}, {0, 1, 1}, 0, 0, 0, 0},
        {{0}, {4, 0, 1}, 0, 0, 0, 0},
        {{0}, {4, 1, 0}, 0, 0, 0, 0},
        {{0}, {4, 1, 1}, 3, 0, 0, 0},
        {{0}, {4, 1, 1}, 0, 0, 3, 0},
        {{0}, {4, 2, 1}, 8, 8, 0, 0},
        {{0}, {4, 2, 1}, 8, 20, 0, 0},
        {{0}, {4, 2, 1}, 0, 0, 8, 12},
        {{0, 16, 0}, {4, 1, 1}, 16, 0, 0, 0},
        {{0}, {16, 17, 1}, 0, 0, 0, 0},
        /* Products that do not fit into a size_t. */
        {{0, SIZE_MAX / 8, 0}, {16, 1, 1}, 16, 0, 0, 0},
        {{0, 0, SIZE_MAX / 8}, {16, 1, 1}, 16, 16, 0, 0},
        {{0}, {16, SIZE_MAX / 16 + 2, 1}, 0, 0, 0, 0},
        {{0}, {16, 1, SIZE_MAX / 16 + 2}, 0, 0, 0, 0},
        {{SIZE_MAX - 7, 0, 0}, {8, 1, 1}, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cl_int found = clEnqueueReadBufferRect(
            q, b, CL_TRUE, wrong[i].origin, origin, wrong[i].region, wrong[i].row, wrong[i].slice,
            wrong[i].host_row, wrong[i].host_slice, bytes, 0, NULL, NULL);
        if (found != CL_INVALID_VALUE) fail_msg("rectangle %zu: %d", i, found);
        found = clEnqueueCopyBufferRect(q, b, o.readable, wrong[i].origin, origin, wrong[i].region,
                                        wrong[i].row, wrong[i].slice, wrong[i].host_row,
                                        wrong[i].host_slice, 0, NULL, NULL);
        if (found != CL_INVALID_VALUE) fail_msg("copy of rectangle %zu: %d", i, found);
    }
    CALL(INVALID_VALUE, clEnqueueReadBufferRect(q, b, CL_TRUE, NULL, origin, region, 0, 0, 0, 0,
                                                bytes, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueReadBufferRect(q, b, CL_TRUE, origin, origin, NULL, 0, 0, 0, 0,
                                                bytes, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueCopyBufferRect(q, b, b, origin, (size_t[]){32, 0, 0}, region, 8, 0,
                                                16, 0, 0, NULL, NULL));
    CALL(MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(q, b, b, origin, (size_t[]){3, 0, 0}, region, 8,
                                                   0, 8, 0, 0, NULL, NULL));
    objects_release(&o);
}

static void copies_and_fills(void **state)
{
    (void)state;
    objects o = objects_make();
    client far = client_open(0);
    cl_mem foreign = client_ints(&far, NULL, 64);
    cl_uchar bytes[512] = {0};
    cl_command_queue q = o.c.queue, no_queue = AS(cl_command_queue, o.buffer);
    cl_mem b = o.buffer, no_buffer = AS(cl_mem, o.kernel);
    CALL(INVALID_COMMAND_QUEUE,
         clEnqueueCopyBuffer(no_queue, b, o.readable, 0, 0, 4, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clEnqueueCopyBuffer(q, no_buffer, b, 0, 0, 4, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clEnqueueCopyBuffer(q, b, no_buffer, 0, 0, 4, 0, NULL, NULL));
    CALL(INVALID_CONTEXT, clEnqueueCopyBuffer(q, foreign, b, 0, 0, 4, 0, NULL, NULL));
    CALL(INVALID_CONTEXT, clEnqueueCopyBuffer(q, b, foreign, 0, 0, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueCopyBuffer(q, b, o.readable, 253, 0, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueCopyBuffer(q, b, o.readable, 0, SIZE_MAX, 4, 0, NULL, NULL));
    CALL(MEM_COPY_OVERLAP, clEnqueueCopyBuffer(q, b, b, 0, 3, 4, 0, NULL, NULL));
    CALL(MEM_COPY_OVERLAP, clEnqueueCopyBuffer(q, b, o.part, 128, 3, 4, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueFillBuffer(no_queue, b, bytes, 4, 0, 8, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT, clEnqueueFillBuffer(q, no_buffer, bytes, 4, 0, 8, 0, NULL, NULL));
    CALL(INVALID_CONTEXT, clEnqueueFillBuffer(q, foreign, bytes, 4, 0, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 4, 252, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, NULL, 4, 0, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 0, 0, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 3, 0, 9, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 256, 0, 256, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 4, 2, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueFillBuffer(q, b, bytes, 4, 0, 6, 0, NULL, NULL));
    assert_cl(clFinish(q));
    assert_cl(clReleaseMemObject(foreign));
    client_close(&far);
    objects_release(&o);
}

static void maps(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_command_queue q = o.c.queue;
    const cl_map_flags invalidates = CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int success;
#define MAP(queue, buffer, flags, offset, size)                                                    \
    clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0, NULL, NULL, &code)
    MAKES(INVALID_COMMAND_QUEUE, MAP(AS(cl_command_queue, o.buffer), o.buffer, CL_MAP_READ, 0, 4));
    MAKES(INVALID_MEM_OBJECT, MAP(q, AS(cl_mem, o.kernel), CL_MAP_READ, 0, 4));
    MAKES(INVALID_VALUE, MAP(q, o.buffer, CL_MAP_READ, 253, 4));
    MAKES(INVALID_VALUE, MAP(q, o.buffer, CL_MAP_READ, 0, 0));
    MAKES(INVALID_VALUE, MAP(q, o.buffer, 1 << 9, 0, 4));
    MAKES(INVALID_VALUE, MAP(q, o.buffer, invalidates | CL_MAP_READ, 0, 4));
    MAKES(INVALID_VALUE, MAP(q, o.buffer, invalidates | CL_MAP_WRITE, 0, 4));
    MAKES(INVALID_OPERATION, MAP(q, o.readable, CL_MAP_WRITE, 0, 4));
    MAKES(INVALID_OPERATION, MAP(q, o.readable, invalidates, 0, 4));
    MAKES(INVALID_OPERATION, MAP(q, o.writable, CL_MAP_READ, 0, 4));
    MAKES(INVALID_OPERATION, MAP(q, o.hidden, CL_MAP_READ, 0, 4));
    /* Regions that overlap may be mapped for reading, and not for writing. */
    cl_uchar *first =
        clEnqueueMapBuffer(q, o.buffer, CL_TRUE, invalidates, 8, 8, 0, NULL, NULL, &success);
    assert_cl(success);
    MAKES(INVALID_OPERATION, MAP(q, o.buffer, CL_MAP_WRITE, 15, 4));
    MAKES(INVALID_OPERATION, MAP(q, o.buffer, invalidates, 0, 9));
    void *second =
        clEnqueueMapBuffer(q, o.buffer, CL_TRUE, invalidates, 16, 8, 0, NULL, NULL, &success);
    assert_cl(success);
    assert_ptr_equal(second, first + 8);
    CALL(INVALID_VALUE, clEnqueueUnmapMemObject(q, o.buffer, first + 1, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueUnmapMemObject(q, o.readable, first, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueUnmapMemObject(q, o.buffer, NULL, 0, NULL, NULL));
    CALL(INVALID_MEM_OBJECT,
         clEnqueueUnmapMemObject(q, AS(cl_mem, o.kernel), first, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE,
         clEnqueueUnmapMemObject(AS(cl_command_queue, o.kernel), o.buffer, first, 0, NULL, NULL));
    CALL(SUCCESS, clEnqueueUnmapMemObject(q, o.buffer, first, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueUnmapMemObject(q, o.buffer, first, 0, NULL, NULL));
    CALL(SUCCESS, clEnqueueUnmapMemObject(q, o.buffer, second, 0, NULL, NULL));
    assert_cl(clFinish(q));
    objects_release(&o);
}

static void CL_CALLBACK program_done(cl_program program, void *user)
{
    (void)program, (void)user;
}

static void programs(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_context x = o.c.context, no_context = AS(cl_context, o.buffer);
    cl_device_id device = o.c.device, no_device = AS(cl_device_id, o.buffer);
    const char *const strings[] = {text, NULL};
    const unsigned char byte = 1, *binaries[] = {&byte};
    const size_t one = 1, none = 0;
    cl_int status = 0;
    MAKES(INVALID_CONTEXT,
          clCreateProgramWithSource(no_context, 1, (const char **)(uintptr_t)strings, NULL, &code));
    MAKES(INVALID_VALUE,
          clCreateProgramWithSource(x, 0, (const char **)(uintptr_t)strings, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithSource(x, 1, NULL, NULL, &code));
    MAKES(INVALID_VALUE,
          clCreateProgramWithSource(x, 2, (const char **)(uintptr_t)strings, NULL, &code));
    MAKES(INVALID_CONTEXT, clCreateProgramWithIL(no_context, &byte, 1, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithIL(x, NULL, 1, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithIL(x, &byte, 0, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithIL(x, &byte, 1, &code));
    MAKES(INVALID_CONTEXT,
          clCreateProgramWithBinary(no_context, 1, &device, &one, binaries, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBinary(x, 0, &device, &one, binaries, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBinary(x, 1, NULL, &one, binaries, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBinary(x, 1, &device, NULL, binaries, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBinary(x, 1, &device, &one, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBinary(x, 1, &device, &none, binaries, &status, &code));
    assert_int_equal(status, CL_INVALID_VALUE);
    MAKES(INVALID_DEVICE, clCreateProgramWithBinary(x, 1, &no_device, &one, binaries, NULL, &code));
    MAKES(INVALID_BINARY, clCreateProgramWithBinary(x, 1, &device, &one, binaries, &status, &code));
    assert_int_equal(status, CL_INVALID_BINARY);
    MAKES(INVALID_CONTEXT, clCreateProgramWithBuiltInKernels(no_context, 1, &device, "k", &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBuiltInKernels(x, 1, NULL, "k", &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBuiltInKernels(x, 0, &device, "k", &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBuiltInKernels(x, 1, &device, NULL, &code));
    MAKES(INVALID_VALUE, clCreateProgramWithBuiltInKernels(x, 1, &device, "k", &code));
    MAKES(INVALID_DEVICE, clCreateProgramWithBuiltInKernels(x, 1, &no_device, "k", &code));
    objects_release(&o);
}

static void builds(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_device_id device = o.c.device, no_device = AS(cl_device_id, o.buffer);
    cl_program no_program = AS(cl_program, o.buffer);
    const char *names[] = {"h"};
    CALL(INVALID_PROGRAM, clBuildProgram(no_program, 0, NULL, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clBuildProgram(o.source, 1, NULL, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clBuildProgram(o.source, 0, &device, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clBuildProgram(o.source, 0, NULL, NULL, NULL, &o));
    CALL(INVALID_DEVICE, clBuildProgram(o.source, 1, &no_device, NULL, NULL, NULL));
    CALL(INVALID_BUILD_OPTIONS, clBuildProgram(o.source, 0, NULL, "-no-such-option", NULL, NULL));
    CALL(INVALID_OPERATION,
         clBuildProgram(o.program, 0, NULL, NULL, NULL, NULL)); /* has a kernel */
    CALL(INVALID_PROGRAM, clCompileProgram(no_program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 0, NULL, NULL, 0, NULL, NULL, NULL, &o));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 0, NULL, NULL, 1, NULL, names, NULL, NULL));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 0, NULL, NULL, 1, &o.source, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 0, NULL, NULL, 0, &o.source, NULL, NULL, NULL));
    CALL(INVALID_VALUE, clCompileProgram(o.source, 0, NULL, NULL, 0, NULL, names, NULL, NULL));
    CALL(INVALID_DEVICE,
         clCompileProgram(o.source, 1, &no_device, NULL, 0, NULL, NULL, NULL, NULL));
    CALL(INVALID_COMPILER_OPTIONS,
         clCompileProgram(o.source, 0, NULL, "-bad", 0, NULL, NULL, NULL, NULL));
    CALL(INVALID_OPERATION, clCompileProgram(o.program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    objects_release(&o);
}

static void links(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_context x = o.c.context, no_context = AS(cl_context, o.buffer);
    cl_device_id device = o.c.device, no_device = AS(cl_device_id, o.buffer);
    cl_program no_program = AS(cl_program, o.buffer);
    const size_t one = 1;
    MAKES(INVALID_CONTEXT,
          clLinkProgram(no_context, 0, NULL, NULL, 1, &o.source, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clLinkProgram(x, 1, NULL, NULL, 1, &o.source, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clLinkProgram(x, 0, &device, NULL, 1, &o.source, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clLinkProgram(x, 0, NULL, NULL, 0, &o.source, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clLinkProgram(x, 0, NULL, NULL, 1, NULL, NULL, NULL, &code));
    MAKES(INVALID_VALUE, clLinkProgram(x, 0, NULL, NULL, 1, &o.source, NULL, &o, &code));
    MAKES(INVALID_PROGRAM, clLinkProgram(x, 0, NULL, NULL, 1, &no_program, NULL, NULL, &code));
    MAKES(INVALID_DEVICE, clLinkProgram(x, 1, &no_device, NULL, 1, &o.source, NULL, NULL, &code));
    MAKES(INVALID_OPERATION,
          clLinkProgram(x, 0, NULL, NULL, 1, &o.source, program_done, NULL, &code));
    CALL(INVALID_PROGRAM, clSetProgramSpecializationConstant(no_program, 0, 4, &one));
    CALL(INVALID_PROGRAM, clSetProgramSpecializationConstant(o.source, 0, 4, &one));
    objects_release(&o);
}

static void kernels(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_kernel no_kernel = AS(cl_kernel, o.buffer), two[2];
    const cl_bool enabled = CL_TRUE, disabled = CL_FALSE;
    const size_t one = 1, offset = SIZE_MAX, most[] = {4096, 2}, large = 4097;
    MAKES(INVALID_PROGRAM, clCreateKernel(AS(cl_program, o.buffer), "k", &code));
    MAKES(INVALID_PROGRAM_EXECUTABLE, clCreateKernel(o.source, "k", &code));
    MAKES(INVALID_VALUE, clCreateKernel(o.program, NULL, &code));
    MAKES(INVALID_KERNEL_NAME, clCreateKernel(o.program, "absent", &code));
    CALL(INVALID_PROGRAM, clCreateKernelsInProgram(AS(cl_program, o.buffer), 2, two, NULL));
    CALL(INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(o.source, 2, two, NULL));
    CALL(INVALID_VALUE, clCreateKernelsInProgram(o.program, 0, two, NULL));
    MAKES(INVALID_KERNEL, clCloneKernel(no_kernel, &code));
    CALL(INVALID_KERNEL, clSetKernelArg(no_kernel, 0, sizeof(cl_mem), &o.buffer));
    CALL(INVALID_KERNEL, clSetKernelArgSVMPointer(no_kernel, 0, o.svm));
    CALL(INVALID_ARG_INDEX, clSetKernelArgSVMPointer(o.kernel, 3, o.svm));
    CALL(INVALID_ARG_VALUE, clSetKernelArgSVMPointer(o.kernel, 0, &o));
    CALL(INVALID_KERNEL,
         clSetKernelExecInfo(no_kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof o.svm, &o.svm));
    CALL(INVALID_VALUE, clSetKernelExecInfo(o.kernel, 0, sizeof o.svm, &o.svm));
    CALL(INVALID_VALUE,
         clSetKernelExecInfo(o.kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof o.svm, NULL));
    CALL(INVALID_VALUE, clSetKernelExecInfo(o.kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 3, &o.svm));
    CALL(INVALID_VALUE,
         clSetKernelExecInfo(o.kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 3, &enabled));
    CALL(INVALID_OPERATION, clSetKernelExecInfo(o.kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                                sizeof enabled, &enabled));
    CALL(SUCCESS, clSetKernelExecInfo(o.kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                      sizeof disabled, &disabled));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueNDRangeKernel(AS(cl_command_queue, o.buffer), o.kernel, 1,
                                                       NULL, &one, NULL, 0, NULL, NULL));
    CALL(INVALID_KERNEL,
         clEnqueueNDRangeKernel(o.c.queue, no_kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    CALL(INVALID_KERNEL_ARGS,
         clEnqueueNDRangeKernel(o.c.queue, o.kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    assert_cl(clSetKernelArg(o.kernel, 0, sizeof(cl_mem), &o.buffer));
    assert_cl(clSetKernelArg(o.kernel, 1, sizeof(cl_int), &(cl_int){1}));
    assert_cl(clSetKernelArg(o.kernel, 2, 4, NULL));
    CALL(INVALID_GLOBAL_OFFSET,
         clEnqueueNDRangeKernel(o.c.queue, o.kernel, 1, &offset, &one, NULL, 0, NULL, NULL));
    CALL(INVALID_WORK_GROUP_SIZE,
         clEnqueueNDRangeKernel(o.c.queue, o.kernel, 2, NULL, most, most, 0, NULL, NULL));
    CALL(INVALID_WORK_ITEM_SIZE,
         clEnqueueNDRangeKernel(o.c.queue, o.kernel, 1, NULL, &large, &large, 0, NULL, NULL));
    CALL(INVALID_EVENT_WAIT_LIST,
         clEnqueueNDRangeKernel(o.c.queue, o.kernel, 1, NULL, &one, NULL, 1, NULL, NULL));
    CALL(INVALID_KERNEL, clEnqueueTask(o.c.queue, no_kernel, 0, NULL, NULL));
    CALL(INVALID_OPERATION,
         clEnqueueNativeKernel(o.c.queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    objects_release(&o);
}

static void shared_memory(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_command_queue q = o.c.queue, no_queue = AS(cl_command_queue, o.buffer);
    void *pointers[] = {o.svm, NULL};
    cl_uint count = 1;
    assert_null(clSVMAlloc(AS(cl_context, o.buffer), 0, 4, 0));
    assert_null(clSVMAlloc(o.c.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, 0));
    assert_null(clSVMAlloc(o.c.context, CL_MEM_SVM_ATOMICS, 4,
                           0)); /* without CL_MEM_SVM_FINE_GRAIN_BUFFER */
    assert_null(clSVMAlloc(o.c.context, 0, 0, 0));
    assert_null(clSVMAlloc(o.c.context, 0, 4, 24));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueSVMFree(no_queue, 1, pointers, NULL, NULL, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMFree(q, 0, pointers, NULL, NULL, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMFree(q, 1, NULL, NULL, NULL, 0, NULL, NULL));
    CALL(SUCCESS, clEnqueueSVMFree(q, 0, NULL, NULL, NULL, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE,
         clEnqueueSVMMemcpy(no_queue, CL_TRUE, o.svm, &count, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemcpy(q, CL_TRUE, NULL, &count, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemcpy(q, CL_TRUE, o.svm, NULL, 4, 0, NULL, NULL));
    CALL(MEM_COPY_OVERLAP,
         clEnqueueSVMMemcpy(q, CL_TRUE, o.svm, (char *)o.svm + 3, 4, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueSVMMemFill(no_queue, o.svm, &count, 4, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, NULL, &count, 4, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, (char *)o.svm + 2, &count, 4, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, o.svm, NULL, 4, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, o.svm, &count, 0, 8, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, o.svm, &count, 3, 9, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMemFill(q, o.svm, &count, 4, 6, 0, NULL, NULL));
    objects_release(&o);
}

static void maps_of_shared_memory(void **state)
{
    (void)state;
    objects o = objects_make();
    cl_command_queue q = o.c.queue, no_queue = AS(cl_command_queue, o.buffer);
    const void *const_pointers[] = {o.svm};
    const size_t size = 257;
    cl_uint count = 1;
    CALL(INVALID_COMMAND_QUEUE,
         clEnqueueSVMMap(no_queue, CL_TRUE, CL_MAP_READ, o.svm, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, o.svm, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMap(q, CL_TRUE, 1 << 9, o.svm, 4, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(no_queue, o.svm, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMUnmap(q, NULL, 0, NULL, NULL));
    CALL(INVALID_COMMAND_QUEUE,
         clEnqueueSVMMigrateMem(no_queue, 1, const_pointers, NULL, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMigrateMem(q, 0, const_pointers, NULL, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMigrateMem(q, 1, NULL, NULL, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMigrateMem(q, 1, const_pointers, &size, 0, 0, NULL, NULL));
    CALL(INVALID_VALUE, clEnqueueSVMMigrateMem(q, 1, const_pointers, NULL, 1 << 9, 0, NULL, NULL));
    CALL(INVALID_CONTEXT, clGetSupportedImageFormats(AS(cl_context, o.buffer), 0,
                                                     CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    CALL(INVALID_VALUE,
         clGetSupportedImageFormats(o.c.context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
    CALL(INVALID_VALUE, clGetSupportedImageFormats(o.c.context, 0, CL_MEM_OBJECT_IMAGE2D, 0,
                                                   &(cl_image_format){0}, &count));
    CALL(SUCCESS,
         clGetSupportedImageFormats(o.c.context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    assert_int_equal(count, 0);
    objects_release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platform_and_device),
        cmocka_unit_test(contexts_and_queues),
        cmocka_unit_test(buffers),
        cmocka_unit_test(arguments_and_ranges),
        cmocka_unit_test(wait_lists),
        cmocka_unit_test(optional_features),
        cmocka_unit_test(released_objects),
        cmocka_unit_test(queries),
        cmocka_unit_test(queries_of_programs),
        cmocka_unit_test(queries_of_sub_groups_and_events),
        cmocka_unit_test(objects_and_events),
        cmocka_unit_test(queues_and_events),
        cmocka_unit_test(sub_buffers),
        cmocka_unit_test(transfers),
        cmocka_unit_test(rectangles),
        cmocka_unit_test(copies_and_fills),
        cmocka_unit_test(maps),
        cmocka_unit_test(programs),
        cmocka_unit_test(builds),
        cmocka_unit_test(links),
        cmocka_unit_test(kernels),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(maps_of_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
