/* Implements main.c's operations with OpenCL 2.1, or with 2.0 if the images are source.
 * Specialisation constants need 2.2, pointers need cl_intel_unified_shared_memory, and
 * device_globals also need clGetDeviceGlobalVariablePointerINTEL.
 *
 * It requires only OpenCL and the C library.  The program's first argument is a part of the name of
 * the platform to use; the default is the first platform whose device accepts the images: SPIR-V,
 * or OpenCL C if main.c says so.  Everything runs in the order of main.c, on one in-order queue. */
#ifndef SUPPORT_OPENCL_H
#define SUPPORT_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 220
#include <CL/cl.h>

#include "support.h"

#ifndef IMAGES_ARE_SOURCE
#define IMAGES_ARE_SOURCE 0
#endif

typedef cl_program linked_program;
typedef cl_kernel kernel_handle;

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static int has_pointers; /* 1: memories and values may contain pointers that kernels follow */

/* Ends the program with FAIL if a call that must succeed has failed. */
static inline void must(cl_int result, const char *call)
{
    if (result == CL_SUCCESS) return;
    printf("FAIL: %s returned %d\n", call, (int)result);
    exit(1);
}

static inline int accepts_images(cl_device_id candidate)
{
    cl_bool compiles = CL_FALSE;
    clGetDeviceInfo(candidate, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles, NULL);
    if (IMAGES_ARE_SOURCE) return compiles == CL_TRUE;
    char version[TEXT_MAX] = "";
    clGetDeviceInfo(candidate, CL_DEVICE_IL_VERSION, sizeof version, version, NULL);
    return strstr(version, "SPIR-V") != NULL;
}

enum { PLATFORMS_MAX = 16 };

/* Fills in the platforms and returns their number. */
static inline cl_uint platforms_find(cl_platform_id *platforms)
{
    cl_uint count = 0;
    if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) != CL_SUCCESS) return 0;
    return count < PLATFORMS_MAX ? count : PLATFORMS_MAX;
}

/* The platform's first device; NULL if it has none. *out_reason says why it is unsuitable; NULL if
 * it is suitable. */
static inline cl_device_id platform_device(cl_platform_id platform, const char *wanted,
                                           const char **out_reason)
{
    char name[TEXT_MAX] = "";
    cl_device_id candidate = NULL;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    *out_reason = NULL;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &candidate, NULL) != CL_SUCCESS) {
        *out_reason = "it has no device";
        return NULL;
    }
    if (!accepts_images(candidate))
        *out_reason = IMAGES_ARE_SOURCE ? "its device does not compile OpenCL C"
                                        : "its device does not accept SPIR-V";
    if (wanted && !strstr(name, wanted)) *out_reason = "its name does not contain the argument";
    return candidate;
}

/* Ends the program because no platform is suitable, after printing all of them with the reasons. */
static inline void platforms_refuse(const char *wanted)
{
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = platforms_find(platforms);
    printf("no OpenCL platform is suitable; %s\n",
           count > 0 ? "these are available:" : "none is installed");
    for (cl_uint i = 0; i < count; i++) {
        char name[TEXT_MAX] = "", device_name[TEXT_MAX] = "";
        const char *reason;
        cl_device_id candidate = platform_device(platforms[i], wanted, &reason);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (candidate)
            clGetDeviceInfo(candidate, CL_DEVICE_NAME, sizeof device_name, device_name, NULL);
        printf("  %s (%s): %s\n", name, candidate ? device_name : "no device", reason);
    }
    exit(2);
}

static inline void device_open(int argument_count, char **arguments)
{
    cl_platform_id platforms[PLATFORMS_MAX];
    cl_uint count = platforms_find(platforms);
    const char *wanted = argument_count > 1 ? arguments[1] : NULL;
    for (cl_uint i = 0; i < count && !device; i++) {
        const char *reason;
        cl_device_id candidate = platform_device(platforms[i], wanted, &reason);
        if (!reason) device = candidate;
    }
    if (!device) platforms_refuse(wanted);
    char name[TEXT_MAX];
    cl_int result;
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    printf("device: %s\n", name);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    must(result, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &result);
    must(result, "clCreateCommandQueueWithProperties");
}

