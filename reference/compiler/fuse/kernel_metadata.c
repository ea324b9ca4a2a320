/* The kinds are those that the SPIR-V translator reads and writes (SPIR 1.2, "Kernel metadata";
 * OpenCL C 3.0, 6.7.2 "Optional attribute qualifiers"). */
#include "reference/compiler/fuse/kernel_metadata.h"

#include <string.h>

#include "reference/compiler/ir/values.h"

/* Each kind is a list with one entry per parameter. */
static const char *const parameter_kinds[] = {"kernel_arg_addr_space", "kernel_arg_access_qual",
                                              "kernel_arg_type",       "kernel_arg_base_type",
                                              "kernel_arg_type_qual",  "kernel_arg_name"};

/* Metadata of the whole kernel: if at least one kernel of the list has it, so does the fused
 * kernel. The first kind is OpenCL's. */
static const char *const kernel_kinds[] = {"reqd_work_group_size", "intel_reqd_sub_group_size"};

enum {
    PARAMETER_KINDS = sizeof parameter_kinds / sizeof *parameter_kinds,
    KERNEL_KINDS = sizeof kernel_kinds / sizeof *kernel_kinds
};

/* Operand `index` of a node; NULL: it has fewer. */
static LLVMMetadataRef operand_of(pl_job *job, LLVMValueRef node, uint32_t index)
{
    uint32_t count;
    LLVMValueRef *operands = pl_metadata_operands(job, node, &count);
    return index < count ? LLVMValueAsMetadata(operands[index]) : NULL;
}

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
    pl_job *job = fusing->job;
    uint32_t count = fusing->parameters.count;
    LLVMMetadataRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (size_t i = 0; i < PARAMETER_KINDS; i++) {
        const char *kind = parameter_kinds[i];
        /* A list is joined if it exists in every kernel that contributes a parameter to the fused
         * kernel. */
        bool complete = true;
        for (uint32_t k = 0; k < count && complete; k++) {
            rt_fusion_place origin = fusing->parameters.origins[k];
            CHECK(origin.kernel < fusing->fusion.kernel_count);
            LLVMValueRef list = pl_metadata(job, kernels[origin.kernel], kind);
            operands[k] = list ? operand_of(job, list, origin.parameter) : NULL;
            complete = operands[k] != NULL;
        }
        if (complete)
            LLVMGlobalSetMetadata(fusing->kernel, pl_metadata_kind(job, kind),
                                  LLVMMDNodeInContext2(job->context, operands, count));
    }
    for (size_t i = 0; i < KERNEL_KINDS; i++)
        RT_TRY(join_kernels(fusing, kernels, kernel_kinds[i]));
    return RT_STATUS_OK;
}

void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *entries, size_t count)
{
    pl_job *job = fusing->job;
    uint32_t parameter_count = fusing->parameters.count;
    LLVMMetadataRef *operands =
        rt_arena_alloc_array(&job->arena, parameter_count, sizeof(LLVMMetadataRef));
    for (size_t i = 0; i < PARAMETER_KINDS; i++) {
        unsigned kind = pl_metadata_kind(job, parameter_kinds[i]);
        LLVMMetadataRef list = entry_of(entries, count, kind);
        if (!list) continue;
        LLVMValueRef node = LLVMMetadataAsValue(job->context, list);
        uint32_t operand_count = 0;
        for (uint32_t k = 0; k < parameter_count; k++)
            if (!fusing->dropped[k]) operands[operand_count++] = operand_of(job, node, k);
        CHECK(operand_count == LLVMCountParams(fusing->kernel));
        LLVMGlobalSetMetadata(fusing->kernel, kind,
                              LLVMMDNodeInContext2(job->context, operands, operand_count));
    }
    for (size_t i = 0; i < KERNEL_KINDS; i++) {
        unsigned kind = pl_metadata_kind(job, kernel_kinds[i]);
        LLVMMetadataRef size = entry_of(entries, count, kind);
        if (size) LLVMGlobalSetMetadata(fusing->kernel, kind, size);
    }
}
