/* Walks over the instructions of a SPIR-V module without interpreting them.
 *
 * A module is a sequence of words in either byte order; its magic number shows which.  The walk
 * returns words in this machine's byte order, and never reads outside the module, even if its bytes
 * are arbitrary.
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
    size_t position;  /* offset of the next instruction, in bytes */
    uint32_t version; /* SPIR-V version as in the header; for example, 0x00010200 is 1.2 */
    bool is_swapped;  /* the words are not in this machine's byte order */
    bool is_damaged;  /* the module violates the layout */
} rt_spirv_walk;

/* One instruction; `bytes` points into the module and is in the module's byte order. */
typedef struct rt_spirv_instruction {
    uint32_t opcode;
    uint32_t word_count; /* at least 1; includes the first word */
    rt_bytes bytes;
    bool is_swapped;
} rt_spirv_instruction;

/* Starts a walk at the first instruction.  The walk is damaged from the start if there is no SPIR-V
 * header or the size is not a whole number of words. */
rt_spirv_walk rt_spirv_walk_start(rt_bytes code);

/* Steps to the next instruction.  False at the end, or if the module is damaged there
 * (walk->is_damaged). */
bool rt_spirv_walk_next(rt_spirv_walk *walk, rt_spirv_instruction *out_instruction);

/* True if the bytes are a header and whole instructions, in either byte order; otherwise appends to
 * *out_reason what is wrong, and at which byte. */
bool rt_spirv_check(rt_bytes code, rt_buffer *out_reason);

/* Word `index` of an instruction, 0 past its end. */
uint32_t rt_spirv_word(const rt_spirv_instruction *instruction, uint32_t index);

/* Appends the literal string that begins at a word, without its NUL.  False, and nothing is
 * appended: the instruction is shorter, or the string is not terminated within it. */
bool rt_spirv_text_append(const rt_spirv_instruction *instruction, uint32_t index, rt_buffer *out);

/* The literal string that begins at a word, as a span of the module.  Empty if there is none, or if
 * the module is not in this machine's byte order: the string is then not contiguous. */
rt_text rt_spirv_text(const rt_spirv_instruction *instruction, uint32_t index);

/* Finds the instruction (OpSpecConstant, OpSpecConstantTrue or OpSpecConstantFalse) of the scalar
 * specialisation constant with that SpecId.  Returns its size in bytes, 1 for a truth value, or 0
 * if the module has no such constant; *out_constant is then unspecified.  Source: 3.20
 * "SpecId", 3.42.7 "Constant-Creation Instructions". */
uint32_t rt_spirv_spec_constant_find(rt_bytes code, uint32_t spec_id,
                                     rt_spirv_instruction *out_constant);

#endif
