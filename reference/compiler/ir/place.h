/* A value's position and name in its source, for messages. */
#ifndef REFERENCE_COMPILER_IR_PLACE_H
#define REFERENCE_COMPILER_IR_PLACE_H

#include "reference/compiler/ir/job.h"

/* `NAME:LINE: ` of a function or an instruction, with the source's name from the line information;
 * empty without line information. In the job's arena. */
rt_text pl_place(pl_job *job, LLVMValueRef value);

/* The place of a variable's first use, by line. Variables have no line themselves, since sources
 * are compiled with line tables only. Otherwise as pl_place. */
rt_text pl_place_of_use(pl_job *job, LLVMValueRef variable);

/* The line of a function or an instruction, counted from 1; 0: not known. */
unsigned pl_place_line(LLVMValueRef value);

/* The source-level name of a symbol, for example "inner::Bar" for _ZN5inner3BarE.  In the job's
 * arena.
 */
rt_text pl_place_name(pl_job *job, LLVMValueRef symbol);

#endif
