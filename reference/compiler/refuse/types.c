/* Checks the types of all values of an image.
 *
 * Workload: a few thousand values of few different types, so each type is checked once. */
#include "reference/compiler/refuse/refuse_internal.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

typedef struct type_check {
    pl_job *job;
    rt_map visited; /* types without a fault of their own, and constants, that have been, or are
                     * being, checked */
} type_check;

static bool is_one_of(unsigned number, const unsigned *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number) return true;
    return false;
}

/* The fault of a type itself, ignoring its parts, as text in the arena; empty: none. */
static rt_text own_fault(pl_job *job, LLVMTypeRef type)
{
    static const unsigned widths[] = {1, 8, 16, 32, 64}, lanes[] = {2, 3, 4, 8, 16};
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        if (is_one_of(LLVMGetIntTypeWidth(type), widths, sizeof widths / sizeof *widths)) break;
        return rt_arena_printf(&job->arena, "an integer of %u bits", LLVMGetIntTypeWidth(type));
    case LLVMVectorTypeKind:
        if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
            return RT_TEXT("a vector of pointers");
        if (is_one_of(LLVMGetVectorSize(type), lanes, sizeof lanes / sizeof *lanes)) break;
        return rt_arena_printf(&job->arena, "a vector of %u components", LLVMGetVectorSize(type));
    case LLVMPointerTypeKind:
        if (LLVMGetPointerAddressSpace(type) < PL_SPACE_COUNT) break;
        return rt_arena_printf(&job->arena, "a pointer to address space %u",
                               LLVMGetPointerAddressSpace(type));
    case LLVMScalableVectorTypeKind: return RT_TEXT("a vector of scalable length");
    case LLVMBFloatTypeKind: return RT_TEXT("bfloat");
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind: return RT_TEXT("a floating-point number of more than 64 bits");
    case LLVMX86_AMXTypeKind: return RT_TEXT("an x86 register type");
    default: break;
    }
    if (pl_is_mmx_type(type)) return RT_TEXT("an x86 register type");
    return (rt_text){0};
}

/* The fault of a type or of its parts.  A struct may hold a pointer to itself, so a type is marked
 * before its parts are checked. */
static rt_text type_fault(type_check *check, LLVMTypeRef type)
{
    if (rt_map_find_number(&check->visited, (uintptr_t)type) != RT_MAP_NONE) return (rt_text){0};
    rt_text fault = own_fault(check->job, type);
    if (fault.length > 0) return fault;
    rt_map_set_number(&check->visited, (uintptr_t)type, 0);
    unsigned count = 0;
    LLVMTypeRef pointee;
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        pointee = pl_written_pointee(type);
        return pointee ? type_fault(check, pointee) : (rt_text){0};
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return type_fault(check, LLVMGetElementType(type));
    case LLVMStructTypeKind: count = LLVMCountStructElementTypes(type); break;
    case LLVMFunctionTypeKind: count = LLVMCountParamTypes(type); break;
    default: return (rt_text){0};
    }
    LLVMTypeRef *parts = rt_arena_alloc_array(&check->job->arena, count + 1u, sizeof(LLVMTypeRef));
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        LLVMGetStructElementTypes(type, parts);
    } else {
        LLVMGetParamTypes(type, parts);
        parts[count++] = LLVMGetReturnType(type);
    }
    for (unsigned i = 0; i < count && fault.length == 0; i++)
        fault = type_fault(check, parts[i]);
    return fault;
}

/* The fault of a value's type or, for a constant, of the types that it is computed from. */
static rt_text value_fault(type_check *check, LLVMValueRef value)
{
    rt_text fault = type_fault(check, LLVMTypeOf(value));
    if (LLVMIsABlockAddress(value)) return RT_TEXT("the address of a label");
    if (!LLVMIsAConstant(value) || LLVMIsAGlobalValue(value)) return fault;
    if (rt_map_find_number(&check->visited, (uintptr_t)value) != RT_MAP_NONE) return fault;
    rt_map_set_number(&check->visited, (uintptr_t)value, 0);
    int count = LLVMGetNumOperands(value);
    for (int i = 0; i < count && fault.length == 0; i++)
        fault = value_fault(check, LLVMGetOperand(value, (unsigned)i));
    return fault;
}

/* The message reports the line of `at`, the function or one of its instructions; NULL for a
 * variable.
 */
static rt_status refuse(type_check *check, LLVMValueRef symbol, LLVMValueRef at, rt_text fault)
{
    CHECK(fault.length > 0);
    rt_text name = pl_job_name(check->job, symbol);
    rt_text place = at ? pl_place(check->job, at) : (rt_text){0};
    return rt_fail_naming(check->job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                          "%.*s'%.*s' needs %.*s, which SPIR-V does not have", RT_TEXT_ARG(place),
                          RT_TEXT_ARG(name), RT_TEXT_ARG(fault));
}

static rt_status check_function(type_check *check, LLVMValueRef function)
{
    rt_text fault = type_fault(check, LLVMGlobalGetValueType(function));
    if (fault.length > 0) return refuse(check, function, function, fault);
    for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
        fault = type_fault(check, LLVMTypeOf(i));
        int count = LLVMGetNumOperands(i);
        for (int k = 0; k < count && fault.length == 0; k++)
            fault = value_fault(check, LLVMGetOperand(i, (unsigned)k));
        if (fault.length == 0 && LLVMIsAAllocaInst(i))
            fault = type_fault(check, LLVMGetAllocatedType(i));
        if (fault.length == 0 && LLVMIsAGetElementPtrInst(i))
            fault = type_fault(check, LLVMGetGEPSourceElementType(i));
        if (fault.length > 0) return refuse(check, function, i, fault);
    }
    return RT_STATUS_OK;
}

rt_status pl_refuse_types(pl_job *job, LLVMModuleRef module)
{
    CHECK(LLVMGetModuleContext(module) == job->context);
    type_check check = {.job = job};
    rt_status status = RT_STATUS_OK;
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable && rt_ok(status); variable = LLVMGetNextGlobal(variable)) {
        rt_text fault = type_fault(&check, LLVMTypeOf(variable));
        if (fault.length == 0) fault = type_fault(&check, LLVMGlobalGetValueType(variable));
        LLVMValueRef initial = LLVMGetInitializer(variable);
        if (fault.length == 0 && initial) fault = value_fault(&check, initial);
        if (fault.length > 0) status = refuse(&check, variable, NULL, fault);
    }
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function && rt_ok(status); function = LLVMGetNextFunction(function))
        if (LLVMGetIntrinsicID(function) == 0) status = check_function(&check, function);
    rt_map_free(&check.visited);
    return status;
}
