/* Opens the OpenCL loader and queries platforms for the entry points of extensions.
 *
 * Source of the names: OpenCL 3.0 API specification; cl_khr_icd for how loaders find drivers. */
#include "backends/opencl/ocl_library.h"

#include "backends/vendor/library.h"

#include <string.h>

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, required) {#name, offsetof(ocl_library, name), !(required)},
    OCL_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library loader = {
    .name = "the OpenCL loader",
    .remedy = "install one (Debian: ocl-icd-libopencl1) and a driver for your device",
    .remedy_lacking = "install a loader for OpenCL 2.0 or newer",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

rt_status ocl_library_open(rt_sink *sink, const char *path, ocl_library *out_library)
{
    *out_library = (ocl_library){0};
    return vendor_library_open(sink, &loader, path, out_library, &out_library->handle);
}

/* An entry point of an extension and its slot in ocl_extensions. */
typedef struct extension_entry {
    const char *name;
    size_t offset;
} extension_entry;

static const extension_entry usm_entries[] = {
#define USM_ROW(name) {#name, offsetof(ocl_extensions, name)},
    OCL_USM_ENTRIES(USM_ROW)
#undef USM_ROW
};

static const extension_entry global_entries[] = {
#define GLOBAL_ROW(name, type) {#name, offsetof(ocl_extensions, name)},
    OCL_GLOBAL_ENTRIES(GLOBAL_ROW)
#undef GLOBAL_ROW
};

/* Fills the slots that the rows name.  True if the platform has all of these entry points. */
static bool entries_ask(const ocl_library *library, cl_platform_id platform,
                        const extension_entry *rows, size_t count, ocl_extensions *out_extensions)
{
    bool complete = true;
    for (size_t i = 0; i < count; i++) {
        void *found = library->clGetExtensionFunctionAddressForPlatform(platform, rows[i].name);
        memcpy((char *)out_extensions + rows[i].offset, &found, sizeof found);
        complete = complete && found != NULL;
    }
    return complete;
}

void ocl_extensions_ask(const ocl_library *library, cl_platform_id platform,
                        ocl_extensions *out_extensions)
{
    *out_extensions = (ocl_extensions){0};
    out_extensions->usm = entries_ask(library, platform, usm_entries,
                                      sizeof usm_entries / sizeof *usm_entries, out_extensions);
    out_extensions->globals =
        entries_ask(library, platform, global_entries,
                    sizeof global_entries / sizeof *global_entries, out_extensions);
    out_extensions->function_addresses = library->clGetExtensionFunctionAddressForPlatform(
                                             platform, "clGetDeviceFunctionPointerINTEL") != NULL;
}
