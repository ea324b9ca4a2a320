/* Walks over the instructions of a SPIR-V module without understanding them.
 *
 * A module is words in one of the two byte orders; its magic number tells which.  The walk answers
 * in this machine's order, and reads nothing outside the module whatever the bytes are.
 *
 * Source: SPIR-V 1.6, 2.3 "Physical Layout of a SPIR-V Module and Instruction". */
#ifndef REFERENCE_BASE_SPIRV_H
#define REFERENCE_BASE_SPIRV_H

#include "reference/base/text.h"

enum {
    RT_SPIRV_MAGIC = 0x07230203,
    RT_SPIRV_HEADER_SIZE = 20, /* bytes before the first instruction */
};

typedef struct rt_spirv_walk {
    rt_bytes code;    /* borrowed */
    size_t position;  /* bytes; of the next instruction */
    uint32_t version; /* of SPIR-V as the header has it, 0x00010200 for 1.2 */
    bool is_swapped;  /* the words are in the order that this machine does not have */
    bool is_damaged;  /* the module does not follow the layout */
} rt_spirv_walk;

/* One instruction; `bytes` points into the module and is in its order. */
typedef struct rt_spirv_instruction {
    uint32_t opcode;
    uint32_t word_count; /* at least 1, its first word included */
    rt_bytes bytes;
    bool is_swapped;
} rt_spirv_instruction;

/* A walk from the first instruction; damaged at once where there is no header of SPIR-V, or no
 * whole number of words. */
rt_spirv_walk rt_spirv_walk_start(rt_bytes code);

/* Steps to the next instruction.  False at the end and at damage (walk->is_damaged). */
bool rt_spirv_walk_next(rt_spirv_walk *walk, rt_spirv_instruction *out_instruction);

/* True when the bytes are a header and whole instructions, in either order; otherwise appends to
 * *out_reason what is wrong at which byte. */
bool rt_spirv_check(rt_bytes code, rt_buffer *out_reason);

/* Word `index` of an instruction, 0 past its end. */
uint32_t rt_spirv_word(const rt_spirv_instruction *instruction, uint32_t index);

/* Appends the literal string that begins at a word, without its NUL.  False, and nothing is
 * appended: the instruction is shorter, or the string is not terminated inside it. */
bool rt_spirv_text_append(const rt_spirv_instruction *instruction, uint32_t index, rt_buffer *out);

/* The same string inside the module, for modules in this machine's order only, where it is
 * contiguous; empty in others and where there is no such string. */
rt_text rt_spirv_text(const rt_spirv_instruction *instruction, uint32_t index);

#endif
