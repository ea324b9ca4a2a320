/* The Level Zero loader, opened at run time, as a table of the entry points that the adapter uses.
 */
#ifndef BACKENDS_LEVEL_ZERO_L0_LIBRARY_H
#define BACKENDS_LEVEL_ZERO_L0_LIBRARY_H

#include "reference/base/status.h"

#include <level_zero/ze_api.h>

/* All entry points that the adapter calls, and whether each is required.  The table replaces a
 * link-time dependency, so assay starts even where Level Zero is not installed. */
#define L0_ENTRIES(ENTRY)                                                                          \
    ENTRY(zeInit, true)                                                                            \
    ENTRY(zeDriverGet, true)                                                                       \
    ENTRY(zeDriverGetApiVersion, true)                                                             \
    ENTRY(zeDriverGetProperties, true)                                                             \
    ENTRY(zeDriverGetExtensionProperties, true)                                                    \
    ENTRY(zeDeviceGet, true)                                                                       \
    ENTRY(zeDeviceGetProperties, true)                                                             \
    ENTRY(zeDeviceGetComputeProperties, true)                                                      \
    ENTRY(zeDeviceGetModuleProperties, true)                                                       \
    ENTRY(zeDeviceGetMemoryAccessProperties, true)                                                 \
    ENTRY(zeDeviceGetCommandQueueGroupProperties, true)                                            \
    ENTRY(zeContextCreate, true)                                                                   \
    ENTRY(zeContextDestroy, true)                                                                  \
    ENTRY(zeMemAllocDevice, true)                                                                  \
    ENTRY(zeMemAllocHost, true)                                                                    \
    ENTRY(zeMemAllocShared, true)                                                                  \
    ENTRY(zeMemFree, true)                                                                         \
    ENTRY(zeModuleCreate, true)                                                                    \
    ENTRY(zeModuleDestroy, true)                                                                   \
    ENTRY(zeModuleDynamicLink, true)                                                               \
    ENTRY(zeModuleBuildLogGetString, true)                                                         \
    ENTRY(zeModuleBuildLogDestroy, true)                                                           \
    ENTRY(zeModuleGetNativeBinary, true)                                                           \
    ENTRY(zeModuleGetGlobalPointer, true)                                                          \
    ENTRY(zeKernelCreate, true)                                                                    \
    ENTRY(zeKernelDestroy, true)                                                                   \
    ENTRY(zeKernelGetProperties, true)                                                             \
    ENTRY(zeKernelSetArgumentValue, true)                                                          \
    ENTRY(zeKernelSetIndirectAccess, true)                                                         \
    ENTRY(zeKernelSetGroupSize, true)                                                              \
    ENTRY(zeKernelSuggestGroupSize, true)                                                          \
    ENTRY(zeKernelSetGlobalOffsetExp, false)                                                       \
    ENTRY(zeCommandListCreateImmediate, true)                                                      \
    ENTRY(zeCommandListDestroy, true)                                                              \
    ENTRY(zeCommandListAppendLaunchKernel, true)                                                   \
    ENTRY(zeCommandListAppendMemoryCopy, true)                                                     \
    ENTRY(zeCommandListAppendMemoryFill, true)                                                     \
    ENTRY(zeCommandListAppendBarrier, true)                                                        \
    ENTRY(zeCommandListAppendSignalEvent, true)                                                    \
    ENTRY(zeEventPoolCreate, true)                                                                 \
    ENTRY(zeEventPoolDestroy, true)                                                                \
    ENTRY(zeEventCreate, true)                                                                     \
    ENTRY(zeEventDestroy, true)                                                                    \
    ENTRY(zeEventHostSynchronize, true)                                                            \
    ENTRY(zeEventQueryStatus, true)

typedef struct l0_library {
    void *handle;
#define L0_ENTRY_MEMBER(name, required) __typeof__(name) *name;
    L0_ENTRIES(L0_ENTRY_MEMBER)
#undef L0_ENTRY_MEMBER
} l0_library;

/* Opens the loader at `path` (with dlopen's search rules) and fills the table; optional entry
 * points that the loader lacks are NULL. The caller passes the table's handle to
 * vendor_library_close. UNAVAILABLE: the loader is missing, or lacks a required entry point, which
 * the message names. */
RT_MUST_USE rt_status l0_library_open(rt_sink *sink, const char *path, l0_library *out_library);

#endif