/* ---- Programs ------------------------------------------------------------------------------ */

static inline void log_print(cl_program program)
{
    char text[TEXT_MAX] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
    printf("%.*s\n", TEXT_MAX - 1, text);
}

static inline cl_program image_create(const image *from)
{
    size_t size;
    cl_int result;
    void *code = file_read(from->file, &size);
    const char *text = code;
    cl_program program = IMAGES_ARE_SOURCE
                             ? clCreateProgramWithSource(context, 1, &text, &size, &result)
                             : clCreateProgramWithIL(context, code, size, &result);
    must(result, IMAGES_ARE_SOURCE ? "clCreateProgramWithSource" : "clCreateProgramWithIL");
    free(code);
    for (unsigned i = 0; i < from->constant_count; i++) {
        const spec_constant *constant = &from->constants[i];
        must(clSetProgramSpecializationConstant(program, constant->id, constant->size,
                                                constant->value),
             "clSetProgramSpecializationConstant");
    }
    return program;
}

/* Creates a program from images, which are files of SPIR-V or OpenCL C: a single image is built,
 * several are compiled and linked.  If the driver refuses, prints its log and returns NULL. */
static inline cl_program program_link(size_t count, const image *from, const char *compile_options,
                                      const char *link_options)
{
    cl_program images[IMAGES_MAX];
    cl_int result = CL_SUCCESS;
    for (size_t i = 0; i < count; i++)
        images[i] = image_create(&from[i]);
    if (count == 1) {
        result = clBuildProgram(images[0], 1, &device, compile_options, NULL, NULL);
        if (result == CL_SUCCESS) return images[0];
        printf("clBuildProgram returned %d\n", (int)result);
        log_print(images[0]);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        result =
            clCompileProgram(images[i], 1, &device, compile_options, 0, NULL, NULL, NULL, NULL);
        if (result == CL_SUCCESS) continue;
        printf("clCompileProgram of %s returned %d\n", from[i].file, (int)result);
        log_print(images[i]);
        return NULL;
    }
    cl_program program = clLinkProgram(context, 1, &device, link_options, (cl_uint)count, images,
                                       NULL, NULL, &result);
    if (result == CL_SUCCESS) return program;
    printf("clLinkProgram returned %d\n", (int)result);
    if (program) log_print(program);
    return NULL;
}

/* cl_intel_unified_shared_memory: kernels may follow pointers that are not arguments. */
enum { INDIRECT_HOST = 0x4200, INDIRECT_SHARED = 0x4202 };

static inline cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int result;
    cl_kernel kernel = clCreateKernel(program, name, &result);
    must(result, "clCreateKernel");
    for (cl_kernel_exec_info kind = INDIRECT_HOST; has_pointers && kind <= INDIRECT_SHARED;
         kind++) {
        const cl_bool permitted = CL_TRUE;
        must(clSetKernelExecInfo(kernel, kind, sizeof permitted, &permitted),
             "clSetKernelExecInfo");
    }
    return kernel;
}

/* ---- Memories and commands ----------------------------------------------------------------- */

/* The loader's library does not export the entry points of extensions; out_call points to a
 * function pointer, and C does not define the conversion of a void pointer to one. */
static inline void extension_call(const char *name, void *out_call)
{
    cl_platform_id platform;
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    void *call = clGetExtensionFunctionAddressForPlatform(platform, name);
    memcpy(out_call, &call, sizeof call);
    if (call) return;
    printf("FAIL: the driver has no %s\n", name);
    exit(1);
}

typedef void *(CL_API_CALL *usm_host_call)(cl_context, const cl_bitfield *, size_t, cl_uint,
                                           cl_int *);
typedef void *(CL_API_CALL *usm_device_call)(cl_context, cl_device_id, const cl_bitfield *, size_t,
                                             cl_uint, cl_int *);
