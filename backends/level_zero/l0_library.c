/* Finds the loader's entry points. */
#include "backends/level_zero/l0_library.h"

#include "backends/vendor/library.h"

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, required) {#name, offsetof(l0_library, name), !(required)},
    L0_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library loader = {
    .name = "the Level Zero loader",
    .remedy = "install one (Debian: libze1) and a driver for your device (for Intel's GPUs: "
              "intel-opencl-icd)",
    .remedy_lacking = "install one of version 1.3 or newer",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

rt_status l0_library_open(rt_sink *sink, const char *path, l0_library *out_library)
{
    *out_library = (l0_library){0};
    return vendor_library_open(sink, &loader, path, out_library, &out_library->handle);
}
