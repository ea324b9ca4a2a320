/* Gives work-item functions an answer for dimensions that do not exist. */
#ifndef REFERENCE_COMPILER_LOWER_DIMENSIONS_H
#define REFERENCE_COMPILER_LOWER_DIMENSIONS_H

#include "reference/compiler/ir/job.h"

/* Makes every call of a work-item function whose dimension is not known to be below 3 return what
 * OpenCL C says: 0 for ids and offsets, 1 for sizes and counts.  The SPIR-V writer would turn such
 * a call into an access beyond the end of a vector of three. Source: OpenCL C 2.0, 6.13.1
 * "Work-Item Functions". */
void pl_lower_dimensions(pl_job *job, LLVMModuleRef module);

#endif
