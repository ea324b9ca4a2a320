/* The OpenCL loader, opened at run time, as a table of the entry points that the adapter uses; and
 * the entry points of extensions, which a platform provides. */
#ifndef BACKENDS_OPENCL_OCL_LIBRARY_H
#define BACKENDS_OPENCL_OCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 300

#include "reference/base/status.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>

/* All entry points that the adapter calls, and whether each is required.  The table replaces a
 * link-time dependency, so assay starts, and can use sim, even where OpenCL is not installed. */
#define OCL_ENTRIES(ENTRY)                                                                         \
    ENTRY(clGetPlatformIDs, true)                                                                  \
    ENTRY(clGetPlatformInfo, true)                                                                 \
    ENTRY(clGetExtensionFunctionAddressForPlatform, true)                                          \
    ENTRY(clGetDeviceIDs, true)                                                                    \
    ENTRY(clGetDeviceInfo, true)                                                                   \
    ENTRY(clCreateContext, true)                                                                   \
    ENTRY(clReleaseContext, true)                                                                  \
    ENTRY(clCreateCommandQueueWithProperties, true)                                                \
    ENTRY(clReleaseCommandQueue, true)                                                             \
    ENTRY(clCreateBuffer, true)                                                                    \
    ENTRY(clCreateSubBuffer, true)                                                                 \
    ENTRY(clReleaseMemObject, true)                                                                \
    ENTRY(clCreateProgramWithIL, false)                                                            \
    ENTRY(clCreateProgramWithSource, true)                                                         \
    ENTRY(clSetProgramSpecializationConstant, false)                                               \
    ENTRY(clCreateProgramWithBinary, true)                                                         \
    ENTRY(clBuildProgram, true)                                                                    \
    ENTRY(clCompileProgram, true)                                                                  \
    ENTRY(clLinkProgram, true)                                                                     \
    ENTRY(clGetProgramInfo, true)                                                                  \
    ENTRY(clGetProgramBuildInfo, true)                                                             \
    ENTRY(clReleaseProgram, true)                                                                  \
    ENTRY(clCreateKernel, true)                                                                    \
    ENTRY(clGetKernelInfo, true)                                                                   \
    ENTRY(clGetKernelWorkGroupInfo, true)                                                          \
    ENTRY(clSetKernelArg, true)                                                                    \
    ENTRY(clSetKernelExecInfo, true)                                                               \
    ENTRY(clReleaseKernel, true)                                                                   \
    ENTRY(clEnqueueNDRangeKernel, true)                                                            \
    ENTRY(clEnqueueReadBuffer, true)                                                               \
    ENTRY(clEnqueueWriteBuffer, true)                                                              \
    ENTRY(clEnqueueCopyBuffer, true)                                                               \
    ENTRY(clEnqueueFillBuffer, true)                                                               \
    ENTRY(clEnqueueMapBuffer, true)                                                                \
    ENTRY(clEnqueueUnmapMemObject, true)                                                           \
    ENTRY(clEnqueueMarkerWithWaitList, true)                                                       \
    ENTRY(clEnqueueBarrierWithWaitList, true)                                                      \
    ENTRY(clCreateUserEvent, true)                                                                 \
    ENTRY(clSetUserEventStatus, true)                                                              \
    ENTRY(clFlush, true)                                                                           \
    ENTRY(clFinish, true)                                                                          \
    ENTRY(clWaitForEvents, true)                                                                   \
    ENTRY(clGetEventInfo, true)                                                                    \
    ENTRY(clGetEventProfilingInfo, true)                                                           \
    ENTRY(clSetEventCallback, true)                                                                \
    ENTRY(clReleaseEvent, true)

typedef struct ocl_library {
    void *handle;
#define OCL_ENTRY_MEMBER(name, required) __typeof__(name) *name;
    OCL_ENTRIES(OCL_ENTRY_MEMBER)
#undef OCL_ENTRY_MEMBER
} ocl_library;

/* Opens the loader at `path` (with dlopen's search rules) and fills the table; optional entry
 * points that the loader lacks are NULL. The caller passes the table's handle to
 * vendor_library_close. UNAVAILABLE: the loader is missing, or lacks a required entry point, which
 * the message names. */
RT_MUST_USE rt_status ocl_library_open(rt_sink *sink, const char *path, ocl_library *out_library);

/* The entry points of cl_intel_unified_shared_memory that the adapter calls. */
#define OCL_USM_ENTRIES(ENTRY)                                                                     \
    ENTRY(clHostMemAllocINTEL)                                                                     \
    ENTRY(clDeviceMemAllocINTEL)                                                                   \
    ENTRY(clSharedMemAllocINTEL)                                                                   \
    ENTRY(clMemBlockingFreeINTEL)                                                                  \
    ENTRY(clSetKernelArgMemPointerINTEL)                                                           \
    ENTRY(clEnqueueMemFillINTEL)                                                                   \
    ENTRY(clEnqueueMemcpyINTEL)

/* The entry points that access a program's variables by name.  OpenCL's headers do not declare
 * them.
 * Source: cl_intel_global_variable_access, as DeviceGlobal.md proposes it in "New PI interface to
 * copy to or from a module scope variable". */
typedef cl_int ocl_global_pointer_call(cl_device_id device, cl_program program, const char *name,
                                       size_t *out_size, void **out_pointer);
typedef cl_int ocl_global_read_call(cl_command_queue queue, cl_program program, const char *name,
                                    cl_bool blocking, size_t size, size_t offset, void *to,
                                    cl_uint wait_count, const cl_event *wait, cl_event *out_event);
typedef cl_int ocl_global_write_call(cl_command_queue queue, cl_program program, const char *name,
                                     cl_bool blocking, size_t size, size_t offset, const void *from,
                                     cl_uint wait_count, const cl_event *wait, cl_event *out_event);
#define OCL_GLOBAL_ENTRIES(ENTRY)                                                                  \
    ENTRY(clGetDeviceGlobalVariablePointerINTEL, ocl_global_pointer_call)                          \
    ENTRY(clEnqueueReadGlobalVariableINTEL, ocl_global_read_call)                                  \
    ENTRY(clEnqueueWriteGlobalVariableINTEL, ocl_global_write_call)

/* A platform's extension entry points; those that it lacks are NULL. */
typedef struct ocl_extensions {
#define OCL_USM_MEMBER(name) __typeof__(name) *name;
    OCL_USM_ENTRIES(OCL_USM_MEMBER)
#undef OCL_USM_MEMBER
#define OCL_GLOBAL_MEMBER(name, type) type *name;
    OCL_GLOBAL_ENTRIES(OCL_GLOBAL_MEMBER)
#undef OCL_GLOBAL_MEMBER
    bool usm;                /* has all of OCL_USM_ENTRIES */
    bool globals;            /* has all of OCL_GLOBAL_ENTRIES */
    bool function_addresses; /* returns addresses of functions (clGetDeviceFunctionPointerINTEL)
                              */
} ocl_extensions;

/* Queries a platform for the entry points of extensions.  A platform may have an entry point of an
 * extension that its devices do not support. */
void ocl_extensions_ask(const ocl_library *library, cl_platform_id platform,
                        ocl_extensions *out_extensions);

#endif
