/* Fat binaries: the linked structures that a DPC++ module passes to __sycl_register_lib.
 *
 *     descriptor: u16 version (1)  u16 number of images  images  host entries begin, end
 *     image, 80 bytes: u16 version  u8 kind (4, newer 8)  u8 format  target  compile, link options
 *                      code begin, end  entries begin, end  property sets begin, end
 *     image, 96 bytes: the same with a manifest's begin and end before the code
 *     entry, 32 bytes: address  name  size  flags, zero; 56 bytes: zero  u16 version (1)  u16 kind
 *                      u32 flags  address  name  size  data  address
 *     property set: name  properties begin, end
 *     property: name  value  u32 type  size; a number is stored in the size
 *
 * An image does not state its layout: its version (3: 80 bytes; earlier versions: 96 bytes) is
 * unreliable, because the runtime does not check it.  The reader therefore chooses the layout in
 * which all images make sense, and first tries the one that the version suggests. Source:
 * intel/llvm, sycl/source/detail/compiler.hpp and SYCLOffloadWrapper.cpp; LLVM,
 * Frontend/Offloading/Utility.cpp (entries of 56 bytes). */
#ifndef REFERENCE_IMAGE_FAT_BINARY_H
#define REFERENCE_IMAGE_FAT_BINARY_H

#include "reference/image/device_binary.h"
#include "reference/image/mapping.h"

/* Sizes of an image's structure in bytes. */
typedef enum rt_fat_layout { RT_FAT_80 = 80, RT_FAT_96 = 96 } rt_fat_layout;

typedef struct rt_fat_binary {
    rt_fat_layout layout;
    uint16_t version; /* version that the first image's structure states */
    rt_device_binaries binaries;
} rt_fat_binary;

/* Reads the images of the descriptor at an address.  Names and code point into the mapping; tables
 * are allocated in the arena.  MALFORMED: an invalid pointer or number, whose address the message
 * gives; UNSUPPORTED: a property whose type is neither number nor bytes; LIMIT: images or code
 * exceed limits.h, or tables overlap so much that together they exceed the mapping. */
RT_MUST_USE rt_status rt_fat_binary_read(rt_sink *sink, rt_arena *arena, const rt_mapping *mapping,
                                         uint64_t descriptor, rt_fat_binary *out_fat);

/* Addresses of descriptors, ascending within each range of the mapping. */
typedef struct rt_descriptors {
    const uint64_t *addresses;
    uint32_t count;
} rt_descriptors;

/* Finds all descriptors in the mapping: every multiple of 8 at which the numbers are those of a
 * descriptor and the pointer leads to what looks like a SYCL image.  This needs neither symbols nor
 * the constructor's code, so it works for stripped files. The result is allocated in the arena. */
rt_descriptors rt_fat_binary_find(rt_arena *arena, const rt_mapping *mapping);

/* What follows the bytes of a property in memory.  They are exactly what the property says, and its
 * size ends them.  DPC++'s tools put the next property's bytes after them, or padding
 * (addRawDataToModule in SYCLOffloadWrapper.cpp makes arrays that are aligned to 1 byte if they are
 * short), so a runtime that reads on to a NUL reads something else in each program.  Here it reads
 * the same each time: */
typedef enum rt_fat_after {
    RT_FAT_AFTER_OTHER, /* a byte that is not zero, then a NUL */
    RT_FAT_AFTER_NUL    /* a NUL, like padding */
} rt_fat_after;

/* Appends the tables of a fat binary as C source: first the declarations of the structures, last
 * the static variable `descriptor`, which the registration code refers to.  LIMIT: more binaries
 * than a descriptor can count; UNSUPPORTED: a string that contains a NUL byte. */
RT_MUST_USE rt_status rt_fat_binary_write_tables(rt_sink *sink, rt_buffer *out,
                                                 rt_fat_layout layout, rt_fat_after after,
                                                 rt_device_binaries binaries);

/* Appends C source that gcc compiles into a shared object or executable.  That module passes the
 * binaries to __sycl_register_lib when loaded and to __sycl_unregister_lib when unloaded, and must
 * be linked with libsycl.  RT_FAT_AFTER_OTHER follows each property.  Returns the codes of
 * rt_fat_binary_write_tables. */
RT_MUST_USE rt_status rt_fat_binary_write_c(rt_sink *sink, rt_buffer *out, rt_fat_layout layout,
                                            rt_device_binaries binaries);

#endif
