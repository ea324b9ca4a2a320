/* 64-bit rotations by amounts that are not constant.
 *
 * LLVM 14's back end turns one into a shift left by the amount and a shift right by 64 minus the
 * amount.  LLVM's intrinsic takes the amount modulo 64, but PTX's shifts do not, so a rotation by
 * -1 yields 0.  The code generator would drop an `and`, as the intrinsic does not need it; it
 * cannot see through inline assembly.  Source: LLVM Language Reference, "llvm.fshl.*"; PTX ISA,
 * "shl" and "shr". */
#include "reference/compiler/ptx/ptx_internal.h"

#include <string.h>

enum { WIDTH = 64 };

/* The amount modulo 64, opaque to LLVM. */
static LLVMValueRef mask_scalar(LLVMBuilderRef builder, LLVMValueRef amount)
{
    static const char text[] = "and.b64 $0, $1, 63;", constraints[] = "=l,l";
    LLVMTypeRef type = LLVMTypeOf(amount);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    char code[sizeof text], operands[sizeof constraints]; /* the call takes no constants */
    memcpy(code, text, sizeof text);
    memcpy(operands, constraints, sizeof constraints);
    LLVMValueRef mask =
        LLVMGetInlineAsm(function, code, sizeof code - 1, operands, sizeof operands - 1, false,
                         false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(builder, function, mask, &amount, 1, "");
}

/* A vector is masked lane by lane, as the back end will split it anyway. */
static LLVMValueRef mask_amount(LLVMBuilderRef builder, LLVMValueRef amount)
{
    LLVMTypeRef type = LLVMTypeOf(amount);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return mask_scalar(builder, amount);
    LLVMTypeRef index_type = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef index = LLVMConstInt(index_type, i, false);
        LLVMValueRef lane = LLVMBuildExtractElement(builder, amount, index, "");
        amount = LLVMBuildInsertElement(builder, amount, mask_scalar(builder, lane), index, "");
    }
    return amount;
}

static bool is_of_64_bits(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WIDTH;
}

static void mask_uses(LLVMValueRef function)
{
    LLVMBuilderRef builder =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef amount = LLVMGetOperand(call, 2);
        if (LLVMIsConstant(amount)) continue;
        LLVMPositionBuilderBefore(builder, call);
        LLVMSetOperand(call, 2, mask_amount(builder, amount));
    }
    LLVMDisposeBuilder(builder);
}

void pl_ptx_mask_rotations(LLVMModuleRef module)
{
    static const char *const names[] = {"llvm.fshl.", "llvm.fshr."};
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        size_t length = 0;
        const char *name = LLVMGetValueName2(function, &length);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strncmp(name, names[i], strlen(names[i])) != 0) continue;
            if (is_of_64_bits(LLVMGetReturnType(LLVMGlobalGetValueType(function))))
                mask_uses(function);
        }
    }
}
