/* Opening NVIDIA's driver library. */
#include "backends/cuda/cuda_library.h"

#include "backends/vendor/library.h"

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(cuda_library, name), false},
    CUDA_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library driver = {
    .name = "NVIDIA's driver",
    .remedy = "it comes with the driver of an NVIDIA GPU (Debian: nvidia-driver)",
    .remedy_lacking = "install one for CUDA 12 or newer",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

rt_status cuda_library_open(rt_sink *sink, const char *path, cuda_library *out_library)
{
    *out_library = (cuda_library){0};
    return vendor_library_open(sink, &driver, path, out_library, &out_library->handle);
}
