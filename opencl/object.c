/* The table of functions, the lock, and the lives of objects. */
#include "opencl/misuse.h"

#include "reference/base/hash.h"
#include "reference/base/map.h"

#include <pthread.h>
#include <string.h>

enum { GRAVES = 4096 }; /* dead objects that stay readable */

/* Recursive, because destructors that the program has registered may call the API. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static icd_object *graves[GRAVES];
static uint32_t grave;
static rt_map readable; /* by hashed address: 1 for an object, dead or alive; 0: freed */
static uint32_t numbers[ICD_KINDS];

void icd_lock(void)
{
    int failed = pthread_mutex_lock(&lock);
    CHECK(!failed);
}

void icd_unlock(void)
{
    int failed = pthread_mutex_unlock(&lock);
    CHECK(!failed);
}

static const char *const kind_names[ICD_KINDS] = {
    [ICD_DEAD] = "object",     [ICD_PLATFORM] = "platform", [ICD_DEVICE] = "device",
    [ICD_CONTEXT] = "context", [ICD_QUEUE] = "queue",       [ICD_MEMORY] = "buffer",
    [ICD_PROGRAM] = "program", [ICD_KERNEL] = "kernel",     [ICD_EVENT] = "event",
};

/* Programs pass all kinds of values as handles, so that none is read before it is known. */
static uint64_t address_key(const void *object)
{
    return rt_hash64(&object, sizeof object);
}

static bool is_readable(const void *object)
{
    return object == &icd_platform || object == &icd_device ||
           rt_map_find_number(&readable, address_key(object)) == 1;
}

static void object_free(icd_object *object)
{
    if (object) rt_map_set_number(&readable, address_key(object), 0);
    rt_free(object);
}

void *icd_object_create(size_t size, icd_kind kind)
{
    CHECK(size >= sizeof(icd_object) && kind > ICD_DEVICE && kind < ICD_KINDS);
    icd_object *object = rt_alloc(size);
    *object = (icd_object){.dispatch = &icd_dispatch,
                           .kind = kind,
                           .was = kind,
                           .number = ++numbers[kind],
                           .user_references = 1,
                           .references = 1};
    rt_map_set_number(&readable, address_key(object), 1);
    return object;
}

void *icd_reference(void *object)
{
    icd_object *base = object;
    if (!base) return NULL;
    CHECK(base->kind != ICD_DEAD && base->references >= 1);
    base->references++;
    return object;
}

static void parts_free(icd_object *object)
{
    switch (object->kind) {
    case ICD_CONTEXT: icd_context_free((cl_context)object); return;
    case ICD_QUEUE: icd_queue_free((cl_command_queue)object); return;
    case ICD_MEMORY: icd_memory_free((cl_mem)object); return;
    case ICD_PROGRAM: icd_program_free((cl_program)object); return;
    case ICD_KERNEL: icd_kernel_free((cl_kernel)object); return;
    case ICD_EVENT: icd_event_free((cl_event)object); return;
    default: UNREACHABLE();
    }
}

void icd_release(void *object)
{
    icd_object *base = object;
    if (!base) return;
    CHECK(base->references >= 1);
    if (--base->references > 0) return;
    CHECK(base->user_references == 0);
    parts_free(base);
    base->kind = ICD_DEAD;
    icd_object *evicted = graves[grave];
    graves[grave] = base;
    grave = (grave + 1) % GRAVES;
    if (evicted && evicted->watchers > 0)
        evicted->is_evicted = true;
    else
        object_free(evicted);
}

void *icd_watch(void *object)
{
    if (object) ((icd_object *)object)->watchers++;
    return object;
}

void icd_forget(void *object)
{
    icd_object *base = object;
    if (!base) return;
    CHECK(base->watchers >= 1);
    if (--base->watchers == 0 && base->is_evicted) object_free(base);
}

bool icd_is(const void *object, icd_kind kind, icd_call call)
{
    const icd_object *base = object;
    if (!is_readable(object) || base->was != kind) return false;
    if (base->user_references > 0) return true;
    icd_report_misuse(call, "use-after-release", (rt_text){0}, "%s %u has been released",
                      kind_names[kind], base->number);
    return false;
}

/* clRetain… and clRelease… of an object. */
static cl_int retain(void *object, icd_kind kind, cl_int invalid, icd_call call)
{
    if (!icd_is(object, kind, call))
        return icd_refuse(call, invalid, "expected a %s", kind_names[kind]);
    ((icd_object *)object)->user_references++;
    return CL_SUCCESS;
}

