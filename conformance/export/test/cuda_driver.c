/* A stand-in for NVIDIA's driver, which exported programs are linked with on machines without a
 * GPU. It has two kernels and a variable: `scale(global int *data, int factor, local int
 * *scratch)`, which multiplies one element per work-item, starting at the launch's offset, and
 * `add(global int *data)`, which adds the value that the pointer `counter` refers to. It checks
 * what the program passes: PTX texts end with a NUL, and parameters and shared memory follow
 * reference/base/ptx.h; a violation ends the program with status 9. In the environment, REFUSE=1
 * makes the linker fail, and SLOPPY=1 makes the kernel skip its last work-item. The prototypes are
 * those of the support file. */
/* The program includes the support file too, so its external functions get other names here. */
#define memory_read   memory_read_unused
#define memory_create memory_create_unused
#include "support_cuda.h"

static void demand(int holds, const char *violation)
{
    if (holds) return;
    printf("the driver received %s\n", violation);
    exit(9);
}

static int is_set(const char *variable)
{
    return getenv(variable) != NULL;
}

static int a_context, a_stream, a_link, a_module, a_function, another_function;
static int32_t *counter;
static char *error_log;
static unsigned texts; /* number of texts added to the link */

CUresult cuInit(unsigned flags)
{
    demand(flags == 0, "flags of cuInit other than 0");
    return 0;
}

CUresult cuGetErrorName(CUresult result, const char **out_name)
{
    *out_name = result == 209 ? "CUDA_ERROR_NO_BINARY_FOR_GPU" : NULL;
    return *out_name ? 0 : 1;
}

CUresult cuDeviceGetCount(int *out_count)
{
    *out_count = 2;
    return 0;
}

CUresult cuDeviceGet(CUdevice *out_device, int index)
{
    *out_device = index;
    return 0;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    snprintf(name, (size_t)size, "stand-in %d", device);
    return 0;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out_context, CUdevice device)
{
    (void)device;
    *out_context = (CUcontext)(void *)&a_context;
    return 0;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    demand((void *)context == &a_context, "another context");
    return 0;
}

/* ---- Linking ------------------------------------------------------------------------------- */

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *out_link)
{
    demand(count == 2 && options[0] == JIT_ERROR_LOG && options[1] == JIT_ERROR_LOG_SIZE,
           "other options of the linker");
    error_log = values[0];
    texts = 0;
    *out_link = (CUlinkState)(void *)&a_link;
    return 0;
}

CUresult cuLinkAddData_v2(CUlinkState link, int type, void *data, size_t size, const char *name,
                          unsigned count, int *options, void **values)
{
    (void)options;
    (void)values;
    demand((void *)link == &a_link && type == INPUT_PTX && count == 0 && name, "another input");
    demand(strlen(data) + 1 == size, "a text that does not end with its NUL");
    demand(strstr(data, ".version") != NULL, "a text that is not PTX");
    texts++;
    return 0;
}

CUresult cuLinkComplete(CUlinkState link, void **out_cubin, size_t *out_size)
{
    (void)link;
    demand(texts > 0, "a link without inputs");
    *out_cubin = &a_module;
    *out_size = sizeof a_module;
    if (!is_set("REFUSE")) return 0;
    strcpy(error_log, "undefined reference to 'absent'");
    return 209;
}

CUresult cuLinkDestroy(CUlinkState link)
{
    demand((void *)link == &a_link, "another link");
    return 0;
}

CUresult cuModuleLoadDataEx(CUmodule *out_module, const void *code, unsigned count, int *options,
                            void **values)
{
    (void)options;
    (void)values;
    demand(code == &a_module && count == 0, "another binary");
    *out_module = (CUmodule)(void *)&a_module;
    return 0;
}

CUresult cuModuleGetFunction(CUfunction *out_function, CUmodule module, const char *name)
{
    demand((void *)module == &a_module, "another module");
    int adds = strcmp(name, "add") == 0;
    *out_function = (CUfunction)(void *)(adds ? &another_function : &a_function);
    return adds || strcmp(name, "scale") == 0 ? 0 : 500;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *out_address, size_t *out_size, CUmodule module,
                              const char *name)
{
    demand((void *)module == &a_module, "another module");
    *out_address = (uintptr_t)&counter;
    *out_size = sizeof counter;
    return strcmp(name, "counter") == 0 ? 0 : 500;
}

