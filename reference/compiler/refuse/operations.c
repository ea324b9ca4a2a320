/* Checks every instruction of an image.
 *
 * Observed: LLVMSPIRVLib 14 was run on each operation separately to find out which ones it can
 * write.
 */
#include "reference/compiler/refuse/refuse_internal.h"

#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"

#include <inttypes.h>
#include <string.h>

/* ---- Intrinsics ---------------------------------------------------------------------------- */

/* The names after "llvm."; a name that ends in a dot is a prefix. */
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

/* An intrinsic is known if its name is in the table; overloads append a dot and their types. */
static bool is_known(rt_text name)
{
    CHECK(rt_text_starts(name, "llvm.") && name.length > 5);
    rt_text rest = rt_text_skip(name, 5);
    for (size_t i = 0; i < sizeof known_intrinsics / sizeof *known_intrinsics; i++) {
        size_t length = strlen(known_intrinsics[i]);
        if (!rt_text_starts(rest, known_intrinsics[i])) continue;
        if (known_intrinsics[i][length - 1] == '.' || rest.length == length) return true;
        if (rest.data[length] == '.') return true;
    }
    return false;
}

static rt_text intrinsic_fault(pl_job *job, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee) == 0) return (rt_text){0};
    rt_text name = pl_job_name(job, callee);
    /* If the length is not a constant, the writer would create an exported function. */
    if (rt_text_starts(name, "llvm.memset") && !LLVMIsAConstantInt(LLVMGetOperand(call, 2))) {
        return RT_TEXT("fills memory with a length that is not a constant ('llvm.memset'); write "
                       "a loop instead");
    }
    if (is_known(name)) return (rt_text){0};
    return rt_arena_printf(&job->arena,
                           "calls '%.*s', which the SPIR-V translator does not know; avoid it",
                           RT_TEXT_ARG(name));
}

/* ---- Builtin functions ----------------------------------------------------------------------- */

/* The number of values that a function takes; a structure that it returns through memory is the
 * first of LLVM's parameters. */
static uint32_t parameter_count(LLVMValueRef function)
{
    uint32_t count = LLVMCountParams(function);
    unsigned kind = LLVMGetEnumAttributeKindForName("sret", 4);
    return count - (count > 0 && LLVMGetEnumAttributeAtIndex(function, 1, kind) != NULL);
}

/* What is wrong with a function that the module calls and does not define. */
static rt_text declaration_fault(pl_job *job, LLVMValueRef function)
{
    CHECK(LLVMIsDeclaration(function));
    rt_text symbol = pl_job_name(job, function);
    uint32_t count = parameter_count(function);
    if (!LLVMGetFirstUse(function) || pl_symbol_takes_parameters(symbol, count))
        return (rt_text){0};
    return rt_arena_printf(&job->arena,
                           "is declared with %" PRIu32
                           " parameter%s, but no overload of OpenCL C's builtin function '%.*s' "
                           "has so many; declare it as OpenCL C does",
                           count, count == 1 ? "" : "s",
                           RT_TEXT_ARG(pl_symbol_builtin_name(symbol)));
}

/* ---- Instructions -------------------------------------------------------------------------- */

static rt_text instruction_fault(pl_job *job, LLVMValueRef instruction)
{
    CHECK(LLVMIsAInstruction(instruction));
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMCall: return intrinsic_fault(job, instruction);
    case LLVMAtomicRMW:
        switch (LLVMGetAtomicRMWBinOp(instruction)) {
        case LLVMAtomicRMWBinOpNand:
        case LLVMAtomicRMWBinOpFAdd:
        case LLVMAtomicRMWBinOpFSub:
            return RT_TEXT("performs an atomic operation that SPIR-V does not have; use a "
                           "compare-and-exchange loop instead");
        default: return (rt_text){0};
        }
    case LLVMSelect: { /* aggregates can be selected only since SPIR-V 1.4 */
        LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(instruction));
        if (kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind) return (rt_text){0};
        return RT_TEXT(
            "selects between structs or arrays; select between their members or elements instead");
    }
    case LLVMAlloca:
        if (LLVMIsAConstantInt(LLVMGetOperand(instruction, 0))) return (rt_text){0};
        return RT_TEXT(
            "has a private array whose length is not a constant; give it a constant length");
    default: return (rt_text){0};
    }
}

static rt_status refuse(pl_job *job, LLVMValueRef function, rt_text place, rt_text fault)
{
    rt_text name = pl_job_name(job, function);
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1, "%.*s'%.*s' %.*s",
                          RT_TEXT_ARG(place), RT_TEXT_ARG(name), RT_TEXT_ARG(fault));
}

rt_status pl_refuse_operations(pl_job *job, LLVMModuleRef module)
{
    CHECK(LLVMGetModuleContext(module) == job->context);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        rt_text fault =
            LLVMIsDeclaration(function) ? declaration_fault(job, function) : (rt_text){0};
        if (fault.length > 0) return refuse(job, function, (rt_text){0}, fault);
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            fault = instruction_fault(job, i);
            if (fault.length > 0) return refuse(job, function, pl_place(job, i), fault);
        }
    }
    return RT_STATUS_OK;
}
