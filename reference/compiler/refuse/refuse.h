/* What LLVM modules may hold and device code cannot: refused by name before anything works on it.
 */
#ifndef REFERENCE_COMPILER_REFUSE_REFUSE_H
#define REFERENCE_COMPILER_REFUSE_REFUSE_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: the source `name` has aliases, functions that would have to run at start-up,
 * assembly, exceptions, jumps to addresses, variable arguments, variables of threads, weak
 * declarations, kernels that are internal, names beyond ASCII, or exported symbols without a name;
 * the diagnostic names the symbol, and the line where the source has line information.  Source:
 * SPIR-V 2.4, "Logical Layout of a Module", which has none of these. */
RT_MUST_USE rt_status pl_refuse_foreign(pl_job *job, LLVMModuleRef module, rt_text name);

/* Refuses what an optimised module holds that SPIR-V or its writer lacks: types, operations and
 * initial values that lead back to their variable.  To be asked of every module before the writer
 * sees it, since it ends the process.  POSTLINK_ERROR, as the three say. */
RT_MUST_USE rt_status pl_refuse_unwritable(pl_job *job, LLVMModuleRef module);

#endif
