/* Passes of LLVM's new pass manager. */
#ifndef REFERENCE_COMPILER_IR_PASSES_H
#define REFERENCE_COMPILER_IR_PASSES_H

#include "reference/compiler/ir/job.h"

#include <llvm-c/TargetMachine.h>

/* Drops what nothing uses and turns available_externally definitions into declarations. */
#define PL_DROP_PASSES "elim-avail-extern,globaldce,strip-dead-prototypes"

/* Runs passes, named as LLVM's pass builder names them, and verifies the module.  `machine` is what
 * they optimise for, or NULL.  TOOL, with LLVM's reason: there is no such pass, or the module is
 * invalid afterwards. */
RT_MUST_USE rt_status pl_passes_run(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                    const char *passes);

/* The same without a machine, and told that integers of 8, 16, 32 and 64 bits are native, so that
 * they prefer these widths. */
RT_MUST_USE rt_status pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes);

#endif
