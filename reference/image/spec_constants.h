/* What an image says of its specialisation constants.
 *
 * A property of the set RT_SET_SPEC_CONSTANTS is one constant: a row of three u32 for each scalar
 * in it, of which a scalar has one: number in the code (SpecId), offset within the constant, size
 * in bytes.  A row with the number RT_SPEC_PADDING is no scalar but room behind the last one.  The
 * default values lie one constant after the other, in the order of the properties, so that the
 * place of a constant is the sum of what those before it take up.  Source: the layout of DPC++
 * (libsycl's reader of this set), which no document tells. */
#ifndef REFERENCE_IMAGE_SPEC_CONSTANTS_H
#define REFERENCE_IMAGE_SPEC_CONSTANTS_H

#include "reference/image/image.h"

#define RT_SPEC_PADDING UINT32_MAX

typedef struct rt_spec_descriptor {
    uint32_t id;            /* number in the code; of a composite, that of its first scalar */
    uint32_t scalar_count;  /* >= 1 */
    uint32_t size_bytes;    /* without padding behind the last scalar */
    rt_bytes default_value; /* size_bytes of the image's bytes; empty: the image does not tell it */
} rt_spec_descriptor;

/* Reads constant `index` of the image's set, which has one of that index.  False where the property
 * is no such table: no row, a part of one, or rows that overlap.  The default is borrowed from the
 * image; a damaged constant before this one leaves its place unknown, and the default untold. */
bool rt_spec_descriptor_read(const rt_image *image, uint32_t index,
                             rt_spec_descriptor *out_descriptor);

#endif
