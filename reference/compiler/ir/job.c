/* Jobs: the lifetime of an LLVM context, and its modules.
 *
 * Nothing here is specific to device code. LLVM's contract for C is the header llvm-c/Core.h;
 * observed: LLVMLinkModules2 ends the process unless the context has a diagnostic handler. */
#include "reference/compiler/ir/job.h"

#include "reference/compiler/ir/version.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>

static void collect_error(LLVMDiagnosticInfoRef info, void *user)
{
    pl_job *job = user;
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
    char *text = LLVMGetDiagInfoDescription(info);
    if (job->errors.size > 0) rt_buffer_printf(&job->errors, "; ");
    rt_buffer_printf(&job->errors, "%s", text);
    LLVMDisposeMessage(text);
}

void pl_job_open(pl_job *job, rt_sink *sink)
{
    CHECK(sink);
    *job = (pl_job){.sink = sink, .context = LLVMContextCreate()};
    CHECK(job->errors.size == 0 && job->arena.total == 0);
    LLVMContextSetDiagnosticHandler(job->context, collect_error, job);
}

void pl_job_close(pl_job *job)
{
    CHECK(job->context);
    LLVMContextDispose(job->context);
    rt_arena_reset(&job->arena);
    rt_buffer_free(&job->errors);
    *job = (pl_job){0};
}

const char *pl_job_reason(const pl_job *job)
{
    return job->errors.size > 0 ? rt_buffer_string(&job->errors) : "no reason given";
}

rt_text pl_job_name(pl_job *job, LLVMValueRef value)
{
    size_t length = 0;
    const char *name = LLVMGetValueName2(value, &length);
    return rt_arena_text(&job->arena, (rt_text){name, length});
}

const rt_text *pl_job_keep_texts(pl_job *job, pl_text_list *texts, uint32_t *out_count)
{
    *out_count = texts->count;
    const rt_text *copy = rt_arena_copy(&job->arena, texts->items, texts->count, sizeof *copy);
    rt_vector_free(texts);
    CHECK(texts->count == 0);
    return copy;
}

rt_status pl_module_parse(pl_job *job, rt_bytes bitcode, rt_text label, LLVMModuleRef *out_module)
{
    *out_module = NULL;
    CHECK(job->context && label.length > 0);
    rt_buffer_free(&job->errors);
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        (const char *)bitcode.data, bitcode.size, "bitcode");
    LLVMModuleRef module = NULL;
    LLVMBool failed = LLVMParseBitcodeInContext2(job->context, memory, &module);
    LLVMDisposeMemoryBuffer(memory);
    if (failed) {
        return rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                       "%.*s: not LLVM bitcode that LLVM " PL_LLVM_NUMBER " can read (%s)",
                       RT_TEXT_ARG(label), pl_job_reason(job));
    }
    char *reason = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &reason)) {
        rt_status status = rt_fail(job->sink, RT_MALFORMED, RT_RULE_NONE,
                                   "%.*s: invalid LLVM IR: %s", RT_TEXT_ARG(label), reason);
        LLVMDisposeMessage(reason);
        LLVMDisposeModule(module);
        return status;
    }
    LLVMDisposeMessage(reason);
    *out_module = module;
    return RT_STATUS_OK;
}

rt_status pl_module_verify(pl_job *job, LLVMModuleRef module, const char *after)
{
    CHECK(LLVMGetModuleContext(module) == job->context);
    char *reason = NULL;
    rt_status status = RT_STATUS_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &reason)) {
        status = rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                         "the module is invalid after %s; this is a bug in assay's compiler: %s",
                         after, reason);
    }
    LLVMDisposeMessage(reason);
    return status;
}

bool pl_is_kernel(LLVMValueRef function)
{
    CHECK(LLVMIsAFunction(function));
    return LLVMGetFunctionCallConv(function) == PL_SPIR_KERNEL;
}

void pl_make_plain_function(LLVMValueRef kernel)
{
    CHECK(pl_is_kernel(kernel));
    LLVMSetFunctionCallConv(kernel, PL_SPIR_FUNCTION);
    CHECK(!pl_is_kernel(kernel));
    for (LLVMUseRef use = LLVMGetFirstUse(kernel); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsACallInst(user)) LLVMSetInstructionCallConv(user, PL_SPIR_FUNCTION);
    }
}

bool pl_is_local(LLVMValueRef value)
{
    CHECK(LLVMIsAGlobalValue(value));
    LLVMLinkage linkage = LLVMGetLinkage(value);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
           linkage == LLVMAvailableExternallyLinkage;
}

rt_status pl_module_link(pl_job *job, rt_code code, LLVMModuleRef target, LLVMModuleRef source)
{
    CHECK(code == RT_POSTLINK_ERROR || code == RT_LINK_ERROR);
    CHECK(target && source && target != source);
    rt_buffer_free(&job->errors);
    if (!LLVMLinkModules2(target, source)) return RT_STATUS_OK;
    return rt_fail(job->sink, code, RT_RULE_NONE, "LLVM cannot link the modules: %s",
                   pl_job_reason(job));
}
