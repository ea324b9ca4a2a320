/* The instructions by which the work-items of a group work together, as a table. */
#ifndef SIM_COLLECTIVE_H
#define SIM_COLLECTIVE_H

#include "sim/code.h"

/* What operands follow the scope, and what the result is. */
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
    bool is_uniform;   /* all work-items of the group must come */
    bool has_scope;    /* operand 0 is the scope; a sub-group without */
} sim_collective_row;

/* The row of an instruction of group COLLECTIVE, static. */
const sim_collective_row *sim_collective_find(uint32_t opcode);

/* The scope (SIM_Scope…) that an operand names; SIM_NONE where it is no constant. */
uint32_t sim_scope_constant(const sim_module *module, sim_id id);

/* True for an instruction for which the work-items of a sub-group meet: a barrier of theirs, and
 * all of group COLLECTIVE but those that look at a mask, which each work-item has for itself. */
bool sim_collective_meets(const sim_module *module, const sim_instruction *instruction);

/* True for an instruction of group COLLECTIVE whose scope is the work-group: it waits for all
 * work-items as a barrier does. */
bool sim_collective_waits(const sim_module *module, const sim_instruction *instruction);

#endif
