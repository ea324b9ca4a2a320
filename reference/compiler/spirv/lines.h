/* Reduces the debug information of a SPIR-V module to line numbers. */
#ifndef REFERENCE_COMPILER_SPIRV_LINES_H
#define REFERENCE_COMPILER_SPIRV_LINES_H

#include "reference/compiler/ir/job.h"

/* Appends a copy of the module that omits the instructions of debug information sets but keeps
 * OpLine and the file names that it refers to.  MALFORMED: not SPIR-V. */
RT_MUST_USE rt_status pl_lines_keep(pl_job *job, rt_bytes spirv, rt_buffer *out_spirv);

#endif
