/* The last step before the fused kernel is emitted: what only concerned its making goes. */
#include "reference/compiler/fuse/passes.h"

#include "reference/compiler/fuse/kernel_metadata.h"
#include "reference/compiler/ir/clone.h"

void pl_fuse_finish(pl_fusing *fusing)
{
    uint32_t count = fusing->parameters.count;
    size_t entry_count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(fusing->kernel, &entry_count);
    bool *kept = rt_arena_alloc_array(&fusing->job->arena, count, sizeof *kept);
    for (uint32_t i = 0; i < count; i++)
        kept[i] = !fusing->dropped[i];
    fusing->kernel = pl_drop_parameters(fusing->kernel, kept);
    pl_kernel_metadata_keep(fusing, entries, entry_count);
    LLVMDisposeValueMetadataEntries(entries);
    LLVMRemoveStringAttributeAtIndex(fusing->kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                     PL_NO_BARRIERS, sizeof PL_NO_BARRIERS - 1);
}
