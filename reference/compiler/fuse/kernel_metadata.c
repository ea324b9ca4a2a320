/* What the kernels require of a launch. Descriptions of their parameters are not kept: no driver
 * needs them, and SPIR-V states the types itself (OpenCL C 3.0, 6.7.2 "Optional attribute
 * qualifiers"). */
#include "reference/compiler/fuse/kernel_metadata.h"

#include <string.h>

#include "reference/compiler/ir/values.h"

/* If at least one kernel of the list has one of these, so does the fused kernel. The first kind is
 * OpenCL's. */
static const char *const kernel_kinds[] = {"reqd_work_group_size", "intel_reqd_sub_group_size"};

enum { KERNEL_KINDS = sizeof kernel_kinds / sizeof *kernel_kinds };

static LLVMMetadataRef entry_of(LLVMValueMetadataEntry *entries, size_t count, unsigned kind)
{
    for (unsigned i = 0; i < count; i++)
        if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
            return LLVMValueMetadataEntriesGetMetadata(entries, i);
    return NULL;
}

/* A function's node of a kind; NULL: it has none. A node of one constant, such as a sub-group size,
 * would turn into the constant as a value. */
static LLVMMetadataRef node_of(LLVMValueRef function, unsigned kind)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
    LLVMMetadataRef node = entry_of(entries, count, kind);
    LLVMDisposeValueMetadataEntries(entries);
    return node;
}

/* LLVM represents equal nodes of constants by one node, so comparing pointers is enough. */
static rt_status join_kernels(pl_fusing *fusing, const LLVMValueRef *kernels, const char *name)
{
    unsigned kind = pl_metadata_kind(fusing->job, name);
    LLVMMetadataRef found = NULL;
    for (uint32_t i = 0; i < fusing->fusion.kernel_count; i++) {
        LLVMMetadataRef node = node_of(kernels[i], kind);
        if (!node) continue;
        if (found && node != found) {
            return rt_fail_naming(fusing->job->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                                  fusing->fusion.kernels, fusing->fusion.kernel_count,
                                  "kernel %.*s cannot be fused with those before it: their %s "
                                  "differ",
                                  RT_TEXT_ARG(fusing->fusion.kernels[i]), name);
        }
        found = node;
    }
    if (found) LLVMGlobalSetMetadata(fusing->kernel, kind, found);
    return RT_STATUS_OK;
}

bool pl_required_group_size(pl_job *job, LLVMValueRef kernel,
                            uint64_t out_size[RT_ND_RANGE_DIMENSIONS])
{
    uint32_t count = 0;
    LLVMValueRef node = pl_metadata(job, kernel, kernel_kinds[0]);
    LLVMValueRef *sizes = node ? pl_metadata_operands(job, node, &count) : NULL;
    if (count != RT_ND_RANGE_DIMENSIONS) return false;
    for (uint32_t d = 0; d < count; d++) /* an element of 0 is malformed: no launch would fit it */
        if (!sizes[d] || !LLVMIsAConstantInt(sizes[d]) || LLVMIsNull(sizes[d])) return false;
    for (uint32_t d = 0; d < count; d++)
        out_size[d] = LLVMConstIntGetZExtValue(sizes[d]);
    return true;
}

rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels)
{
    for (size_t i = 0; i < KERNEL_KINDS; i++)
        RT_TRY(join_kernels(fusing, kernels, kernel_kinds[i]));
    return RT_STATUS_OK;
}

void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count)
{
    for (size_t i = 0; i < KERNEL_KINDS; i++) {
        unsigned kind = pl_metadata_kind(fusing->job, kernel_kinds[i]);
        LLVMMetadataRef size = entry_of(entries, count, kind);
        if (size) LLVMGlobalSetMetadata(fusing->kernel, kind, size);
    }
}
