/* Opening a vendor's library.
 * Source: POSIX.1-2017, dlopen, dlsym. */
#include "backends/vendor/library.h"

#include <dlfcn.h>
#include <string.h>

/* dlsym returns a function's address as a data pointer; POSIX guarantees that both kinds of pointer
 * have the same representation. */
_Static_assert(sizeof(void *) == sizeof(void (*)(void)), "function pointers fit");

rt_status vendor_library_open(rt_sink *sink, const vendor_library *library, const char *path,
                              void *table, void **out_handle)
{
    CHECK(path != NULL && table != NULL);
    CHECK(library->entry_count > 0);
    *out_handle = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s cannot be opened: %s; %s",
                       library->name, dlerror(), library->remedy);
    for (size_t i = 0; i < library->entry_count; i++) {
        const vendor_entry *entry = &library->entries[i];
        void *symbol = dlsym(handle, entry->name);
        if (!symbol && !entry->is_optional) {
            dlclose(handle);
            return rt_fail(sink, RT_UNAVAILABLE, RT_RULE_NONE, "%s %s has no %s; %s", library->name,
                           path, entry->name, library->remedy_lacking);
        }
        memcpy((char *)table + entry->offset, &symbol, sizeof symbol);
    }
    *out_handle = handle;
    return RT_STATUS_OK;
}

void vendor_library_close(void *handle)
{
    if (handle) dlclose(handle);
}
