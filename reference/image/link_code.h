/* Code that a tool links: a SPIR-V module and what specialises it. */
#ifndef REFERENCE_IMAGE_LINK_CODE_H
#define REFERENCE_IMAGE_LINK_CODE_H

#include "reference/base/text.h"

/* The value of a specialisation constant, by the number in its SpecId decoration. */
typedef struct rt_link_constant {
    uint32_t id;
    rt_bytes value; /* little-endian, of the constant's own size; a bool has one byte */
} rt_link_constant;

/* One SPIR-V module of a link. */
typedef struct rt_link_code {
    rt_bytes spirv;
    const rt_link_constant *constants; /* that get another value than their default, each id once */
    uint32_t constant_count;
} rt_link_code;

#endif
