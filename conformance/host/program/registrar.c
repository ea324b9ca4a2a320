/* libassay_registrar.so: the smallest library that a host program can be linked with. It has the
 * two entry points through which DPC++ modules register and unregister their device images, and
 * stores nothing: the subject reads the images from the segments (HOST_SEGMENTS). Source:
 * intel/llvm, sycl/source/detail/program_manager (the entry points' names). */
#include "conformance/host/program/serve.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void __sycl_register_lib(const void *descriptor);
EXPORTED void __sycl_unregister_lib(const void *descriptor);

void __sycl_register_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_REGISTERED, descriptor);
}

void __sycl_unregister_lib(const void *descriptor)
{
    host_event_note(HOST_EVENT_UNREGISTERED, descriptor);
}

/* Ignored: the subject knows the modules' variables from the scenario. */
EXPORTED void assay_module_global(void *variable, const char *unique_id, unsigned long size,
                                  int image_scope)
{
    (void)variable;
    (void)unique_id;
    (void)size;
    (void)image_scope;
}

/* Ignored: the subject submits the kernels. */
EXPORTED void assay_module_kernels(const char *path, host_kernel *kernels, unsigned count)
{
    (void)path;
    (void)kernels;
    (void)count;
}

EXPORTED int assay_host_main(void)
{
    return host_serve("", NULL);
}
