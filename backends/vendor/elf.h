/* The symbols of machine code that a linker has made, an ELF file that may be damaged. */
#ifndef BACKENDS_VENDOR_ELF_H
#define BACKENDS_VENDOR_ELF_H

#include "reference/base/text.h"

typedef enum vendor_symbol_kind {
    VENDOR_SYMBOL_FUNCTION,
    VENDOR_SYMBOL_VARIABLE,
} vendor_symbol_kind;

/* A file; borrows the bytes it was read from. */
typedef struct vendor_elf {
    rt_bytes bytes;
    rt_bytes symbols; /* the symbol table; empty: the file has none */
    rt_bytes names;   /* its string table */
} vendor_elf;

/* Finds the symbol table.  False if the bytes are not a file for this machine (EM_CUDA …), or are
 * truncated. */
bool vendor_elf_read(rt_bytes bytes, uint16_t machine, vendor_elf *out_elf);

/* Finds the first section of a type.  False if there is none. */
bool vendor_elf_section(const vendor_elf *elf, uint32_t type, rt_bytes *out_bytes);

/* Finds a symbol that the file defines; with `takes_local` also a local one.  False if there is
 * none.  *out_index is its index in the table, *out_size its size in bytes. */
bool vendor_elf_find(const vendor_elf *elf, vendor_symbol_kind kind, bool takes_local, rt_text name,
                     uint32_t *out_index, uint64_t *out_size);

#endif
