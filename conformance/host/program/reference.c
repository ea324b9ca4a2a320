/* The host program's part of libassay_reference.so.  The subject reads the images that modules
 * register from their segments (HOST_SEGMENTS); __sycl_register_lib itself is in api/entry.c. */
#include "conformance/host/program/serve.h"

#define EXPORTED __attribute__((visibility("default")))

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
