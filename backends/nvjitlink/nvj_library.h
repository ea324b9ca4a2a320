/* NVIDIA's linker library, opened at run time.  The part of its interface that the adapter calls is
 * declared here, so that the build does not need NVIDIA's headers; the constants' names are ours.
 *
 * Source: nvJitLink documentation, 13.0, "Linking" and "Error codes". */
#ifndef BACKENDS_NVJITLINK_NVJ_LIBRARY_H
#define BACKENDS_NVJITLINK_NVJ_LIBRARY_H

#include "reference/base/status.h"

typedef struct nvJitLink nvj_handle; /* what nvJitLinkHandle points to */
typedef int nvj_result;              /* nvJitLinkResult */

enum { NVJ_SUCCESS = 0 };
enum { NVJ_INPUT_PTX = 2 }; /* nvJitLinkInputType */

/* name, parameters; all return an nvj_result */
#define NVJ_ENTRIES(ENTRY)                                                                         \
    ENTRY(nvJitLinkVersion, (unsigned *out_major, unsigned *out_minor))                            \
    ENTRY(nvJitLinkCreate, (nvj_handle * *out_handle, uint32_t count, const char **options))       \
    ENTRY(nvJitLinkDestroy, (nvj_handle * *handle))                                                \
    ENTRY(nvJitLinkAddData,                                                                        \
          (nvj_handle * handle, int type, const void *data, size_t size, const char *name))        \
    ENTRY(nvJitLinkComplete, (nvj_handle * handle))                                                \
    ENTRY(nvJitLinkGetLinkedCubinSize, (nvj_handle * handle, size_t * out_size))                   \
    ENTRY(nvJitLinkGetLinkedCubin, (nvj_handle * handle, void *cubin))                             \
    ENTRY(nvJitLinkGetErrorLogSize, (nvj_handle * handle, size_t * out_size))                      \
    ENTRY(nvJitLinkGetErrorLog, (nvj_handle * handle, char *log))

#define NVJ_ENTRY_TYPE(name, parameters) typedef nvj_result name##_call parameters;
NVJ_ENTRIES(NVJ_ENTRY_TYPE)
#undef NVJ_ENTRY_TYPE

typedef struct nvj_library {
    void *handle;
#define NVJ_ENTRY_MEMBER(name, parameters) name##_call *name;
    NVJ_ENTRIES(NVJ_ENTRY_MEMBER)
#undef NVJ_ENTRY_MEMBER
} nvj_library;

#endif
