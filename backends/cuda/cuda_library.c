/* Opening NVIDIA's driver library. */
#include "backends/cuda/cuda_library.h"

#include <dlfcn.h>
#include <string.h>

typedef struct entry {
    const char *name;
    size_t offset; /* of the pointer in cuda_library */
} entry;

static const entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(cuda_library, name)},
    CUDA_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

/* dlsym returns a data pointer for a function; POSIX says that both have one representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions fit");

rt_status cuda_library_open(rt_sink *sink, const char *path, cuda_library *out_library)
{
    CHECK(path != NULL);
    *out_library = (cuda_library){0};
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return rt_fail(
            sink, RT_UNAVAILABLE, RT_RULE_NONE,
            "NVIDIA's driver cannot be opened: %s; it comes with the driver of an NVIDIA "
            "GPU (Debian: nvidia-driver)",
            dlerror());
    out_library->handle = handle;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (!symbol) {
            cuda_library_close(out_library);
            return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                           "NVIDIA's driver %s has no %s; install one for CUDA 12 or newer", path,
                           entries[i].name);
        }
        memcpy((char *)out_library + entries[i].offset, &symbol, sizeof symbol);
    }
    return RT_STATUS_OK;
}

void cuda_library_close(cuda_library *library)
{
    CHECK(library->handle != NULL);
    dlclose(library->handle);
    *library = (cuda_library){0};
}
