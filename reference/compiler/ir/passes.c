/* All passes are run from this file, so that no run leaves a module unverified. */
#include "reference/compiler/ir/passes.h"

#include "reference/compiler/ir/values.h"
#include "reference/compiler/ir/version.h"

#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

/* Removes the metadata with which LLVM 14's ipsccp makes a module invalid. */
static void drop_ranges_of_vectors(LLVMModuleRef module)
{
    static const char name[] = "range";
    unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), name, sizeof name - 1);
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind && LLVMHasMetadata(i))
                LLVMSetMetadata(i, kind, NULL);
        }
    }
}

rt_status pl_passes_run(pl_job *job, LLVMModuleRef module, LLVMTargetMachineRef machine,
                        const char *passes)
{
    CHECK(LLVMGetModuleContext(module) == job->context && passes[0]);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error) {
        if (PL_VECTORS_GET_RANGES) drop_ranges_of_vectors(module);
        return pl_module_verify(job, module, "the passes");
    }
    char *reason = LLVMGetErrorMessage(error);
    rt_status status = rt_fail(
        job->sink, RT_TOOL, RT_RULE_NONE,
        "LLVM rejects the pass pipeline of assay's compiler (this is a bug in assay): %s", reason);
    LLVMDisposeErrorMessage(reason);
    return status;
}

/* The data layout of spir64 names no native integer widths, so the passes would assume that any
 * width will do; the writer accepts 8 to 64 bits. So the layout names these widths while the passes
 * run. */
rt_status pl_passes_run_native(pl_job *job, LLVMModuleRef module, const char *passes)
{
    rt_text layout = rt_arena_text(&job->arena, rt_text_of(LLVMGetDataLayoutStr(module)));
    rt_text native =
        rt_arena_printf(&job->arena, "%s%sn8:16:32:64", layout.data, layout.length > 0 ? "-" : "");
    LLVMSetDataLayout(module, native.data);
    rt_status status = pl_passes_run(job, module, NULL, passes);
    LLVMSetDataLayout(module, layout.data);
    CHECK(rt_text_is(layout, LLVMGetDataLayoutStr(module)));
    return status;
}
