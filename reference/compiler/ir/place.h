/* Where a value stands in its source, as far as the line information tells. */
#ifndef REFERENCE_COMPILER_IR_PLACE_H
#define REFERENCE_COMPILER_IR_PLACE_H

#include "reference/compiler/ir/job.h"

/* `NAME:LINE: ` of a function or an instruction, with the name that the line information has, which
 * is the source's; empty where there is none.  In the job's arena. */
rt_text pl_place(pl_job *job, LLVMValueRef value);

/* The place of the use of a variable that stands first in its file, of those with a line; variables
 * have none of their own, since sources are compiled with line tables only.  As pl_place. */
rt_text pl_place_of_use(pl_job *job, LLVMValueRef variable);

/* The line of a function or an instruction, counted from 1; 0: not known. */
unsigned pl_place_line(LLVMValueRef value);

#endif
