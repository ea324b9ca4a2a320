/* An ELF file as its memory image: its segments at their addresses, relocated.
 *
 * Supported: 64-bit little-endian x86-64 executables and shared objects.  Only dynamic relocations
 * that create pointers into the file itself are applied: R_X86_64_RELATIVE and R_X86_64_64; the
 * words that DT_RELR covers already hold the right addresses, because the file is assumed to be
 * loaded at 0. libelf is not used: for four structures it would add a dependency on zlib and its
 * own handling of damaged files.
 *
 * Source: System V ABI, "Object Files" and "Program Loading and Dynamic Linking", and its AMD64
 * supplement, "Relocation". */
#ifndef REFERENCE_IMAGE_ELF_H
#define REFERENCE_IMAGE_ELF_H

#include "reference/base/status.h"
#include "reference/image/mapping.h"

/* True if the bytes begin with the magic number of an ELF file. */
bool rt_elf_is(rt_bytes file);

/* Maps the file into the arena.  MALFORMED: the file is damaged (the message gives the offset of
 * the fault); UNSUPPORTED: another class, byte order, machine or kind of file; LIMIT: segments
 * overlap in the file so much that together they exceed twice its size. *out_mapping is empty on
 * failure. */
RT_MUST_USE rt_status rt_elf_map(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                 rt_mapping *out_mapping);

#endif
