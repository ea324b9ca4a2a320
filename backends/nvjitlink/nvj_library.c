/* Opening NVIDIA's linker library. */
#include "backends/nvjitlink/nvj_library.h"

#include <dlfcn.h>
#include <string.h>

typedef struct entry {
    const char *name;
    size_t offset; /* of the pointer in nvj_library */
} entry;

static const entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(nvj_library, name)},
    NVJ_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

/* dlsym returns a data pointer for a function; POSIX says that both have one representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "pointers to functions fit");

rt_status nvj_library_open(rt_sink *sink, const char *path, nvj_library *out_library)
{
    CHECK(path != NULL);
    *out_library = (nvj_library){0};
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "NVIDIA's linker cannot be opened: %s; ci/setup --with nvidia installs it",
                       dlerror());
    out_library->handle = handle;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *symbol = dlsym(handle, entries[i].name);
        if (!symbol) {
            nvj_library_close(out_library);
            return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE,
                           "NVIDIA's linker %s has no %s; ci/setup --with nvidia installs one that "
                           "has",
                           path, entries[i].name);
        }
        memcpy((char *)out_library + entries[i].offset, &symbol, sizeof symbol);
    }
    return RT_STATUS_OK;
}

void nvj_library_close(nvj_library *library)
{
    CHECK(library->handle != NULL);
    dlclose(library->handle);
    *library = (nvj_library){0};
}
