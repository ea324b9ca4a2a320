/* What a program's SPIR-V says, for queries of the API; nothing is executed from it. */
#ifndef OPENCL_MODULE_H
#define OPENCL_MODULE_H

#include "opencl/icd.h"

/* True if the bytes begin like a SPIR-V module, in either byte order. */
bool icd_is_spirv(rt_bytes bytes);

/* Reads the kernels of modules into the arena.  False: one of them is not SPIR-V, or truncated. */
bool icd_kernel_facts(rt_arena *arena, const rt_buffer *modules, uint32_t module_count,
                      const icd_kernel_fact **out_kernels, uint32_t *out_count);

/* The entry with that index of a list in which a comma follows each; empty: there is none. */
rt_text icd_list_entry(rt_text list, uint32_t index);

/* The size in bytes of the specialisation constant with that id; 0: there is none. */
uint32_t icd_constant_size(rt_bytes module, cl_uint id);

/* Gives a specialisation constant of a module another default value, of the constant's size. */
void icd_constant_set(rt_buffer *module, cl_uint id, const uint8_t *value);

#endif