/* ---- Memory: host memory stands in for it -------------------------------------------------- */

static void *pointer_of(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

CUresult cuMemAlloc_v2(CUdeviceptr *out_address, size_t size)
{
    void *bytes = malloc(size);
    demand(bytes != NULL, "more allocations than fit in memory");
    memset(bytes, 0xA5, size);
    *out_address = (uintptr_t)bytes;
    return 0;
}

CUresult cuMemAllocManaged(CUdeviceptr *out_address, size_t size, unsigned flags)
{
    demand(flags == ATTACH_GLOBAL, "other flags of managed memory");
    return cuMemAlloc_v2(out_address, size);
}

CUresult cuMemHostAlloc(void **out_pointer, size_t size, unsigned flags)
{
    CUdeviceptr address;
    demand(flags == (HOST_PORTABLE | HOST_DEVICE_MAP), "other flags of host memory");
    CUresult result = cuMemAlloc_v2(&address, size);
    *out_pointer = pointer_of(address);
    return result;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream on)
{
    demand((void *)on == &a_stream, "another stream");
    memcpy(pointer_of(to), pointer_of(from), size);
    return 0;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream on)
{
    demand((void *)on == &a_stream, "another stream");
    memset(pointer_of(to), value, count);
    return 0;
}

CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width,
                           size_t height, CUstream on)
{
    demand((void *)on == &a_stream && width == 1, "another fill");
    for (size_t row = 0; row < height; row++)
        memset(pointer_of(to + row * pitch), value, width);
    return 0;
}

/* ---- Streams and launches ------------------------------------------------------------------ */

CUresult cuStreamCreate(CUstream *out_stream, unsigned flags)
{
    demand(flags == STREAM_NON_BLOCKING, "other flags of a stream");
    *out_stream = (CUstream)(void *)&a_stream;
    return 0;
}

CUresult cuStreamSynchronize(CUstream on)
{
    demand((void *)on == &a_stream, "another stream");
    return 0;
}

CUresult cuFuncGetAttribute(int *out_value, int attribute, CUfunction function)
{
    (void)function;
    demand(attribute == FUNCTION_MAX_THREADS, "a query of another attribute");
    *out_value = 1024;
    return 0;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    (void)function;
    demand(attribute == FUNCTION_MAX_DYNAMIC_SHARED, "another attribute");
    demand(value >= (int)sizeof(launch_values), "too little shared memory");
    return 0;
}

/* add: one element per work-item. */
static CUresult add_launch(unsigned count, unsigned shared_size, void **parameters)
{
    CUdeviceptr data;
    memcpy(&data, parameters[0], sizeof data);
    demand(shared_size == sizeof(launch_values), "local memory that was not requested");
    demand(counter != NULL, "a launch before the variable's pointer is written");
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)pointer_of(data))[i] += *counter;
    return 0;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size,
                        CUstream on, void **parameters, void **extra)
{
    demand((void *)on == &a_stream && !extra, "another launch");
    if ((void *)function == &another_function)
        return add_launch(grid_x * block_x, shared_size, parameters);
    demand((void *)function == &a_function, "another kernel");
    demand(grid_y * grid_z * block_y * block_z == 1, "more than one dimension");
    CUdeviceptr data;
    int32_t factor;
    uint32_t scratch;
    launch_values last;
    memcpy(&data, parameters[0], sizeof data);
    memcpy(&factor, parameters[1], sizeof factor);
    memcpy(&scratch, parameters[2], sizeof scratch);
    memcpy(&last, parameters[3], sizeof last);
    demand(scratch == 32, "local memory that does not follow the launch's values");
    demand(shared_size == 32 + 16, "a shared memory size other than 32 + 10, rounded up");
    demand(last.dimensions == 1 && last.zero == 0, "another number of dimensions");
    demand(last.global_offset[1] == 0 && last.global_offset[2] == 0, "another offset");
    int32_t *from = (int32_t *)pointer_of(data) + last.global_offset[0];
    unsigned count = grid_x * block_x - (is_set("SLOPPY") ? 1 : 0);
    for (unsigned i = 0; i < count; i++)
        from[i] *= factor;
    return 0;
}
