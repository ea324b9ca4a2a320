/* Looks at every instruction of an image for what the writer lacks.
 *
 * What it has was observed by giving it each operation alone (LLVMSPIRVLib 14). */
#include "reference/compiler/refuse/operations.h"

#include "reference/compiler/ir/place.h"

#include <string.h>

/* ---- Intrinsics ---------------------------------------------------------------------------- */

/* Behind "llvm."; a point at the end stands for everything that begins so. */
static const char *const known_intrinsics[] = {
    "abs",
    "arithmetic.fence",
    "assume",
    "ceil",
    "copysign",
    "cos",
    "ctlz",
    "ctpop",
    "cttz",
    "dbg.",
    "donothing",
    "exp",
    "exp2",
    "expect",
    "fabs",
    "floor",
    "experimental.constrained.",
    "fma",
    "fmuladd",
    "invariant.",
    "lifetime.",
    "log",
    "experimental.noalias.scope.decl",
    "log10",
    "log2",
    "maximum",
    "maxnum",
    "memcpy",
    "memset",
    "minimum",
    "minnum",
    "nearbyint",
    "pow",
    "powi",
    "ptr.annotation",
    "rint",
    "round",
    "roundeven",
    "sin",
    "smax",
    "smin",
    "sqrt",
    "trap",
    "trunc",
    "umax",
    "umin",
    "var.annotation",
};

/* The intrinsic's name is a row's, with the types that overload it behind a point. */
static bool is_known(rt_text name)
{
    CHECK(rt_text_starts(name, "llvm."));
    rt_text rest = {name.data + 5, name.length - 5};
    for (size_t i = 0; i < sizeof known_intrinsics / sizeof *known_intrinsics; i++) {
        size_t length = strlen(known_intrinsics[i]);
        if (!rt_text_starts(rest, known_intrinsics[i])) continue;
        if (known_intrinsics[i][length - 1] == '.' || rest.length == length) return true;
        if (rest.data[length] == '.') return true;
    }
    return false;
}

/* The writer makes an exported function for a block whose length only the device knows. */
static bool is_memset_of_any_length(rt_text name, LLVMValueRef call)
{
    return rt_text_starts(name, "llvm.memset") && !LLVMIsAConstantInt(LLVMGetOperand(call, 2));
}

static rt_text intrinsic_fault(pl_job *job, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee) == 0) return (rt_text){0};
    rt_text name = pl_job_name(job, callee);
    if (is_memset_of_any_length(name, call)) {
        return RT_TEXT("fills memory of a length that is not a constant ('llvm.memset'); write a "
                       "loop");
    }
    if (is_known(name)) return (rt_text){0};
    return rt_arena_printf(&job->arena,
                           "calls '%.*s', which the SPIR-V translator does not know; do without",
                           RT_TEXT_ARG(name));
}

/* ---- Instructions -------------------------------------------------------------------------- */

static rt_text atomic_fault(LLVMValueRef atomic)
{
    switch (LLVMGetAtomicRMWBinOp(atomic)) {
    case LLVMAtomicRMWBinOpNand:
    case LLVMAtomicRMWBinOpFAdd:
    case LLVMAtomicRMWBinOpFSub:
        return RT_TEXT("does an atomic operation that SPIR-V does not have; use a loop with "
                       "compare-and-exchange");
    default: return (rt_text){0};
    }
}

/* What OpSelect takes from SPIR-V 1.4 on only. */
static bool is_aggregate(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
}

static rt_text instruction_fault(pl_job *job, LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall: return intrinsic_fault(job, instruction);
    case LLVMAtomicRMW: return atomic_fault(instruction);
    case LLVMSelect:
        if (!is_aggregate(LLVMTypeOf(instruction))) return (rt_text){0};
        return RT_TEXT("selects between structs or arrays; select between their parts");
    case LLVMAlloca:
        if (LLVMIsAConstantInt(LLVMGetOperand(instruction, 0))) return (rt_text){0};
        return RT_TEXT("has a private array whose length is not a constant; give it one");
    default: return (rt_text){0};
    }
}

static rt_status judge_function(pl_job *job, LLVMValueRef function)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
            rt_text fault = instruction_fault(job, instruction);
            if (fault.length == 0) continue;
            rt_text name = pl_job_name(job, function), place = pl_place(job, instruction);
            return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                                  "%.*s'%.*s' %.*s", RT_TEXT_ARG(place), RT_TEXT_ARG(name),
                                  RT_TEXT_ARG(fault));
        }
    }
    return RT_STATUS_OK;
}

rt_status pl_refuse_operations(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        RT_TRY(judge_function(job, function));
    return RT_STATUS_OK;
}
