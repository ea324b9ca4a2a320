/* Walks over the types of everything that an image holds.
 *
 * Workload: some thousand values of few different types, so a type is judged once. */
#include "reference/compiler/refuse/types.h"

#include "reference/base/map.h"
#include "reference/compiler/ir/place.h"

enum { SPACE_MAX = 4 }; /* private, global, constant, local, generic */

typedef struct type_judge {
    pl_job *job;
    rt_map fine; /* LLVMTypeRef that were judged, or are being judged */
} type_judge;

static bool is_one_of(unsigned number, const unsigned *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == number) return true;
    return false;
}

/* What is wrong with a type by itself, in the arena; empty: nothing. */
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
        if (LLVMGetPointerAddressSpace(type) <= SPACE_MAX) break;
        return rt_arena_printf(&job->arena, "a pointer to address space %u",
                               LLVMGetPointerAddressSpace(type));
    case LLVMScalableVectorTypeKind: return RT_TEXT("a vector of unknown length");
    case LLVMBFloatTypeKind: return RT_TEXT("bfloat");
    case LLVMX86_FP80TypeKind:
    case LLVMFP128TypeKind:
    case LLVMPPC_FP128TypeKind: return RT_TEXT("a floating-point number of more than 64 bits");
    case LLVMX86_MMXTypeKind:
    case LLVMX86_AMXTypeKind: return RT_TEXT("a register of another machine");
    default: break;
    }
    return (rt_text){0};
}

static rt_text type_fault(type_judge *judge, LLVMTypeRef type);

static rt_text parts_fault(type_judge *judge, LLVMTypeRef type)
{
    unsigned count = 0;
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
    case LLVMVectorTypeKind:
    case LLVMArrayTypeKind: return type_fault(judge, LLVMGetElementType(type));
    case LLVMStructTypeKind: count = LLVMCountStructElementTypes(type); break;
    case LLVMFunctionTypeKind: count = LLVMCountParamTypes(type); break;
    default: return (rt_text){0};
    }
    LLVMTypeRef *parts = rt_arena_alloc_array(&judge->job->arena, count + 1u, sizeof(LLVMTypeRef));
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        LLVMGetStructElementTypes(type, parts);
    } else {
        LLVMGetParamTypes(type, parts);
        parts[count++] = LLVMGetReturnType(type);
    }
    rt_text fault = {0};
    for (unsigned i = 0; i < count && fault.length == 0; i++)
        fault = type_fault(judge, parts[i]);
    return fault;
}

/* A struct may hold a pointer to itself, so a type counts as fine while its parts are judged. */
static rt_text type_fault(type_judge *judge, LLVMTypeRef type)
{
    if (rt_map_find_number(&judge->fine, (uintptr_t)type) != RT_MAP_NONE) return (rt_text){0};
    rt_text fault = own_fault(judge->job, type);
    if (fault.length > 0) return fault;
    rt_map_set_number(&judge->fine, (uintptr_t)type, 0);
    return parts_fault(judge, type);
}

/* `at` has the line: the function, or an instruction of it; NULL for a variable. */
static rt_status refuse(type_judge *judge, LLVMValueRef symbol, LLVMValueRef at, rt_text fault)
{
    rt_text name = pl_job_name(judge->job, symbol);
    rt_text place = at ? pl_place(judge->job, at) : (rt_text){0};
    return rt_fail_naming(judge->job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                          "%.*s'%.*s' needs %.*s, which SPIR-V does not have", RT_TEXT_ARG(place),
                          RT_TEXT_ARG(name), RT_TEXT_ARG(fault));
}

static rt_text instruction_fault(type_judge *judge, LLVMValueRef instruction)
{
    rt_text fault = type_fault(judge, LLVMTypeOf(instruction));
    int count = LLVMGetNumOperands(instruction);
    for (int i = 0; i < count && fault.length == 0; i++)
        fault = type_fault(judge, LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)));
    if (fault.length == 0 && LLVMIsAAllocaInst(instruction))
        fault = type_fault(judge, LLVMGetAllocatedType(instruction));
    return fault;
}

static rt_status judge_function(type_judge *judge, LLVMValueRef function)
{
    rt_text fault = type_fault(judge, LLVMGlobalGetValueType(function));
    if (fault.length > 0) return refuse(judge, function, function, fault);
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
            fault = instruction_fault(judge, instruction);
            if (fault.length > 0) return refuse(judge, function, instruction, fault);
        }
    }
    return RT_STATUS_OK;
}

rt_status pl_refuse_types(pl_job *job, LLVMModuleRef module)
{
    type_judge judge = {.job = job};
    rt_status status = RT_STATUS_OK;
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable && rt_ok(status); variable = LLVMGetNextGlobal(variable)) {
        rt_text fault = type_fault(&judge, LLVMTypeOf(variable));
        if (fault.length == 0) fault = type_fault(&judge, LLVMGlobalGetValueType(variable));
        if (fault.length > 0) status = refuse(&judge, variable, NULL, fault);
    }
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function && rt_ok(status); function = LLVMGetNextFunction(function))
        if (LLVMGetIntrinsicID(function) == 0) status = judge_function(&judge, function);
    rt_map_free(&judge.fine);
    return status;
}
