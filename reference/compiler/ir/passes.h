/* Passes of LLVM's new pass manager. */
#ifndef REFERENCE_COMPILER_IR_PASSES_H
#define REFERENCE_COMPILER_IR_PASSES_H

#include "reference/compiler/ir/job.h"

#include <llvm-c/TargetMachine.h>

/* Drops unused code and turns available_externally definitions into declarations. */
#define PL_DROP_PASSES "elim-avail-extern,globaldce,strip-dead-prototypes"

/* Runs passes, named as in LLVM's pass builder, and verifies the module. `machine` is the target
 * machine that they optimise for, or NULL. TOOL, with LLVM's reason: the pass does not exist, or
 * the module is invalid afterwards. */
RT_MUST_USE rt_status pl_passes_run(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine,
                                    const char *passes);

/* The same without a machine, but with 8, 16, 32 and 64 bits declared as native integer widths, so
 * that the passes prefer them. */
RT_MUST_USE rt_status pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes);

#endif
