/* Implements the fake driver of fake_cuda.h. */
#include "backends/cuda/test/fake_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fake_cuda fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *fake_control(void)
{
    return &fake;
}

/* The object that an opaque pointer of the driver refers to. */
typedef struct object {
    float time;    /* of an event, in milliseconds */
    bool recorded; /* of an event: `time` is set */
    char *logs[2]; /* of a link: buffers for errors and information */
    bool has_text; /* a link's */
    char cubin[8]; /* a link's */
} object;

static float clock_now; /* time of the next recorded event */

/* True if a call must fail. */
static bool fails(const char *name)
{
    bool failing = fake_script_fails(&fake.script, name);
    if (failing && fake.sticky) fake.lost = true;
    return failing || fake.lost;
}

/* Waits, with the lock released, until hang_call no longer names this call. */
static void hang(const char *name)
{
    while (fake.hang_call && strcmp(fake.hang_call, name) == 0) {
        atomic_store(&fake.hanging, true);
        pthread_mutex_unlock(&lock);
        usleep(1000);
        pthread_mutex_lock(&lock);
    }
}

/* Begins a call; RETURN ends it. */
#define CALL(name)                                                                                 \
    pthread_mutex_lock(&lock);                                                                     \
    hang(name);                                                                                    \
    bool failing = fails(name);                                                                    \
    cuda_result result = failing ? fake.script.fail_with : CUDA_SUCCESS

#define RETURN                                                                                     \
    pthread_mutex_unlock(&lock);                                                                   \
    return result

/* ---- Errors, devices, contexts ------------------------------------------------------------ */

cuGetErrorName_call cuGetErrorName;
cuGetErrorString_call cuGetErrorString;

static const struct {
    cuda_result result;
    const char *name, *text;
} names[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

/* These two functions are not counted: the adapter calls them to describe another call's failure.
 */
cuda_result cuGetErrorName(cuda_result result, const char **out_name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].result != result) continue;
        *out_name = names[i].name;
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

cuda_result cuGetErrorString(cuda_result result, const char **out_text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].result != result) continue;
        *out_text = names[i].text;
        return CUDA_SUCCESS;
    }
    return CUDA_INVALID_VALUE;
}

cuInit_call cuInit;
cuda_result cuInit(unsigned flags)
{
    CALL("cuInit");
    if (flags != 0) abort();
    RETURN;
}

cuDriverGetVersion_call cuDriverGetVersion;
cuda_result cuDriverGetVersion(int *out_version)
{
    CALL("cuDriverGetVersion");
    if (!failing) *out_version = 13020;
    RETURN;
}

cuDeviceGetCount_call cuDeviceGetCount;
cuda_result cuDeviceGetCount(int *out_count)
{
    CALL("cuDeviceGetCount");
    if (!failing) *out_count = FAKE_DEVICES;
    RETURN;
}

cuDeviceGet_call cuDeviceGet;
cuda_result cuDeviceGet(cuda_ordinal *out_device, int index)
{
    CALL("cuDeviceGet");
    if (index < 0 || index >= FAKE_DEVICES) abort();
    if (!failing) *out_device = index;
    RETURN;
}

cuDeviceGetName_call cuDeviceGetName;
cuda_result cuDeviceGetName(char *name, int size, cuda_ordinal device)
{
    CALL("cuDeviceGetName");
    (void)device;
    if (!failing) strncpy(name, fake.name, (size_t)size);
    RETURN;
}

cuDeviceGetAttribute_call cuDeviceGetAttribute;
cuda_result cuDeviceGetAttribute(int *out_value, int attribute, cuda_ordinal device)
{
    CALL("cuDeviceGetAttribute");
    (void)device;
    if (attribute < 0 || attribute >= FAKE_ATTRIBUTES) abort();
    if (!failing && fake.attributes[attribute] < 0)
        result = CUDA_INVALID_VALUE;
    else if (!failing)
        *out_value = fake.attributes[attribute];
    RETURN;
}

cuDevicePrimaryCtxRetain_call cuDevicePrimaryCtxRetain;
cuda_result cuDevicePrimaryCtxRetain(cuda_context **out_context, cuda_ordinal device)
{
    CALL("cuDevicePrimaryCtxRetain");
    static int context;
    if (!failing) {
        *out_context = (cuda_context *)(void *)&context;
        fake.ordinal = device;
        fake.script.live++;
    }
    RETURN;
}

cuDevicePrimaryCtxRelease_v2_call cuDevicePrimaryCtxRelease_v2;
cuda_result cuDevicePrimaryCtxRelease_v2(cuda_ordinal device)
{
    CALL("cuDevicePrimaryCtxRelease_v2");
    if (device != fake.ordinal) abort();
    fake.script.live--;
    RETURN;
}

/* A context that cannot be entered is lost, with everything in it. */
static _Thread_local bool entered;

