/* The part of the CUDA Driver API that the adapter calls, declared here so that the build does not
 * need NVIDIA's headers.  The names of constants are ours; the numbers and layouts are the API's.
 *
 * Source: CUDA Driver API reference manual, 12.0 ("Data types used by CUDA driver" and the modules
 * named below).  NVIDIA's header maps the plain names of some functions to the _v2 names used here.
 */
#ifndef BACKENDS_CUDA_CUDA_API_H
#define BACKENDS_CUDA_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef int cuda_result;       /* CUresult */
typedef int cuda_ordinal;      /* CUdevice */
typedef uint64_t cuda_address; /* CUdeviceptr */
typedef struct CUctx_st cuda_context;
typedef struct CUmod_st cuda_module;
typedef struct CUfunc_st cuda_function;
typedef struct CUstream_st cuda_stream;
typedef struct CUevent_st cuda_driver_event;
typedef struct CUlinkState_st cuda_link;

/* Results that the adapter handles individually; the rest are rows of cuda_error.c. */
enum {
    CUDA_SUCCESS = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
};

/* CUdevice_attribute */
enum {
    CUDA_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CUDA_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, /* Y and Z follow */
    CUDA_ATTRIBUTE_MAX_GRID_DIM_X = 5,  /* Y and Z follow */
    CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CUDA_ATTRIBUTE_WARP_SIZE = 10,
    CUDA_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CUDA_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CUDA_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CUDA_ATTRIBUTE_MANAGED_MEMORY = 83,
    CUDA_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
};