typedef cl_int(CL_API_CALL *usm_argument_call)(cl_kernel, cl_uint, const void *);
typedef cl_int(CL_API_CALL *usm_copy_call)(cl_command_queue, cl_bool, void *, const void *, size_t,
                                           cl_uint, const cl_event *, cl_event *);
typedef cl_int(CL_API_CALL *usm_fill_call)(cl_command_queue, void *, const void *, size_t, size_t,
                                           cl_uint, const cl_event *, cl_event *);

static inline void usm_copy(void *to, const void *from, size_t size)
{
    usm_copy_call call;
    extension_call("clEnqueueMemcpyINTEL", &call);
    must(call(queue, CL_TRUE, to, from, size, 0, NULL, NULL), "clEnqueueMemcpyINTEL");
}

static inline char *usm_create(memory_kind kind, size_t size)
{
    static const char *const names[] = {
        [USM_DEVICE] = "clDeviceMemAllocINTEL",
        [USM_HOST] = "clHostMemAllocINTEL",
        [USM_SHARED] = "clSharedMemAllocINTEL",
    };
    usm_host_call on_host;
    usm_device_call on_device;
    cl_int result = CL_SUCCESS;
    char *pointer;
    if (kind == USM_HOST) {
        extension_call(names[kind], &on_host);
        pointer = on_host(context, NULL, size, 0, &result);
    } else {
        extension_call(names[kind], &on_device);
        pointer = on_device(context, device, NULL, size, 0, &result);
    }
    must(result, names[kind]);
    return pointer;
}

/* If initial is NULL, the contents are undefined. */
memory memory_create(memory_kind kind, const char *name, size_t size, const void *initial)
{
    memory allocation = {kind, name, size, NULL, NULL};
    if (kind != BUFFER) {
        allocation.pointer = usm_create(kind, size);
        has_pointers = 1;
        if (initial) usm_copy(allocation.pointer, initial, size);
        return allocation;
    }
    cl_int result;
    allocation.object = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &result);
    must(result, "clCreateBuffer");
    if (initial)
        must(clEnqueueWriteBuffer(queue, allocation.object, CL_TRUE, 0, size, initial, 0, NULL,
                                  NULL),
             "clEnqueueWriteBuffer");
    return allocation;
}

typedef cl_int(CL_API_CALL *global_call)(cl_device_id, cl_program, const char *, size_t *, void **);

/* Returns a program's variable as a memory, which is valid for as long as the program is. */
static inline memory global_find(cl_program program, const char *symbol, const char *name,
                                 size_t size)
{
    global_call call;
    size_t actual_size = 0;
    void *pointer = NULL;
    extension_call("clGetDeviceGlobalVariablePointerINTEL", &call);
    must(call(device, program, symbol, &actual_size, &pointer),
         "clGetDeviceGlobalVariablePointerINTEL");
    if (actual_size < size) stop("FAIL: a variable is smaller than its images declare", 1);
    return (memory){USM_DEVICE, name, size, NULL, pointer};
}

/* In a program, a device_global without image scope is a pointer, which is set to the memory's
 * address. */
static inline void global_point(linked_program program, const char *symbol, const memory *content)
{
    memory pointer = global_find(program, symbol, symbol, sizeof content->pointer);
    usm_copy(pointer.pointer, &content->pointer, pointer.size);
}

static inline void argument_memory(cl_kernel kernel, unsigned index, const memory *value)
{
    cl_mem object = value->object;
    must(clSetKernelArg(kernel, index, sizeof object, &object), "clSetKernelArg");
}

/* Sets the null pointer if `value` is NULL. */
static inline void argument_pointer(cl_kernel kernel, unsigned index, const memory *value,
                                    size_t offset)
{
    usm_argument_call call;
    extension_call("clSetKernelArgMemPointerINTEL", &call);
    must(call(kernel, index, value ? value->pointer + offset : NULL),
         "clSetKernelArgMemPointerINTEL");
}

static inline void argument_value(cl_kernel kernel, unsigned index, const void *value, size_t size)
{
    must(clSetKernelArg(kernel, index, size, value), "clSetKernelArg");
}

