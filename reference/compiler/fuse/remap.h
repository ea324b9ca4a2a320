/* Work-item remapping: a kernel's queries are answered for its own nd-range. */
#ifndef REFERENCE_COMPILER_FUSE_REMAP_H
#define REFERENCE_COMPILER_FUSE_REMAP_H

#include "reference/compiler/fuse/values.h"

/* Replaces, in `functions` (everything that one kernel of the list reaches, and nothing that
 * another one reaches), each query of a component that has to be remapped with the value that the
 * view gives. FUSION_REJECTED, naming the kernel: it cannot run in the launch's nd-range, because
 * it uses sub-groups although ids change, has a barrier under a guard that not all work-items of a
 * group pass, or calls through a pointer. Source: document 001, "Work-item remapping" and
 * "Restrictions".
 */
RT_MUST_USE rt_status pl_remap_functions(pl_job *job, const pl_view *view, bool ptx,
                                         const LLVMValueRef *functions, uint32_t count,
                                         rt_text kernel);

#endif
