/* Extension functions, whose addresses a program queries from a platform by name.
 *
 * A program that uses several platforms' drivers gets the same function of ours for all of them. So
 * each of our functions identifies the driver by the first member of the OpenCL object that it is
 * passed: the pointer to the driver's dispatch table, which the driver's platform and objects
 * share.
 *
 * Source: cl_khr_icd, "ICD Loader Vendor Enumeration"; cl_intel_unified_shared_memory;
 * cl_khr_il_program; ocl_library.h for access to variables by name. */
#include "backends/opencl/layer/layer_internal.h"

#include <pthread.h>
#include <string.h>

/* Maximum number of drivers per program whose calls can be distinguished; calls to further drivers
 * are not recorded, and the log says so. */
enum { DRIVERS_MAX = 8 };

typedef struct extension_driver {
    const void *table; /* first word of the driver's objects */
    void *call;
} extension_driver;

/* The calls that are recorded; the function record_NAME records the call NAME. */
#define EXTENSIONS(EXTENSION)                                                                      \
    EXTENSION(clHostMemAllocINTEL)                                                                 \
    EXTENSION(clDeviceMemAllocINTEL)                                                               \
    EXTENSION(clSharedMemAllocINTEL)                                                               \
    EXTENSION(clMemFreeINTEL)                                                                      \
    EXTENSION(clMemBlockingFreeINTEL)                                                              \
    EXTENSION(clSetKernelArgMemPointerINTEL)                                                       \
    EXTENSION(clEnqueueMemFillINTEL)                                                               \
    EXTENSION(clEnqueueMemsetINTEL)                                                                \
    EXTENSION(clEnqueueMemcpyINTEL)                                                                \
    EXTENSION(clEnqueueMigrateMemINTEL)                                                            \
    EXTENSION(clGetDeviceGlobalVariablePointerINTEL)                                               \
    EXTENSION(clEnqueueReadGlobalVariableINTEL)                                                    \
    EXTENSION(clEnqueueWriteGlobalVariableINTEL)                                                   \
    EXTENSION(clGetDeviceFunctionPointerINTEL)                                                     \
    EXTENSION(clCreateProgramWithILKHR)                                                            \
    EXTENSION(clSetProgramSpecializationConstant)

typedef enum extension_index {
#define EXTENSION_INDEX(name) INDEX_##name,
    EXTENSIONS(EXTENSION_INDEX)
#undef EXTENSION_INDEX
        EXTENSION_COUNT
} extension_index;

