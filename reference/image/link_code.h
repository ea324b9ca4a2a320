/* Code that a tool links: a SPIR-V module with its specialisation, or LLVM bitcode if no tool can
 * read the code's format. */
#ifndef REFERENCE_IMAGE_LINK_CODE_H
#define REFERENCE_IMAGE_LINK_CODE_H

#include "reference/base/arena.h"
#include "reference/base/stream.h"

/* The value of a specialisation constant, identified by the number in its SpecId decoration. */
typedef struct rt_link_constant {
    uint32_t id;
    rt_bytes value; /* little-endian, as many bytes as the constant has; a bool has one byte */
} rt_link_constant;

/* One module of a link. */
typedef struct rt_link_code {
    rt_bytes spirv;                    /* or, for format PTX, the bitcode embedded in its image */
    const rt_link_constant *constants; /* constants set to a value other than their default, each id
                                        * once */
    uint32_t constant_count;
} rt_link_code;

/* Appends the serialised form: the module, then a count of pairs of id and value. */
void rt_link_code_write(rt_buffer *out, const rt_link_code *code);

/* Reads the serialised form: spans point into the input; the table is allocated in the arena.
 * Damaged input leaves the reader failed. */
rt_link_code rt_link_code_read(rt_arena *arena, rt_reader *reader);

/* Minimum size of the serialised form in bytes. */
enum { RT_LINK_CODE_PACKED_MIN = 12 };

#endif