static cl_int release(void *object, icd_kind kind, cl_int invalid, icd_call call)
{
    if (!icd_is(object, kind, call))
        return icd_refuse(call, invalid, "expected a %s", kind_names[kind]);
    icd_object *base = object;
    if (--base->user_references > 0) return CL_SUCCESS;
    if (kind != ICD_EVENT) icd_misuse_release(call, kind_names[kind], base->number);
    icd_release(object);
    return CL_SUCCESS;
}

#define REFERENCES(Type, handle, kind, invalid)                                                    \
    CL_API_ENTRY cl_int CL_API_CALL clRetain##Type(handle object)                                  \
    {                                                                                              \
        ICD_ENTER;                                                                                 \
        return retain(object, kind, invalid, ICD_CALL);                                            \
    }                                                                                              \
    CL_API_ENTRY cl_int CL_API_CALL clRelease##Type(handle object)                                 \
    {                                                                                              \
        ICD_ENTER;                                                                                 \
        return release(object, kind, invalid, ICD_CALL);                                           \
    }

REFERENCES(Context, cl_context, ICD_CONTEXT, CL_INVALID_CONTEXT)
REFERENCES(MemObject, cl_mem, ICD_MEMORY, CL_INVALID_MEM_OBJECT)
REFERENCES(Program, cl_program, ICD_PROGRAM, CL_INVALID_PROGRAM)
REFERENCES(Event, cl_event, ICD_EVENT, CL_INVALID_EVENT)

