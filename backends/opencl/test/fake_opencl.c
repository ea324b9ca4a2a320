/* The fake of fake_opencl.h.  Commands are done when their enqueue returns. */
#include "backends/opencl/test/fake_opencl.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static fake_opencl fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

fake_opencl *fake_opencl_control(void)
{
    return &fake;
}

/* One struct for every kind of object: the fake keeps counts, not semantics. */
typedef struct object {
    unsigned char *bytes; /* a buffer's */
    size_t size;
    unsigned char argument; /* a kernel's: first byte of argument 0, buffer of argument 1 */
    struct object *target;
    cl_int status; /* an event's */
} object;

static int device_dummy, platform_dummy;

static void *object_make(void)
{
    object *made = calloc(1, sizeof *made);
    if (!made) abort();
    fake.live++;
    return made;
}

static void object_end(void *pointer)
{
    object *gone = pointer;
    fake.live--;
    free(gone->bytes);
    free(gone);
}

/* Records a call and says whether it is to fail. */
static bool fails(const char *name)
{
    size_t used = strlen(fake.trace), length = strlen(name);
    if (used + length + 2 < sizeof fake.trace) {
        memcpy(fake.trace + used, name, length);
        fake.trace[used + length] = ' ';
        fake.trace[used + length + 1] = '\0';
    }
    fake.calls++;
    return fake.calls == fake.fail_at || (fake.fail_call && strcmp(fake.fail_call, name) == 0);
}

/* Begins a call that returns a result. */
#define CALL(name)                                                                                 \
    pthread_mutex_lock(&lock);                                                                     \
    bool failing = fails(name);                                                                    \
    cl_int result = failing ? fake.fail_with : CL_SUCCESS

#define RETURN                                                                                     \
    pthread_mutex_unlock(&lock);                                                                   \
    return result

/* The whole of a call that makes an object. */
static void *create(const char *name, cl_int *out_result)
{
    pthread_mutex_lock(&lock);
    void *made = NULL;
    bool failing = fails(name);
    *out_result = failing ? fake.fail_with : CL_SUCCESS;
    if (!failing) made = object_make();
    pthread_mutex_unlock(&lock);
    return made;
}

/* The whole of a call that ends one; it ends it also when it "fails". */
static cl_int release(const char *name, void *gone)
{
    CALL(name);
    object_end(gone);
    RETURN;
}

/* Answers an info query; `size` 0 asks for the size only. */
static void answer(const void *value, size_t value_size, size_t size, void *out, size_t *out_size)
{
    if (out_size) *out_size = value_size;
    if (out) memcpy(out, value, value_size < size ? value_size : size);
}

static void answer_text(const char *text, size_t size, void *out, size_t *out_size)
{
    answer(text, strlen(text) + 1, size, out, out_size);
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    CALL("clGetPlatformIDs");
    if (!failing && room > 0) platforms[0] = (cl_platform_id)(void *)&platform_dummy;
    *count = failing ? 0 : 1;
    RETURN;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *out,
                         size_t *out_size)
{
    (void)platform, (void)what;
    CALL("clGetPlatformInfo");
    if (!failing) answer_text("Fake Platform, Inc", size, out, out_size);
    RETURN;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                      cl_device_id *devices, cl_uint *count)
{
    (void)platform, (void)type;
    CALL("clGetDeviceIDs");
    if (fake.no_devices && !failing) result = CL_DEVICE_NOT_FOUND;
    if (result == CL_SUCCESS && !failing && room > 0) {
        devices[0] = (cl_device_id)(void *)&device_dummy;
        *count = 1;
    }
    RETURN;
}

