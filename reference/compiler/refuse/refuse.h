/* Refuses, and names, features that device code cannot have (before any other step) and code that
 * the SPIR-V writer does not support (before the writer would end the process). */
#ifndef REFERENCE_COMPILER_REFUSE_REFUSE_H
#define REFERENCE_COMPILER_REFUSE_REFUSE_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: the source `name` has aliases, functions that must run at start-up, assembly,
 * exceptions, jumps to addresses, variable arguments, thread-local variables, weak declarations,
 * internal kernels, names with characters beyond ASCII, or exported symbols without a name.  The
 * diagnostic names the symbol, and the line if the source has line information.  Source: SPIR-V
 * 2.4, "Logical Layout of a Module", which has none of these. */
RT_MUST_USE rt_status pl_refuse_foreign(pl_job *job, LLVMModuleRef module, rt_text name);

/* POSTLINK_ERROR for a problem with one symbol of the source `source`: "source NAME, line N:
 * 'SYMBOL' problem", without the line if it is 0. */
RT_MUST_USE rt_status pl_refuse_symbol(pl_job *job, rt_text source, unsigned line, rt_text symbol,
                                       const char *problem);

/* Checks an optimised module for types, operations and cyclic initial values that SPIR-V or the
 * SPIR-V writer does not support. Every module is checked before the writer sees it, because the
 * writer would end the process. POSTLINK_ERROR: the diagnostic names the symbol, and the line if it
 * is known. */
RT_MUST_USE rt_status pl_refuse_unwritable(pl_job *job, LLVMModuleRef module);

/* Fails with `code` if the initial value of a variable contains the variable's own address,
 * directly or through other variables; the diagnostic names a variable of the cycle, and `form`,
 * which cannot express it.  SPIR-V cannot, because an initialiser is declared before its variable
 * (SPIR-V specification 1.6, 2.4 "Logical Layout of a Module"), nor can PTX as LLVM writes it: its
 * back end would end the process. */
RT_MUST_USE rt_status pl_refuse_circles(pl_job *job, LLVMModuleRef module, rt_code code,
                                        const char *form);

#endif
