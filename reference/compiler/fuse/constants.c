/* Pass SYCLCP: "the string is read as a buffer of char and reinterpreted into the value of the
 * argument's type" (document 001, "Passing information to the fusion pipeline"). */
#include "reference/compiler/fuse/passes.h"

#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/values.h"

#include <llvm-c/Target.h>
#include <string.h>

typedef struct constant_maker {
    pl_job *job;
    LLVMTargetDataRef layout;
    rt_bytes value;
} constant_maker;

/* Builds a value of the type from the bytes at an offset; padding is ignored. */
static LLVMValueRef make_constant(const constant_maker *maker, LLVMTypeRef type, uint64_t at)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    bool is_struct = kind == LLVMStructTypeKind, is_vector = kind == LLVMVectorTypeKind;
    if (is_struct || is_vector || kind == LLVMArrayTypeKind) {
        unsigned count = kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type)
                         : is_struct               ? LLVMCountStructElementTypes(type)
                                                   : LLVMGetVectorSize(type);
        LLVMValueRef *parts = rt_arena_alloc_array(&maker->job->arena, count, sizeof(LLVMValueRef));
        for (unsigned i = 0; i < count; i++) {
            LLVMTypeRef part =
                is_struct ? LLVMStructGetTypeAtIndex(type, i) : LLVMGetElementType(type);
            uint64_t offset = is_struct ? LLVMOffsetOfElement(maker->layout, type, i)
                                        : i * LLVMABISizeOfType(maker->layout, part);
            parts[i] = make_constant(maker, part, at + offset);
        }
        if (is_vector) return LLVMConstVector(parts, count);
        /* A struct may be nameless and yet not a literal one: the reader of SPIR-V takes the name
         * of a struct away if a later program has another struct of that name. */
        return is_struct ? LLVMConstNamedStruct(type, parts, count)
                         : LLVMConstArray(LLVMGetElementType(type), parts, count);
    }
    /* The bytes become an integer of the type's size, which is converted to the type. */
    uint64_t size = LLVMStoreSizeOfType(maker->layout, type), bits = 0;
    CHECK(size <= sizeof bits && at + size <= maker->value.size);
    memcpy(&bits, maker->value.data + at, size); /* little-endian, like this machine */
    LLVMTypeRef integer = LLVMIntTypeInContext(maker->job->context, (unsigned)(8 * size));
    LLVMValueRef value = pl_integer(integer, bits);
    if (kind == LLVMPointerTypeKind) return LLVMConstIntToPtr(value, type);
    if (kind != LLVMIntegerTypeKind) return LLVMConstBitCast(value, type);
    return pl_integer(type, bits); /* of a width that is not a whole number of bytes, too */
}

/* False for integers wider than 64 bits and for types that no kernel argument has: a parameter of
 * such a type is not replaced. */
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

void pl_fuse_constants(pl_fusing *fusing)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(fusing->module);
    for (uint32_t i = 0; i < fusing->fusion.constant_count; i++) {
        const pl_constant *constant = &fusing->fusion.constants[i];
        CHECK(constant->parameter < fusing->parameters.count);
        LLVMValueRef parameter = LLVMGetParam(fusing->kernel, constant->parameter);
        LLVMTypeRef by_value = pl_by_value_type(fusing->kernel, constant->parameter);
        LLVMTypeRef type = by_value ? by_value : LLVMTypeOf(parameter);
        bool fits = constant->value.size == LLVMABISizeOfType(layout, type);
        if (!RULE(KF_JIT_11, fits) || !is_makeable(layout, type)) continue;
        const constant_maker maker = {fusing->job, layout, constant->value};
        LLVMValueRef value = make_constant(&maker, type, 0);
        CHECK(LLVMTypeOf(value) == type);
        if (by_value) {
            /* An argument passed by value through a pointer becomes a variable that holds the
             * value. */
            LLVMBuilderRef builder = LLVMCreateBuilderInContext(fusing->job->context);
            LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fusing->kernel);
            LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
            LLVMValueRef variable = LLVMBuildAlloca(builder, type, "");
            LLVMBuildStore(builder, value, variable);
            value = LLVMBuildPointerCast(builder, variable, LLVMTypeOf(parameter), "");
            LLVMDisposeBuilder(builder);
        }
        LLVMReplaceAllUsesWith(parameter, value);
        CHECK(!LLVMGetFirstUse(parameter));
        fusing->dropped[constant->parameter] = true;
    }
}
