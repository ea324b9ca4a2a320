/* An ELF file as the memory that it becomes: its segments at their addresses, relocated.
 *
 * Supported: 64 bits, little-endian, x86-64, executables and shared objects.  Of the dynamic
 * relocations those are applied that make pointers into the file itself: R_X86_64_RELATIVE and
 * R_X86_64_64; the words of DT_RELR hold their address already, because the file is taken to be
 * loaded at 0.  Own code instead of libelf, which would bring zlib and its own idea of damaged
 * files along for four structures.
 * Source: System V ABI, "Object Files" and "Program Loading and Dynamic Linking", and its AMD64
 * supplement, "Relocation". */
#ifndef REFERENCE_IMAGE_ELF_H
#define REFERENCE_IMAGE_ELF_H

#include "reference/base/status.h"
#include "reference/image/mapping.h"

/* True when the bytes begin as an ELF file does. */
bool rt_elf_is(rt_bytes file);

/* Lays the file out in the arena.  MALFORMED: damaged, with the byte of the fault; UNSUPPORTED:
 * another class, byte order, machine or kind of file; LIMIT: segments overlap in the file so much
 * that they take more than twice its size. */
RT_MUST_USE rt_status rt_elf_map(rt_sink *sink, rt_arena *arena, rt_bytes file,
                                 rt_mapping *out_mapping);

#endif
