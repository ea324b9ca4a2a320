/* The fake declared in fake_opencl.h.  A command is done when its enqueue returns, unless
 * `event_status` says otherwise; such a command ends when its event is released. */
#include "backends/opencl/test/fake_opencl.h"

#include <CL/cl_ext.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static fake_opencl fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *fake_control(void)
{
    return &fake;
}

/* One struct serves every kind of object: the fake counts objects rather than modelling them. */
typedef struct object {
    unsigned char *bytes; /* a buffer's */
    bool is_part;         /* the bytes are another buffer's */
    size_t size;
    unsigned char argument; /* of a kernel: first byte of argument 0 */
    struct object *target;  /* of a kernel: argument 1 if it is a buffer, */
    unsigned char *pointer; /* or if it is a pointer */
    cl_int status;          /* an event's */
    void(CL_CALLBACK *notify)(cl_event, cl_int, void *);
    void *user;
} object;

static int device_dummy, platform_dummy;

static void object_end(void *pointer)
{
    object *released = pointer;
    if (released->notify) released->notify(NULL, CL_COMPLETE, released->user);
    if (!released->is_part) free(released->bytes);
    fake_script_end(&fake.script, released);
}

/* Begins a function that returns a result. */
#define CALL(name)                                                                                 \
    pthread_mutex_lock(&lock);                                                                     \
    bool failing = fake_script_fails(&fake.script, name);                                          \
    cl_int result = failing ? fake.script.fail_with : CL_SUCCESS

#define RETURN                                                                                     \
    pthread_mutex_unlock(&lock);                                                                   \
    return result

/* The body of a function that creates an object. */
static void *create(const char *name, cl_int *out_result)
{
    pthread_mutex_lock(&lock);
    void *created = NULL;
    bool failing = fake_script_fails(&fake.script, name);
    *out_result = failing ? fake.script.fail_with : CL_SUCCESS;
    if (!failing) created = fake_script_make(&fake.script, sizeof(object));
    pthread_mutex_unlock(&lock);
    return created;
}

/* The body of a function that releases an object, which it does even when it "fails". */
static cl_int release(const char *name, void *released)
{
    CALL(name);
    object_end(released);
    RETURN;
}

