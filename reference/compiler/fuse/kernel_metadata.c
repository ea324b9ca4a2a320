/* Kinds are those that the SPIR-V translator reads and writes (SPIR 1.2, "Kernel metadata"; OpenCL
 * C 3.0, 6.7.2 "Optional attribute qualifiers"). */
#include "reference/compiler/fuse/kernel_metadata.h"

#include <string.h>

/* A list with one entry for each parameter. */
static const char *const parameter_kinds[] = {"kernel_arg_addr_space", "kernel_arg_access_qual",
                                              "kernel_arg_type",       "kernel_arg_base_type",
                                              "kernel_arg_type_qual",  "kernel_arg_name"};

/* What concerns the whole kernel: one that has it decides for all.  The first is OpenCL's. */
static const char *const kernel_kinds[] = {"reqd_work_group_size", "intel_reqd_sub_group_size"};

enum {
    PARAMETER_KINDS = sizeof parameter_kinds / sizeof *parameter_kinds,
    KERNEL_KINDS = sizeof kernel_kinds / sizeof *kernel_kinds
};

static unsigned kind_of(pl_job *job, const char *name)
{
    return LLVMGetMDKindIDInContext(job->context, name, (unsigned)strlen(name));
}

static LLVMMetadataRef entry_of(const LLVMValueMetadataEntry *entries, size_t count, unsigned kind)
{
    for (unsigned i = 0; i < count; i++) {
        LLVMValueMetadataEntry *all = (LLVMValueMetadataEntry *)(uintptr_t)entries;
        if (LLVMValueMetadataEntriesGetKind(all, i) == kind)
            return LLVMValueMetadataEntriesGetMetadata(all, i);
    }
    return NULL;
}

static LLVMMetadataRef function_entry(LLVMValueRef function, unsigned kind)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
    LLVMMetadataRef found = entry_of(entries, count, kind);
    LLVMDisposeValueMetadataEntries(entries);
    return found;
}

/* Operand `index` of a node; NULL where it has fewer. */
static LLVMMetadataRef operand_of(pl_job *job, LLVMMetadataRef metadata, uint32_t index)
{
    LLVMValueRef node = LLVMMetadataAsValue(job->context, metadata);
    uint32_t count = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMValueRef));
    if (index >= count) return NULL;
    LLVMGetMDNodeOperands(node, operands);
    return LLVMValueAsMetadata(operands[index]);
}

/* A list is joined where every kernel that has a parameter in it has the list. */
static void join_parameters(pl_fusing *fusing, const LLVMValueRef *kernels, unsigned kind)
{
    pl_job *job = fusing->job;
    uint32_t count = fusing->parameters.count;
    LLVMMetadataRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (uint32_t i = 0; i < count; i++) {
        rt_fusion_place origin = fusing->parameters.origins[i];
        LLVMMetadataRef list = function_entry(kernels[origin.kernel], kind);
        operands[i] = list ? operand_of(job, list, origin.parameter) : NULL;
        if (!operands[i]) return;
    }
    LLVMGlobalSetMetadata(fusing->kernel, kind,
                          LLVMMDNodeInContext2(job->context, operands, count));
}

/* Nodes of constants are the same node where they are equal. */
static rt_status join_kernels(pl_fusing *fusing, const LLVMValueRef *kernels, const char *name)
{
    unsigned kind = kind_of(fusing->job, name);
    LLVMMetadataRef found = NULL;
    for (uint32_t i = 0; i < fusing->fusion.kernel_count; i++) {
        LLVMMetadataRef metadata = function_entry(kernels[i], kind);
        if (!metadata) continue;
        if (found && metadata != found) {
            return rt_fail_naming(fusing->job->sink, RT_FUSION_REJECTED, RT_RULE_NONE,
                                  fusing->fusion.kernels, fusing->fusion.kernel_count,
                                  "kernel %.*s cannot be fused with those before it: their %s "
                                  "differ",
                                  RT_TEXT_ARG(fusing->fusion.kernels[i]), name);
        }
        found = metadata;
    }
    if (found) LLVMGlobalSetMetadata(fusing->kernel, kind, found);
    return RT_STATUS_OK;
}

/* A launch that has another local size than a kernel requires would be refused by the device, and a
 * kernel alone may leave it open. */
static rt_status check_launch(pl_fusing *fusing)
{
    const pl_fusion *fusion = &fusing->fusion;
    LLVMMetadataRef size = function_entry(fusing->kernel, kind_of(fusing->job, kernel_kinds[0]));
    if (!size || !fusion->heterogeneous || fusion->launch.local[0] == 0) return RT_STATUS_OK;
    for (uint32_t i = 0; i < RT_ND_RANGE_DIMENSIONS; i++) {
        LLVMMetadataRef wanted = operand_of(fusing->job, size, i);
        LLVMValueRef number = wanted ? LLVMMetadataAsValue(fusing->job->context, wanted) : NULL;
        LLVMValueRef given =
            LLVMConstInt(LLVMInt32TypeInContext(fusing->job->context), fusion->launch.local[i], 0);
        if (number == LLVMMetadataAsValue(fusing->job->context, LLVMValueAsMetadata(given)))
            continue;
        return rt_fail_naming(fusing->job->sink, RT_FUSION_REJECTED, RT_RULE_NONE, fusion->kernels,
                              fusion->kernel_count,
                              "the kernels cannot be fused: one requires work-groups of another "
                              "size than those of the fused launch");
    }
    return RT_STATUS_OK;
}

rt_status pl_kernel_metadata_join(pl_fusing *fusing, const LLVMValueRef *kernels)
{
    for (size_t i = 0; i < PARAMETER_KINDS; i++)
        join_parameters(fusing, kernels, kind_of(fusing->job, parameter_kinds[i]));
    for (size_t i = 0; i < KERNEL_KINDS; i++)
        RT_TRY(join_kernels(fusing, kernels, kernel_kinds[i]));
    return check_launch(fusing);
}

static void keep_parameters(pl_fusing *fusing, LLVMMetadataRef list, unsigned kind)
{
    pl_job *job = fusing->job;
    uint32_t count = fusing->parameters.count, kept = 0;
    LLVMMetadataRef *operands = rt_arena_alloc_array(&job->arena, count, sizeof(LLVMMetadataRef));
    for (uint32_t i = 0; i < count; i++) {
        if (!fusing->dropped[i]) operands[kept++] = operand_of(job, list, i);
    }
    LLVMGlobalSetMetadata(fusing->kernel, kind, LLVMMDNodeInContext2(job->context, operands, kept));
}

void pl_kernel_metadata_keep(pl_fusing *fusing, LLVMValueMetadataEntry *from, size_t count)
{
    for (size_t i = 0; i < PARAMETER_KINDS; i++) {
        unsigned kind = kind_of(fusing->job, parameter_kinds[i]);
        LLVMMetadataRef list = entry_of(from, count, kind);
        if (list) keep_parameters(fusing, list, kind);
    }
    for (size_t i = 0; i < KERNEL_KINDS; i++) {
        unsigned kind = kind_of(fusing->job, kernel_kinds[i]);
        LLVMMetadataRef size = entry_of(from, count, kind);
        if (size) LLVMGlobalSetMetadata(fusing->kernel, kind, size);
    }
}
