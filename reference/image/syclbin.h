/* SYCLBIN: the file of a kernel bundle.
 *
 * A file holds abstract modules; each has its properties, and its code once per intermediate
 * representation and once per device.  Metadata consists of property sets in text form.
 *
 *     offload binary, version 2 (llvm/Object/OffloadBinary.h): header, one entry, and in it
 *     "IBYS" u32 version  u32 modules  u32 IR modules  u32 native images  u32 zero
 *     u64 metadata size  u64 code size  u64 offset, size of the global metadata
 *     module: u64 offset, size of its metadata  u32 count, first IR module  u32 count, first native
 *     IR module, native image: u64 offset, size of its metadata  u64 offset, size of its code
 *     metadata  zeros to a multiple of 8  code  zeros to a multiple of 8
 *
 * Offsets of metadata and of code count from the beginning of the respective part.  Source:
 * sycl/doc/design/SYCLBINDesign.md, and the files that the 2026 compiler writes. */
#ifndef REFERENCE_IMAGE_SYCLBIN_H
#define REFERENCE_IMAGE_SYCLBIN_H

#include "reference/image/device_binary.h"

/* An IR module or a native image. */
typedef struct rt_syclbin_code {
    rt_property_sets metadata;
    rt_bytes code;
} rt_syclbin_code;

typedef struct rt_syclbin_module {
    rt_property_sets metadata;
    const rt_syclbin_code *ir, *native;
    uint32_t ir_count, native_count;
} rt_syclbin_module;

typedef struct rt_syclbin {
    rt_property_sets metadata; /* the metadata of the whole file */
    const rt_syclbin_module *modules;
    uint32_t module_count;
} rt_syclbin;

/* Names of property sets and properties of the container itself. */
#define RT_SET_SYCLBIN_GLOBAL "SYCLBIN/global metadata"
#define RT_SET_SYCLBIN_IR     "SYCLBIN/ir module metadata"
#define RT_SET_SYCLBIN_NATIVE "SYCLBIN/native device code image metadata"
#define RT_SET_KERNEL_NAMES   "SYCL/kernel names"

/* State of the bundle, stored as the global property "state". */
typedef enum rt_syclbin_state {
    RT_SYCLBIN_INPUT,
    RT_SYCLBIN_OBJECT,
    RT_SYCLBIN_EXECUTABLE
} rt_syclbin_state;

/* True if the bytes begin with the magic number of an offload binary. */
bool rt_syclbin_is(rt_bytes file);

/* Reads a file.  Names and code point into it; tables and values are allocated in the arena.
 * MALFORMED: the file is damaged (the message gives the offset of the fault); UNSUPPORTED: another
 * version, several entries, or an unknown type of property. *out_syclbin is empty on failure. */
RT_MUST_USE rt_status rt_syclbin_read(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                      rt_syclbin *out_syclbin);

/* Appends the file.  Writing a file that was read reproduces it if its parts are in the compiler's
 * order. UNSUPPORTED: a name that the text form cannot hold. */
RT_MUST_USE rt_status rt_syclbin_write(rt_sink *sink, rt_buffer *out, const rt_syclbin *syclbin);

/* The binaries of all modules: a binary has the properties of its module, the target from its own
 * metadata, the format of its code, and the names in `SYCL/kernel names` as entries.  Tables are
 * allocated in the arena; the rest is borrowed.  LIMIT: there are more than RT_IMAGE_COUNT_MAX
 * binaries; *out_binaries is then empty. */
RT_MUST_USE rt_status rt_syclbin_binaries(rt_sink *sink, rt_arena *arena, const rt_syclbin *syclbin,
                                          rt_device_binaries *out_binaries);

/* Creates a SYCLBIN with one module per binary, in state executable if all binaries are native,
 * otherwise object.  If a binary has no set `SYCL/kernel names`, its entries become that set.
 * UNSUPPORTED: a binary has options, for which the format has no place, or is neither SPIR-V nor
 * native code; *out_syclbin is then empty. The result is allocated in the arena. */
RT_MUST_USE rt_status rt_syclbin_of(rt_sink *sink, rt_arena *arena, rt_device_binaries binaries,
                                    rt_syclbin *out_syclbin);

#endif
