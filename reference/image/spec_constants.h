/* The specialisation constants of an image.
 *
 * Each property of the set RT_SET_SPEC_CONSTANTS describes one constant, with a row of three u32
 * for each scalar in it (one row if it is a scalar itself): the number in the code (SpecId), the
 * offset within the constant and the size in bytes.  A row with the number RT_SPEC_PADDING stands
 * for padding after the last scalar. The default values follow one another in the order of the
 * properties, so the position of a constant is the sum of the preceding sizes.  A value has the
 * layout of its C++ type: each scalar is at its offset, and the bytes in between have no meaning.
 * Source: the layout of DPC++ (libsycl's reader of this set), which is not documented. */
#ifndef REFERENCE_IMAGE_SPEC_CONSTANTS_H
#define REFERENCE_IMAGE_SPEC_CONSTANTS_H

#include "reference/image/image.h"

#define RT_SPEC_PADDING UINT32_MAX

typedef struct rt_spec_descriptor {
    uint32_t id;            /* number in the code; for a composite, that of its first scalar */
    uint32_t scalar_count;  /* >= 1 */
    uint32_t size_bytes;    /* of a value, including padding after the last scalar */
    rt_bytes rows;          /* the table, for rt_spec_scalar_take */
    rt_bytes default_value; /* size_bytes bytes of the image; empty: unknown */
} rt_spec_descriptor;

/* A scalar of a constant. */
typedef struct rt_spec_scalar {
    uint32_t id;                 /* its number in the code */
    uint32_t offset, size_bytes; /* its place in a value of the constant */
} rt_spec_scalar;

/* Reads constant `index` of the image's set, which must be in range.  False, with a descriptor of
 * zeros, if the property is not a valid table: it has no row, an incomplete row, or rows that
 * overlap.  The default is borrowed from the image; if a constant before this one is damaged, the
 * position is unknown and the default empty.
 */
bool rt_spec_descriptor_read(const rt_image *image, uint32_t index,
                             rt_spec_descriptor *out_descriptor);

/* Takes the next scalar off the rows of a descriptor that has been read; false: there is none.  It
 * lies within the size of a value. */
bool rt_spec_scalar_take(rt_bytes *inout_rows, rt_spec_scalar *out_scalar);

#endif
