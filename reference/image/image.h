/* A device image: code of one format, its kernels and its property sets.
 *
 * Post-link produces this value, modules register it, and the program manager selects from these
 * values.  An image is immutable once created; it borrows its texts and bytes from the arena or the
 * stream that it was read from.
 *
 * Source: document 003 (SharedLibraries.md), "sycl-post-link changes". */
#ifndef REFERENCE_IMAGE_IMAGE_H
#define REFERENCE_IMAGE_IMAGE_H

#include "reference/base/arena.h"
#include "reference/base/format.h"
#include "reference/base/hash.h"
#include "reference/base/limits.h"
#include "reference/base/status.h"
#include "reference/base/stream.h"

/* Type tags of property values, as in the binary form (_pi_property_type). */
typedef enum rt_property_type {
    RT_PROPERTY_UINT32 = 1,
    RT_PROPERTY_BYTES = 2,
} rt_property_type;

typedef struct rt_property {
    rt_text name;
    rt_property_type type;
    uint32_t number;     /* UINT32 */
    rt_bytes bytes;      /* BYTES */
    uint8_t unused_bits; /* BYTES: number of unused high bits in the last byte, 0 to 7 */
} rt_property;

typedef struct rt_property_set {
    rt_text name;
    const rt_property *properties;
    uint32_t property_count;
} rt_property_set;

typedef struct rt_image {
    rt_text name; /* "libtwice/0": the module and the image's index in it */
    rt_format format;
    rt_text compile_options, link_options;
    const rt_text *kernels; /* entry points of the image, in the order of the code */
    uint32_t kernel_count;
    const rt_property_set *sets;
    uint32_t set_count;
    rt_bytes code;
    rt_bytes spirv; /* of code compiled ahead of time: the SPIR-V from which another device's
                     * compiler can make its own; empty: unknown, or the code is not native */
    rt_hash hash;   /* hash of code, format and property sets, not of the name or `spirv` */
} rt_image;

typedef struct rt_image_list {
    const rt_image *images;
    uint32_t count;
} rt_image_list;

/* Names of property sets (document 003, "sycl-post-link changes"; DL-IMAGE-05, DL-IMAGE-06). */
#define RT_SET_IMPORTED_SYMBOLS "SYCL/imported symbols"
#define RT_SET_EXPORTED_SYMBOLS "SYCL/exported symbols"
/* The first set has a property for each specialisation constant; the second has one property, named
 * "all", whose bytes are their concatenated default values.  spec_constants.h describes the layout;
 * the names of the sets are DPC++'s. */
#define RT_SET_SPEC_CONSTANTS         "SYCL/specialization constants"
#define RT_SET_SPEC_CONSTANT_DEFAULTS "SYCL/specialization constants default values"
/* The image's device requirements, in these properties: the aspects, as bytes that hold their u32
 * numbers in SYCL; the work-group size that the kernels require, as bytes that hold one u64 per
 * dimension (u32 in older images); the sub-group size that they require, as a number. */
#define RT_SET_DEVICE_REQUIREMENTS    "SYCL/device requirements"
#define RT_REQUIREMENT_ASPECTS        "aspects"
#define RT_REQUIREMENT_GROUP_SIZE     "reqd_work_group_size_uint64_t"
#define RT_REQUIREMENT_GROUP_SIZE_U32 "reqd_work_group_size"
#define RT_REQUIREMENT_SUB_GROUP_SIZE "reqd_sub_group_size"
/* Also in that set, of images compiled ahead of time: the architecture for which, as bytes that are
 * a text. */
#define RT_REQUIREMENT_TARGET "compile_target"

/* Of an image of DPC++'s device library, which exists once for devices that convert to and from
 * bfloat16 by an instruction (the number 1) and once for all others (0). */
#define RT_SET_DEVICELIB      "SYCL/devicelib metadata"
#define RT_DEVICELIB_BFLOAT16 "bfloat16"

/* A second form of the code, for a fusion compiler that cannot read the first: one property, whose
 * bytes are LLVM bitcode for the image's target; it calls builtin functions without defining them
 * (document 001, "Support for non SPIR-V targets").  The document leaves the form open; this one is
 * assay's. */
#define RT_SET_EMBEDDED_IR      "assay/embedded ir"
#define RT_EMBEDDED_IR_PROPERTY "llvm-bitcode"

#define RT_KERNEL_NONE UINT32_MAX

/* The index of the kernel with that name in the image; RT_KERNEL_NONE if there is none. */
uint32_t rt_image_kernel(const rt_image *image, rt_text name);

/* The set with that name, NULL if the image has none.  If there are several, the first applies. */
const rt_property_set *rt_image_set(const rt_image *image, const char *name);

/* The embedded bitcode; empty if the image has none. */
rt_bytes rt_image_embedded_ir(const rt_image *image);

/* The set's property with that name, the first if there are several; NULL if there is none, or the
 * set is NULL. */
const rt_property *rt_property_set_find(const rt_property_set *set, rt_text name);

/* True if the set (NULL: an absent one) has a property with that name; type and value have no
 * meaning in symbol sets (DL-IMAGE-07). */
bool rt_property_set_has(const rt_property_set *set, rt_text name);

/* Computes image->hash from the image's contents. */
void rt_image_hash(rt_image *image);

/* Appends the serialised form of a property set, and reads it: spans point into the input; the
 * table is allocated in the arena.  A damaged set leaves the reader failed. */
void rt_property_set_write(rt_buffer *out, const rt_property_set *set);
rt_property_set rt_property_set_read(rt_arena *arena, rt_reader *reader);

/* Minimum size of a set's serialised form in bytes. */
enum { RT_PROPERTY_SET_PACKED_MIN = 12 };

/* Appends the serialised form of a list: the form that the compiler plugin returns, the artefact
 * cache keeps and packs embed. */
void rt_image_list_write(rt_buffer *out, rt_image_list list);

/* Reads a list; spans point into the input, tables are allocated in the arena.  The hashes are
 * recomputed.  MALFORMED: the input is damaged (the message gives the offset); LIMIT: more or
 * larger images than limits.h allows. *out_list is empty on failure. */
RT_MUST_USE rt_status rt_image_list_read(rt_sink *sink, rt_arena *arena, rt_reader *reader,
                                         rt_image_list *out_list);

#endif
