/* Checks a module as it came from a front end or a file, using tables that contain the message
 * texts, and runs all checks that a module must pass before it is written. */
#include "reference/compiler/refuse/refuse.h"

#include "reference/compiler/ir/builtins.h"
#include "reference/compiler/ir/place.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/refuse/refuse_internal.h"

rt_status pl_refuse_symbol(pl_job *job, rt_text source, unsigned line, rt_text symbol,
                           const char *problem)
{
    CHECK(source.length > 0 && problem[0]);
    rt_text place = line > 0 ? rt_arena_printf(&job->arena, ", line %u", line) : (rt_text){0};
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &symbol, 1,
                          "source %.*s%.*s: '%.*s' %s", RT_TEXT_ARG(source), RT_TEXT_ARG(place),
                          RT_TEXT_ARG(symbol), problem);
}

/* `at` is the function or instruction whose line the message reports; NULL: no line. */
static rt_status refuse(pl_job *job, rt_text source, LLVMValueRef at, rt_text symbol,
                        const char *problem)
{
    return pl_refuse_symbol(job, source, at ? pl_place_line(at) : 0, symbol, problem);
}

/* ---- Start-up ------------------------------------------------------------------------------ */

/* The function or, if it has no line, its first instruction with a line, including those of called
 * functions. Clang lists a single function for all variables of a source; neither that function nor
 * the functions that it calls, one for each variable, have a line. */
static LLVMValueRef first_placed(LLVMValueRef function, unsigned depth)
{
    if (pl_place_line(function) > 0) return function;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    LLVMValueRef instruction = block ? LLVMGetFirstInstruction(block) : NULL;
    for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
        if (pl_place_line(instruction) > 0) return instruction;
        if (!LLVMIsACallInst(instruction) || depth == 0) continue;
        LLVMValueRef callee = LLVMGetCalledValue(instruction);
        if (LLVMIsAFunction(callee)) return first_placed(callee, depth - 1);
    }
    return NULL;
}

/* Clang puts constructors and the dynamic initialisation of variables into these lists. */
static rt_status check_start_up(pl_job *job, LLVMModuleRef module, rt_text source)
{
    static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (!list) continue;
        /* The first row's function may have a line. A row consists of priority, function and data.
         */
        LLVMValueRef rows = LLVMGetInitializer(list);
        bool filled = rows && LLVMIsAConstantArray(rows) && LLVMGetNumOperands(rows) > 0;
        LLVMValueRef row = filled ? LLVMGetOperand(rows, 0) : NULL;
        bool complete = row && LLVMIsAConstantStruct(row) && LLVMGetNumOperands(row) >= 2;
        LLVMValueRef function = complete ? LLVMIsAFunction(LLVMGetOperand(row, 1)) : NULL;
        return refuse(job, source, function ? first_placed(function, 2) : NULL,
                      rt_text_of(lists[i]),
                      "is not empty, but device code has no start-up or exit at which functions "
                      "could run or variables could be initialised; use constant initialisers");
    }
    return RT_STATUS_OK;
}

/* ---- Instructions -------------------------------------------------------------------------- */

#define EXCEPTION "handles exceptions, which device code does not have"

/* Other instructions of exceptions occur only with one of these: a catchpad and a catchret with a
 * catchswitch, a cleanupret with a cleanuppad. */
static const struct instruction_row {
    LLVMOpcode opcode;
    const char *problem;
} instruction_rows[] = {
    {LLVMInvoke, EXCEPTION},
    {LLVMLandingPad, EXCEPTION},
    {LLVMResume, EXCEPTION},
    {LLVMCatchSwitch, EXCEPTION},
    {LLVMCleanupPad, EXCEPTION},
    {LLVMCallBr, "contains inline assembly, which SPIR-V does not have"},
    {LLVMIndirectBr, "jumps to the address of a label, which SPIR-V does not have"},
    {LLVMVAArg, "takes variable arguments, which SPIR-V does not have"},
};

