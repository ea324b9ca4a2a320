/* Local memory that the kernels of a list need together. */
#ifndef REFERENCE_COMPILER_FUSE_LOCAL_H
#define REFERENCE_COMPILER_FUSE_LOCAL_H

#include "reference/compiler/fuse/passes.h"

/* Bytes of a work-group's local memory that the module's variables take.  Variables do not share
 * room, although those of two kernels are never needed at once: no driver is known to see that. */
uint64_t pl_fuse_local_size(LLVMModuleRef module);

/* True where `more` bytes of local memory are there beside those of the module's variables, or
 * nobody has said how many there are. */
bool pl_fuse_local_fits(const pl_fusing *fusing, uint64_t more);

/* FUSION_REJECTED where the fused kernel needs more of it than there is. */
RT_MUST_USE rt_status pl_fuse_local_check(const pl_fusing *fusing);

#endif
