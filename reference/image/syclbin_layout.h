/* Constants of the SYCLBIN format, shared by its reader and its writer; syclbin.h describes the
 * format. */
#ifndef REFERENCE_IMAGE_SYCLBIN_LAYOUT_H
#define REFERENCE_IMAGE_SYCLBIN_LAYOUT_H

#include "reference/image/syclbin.h"

#define OFFLOAD_MAGIC "\x10\xFF\x10\xAD"

enum {
    OFFLOAD_VERSION = 2,
    OFFLOAD_HEADER_SIZE = 32,
    OFFLOAD_ENTRY_FIELD = 16, /* where the header states the entry's location */
    OFFLOAD_ENTRY_SIZE = 40,
    OFFLOAD_ENTRY_IMAGE = 24, /* where the entry states its image's location */
    OFFLOAD_IMAGE_SYCLBIN = 7,
    OFFLOAD_KIND_SYCL = 8,
    SYCLBIN_MAGIC = 0x53594249, /* "IBYS" on disk */
    SYCLBIN_VERSION = 1,
    SYCLBIN_HEADER_SIZE = 56,
    HEADER_SIZE = 32, /* size of the header of a module, an IR module or a native image */
};

typedef struct syclbin_counts {
    uint32_t modules, ir, native;
} syclbin_counts;

static inline uint64_t padded(uint64_t size)
{
    return (size + 7) / 8 * 8;
}

#endif
