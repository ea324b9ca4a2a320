/* Initial values that contain vectors of three.
 *
 * LLVM's back end writes the elements of such a vector and nothing for its padding, so whatever
 * follows it in an array or a structure moves up (llvm/nvptx-vector-padding).  A vector of the next
 * power of two has the same size and alignment, so initial values get vectors of that many
 * elements, and users the same address.  Source: LLVM Language Reference, "Data Layout": a vector's
 * alignment and allocated size are those of the next power of two. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/base/vector.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

/* The number of elements of a struct, array or vector; 0: another type. */
static unsigned element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
    case LLVMArrayTypeKind: return LLVMGetArrayLength(type);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
    default: return 0;
    }
}

/* The type with vectors of powers of two; the same type if it has no others. */
static LLVMTypeRef padded_type(pl_job *job, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned count = element_count(type);
    if (kind == LLVMVectorTypeKind) {
        unsigned power = 1;
        while (power < count)
            power *= 2;
        return power == count ? type : LLVMVectorType(LLVMGetElementType(type), power);
    }
    if (kind == LLVMArrayTypeKind) {
        LLVMTypeRef element = padded_type(job, LLVMGetElementType(type));
        return element == LLVMGetElementType(type) ? type : LLVMArrayType(element, count);
    }
    if (kind != LLVMStructTypeKind) return type;
    LLVMTypeRef *members = rt_arena_alloc_array(&job->arena, count, sizeof *members);
    bool is_same = true;
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
        members[i] = padded_type(job, member);
        is_same = is_same && members[i] == member;
    }
    if (is_same) return type;
    return LLVMStructTypeInContext(job->context, members, count, LLVMIsPackedStruct(type));
}

/* The value in its padded type. */
static LLVMValueRef padded_value(pl_job *job, LLVMValueRef value, LLVMTypeRef type)
{
    if (LLVMTypeOf(value) == type) return value;
    if (LLVMIsNull(value)) return LLVMConstNull(type);
    if (LLVMIsUndef(value)) return LLVMGetUndef(type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned given = element_count(LLVMTypeOf(value)), count = element_count(type);
    CHECK(given <= count);
    LLVMValueRef *elements = rt_arena_alloc_array(&job->arena, count, sizeof *elements);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef element = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
                                                         : LLVMGetElementType(type);
        LLVMValueRef old = i < given ? pl_element_of_constant(value, i) : LLVMConstNull(element);
        CHECK(old);
        elements[i] = padded_value(job, old, element);
    }
    if (kind == LLVMVectorTypeKind) return LLVMConstVector(elements, count);
    if (kind == LLVMArrayTypeKind) return LLVMConstArray(LLVMGetElementType(type), elements, count);
    return LLVMConstStructInContext(job->context, elements, count, LLVMIsPackedStruct(type));
}

static void variable_replace(pl_job *job, LLVMModuleRef module, LLVMValueRef old, LLVMTypeRef type)
{
    rt_text name = pl_job_name(job, old);
    LLVMValueRef variable =
        LLVMAddGlobalInAddressSpace(module, type, "", LLVMGetPointerAddressSpace(LLVMTypeOf(old)));
    LLVMSetInitializer(variable, padded_value(job, LLVMGetInitializer(old), type));
    LLVMSetGlobalConstant(variable, LLVMIsGlobalConstant(old));
    LLVMSetAlignment(variable, LLVMGetAlignment(old));
    LLVMSetLinkage(variable, LLVMGetLinkage(old));
    LLVMReplaceAllUsesWith(old, LLVMConstBitCast(variable, LLVMTypeOf(old)));
    LLVMDeleteGlobal(old);
    LLVMSetValueName2(variable, name.data, name.length);
}

void pl_ptx_pad_initial_values(pl_job *job, LLVMModuleRef module)
{
    RT_VECTOR(LLVMValueRef) variables = {0};
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        if (LLVMGetInitializer(variable)) *rt_vector_push(&variables) = variable;
    for (uint32_t i = 0; i < variables.count; i++) {
        LLVMTypeRef type = LLVMGlobalGetValueType(variables.items[i]);
        LLVMTypeRef padded = padded_type(job, type);
        if (padded != type) variable_replace(job, module, variables.items[i], padded);
    }
    rt_vector_free(&variables);
}
