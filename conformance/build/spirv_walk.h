/* The instructions of a SPIR-V module one after the other, for whoever looks for a few of them.
 * Source: SPIR-V specification, 2.3 "Physical Layout of a SPIR-V Module and Instruction". */
#ifndef CONFORMANCE_BUILD_SPIRV_WALK_H
#define CONFORMANCE_BUILD_SPIRV_WALK_H

#include "reference/base/text.h"

typedef struct cnf_spirv_walk {
    rt_bytes code; /* little-endian, borrowed */
    size_t next;   /* index of the word where the next instruction begins */
    bool damaged;  /* the words do not form instructions */
    /* The instruction that was taken last. */
    uint32_t opcode;
    size_t at;       /* index of its first word */
    uint32_t length; /* words, >= 1 */
} cnf_spirv_walk;

/* Begins in front of the first instruction. */
cnf_spirv_walk cnf_spirv_walk_of(rt_bytes code);

/* Takes the next instruction; false at the end, or where it is damaged. */
bool cnf_spirv_walk_next(cnf_spirv_walk *walk);

/* A word of the instruction, 0 its first; 0 where it is shorter. */
uint32_t cnf_spirv_walk_word(const cnf_spirv_walk *walk, uint32_t index);

/* The literal string that begins in a word of the instruction; false: it is empty, or its end lies
 * behind the instruction's. */
bool cnf_spirv_walk_string(const cnf_spirv_walk *walk, uint32_t index, rt_text *out_string);

#endif
