/* What the bits of an address mean, to code that computes with it and to the memory that it leads
 * to.
 *
 * An address is a number of 64 bits: two bits of class, 22 bits of object, 40 bits of offset.  The
 * offset of an object's first byte is SIM_ADDRESS_BIAS, not 0, so that an address somewhat before
 * the object still names it and becomes a finding about it.  Null is 0: object 0 does not exist. */
#ifndef SIM_ADDRESS_H
#define SIM_ADDRESS_H

#include "reference/base/check.h"

#include <stdint.h>

#define SIM_ADDRESS_OFFSET_BITS 40u
#define SIM_ADDRESS_OBJECT_BITS 22u
#define SIM_ADDRESS_CLASS_SHIFT 62u
#define SIM_ADDRESS_BIAS        (UINT64_C(1) << (SIM_ADDRESS_OFFSET_BITS - 1))
#define SIM_OBJECT_COUNT_MAX    ((1u << SIM_ADDRESS_OBJECT_BITS) - 1)

/* What memory an address points into; the numbers are part of the address. */
typedef enum sim_address_class {
    SIM_CLASS_GLOBAL,   /* objects of the world */
    SIM_CLASS_LOCAL,    /* objects of the running work-group: variables, then arguments; from 1 */
    SIM_CLASS_PRIVATE,  /* variables of one work-item: number of a frame, number of a variable */
    SIM_CLASS_FUNCTION, /* functions of the programs in this world; from 1; nothing to access */
} sim_address_class;

/* Private objects: 10 bits of frame (from 1), 12 bits of variable. */
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
/* Signed distance in bytes from the object's first byte, as a number that wraps: an offset before
 * the object is larger than any size. */
static inline uint64_t sim_address_offset(uint64_t address)
{
    return (address & ((UINT64_C(1) << SIM_ADDRESS_OFFSET_BITS) - 1)) - SIM_ADDRESS_BIAS;
}

#endif
