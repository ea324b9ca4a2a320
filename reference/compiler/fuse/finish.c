/* The last step before the fused kernel is emitted: removes everything that only the fusion needed,
 * and checks the state that all passes share. */
#include "reference/compiler/fuse/passes.h"

#include "reference/compiler/fuse/kernel_metadata.h"
#include "reference/compiler/fuse/range.h"
#include "reference/compiler/ir/attributes.h"
#include "reference/compiler/ir/clone.h"

void pl_fuse_finish(pl_fusing *fusing)
{
    uint32_t count = fusing->parameters.count;
    size_t entry_count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(fusing->kernel, &entry_count);
    bool *keep = rt_arena_alloc_array(&fusing->job->arena, count, sizeof *keep);
    for (uint32_t i = 0; i < count; i++)
        keep[i] = !fusing->dropped[i];
    fusing->kernel = pl_drop_parameters(fusing->kernel, keep);
    pl_kernel_metadata_keep(fusing, entries, entry_count);
    LLVMDisposeValueMetadataEntries(entries);
    pl_attribute_remove(fusing->kernel, PL_NO_BARRIERS);
    fusing->finished = true;
    CHECK(LLVMCountParams(fusing->kernel) <= count);
}

bool pl_fusing_check(const pl_fusing *fusing)
{
    if (!fusing->kernel) {
        CHECK(!fusing->dropped && !fusing->refusals && !fusing->finished);
        return true;
    }
    const pl_fusion *fusion = &fusing->fusion;
    const pl_parameters *parameters = &fusing->parameters;
    CHECK(!LLVMIsDeclaration(fusing->kernel));
    CHECK(LLVMGetGlobalParent(fusing->kernel) == fusing->module);
    CHECK(fusion->kernel_count > 0);
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < parameters->count; i++) {
        rt_fusion_place origin = parameters->origins[i];
        CHECK(origin.kernel < fusion->kernel_count);
        CHECK(parameters->numbers[origin.kernel][origin.parameter] == i);
        dropped += fusing->dropped[i];
        if (fusing->dropped[i] && !fusing->finished)
            CHECK(!LLVMGetFirstUse(LLVMGetParam(fusing->kernel, i)));
    }
    CHECK(LLVMCountParams(fusing->kernel) == parameters->count - (fusing->finished ? dropped : 0));
    for (uint32_t i = 0; i < fusion->promotion_count; i++)
        CHECK_IMPLIES(fusing->refusals[i] != NULL, fusing->refusals[i][0] != '\0');
    for (uint32_t i = 0; fusion->heterogeneous && i < fusion->kernel_count; i++)
        CHECK(pl_range_items(&fusion->ranges[i]) <= pl_range_items(&fusion->launch));
    return true;
}