static void device_answer(cl_device_info what, size_t size, void *out, size_t *out_size)
{
    const cl_ulong local_size = 4096;
    const cl_device_fp_config fp64 = CL_FP_FMA;
    const size_t group_size = 256;
    const cl_command_queue_properties queues =
        fake.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0;
    switch (what) {
    case CL_DEVICE_NAME: answer_text("Fake Device", size, out, out_size); break;
    case CL_DRIVER_VERSION: answer_text("7.1", size, out, out_size); break;
    case CL_DEVICE_EXTENSIONS: answer_text(fake.extensions, size, out, out_size); break;
    case CL_DEVICE_IL_VERSION: answer_text(fake.il_version, size, out, out_size); break;
    case CL_DEVICE_ADDRESS_BITS:
        answer(&fake.address_bits, sizeof fake.address_bits, size, out, out_size);
        break;
    case CL_DEVICE_COMPILER_AVAILABLE:
        answer(&fake.compiler, sizeof fake.compiler, size, out, out_size);
        break;
    case CL_DEVICE_LINKER_AVAILABLE:
        answer(&fake.linker, sizeof fake.linker, size, out, out_size);
        break;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        answer(&local_size, sizeof local_size, size, out, out_size);
        break;
    case CL_DEVICE_DOUBLE_FP_CONFIG: answer(&fp64, sizeof fp64, size, out, out_size); break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        answer(&group_size, sizeof group_size, size, out, out_size);
        break;
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        answer(&queues, sizeof queues, size, out, out_size);
        break;
    default: abort(); /* a question that the fake does not know yet */
    }
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *out,
                       size_t *out_size)
{
    (void)device;
    CALL("clGetDeviceInfo");
    if (!failing) device_answer(what, size, out, out_size);
    RETURN;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void (*notify)(const char *, const void *, size_t, void *), void *user,
                           cl_int *out_result)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)user;
    return create("clCreateContext", out_result);
}

cl_int clReleaseContext(cl_context context)
{
    return release("clReleaseContext", context);
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                    const cl_queue_properties *properties,
                                                    cl_int *out_result)
{
    (void)context, (void)device;
    fake.queue_properties = properties[1];
    return create("clCreateCommandQueueWithProperties", out_result);
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    return release("clReleaseCommandQueue", queue);
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *out_result)
{
    (void)context, (void)flags, (void)host;
    object *made = create("clCreateBuffer", out_result);
    if (!made) return NULL;
    made->bytes = calloc(1, size);
    made->size = size;
    return (cl_mem)(void *)made;
}

cl_int clReleaseMemObject(cl_mem buffer)
{
    return release("clReleaseMemObject", buffer);
}

cl_program clCreateProgramWithIL(cl_context context, const void *code, size_t size,
                                 cl_int *out_result)
{
    (void)context, (void)code, (void)size;
    return create("clCreateProgramWithIL", out_result);
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *sizes, const unsigned char **binaries,
                                     cl_int *out_binary_result, cl_int *out_result)
{
    (void)context, (void)count, (void)devices, (void)binaries;
    fake.binary_size = (uint32_t)sizes[0];
    *out_binary_result = CL_SUCCESS;
    return create("clCreateProgramWithBinary", out_result);
}

static void options_keep(const char *options)
{
    size_t length = strlen(options);
    if (length >= sizeof fake.options) abort();
    memcpy(fake.options, options, length + 1);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *user)
{
    (void)program, (void)count, (void)devices, (void)notify, (void)user;
    CALL("clBuildProgram");
    options_keep(options);
    RETURN;
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                        const char *options, cl_uint header_count, const cl_program *headers,
                        const char **header_names, void (*notify)(cl_program, void *), void *user)
{
    (void)program, (void)count, (void)devices, (void)notify, (void)user;
    (void)header_count, (void)headers, (void)header_names;
    CALL("clCompileProgram");
    options_keep(options);
    RETURN;
}

/* As real linkers do, it gives a program with a log when it fails as a linker. */
cl_program clLinkProgram(cl_context context, cl_uint device_count, const cl_device_id *devices,
                         const char *options, cl_uint count, const cl_program *programs,
                         void (*notify)(cl_program, void *), void *user, cl_int *out_result)
{
    (void)context, (void)device_count, (void)devices, (void)count, (void)programs;
    (void)notify, (void)user;
    options_keep(options);
    void *made = create("clLinkProgram", out_result);
    pthread_mutex_lock(&lock);
    if (!made && *out_result == CL_LINK_PROGRAM_FAILURE) made = object_make();
    pthread_mutex_unlock(&lock);
    return made;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what,
                             size_t size, void *out, size_t *out_size)
{
    (void)program, (void)device, (void)what;
    CALL("clGetProgramBuildInfo");
    if (!failing) answer_text("undefined symbol: twice\n", size, out, out_size);
    RETURN;
}