static inline void argument_local(cl_kernel kernel, unsigned index, size_t size)
{
    must(clSetKernelArg(kernel, index, size, NULL), "clSetKernelArg");
}

/* If local is NULL, the device chooses the group size. */
static inline void launch(cl_kernel kernel, unsigned dimensions, const size_t *offset,
                          const size_t *global, const size_t *local)
{
    must(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL),
         "clEnqueueNDRangeKernel");
}

/* A copy between a pointer and a buffer reads or writes the buffer.  It must not block: the driver
 * may access the pointer of a blocking copy before earlier commands have run. */
static inline void copy(const memory *from, size_t from_offset, const memory *to, size_t to_offset,
                        size_t size)
{
    cl_mem source = from->object, target = to->object;
    if (from->pointer && to->pointer)
        usm_copy(to->pointer + to_offset, from->pointer + from_offset, size);
    else if (from->pointer)
        must(clEnqueueWriteBuffer(queue, target, CL_FALSE, to_offset, size,
                                  from->pointer + from_offset, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    else if (to->pointer)
        must(clEnqueueReadBuffer(queue, source, CL_FALSE, from_offset, size,
                                 to->pointer + to_offset, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    else
        must(
            clEnqueueCopyBuffer(queue, source, target, from_offset, to_offset, size, 0, NULL, NULL),
            "clEnqueueCopyBuffer");
}

/* A pattern whose size is not a power of two is repeated here and copied: OpenCL does not take it.
 */
static inline void pattern_copy(const memory *to, const void *pattern, size_t pattern_size,
                                size_t offset, size_t size)
{
    char *bytes = malloc(size);
    if (!bytes) stop("out of memory", 2);
    for (size_t at = 0; at < size; at += pattern_size)
        memcpy(bytes + at, pattern, pattern_size);
    if (to->pointer)
        usm_copy(to->pointer + offset, bytes, size);
    else
        must(clEnqueueWriteBuffer(queue, to->object, CL_FALSE, offset, size, bytes, 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    must(clFinish(queue), "clFinish");
    free(bytes);
}

static inline void fill(const memory *to, const void *pattern, size_t pattern_size, size_t offset,
                        size_t size)
{
    if ((pattern_size & (pattern_size - 1)) != 0) {
        pattern_copy(to, pattern, pattern_size, offset, size);
        return;
    }
    if (to->pointer) {
        usm_fill_call call;
        extension_call("clEnqueueMemFillINTEL", &call);
        must(call(queue, to->pointer + offset, pattern, pattern_size, size, 0, NULL, NULL),
             "clEnqueueMemFillINTEL");
        return;
    }
    cl_mem object = to->object;
    must(clEnqueueFillBuffer(queue, object, pattern, pattern_size, offset, size, 0, NULL, NULL),
         "clEnqueueFillBuffer");
}

/* Maps a range of a buffer, after all previously issued commands, and waits for it. */
static inline unsigned char *map(const memory *buffer, cl_map_flags flags, size_t offset,
                                 size_t size)
{
    cl_int result;
    unsigned char *bytes = clEnqueueMapBuffer(queue, buffer->object, CL_TRUE, flags, offset, size,
                                              0, NULL, NULL, &result);
    must(result, "clEnqueueMapBuffer");
    return bytes;
}

static inline void unmap(const memory *buffer, void *bytes)
{
    must(clEnqueueUnmapMemObject(queue, buffer->object, bytes, 0, NULL, NULL),
         "clEnqueueUnmapMemObject");
}

static inline void finish(void)
{
    must(clFinish(queue), "clFinish");
}

void memory_read(const memory *read, void *out_bytes)
{
    cl_mem object = read->object;
    if (read->pointer)
        usm_copy(out_bytes, read->pointer, read->size);
    else
        must(clEnqueueReadBuffer(queue, object, CL_TRUE, 0, read->size, out_bytes, 0, NULL, NULL),
             "clEnqueueReadBuffer");
}

#endif
