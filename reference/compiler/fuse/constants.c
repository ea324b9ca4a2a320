/* Pass SYCLCP: "the string is read as a buffer of char and reinterpreted into the value of the
 * argument's type" (document 001, "Passing information to the fusion pipeline"). */
#include "reference/compiler/fuse/passes.h"

#include "reference/compiler/ir/attributes.h"

#include <llvm-c/Target.h>
#include <string.h>

typedef struct constant_maker {
    pl_job *job;
    LLVMTargetDataRef layout;
    rt_bytes value;
} constant_maker;

static LLVMValueRef make_constant(const constant_maker *maker, LLVMTypeRef type, uint64_t at);

/* Reads the bytes at an offset as an integer of the type's size and converts that to the type. */
static LLVMValueRef make_scalar(const constant_maker *maker, LLVMTypeRef type, uint64_t at)
{
    uint64_t size = LLVMStoreSizeOfType(maker->layout, type), bits = 0;
    CHECK(size <= sizeof bits && at + size <= maker->value.size);
    memcpy(&bits, maker->value.data + at, size); /* little-endian, as this machine */
    LLVMTypeRef integer = LLVMIntTypeInContext(maker->job->context, (unsigned)(8 * size));
    LLVMValueRef value = LLVMConstInt(integer, bits, 0);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) return LLVMConstIntToPtr(value, type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind) return LLVMConstBitCast(value, type);
    return LLVMConstIntCast(value, type, 0);
}

static LLVMValueRef make_struct(const constant_maker *maker, LLVMTypeRef type, uint64_t at)
{
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMValueRef *members = rt_arena_alloc_array(&maker->job->arena, count, sizeof(LLVMValueRef));
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = LLVMOffsetOfElement(maker->layout, type, i);
        members[i] = make_constant(maker, LLVMStructGetTypeAtIndex(type, i), at + offset);
    }
    if (LLVMGetStructName(type)) return LLVMConstNamedStruct(type, members, count);
    return LLVMConstStructInContext(maker->job->context, members, count, LLVMIsPackedStruct(type));
}

static LLVMValueRef make_sequence(const constant_maker *maker, LLVMTypeRef type, uint64_t at,
                                  unsigned count)
{
    LLVMTypeRef element = LLVMGetElementType(type);
    uint64_t size = LLVMABISizeOfType(maker->layout, element);
    LLVMValueRef *elements = rt_arena_alloc_array(&maker->job->arena, count, sizeof(LLVMValueRef));
    for (unsigned i = 0; i < count; i++)
        elements[i] = make_constant(maker, element, at + i * size);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) return LLVMConstVector(elements, count);
    return LLVMConstArray(element, elements, count);
}

/* The value of a type from the bytes at an offset; padding is ignored. */
static LLVMValueRef make_constant(const constant_maker *maker, LLVMTypeRef type, uint64_t at)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return make_struct(maker, type, at);
    case LLVMArrayTypeKind: return make_sequence(maker, type, at, LLVMGetArrayLength(type));
    case LLVMVectorTypeKind: return make_sequence(maker, type, at, LLVMGetVectorSize(type));
    default: return make_scalar(maker, type, at);
    }
}

/* An argument that is passed through a pointer becomes a variable that holds the value. */
static LLVMValueRef make_variable(pl_fusing *fusing, LLVMValueRef value, LLVMTypeRef pointer)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(fusing->job->context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fusing->kernel);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
    LLVMValueRef variable = LLVMBuildAlloca(builder, LLVMTypeOf(value), "");
    LLVMBuildStore(builder, value, variable);
    variable = LLVMBuildPointerCast(builder, variable, pointer, "");
    LLVMDisposeBuilder(builder);
    return variable;
}

/* For integers of more than 64 bits and types that kernels' arguments do not have, the parameter
 * stays. */
static bool is_makeable(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (!is_makeable(layout, LLVMStructGetTypeAtIndex(type, i))) return false;
        return true;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind: return is_makeable(layout, LLVMGetElementType(type));
    case LLVMIntegerTypeKind:
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind: return LLVMStoreSizeOfType(layout, type) <= sizeof(uint64_t);
    default: return false;
    }
}

static void propagate(pl_fusing *fusing, const pl_constant *constant)
{
    LLVMValueRef parameter = LLVMGetParam(fusing->kernel, constant->parameter);
    LLVMTypeRef by_value = pl_by_value_type(fusing->kernel, constant->parameter);
    LLVMTypeRef type = by_value ? by_value : LLVMTypeOf(parameter);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(fusing->module);
    bool fits = constant->value.size == LLVMABISizeOfType(layout, type);
    if (!fits || !is_makeable(layout, type)) return;
    const constant_maker maker = {fusing->job, layout, constant->value};
    LLVMValueRef value = make_constant(&maker, type, 0);
    if (by_value) value = make_variable(fusing, value, LLVMTypeOf(parameter));
    LLVMReplaceAllUsesWith(parameter, value);
    CHECK(!LLVMGetFirstUse(parameter));
    fusing->dropped[constant->parameter] = true;
}

void pl_fuse_constants(pl_fusing *fusing)
{
    for (uint32_t i = 0; i < fusing->fusion.constant_count; i++) {
        const pl_constant *constant = &fusing->fusion.constants[i];
        if (constant->parameter >= fusing->parameters.count || !RULE(KF_JIT_11)) continue;
        propagate(fusing, constant);
    }
}