cl_int clReleaseProgram(cl_program program)
{
    return release("clReleaseProgram", program);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *out_result)
{
    (void)program;
    if (strcmp(name, "missing") == 0) {
        *out_result = CL_INVALID_KERNEL_NAME;
        return NULL;
    }
    return create("clCreateKernel", out_result);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *out,
                       size_t *out_size)
{
    (void)kernel, (void)what;
    CALL("clGetKernelInfo");
    const cl_uint two = 2;
    if (!failing) answer(&two, sizeof two, size, out, out_size);
    RETURN;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t size, void *out,
                                size_t *out_size)
{
    (void)kernel, (void)device, (void)what;
    CALL("clGetKernelWorkGroupInfo");
    const size_t none[3] = {0};
    if (!failing) answer(none, sizeof none, size, out, out_size);
    RETURN;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    CALL("clSetKernelArg");
    object *target = (object *)(void *)kernel;
    if (!failing && index == 0 && value) target->argument = *(const unsigned char *)value;
    if (!failing && index == 1) {
        if (size != sizeof(cl_mem))
            result = CL_INVALID_ARG_SIZE;
        else if (value)
            memcpy(&target->target, value, sizeof target->target);
    }
    RETURN;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    return release("clReleaseKernel", kernel);
}

/* Ends an enqueue; the lock is held and released. */
static cl_int enqueue_end(bool failing, cl_int result, cl_event *out_event)
{
    if (!failing) {
        object *event = object_make();
        event->status = fake.event_status;
        *out_event = (cl_event)(void *)event;
    }
    RETURN;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)wait_count, (void)wait;
    CALL("clEnqueueNDRangeKernel");
    const object *launched = (const object *)(const void *)kernel;
    if (!failing && launched->target) launched->target->bytes[0] = launched->argument;
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t size, void *to, cl_uint wait_count, const cl_event *wait,
                           cl_event *out_event)
{
    (void)queue, (void)blocking, (void)wait_count, (void)wait;
    CALL("clEnqueueReadBuffer");
    if (!failing) memcpy(to, ((const object *)(const void *)buffer)->bytes + offset, size);
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                            size_t size, const void *from, cl_uint wait_count, const cl_event *wait,
                            cl_event *out_event)
{
    (void)queue, (void)blocking, (void)wait_count, (void)wait;
    CALL("clEnqueueWriteBuffer");
    if (!failing) memcpy(((object *)(void *)buffer)->bytes + offset, from, size);
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t size, cl_uint wait_count, const cl_event *wait,
                           cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    CALL("clEnqueueCopyBuffer");
    if (!failing)
        memcpy(((object *)(void *)to)->bytes + to_offset,
               ((const object *)(const void *)from)->bytes + from_offset, size);
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size, cl_uint wait_count,
                           const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    CALL("clEnqueueFillBuffer");
    for (size_t done = 0; !failing && done < size; done += pattern_size)
        memcpy(((object *)(void *)buffer)->bytes + offset + done, pattern, pattern_size);
    return enqueue_end(failing, result, out_event);
}

cl_int clFlush(cl_command_queue queue)
{
    (void)queue;
    CALL("clFlush");
    RETURN;
}

cl_int clFinish(cl_command_queue queue)
{
    (void)queue;
    CALL("clFinish");
    RETURN;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    CALL("clWaitForEvents");
    for (cl_uint i = 0; i < count && result == CL_SUCCESS; i++) {
        if (((const object *)(const void *)events[i])->status < 0)
            result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    RETURN;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *out, size_t *out_size)
{
    (void)what;
    CALL("clGetEventInfo");
    const cl_int status = ((const object *)(const void *)event)->status;
    if (!failing) answer(&status, sizeof status, size, out, out_size);
    RETURN;
}

cl_int clReleaseEvent(cl_event event)
{
    return release("clReleaseEvent", event);
}
