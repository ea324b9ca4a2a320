/* Property sets in the text form of DPC++'s tools: `[set]`, then `name=type|value` line by line.
 *
 * Type 1 is a decimal number; type 2 is bytes, preceded by their length in bits as a little-endian
 * u64, all encoded in base64.  This base64 packs the least significant bit first and has no
 * padding. Source: sycl/doc/design/PropertySets.md; the digits are those that sycl-post-link
 * prints. */
#ifndef REFERENCE_IMAGE_PROPERTY_TEXT_H
#define REFERENCE_IMAGE_PROPERTY_TEXT_H

#include "reference/image/image.h"

typedef struct rt_property_sets {
    const rt_property_set *sets;
    uint32_t count;
} rt_property_sets;

/* Appends the text of the sets.  UNSUPPORTED: a name that the form cannot represent (an empty one,
 * one with a line break or NUL, or a property's name that contains `=` or begins with `[`); the
 * contents of *out are then unspecified. */
RT_MUST_USE rt_status rt_property_text_write(rt_sink *sink, rt_buffer *out, rt_property_sets sets);

/* Reads a text that begins at byte `offset` of its file; messages give offsets in that file.  Names
 * point into the text; values and tables are allocated in the arena.  Blank lines are skipped.
 * MALFORMED: the text does not follow the form; UNSUPPORTED: a type other than 1 or 2. *out_sets is
 * empty on failure. */
RT_MUST_USE rt_status rt_property_text_read(rt_sink *sink, rt_arena *arena, rt_text text,
                                            size_t offset, rt_property_sets *out_sets);

#endif
