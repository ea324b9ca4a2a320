/* A device binary: one image as DPC++ passes it to its runtime, in any container.
 *
 * This is what DPC++'s containers (fat binaries, SYCLBIN) have in common; rt_image is the part that
 * assay's runtime uses.  Source: intel/llvm, sycl_device_binary_struct. */
#ifndef REFERENCE_IMAGE_DEVICE_BINARY_H
#define REFERENCE_IMAGE_DEVICE_BINARY_H

#include "reference/image/property_text.h"

/* format, its number in a fat binary, its name in messages */
#define RT_BINARY_FORMATS(FORMAT)                                                                  \
    FORMAT(UNKNOWN, 0, "unknown")                                                                  \
    FORMAT(NATIVE, 1, "native")                                                                    \
    FORMAT(SPIRV, 2, "SPIR-V")                                                                     \
    FORMAT(LLVM_BITCODE, 3, "LLVM bitcode")                                                        \
    FORMAT(COMPRESSED, 4, "zstd")

typedef enum rt_binary_format {
#define RT_BINARY_ENUM(format, number, name) RT_BINARY_##format = number,
    RT_BINARY_FORMATS(RT_BINARY_ENUM)
#undef RT_BINARY_ENUM
        RT_BINARY_FORMAT_COUNT
} rt_binary_format;

typedef struct rt_device_binary {
    rt_binary_format format; /* UNKNOWN: the code's first bytes determine it */
    rt_text target;          /* "spir64", "spir64_gen", "nvptx64" … */
    rt_text compile_options, link_options;
    const rt_text *entries; /* kernels, and functions that can be called from other images */
    uint32_t entry_count;
    rt_property_sets properties;
    rt_bytes code;
} rt_device_binary;

typedef struct rt_device_binaries {
    const rt_device_binary *items;
    uint32_t count;
} rt_device_binaries;

/* The name of a format, static. */
const char *rt_binary_format_name(rt_binary_format format);

/* The format that the first bytes of the code identify: COMPRESSED (RFC 8878, "Zstandard Frames"),
 * SPIRV (SPIR-V specification, "Physical Layout of a SPIR-V Module and Instruction"), LLVM_BITCODE
 * (LLVM Bitcode File Format, "Magic Numbers"), otherwise NATIVE. */
rt_binary_format rt_binary_format_of(rt_bytes code);

/* Creates the image `name` from a binary that is not compressed; everything is borrowed from it.
 * UNSUPPORTED: a target for which assay has no format, or LLVM bitcode. */
RT_MUST_USE rt_status rt_device_binary_image(rt_sink *sink, rt_text name,
                                             const rt_device_binary *binary, rt_image *out_image);

/* Removes the exports and the virtual functions from the entries of an image built from a binary:
 * DPC++ lists functions for other images among the entries, and only the property sets distinguish
 * them from kernels.  The new list is allocated in the arena.  Source: intel/llvm, sycl-post-link
 * (the list of symbols), ProgramManager::addImage. */
void rt_image_drop_exported_entries(rt_arena *arena, rt_image *image);

/* The reverse: adds to a binary's entries the image's exports and, unless the image is a dummy, its
 * virtual functions, as sycl-post-link lists them; shipped DPC++ writes no dummies.  libsycl
 * ignores a binary without entries.  The new list is allocated in the arena. */
void rt_device_binary_add_exports(rt_arena *arena, const rt_image *image,
                                  rt_device_binary *inout_binary);

/* The binary of an image: SPIR-V for the target spir64, native code for the others.  Everything is
 * borrowed. */
rt_device_binary rt_device_binary_of(const rt_image *image);

#endif