/* Answers an info query; a `size` of 0 only queries the size. */
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

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info info, size_t size, void *out,
                         size_t *out_size)
{
    (void)platform, (void)info;
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

static void device_answer(cl_device_info info, size_t size, void *out, size_t *out_size)
{
    const cl_ulong local_size = 4096;
    const cl_device_fp_config fp64 = CL_FP_FMA;
    const size_t group_size = 256;
    static const size_t sub_group_sizes[] = {4, 64};
    const cl_command_queue_properties queues =
        CL_QUEUE_PROFILING_ENABLE |
        (fake.out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    const cl_uint alignment_bits = 1024;
    const cl_device_unified_shared_memory_capabilities_intel usm =
        info == fake.usm_lacking ? 0 : CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
    switch (info) {
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
        answer(&usm, sizeof usm, size, out, out_size);
        break;
    case CL_DEVICE_VERSION: answer_text(fake.version, size, out, out_size); break;
    case CL_DEVICE_NAME: answer_text("Fake Device", size, out, out_size); break;
    case CL_DRIVER_VERSION: answer_text("7.1", size, out, out_size); break;
    case CL_DEVICE_EXTENSIONS: answer_text(fake.extensions, size, out, out_size); break;
    case CL_DEVICE_IL_VERSION: answer_text(fake.il_version, size, out, out_size); break;
    case CL_DEVICE_ADDRESS_BITS:
        answer(&fake.address_bits, sizeof fake.address_bits, size, out, out_size);
        break;
    case CL_DEVICE_TYPE: answer(&fake.type, sizeof fake.type, size, out, out_size); break;
    case CL_DEVICE_VENDOR_ID:
        answer(&fake.vendor_id, sizeof fake.vendor_id, size, out, out_size);
        break;
    case CL_DEVICE_COMPILER_AVAILABLE:
        answer(&fake.compiler, sizeof fake.compiler, size, out, out_size);
        break;
    case CL_DEVICE_LINKER_AVAILABLE:
        answer(&fake.linker, sizeof fake.linker, size, out, out_size);
        break;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        answer(&alignment_bits, sizeof alignment_bits, size, out, out_size);
        break;
    case CL_DEVICE_LOCAL_MEM_SIZE:
        answer(&local_size, sizeof local_size, size, out, out_size);
        break;
    case CL_DEVICE_DOUBLE_FP_CONFIG: answer(&fp64, sizeof fp64, size, out, out_size); break;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        answer(&group_size, sizeof group_size, size, out, out_size);
        break;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
        answer(sub_group_sizes, sizeof sub_group_sizes, size, out, out_size);
        break;
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
        answer(&fake.variable_size_max, sizeof fake.variable_size_max, size, out, out_size);
        break;
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
        answer(&fake.non_uniform, sizeof fake.non_uniform, size, out, out_size);
        break;
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
        answer(&fake.sub_groups_max, sizeof fake.sub_groups_max, size, out, out_size);
        break;
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
        answer(&queues, sizeof queues, size, out, out_size);
        break;
    default: abort(); /* a query that the fake does not support yet */
    }
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info info, size_t size, void *out,
                       size_t *out_size)
{
    (void)device;
    CALL("clGetDeviceInfo");
    if (!failing) device_answer(info, size, out, out_size);
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
    object *created = create("clCreateBuffer", out_result);
    if (!created) return NULL;
    created->bytes = calloc(1, size);
    created->size = size;
    return (cl_mem)(void *)created;
}

cl_mem clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *create_info, cl_int *out_result)
{
    (void)flags;
    const cl_buffer_region *region = create_info;
    if (type != CL_BUFFER_CREATE_TYPE_REGION) abort();
    object *created = create("clCreateSubBuffer", out_result);
    if (!created) return NULL;
    created->bytes = ((object *)(void *)whole)->bytes + region->origin;
    created->size = region->size;
    created->is_part = true;
    return (cl_mem)(void *)created;
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

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                     const size_t *lengths, cl_int *out_result)
{
    (void)context;
    if (count != 1 || !texts[0] || lengths[0] >= sizeof fake.source) abort();
    memcpy(fake.source, texts[0], lengths[0]);
    fake.source[lengths[0]] = '\0';
    return create("clCreateProgramWithSource", out_result);
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size,
                                          const void *value)
{
    (void)program;
    CALL("clSetProgramSpecializationConstant");
    if (!failing && id != 7)
        result = CL_INVALID_SPEC_ID;
    else if (!failing && size != sizeof fake.constant)
        result = CL_INVALID_VALUE;
    else if (!failing)
        memcpy(&fake.constant, value, sizeof fake.constant);
    RETURN;
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

/* As real linkers do, returns a program with a log when linking fails. */
cl_program clLinkProgram(cl_context context, cl_uint device_count, const cl_device_id *devices,
                         const char *options, cl_uint count, const cl_program *programs,
                         void (*notify)(cl_program, void *), void *user, cl_int *out_result)
{
    (void)context, (void)device_count, (void)devices, (void)count, (void)programs;
    (void)notify, (void)user;
    options_keep(options);
    void *created = create("clLinkProgram", out_result);
    pthread_mutex_lock(&lock);
    if (!created && *out_result == CL_LINK_PROGRAM_FAILURE)
        created = fake_script_make(&fake.script, sizeof(object));
    pthread_mutex_unlock(&lock);
    return created;
}

/* A program's binary is the five bytes "built", or empty. */
cl_int clGetProgramInfo(cl_program program, cl_program_info info, size_t size, void *out,
                        size_t *out_size)
{
    (void)program;
    static const char built[] = {'b', 'u', 'i', 'l', 't'};
    CALL("clGetProgramInfo");
    size_t length = fake.no_binary ? 0 : sizeof built;
    if (!failing && info == CL_PROGRAM_BINARY_SIZES)
        answer(&length, sizeof length, size, out, out_size);
    if (!failing && info == CL_PROGRAM_BINARIES) memcpy(*(char **)out, built, sizeof built);
    RETURN;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info info,
                             size_t size, void *out, size_t *out_size)
{
    (void)program, (void)device;
    CALL("clGetProgramBuildInfo");
    if (!failing && info == CL_PROGRAM_BINARY_TYPE)
        answer(&fake.binary_type, sizeof fake.binary_type, size, out, out_size);
    else if (!failing)
        answer_text(fake.log, size, out, out_size);
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

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info info, size_t size, void *out,
                       size_t *out_size)
{
    (void)kernel, (void)info;
    CALL("clGetKernelInfo");
    const cl_uint two = 2;
    if (!failing) answer(&two, sizeof two, size, out, out_size);
    RETURN;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info info, size_t size, void *out,
                                size_t *out_size)
{
    (void)kernel, (void)device, (void)info;
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
        target->pointer = NULL;
        if (size != sizeof(cl_mem))
            result = CL_INVALID_ARG_SIZE;
        else if (value)
            memcpy(&target->target, value, sizeof target->target);
    }
    RETURN;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info info, size_t size,
                           const void *value)
{
    (void)kernel;
    CALL("clSetKernelExecInfo");
    if (info < CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL ||
        info > CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL || size != sizeof(cl_bool) ||
        *(const cl_bool *)value != CL_TRUE)
        abort();
    if (!failing) fake.permissions++;
    RETURN;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    return release("clReleaseKernel", kernel);
}

/* Ends an enqueue and releases the lock, which the caller holds. */
static cl_int enqueue_end(bool failing, cl_int result, cl_event *out_event)
{
    if (!failing) {
        object *event = fake_script_make(&fake.script, sizeof(object));
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
    unsigned char *target = launched->target ? launched->target->bytes : NULL;
    if (launched->pointer) target = launched->pointer;
    if (!failing && target) *target = launched->argument;
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

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t offset, size_t size, cl_uint wait_count,
                         const cl_event *wait, cl_event *out_event, cl_int *out_result)
{
    (void)queue, (void)blocking, (void)flags, (void)size, (void)wait_count, (void)wait;
    CALL("clEnqueueMapBuffer");
    *out_result = enqueue_end(failing, result, out_event);
    return failing ? NULL : ((object *)(void *)buffer)->bytes + offset;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *pointer,
                               cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    const object *mapped = (const object *)(const void *)buffer;
    if ((unsigned char *)pointer < mapped->bytes) abort();
    CALL("clEnqueueUnmapMemObject");
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint wait_count, const cl_event *wait,
                                   cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    CALL("clEnqueueMarkerWithWaitList");
    return enqueue_end(failing, result, out_event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint wait_count,
                                    const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    CALL("clEnqueueBarrierWithWaitList");
    return enqueue_end(failing, result, out_event);
}

cl_event clCreateUserEvent(cl_context context, cl_int *out_result)
{
    (void)context;
    object *event = create("clCreateUserEvent", out_result);
    if (event) event->status = CL_SUBMITTED;
    return (cl_event)(void *)event;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
    CALL("clSetUserEventStatus");
    object *target = (object *)(void *)event;
    if (result == CL_SUCCESS && target->status != CL_SUBMITTED) result = CL_INVALID_OPERATION;
    if (result == CL_SUCCESS) target->status = status;
    RETURN;
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

cl_int clGetEventInfo(cl_event event, cl_event_info info, size_t size, void *out, size_t *out_size)
{
    (void)info;
    CALL("clGetEventInfo");
    const cl_int status = ((const object *)(const void *)event)->status;
    if (!failing) answer(&status, sizeof status, size, out, out_size);
    RETURN;
}

/* A command is queued at 10, begins at 20 (0 where `times_reversed`) and ends at 30. */
cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info info, size_t size, void *out,
                               size_t *out_size)
{
    (void)event;
    CALL("clGetEventProfilingInfo");
    const cl_ulong begin = fake.times_reversed ? 0 : 20;
    const cl_ulong time = info == CL_PROFILING_COMMAND_QUEUED  ? 10
                          : info == CL_PROFILING_COMMAND_START ? begin
                                                               : 30;
    if (!failing) answer(&time, sizeof time, size, out, out_size);
    RETURN;
}

cl_int clReleaseEvent(cl_event event)
{
    return release("clReleaseEvent", event);
}

cl_int clSetEventCallback(cl_event event, cl_int status,
                          void(CL_CALLBACK *notify)(cl_event, cl_int, void *), void *user)
{
    CALL("clSetEventCallback");
    object *target = (object *)(void *)event;
    if (status != CL_COMPLETE) abort();
    if (result == CL_SUCCESS) { /* a driver that reports success does call back */
        target->notify = notify;
        target->user = user;
    }
    RETURN;
}

/* ---- Entry points of extensions ----------------------------------------------------------- */

/* Bytes before a returned pointer, which identify its object when it is freed. */
enum { HEAD = 128 };

static void *usm_make(const char *name, size_t size, cl_int *out_result)
{
    object *created = create(name, out_result);
    if (!created) return NULL;
    created->bytes = aligned_alloc(HEAD, HEAD + (size + HEAD - 1) / HEAD * HEAD);
    if (!created->bytes) abort();
    memcpy(created->bytes, &created, sizeof created);
    return created->bytes + HEAD;
}

static void *host_allocate(cl_context context, const cl_mem_properties_intel *properties,
                           size_t size, cl_uint alignment, cl_int *out_result)
{
    (void)context, (void)properties, (void)alignment;
    return usm_make("clHostMemAllocINTEL", size, out_result);
}

static void *device_allocate(cl_context context, cl_device_id device,
                             const cl_mem_properties_intel *properties, size_t size,
                             cl_uint alignment, cl_int *out_result)
{
    (void)context, (void)device, (void)properties, (void)alignment;
    return usm_make("clDeviceMemAllocINTEL", size, out_result);
}

static void *shared_allocate(cl_context context, cl_device_id device,
                             const cl_mem_properties_intel *properties, size_t size,
                             cl_uint alignment, cl_int *out_result)
{
    (void)context, (void)device, (void)properties, (void)alignment;
    return usm_make("clSharedMemAllocINTEL", size, out_result);
}

static cl_int blocking_free(cl_context context, void *pointer)
{
    (void)context;
    object *released;
    memcpy(&released, (char *)pointer - HEAD, sizeof released);
    return release("clMemBlockingFreeINTEL", released);
}

static cl_int pointer_set(cl_kernel kernel, cl_uint index, const void *value)
{
    CALL("clSetKernelArgMemPointerINTEL");
    object *target = (object *)(void *)kernel;
    if (index != 1) result = CL_INVALID_ARG_INDEX;
    if (!failing && index == 1) memcpy(&target->pointer, &value, sizeof value);
    RETURN;
}

static cl_int pointer_fill(cl_command_queue queue, void *to, const void *pattern,
                           size_t pattern_size, size_t size, cl_uint wait_count,
                           const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)wait_count, (void)wait;
    CALL("clEnqueueMemFillINTEL");
    if (!failing && (uintptr_t)to % pattern_size != 0)
        abort(); /* real drivers refuse such an
                  * address */
    for (size_t done = 0; !failing && done < size; done += pattern_size)
        memcpy((char *)to + done, pattern, pattern_size);
    return enqueue_end(failing, result, out_event);
}

static cl_int pointer_copy(cl_command_queue queue, cl_bool blocking, void *to, const void *from,
                           size_t size, cl_uint wait_count, const cl_event *wait,
                           cl_event *out_event)
{
    (void)queue, (void)blocking, (void)wait_count, (void)wait;
    CALL("clEnqueueMemcpyINTEL");
    if (!failing) memcpy(to, from, size);
    return enqueue_end(failing, result, out_event);
}

static cl_int variable_find(cl_device_id device, cl_program program, const char *name,
                            size_t *out_size, void **out_pointer)
{
    (void)device, (void)program;
    CALL("clGetDeviceGlobalVariablePointerINTEL");
    if (!failing && strcmp(name, "counter") != 0)
        result = CL_INVALID_ARG_VALUE;
    else if (!failing) {
        *out_size = fake.variable_size;
        *out_pointer = fake.variable;
    }
    RETURN;
}

static cl_int variable_read(cl_command_queue queue, cl_program program, const char *name,
                            cl_bool blocking, size_t size, size_t offset, void *to,
                            cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)program, (void)blocking, (void)wait_count, (void)wait;
    CALL("clEnqueueReadGlobalVariableINTEL");
    if (strcmp(name, "counter") != 0 || offset + size > sizeof fake.variable) abort();
    if (!failing) memcpy(to, fake.variable + offset, size);
    return enqueue_end(failing, result, out_event);
}

static cl_int variable_write(cl_command_queue queue, cl_program program, const char *name,
                             cl_bool blocking, size_t size, size_t offset, const void *from,
                             cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    (void)queue, (void)program, (void)blocking, (void)wait_count, (void)wait;
    CALL("clEnqueueWriteGlobalVariableINTEL");
    if (strcmp(name, "counter") != 0 || offset + size > sizeof fake.variable) abort();
    if (!failing) memcpy(fake.variable + offset, from, size);
    return enqueue_end(failing, result, out_event);
}

static void function_find(void) {}

void *clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    static const struct {
        const char *name;
        void (*call)(void);
    } entries[] = {
        {"clHostMemAllocINTEL", (void (*)(void))host_allocate},
        {"clDeviceMemAllocINTEL", (void (*)(void))device_allocate},
        {"clSharedMemAllocINTEL", (void (*)(void))shared_allocate},
        {"clMemBlockingFreeINTEL", (void (*)(void))blocking_free},
        {"clSetKernelArgMemPointerINTEL", (void (*)(void))pointer_set},
        {"clEnqueueMemFillINTEL", (void (*)(void))pointer_fill},
        {"clEnqueueMemcpyINTEL", (void (*)(void))pointer_copy},
        {"clGetDeviceGlobalVariablePointerINTEL", (void (*)(void))variable_find},
        {"clEnqueueReadGlobalVariableINTEL", (void (*)(void))variable_read},
        {"clEnqueueWriteGlobalVariableINTEL", (void (*)(void))variable_write},
        {"clGetDeviceFunctionPointerINTEL", function_find}, /* never called */
    };
    (void)platform;
    pthread_mutex_lock(&lock);
    bool failing = fake_script_fails(&fake.script, "clGetExtensionFunctionAddressForPlatform");
    pthread_mutex_unlock(&lock);
    if (failing || !fake.gives_extensions) return NULL;
    if (fake.withheld && strcmp(fake.withheld, name) == 0) return NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found;
        memcpy(&found, &entries[i].call, sizeof found);
        if (strcmp(entries[i].name, name) == 0) return found;
    }
    return NULL;
}
