/* Turns constant memory into global memory.
 *
 * LLVM's C interface cannot change the type of a pointer inside other types, so the text of the
 * module is changed: outside quotes, `addrspace(4)` always denotes that space (LLVM Language
 * Reference Manual, "Pointer Type"). */
#include "reference/compiler/ptx/ptx_internal.h"

#include "reference/compiler/ir/values.h"

#include <llvm-c/IRReader.h>
#include <string.h>

static const char constant_space[] = "addrspace(4)";

static bool casts_between(LLVMValueRef value)
{
    bool casts = LLVMIsAAddrSpaceCastInst(value) ||
                 (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast);
    if (!casts) return false;
    unsigned from = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(value, 0)));
    unsigned to = LLVMGetPointerAddressSpace(LLVMTypeOf(value));
    return (from == PL_PTX_SPACE_CONSTANT && to == PL_PTX_SPACE_GLOBAL) ||
           (from == PL_PTX_SPACE_GLOBAL && to == PL_PTX_SPACE_CONSTANT);
}

/* A cast between the two spaces would become a cast from a space to itself, which is invalid. */
static rt_status refuse_casts(pl_job *job, LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    for (; function; function = LLVMGetNextFunction(function)) {
        for (LLVMValueRef i = pl_first_instruction(function); i; i = pl_next_instruction(i)) {
            bool casts = casts_between(i);
            int count = LLVMGetNumOperands(i);
            for (int k = 0; k < count && !casts; k++)
                casts = casts_between(LLVMGetOperand(i, (unsigned)k));
            if (casts)
                return pl_ptx_refuse(job, NULL, pl_job_name(job, function),
                                     "casts between constant and global memory, which assay does "
                                     "not distinguish in PTX");
        }
    }
    return RT_STATUS_OK;
}

rt_status pl_ptx_join_spaces(pl_job *job, LLVMModuleRef *module)
{
    RT_TRY(refuse_casts(job, *module));
    char *text = LLVMPrintModuleToString(*module);
    rt_status status = RT_STATUS_OK;
    bool replaces = false;
    size_t length = sizeof constant_space - 1;
    for (char *at = text; *at; at++) {
        if (*at == '"') {
            /* A quoted string contains no quotation mark, so it ends at the next one. */
            at = strchr(at + 1, '"');
            CHECK(at);
        } else if (*at == 'a' && strncmp(at, constant_space, length) == 0) {
            CHECK(at[length - 2] == '0' + PL_PTX_SPACE_CONSTANT);
            at[length - 2] = '0' + PL_PTX_SPACE_GLOBAL;
            replaces = true;
        }
    }
    if (replaces) {
        LLVMDisposeModule(*module);
        *module = NULL;
        char *reason = NULL;
        LLVMMemoryBufferRef memory =
            LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "ptx");
        if (LLVMParseIRInContext(job->context, memory, module, &reason)) {
            *module = NULL;
            status = rt_fail(job->sink, RT_TOOL, RT_RULE_NONE,
                             "the module is invalid once constant memory is global memory; this "
                             "is a bug in assay's compiler: %s",
                             reason);
            LLVMDisposeMessage(reason);
        }
    }
    LLVMDisposeMessage(text);
    if (!rt_ok(status)) return status;
    return pl_module_verify(job, *module, "merging the address spaces");
}
