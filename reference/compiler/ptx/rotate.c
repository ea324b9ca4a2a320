/* Rotations of 64 bits by amounts that are not known.
 *
 * LLVM 14's back end makes of one a shift to the left by the amount and one to the right by 64
 * minus it, and PTX's shifts do not take amounts modulo 64, so that of a rotation by -1 nothing is
 * left. LLVM's intrinsic takes the amount modulo 64.  The code generator drops an `and` that does
 * so, as the rotation does not need it; the assembler's it cannot see through. Source: LLVM
 * Language Reference, "llvm.fshl.*"; PTX ISA, "shl" and "shr". */
#include "reference/compiler/ptx/ptx_internal.h"

#include <string.h>

enum { WIDTH = 64 };

/* The amount modulo 64, of which nobody knows that it is. */
static LLVMValueRef amount_masked(LLVMBuilderRef builder, LLVMValueRef amount)
{
    static const char text[] = "and.b64 $0, $1, 63;", constraints[] = "=l,l";
    LLVMTypeRef type = LLVMTypeOf(amount);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    char code[sizeof text], held[sizeof constraints]; /* the call wants no constants */
    memcpy(code, text, sizeof text);
    memcpy(held, constraints, sizeof constraints);
    LLVMValueRef mask = LLVMGetInlineAsm(function, code, sizeof code - 1, held, sizeof held - 1,
                                         false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(builder, function, mask, &amount, 1, "");
}

/* A vector's lanes are rotated one by one, since the back end takes it apart all the same. */
static LLVMValueRef amounts_masked(LLVMBuilderRef builder, LLVMValueRef amount)
{
    LLVMTypeRef type = LLVMTypeOf(amount);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) return amount_masked(builder, amount);
    LLVMTypeRef index_type = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef index = LLVMConstInt(index_type, i, false);
        LLVMValueRef lane = LLVMBuildExtractElement(builder, amount, index, "");
        amount = LLVMBuildInsertElement(builder, amount, amount_masked(builder, lane), index, "");
    }
    return amount;
}

static bool is_of_64_bits(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WIDTH;
}

static void uses_mask(LLVMValueRef function)
{
    LLVMBuilderRef builder =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef amount = LLVMGetOperand(call, 2);
        if (LLVMIsConstant(amount)) continue;
        LLVMPositionBuilderBefore(builder, call);
        LLVMSetOperand(call, 2, amounts_masked(builder, amount));
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
                uses_mask(function);
        }
    }
}
