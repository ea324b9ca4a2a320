/* A table of the instructions that the work-items of a group execute together. */
#ifndef SIM_COLLECTIVE_H
#define SIM_COLLECTIVE_H

#include "sim/module/module.h"

/* Operations of the work-items of a group.  Sums and products are computed in the order of the
 * work-items, one after the other, whatever the size of the group. */
typedef enum sim_collective {
    SIM_COLLECTIVE_IADD,
    SIM_COLLECTIVE_FADD,
    SIM_COLLECTIVE_SMIN,
    SIM_COLLECTIVE_UMIN,
    SIM_COLLECTIVE_FMIN,
    SIM_COLLECTIVE_SMAX,
    SIM_COLLECTIVE_UMAX,
    SIM_COLLECTIVE_FMAX,
    SIM_COLLECTIVE_IMUL,
    SIM_COLLECTIVE_FMUL,
    SIM_COLLECTIVE_AND,
    SIM_COLLECTIVE_OR,
    SIM_COLLECTIVE_XOR, /* up to here: reductions and scans */
    SIM_COLLECTIVE_ALL,
    SIM_COLLECTIVE_ANY,
    SIM_COLLECTIVE_ALL_EQUAL,
    SIM_COLLECTIVE_ELECT,
    SIM_COLLECTIVE_BROADCAST,
    SIM_COLLECTIVE_BROADCAST_FIRST,
    SIM_COLLECTIVE_BALLOT,
    SIM_COLLECTIVE_BIT_EXTRACT, /* bit b of mask a */
    SIM_COLLECTIVE_BIT_COUNT,
    SIM_COLLECTIVE_FIND_LSB,
    SIM_COLLECTIVE_FIND_MSB,
    SIM_COLLECTIVE_SHUFFLE,
    SIM_COLLECTIVE_SHUFFLE_XOR,
    SIM_COLLECTIVE_SHUFFLE_UP,
    SIM_COLLECTIVE_SHUFFLE_DOWN,
    SIM_COLLECTIVE_SHUFFLE_DOWN_NEXT, /* past the last work-item: values of c */
    SIM_COLLECTIVE_SHUFFLE_UP_BEFORE, /* before the first work-item: of a; otherwise of c */
    SIM_COLLECTIVE_ROTATE,
    SIM_COLLECTIVE_BARRIER, /* only waits for all work-items; `imm` is its order (sim_order) */
} sim_collective;

/* The operands that follow the scope, and the result. */
typedef enum sim_collective_form {
    SIM_COLLECTIVE_FORM_NONE,       /* none -> bool */
    SIM_COLLECTIVE_FORM_PREDICATE,  /* bool -> bool, or four integers that hold a mask */
    SIM_COLLECTIVE_FORM_VALUE,      /* value -> the same type, or bool */
    SIM_COLLECTIVE_FORM_INDEX,      /* value, integer(s) -> the same type */
    SIM_COLLECTIVE_FORM_QUAD,       /* value, constant integer -> the same type */
    SIM_COLLECTIVE_FORM_TWO,        /* value, value, integer -> the same type */
    SIM_COLLECTIVE_FORM_FOLD,       /* literal group operation, value -> the same type */
    SIM_COLLECTIVE_FORM_MASK,       /* four integers -> bool or integer */
    SIM_COLLECTIVE_FORM_MASK_INDEX, /* four integers, integer -> bool */
    SIM_COLLECTIVE_FORM_MASK_FOLD,  /* literal group operation, four integers -> integer */
} sim_collective_form;

typedef struct sim_collective_row {
    uint16_t opcode;
    uint8_t operation; /* sim_collective */
    uint8_t form;      /* sim_collective_form */
    bool is_uniform;   /* all work-items of the group must reach it */
    bool has_scope;    /* operand 0 is the scope; otherwise the scope is the sub-group */
} sim_collective_row;

/* Returns the static row of an instruction of group COLLECTIVE. */
const sim_collective_row *sim_collective_find(uint32_t opcode);

/* The scope (SIM_Scope…) that an operand specifies; SIM_NONE if it is not a constant. */
uint32_t sim_scope_constant(const sim_module *module, sim_id id);

/* True for an instruction at which the work-items of a sub-group meet: a sub-group barrier, and
 * every instruction of group COLLECTIVE except those that only inspect a mask, which each work-item
 * executes on its own. */
bool sim_collective_meets(const sim_module *module, const sim_instruction *instruction);

/* True for an instruction of group COLLECTIVE whose scope is the work-group: it waits for all
 * work-items as a barrier does. */
bool sim_collective_waits(const sim_module *module, const sim_instruction *instruction);

#endif
