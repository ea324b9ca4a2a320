/* Defects of LLVM 14's back end in 64-bit shifts. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/values.h"

#include <string.h>

enum { WIDTH = 64 };

static bool is_wide(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == WIDTH;
}

/* A freeze of a shift's result changes no value, and hides the shift from the code generator. */
static void freeze(LLVMBuilderRef builder, LLVMValueRef shift)
{
    LLVMPositionBuilderBefore(builder, pl_next_instruction(shift));
    LLVMValueRef frozen = LLVMBuildFreeze(builder, shift, "");
    LLVMReplaceAllUsesWith(shift, frozen);
    LLVMSetOperand(frozen, 0, shift);
}

/* ---- Rotations ----------------------------------------------------------------------------- */

/* LLVM 14's back end turns a rotation by an amount that is not constant into a shift left by the
 * amount and a shift right by 64 minus the amount. LLVM's intrinsic takes the amount modulo 64, but
 * PTX's shifts do not, so a rotation by -1 yields 0. The amount is therefore reduced here, by
 * inline assembly: the code generator would drop an `and` instruction, because the intrinsic does
 * not need it, but cannot see through inline assembly. Source: LLVM Language Reference,
 * "llvm.fshl.*"; PTX ISA, "shl" and "shr". */

/* The amount modulo 64, in a form that is opaque to LLVM. */
static LLVMValueRef mask_scalar(LLVMBuilderRef builder, LLVMValueRef amount)
{
    static const char text[] = "and.b64 $0, $1, 63;", constraints[] = "=l,l";
    LLVMTypeRef type = LLVMTypeOf(amount);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    char code[sizeof text], operands[sizeof constraints]; /* LLVMGetInlineAsm takes non-const
                                                           * strings */
    memcpy(code, text, sizeof text);
    memcpy(operands, constraints, sizeof constraints);
    LLVMValueRef mask =
        LLVMGetInlineAsm(function, code, sizeof code - 1, operands, sizeof operands - 1, false,
                         false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(builder, function, mask, &amount, 1, "");
}

static void mask_uses(LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMValueRef amount = LLVMGetOperand(call, 2);
        if (LLVMIsConstant(amount)) continue;
        LLVMPositionBuilderBefore(builder, call);
        LLVMTypeRef type = LLVMTypeOf(amount);
        bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        if (!vector) amount = mask_scalar(builder, amount);
        /* A vector is masked lane by lane; the back end would split it anyway. */
        for (unsigned i = 0; vector && i < LLVMGetVectorSize(type); i++) {
            LLVMValueRef index = pl_integer(LLVMInt32TypeInContext(context), i);
            LLVMValueRef lane = LLVMBuildExtractElement(builder, amount, index, "");
            lane = mask_scalar(builder, lane);
            amount = LLVMBuildInsertElement(builder, amount, lane, index, "");
        }
        CHECK(LLVMTypeOf(amount) == type);
        LLVMSetOperand(call, 2, amount);
    }
    LLVMDisposeBuilder(builder);
}

/* The code generator makes rotations, too: of `(x << n) | (x >> (64 - n))`, whose masks it drops if
 * n has any, as the intrinsic does. It looks for a shift whose result is an operand of the `or`. */
static void keep_masks(LLVMValueRef function)
{
    LLVMBuilderRef builder =
        LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        bool shifts = LLVMGetInstructionOpcode(i) == LLVMLShr;
        if (shifts && is_wide(LLVMTypeOf(i)) && !LLVMIsConstant(LLVMGetOperand(i, 1)))
            freeze(builder, i);
    }
    LLVMDisposeBuilder(builder);
}

void pl_ptx_mask_rotations(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        keep_masks(function);
        rt_text name = pl_name(function);
        if (!rt_text_starts(name, "llvm.fshl.") && !rt_text_starts(name, "llvm.fshr.")) continue;
        if (is_wide(LLVMGetReturnType(LLVMGlobalGetValueType(function)))) mask_uses(function);
    }
}

/* ---- Signs --------------------------------------------------------------------------------- */

/* LLVM 14's back end takes `(x >> 40) & 0xffffffff` for 32 bits of x, although only 24 are left
 * above bit 40 and the others are copies of the sign: it compares the mask's width with 32 - 40,
 * which wraps. It looks for a shift whose result goes directly into the mask. */
void pl_ptx_keep_signs(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            bool shifts = LLVMGetInstructionOpcode(i) == LLVMAShr;
            if (shifts && is_wide(LLVMTypeOf(i)) && LLVMIsConstant(LLVMGetOperand(i, 1)))
                freeze(builder, i);
        }
    }
    LLVMDisposeBuilder(builder);
}
