/* Implements main.c's operations with the CUDA Driver API.
 *
 * It requires only the driver's library and the C library: it declares the functions of the API
 * that it calls.  The program's first argument is the device's number, 0 by default.  Everything
 * runs in the order of main.c, on one stream.
 *
 * Each kernel has one more parameter than its source, the last one: the launch's offset and number
 * of dimensions (launch_values).  Dynamic shared memory holds a copy of it, followed by all local
 * memory that the host provides; a pointer to local memory is passed as its 32-bit offset there. */
#ifndef SUPPORT_CUDA_H
#define SUPPORT_CUDA_H

#include "support.h"

/* CUDA Driver API reference manual, 12.0.  The names with _v2 are those to which its header maps
 * the plain names; enumerations are numbers here. */
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUlinkState_st *CUlinkState;
CUresult cuInit(unsigned flags);
CUresult cuGetErrorName(CUresult result, const char **out_name);
CUresult cuDeviceGetCount(int *out_count);
CUresult cuDeviceGet(CUdevice *out_device, int index);
CUresult cuDeviceGetName(char *name, int size, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out_context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *out_link);
CUresult cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t size, const char *name,
                          unsigned count, int *options, void **values);
CUresult cuLinkComplete(CUlinkState link, void **out_cubin, size_t *out_size);
CUresult cuLinkDestroy(CUlinkState link);
CUresult cuModuleLoadDataEx(CUmodule *out_module, const void *code, unsigned count, int *options,
                            void **values);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *out_address, size_t *out_size, CUmodule module,
                              const char *name);
CUresult cuModuleGetFunction(CUfunction *out_function, CUmodule module, const char *name);
CUresult cuMemAlloc_v2(CUdeviceptr *out_address, size_t size);
CUresult cuMemAllocManaged(CUdeviceptr *out_address, size_t size, unsigned flags);
CUresult cuMemHostAlloc(void **out_pointer, size_t size, unsigned flags);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream stream);
CUresult cuStreamCreate(CUstream *out_stream, unsigned flags);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuFuncGetAttribute(int *out_value, int attribute, CUfunction function);
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value);
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size,
                        CUstream stream, void **parameters, void **extra);

enum {
    STREAM_NON_BLOCKING = 1,
    ATTACH_GLOBAL = 1,
    HOST_PORTABLE = 1,
    HOST_DEVICE_MAP = 2,
    INPUT_PTX = 1,
    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_SIZE = 6,
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
};

enum {
    PARAMETERS_MAX = 64,
    PARAMETER_SIZE_MAX = 4352, /* bytes of all parameters together */
    LOCAL_ALIGNMENT = 16,
    OPEN_GROUP = 256, /* maximum work-items per group if main.c leaves the size open */
    GRID_YZ_MAX = 65535,
};

/* The last parameter of every kernel. */
typedef struct {
    uint64_t global_offset[3];
    uint32_t dimensions;
    uint32_t zero;
} launch_values;

/* A kernel with the parameter values set so far. */
typedef struct {
    CUfunction function;
    unsigned shared_size; /* bytes, including those of launch_values */
    unsigned value_count;
    size_t value_end;
    _Alignas(16) unsigned char bytes[PARAMETER_SIZE_MAX + 16 * PARAMETERS_MAX];
    void *values[PARAMETERS_MAX + 1];
} * kernel_handle;
typedef CUmodule linked_program;

static CUstream stream;

/* ---- The device ---------------------------------------------------------------------------- */

static inline void result_print(CUresult result, const char *call)
{
    const char *name = NULL;
    cuGetErrorName(result, &name);
    printf("%s returned %d (%s)\n", call, result, name ? name : "unknown");
}

/* Ends the program with FAIL if a call that must succeed has failed. */
static inline void must(CUresult result, const char *call)
{
    if (result == 0) return;
    printf("FAIL: ");
    result_print(result, call);
    exit(1);
}

/* Ends the program because there is no device with the number, after printing those that exist. */
static inline void devices_refuse(int number, int count)
{
    printf("there is no CUDA device with number %d; %s\n", number,
           count > 0 ? "these are available:" : "none is available");
    for (int i = 0; i < count; i++) {
        char name[256] = "";
        CUdevice candidate = 0;
        if (cuDeviceGet(&candidate, i) == 0) cuDeviceGetName(name, sizeof name, candidate);
        printf("  %d: %.255s\n", i, name);
    }
    exit(2);
}

