/* Initial values that lead back to their own variable: the translator would follow them for ever.
 */
#ifndef REFERENCE_COMPILER_REFUSE_CIRCLES_H
#define REFERENCE_COMPILER_REFUSE_CIRCLES_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: the initial value of a variable contains the variable's own address, directly or
 * through other variables; the diagnostic names a variable of the cycle.  Source: SPIR-V
 * specification 1.6, 2.4 "Logical Layout of a Module": an initialiser is declared before its
 * variable. */
RT_MUST_USE rt_status pl_refuse_circles(pl_job *job, LLVMModuleRef module);

#endif