CL_API_ENTRY cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue object)
{
    ICD_ENTER;
    return retain(object, ICD_QUEUE, CL_INVALID_COMMAND_QUEUE, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue object)
{
    ICD_ENTER;
    if (icd_is(object, ICD_QUEUE, ICD_CALL) && object->base.user_references == 1)
        icd_queue_advance(object);
    return release(object, ICD_QUEUE, CL_INVALID_COMMAND_QUEUE, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clRetainKernel(cl_kernel object)
{
    ICD_ENTER;
    return retain(object, ICD_KERNEL, CL_INVALID_KERNEL, ICD_CALL);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel object)
{
    ICD_ENTER;
    bool is_last = icd_is(object, ICD_KERNEL, ICD_CALL) && object->base.user_references == 1;
    /* A program without kernel objects may be built again, even while the kernel still runs. */
    if (is_last) object->program->kernel_objects--;
    return release(object, ICD_KERNEL, CL_INVALID_KERNEL, ICD_CALL);
}

/* ---- Answers ------------------------------------------------------------------------------ */

cl_int icd_answer(const void *value, size_t size, size_t capacity, void *out, size_t *out_size)
{
    if (out_size) *out_size = size;
    if (!out) return CL_SUCCESS;
    if (capacity < size) return CL_INVALID_VALUE;
    if (size > 0) memcpy(out, value, size);
    return CL_SUCCESS;
}

cl_int icd_answer_text(rt_text text, size_t capacity, void *out, size_t *out_size)
{
    if (out_size) *out_size = text.length + 1;
    if (!out) return CL_SUCCESS;
    if (capacity < text.length + 1) return CL_INVALID_VALUE;
    if (text.length > 0) memcpy(out, text.data, text.length);
    ((char *)out)[text.length] = '\0';
    return CL_SUCCESS;
}

cl_int icd_refuse(icd_call call, cl_int code, const char *format, ...)
{
    va_list arguments;
    rt_buffer reason = {0};
    va_start(arguments, format);
    rt_buffer_vprintf(&reason, format, arguments);
    va_end(arguments);
    icd_report_refusal(call, code, rt_buffer_text(&reason));
    rt_buffer_free(&reason);
    return code;
}

cl_int icd_code(rt_status status)
{
    switch ((rt_code)status.code) {
    case RT_OK: return CL_SUCCESS;
    case RT_ERRC_MEMORY_ALLOCATION: return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case RT_LIMIT:
    case RT_BUDGET: return CL_OUT_OF_RESOURCES;
    case RT_ERRC_ND_RANGE: return CL_INVALID_WORK_GROUP_SIZE;
    case RT_ERRC_KERNEL_ARGUMENT: return CL_INVALID_KERNEL_ARGS;
    case RT_DRIVER_ERROR: return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    case RT_UNAVAILABLE: return CL_DEVICE_NOT_AVAILABLE;
    default: return CL_OUT_OF_RESOURCES;
    }
}

const char *icd_code_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } rows[] = {
#define ROW(name) {CL_##name, "CL_" #name}
        ROW(SUCCESS),
        ROW(DEVICE_NOT_FOUND),
        ROW(DEVICE_NOT_AVAILABLE),
        ROW(COMPILER_NOT_AVAILABLE),
        ROW(MEM_OBJECT_ALLOCATION_FAILURE),
        ROW(OUT_OF_RESOURCES),
        ROW(OUT_OF_HOST_MEMORY),
        ROW(PROFILING_INFO_NOT_AVAILABLE),
        ROW(MEM_COPY_OVERLAP),
        ROW(IMAGE_FORMAT_NOT_SUPPORTED),
        ROW(BUILD_PROGRAM_FAILURE),
        ROW(MISALIGNED_SUB_BUFFER_OFFSET),
        ROW(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        ROW(COMPILE_PROGRAM_FAILURE),
        ROW(LINKER_NOT_AVAILABLE),
        ROW(LINK_PROGRAM_FAILURE),
        ROW(DEVICE_PARTITION_FAILED),
        ROW(KERNEL_ARG_INFO_NOT_AVAILABLE),
        ROW(INVALID_VALUE),
        ROW(INVALID_DEVICE_TYPE),
        ROW(INVALID_PLATFORM),
        ROW(INVALID_DEVICE),
        ROW(INVALID_CONTEXT),
        ROW(INVALID_QUEUE_PROPERTIES),
        ROW(INVALID_COMMAND_QUEUE),
        ROW(INVALID_HOST_PTR),
        ROW(INVALID_MEM_OBJECT),
        ROW(INVALID_IMAGE_SIZE),
        ROW(INVALID_SAMPLER),
        ROW(INVALID_BINARY),
        ROW(INVALID_BUILD_OPTIONS),
        ROW(INVALID_PROGRAM),
        ROW(INVALID_PROGRAM_EXECUTABLE),
        ROW(INVALID_KERNEL_NAME),
        ROW(INVALID_KERNEL_DEFINITION),
        ROW(INVALID_KERNEL),
        ROW(INVALID_ARG_INDEX),
        ROW(INVALID_ARG_VALUE),
        ROW(INVALID_ARG_SIZE),
        ROW(INVALID_KERNEL_ARGS),
        ROW(INVALID_WORK_DIMENSION),
        ROW(INVALID_WORK_GROUP_SIZE),
        ROW(INVALID_WORK_ITEM_SIZE),
        ROW(INVALID_GLOBAL_OFFSET),
        ROW(INVALID_EVENT_WAIT_LIST),
        ROW(INVALID_EVENT),
        ROW(INVALID_OPERATION),
        ROW(INVALID_BUFFER_SIZE),
        ROW(INVALID_GLOBAL_WORK_SIZE),
        ROW(INVALID_PROPERTY),
        ROW(INVALID_COMPILER_OPTIONS),
        ROW(INVALID_LINKER_OPTIONS),
        ROW(INVALID_DEVICE_PARTITION_COUNT),
        ROW(INVALID_PIPE_SIZE),
        ROW(INVALID_DEVICE_QUEUE),
        ROW(INVALID_SPEC_ID),
        ROW(MAX_SIZE_RESTRICTION_EXCEEDED),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code) return rows[i].name;
    return "an error";
}

/* ---- The table ---------------------------------------------------------------------------- */

#define ENTRY(name) .name = name
/* Functions of extensions that the device does not have stay NULL, as in other implementations. */
const cl_icd_dispatch icd_dispatch = {
    ENTRY(clGetPlatformIDs),
    ENTRY(clGetPlatformInfo),
    ENTRY(clGetDeviceIDs),
    ENTRY(clGetDeviceInfo),
    ENTRY(clCreateContext),
    ENTRY(clCreateContextFromType),
    ENTRY(clRetainContext),
    ENTRY(clReleaseContext),
    ENTRY(clGetContextInfo),
    ENTRY(clCreateCommandQueue),
    ENTRY(clRetainCommandQueue),
    ENTRY(clReleaseCommandQueue),
    ENTRY(clGetCommandQueueInfo),
    ENTRY(clSetCommandQueueProperty),
    ENTRY(clCreateBuffer),
    ENTRY(clCreateImage2D),
    ENTRY(clCreateImage3D),
    ENTRY(clRetainMemObject),
    ENTRY(clReleaseMemObject),
    ENTRY(clGetSupportedImageFormats),
    ENTRY(clGetMemObjectInfo),
    ENTRY(clGetImageInfo),
    ENTRY(clCreateSampler),
    ENTRY(clRetainSampler),
    ENTRY(clReleaseSampler),
    ENTRY(clGetSamplerInfo),
    ENTRY(clCreateProgramWithSource),
    ENTRY(clCreateProgramWithBinary),
    ENTRY(clRetainProgram),
    ENTRY(clReleaseProgram),
    ENTRY(clBuildProgram),
    ENTRY(clUnloadCompiler),
    ENTRY(clGetProgramInfo),
    ENTRY(clGetProgramBuildInfo),
    ENTRY(clCreateKernel),
    ENTRY(clCreateKernelsInProgram),
    ENTRY(clRetainKernel),
    ENTRY(clReleaseKernel),
    ENTRY(clSetKernelArg),
    ENTRY(clGetKernelInfo),
    ENTRY(clGetKernelWorkGroupInfo),
    ENTRY(clWaitForEvents),
    ENTRY(clGetEventInfo),
    ENTRY(clRetainEvent),
    ENTRY(clReleaseEvent),
    ENTRY(clGetEventProfilingInfo),
    ENTRY(clFlush),
    ENTRY(clFinish),
    ENTRY(clEnqueueReadBuffer),
    ENTRY(clEnqueueWriteBuffer),
    ENTRY(clEnqueueCopyBuffer),
    ENTRY(clEnqueueReadImage),
    ENTRY(clEnqueueWriteImage),
    ENTRY(clEnqueueCopyImage),
    ENTRY(clEnqueueCopyImageToBuffer),
    ENTRY(clEnqueueCopyBufferToImage),
    ENTRY(clEnqueueMapBuffer),
    ENTRY(clEnqueueMapImage),
    ENTRY(clEnqueueUnmapMemObject),
    ENTRY(clEnqueueNDRangeKernel),
    ENTRY(clEnqueueTask),
    ENTRY(clEnqueueNativeKernel),
    ENTRY(clEnqueueMarker),
    ENTRY(clEnqueueWaitForEvents),
    ENTRY(clEnqueueBarrier),
    ENTRY(clGetExtensionFunctionAddress),
    ENTRY(clSetEventCallback),
    ENTRY(clCreateSubBuffer),
    ENTRY(clSetMemObjectDestructorCallback),
    ENTRY(clCreateUserEvent),
    ENTRY(clSetUserEventStatus),
    ENTRY(clEnqueueReadBufferRect),
    ENTRY(clEnqueueWriteBufferRect),
    ENTRY(clEnqueueCopyBufferRect),
    ENTRY(clCreateSubDevices),
    ENTRY(clRetainDevice),
    ENTRY(clReleaseDevice),
    ENTRY(clCreateImage),
    ENTRY(clCreateProgramWithBuiltInKernels),
    ENTRY(clCompileProgram),
    ENTRY(clLinkProgram),
    ENTRY(clUnloadPlatformCompiler),
    ENTRY(clGetKernelArgInfo),
    ENTRY(clEnqueueFillBuffer),
    ENTRY(clEnqueueFillImage),
    ENTRY(clEnqueueMigrateMemObjects),
    ENTRY(clEnqueueMarkerWithWaitList),
    ENTRY(clEnqueueBarrierWithWaitList),
    ENTRY(clGetExtensionFunctionAddressForPlatform),
    ENTRY(clCreateCommandQueueWithProperties),
    ENTRY(clCreatePipe),
    ENTRY(clGetPipeInfo),
    ENTRY(clSVMAlloc),
    ENTRY(clSVMFree),
    ENTRY(clEnqueueSVMFree),
    ENTRY(clEnqueueSVMMemcpy),
    ENTRY(clEnqueueSVMMemFill),
    ENTRY(clEnqueueSVMMap),
    ENTRY(clEnqueueSVMUnmap),
    ENTRY(clCreateSamplerWithProperties),
    ENTRY(clSetKernelArgSVMPointer),
    ENTRY(clSetKernelExecInfo),
    ENTRY(clCloneKernel),
    ENTRY(clCreateProgramWithIL),
    ENTRY(clEnqueueSVMMigrateMem),
    ENTRY(clGetDeviceAndHostTimer),
    ENTRY(clGetHostTimer),
    ENTRY(clGetKernelSubGroupInfo),
    .clGetKernelSubGroupInfoKHR = clGetKernelSubGroupInfo, /* of cl_khr_subgroups */
    ENTRY(clSetDefaultDeviceCommandQueue),
    ENTRY(clSetProgramReleaseCallback),
    ENTRY(clSetProgramSpecializationConstant),
    ENTRY(clCreateBufferWithProperties),
    ENTRY(clCreateImageWithProperties),
    ENTRY(clSetContextDestructorCallback),
};
