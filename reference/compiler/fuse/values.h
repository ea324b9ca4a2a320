/* What a work-item is told of its place in an nd-range: as the launch has it, and as a kernel that
 * is fused is to see it. */
#ifndef REFERENCE_COMPILER_FUSE_VALUES_H
#define REFERENCE_COMPILER_FUSE_VALUES_H

#include "reference/compiler/fuse/range.h"
#include "reference/compiler/ir/job.h"

/* The document's work-item components ("Fusing kernels with different nd-ranges"), and two that
 * OpenCL C derives from them. */
typedef enum pl_component {
    PL_GLOBAL_SIZE,
    PL_LOCAL_SIZE,
    PL_NUM_WORK_GROUPS,
    PL_GLOBAL_ID,
    PL_LOCAL_ID,
    PL_GROUP_ID,
    PL_GLOBAL_OFFSET,
    PL_COMPONENTS, /* those above are asked for with an index */
    PL_LOCAL_LINEAR_ID = PL_COMPONENTS,
    PL_WORK_DIM,
} pl_component;

/* Where values are made: before what the builder stands at. */
typedef struct pl_emitter {
    pl_job *job;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    bool ptx; /* the module is for nvptx64: values of the launch come from its registers */
} pl_emitter;

/* One kernel of a fused launch. */
typedef struct pl_view {
    rt_fusion_range kernel, launch;
    pl_remap remap;
} pl_view;

/* Component `component` at `index` (below 3) of the launch itself, 64 bits wide.  The offset of a
 * PTX launch is the view's, since the launch has none. */
LLVMValueRef pl_emit_raw(pl_emitter *emitter, const rt_fusion_range *launch, pl_component component,
                         uint32_t index);

/* The global linear id, which is the same in the launch and in each kernel (restriction 8). */
LLVMValueRef pl_emit_linear_id(pl_emitter *emitter, const rt_fusion_range *launch);

/* What the kernel sees of a component, 64 bits wide: of its own range where the component is to be
 * remapped, the launch's otherwise.  `index` is below 3 and of no account for the derived two. */
LLVMValueRef pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                          uint32_t index);

/* Whether what the kernel sees of a component is not simply the launch's. */
bool pl_is_remapped(const pl_view *view, pl_component component);

#endif
