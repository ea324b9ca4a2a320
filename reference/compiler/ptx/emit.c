/* LLVM's back end for NVPTX: passes for the processor, then text. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/passes.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#define TRIPLE          "nvptx64-nvidia-cuda"
#define DROP_PASSES     "globaldce,strip-dead-prototypes"
#define OPTIMISE_PASSES "default<O2>"

/* NULL: this LLVM was built without the back end. */
static LLVMTargetMachineRef make_machine(void)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMTargetRef target = NULL;
    char *reason = NULL;
    if (LLVMGetTargetFromTriple(TRIPLE, &target, &reason)) {
        LLVMDisposeMessage(reason);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, TRIPLE, PL_PTX_PROCESSOR, PL_PTX_FEATURES,
                                   LLVMCodeGenLevelDefault, LLVMRelocDefault, LLVMCodeModelDefault);
}

static bool is_own_variable(LLVMValueRef variable)
{
    LLVMLinkage linkage = LLVMGetLinkage(variable);
    return (linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage) &&
           !LLVMIsGlobalConstant(variable);
}

/* LLVM takes it that no intrinsic, a barrier neither, changes a variable that the module keeps to
 * itself and whose address nobody has: a work-item would read behind a barrier what it knew before,
 * not what another one wrote.  Everybody knows such variables while the passes run. */
static rt_status optimise(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    uint32_t count = 0, shown = 0;
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        count += is_own_variable(variable);
    LLVMValueRef *own = rt_arena_alloc_array(&job->arena, count + 1, sizeof *own);
    variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        if (!is_own_variable(variable)) continue;
        LLVMSetLinkage(variable, LLVMExternalLinkage);
        own[shown++] = variable;
    }
    CHECK(shown == count);
    rt_status status = pl_passes_run(job, module, machine, OPTIMISE_PASSES);
    for (uint32_t i = 0; i < count; i++)
        LLVMSetLinkage(own[i], LLVMInternalLinkage);
    return status;
}

/* What the back end cannot select it reports as an error of the context, and goes on. */
static rt_status write_text(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine,
                            rt_buffer *out_text)
{
    rt_buffer_free(&job->errors);
    char *reason = NULL;
    LLVMMemoryBufferRef memory = NULL;
    LLVMBool failed =
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &reason, &memory);
    if (failed || job->errors.size > 0) {
        rt_status status =
            rt_fail(job->sink, RT_UNSUPPORTED, RT_RULE_NONE, "the code has no form in PTX: %s",
                    failed ? reason : pl_job_reason(job));
        LLVMDisposeMessage(reason);
        if (memory) LLVMDisposeMemoryBuffer(memory);
        return status;
    }
    rt_buffer_append(out_text, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    LLVMDisposeMemoryBuffer(memory);
    return RT_STATUS_OK;
}

static void keep_definition(LLVMValueRef value)
{
    LLVMLinkage linkage = LLVMGetLinkage(value);
    bool may_go = linkage == LLVMLinkOnceODRLinkage || linkage == LLVMLinkOnceAnyLinkage;
    if (may_go && !LLVMIsDeclaration(value)) LLVMSetLinkage(value, LLVMWeakODRLinkage);
}

/* What other images may define as well is dropped by the passes where this image does not use it,
 * but other images use it: virtual functions of inline bodies, vtables. */
static void keep_shared(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function))
        keep_definition(function);
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable))
        keep_definition(variable);
}

rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text)
{
    LLVMTargetMachineRef machine = make_machine();
    if (!machine)
        return rt_fail(job->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the installed LLVM 14 has no back end for NVPTX");
    keep_shared(module);
    rt_status status = pl_passes_run(job, module, machine, DROP_PASSES);
    if (rt_ok(status)) status = optimise(job, module, machine);
    if (rt_ok(status)) status = pl_passes_run(job, module, machine, DROP_PASSES);
    if (rt_ok(status)) pl_ptx_mask_rotations(module);
    if (rt_ok(status)) status = write_text(job, module, machine, out_text);
    LLVMDisposeTargetMachine(machine);
    return status;
}