static struct {
    pthread_mutex_t lock;
    extension_driver drivers[EXTENSION_COUNT][DRIVERS_MAX];
    uint32_t counts[EXTENSION_COUNT];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const void *table_of(const void *object)
{
    const void *table = NULL;
    if (object) memcpy(&table, object, sizeof table);
    return table;
}

/* Stores the address of a driver's function, unless it is stored already. False if a different
 * address is stored for the same dispatch table, or if DRIVERS_MAX drivers are known. */
static bool driver_add(extension_index index, const void *platform, void *call)
{
    const void *table = table_of(platform);
    CHECK(index < EXTENSION_COUNT);
    bool is_stored = false, is_known = false;
    pthread_mutex_lock(&known.lock);
    for (uint32_t i = 0; i < known.counts[index] && !is_known; i++) {
        is_known = known.drivers[index][i].table == table;
        is_stored = is_known && known.drivers[index][i].call == call;
    }
    if (!is_known && known.counts[index] < DRIVERS_MAX) {
        known.drivers[index][known.counts[index]++] = (extension_driver){table, call};
        is_stored = true;
    }
    CHECK(known.counts[index] <= DRIVERS_MAX);
    pthread_mutex_unlock(&known.lock);
    return is_stored;
}

/* Returns the function of the driver to which the object belongs. */
static void *driver_find(extension_index index, const void *object)
{
    const void *table = table_of(object);
    pthread_mutex_lock(&known.lock);
    CHECK(known.counts[index] > 0); /* the caller got the function from us */
    void *call = known.drivers[index][0].call;
    for (uint32_t i = 1; i < known.counts[index]; i++)
        if (known.drivers[index][i].table == table) call = known.drivers[index][i].call;
    pthread_mutex_unlock(&known.lock);
    return call;
}

/* Declares `call`, a pointer to the driver's function of that name. */
#define DRIVER(name, type, object)                                                                 \
    __typeof__(type) *call;                                                                        \
    void *address = driver_find(INDEX_##name, object);                                             \
    memcpy(&call, &address, sizeof call)

/* ---- Unified shared memory ------------------------------------------------------------------ */

static layer_record alloc_begin(const char *name, cl_context context, size_t size)
{
    layer_record record = layer_begin_on(name, LAYER_CONTEXT, context);
    layer_put_number(&record, "size", size);
    return record;
}

static void *alloc_end(layer_record *record, layer_block_kind kind, void *block, size_t size,
                       cl_int result, cl_int *out_result)
{
    layer_block_add(kind, block, size);
    layer_put_object(record, "made", LAYER_BLOCK, block);
    layer_record_end(record, result);
    if (out_result) *out_result = result;
    return block;
}

static CL_API_ENTRY void *CL_API_CALL
record_clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                           size_t size, cl_uint alignment, cl_int *out_result)
{
    DRIVER(clHostMemAllocINTEL, clHostMemAllocINTEL, context);
    cl_int result = CL_SUCCESS;
    layer_record record = alloc_begin("clHostMemAllocINTEL", context, size);
    void *block = call(context, properties, size, alignment, &result);
    return alloc_end(&record, LAYER_BLOCK_HOST, block, size, result, out_result);
}

static CL_API_ENTRY void *CL_API_CALL record_clDeviceMemAllocINTEL(
    cl_context context, cl_device_id device, const cl_mem_properties_intel *properties, size_t size,
    cl_uint alignment, cl_int *out_result)
{
    DRIVER(clDeviceMemAllocINTEL, clDeviceMemAllocINTEL, context);
    cl_int result = CL_SUCCESS;
    layer_record record = alloc_begin("clDeviceMemAllocINTEL", context, size);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    void *block = call(context, device, properties, size, alignment, &result);
    return alloc_end(&record, LAYER_BLOCK_DEVICE, block, size, result, out_result);
}

static CL_API_ENTRY void *CL_API_CALL record_clSharedMemAllocINTEL(
    cl_context context, cl_device_id device, const cl_mem_properties_intel *properties, size_t size,
    cl_uint alignment, cl_int *out_result)
{
    DRIVER(clSharedMemAllocINTEL, clSharedMemAllocINTEL, context);
    cl_int result = CL_SUCCESS;
    layer_record record = alloc_begin("clSharedMemAllocINTEL", context, size);
    layer_put_object(&record, "device", LAYER_DEVICE, device);
    void *block = call(context, device, properties, size, alignment, &result);
    return alloc_end(&record, LAYER_BLOCK_SHARED, block, size, result, out_result);
}

/* The block is forgotten before the driver is called: another thread may be given its address
 * immediately afterwards. */
static CL_API_ENTRY cl_int CL_API_CALL record_clMemFreeINTEL(cl_context context, void *pointer)
{
    DRIVER(clMemFreeINTEL, clMemFreeINTEL, context);
    layer_record record = layer_record_begin("clMemFreeINTEL");
    layer_put_pointer(&record, "pointer", pointer);
    layer_block_remove(pointer);
    return layer_record_end(&record, call(context, pointer));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clMemBlockingFreeINTEL(cl_context context,
                                                                     void *pointer)
{
    DRIVER(clMemBlockingFreeINTEL, clMemBlockingFreeINTEL, context);
    layer_record record = layer_record_begin("clMemBlockingFreeINTEL");
    layer_put_pointer(&record, "pointer", pointer);
    layer_record_announce(&record);
    layer_block_remove(pointer);
    return layer_record_end(&record, call(context, pointer));
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetKernelArgMemPointerINTEL(cl_kernel kernel,
                                                                            cl_uint index,
                                                                            const void *pointer)
{
    DRIVER(clSetKernelArgMemPointerINTEL, clSetKernelArgMemPointerINTEL, kernel);
    layer_record record = layer_begin_on("clSetKernelArgMemPointerINTEL", LAYER_KERNEL, kernel);
    layer_put_number(&record, "index", index);
    layer_put_pointer(&record, "pointer", pointer);
    cl_int result = call(kernel, index, pointer);
    if (result == CL_SUCCESS) layer_capture_pointer(kernel, index, pointer);
    return layer_record_end(&record, result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMemFillINTEL(
    cl_command_queue queue, void *to, const void *pattern, size_t pattern_size, size_t size,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    DRIVER(clEnqueueMemFillINTEL, clEnqueueMemFillINTEL, queue);
    layer_record record = layer_command_begin("clEnqueueMemFillINTEL", queue, wait_count, wait);
    layer_put_pointer(&record, "to", to);
    layer_put_number(&record, "size", size);
    layer_put_number(&record, "pattern_size", pattern_size);
    cl_int result = call(queue, to, pattern, pattern_size, size, wait_count, wait, out_event);
    if (result == CL_SUCCESS) layer_capture_pattern(&record, pattern, pattern_size);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMemsetINTEL(cl_command_queue queue, void *to,
                                                                   cl_int value, size_t size,
                                                                   cl_uint wait_count,
                                                                   const cl_event *wait,
                                                                   cl_event *out_event)
{
    DRIVER(clEnqueueMemsetINTEL, clEnqueueMemsetINTEL, queue);
    layer_record record = layer_command_begin("clEnqueueMemsetINTEL", queue, wait_count, wait);
    layer_put_pointer(&record, "to", to);
    layer_put_number(&record, "size", size);
    const uint8_t byte = (uint8_t)value;
    layer_capture_pattern(&record, &byte, sizeof byte);
    cl_int result = call(queue, to, value, size, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMemcpyINTEL(
    cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    DRIVER(clEnqueueMemcpyINTEL, clEnqueueMemcpyINTEL, queue);
    layer_record record = layer_command_begin("clEnqueueMemcpyINTEL", queue, wait_count, wait);
    layer_put_number(&record, "blocking", blocking);
    layer_put_pointer(&record, "to", to);
    layer_put_pointer(&record, "from", from);
    layer_put_number(&record, "size", size);
    if (!blocking && layer_block_has(to, size)) layer_capture_store(&record, from, size);
    if (blocking) layer_record_announce(&record);
    cl_int result = call(queue, blocking, to, from, size, wait_count, wait, out_event);
    if (blocking && result == CL_SUCCESS) layer_capture_store(&record, from, size);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueMigrateMemINTEL(
    cl_command_queue queue, const void *pointer, size_t size, cl_mem_migration_flags flags,
    cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    DRIVER(clEnqueueMigrateMemINTEL, clEnqueueMigrateMemINTEL, queue);
    layer_record record = layer_command_begin("clEnqueueMigrateMemINTEL", queue, wait_count, wait);
    layer_put_pointer(&record, "pointer", pointer);
    layer_put_number(&record, "size", size);
    layer_put_number(&record, "flags", flags);
    cl_int result = call(queue, pointer, size, flags, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

cl_int layer_usm_read(cl_command_queue queue, void *to, const void *from, size_t size)
{
    static const char name[] = "clEnqueueMemcpyINTEL";
    clEnqueueMemcpyINTEL_fn call = NULL;
    cl_device_id device = NULL;
    cl_platform_id platform = NULL;
    const cl_icd_dispatch *next = layer_next();
    cl_int result = next->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id),
                                                (void *)&device, NULL);
    if (result == CL_SUCCESS)
        result = next->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id),
                                       (void *)&platform, NULL);
    if (result != CL_SUCCESS) return result;
    void *address = next->clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!address) return CL_INVALID_OPERATION;
    memcpy(&call, &address, sizeof call);
    return call(queue, CL_TRUE, to, from, size, 0, NULL, NULL);
}

/* ---- Variables and functions by name -------------------------------------------------------- */

/* The variable becomes a block, so that pointers to it can be resolved.  Programs query it
 * repeatedly; it keeps its number. */
static CL_API_ENTRY cl_int CL_API_CALL record_clGetDeviceGlobalVariablePointerINTEL(
    cl_device_id device, cl_program program, const char *name, size_t *out_size, void **out_pointer)
{
    DRIVER(clGetDeviceGlobalVariablePointerINTEL, ocl_global_pointer_call, program);
    size_t size = 0;
    layer_record record =
        layer_begin_on("clGetDeviceGlobalVariablePointerINTEL", LAYER_DEVICE, device);
    layer_put_object(&record, "program", LAYER_PROGRAM, program);
    layer_put_text(&record, "name", name);
    cl_int result = call(device, program, name, &size, out_pointer);
    if (result == CL_SUCCESS) layer_put_number(&record, "size", size);
    if (result == CL_SUCCESS && out_pointer) {
        uint32_t number;
        size_t offset;
        if (!layer_block_find(*out_pointer, &number, &offset))
            layer_block_add(LAYER_BLOCK_VARIABLE, *out_pointer, size);
        layer_put_pointer(&record, "pointer", *out_pointer);
    }
    if (out_size) *out_size = size;
    return layer_record_end(&record, result);
}

static layer_record variable_begin(const char *call, cl_command_queue queue, cl_program program,
                                   const char *name, cl_bool blocking, size_t size, size_t offset)
{
    layer_record record = layer_begin_on(call, LAYER_QUEUE, queue);
    layer_put_object(&record, "program", LAYER_PROGRAM, program);
    layer_put_text(&record, "name", name);
    layer_put_number(&record, "blocking", blocking);
    layer_put_number(&record, "offset", offset);
    layer_put_number(&record, "size", size);
    if (blocking) layer_record_announce(&record);
    return record;
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueReadGlobalVariableINTEL(
    cl_command_queue queue, cl_program program, const char *name, cl_bool blocking, size_t size,
    size_t offset, void *to, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    DRIVER(clEnqueueReadGlobalVariableINTEL, ocl_global_read_call, queue);
    layer_record record = variable_begin("clEnqueueReadGlobalVariableINTEL", queue, program, name,
                                         blocking, size, offset);
    cl_int result =
        call(queue, program, name, blocking, size, offset, to, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clEnqueueWriteGlobalVariableINTEL(
    cl_command_queue queue, cl_program program, const char *name, cl_bool blocking, size_t size,
    size_t offset, const void *from, cl_uint wait_count, const cl_event *wait, cl_event *out_event)
{
    DRIVER(clEnqueueWriteGlobalVariableINTEL, ocl_global_write_call, queue);
    layer_record record = variable_begin("clEnqueueWriteGlobalVariableINTEL", queue, program, name,
                                         blocking, size, offset);
    cl_int result =
        call(queue, program, name, blocking, size, offset, from, wait_count, wait, out_event);
    return layer_command_end(&record, result, out_event);
}

/* The signature of the drivers that have this function; OpenCL's headers do not declare it. */
typedef cl_int function_pointer_call(cl_device_id device, cl_program program, const char *name,
                                     cl_ulong *out_address);

static CL_API_ENTRY cl_int CL_API_CALL record_clGetDeviceFunctionPointerINTEL(cl_device_id device,
                                                                              cl_program program,
                                                                              const char *name,
                                                                              cl_ulong *out_address)
{
    DRIVER(clGetDeviceFunctionPointerINTEL, function_pointer_call, program);
    layer_record record = layer_begin_on("clGetDeviceFunctionPointerINTEL", LAYER_DEVICE, device);
    layer_put_object(&record, "program", LAYER_PROGRAM, program);
    layer_put_text(&record, "name", name);
    return layer_record_end(&record, call(device, program, name, out_address));
}

/* ---- Extensions that became part of OpenCL -------------------------------------------------- */

static CL_API_ENTRY cl_program CL_API_CALL record_clCreateProgramWithILKHR(cl_context context,
                                                                           const void *il,
                                                                           size_t size,
                                                                           cl_int *out_result)
{
    DRIVER(clCreateProgramWithILKHR, clCreateProgramWithIL, context);
    return layer_create_program_with_il("clCreateProgramWithILKHR", call, context, il, size,
                                        out_result);
}

static CL_API_ENTRY cl_int CL_API_CALL record_clSetProgramSpecializationConstant(cl_program program,
                                                                                 cl_uint id,
                                                                                 size_t size,
                                                                                 const void *value)
{
    DRIVER(clSetProgramSpecializationConstant, clSetProgramSpecializationConstant, program);
    return layer_set_constant(call, program, id, size, value);
}

/* ---- Looking up extension functions --------------------------------------------------------- */

typedef void any_call(void);

static const struct {
    const char *name;
    any_call *ours;
} extensions[EXTENSION_COUNT] = {
#define EXTENSION_ROW(name) {#name, (any_call *)record_##name},
    EXTENSIONS(EXTENSION_ROW)
#undef EXTENSION_ROW
};

/* Records which function was looked up, and whether its calls will be recorded from now on. */
static void lookup_put(const char *call, const char *name, bool is_found, bool is_recorded)
{
    layer_record record = layer_record_begin(call);
    layer_put_text(&record, "name", name);
    layer_put_number(&record, "given", is_found);
    layer_put_number(&record, "recorded", is_recorded);
    layer_record_end(&record, CL_SUCCESS);
}

static CL_API_ENTRY void *CL_API_CALL
record_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    void *call = layer_hides_call(name)
                     ? NULL
                     : layer_next()->clGetExtensionFunctionAddressForPlatform(platform, name);
    uint32_t i = 0;
    while (name && i < EXTENSION_COUNT && strcmp(extensions[i].name, name) != 0)
        i++;
    bool is_recorded = call && name && i < EXTENSION_COUNT && driver_add(i, platform, call);
    lookup_put("clGetExtensionFunctionAddressForPlatform", name, call != NULL, is_recorded);
    if (!is_recorded) return call;
    void *ours;
    memcpy(&ours, &extensions[i].ours, sizeof ours);
    return ours;
}

/* Without a platform, the driver that owns the function is unknown, so the driver's own address is
 * returned. */
static CL_API_ENTRY void *CL_API_CALL record_clGetExtensionFunctionAddress(const char *name)
{
    void *call = layer_next()->clGetExtensionFunctionAddress(name);
    lookup_put("clGetExtensionFunctionAddress", name, call != NULL, false);
    return call;
}

void layer_extension_calls(cl_icd_dispatch *dispatch)
{
    memset(known.counts, 0, sizeof known.counts);
    LAYER_RECORD(dispatch, clGetExtensionFunctionAddressForPlatform);
    LAYER_RECORD(dispatch, clGetExtensionFunctionAddress);
}
