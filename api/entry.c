/* The two functions that compilers' start-up code calls.  Source: intel/llvm,
 * sycl/source/detail/program_manager (their names). */
#include "api/assay.h"
#include "api/process.h"
#include "api/record.h"
#include "conformance/host/program/serve.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/* ---- libsycl ------------------------------------------------------------------------------- */

/* Copies the path of the module if it is libsycl, which ends the search. */
static int libsycl_find(struct dl_phdr_info *module, size_t size, void *user)
{
    (void)size;
    const char **path = user;
    const char *slash = module->dlpi_name ? strrchr(module->dlpi_name, '/') : NULL;
    if (!slash || strncmp(slash, "/libsycl.so", strlen("/libsycl.so")) != 0) return 0;
    *path = module->dlpi_name;
    return 1;
}

/* The functions of libsycl if the process has it, for programs that use it; its functions of these
 * names are hidden by ours.  It is looked for by its file, because a module that was opened with
 * RTLD_LOCAL has it outside the global scope. */
static api_next next_find(void)
{
    const char *path = NULL;
    api_next next = {0};
    if (dl_iterate_phdr(libsycl_find, &path) == 0) return next;
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return next;
    void *found = dlsym(library, "__sycl_register_lib");
    _Static_assert(sizeof found == sizeof next.begin, "POSIX: dlsym returns functions too");
    memcpy(&next.begin, &found, sizeof found);
    found = dlsym(library, "__sycl_unregister_lib");
    memcpy(&next.end, &found, sizeof found);
    dlclose(library); /* still needed by the module that registers */
    return next;
}

/* ---- The entry points ---------------------------------------------------------------------- */

void __sycl_register_lib(const void *descriptor)
{
    const api_next next = next_find();
    host_event_note(HOST_EVENT_REGISTERED, descriptor);
    api_record_write(descriptor);
    api_process_register(descriptor, next);
    if (next.begin) next.begin(descriptor);
}

void __sycl_unregister_lib(const void *descriptor)
{
    const api_next next = api_process_unregister(descriptor);
    if (next.end) next.end(descriptor);
    host_event_note(HOST_EVENT_UNREGISTERED, descriptor);
}