/* ---- Symbols ------------------------------------------------------------------------------- */

static const char *symbol_fault(LLVMValueRef value, rt_text name)
{
    bool function = LLVMIsAFunction(value) != NULL;
    CHECK(function || LLVMIsAGlobalVariable(value));
    /* Observed: llvm-spirv 14 corrupts the bytes that follow a byte of 0x80 or above. */
    for (size_t i = 0; i < name.length; i++) {
        if ((unsigned char)name.data[i] < 0x80) continue;
        return "has a name with characters beyond ASCII, which the SPIR-V translator would "
               "corrupt; give it another name";
    }
    if (LLVMGetLinkage(value) == LLVMExternalWeakLinkage) {
        return "is declared weak, but device code has no symbols that may be absent; declare it "
               "without the weak attribute";
    }
    if (function && pl_is_kernel(value) && pl_is_local(value)) {
        return "is a kernel with internal linkage, so no host could name it; give it external "
               "linkage";
    }
    bool variadic = function && LLVMIsFunctionVarArg(LLVMGlobalGetValueType(value));
    if (variadic && !pl_symbol_is_opencl_builtin(name)) {
        return "takes variable arguments, which SPIR-V does not have";
    }
    if (!function && LLVMIsThreadLocal(value)) {
        return "is a thread-local variable, which device code does not have";
    }
    return NULL;
}

static rt_status check_symbol(pl_job *job, LLVMValueRef value, rt_text source)
{
    bool exported = LLVMGetLinkage(value) == LLVMExternalLinkage;
    rt_text name = pl_job_name(job, value);
    if (exported && name.length == 0) {
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
                       "source %.*s has an external symbol without a name; name it",
                       RT_TEXT_ARG(source));
    }
    LLVMValueRef function = LLVMIsAFunction(value);
    const char *fault = symbol_fault(value, name);
    if (fault) return refuse(job, source, function, name, fault);
    LLVMValueRef i = function ? pl_first_instruction(function) : NULL;
    for (; i; i = pl_next_instruction(i)) {
        LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        if (opcode == LLVMCall && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
            fault = "contains inline assembly, which SPIR-V does not have";
        for (size_t k = 0; k < sizeof instruction_rows / sizeof *instruction_rows; k++)
            if (instruction_rows[k].opcode == opcode) fault = instruction_rows[k].problem;
        if (fault) return refuse(job, source, i, name, fault);
    }
    return RT_STATUS_OK;
}

rt_status pl_refuse_foreign(pl_job *job, LLVMModuleRef module, rt_text source)
{
    CHECK(source.length > 0 && LLVMGetModuleContext(module) == job->context);
    /* An alias has no line, but its target may have one. */
    LLVMValueRef alias = LLVMGetFirstGlobalAlias(module);
    LLVMValueRef target = alias ? LLVMAliasGetAliasee(alias) : NULL;
    if (!alias) {
        alias = LLVMGetFirstGlobalIFunc(module);
        target = alias ? LLVMGetGlobalIFuncResolver(alias) : NULL;
    }
    if (alias)
        return refuse(job, source, target ? LLVMIsAFunction(target) : NULL, pl_job_name(job, alias),
                      "is an alias, which device code does not have; define a function that calls "
                      "the original instead");
    RT_TRY(check_start_up(job, module, source));
    size_t length = 0;
    (void)LLVMGetModuleInlineAsm(module, &length);
    if (length > 0) {
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
                       "source %.*s contains assembly outside functions, which SPIR-V does not "
                       "have",
                       RT_TEXT_ARG(source));
    }
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v))
        RT_TRY(check_symbol(job, v, source));
    return RT_STATUS_OK;
}

rt_status pl_refuse_unwritable(pl_job *job, LLVMModuleRef module)
{
    RT_TRY(pl_refuse_types(job, module));
    RT_TRY(pl_refuse_operations(job, module));
    return pl_refuse_circles(job, module, RT_POSTLINK_ERROR, "SPIR-V");
}
