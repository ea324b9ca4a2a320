/* The contents of a linked cubin, by its symbol table: it is an ELF file, and may be damaged. */
#ifndef BACKENDS_NVJITLINK_NVJ_CUBIN_H
#define BACKENDS_NVJITLINK_NVJ_CUBIN_H

#include "reference/base/text.h"

typedef enum nvj_symbol_kind {
    NVJ_SYMBOL_FUNCTION, /* kernels too */
    NVJ_SYMBOL_VARIABLE,
} nvj_symbol_kind;

/* A cubin, borrowed from its bytes. */
typedef struct nvj_cubin {
    rt_bytes bytes;
    rt_bytes symbols; /* of the symbol table */
    rt_bytes names;   /* its string table */
} nvj_cubin;

/* Finds the symbol table; false: the bytes are no such file, or it is cut off. */
bool nvj_cubin_read(rt_bytes bytes, nvj_cubin *out_cubin);

/* Finds a symbol that the cubin defines and that is not local to it; false: there is none.
 * *out_index is its number in the table, *out_size its size in bytes. */
bool nvj_cubin_find(const nvj_cubin *cubin, nvj_symbol_kind kind, rt_text name, uint32_t *out_index,
                    uint64_t *out_size);

#endif