cuCtxSetCurrent_call cuCtxSetCurrent;
cuda_result cuCtxSetCurrent(cuda_context *context)
{
    CALL("cuCtxSetCurrent");
    entered = context != NULL;
    RETURN;
}

cuCtxSynchronize_call cuCtxSynchronize;
cuda_result cuCtxSynchronize(void)
{
    CALL("cuCtxSynchronize");
    RETURN;
}

/* ---- Links and modules -------------------------------------------------------------------- */

static void options_read(object *link, unsigned count, const cuda_jit_option *options,
                         void *const *values)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned value = (unsigned)(uintptr_t)values[i];
        switch (options[i]) {
        case CUDA_JIT_ERROR_LOG_BUFFER: link->logs[0] = values[i]; break;
        case CUDA_JIT_INFO_LOG_BUFFER: link->logs[1] = values[i]; break;
        case CUDA_JIT_OPTIMIZATION_LEVEL: fake.optimisation = value; break;
        case CUDA_JIT_MAX_REGISTERS: fake.registers = value; break;
        default: break;
        }
    }
}

static void log_write(const object *link)
{
    if (link && link->logs[0] && fake.log) memcpy(link->logs[0], fake.log, strlen(fake.log) + 1);
}

cuLinkCreate_v2_call cuLinkCreate_v2;
cuda_result cuLinkCreate_v2(unsigned count, cuda_jit_option *options, void **values,
                            cuda_link **out_link)
{
    CALL("cuLinkCreate_v2");
    if (!entered) abort();
    fake.added_count = 0;
    fake.optimisation = fake.registers = ~0u;
    if (!failing) {
        object *link = fake_script_make(&fake.script, sizeof(object));
        options_read(link, count, options, values);
        *out_link = (cuda_link *)(void *)link;
    }
    RETURN;
}

cuLinkAddData_v2_call cuLinkAddData_v2;
cuda_result cuLinkAddData_v2(cuda_link *link, int type, void *data, size_t size, const char *name,
                             unsigned count, cuda_jit_option *options, void **values)
{
    CALL("cuLinkAddData_v2");
    (void)name, (void)count, (void)options, (void)values;
    object *it = (object *)(void *)link;
    /* As in the real driver, a text's size includes its NUL. */
    if (type != CUDA_INPUT_PTX || strlen(data) + 1 != size) abort();
    if (fake.second_text && fake.added_count == 1) {
        failing = true;
        result = fake.script.fail_with;
    }
    fake.added_size = (uint32_t)size;
    fake.added_count++;
    it->has_text = true;
    if (failing) log_write(it);
    RETURN;
}

cuLinkComplete_call cuLinkComplete;
cuda_result cuLinkComplete(cuda_link *link, void **out_cubin, size_t *out_size)
{
    CALL("cuLinkComplete");
    object *it = (object *)(void *)link;
    if (!it->has_text) abort();
    if (failing) {
        log_write(it);
    } else {
        memcpy(it->cubin, "cubin", 5);
        *out_cubin = it->cubin;
        *out_size = 5;
    }
    RETURN;
}

cuLinkDestroy_call cuLinkDestroy;
cuda_result cuLinkDestroy(cuda_link *link)
{
    CALL("cuLinkDestroy");
    fake_script_end(&fake.script, link);
    RETURN;
}

cuModuleLoadDataEx_call cuModuleLoadDataEx;
cuda_result cuModuleLoadDataEx(cuda_module **out_module, const void *image, unsigned count,
                               cuda_jit_option *options, void **values)
{
    CALL("cuModuleLoadDataEx");
    object read = {0};
    options_read(&read, count, options, values);
    if (memcmp(image, "cubin", 5) != 0) abort();
    if (!failing)
        *out_module = fake_script_make(&fake.script, sizeof(object));
    else
        log_write(&read);
    RETURN;
}

cuModuleUnload_call cuModuleUnload;
cuda_result cuModuleUnload(cuda_module *module)
{
    CALL("cuModuleUnload");
    fake_script_end(&fake.script, module);
    RETURN;
}

cuModuleGetFunction_call cuModuleGetFunction;
cuda_result cuModuleGetFunction(cuda_function **out_function, cuda_module *module, const char *name)
{
    CALL("cuModuleGetFunction");
    if (!failing && strncmp(name, "missing", strlen("missing")) == 0)
        result = CUDA_NOT_FOUND;
    else if (!failing)
        *out_function = (cuda_function *)(void *)module;
    RETURN;
}

