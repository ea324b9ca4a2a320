/* Runs LLVM's back end for NVPTX: first the passes for the processor, then the output as text. */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/passes.h"
#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"
#include "reference/compiler/refuse/refuse.h"

#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#define TRIPLE          "nvptx64-nvidia-cuda"
#define DROP_PASSES     "globaldce,strip-dead-prototypes"
#define OPTIMISE_PASSES "default<O2>"

/* UNAVAILABLE: LLVM was built without this back end. */
static rt_status make_machine(pl_job *job, LLVMTargetMachineRef *out_machine)
{
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMTargetRef target = NULL;
    char *reason = NULL;
    if (LLVMGetTargetFromTriple(TRIPLE, &target, &reason)) {
        LLVMDisposeMessage(reason);
        return rt_fail(job->sink, RT_UNAVAILABLE, RT_RULE_NONE,
                       "the installed LLVM " PL_LLVM_NUMBER " has no back end for NVPTX");
    }
    /* In the small code model, LLVM 14 to 19 replace a table of pointers with one of offsets, and
     * the module is invalid if the table is not in the default address space.  The model has no
     * other effect here. */
    *out_machine =
        LLVMCreateTargetMachine(target, TRIPLE, PL_PTX_PROCESSOR, PL_PTX_FEATURES,
                                LLVMCodeGenLevelDefault, LLVMRelocDefault, LLVMCodeModelMedium);
    return RT_STATUS_OK;
}

rt_status pl_ptx_target(pl_job *job, LLVMModuleRef module)
{
    LLVMTargetMachineRef machine = NULL;
    RT_TRY(make_machine(job, &machine));
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, TRIPLE);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeTargetMachine(machine);
    return RT_STATUS_OK;
}

/* LLVM 14 assumes that no intrinsic, not even a barrier, changes a variable that is internal to the
 * module and whose address does not escape: after a barrier, a work-item would reuse the value that
 * it read before instead of the one that another work-item wrote. So these variables are made
 * external while the passes run. */
static rt_status optimise(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    if (!PL_BARRIER_SPARES_INTERNALS) return pl_passes_run(job, module, machine, OPTIMISE_PASSES);
    uint32_t count = 0, capacity = pl_symbol_count(module);
    LLVMValueRef *variables = rt_arena_alloc_array(&job->arena, capacity, sizeof(LLVMValueRef));
    LLVMValueRef variable = LLVMGetFirstGlobal(module);
    for (; variable; variable = LLVMGetNextGlobal(variable)) {
        LLVMLinkage linkage = LLVMGetLinkage(variable);
        bool internal = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
        if (!internal || LLVMIsGlobalConstant(variable)) continue;
        LLVMSetLinkage(variable, LLVMExternalLinkage);
        variables[count++] = variable;
    }
    CHECK(count <= capacity);
    rt_status status = pl_passes_run(job, module, machine, OPTIMISE_PASSES);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(LLVMGetLinkage(variables[i]) == LLVMExternalLinkage);
        LLVMSetLinkage(variables[i], LLVMInternalLinkage);
    }
    return status;
}

/* The back end reports code that it cannot select as an error through the context, and continues.
 */
static rt_status write_text(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine,
                            rt_buffer *out_text)
{
    rt_buffer_free(&job->errors);
    char *reason = NULL;
    LLVMMemoryBufferRef memory = NULL;
    LLVMBool failed =
        LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMAssemblyFile, &reason, &memory);
    rt_status status = RT_STATUS_OK;
    if (failed || job->errors.size > 0) {
        status = rt_fail(job->sink, RT_UNSUPPORTED, RT_RULE_NONE,
                         "the code cannot be expressed in PTX: %s",
                         failed ? reason : pl_job_reason(job));
    } else {
        rt_buffer_append(out_text, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    }
    LLVMDisposeMessage(reason);
    LLVMDisposeMemoryBuffer(memory); /* may be NULL, as for free */
    return status;
}

rt_status pl_ptx_emit(pl_job *job, LLVMModuleRef module, rt_buffer *out_text)
{
    LLVMTargetMachineRef machine = NULL;
    RT_TRY(make_machine(job, &machine));
    /* The passes would drop definitions that other images may repeat (inline virtual functions,
     * vtables) if this image does not use them, but other images may rely on them. */
    for (LLVMValueRef v = pl_first_symbol(module); v; v = pl_next_symbol(v)) {
        LLVMLinkage linkage = LLVMGetLinkage(v);
        bool droppable = linkage == LLVMLinkOnceODRLinkage || linkage == LLVMLinkOnceAnyLinkage;
        if (droppable && !LLVMIsDeclaration(v)) LLVMSetLinkage(v, LLVMWeakODRLinkage);
    }
    rt_status status = pl_passes_run(job, module, machine, DROP_PASSES);
    if (rt_ok(status)) status = optimise(job, module, machine);
    if (rt_ok(status)) status = pl_passes_run(job, module, machine, DROP_PASSES);
    if (rt_ok(status)) status = pl_refuse_circles(job, module, RT_UNSUPPORTED, "LLVM's PTX");
    if (rt_ok(status)) pl_ptx_reach_callees(job, module);
    if (rt_ok(status) && PL_ROTATION_IS_NOT_REDUCED) pl_ptx_mask_rotations(module);
    if (rt_ok(status) && PL_EXTRACTED_SIGN_IS_LOST) pl_ptx_keep_signs(module);
    if (rt_ok(status)) pl_ptx_pad_initial_values(job, module);
    if (rt_ok(status)) status = write_text(job, module, machine, out_text);
    LLVMDisposeTargetMachine(machine);
    return status;
}
