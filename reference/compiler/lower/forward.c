/* Handles conversions that a phi in an earlier block uses.
 *
 * The SPIR-V writer of version 14 assigns such a conversion a new id, the one that the phi refers
 * to, after the old id was decorated. So the decoration has no target, and the conversion is not
 * saturated or rounded as requested.  Nor does it write a conversion between equal types, so a phi
 * that uses one of those uses what it converts.  Other instructions have no decorations that matter
 * to a device. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/compiler/ir/values.h"

#include <string.h>

/* True for a conversion whose id, or that of its operand, the writer changes for a phi. */
static bool loses_decorations(LLVMValueRef value)
{
    if (!LLVMIsACallInst(value)) return false;
    LLVMValueRef callee = LLVMGetCalledValue(value);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return false;
    size_t length;
    const char *name = strstr(LLVMGetValueName2(callee, &length), "convert_");
    if (!name) return false;
    return strstr(name, "_sat") || strstr(name, "_rt") ||
           LLVMTypeOf(value) == LLVMTypeOf(LLVMGetOperand(value, 0));
}

/* `true` in the value's shape: a vector select takes one bit per component. */
static LLVMValueRef true_for(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef bits[16];
    bits[0] = pl_integer(LLVMInt1TypeInContext(LLVMGetTypeContext(type)), 1);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return bits[0];
    unsigned count = LLVMGetVectorSize(type);
    CHECK(count <= 16); /* the longest vector that OpenCL can convert */
    for (unsigned i = 1; i < count; i++)
        bits[i] = bits[0];
    return LLVMConstVector(bits, count);
}

/* Makes every phi that uses the call use a select of it instead. */
static void forward(LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMValueRef select = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef phi = LLVMGetUser(use);
        if (!LLVMIsAPHINode(phi)) continue;
        if (!select) {
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
            select = LLVMBuildSelect(builder, true_for(call), call, call, "");
        }
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
            if (LLVMGetIncomingValue(phi, i) == call) LLVMSetOperand(phi, i, select);
        next = LLVMGetFirstUse(call); /* the use list has changed; no phi is visited twice */
    }
}

void pl_forward_conversions(pl_job *job, LLVMValueRef function)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    LLVMValueRef instruction = pl_first_instruction(function);
    for (; instruction; instruction = pl_next_instruction(instruction))
        if (loses_decorations(instruction)) forward(builder, instruction);
    LLVMDisposeBuilder(builder);
}
