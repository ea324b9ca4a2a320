/* Bytes of a property as DPC++ stores them: their length in bits as a little-endian u64, then the
 * bytes; the binary and the text form share this layout.  Source: sycl/doc/design/PropertySets.md,
 * "Property types". */
#ifndef REFERENCE_IMAGE_PROPERTY_VALUE_H
#define REFERENCE_IMAGE_PROPERTY_VALUE_H

#include "reference/image/image.h"

enum { RT_PROPERTY_LENGTH_SIZE = 8 };

/* Appends the length and the bytes of a property of type BYTES. */
void rt_property_value_write(rt_buffer *out, const rt_property *property);

/* Sets the property's type, bytes and unused_bits from `value`, which consists of a length and then
 * the bytes; the property's bytes point into it. False, with the property unchanged: the length
 * does not match the size. */
bool rt_property_value_read(rt_bytes value, rt_property *property);

#endif
