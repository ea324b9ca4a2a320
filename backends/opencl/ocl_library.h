/* The OpenCL loader, opened at run time, as a table of the entry points that the adapter uses. */
#ifndef BACKENDS_OPENCL_OCL_LIBRARY_H
#define BACKENDS_OPENCL_OCL_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 300

#include "reference/base/status.h"

#include <CL/cl.h>

/* Every entry point that the adapter calls, and whether a loader without it is of use.  A table
 * instead of a link-time dependency: assay starts, and runs on sim, where OpenCL is not installed.
 */
#define OCL_ENTRIES(ENTRY)                                                                         \
    ENTRY(clGetPlatformIDs, true)                                                                  \
    ENTRY(clGetPlatformInfo, true)                                                                 \
    ENTRY(clGetDeviceIDs, true)                                                                    \
    ENTRY(clGetDeviceInfo, true)                                                                   \
    ENTRY(clCreateContext, true)                                                                   \
    ENTRY(clReleaseContext, true)                                                                  \
    ENTRY(clCreateCommandQueueWithProperties, true)                                                \
    ENTRY(clReleaseCommandQueue, true)                                                             \
    ENTRY(clCreateBuffer, true)                                                                    \
    ENTRY(clReleaseMemObject, true)                                                                \
    ENTRY(clCreateProgramWithIL, false)                                                            \
    ENTRY(clCreateProgramWithBinary, true)                                                         \
    ENTRY(clBuildProgram, true)                                                                    \
    ENTRY(clCompileProgram, true)                                                                  \
    ENTRY(clLinkProgram, true)                                                                     \
    ENTRY(clGetProgramBuildInfo, true)                                                             \
    ENTRY(clReleaseProgram, true)                                                                  \
    ENTRY(clCreateKernel, true)                                                                    \
    ENTRY(clGetKernelInfo, true)                                                                   \
    ENTRY(clGetKernelWorkGroupInfo, true)                                                          \
    ENTRY(clSetKernelArg, true)                                                                    \
    ENTRY(clReleaseKernel, true)                                                                   \
    ENTRY(clEnqueueNDRangeKernel, true)                                                            \
    ENTRY(clEnqueueReadBuffer, true)                                                               \
    ENTRY(clEnqueueWriteBuffer, true)                                                              \
    ENTRY(clEnqueueCopyBuffer, true)                                                               \
    ENTRY(clEnqueueFillBuffer, true)                                                               \
    ENTRY(clFlush, true)                                                                           \
    ENTRY(clFinish, true)                                                                          \
    ENTRY(clWaitForEvents, true)                                                                   \
    ENTRY(clGetEventInfo, true)                                                                    \
    ENTRY(clReleaseEvent, true)

typedef struct ocl_library {
    void *handle;
#define OCL_ENTRY_MEMBER(name, required) __typeof__(name) *name;
    OCL_ENTRIES(OCL_ENTRY_MEMBER)
#undef OCL_ENTRY_MEMBER
} ocl_library;

/* Opens the loader at `path` (as dlopen looks for it) and fills the table; an optional entry point
 * that it lacks is NULL.  The caller closes it.  UNAVAILABLE: there is none, or it lacks a required
 * entry point, which the message names. */
RT_MUST_USE rt_status ocl_library_open(rt_sink *sink, const char *path, ocl_library *out_library);

/* Gives the library up.  It stays mapped: drivers keep threads of their own, which would run code
 * that is no longer there. */
void ocl_library_close(ocl_library *library);

#endif
