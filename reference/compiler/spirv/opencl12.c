/* Replaces the generic address space with named ones in calls to builtins.
 *
 * The reason: an OpenCL 1.2 driver has no generic address space, and its builtin library has no
 * overloads for it (observed with PoCL 3.1: `Cannot find symbol _Z6vload3mPU3AS4Kf in kernel
 * library`). Only builtins with one generic pointer are replaced, because mangling abbreviates a
 * repeated type. Source: Itanium C++ ABI, 5.1 "External Names"; OpenCL C 1.2, 6.12. */
#include "reference/compiler/spirv/opencl12.h"

#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/values.h"

#include <string.h>

#define GENERIC_POINTER                                                                            \
    "PU3AS4" /* start of a pointer to the generic address space in a mangled name */

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

/* Replaces a call with a call to the overload that takes `origin` as the operand at `index`. */
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
    /* The overload's name has the other address space in place of the generic one. */
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(origin));
    const char *generic = LLVMGetValueName(function), *at = strstr(generic, GENERIC_POINTER);
    CHECK(at);
    rt_text before = {generic, (size_t)(at - generic)};
    rt_text pointer =
        space == PL_SPACE_PRIVATE ? RT_TEXT("P") : rt_arena_printf(&job->arena, "PU3AS%u", space);
    const char *name = rt_arena_printf(&job->arena, "%.*s%.*s%s", RT_TEXT_ARG(before),
                                       RT_TEXT_ARG(pointer), at + strlen(GENERIC_POINTER))
                           .data;
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMValueRef overload = LLVMGetNamedFunction(module, name);
    if (!overload) overload = LLVMAddFunction(module, name, type);
    LLVMSetFunctionCallConv(overload, LLVMGetFunctionCallConv(function));
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef result = LLVMBuildCall2(builder, type, overload, operands, count, "");
    LLVMSetInstructionCallConv(result, LLVMGetInstructionCallConv(call));
    pl_replace(call, result);
}

/* Selects builtins with exactly one pointer to the generic address space. */
static bool has_overloads(LLVMValueRef function)
{
    rt_text name = pl_name(function);
    if (!LLVMIsDeclaration(function) || LLVMCountParams(function) > PARAMETERS_MAX) return false;
    const char *first = strstr(name.data, GENERIC_POINTER);
    return first && !strstr(first + strlen(GENERIC_POINTER), "U3AS4") &&
           pl_symbol_is_opencl_builtin(name);
}

void pl_opencl12_builtins(pl_job *job, LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
    /* New declarations are appended; they have no generic parameter, so the loop skips them. */
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        LLVMUseRef next, use = has_overloads(function) ? LLVMGetFirstUse(function) : NULL;
        for (; use; use = next) {
            next = LLVMGetNextUse(use);
            LLVMValueRef user = LLVMGetUser(use), origin = NULL;
            unsigned count = LLVMIsACallInst(user) ? LLVMGetNumArgOperands(user) : 0, index = 0;
            for (unsigned i = 0; i < count && !origin; i++) {
                LLVMValueRef operand = LLVMGetOperand(user, i);
                index = i;
                if (is_generic_pointer(operand)) origin = origin_of(operand);
            }
            if (origin) call_overload(job, builder, user, index, origin);
        }
    }
    LLVMDisposeBuilder(builder);
}
