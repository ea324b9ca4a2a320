/* Opening NVIDIA's linker library. */
#include "backends/nvjitlink/nvj_library.h"

#include "backends/vendor/library.h"

static const vendor_entry entries[] = {
#define ENTRY_ROW(name, parameters) {#name, offsetof(nvj_library, name), false},
    NVJ_ENTRIES(ENTRY_ROW)
#undef ENTRY_ROW
};

static const vendor_library linker = {
    .name = "NVIDIA's linker",
    .remedy = "ci/setup --with nvidia installs it",
    .remedy_lacking = "ci/setup --with nvidia installs one that has",
    .entries = entries,
    .entry_count = sizeof entries / sizeof *entries,
};

rt_status nvj_library_open(rt_sink *sink, const char *path, nvj_library *out_library)
{
    *out_library = (nvj_library){0};
    return vendor_library_open(sink, &linker, path, out_library, &out_library->handle);
}