/* CUfunction_attribute */
enum {
    CUDA_FUNCTION_MAX_THREADS_PER_BLOCK = 0,
    CUDA_FUNCTION_SHARED_SIZE_BYTES = 1,
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

/* CUjit_option */
typedef enum cuda_jit_option {
    CUDA_JIT_MAX_REGISTERS = 0,
    CUDA_JIT_INFO_LOG_BUFFER = 3,
    CUDA_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    CUDA_JIT_ERROR_LOG_BUFFER = 5,
    CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CUDA_JIT_OPTIMIZATION_LEVEL = 7,
    CUDA_JIT_GENERATE_DEBUG_INFO = 11,
    CUDA_JIT_GENERATE_LINE_INFO = 13,
} cuda_jit_option;

/* CUjitInputType */
enum { CUDA_INPUT_PTX = 1 };

/* Flags of cuMemHostAlloc, cuMemAllocManaged, cuStreamCreate, cuEventCreate. */
enum {
    CUDA_HOST_PORTABLE = 1,
    CUDA_HOST_DEVICE_MAP = 2,
    CUDA_ATTACH_GLOBAL = 1,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DEFAULT = 0,
};

/* A host function: the driver calls it in stream order, and it must not call the driver in turn. */
typedef void cuda_host_call(void *user);

/* All entry points: name, parameters.  Each returns a cuda_result, and every driver for CUDA 12 or
 * newer exports them all. */
#define CUDA_ENTRIES(ENTRY)                                                                        \
    /* Error handling, initialisation, version */                                                  \
    ENTRY(cuGetErrorName, (cuda_result result, const char **out_name))                             \
    ENTRY(cuGetErrorString, (cuda_result result, const char **out_text))                           \
    ENTRY(cuInit, (unsigned flags))                                                                \
    ENTRY(cuDriverGetVersion, (int *out_version))                                                  \
    /* Device management, primary context management, context management */                        \
    ENTRY(cuDeviceGetCount, (int *out_count))                                                      \
    ENTRY(cuDeviceGet, (cuda_ordinal * out_device, int index))                                     \
    ENTRY(cuDeviceGetName, (char *name, int size, cuda_ordinal device))                            \
    ENTRY(cuDeviceGetAttribute, (int *out_value, int attribute, cuda_ordinal device))              \
    ENTRY(cuDevicePrimaryCtxRetain, (cuda_context * *out_context, cuda_ordinal device))            \
    ENTRY(cuDevicePrimaryCtxRelease_v2, (cuda_ordinal device))                                     \
    ENTRY(cuCtxSetCurrent, (cuda_context * context))                                               \
    ENTRY(cuCtxSynchronize, (void))                                                                \
    /* Module management */                                                                        \
    ENTRY(cuLinkCreate_v2,                                                                         \
          (unsigned count, cuda_jit_option *options, void **values, cuda_link **out_link))         \
    ENTRY(cuLinkAddData_v2,                                                                        \
          (cuda_link * link, int type, void *data, size_t size, const char *name, unsigned count,  \
           cuda_jit_option *options, void **values))                                               \
    ENTRY(cuLinkComplete, (cuda_link * link, void **out_cubin, size_t *out_size))                  \
    ENTRY(cuLinkDestroy, (cuda_link * link))                                                       \
    ENTRY(cuModuleLoadDataEx, (cuda_module * *out_module, const void *image, unsigned count,       \
                               cuda_jit_option *options, void **values))                           \
    ENTRY(cuModuleUnload, (cuda_module * module))                                                  \
    ENTRY(cuModuleGetFunction,                                                                     \
          (cuda_function * *out_function, cuda_module * module, const char *name))                 \
    ENTRY(cuModuleGetGlobal_v2,                                                                    \
          (cuda_address * out_address, size_t * out_size, cuda_module * module, const char *name)) \
    /* Memory management */                                                                        \
    ENTRY(cuMemAlloc_v2, (cuda_address * out_address, size_t size))                                \
    ENTRY(cuMemFree_v2, (cuda_address address))                                                    \
    ENTRY(cuMemHostAlloc, (void **out_pointer, size_t size, unsigned flags))                       \
    ENTRY(cuMemFreeHost, (void *pointer))                                                          \
    ENTRY(cuMemHostGetDevicePointer_v2,                                                            \
          (cuda_address * out_address, void *pointer, unsigned flags))                             \
    ENTRY(cuMemAllocManaged, (cuda_address * out_address, size_t size, unsigned flags))            \
    ENTRY(cuMemcpyAsync, (cuda_address to, cuda_address from, size_t size, cuda_stream * stream))  \
    ENTRY(cuMemsetD8Async,                                                                         \
          (cuda_address to, unsigned char value, size_t count, cuda_stream *stream))               \
    ENTRY(cuMemsetD2D8Async, (cuda_address to, size_t pitch, unsigned char value, size_t width,    \
                              size_t height, cuda_stream *stream))                                 \
    ENTRY(cuMemsetD2D32Async, (cuda_address to, size_t pitch, unsigned value, size_t width,        \
                               size_t height, cuda_stream *stream))                                \
    /* Stream management, event management */                                                      \
    ENTRY(cuStreamCreate, (cuda_stream * *out_stream, unsigned flags))                             \
    ENTRY(cuStreamDestroy_v2, (cuda_stream * stream))                                              \
    ENTRY(cuStreamSynchronize, (cuda_stream * stream))                                             \
    ENTRY(cuStreamWaitEvent, (cuda_stream * stream, cuda_driver_event * event, unsigned flags))    \
    ENTRY(cuLaunchHostFunc, (cuda_stream * stream, cuda_host_call * call, void *user))             \
    ENTRY(cuEventCreate, (cuda_driver_event * *out_event, unsigned flags))                         \
    ENTRY(cuEventDestroy_v2, (cuda_driver_event * event))                                          \
    ENTRY(cuEventRecord, (cuda_driver_event * event, cuda_stream * stream))                        \
    ENTRY(cuEventQuery, (cuda_driver_event * event))                                               \
    ENTRY(cuEventSynchronize, (cuda_driver_event * event))                                         \
    ENTRY(cuEventElapsedTime,                                                                      \
          (float *out_milliseconds, cuda_driver_event *from, cuda_driver_event *to))               \
    /* Execution control */                                                                        \
    ENTRY(cuFuncGetAttribute, (int *out_value, int attribute, cuda_function *function))            \
    ENTRY(cuFuncSetAttribute, (cuda_function * function, int attribute, int value))                \
    ENTRY(cuLaunchKernel,                                                                          \
          (cuda_function * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,            \
           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_size,             \
           cuda_stream *stream, void **parameters, void **extra))

#define CUDA_ENTRY_TYPE(name, parameters) typedef cuda_result name##_call parameters;
CUDA_ENTRIES(CUDA_ENTRY_TYPE)
#undef CUDA_ENTRY_TYPE

#endif
