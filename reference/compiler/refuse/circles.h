/* Initial values that lead back to their own variable: the translator follows them without end. */
#ifndef REFERENCE_COMPILER_REFUSE_CIRCLES_H
#define REFERENCE_COMPILER_REFUSE_CIRCLES_H

#include "reference/compiler/ir/job.h"

/* POSTLINK_ERROR: the initial value of some variable has the address of the variable itself,
 * directly or by way of other variables; the diagnostic names one of the circle.  Source: SPIR-V
 * specification 1.6, 2.4 "Logical Layout of a Module": what a variable begins with is declared
 * before it. */
RT_MUST_USE rt_status pl_refuse_circles(pl_job *job, LLVMModuleRef module);

#endif
