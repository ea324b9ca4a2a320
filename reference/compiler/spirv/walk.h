/* Walks over the instructions of a SPIR-V module without understanding them.
 *
 * Source: SPIR-V specification, 2.3 "Physical Layout of a SPIR-V Module and Instruction".  Words
 * are in the machine's order, which is little-endian. */
#ifndef REFERENCE_COMPILER_SPIRV_WALK_H
#define REFERENCE_COMPILER_SPIRV_WALK_H

#include "reference/base/text.h"

enum { PL_SPIRV_HEADER_SIZE = 20 }; /* bytes before the first instruction */

typedef struct pl_walk {
    rt_bytes spirv;  /* borrowed */
    size_t position; /* bytes; of the next instruction */
    bool damaged;    /* the module does not follow the layout */
} pl_walk;

/* One instruction; `bytes` points into the module. */
typedef struct pl_instruction {
    uint32_t opcode;
    uint32_t word_count; /* at least 1, its first word included */
    rt_bytes bytes;
} pl_instruction;

/* A walk from the first instruction; damaged at once when there is no SPIR-V header. */
pl_walk pl_walk_start(rt_bytes spirv);

/* Steps to the next instruction.  False at the end and at damage, which walk->damaged tells. */
bool pl_walk_next(pl_walk *walk, pl_instruction *out_instruction);

/* Reports whether bytes are laid out as a SPIR-V module; where not, appends what is wrong at which
 * byte to *out_reason. */
bool pl_walk_check(rt_bytes spirv, rt_buffer *out_reason);

/* A word of an instruction, 0 behind its end. */
uint32_t pl_instruction_word(const pl_instruction *instruction, uint32_t index);

/* The literal string that begins at a word, without its NUL; empty where it is not terminated. */
rt_text pl_instruction_text(const pl_instruction *instruction, uint32_t index);

#endif
