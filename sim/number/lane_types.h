/* The C types of lanes, by the names that macros paste together. */
#ifndef SIM_LANE_TYPES_H
#define SIM_LANE_TYPES_H

#include <stdint.h>

/* The C types of lanes by name (sim_lane_type without its prefix): unsigned or float (U), signed
 * (S), and the widths of integers (BITS). */
#define U_I8     uint8_t
#define U_I16    uint16_t
#define U_I32    uint32_t
#define U_I64    uint64_t
#define U_F32    float
#define U_F64    double
#define S_I8     int8_t
#define S_I16    int16_t
#define S_I32    int32_t
#define S_I64    int64_t
#define BITS_I8  8
#define BITS_I16 16
#define BITS_I32 32
#define BITS_I64 64

#endif
