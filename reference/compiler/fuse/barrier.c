#include "reference/compiler/fuse/barrier.h"

#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"

enum { FENCE_LOCAL_AND_GLOBAL = 1 | 2 }; /* CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE */

void pl_emit_barrier(pl_job *job, LLVMModuleRef module, LLVMBuilderRef builder)
{
    static const char name[] = "_Z7barrierj";
    LLVMTypeRef word = LLVMInt32TypeInContext(job->context);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(job->context), &word, 1, 0);
    LLVMValueRef barrier = LLVMGetNamedFunction(module, name);
    if (!barrier) barrier = LLVMAddFunction(module, name, type);
    LLVMSetFunctionCallConv(barrier, PL_SPIR_FUNCTION);
    LLVMValueRef fence = pl_integer(word, FENCE_LOCAL_AND_GLOBAL);
    LLVMValueRef call = LLVMBuildCall2(builder, type, barrier, &fence, 1, "");
    LLVMSetInstructionCallConv(call, PL_SPIR_FUNCTION);
    pl_flag_add(barrier, "convergent");
}
