/* Converts one number at a time, in every rounding mode, with or without saturation.  Results are
 * correctly rounded; only integer arithmetic is used.  The engine has faster implementations of the
 * common conversions (exec/lanes.c, and half.h for half to nearest even).  Source: SPIR-V
 * specification 1.6, sections 3.16 "FP Rounding Mode", 3.20 "SaturatedConversion" and 3.42.11; IEEE
 * 754-2019, sections 3.4 and 4.3. */
#ifndef SIM_CONVERT_H
#define SIM_CONVERT_H

#include "reference/base/check.h"

#include <stdbool.h>
#include <stdint.h>

/* The type of the number that the bits represent. */
typedef enum sim_number_type {
    SIM_NUMBER_U8,
    SIM_NUMBER_U16,
    SIM_NUMBER_U32,
    SIM_NUMBER_U64,
    SIM_NUMBER_S8,
    SIM_NUMBER_S16,
    SIM_NUMBER_S32,
    SIM_NUMBER_S64,
    SIM_NUMBER_HALF,
    SIM_NUMBER_FLOAT,
    SIM_NUMBER_DOUBLE,
    SIM_NUMBER_TYPES
} sim_number_type;

/* The values are those of SPIR-V's FP Rounding Mode. */
typedef enum sim_rounding {
    SIM_ROUND_NEAREST, /* ties to even */
    SIM_ROUND_ZERO,
    SIM_ROUND_UP,
    SIM_ROUND_DOWN,
    SIM_ROUNDINGS
} sim_rounding;

typedef struct sim_numeric {
    sim_number_type from, to;
    sim_rounding rounding;
    bool is_saturated; /* to integers: clamp to the range of the type, 0 for NaN */
} sim_numeric;

/* The size in bytes of a number of the given type. */
static inline uint32_t sim_number_bytes(sim_number_type type)
{
    static const uint8_t bytes[SIM_NUMBER_TYPES] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
    CHECK(type < SIM_NUMBER_TYPES);
    return bytes[type];
}

_Static_assert(SIM_NUMBER_TYPES <= 16 && SIM_ROUNDINGS <= 4, "both fit in a packed conversion");

/* A conversion packed into one word, for register code. */
static inline uint32_t sim_numeric_pack(sim_numeric c)
{
    CHECK(c.from < SIM_NUMBER_TYPES && c.to < SIM_NUMBER_TYPES && c.rounding < SIM_ROUNDINGS);
    return (uint32_t)c.from | (uint32_t)c.to << 4 | (uint32_t)c.rounding << 8 |
           (c.is_saturated ? 1u << 10 : 0u);
}
static inline sim_numeric sim_numeric_unpack(uint32_t word)
{
    return (sim_numeric){.from = (sim_number_type)(word & 15),
                         .to = (sim_number_type)(word >> 4 & 15),
                         .rounding = (sim_rounding)(word >> 8 & 3),
                         .is_saturated = word >> 10 & 1};
}

/* Converts the number in the low bits.  Returns false, with *out_bits 0, if an integer cannot
 * represent it and the conversion does not saturate.  Floats overflow according to the rounding
 * mode, to infinity or to the largest finite number; a NaN becomes a quiet NaN of the same sign. */
bool sim_convert(sim_numeric conversion, uint64_t bits, uint64_t *out_bits);

#endif
