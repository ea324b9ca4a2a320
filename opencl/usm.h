/* Memory that pointers reach on the host's side too: Intel's unified shared memory
 * (cl_intel_unified_shared_memory) of all kinds, shared virtual memory (svm.c), and the variables
 * of programs (clGetDeviceGlobalVariablePointerINTEL).  The host can access it, except for that of
 * the kind device and variables, whose addresses are the device's only.  So are the addresses of
 * functions (clGetDeviceFunctionPointerINTEL). */
#ifndef OPENCL_USM_H
#define OPENCL_USM_H

#include "opencl/icd.h"

#include <CL/cl_ext.h>

typedef struct icd_allocation {
    cl_context context; /* a reference; NULL: a variable */
    cl_program program; /* of a variable, which is forgotten before it; otherwise NULL */
    dev_memory *memory;
    uint64_t address, size;
    cl_unified_shared_memory_type_intel type;
    cl_device_id device; /* NULL: it is the host's */
    bool is_svm;
} icd_allocation;

/* The allocation that an address points into; `reach` is 1 if its end counts too.  NULL: none.
 * Valid until the next one is made or freed. */
const icd_allocation *icd_allocation_find(uint64_t address, uint64_t reach);
/* Makes `size` bytes of the template's type, which is validated; takes a reference to its context.
 * NULL with an error in *out_code, which may be NULL. */
void *icd_allocation_make(icd_allocation template, size_t size, cl_int *out_code, icd_call call);
/* Frees an allocation that begins at `pointer`; false: none does, or it is of the other interface.
 */
bool icd_allocation_free(void *pointer, bool is_svm);

/* Validates what all kinds have in common; svm.c has no properties. */
cl_int icd_allocation_validate(cl_context context, const cl_mem_properties_intel *properties,
                               size_t size, cl_uint alignment, icd_call call);

/* The memory that an address points into, or just past, and the offset; NULL: none. */
dev_memory *icd_usm_find(uint64_t address, uint64_t *out_offset);

/* Forgets the variables of a program whose executable is about to be destroyed. */
void icd_usm_forget(cl_program program);

/* One side of a copy: memory of the device, or of the host. */
typedef struct icd_place {
    dev_memory *memory; /* NULL: of the host */
    uint64_t offset;
    uint8_t *host;
} icd_place;
/* Finds the memory that a pointer of the program leads to. CL_INVALID_VALUE: NULL, a range that
 * leaves its allocation, or freed memory, which is also a finding. */
cl_int icd_place_make(const void *pointer, size_t size, icd_call call, icd_place *out_place);
/* Adds the part that copies; size >= 1. */
void icd_copy_part(icd_command *command, icd_place to, icd_place from, size_t size);

/* Copy and fill a range that a pointer names, as a command of the given type. */
cl_int icd_usm_copy(cl_command_queue queue, cl_command_type type, bool is_blocking, void *to,
                    const void *from, size_t size, cl_uint wait_count, const cl_event *wait,
                    cl_event *out_event, icd_call call);
cl_int icd_usm_fill(cl_command_queue queue, cl_command_type type, void *to, const void *pattern,
                    size_t pattern_size, size_t size, cl_uint wait_count, const cl_event *wait,
                    cl_event *out_event, icd_call call);

/* The extension's function with that name; NULL: there is none. */
void (*icd_usm_function(const char *name))(void);

#endif
