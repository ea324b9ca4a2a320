/* Adds up the sizes of variables in local memory; each kernel of a list has its own copies
 * (kernels.c). */
#include "reference/compiler/fuse/local.h"

#include <llvm-c/Target.h>

uint64_t pl_fuse_local_size(LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    uint64_t size = 0;
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) != PL_SPACE_LOCAL) continue;
        size += rt_fusion_local_bytes(LLVMABISizeOfType(layout, LLVMGlobalGetValueType(variable)));
    }
    return size;
}

bool pl_fuse_local_fits(const pl_fusing *fusing, uint64_t more)
{
    if (fusing->local_size_max == 0) return true;
    uint64_t size = pl_fuse_local_size(fusing->module);
    return size <= fusing->local_size_max && more <= fusing->local_size_max - size;
}
