/* What the writer and the reader of packs share: how the parts of a struct follow each other.
 *
 * A pack is little-endian (base/stream.h): "ASSC", a u32 version, and the scenario.  A struct is
 * the values of the rows that the table of the format has for it (schema.h), in their order; one
 * that is a tagged union begins with a u32 tag and ends with the member of that tag.  A value that
 * may be absent begins with a u8 that tells, a table with a u32 count.  A choice, an index and a
 * number of 32 bits are a u32, a truth value is a u8, a position two u32.  Rules go by their names,
 * as ids are numbered anew in every version of assay, and fields of layouts without their offsets:
 * the reader places them anew. */
#ifndef CONFORMANCE_SCENARIO_PACK_H
#define CONFORMANCE_SCENARIO_PACK_H

#include "conformance/scenario/schema/schema.h"

enum { SCN_PACK_TAG = 0x43535341 /* "ASSC" */, SCN_PACK_VERSION = 14 };

#endif
