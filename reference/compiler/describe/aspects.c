/* Finds the aspects that code uses.
 *
 * The code is examined as the front end produced it: as in SYCL, a type counts as used even if an
 * optimiser would remove its uses. What a pointer points to counts where it is accessed and, for a
 * kernel's parameters, where the metadata of the kernel names it. A pointer to half does not use
 * half, since every device has vload_half and the like. Members of a struct behind a pointer do not
 * count. */
#include "reference/compiler/describe/aspects.h"

#include "reference/base/spirv.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"
#include "reference/image/virtual_functions.h"

/* The name and number in SYCL (sycl/include/sycl/info/aspects.def of DPC++), and the SPIR-V
 * capability (specification, 3.31 "Capability"): Float16, Float64, Int64Atomics. */
enum { FP16 = 5, FP64 = 6, ATOMIC64 = 27 };
static const struct aspect_row {
    const char *name;
    uint32_t number;
    uint32_t capability;
} aspect_rows[] = {
    {"fp16", FP16, 9},
    {"fp64", FP64, 10},
    {"atomic64", ATOMIC64, 12},
};

enum { ASPECT_ROWS = sizeof aspect_rows / sizeof *aspect_rows, OP_CAPABILITY = 17 };

static pl_aspects bit(uint32_t number)
{
    CHECK(number < 64);
    return (pl_aspects)1 << number;
}

/* ---- Names and capabilities ---------------------------------------------------------------- */

bool pl_aspects_of_names(rt_text list, pl_aspects *out_aspects, rt_text *out_unknown)
{
    *out_aspects = 0;
    rt_text name;
    while (rt_set_names_next(&list, &name)) {
        size_t row = 0;
        while (row < ASPECT_ROWS && !rt_text_is(name, aspect_rows[row].name))
            row++;
        *out_unknown = name;
        if (row == ASPECT_ROWS) return false;
        *out_aspects |= bit(aspect_rows[row].number);
    }
    return true;
}

pl_aspects pl_aspects_of_spirv(rt_bytes spirv)
{
    pl_aspects aspects = 0;
    rt_spirv_walk walk = rt_spirv_walk_start(spirv);
    rt_spirv_instruction instruction;
    while (rt_spirv_walk_next(&walk, &instruction)) {
        if (instruction.opcode != OP_CAPABILITY) continue;
        for (size_t i = 0; i < ASPECT_ROWS; i++) {
            if (rt_spirv_word(&instruction, 1) == aspect_rows[i].capability)
                aspects |= bit(aspect_rows[i].number);
        }
    }
    CHECK(!walk.is_damaged);
    return aspects;
}

/* ---- Code ---------------------------------------------------------------------------------- */

static pl_aspects of_type(LLVMTypeRef type);

static pl_aspects of_type(LLVMTypeRef type)
{
    pl_aspects aspects = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind: return bit(FP16);
    case LLVMDoubleTypeKind: return bit(FP64);
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return of_type(LLVMGetElementType(type));
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            aspects |= of_type(LLVMStructGetTypeAtIndex(type, i));
        return aspects;
    default: return 0;
    }
}

/* What an address computation steps over. */
static pl_aspects of_stepped_over(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) return 0;
    return of_type(type) & ~bit(FP16);
}

/* A kernel with a parameter of the type `double *` or `double4 *` uses double even if nothing
 * accesses it (OpenCL C 3.0, 6.3 "Supported Data Types"). */
static pl_aspects of_parameter_types(LLVMValueRef function)
{
    pl_aspects aspects = 0;
    for (unsigned i = 0; i < LLVMCountParams(function); i++) {
        rt_text type = pl_parameter_text(function, "kernel_arg_base_type", i);
        if (rt_text_starts(type, "double")) aspects |= bit(FP64);
    }
    return aspects;
}

static bool has_64_bits(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind ||
           (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

/* Atomic operations are LLVM instructions or calls to builtins.  The address is their first
 * operand; the value in memory has the type of the result, or of a value that is passed. */
static bool is_atomic64(LLVMValueRef instruction)
{
    if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction))
        return has_64_bits(LLVMTypeOf(LLVMGetOperand(instruction, 1)));
    if (!LLVMIsACallInst(instruction)) return false;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)) return false;
    if (!pl_symbol_is_atomic(pl_name(callee))) return false;
    bool wide = has_64_bits(LLVMTypeOf(instruction));
    for (unsigned i = 1; i < LLVMGetNumArgOperands(instruction); i++)
        wide = wide || has_64_bits(LLVMTypeOf(LLVMGetOperand(instruction, i)));
    return wide;
}

pl_aspects pl_aspects_of_function(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function));
    pl_aspects aspects = 0;
    rt_text unknown;
    bool known = pl_aspects_of_names(pl_attribute(function, PL_USES_ASPECTS), &aspects, &unknown);
    CHECK(known);
    if (LLVMIsDeclaration(function)) return aspects;
    aspects |= of_type(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        aspects |= of_type(LLVMTypeOf(LLVMGetParam(function, i)));
    aspects |= of_parameter_types(function);
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        aspects |= of_type(LLVMTypeOf(i));
        int count = LLVMGetNumOperands(i);
        for (int k = 0; k < count; k++)
            aspects |= of_type(LLVMTypeOf(LLVMGetOperand(i, (unsigned)k)));
        if (LLVMIsAAllocaInst(i)) aspects |= of_type(LLVMGetAllocatedType(i));
        if (LLVMIsAGetElementPtrInst(i)) aspects |= of_stepped_over(LLVMGetGEPSourceElementType(i));
        if (is_atomic64(i)) aspects |= bit(ATOMIC64);
    }
    return aspects;
}

pl_aspects pl_aspects_of_module(LLVMModuleRef module)
{
    pl_aspects aspects = 0;
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        if (!LLVMIsDeclaration(function)) aspects |= pl_aspects_of_function(function);
    return aspects;
}
