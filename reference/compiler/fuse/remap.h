/* Work-item remapping: the queries of a kernel's code are answered for its own nd-range. */
#ifndef REFERENCE_COMPILER_FUSE_REMAP_H
#define REFERENCE_COMPILER_FUSE_REMAP_H

#include "reference/compiler/fuse/values.h"

/* Replaces in `functions` (everything that one kernel of the list reaches, and nothing that another
 * one does) each query of a component that is to be remapped by what the view says.
 * FUSION_REJECTED, naming the kernel: it asks or does what has no answer in another grid:
 * sub-groups where ids change, a barrier under a guard that not all work-items of a group pass, a
 * call through a pointer.  Source: document 001, "Work-item remapping" and "Restrictions". */
RT_MUST_USE rt_status pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                         const LLVMValueRef *functions, uint32_t count,
                                         rt_text kernel);

#endif
