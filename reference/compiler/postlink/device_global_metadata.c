/* Takes the decorations of device_globals out of LLVM IR, in which DPC++'s sycl-post-link writes
 * them as metadata.
 *
 * Post-link writes them itself, into the translation (device_global_decorate.c), from the
 * attributes that the same IR still has; llvm-spirv 14 knows the metadata, but refuses these
 * decorations. Source: document 002, "Changes to the DPC++ sycl-post-link tool";
 * CompileTimeProperties.md, "Representing in LLVM IR" (metadata spirv.Decorations). */
#include "reference/compiler/postlink/device_globals.h"

#include <llvm-c/DebugInfo.h>

/* A node of the list: a tuple whose first operand is the decoration's number. */
static bool is_of_device_global(LLVMValueRef node)
{
    /* The numbers of the preview version of SPV_INTEL_global_variable_decorations, and those of
     * SPV_INTEL_global_variable_host_access and SPV_INTEL_global_variable_fpga_decorations. */
    static const unsigned long long numbers[] = {6147, 6148, 6149, 6188, 6190, 6191};
    LLVMValueRef first = NULL;
    unsigned count = LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0;
    if (count == 0) return false;
    LLVMValueRef *operands = rt_alloc_array(count, sizeof(LLVMValueRef));
    LLVMGetMDNodeOperands(node, operands);
    first = operands[0];
    rt_free(operands);
    if (!first || !LLVMIsAConstantInt(first)) return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (LLVMConstIntGetZExtValue(first) == numbers[i]) return true;
    return false;
}

/* Removes the device_global's decorations from a list; returns true if it had any. *out_kept is the
 * list of the others, NULL if there are none. */
static bool list_filter(LLVMContextRef context, LLVMValueRef list, LLVMMetadataRef *out_kept)
{
    unsigned count = LLVMGetMDNodeNumOperands(list), kept_count = 0;
    LLVMValueRef *nodes = rt_alloc_array(count + 1, sizeof(LLVMValueRef));
    LLVMMetadataRef *kept = rt_alloc_array(count + 1, sizeof(LLVMMetadataRef));
    LLVMGetMDNodeOperands(list, nodes);
    for (unsigned i = 0; i < count; i++) {
        if (!nodes[i] || is_of_device_global(nodes[i])) continue;
        LLVMMetadataRef node = LLVMValueAsMetadata(nodes[i]);
        /* As a value, a tuple of one constant is that constant. */
        if (LLVMGetMetadataKind(node) == LLVMConstantAsMetadataMetadataKind)
            node = LLVMMDNodeInContext2(context, &node, 1);
        kept[kept_count++] = node;
    }
    *out_kept = kept_count > 0 ? LLVMMDNodeInContext2(context, kept, kept_count) : NULL;
    rt_free(nodes);
    rt_free(kept);
    return kept_count < count;
}

static rt_status variable_undecorate(pl_job *job, LLVMContextRef context, LLVMValueRef variable)
{
    static const char kind_name[] = "spirv.Decorations";
    const unsigned kind = LLVMGetMDKindIDInContext(context, kind_name, sizeof kind_name - 1);
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(variable, &count);
    LLVMMetadataRef kept = NULL;
    bool is_decorated = false;
    for (unsigned i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(entries, i) != kind) continue;
        LLVMMetadataRef list = LLVMValueMetadataEntriesGetMetadata(entries, i);
        is_decorated = list_filter(context, LLVMMetadataAsValue(context, list), &kept);
    }
    LLVMDisposeValueMetadataEntries(entries);
    if (!is_decorated) return RT_STATUS_OK;
    if (!pl_is_device_global(variable)) {
        size_t length;
        const char *data = LLVMGetValueName2(variable, &length);
        rt_text name = rt_arena_text(&job->arena, (rt_text){data, length});
        return rt_fail_naming(job->sink, RT_POSTLINK_ERROR, RT_RULE_NONE, &name, 1,
                              "variable '%.*s' has decorations of a device_global, but not the "
                              "attributes sycl-unique-id and sycl-device-global-size, from which "
                              "they are written; add the attributes",
                              RT_TEXT_ARG(name));
    }
    LLVMGlobalEraseMetadata(variable, kind);
    if (kept) LLVMGlobalSetMetadata(variable, kind, kept);
    return RT_STATUS_OK;
}

rt_status pl_device_globals_undecorate(pl_job *job, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    for (LLVMValueRef variable = LLVMGetFirstGlobal(module); variable;
         variable = LLVMGetNextGlobal(variable))
        RT_TRY(variable_undecorate(job, context, variable));
    return RT_STATUS_OK;
}
