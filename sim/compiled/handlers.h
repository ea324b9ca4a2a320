/* What the tier knows of each handler of register code: its shape, its types, and the name under
 * which lane.c defines it. */
#ifndef SIM_TIER_HANDLERS_H
#define SIM_TIER_HANDLERS_H

#include "sim/decode/code.h"

typedef enum tier_shape {
    TIER_UNCOVERED,   /* kernels that contain it are interpreted */
    TIER_BINARY,      /* lane_NAME(a, b); the form is a sim_form */
    TIER_UNARY,       /* lane_NAME(a) */
    TIER_TERNARY,     /* lane_NAME(a, b, c) */
    TIER_DEFINED = 8, /* a flag: ok_NAME tells whether the result is defined */
    TIER_BINARY_DEFINED = TIER_BINARY | 8,
    TIER_UNARY_DEFINED = TIER_UNARY | 8,
    TIER_DIVIDE = 7 | 8, /* like BINARY_DEFINED, but computing it if it is undefined may trap */
    TIER_MATH1 = 16,     /* number/math.c */
    TIER_MATH2,
    TIER_HALF, /* UNARY, for which processors have an instruction from level 1 on */
    TIER_MOVE,
    TIER_SELECT,
    TIER_PICK,
    TIER_INDEX, /* a; undefined unless a is less than `extra` */
    TIER_HOLDS, /* a; undefined if b is 0 */
    TIER_BOUND, /* no target; undefined unless a is less than `extra` */
    TIER_LOAD,
    TIER_STORE,
    TIER_ATOMIC, /* only some of them: see flat.c */
    TIER_COPY,
    TIER_COLLECTIVE, /* of sub-groups */
    TIER_FENCE,
    TIER_FRAME_ADDRESS,
    TIER_FORGET,
} tier_shape;

typedef struct tier_handler {
    const char *name; /* of the handler's family, such as "ADD_I32"; UNCOVERED: often a reason,
                       * which begins in lower case */
    uint8_t shape;    /* tier_shape */
    uint8_t form;     /* sim_form, or sim_memory_form; for V and S: SIM_FORM_VV and SIM_FORM_SS */
    uint8_t from, to; /* sim_lane_type of the operands and the target; LOAD, STORE: of a component
                       * in memory */
} tier_handler;

/* Returns the row of a handler. */
const tier_handler *tier_handler_at(uint32_t handler);

#endif
