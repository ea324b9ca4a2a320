/* Finding the loader's entry points. */
#include "backends/level_zero/l0_library.h"

#include "reference/base/check.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; /* in l0_library */
    bool required;
} entries[] = {
#define ENTRY_ROW(name, required) {#name, offsetof(l0_library, name), required},
    L0_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

/* dlsym returns a data pointer for a function; POSIX says that both have one representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions fit");

rt_status l0_library_open(rt_sink *sink, const char *path, l0_library *out_library)
{
    CHECK(path != NULL);
    *out_library = (l0_library){0};
    /* Drivers start threads and register what runs at exit, so the code has to stay. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the Level Zero loader cannot be opened: %s; install one (Debian: libze1) "
                       "and a driver for your device (for Intel's GPUs: intel-opencl-icd)",
                       dlerror());
    out_library->handle = handle;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (!symbol && entries[i].required) {
            l0_library_close(out_library);
            return rt_fail(
                sink, RT_UNAVAILABLE, RT_RULE_NONE,
                "the Level Zero loader %s has no %s; install one of version 1.3 or newer", path,
                entries[i].name);
        }
        memcpy((char *)out_library + entries[i].offset, &symbol, sizeof symbol);
    }
    return RT_STATUS_OK;
}

void l0_library_close(l0_library *library)
{
    CHECK(library->handle != NULL);
    dlclose(library->handle);
    *library = (l0_library){0};
}
