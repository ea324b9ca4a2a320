/* Lowers integers of odd widths.
 *
 * LLVM's indvars turns `i & 7` of a counter i into another counter of three bits, regardless of the
 * widths that the target supports. Each of these values is widened to a width that SPIR-V has, with
 * zeros in the upper bits; operations that depend on the sign first sign-extend it by shifts. */
#include "reference/compiler/lower/lower_internal.h"

#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/compiler/ir/values.h"

typedef struct widening {
    pl_job *job;
    LLVMBuilderRef builder;
    rt_map index; /* odd value -> index in wide */
    RT_VECTOR(LLVMValueRef) wide;
    RT_VECTOR(LLVMValueRef) odd; /* phis whose wide counterparts get their operands at the end */
} widening;

static uint32_t width_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

static bool is_odd(LLVMValueRef value)
{
    uint32_t width = width_of(value);
    return width > 1 && width < 64 && width != 8 && width != 16 && width != 32;
}

static LLVMTypeRef wide_type(const widening *w, LLVMValueRef odd)
{
    uint32_t width = 8;
    while (width < width_of(odd))
        width *= 2;
    CHECK(width <= 64);
    return LLVMIntTypeInContext(w->job->context, width);
}

/* ---- What can be lowered ------------------------------------------------------------------- */

static bool has_odd_operand(LLVMValueRef instruction)
{
    int count = LLVMGetNumOperands(instruction);
    for (int i = 0; i < count; i++)
        if (is_odd(LLVMGetOperand(instruction, (unsigned)i))) return true;
    return false;
}

/* The intrinsics of which LLVM's optimiser makes a comparison and a select. */
static const struct choice {
    const char *prefix;
    LLVMIntPredicate predicate; /* the first operand is chosen if this holds */
    bool is_signed;
} choices[] = {
    {"llvm.smin.", LLVMIntSLT, true},
    {"llvm.smax.", LLVMIntSGT, true},
    {"llvm.umin.", LLVMIntULT, false},
    {"llvm.umax.", LLVMIntUGT, false},
};

static const struct choice *choice_of(LLVMValueRef instruction)
{
    LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    if (!callee || !LLVMIsAFunction(callee)) return NULL;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (rt_text_starts(pl_name(callee), choices[i].prefix)) return &choices[i];
    return NULL;
}

static bool is_known(LLVMValueRef instruction)
{
    if (LLVMIsABinaryOperator(instruction) || choice_of(instruction)) return true;
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMICmp:
    case LLVMSwitch: return true;
    default: return false;
    }
}

/* False if any of the instructions that handle odd integers cannot be lowered. */
static bool is_lowerable(LLVMValueRef function)
{
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        if (!is_odd(i) && !has_odd_operand(i)) continue;
        if (!is_known(i)) return false;
        /* Odd operands may be integer constants or results of instructions; other constants and
         * parameters are not lowered. */
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
            LLVMValueRef operand = LLVMGetOperand(i, k);
            if (!is_odd(operand)) continue;
            bool is_other = LLVMIsAConstant(operand) && !LLVMIsAConstantInt(operand);
            if (LLVMIsAArgument(operand) || (is_other && !LLVMIsUndef(operand))) return false;
        }
    }
    return true;
}

/* ---- Values -------------------------------------------------------------------------------- */

static LLVMValueRef wide_of(widening *w, LLVMValueRef odd);

/* Clears the upper bits. */
static LLVMValueRef masked(const widening *w, LLVMValueRef value, uint32_t width)
{
    CHECK(width >= 1 && width < 64);
    LLVMValueRef mask = pl_integer(LLVMTypeOf(value), UINT64_MAX >> (64 - width));
    return LLVMBuildAnd(w->builder, value, mask, "");
}

/* An operand, widened if it is odd; if its sign matters, the upper bits are copies of the sign bit.
 * Afterwards, the builder is positioned before the instruction. */
static LLVMValueRef operand_of(widening *w, LLVMValueRef instruction, unsigned number,
                               bool is_signed)
{
    LLVMValueRef operand = LLVMGetOperand(instruction, number);
    LLVMValueRef value = is_odd(operand) ? wide_of(w, operand) : operand;
    LLVMPositionBuilderBefore(w->builder, instruction);
    if (!is_signed) return value;
    LLVMTypeRef type = LLVMTypeOf(value);
    CHECK(LLVMGetIntTypeWidth(type) >= width_of(operand));
    LLVMValueRef amount = pl_integer(type, LLVMGetIntTypeWidth(type) - width_of(operand));
    return LLVMBuildAShr(w->builder, LLVMBuildShl(w->builder, value, amount, ""), amount, "");
}

static LLVMValueRef resize(const widening *w, LLVMValueRef value, LLVMTypeRef type, bool is_signed)
{
    return LLVMBuildIntCast2(w->builder, value, type, is_signed, "");
}

