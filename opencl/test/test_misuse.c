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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
