/* From generic to named address spaces at the calls of builtins.
 *
 * Why: a driver of OpenCL 1.2 has no generic address space, and its builtin library no overloads
 * for one (observed with PoCL 3.1: `Cannot find symbol _Z6vload3mPU3AS4Kf in kernel library`). Only
 * builtins with one generic pointer are replaced, because mangling abbreviates a repeated type.
 * Source: Itanium C++ ABI, 5.1 "External Names"; OpenCL C 1.2, 6.12. */
#include "reference/compiler/spirv/opencl12.h"

#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

#define GENERIC_POINTER "PU3AS4" /* how a name begins a parameter of type pointer to generic */

enum { PARAMETERS_MAX = 8 };

static bool is_generic_pointer(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
           LLVMGetPointerAddressSpace(type) == PL_SPACE_GENERIC;
}

/* The pointer that was cast to the generic address space; NULL: there is no such cast. */
static LLVMValueRef origin_of(LLVMValueRef pointer)
{
    if (LLVMIsAAddrSpaceCastInst(pointer)) return LLVMGetOperand(pointer, 0);
    bool constant_cast =
        LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMAddrSpaceCast;
    return constant_cast ? LLVMGetOperand(pointer, 0) : NULL;
}

/* The name of the overload for another address space, in the arena. */
static const char *overload_name(pl_job *job, const char *name, unsigned space)
{
    const char *at = strstr(name, GENERIC_POINTER);
    CHECK(at);
    int before = (int)(at - name);
    const char *after = at + strlen(GENERIC_POINTER);
    if (space == PL_SPACE_PRIVATE) {
        return rt_arena_printf(&job->arena, "%.*sP%s", before, name, after).data;
    }
    return rt_arena_printf(&job->arena, "%.*sPU3AS%u%s", before, name, space, after).data;
}

/* Replaces a call by one of the overload that takes `origin` as the operand at `index`. */
static void call_overload(pl_job *job, LLVMBuilderRef builder, LLVMValueRef call, unsigned index,
                          LLVMValueRef origin)
{
    LLVMValueRef function = LLVMGetCalledValue(call);
    CHECK(is_generic_pointer(LLVMGetOperand(call, index)) && !is_generic_pointer(origin));
    LLVMTypeRef old_type = LLVMGlobalGetValueType(function);
    LLVMTypeRef types[PARAMETERS_MAX];
    LLVMValueRef operands[PARAMETERS_MAX];
    unsigned count = LLVMGetNumArgOperands(call);
    CHECK(count <= PARAMETERS_MAX && index < count);
    for (unsigned i = 0; i < count; i++) {
        operands[i] = i == index ? origin : LLVMGetOperand(call, i);
        types[i] = LLVMTypeOf(operands[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(old_type), types, count, 0);
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(origin));
    const char *name = overload_name(job, LLVMGetValueName(function), space);
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMValueRef overload = LLVMGetNamedFunction(module, name);
    if (!overload) overload = LLVMAddFunction(module, name, type);
    LLVMSetFunctionCallConv(overload, LLVMGetFunctionCallConv(function));
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef result = LLVMBuildCall2(builder, type, overload, operands, count, "");
    LLVMSetInstructionCallConv(result, LLVMGetInstructionCallConv(call));
    pl_replace(call, result);
}

static void lower_call(pl_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
    unsigned count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef operand = LLVMGetOperand(call, i);
        LLVMValueRef origin = is_generic_pointer(operand) ? origin_of(operand) : NULL;
        if (!origin) continue;
        call_overload(job, builder, call, i, origin);
        return;
    }
}

/* Builtins with exactly one pointer to the generic address space. */
static bool has_overloads(LLVMValueRef function)
{
    rt_text name = pl_name(function);
    if (!LLVMIsDeclaration(function) || LLVMCountParams(function) > PARAMETERS_MAX) return false;
    const char *first = strstr(name.data, GENERIC_POINTER);
    return first && !strstr(first + strlen(GENERIC_POINTER), "U3AS4") &&
           pl_symbol_is_opencl_builtin(name);
}

static void lower_function(pl_job *job, LLVMBuilderRef builder, LLVMValueRef function)
{
    LLVMUseRef next = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user)) lower_call(job, builder, user);
    }
}

void pl_opencl12_builtins(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    /* New declarations are appended; they have no generic parameter, so the loop skips them. */
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        if (has_overloads(function)) lower_function(job, builder, function);
    }
    LLVMDisposeBuilder(builder);
}