cuModuleGetGlobal_v2_call cuModuleGetGlobal_v2;
cuda_result cuModuleGetGlobal_v2(cuda_address *out_address, size_t *out_size, cuda_module *module,
                                 const char *name)
{
    CALL("cuModuleGetGlobal_v2");
    if (!module || !entered) abort();
    if (!failing && strcmp(name, "counter") != 0) {
        result = CUDA_NOT_FOUND;
    } else if (!failing) {
        *out_address = (uintptr_t)fake.variable;
        *out_size = fake.variable_size;
    }
    RETURN;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void *bytes_make(size_t size)
{
    void *bytes = NULL;
    if (posix_memalign(&bytes, 256, size) != 0) abort();
    memset(bytes, 0xA5, size);
    fake.script.live++;
    return bytes;
}

cuMemAlloc_v2_call cuMemAlloc_v2;
cuda_result cuMemAlloc_v2(cuda_address *out_address, size_t size)
{
    CALL("cuMemAlloc_v2");
    if (!entered) abort();
    if (!failing) *out_address = (uintptr_t)bytes_make(size);
    RETURN;
}

cuMemFree_v2_call cuMemFree_v2;
cuda_result cuMemFree_v2(cuda_address address)
{
    CALL("cuMemFree_v2");
    fake_script_end(&fake.script, (void *)(uintptr_t)address);
    RETURN;
}

cuMemHostAlloc_call cuMemHostAlloc;
cuda_result cuMemHostAlloc(void **out_pointer, size_t size, unsigned flags)
{
    CALL("cuMemHostAlloc");
    if (!(flags & CUDA_HOST_PORTABLE)) abort();
    if (!failing) *out_pointer = bytes_make(size);
    RETURN;
}

cuMemFreeHost_call cuMemFreeHost;
cuda_result cuMemFreeHost(void *pointer)
{
    CALL("cuMemFreeHost");
    fake_script_end(&fake.script, pointer);
    RETURN;
}

cuMemHostGetDevicePointer_v2_call cuMemHostGetDevicePointer_v2;
cuda_result cuMemHostGetDevicePointer_v2(cuda_address *out_address, void *pointer, unsigned flags)
{
    CALL("cuMemHostGetDevicePointer_v2");
    if (flags != 0) abort();
    if (!failing) *out_address = (uintptr_t)pointer;
    RETURN;
}

cuMemAllocManaged_call cuMemAllocManaged;
cuda_result cuMemAllocManaged(cuda_address *out_address, size_t size, unsigned flags)
{
    CALL("cuMemAllocManaged");
    if (flags != CUDA_ATTACH_GLOBAL) abort();
    if (!failing) *out_address = (uintptr_t)bytes_make(size);
    RETURN;
}

cuMemcpyAsync_call cuMemcpyAsync;
cuda_result cuMemcpyAsync(cuda_address to, cuda_address from, size_t size, cuda_stream *stream)
{
    CALL("cuMemcpyAsync");
    fake.stream = stream;
    if (!failing) memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    RETURN;
}

cuMemsetD8Async_call cuMemsetD8Async;
cuda_result cuMemsetD8Async(cuda_address to, unsigned char value, size_t count, cuda_stream *stream)
{
    CALL("cuMemsetD8Async");
    fake.stream = stream;
    if (!failing) memset((void *)(uintptr_t)to, value, count);
    RETURN;
}

cuMemsetD2D8Async_call cuMemsetD2D8Async;
cuda_result cuMemsetD2D8Async(cuda_address to, size_t pitch, unsigned char value, size_t width,
                              size_t height, cuda_stream *stream)
{
    CALL("cuMemsetD2D8Async");
    fake.stream = stream;
    unsigned char *at = (unsigned char *)(uintptr_t)to;
    for (size_t row = 0; row < height && !failing; row++)
        memset(at + row * pitch, value, width);
    RETURN;
}

cuMemsetD2D32Async_call cuMemsetD2D32Async;
cuda_result cuMemsetD2D32Async(cuda_address to, size_t pitch, unsigned value, size_t width,
                               size_t height, cuda_stream *stream)
{
    CALL("cuMemsetD2D32Async");
    if (to % sizeof value != 0 || pitch % sizeof value != 0 || width != 1) abort();
    fake.stream = stream;
    unsigned char *at = (unsigned char *)(uintptr_t)to;
    for (size_t row = 0; row < height && !failing; row++)
        memcpy(at + row * pitch, &value, sizeof value);
    RETURN;
}

/* ---- Streams and events ------------------------------------------------------------------- */

cuStreamCreate_call cuStreamCreate;
cuda_result cuStreamCreate(cuda_stream **out_stream, unsigned flags)
{
    CALL("cuStreamCreate");
    if (flags != CUDA_STREAM_NON_BLOCKING) abort();
    if (!failing) *out_stream = fake_script_make(&fake.script, sizeof(object));
    RETURN;
}

cuStreamDestroy_v2_call cuStreamDestroy_v2;
cuda_result cuStreamDestroy_v2(cuda_stream *stream)
{
    CALL("cuStreamDestroy_v2");
    fake_script_end(&fake.script, stream);
    RETURN;
}

cuStreamSynchronize_call cuStreamSynchronize;
cuda_result cuStreamSynchronize(cuda_stream *stream)
{
    CALL("cuStreamSynchronize");
    if (!stream) abort();
    RETURN;
}

cuStreamWaitEvent_call cuStreamWaitEvent;
cuda_result cuStreamWaitEvent(cuda_stream *stream, cuda_driver_event *event, unsigned flags)
{
    CALL("cuStreamWaitEvent");
    /* The driver treats an event that was never recorded as complete; here it is an error. */
    if (!stream || flags != 0 || (!failing && !((object *)(void *)event)->recorded)) abort();
    fake.stream = stream;
    RETURN;
}

cuLaunchHostFunc_call cuLaunchHostFunc;
cuda_result cuLaunchHostFunc(cuda_stream *stream, cuda_host_call *call, void *user)
{
    CALL("cuLaunchHostFunc");
    if (stream != fake.stream && !failing && !fake.ignore_streams)
        abort(); /* it must be in the same stream as the copy, or the wait for it */
    if (!failing) call(user);
    RETURN;
}

cuEventCreate_call cuEventCreate;
cuda_result cuEventCreate(cuda_driver_event **out_event, unsigned flags)
{
    CALL("cuEventCreate");
    if (flags != CUDA_EVENT_DEFAULT) abort();
    if (!failing) *out_event = fake_script_make(&fake.script, sizeof(object));
    RETURN;
}

cuEventDestroy_v2_call cuEventDestroy_v2;
cuda_result cuEventDestroy_v2(cuda_driver_event *event)
{
    CALL("cuEventDestroy_v2");
    fake_script_end(&fake.script, event);
    RETURN;
}

cuEventRecord_call cuEventRecord;
cuda_result cuEventRecord(cuda_driver_event *event, cuda_stream *stream)
{
    CALL("cuEventRecord");
    object *it = (object *)(void *)event;
    if (!stream) abort();
    if (result == CUDA_SUCCESS) { /* the call has no output, so a failure must skip its effect */
        it->time = clock_now += fake.time_step;
        it->recorded = true;
    }
    RETURN;
}

cuEventQuery_call cuEventQuery;
cuda_result cuEventQuery(cuda_driver_event *event)
{
    CALL("cuEventQuery");
    (void)event;
    if (!failing && fake.pending) result = CUDA_NOT_READY;
    RETURN;
}

cuEventSynchronize_call cuEventSynchronize;
cuda_result cuEventSynchronize(cuda_driver_event *event)
{
    CALL("cuEventSynchronize");
    if (!failing && !((object *)(void *)event)->recorded) abort();
    RETURN;
}

cuEventElapsedTime_call cuEventElapsedTime;
cuda_result cuEventElapsedTime(float *out_milliseconds, cuda_driver_event *from,
                               cuda_driver_event *to)
{
    CALL("cuEventElapsedTime");
    const object *begin = (object *)(void *)from, *end = (object *)(void *)to;
    if (!failing) *out_milliseconds = end->time - begin->time;
    RETURN;
}

/* ---- Functions ---------------------------------------------------------------------------- */

cuFuncGetAttribute_call cuFuncGetAttribute;
cuda_result cuFuncGetAttribute(int *out_value, int attribute, cuda_function *function)
{
    CALL("cuFuncGetAttribute");
    (void)function;
    if (!failing)
        *out_value = attribute == CUDA_FUNCTION_SHARED_SIZE_BYTES ? fake.function_shared
                                                                  : fake.function_threads;
    RETURN;
}

cuFuncSetAttribute_call cuFuncSetAttribute;
cuda_result cuFuncSetAttribute(cuda_function *function, int attribute, int value)
{
    CALL("cuFuncSetAttribute");
    (void)function;
    if (attribute != CUDA_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES) abort();
    if (!failing) fake.dynamic_shared = value;
    RETURN;
}

cuLaunchKernel_call cuLaunchKernel;
cuda_result cuLaunchKernel(cuda_function *function, unsigned grid_x, unsigned grid_y,
                           unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                           unsigned shared_size, cuda_stream *stream, void **parameters,
                           void **extra)
{
    CALL("cuLaunchKernel");
    if (!function || !stream || extra) abort();
    fake.stream = stream;
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    memcpy(fake.grid, grid, sizeof grid);
    memcpy(fake.block, block, sizeof block);
    fake.shared_size = shared_size;
    memcpy(&fake.hidden, parameters[2], sizeof fake.hidden);
    if (!failing) {
        uint64_t target;
        memcpy(&target, parameters[1], sizeof target);
        if (target) memcpy((void *)(uintptr_t)target, parameters[0], 1);
    }
    RETURN;
}
