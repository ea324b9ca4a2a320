/* A work-item's position in an nd-range: in the launch, and as a fused kernel sees it. */
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
    PL_COMPONENTS, /* the number of components that have an index */
    PL_LOCAL_LINEAR_ID = PL_COMPONENTS,
    PL_WORK_DIM,
} pl_component;

/* Where code that computes values is emitted: at the builder's position. */
typedef struct pl_emitter {
    pl_job *job;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    bool ptx; /* the module is for nvptx64: values of the launch come from PTX registers */
} pl_emitter;

/* One kernel of a fused launch. */
typedef struct pl_view {
    rt_fusion_range kernel, launch;
    pl_remap remap;
} pl_view;

/* Component `component` at `index` (below 3) of the launch itself, 64 bits wide.  For PTX, the
 * offset is that of `launch`, since a PTX launch itself has none. */
LLVMValueRef pl_emit_raw(pl_emitter *emitter, const rt_fusion_range *launch, pl_component component,
                         uint32_t index);

/* The global linear id, which is the same in the launch and in each kernel (restriction 8). */
LLVMValueRef pl_emit_linear_id(pl_emitter *emitter, const rt_fusion_range *launch);

/* A component as the kernel sees it, 64 bits wide: the value in the kernel's own range if the
 * component has to be remapped, otherwise the value in the launch. `index` is below 3; the two
 * derived components ignore it. */
LLVMValueRef pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                          uint32_t index);

/* Reports whether a component's value for the kernel differs from that of the launch. */
bool pl_is_remapped(const pl_view *view, pl_component component);

#endif
