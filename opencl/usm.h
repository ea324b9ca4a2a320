/* Intel's unified shared memory (cl_intel_unified_shared_memory), of the kind that only the device
 * accesses: its addresses are the device's, so the host cannot read them.  The variables of
 * programs are such memory too (clGetDeviceGlobalVariablePointerINTEL). */
#ifndef OPENCL_USM_H
#define OPENCL_USM_H

#include "opencl/icd.h"

/* The memory that an address points into, or just behind, and the offset; NULL: none. */
dev_memory *icd_usm_find(uint64_t address, uint64_t *out_offset);

/* Forgets the variables of a program whose executable is about to be destroyed. */
void icd_usm_forget(cl_program program);

/* The extension's function with that name; NULL: there is none. */
void (*icd_usm_function(const char *name))(void);

#endif
