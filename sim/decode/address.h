/* The layout of an address, for code that computes with addresses and for the memory that they
 * name.
 *
 * An address has 64 bits: two bits of class, 22 bits of object, 40 bits of offset. The offset of an
 * object's first byte is SIM_ADDRESS_BIAS, not 0, so that an address slightly below the object
 * still names it and an access through it is a finding about that object. The null pointer is 0;
 * there is no object 0. */
#ifndef SIM_ADDRESS_H
#define SIM_ADDRESS_H

#include "reference/base/check.h"

#include <stdint.h>

#define SIM_ADDRESS_OFFSET_BITS 40u
#define SIM_ADDRESS_OBJECT_BITS 22u
#define SIM_ADDRESS_CLASS_SHIFT 62u
#define SIM_ADDRESS_BIAS        (UINT64_C(1) << (SIM_ADDRESS_OFFSET_BITS - 1))
#define SIM_OBJECT_COUNT_MAX    ((1u << SIM_ADDRESS_OBJECT_BITS) - 1)

/* The kind of memory that an address points into; the numbers are part of addresses. */
typedef enum sim_address_class {
    SIM_CLASS_GLOBAL,   /* objects of the world */
    SIM_CLASS_LOCAL,    /* objects of the running work-group, numbered from 1: variables, then
                         * arguments */
    SIM_CLASS_PRIVATE,  /* variables of one work-item: frame number and variable number */
    SIM_CLASS_FUNCTION, /* functions of the programs in this world, numbered from 1; cannot be
                         * accessed */
} sim_address_class;

/* Private objects: 10 bits of frame number (from 1), 12 bits of variable number. */
#define SIM_PRIVATE_VARIABLE_BITS 12u
#define SIM_PRIVATE_FRAME_MAX     ((1u << (SIM_ADDRESS_OBJECT_BITS - 12u)) - 1)

static inline uint64_t sim_address_of(sim_address_class class, uint32_t object)
{
    CHECK(object <= SIM_OBJECT_COUNT_MAX);
    return (uint64_t) class << SIM_ADDRESS_CLASS_SHIFT |
           (uint64_t)object << SIM_ADDRESS_OFFSET_BITS | SIM_ADDRESS_BIAS;
}
static inline uint32_t sim_address_class_of(uint64_t address)
{
    return (uint32_t)(address >> SIM_ADDRESS_CLASS_SHIFT);
}
static inline uint32_t sim_address_object(uint64_t address)
{
    return (uint32_t)(address >> SIM_ADDRESS_OFFSET_BITS) & SIM_OBJECT_COUNT_MAX;
}
/* The distance in bytes from the object's first byte, modulo 2^64; for an address before the object
 * it is larger than any object's size. */
static inline uint64_t sim_address_offset(uint64_t address)
{
    return (address & ((UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1)) - SIM_ADDRESS_BIAS;
}

#endif
