/* Opening the OpenCL loader.  It calls none of it.
 * Source of the names: OpenCL 3.0 API specification; how loaders find drivers: cl_khr_icd. */
#include "backends/opencl/ocl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef struct entry {
    const char *name;
    size_t offset; /* of the pointer in ocl_library */
    bool required;
} entry;

static const entry entries[] = {
#define ENTRY_ROW(name, required) {#name, offsetof(ocl_library, name), required},
    OCL_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

/* dlsym returns a data pointer for a function; POSIX says that both have one representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions fit");

rt_status ocl_library_open(rt_sink *sink, const char *path, ocl_library *out_library)
{
    CHECK(path != NULL);
    *out_library = (ocl_library){0};
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the OpenCL loader cannot be opened: %s; install one (Debian: "
                       "ocl-icd-libopencl1) and a driver for your device",
                       dlerror());
    out_library->handle = handle;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (!symbol && entries[i].required) {
            ocl_library_close(out_library);
            return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                           "the OpenCL loader %s has no %s; install one for OpenCL 2.0 or newer",
                           path, entries[i].name);
        }
        memcpy((char *)out_library + entries[i].offset, &symbol, sizeof symbol);
    }
    return RT_STATUS_OK;
}

void ocl_library_close(ocl_library *library)
{
    CHECK(library->handle != NULL);
    dlclose(library->handle);
    *library = (ocl_library){0};
}
