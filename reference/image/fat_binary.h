/* Fat binaries: the structures of pointers that a module of DPC++ hands to __sycl_register_lib.
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
 * An image does not state its layout: its version (3 for 80 bytes, earlier 96) is unreliable,
 * because the runtime does not check it.  The layout is therefore the one in which all images make
 * sense; the one that the version suggests is tried first.
 * Source: intel/llvm, sycl/source/detail/compiler.hpp and SYCLOffloadWrapper.cpp; LLVM,
 * Frontend/Offloading/Utility.cpp (entries of 56 bytes). */
#ifndef REFERENCE_IMAGE_FAT_BINARY_H
#define REFERENCE_IMAGE_FAT_BINARY_H

#include "reference/image/device_binary.h"
#include "reference/image/mapping.h"

/* Sizes of an image's structure in bytes. */
typedef enum rt_fat_layout { RT_FAT_80 = 80, RT_FAT_96 = 96 } rt_fat_layout;

typedef struct rt_fat_binary {
    rt_fat_layout layout;
    uint16_t version; /* version of the images' structures, as the first one states it */
    rt_device_binaries binaries;
} rt_fat_binary;

/* Reads the images of the descriptor at an address.  Names and code point into the mapping, tables
 * are allocated in the arena.  MALFORMED: an invalid pointer or number, with its address;
 * UNSUPPORTED: a property of a type other than number and bytes; LIMIT: images or code exceed
 * limits.h, or tables overlap so much that together they exceed the mapping. */
RT_MUST_USE rt_status rt_fat_binary_read(rt_sink *sink, rt_arena *arena, const rt_mapping *mapping,
                                         uint64_t descriptor, rt_fat_binary *out_fat);

/* Addresses of descriptors, ascending within a range of their mapping. */
typedef struct rt_descriptors {
    const uint64_t *addresses;
    uint32_t count;
} rt_descriptors;

/* Finds all descriptors in the mapping: every multiple of 8 that holds the numbers of a descriptor
 * and whose pointers lead to SYCL images.  This needs neither symbols nor the constructor's code,
 * so it works for stripped files.  Allocated in the arena. */
rt_descriptors rt_fat_binary_find(rt_arena *arena, const rt_mapping *mapping);

/* Appends the tables of a fat binary as C source: declarations of the structures, and last the
 * static variable `descriptor`, for the code that registers it.  A NUL byte follows each property's
 * bytes, because the runtime treats them as text in some places.  LIMIT: more binaries than a
 * descriptor can count; UNSUPPORTED: a text with a NUL byte. */
RT_MUST_USE rt_status rt_fat_binary_write_tables(rt_sink *sink, rt_buffer *out,
                                                 rt_fat_layout layout, rt_device_binaries binaries);

/* Appends a C source that gcc compiles into a shared object or executable.  It passes the binaries
 * to __sycl_register_lib when loaded and to __sycl_unregister_lib when unloaded, and must be linked
 * with libsycl.  Codes of rt_fat_binary_write_tables. */
RT_MUST_USE rt_status rt_fat_binary_write_c(rt_sink *sink, rt_buffer *out, rt_fat_layout layout,
                                            rt_device_binaries binaries);

#endif
