/* Checks over a module as it came from a front end or a file. */
#include "reference/compiler/refuse.h"

static rt_status refuse(pl_job *job, rt_text source, rt_text symbol, const char *what)
{
    return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &symbol, 1,
                          "source %.*s: '%.*s' %s", RT_TEXT_ARG(source), RT_TEXT_ARG(symbol), what);
}

static rt_status refuse_aliases(pl_job *job, LLVMModuleRef module, rt_text source)
{
    LLVMValueRef alias = LLVMGetFirstGlobalAlias(module);
    if (!alias) alias = LLVMGetFirstGlobalIFunc(module);
    if (!alias) return RT_STATUS_OK;
    return refuse(job, source, pl_job_name(job, alias),
                  "is an alias, which device code does not have; define a function that calls the "
                  "other one");
}

/* Lists that clang makes of constructors and of variables with dynamic initialisation. */
static rt_status refuse_start_up(pl_job *job, LLVMModuleRef module, rt_text source)
{
    static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        LLVMValueRef list = LLVMGetNamedGlobal(module, lists[i]);
        if (!list) continue;
        return refuse(job, source, rt_text_of(lists[i]),
                      "is not empty: some function or variable is to be run or initialised at "
                      "start-up, which device code does not have; give constant initialisers");
    }
    return RT_STATUS_OK;
}

static bool has_assembly(LLVMValueRef function)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        for (; instruction; instruction = LLVMGetNextInstruction(instruction)) {
            if (LLVMIsACallInst(instruction) && LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
                return true;
        }
    }
    return false;
}

static rt_status refuse_symbol(pl_job *job, LLVMValueRef value, rt_text source)
{
    bool exported = LLVMGetLinkage(value) == LLVMExternalLinkage;
    rt_text name = pl_job_name(job, value);
    if (exported && name.length == 0) {
        return rt_fail(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
                       "source %.*s has a symbol without a name that is not internal; name it",
                       RT_TEXT_ARG(source));
    }
    if (LLVMIsAFunction(value) && has_assembly(value))
        return refuse(job, source, name, "holds assembly, which SPIR-V does not have");
    return RT_STATUS_OK;
}

rt_status pl_refuse_foreign(pl_job *job, LLVMModuleRef module, rt_text source)
{
    RT_TRY(refuse_aliases(job, module, source));
    RT_TRY(refuse_start_up(job, module, source));
    size_t length = 0;
    (void)LLVMGetModuleInlineAsm(module, &length);
    if (length > 0) {
        return rt_fail(
            job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE,
            "source %.*s holds assembly outside of functions, which SPIR-V does not have",
            RT_TEXT_ARG(source));
    }
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        RT_TRY(refuse_symbol(job, function, source));
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        RT_TRY(refuse_symbol(job, variable, source));
    return RT_STATUS_OK;
}
