/* The symbols of a linked cubin, an ELF file that may be damaged. */
#ifndef BACKENDS_NVJITLINK_NVJ_CUBIN_H
#define BACKENDS_NVJITLINK_NVJ_CUBIN_H

#include "reference/base/text.h"

typedef enum nvj_symbol_kind {
    NVJ_SYMBOL_FUNCTION, /* includes kernels */
    NVJ_SYMBOL_VARIABLE,
} nvj_symbol_kind;

/* A cubin; borrows the bytes it was read from. */
typedef struct nvj_cubin {
    rt_bytes bytes;
    rt_bytes symbols; /* the symbol table */
    rt_bytes names;   /* its string table */
} nvj_cubin;

/* Finds the symbol table.  False if the bytes are not a cubin, or are truncated. */
bool nvj_cubin_read(rt_bytes bytes, nvj_cubin *out_cubin);

/* Finds a non-local symbol that the cubin defines.  False if there is none.  *out_index is its
 * index in the table, *out_size its size in bytes. */
bool nvj_cubin_find(const nvj_cubin *cubin, nvj_symbol_kind kind, rt_text name, uint32_t *out_index,
                    uint64_t *out_size);

#endif