static inline void device_open(int argument_count, char **arguments)
{
    int count = 0, number = argument_count > 1 ? atoi(arguments[1]) : 0;
    char name[256] = "";
    CUdevice device = 0;
    CUcontext context = NULL;
    if (cuInit(0) != 0 || cuDeviceGetCount(&count) != 0) count = 0;
    if (number < 0 || number >= count) devices_refuse(number, count);
    must(cuDeviceGet(&device, number), "cuDeviceGet");
    must(cuDeviceGetName(name, sizeof name, device), "cuDeviceGetName");
    printf("device: %.255s\n", name);
    must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    must(cuStreamCreate(&stream, STREAM_NON_BLOCKING), "cuStreamCreate");
}

/* ---- Programs ------------------------------------------------------------------------------ */

/* A failure of the driver's linker or compiler means that the program is refused. */
static inline int succeeds(CUresult result, const char *call, const char *log)
{
    if (result == 0) return 1;
    result_print(result, call);
    printf("%s\n", log);
    return 0;
}

static inline int image_add(CUlinkState link, const image *from, const char *log)
{
    size_t size;
    char *text = file_read(from->file, &size);
    text[size++] =
        '\0'; /* file_read leaves room for it, and the driver requires it to be counted */
    CUresult result = cuLinkAddData_v2(link, INPUT_PTX, text, size, from->file, 0, NULL, NULL);
    free(text);
    return succeeds(result, "cuLinkAddData", log);
}

/* Links a program from images, which are PTX files.  If the driver refuses, prints its log and
 * returns NULL.  The options all begin with "-cl-" and were for the compiler that generated the
 * PTX. */
static inline linked_program program_link(size_t count, const image *from,
                                          const char *compile_options, const char *link_options)
{
    static char log[TEXT_MAX];
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    CUlinkState link = NULL;
    CUmodule module = NULL;
    void *cubin = NULL;
    size_t size = 0;
    (void)compile_options;
    (void)link_options;
    log[0] = '\0';
    must(cuLinkCreate_v2(2, options, values, &link), "cuLinkCreate");
    int good = 1;
    for (size_t i = 0; i < count && good; i++)
        good = image_add(link, &from[i], log);
    good = good && succeeds(cuLinkComplete(link, &cubin, &size), "cuLinkComplete", log) &&
           succeeds(cuModuleLoadDataEx(&module, cubin, 0, NULL, NULL), "cuModuleLoadDataEx", log);
    cuLinkDestroy(link);
    return good ? module : NULL;
}

static inline kernel_handle kernel_of(linked_program program, const char *name)
{
    kernel_handle kernel = calloc(1, sizeof *kernel);
    if (!kernel) stop("out of memory", 2);
    must(cuModuleGetFunction(&kernel->function, program, name), "cuModuleGetFunction");
    kernel->shared_size = sizeof(launch_values);
    return kernel;
}

/* ---- Memories and commands ----------------------------------------------------------------- */

