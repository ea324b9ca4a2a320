/* What the writer and the reader of packs share: the serialised layout.
 *
 * A pack is little-endian (base/stream.h): "ASSC", a u32 version, and the scenario. A struct is
 * written as the values of its rows in the format's table (schema.h), in row order; a tagged union
 * begins with a u32 tag and ends with the member that the tag selects. A value that may be absent
 * begins with a u8 that says whether it is present, a table with a u32 count. A choice, an index
 * and a 32-bit number are each a u32, a truth value is a u8, a position two u32s. Rules are written
 * by name, because their ids change with every version of assay. Fields of layouts are written
 * without offsets, which the reader recomputes. */
#ifndef CONFORMANCE_SCENARIO_PACK_H
#define CONFORMANCE_SCENARIO_PACK_H

#include "conformance/scenario/schema/schema.h"

/* True if a field of that size can hold the value that the model stores for a shape. If the field
 * were smaller than that value, reading would overwrite neighbouring fields. */
static inline bool scn_shape_fits(const scn_shape *shape, uint32_t size)
{
    switch (shape->kind) {
    case SCN_SHAPE_TEXT:
    case SCN_SHAPE_NAME:
    case SCN_SHAPE_WORD: return size == sizeof(rt_text);
    case SCN_SHAPE_INTEGER: return size == sizeof(uint32_t) || size == sizeof(uint64_t);
    case SCN_SHAPE_CHOICE: return size == sizeof(uint32_t) || size == sizeof(bool);
    case SCN_SHAPE_TRUTH: return size == sizeof(bool);
    case SCN_SHAPE_REFERENCE: return size == sizeof(uint32_t);
    case SCN_SHAPE_DOUBLE: return size == sizeof(double);
    case SCN_SHAPE_POSITION: return size == sizeof(scn_position);
    case SCN_SHAPE_BYTES: return size == sizeof(rt_bytes);
    case SCN_SHAPE_LAYOUT: return size == sizeof(scn_layout);
    case SCN_SHAPE_RULE: return size == sizeof(rt_rule);
    case SCN_SHAPE_IMAGES: return size == sizeof(rt_image_list);
    default: return true; /* a struct, whose rows have fields of their own */
    }
}

enum { SCN_PACK_TAG = 0x43535341 /* "ASSC" */, SCN_PACK_VERSION = 22 };

#endif