static LLVMValueRef make_wide(widening *w, LLVMValueRef odd)
{
    LLVMTypeRef type = wide_type(w, odd);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(odd);
    switch (opcode) {
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt: {
        LLVMValueRef from = operand_of(w, odd, 0, opcode == LLVMSExt);
        return masked(w, resize(w, from, type, opcode == LLVMSExt), width_of(odd));
    }
    case LLVMSelect: {
        LLVMValueRef a = operand_of(w, odd, 1, false), b = operand_of(w, odd, 2, false);
        return LLVMBuildSelect(w->builder, LLVMGetOperand(odd, 0), a, b, "");
    }
    case LLVMCall: {
        const struct choice *choice = choice_of(odd);
        LLVMValueRef a = operand_of(w, odd, 0, choice->is_signed);
        LLVMValueRef b = operand_of(w, odd, 1, choice->is_signed);
        LLVMValueRef holds = LLVMBuildICmp(w->builder, choice->predicate, a, b, "");
        return masked(w, LLVMBuildSelect(w->builder, holds, a, b, ""), width_of(odd));
    }
    default: {
        /* Only some of the binary operations depend on the sign. */
        CHECK(LLVMIsABinaryOperator(odd));
        bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMAShr;
        LLVMValueRef a = operand_of(w, odd, 0, is_signed);
        LLVMValueRef b = operand_of(w, odd, 1, is_signed);
        return masked(w, LLVMBuildBinOp(w->builder, opcode, a, b, ""), width_of(odd));
    }
    }
}

static void remember(widening *w, LLVMValueRef odd, LLVMValueRef wide)
{
    CHECK(LLVMTypeOf(wide) == wide_type(w, odd));
    CHECK(w->index.count == w->wide.count);
    rt_map_set_number(&w->index, (uintptr_t)odd, w->wide.count);
    *rt_vector_push(&w->wide) = wide;
}

/* All phis have their wide counterparts already, so the recursion ends. */
static LLVMValueRef wide_of(widening *w, LLVMValueRef odd)
{
    CHECK(is_odd(odd));
    if (LLVMIsUndef(odd)) return LLVMConstNull(wide_type(w, odd));
    if (LLVMIsAConstantInt(odd))
        return pl_integer(wide_type(w, odd), LLVMConstIntGetZExtValue(odd));
    uint32_t index = rt_map_find_number(&w->index, (uintptr_t)odd);
    CHECK(index == RT_MAP_NONE || (w->wide.items && index < w->wide.count));
    if (index != RT_MAP_NONE) return w->wide.items[index];
    LLVMValueRef wide = make_wide(w, odd);
    remember(w, odd, wide);
    return wide;
}

/* ---- Uses ---------------------------------------------------------------------------------- */

/* Replaces an instruction that uses odd integers but does not yield one. */
static void lower_use(widening *w, LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMValueRef result;
    if (opcode == LLVMSwitch) {
        /* A switch's operands in LLVM: selector, default block, then pairs of value and block. */
        LLVMSetOperand(instruction, 0, operand_of(w, instruction, 0, false));
        unsigned count = (unsigned)LLVMGetNumOperands(instruction);
        for (unsigned i = 2; i < count; i += 2)
            LLVMSetOperand(instruction, i, wide_of(w, LLVMGetOperand(instruction, i)));
        return;
    }
    if (opcode == LLVMICmp) {
        LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
        bool is_signed = predicate >= LLVMIntSGT;
        LLVMValueRef a = operand_of(w, instruction, 0, is_signed);
        LLVMValueRef b = operand_of(w, instruction, 1, is_signed);
        result = LLVMBuildICmp(w->builder, predicate, a, b, "");
    } else {
        CHECK(opcode == LLVMZExt || opcode == LLVMSExt || opcode == LLVMTrunc);
        LLVMValueRef from = operand_of(w, instruction, 0, opcode == LLVMSExt);
        result = resize(w, from, LLVMTypeOf(instruction), opcode == LLVMSExt);
    }
    LLVMReplaceAllUsesWith(instruction, result);
}

/* Erases the instructions that have been replaced, which are used only by each other.  No pass does
 * so in a function that is marked optnone. */
static void erase_replaced(LLVMValueRef function)
{
    RT_VECTOR(LLVMValueRef) replaced = {0};
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i))
        if (is_odd(i) || has_odd_operand(i)) *rt_vector_push(&replaced) = i;
    for (uint32_t i = 0; i < replaced.count; i++)
        LLVMReplaceAllUsesWith(replaced.items[i], LLVMGetUndef(LLVMTypeOf(replaced.items[i])));
    for (uint32_t i = 0; i < replaced.count; i++)
        LLVMInstructionEraseFromParent(replaced.items[i]);
    rt_vector_free(&replaced);
}

static void lower_function(widening *w, LLVMValueRef function)
{
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        if (!LLVMIsAPHINode(i) || !is_odd(i)) continue;
        LLVMPositionBuilderBefore(w->builder, i);
        remember(w, i, LLVMBuildPhi(w->builder, wide_type(w, i), ""));
        *rt_vector_push(&w->odd) = i;
    }
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i))
        if (!is_odd(i) && has_odd_operand(i)) lower_use(w, i);
    for (uint32_t p = 0; p < w->odd.count; p++) {
        LLVMValueRef odd = w->odd.items[p], wide = wide_of(w, odd);
        for (unsigned i = 0; i < LLVMCountIncoming(odd); i++) {
            LLVMValueRef value = wide_of(w, LLVMGetIncomingValue(odd, i));
            LLVMBasicBlockRef block = LLVMGetIncomingBlock(odd, i);
            LLVMAddIncoming(wide, &value, &block, 1);
        }
        CHECK(LLVMCountIncoming(wide) == LLVMCountIncoming(odd));
    }
    erase_replaced(function);
}

void pl_lower_integers(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (!is_lowerable(function)) continue;
        widening w = {.job = job, .builder = LLVMCreateBuilderInContext(job->context)};
        lower_function(&w, function);
        LLVMDisposeBuilder(w.builder);
        rt_map_free(&w.index);
        rt_vector_free(&w.wide);
        rt_vector_free(&w.odd);
    }
}