static inline CUdeviceptr address_of(const void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static inline void finish(void)
{
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}

/* The host's memory may be freed after this returns. */
static inline void bytes_copy(void *to, const void *from, size_t size)
{
    must(cuMemcpyAsync(address_of(to), address_of(from), size, stream), "cuMemcpyAsync");
    finish();
}

/* A buffer is device memory; if initial is NULL, the contents are undefined. */
memory memory_create(memory_kind kind, const char *name, size_t size, const void *initial)
{
    CUdeviceptr address = 0;
    void *host = NULL;
    if (kind == USM_HOST)
        must(cuMemHostAlloc(&host, size, HOST_PORTABLE | HOST_DEVICE_MAP), "cuMemHostAlloc");
    else if (kind == USM_SHARED)
        must(cuMemAllocManaged(&address, size, ATTACH_GLOBAL), "cuMemAllocManaged");
    else
        must(cuMemAlloc_v2(&address, size), "cuMemAlloc");
    memory allocation = {kind, name, size, NULL, host ? host : (char *)(uintptr_t)address};
    if (initial) bytes_copy(allocation.pointer, initial, size);
    return allocation;
}

/* Returns a program's variable as a memory, which is valid for as long as the program is. */
static inline memory global_find(linked_program program, const char *symbol, const char *name,
                                 size_t size)
{
    CUdeviceptr address = 0;
    size_t actual_size = 0;
    must(cuModuleGetGlobal_v2(&address, &actual_size, program, symbol), "cuModuleGetGlobal");
    if (actual_size < size) stop("FAIL: a variable is smaller than its images declare", 1);
    return (memory){USM_DEVICE, name, size, NULL, (char *)(uintptr_t)address};
}

/* In a program, a device_global without image scope is a pointer, which is set to the memory's
 * address. */
static inline void global_point(linked_program program, const char *symbol, const memory *content)
{
    memory pointer = global_find(program, symbol, symbol, sizeof content->pointer);
    bytes_copy(pointer.pointer, &content->pointer, pointer.size);
}

/* Parameters are set in order. */
static inline void argument_value(kernel_handle kernel, unsigned index, const void *value,
                                  size_t size)
{
    size_t room = (size + 15) / 16 * 16;
    if (index != kernel->value_count || index >= PARAMETERS_MAX ||
        kernel->value_end + room > sizeof kernel->bytes)
        stop("more parameters than a PTX kernel can have", 2);
    kernel->values[index] = memcpy(kernel->bytes + kernel->value_end, value, size);
    kernel->value_end += room;
    kernel->value_count++;
}

/* Sets the argument to the address `offset` bytes into the memory, or to a null pointer if `value`
 * is NULL. */
static inline void argument_pointer(kernel_handle kernel, unsigned index, const memory *value,
                                    size_t offset)
{
    const CUdeviceptr address = value ? address_of(value->pointer) + offset : 0;
    argument_value(kernel, index, &address, sizeof address);
}

static inline void argument_memory(kernel_handle kernel, unsigned index, const memory *value)
{
    argument_pointer(kernel, index, value, 0);
}

static inline void argument_local(kernel_handle kernel, unsigned index, size_t size)
{
    const uint32_t offset = kernel->shared_size;
    size_t end = (offset + size + LOCAL_ALIGNMENT - 1) / LOCAL_ALIGNMENT * LOCAL_ALIGNMENT;
    argument_value(kernel, index, &offset, sizeof offset);
    kernel->shared_size = (unsigned)end;
}

/* Chooses a group size that divides the range, which CUDA does not do: in dimensions 1 and 2 the
 * fewest work-items that keep the number of groups within the limit, in dimension 0 as many as
 * fit. */
static inline void group_choose(CUfunction function, const size_t *global, unsigned *out_group)
{
    int threads = 0;
    must(cuFuncGetAttribute(&threads, FUNCTION_MAX_THREADS, function), "cuFuncGetAttribute");
    size_t room = threads < OPEN_GROUP ? (size_t)threads : OPEN_GROUP;
    for (int d = 2; d >= 1; d--) {
        size_t size = 1;
        while (global[d] % size != 0 || global[d] / size > GRID_YZ_MAX)
            size++;
        out_group[d] = (unsigned)size;
        room = room / size > 1 ? room / size : 1;
    }
    if (room > global[0]) room = global[0];
    while (global[0] % room != 0)
        room--;
    out_group[0] = (unsigned)room;
}

/* If local is NULL, a group size is chosen here.  The driver copies the values. */
static inline void launch(kernel_handle kernel, unsigned dimensions, const size_t *offset,
                          const size_t *range, const size_t *local)
{
    unsigned block[3] = {1, 1, 1}, grid[3];
    size_t global[3];
    launch_values last = {.dimensions = dimensions};
    for (unsigned d = 0; d < 3; d++) {
        global[d] = d < dimensions ? range[d] : 1;
        last.global_offset[d] = d < dimensions ? offset[d] : 0;
    }
    if (global[0] == 0 || global[1] == 0 || global[2] == 0) { /* no work-item */
        free(kernel);
        return;
    }
    if (!local) group_choose(kernel->function, global, block);
    for (unsigned d = 0; d < dimensions && local; d++)
        block[d] = (unsigned)local[d];
    for (unsigned d = 0; d < 3; d++)
        grid[d] = (unsigned)(global[d] / block[d]);
    kernel->values[kernel->value_count] = &last;
    must(
        cuFuncSetAttribute(kernel->function, FUNCTION_MAX_DYNAMIC_SHARED, (int)kernel->shared_size),
        "cuFuncSetAttribute");
    must(cuLaunchKernel(kernel->function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                        kernel->shared_size, stream, kernel->values, NULL),
         "cuLaunchKernel");
    free(kernel); /* main.c creates a handle for each launch */
}

static inline void copy(const memory *from, size_t from_offset, const memory *to, size_t to_offset,
                        size_t size)
{
    bytes_copy(to->pointer + to_offset, from->pointer + from_offset, size);
}

/* Fills one byte of the pattern at a time, in all repetitions: CUDA's patterns have at most four
 * bytes. */
static inline void fill(const memory *to, const void *pattern, size_t pattern_size, size_t offset,
                        size_t size)
{
    const unsigned char *bytes = pattern;
    if (pattern_size == 1)
        must(cuMemsetD8Async(address_of(to->pointer) + offset, bytes[0], size, stream),
             "cuMemsetD8Async");
    for (size_t i = 0; i < pattern_size && pattern_size > 1; i++)
        must(cuMemsetD2D8Async(address_of(to->pointer) + offset + i, pattern_size, bytes[i], 1,
                               size / pattern_size, stream),
             "cuMemsetD2D8Async");
}

void memory_read(const memory *read, void *out_bytes)
{
    bytes_copy(out_bytes, read->pointer, read->size);
}

#endif
