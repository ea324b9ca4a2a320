/* The formulas of "Work-item remapping".  The document uses SYCL's indices, in which 0 varies
 * slowest and unused ones come last; here 0 varies fastest (SYCL 2020, C.7.7). */
#include "reference/compiler/fuse/values.h"

#include "reference/compiler/ir/values.h"

static LLVMTypeRef size_type(pl_emitter *emitter)
{
    return LLVMInt64TypeInContext(emitter->job->context);
}

static LLVMValueRef constant(pl_emitter *emitter, uint64_t value)
{
    return pl_integer(size_type(emitter), value);
}

static LLVMValueRef plus(pl_emitter *emitter, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildAdd(emitter->builder, a, b, "");
}

static LLVMValueRef times(pl_emitter *emitter, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildMul(emitter->builder, a, b, "");
}

static LLVMValueRef over(pl_emitter *emitter, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildUDiv(emitter->builder, a, b, "");
}

static LLVMValueRef modulo(pl_emitter *emitter, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildURem(emitter->builder, a, b, "");
}

/* ---- The launch ---------------------------------------------------------------------------- */

static LLVMValueRef call_builtin(pl_emitter *emitter, const char *name, LLVMTypeRef result,
                                 LLVMValueRef argument)
{
    LLVMTypeRef parameter = argument ? LLVMTypeOf(argument) : NULL;
    LLVMTypeRef type = LLVMFunctionType(result, &parameter, argument ? 1 : 0, 0);
    LLVMValueRef function = LLVMGetNamedFunction(emitter->module, name);
    if (!function) function = LLVMAddFunction(emitter->module, name, type);
    return LLVMBuildCall2(emitter->builder, type, function, &argument, argument ? 1 : 0, "");
}

static LLVMValueRef emit_register(pl_emitter *emitter, const char *name, uint32_t index)
{
    rt_text full =
        rt_arena_printf(&emitter->job->arena, "llvm.nvvm.read.ptx.sreg.%s.%c", name, "xyz"[index]);
    LLVMTypeRef word = LLVMInt32TypeInContext(emitter->job->context);
    LLVMValueRef value = call_builtin(emitter, full.data, word, NULL);
    return LLVMBuildZExt(emitter->builder, value, size_type(emitter), "");
}

/* PTX has registers only for local and group ids, the group size and the number of groups; global
 * ids and sizes are computed (KF-PTX-01, KF-PTX-12). */
static LLVMValueRef emit_ptx(pl_emitter *emitter, const rt_fusion_range *launch,
                             pl_component component, uint32_t index)
{
    switch (component) {
    case PL_LOCAL_ID: return emit_register(emitter, "tid", index);
    case PL_GROUP_ID: return emit_register(emitter, "ctaid", index);
    case PL_LOCAL_SIZE: return emit_register(emitter, "ntid", index);
    case PL_NUM_WORK_GROUPS: return emit_register(emitter, "nctaid", index);
    case PL_GLOBAL_OFFSET: return constant(emitter, launch->offset[index]);
    case PL_GLOBAL_SIZE:
        return times(emitter, emit_register(emitter, "nctaid", index),
                     emit_register(emitter, "ntid", index));
    default: break;
    }
    CHECK(component == PL_GLOBAL_ID);
    LLVMValueRef group = times(emitter, emit_register(emitter, "ctaid", index),
                               emit_register(emitter, "ntid", index));
    LLVMValueRef id = plus(emitter, group, emit_register(emitter, "tid", index));
    return plus(emitter, id, constant(emitter, RULE(KF_PTX_01, launch->offset[index])));
}

LLVMValueRef pl_emit_raw(pl_emitter *emitter, const rt_fusion_range *launch, pl_component component,
                         uint32_t index)
{
    /* OpenCL C functions, which the translator turns into builtin variables. */
    static const char *const names[PL_COMPONENTS] = {
        [PL_GLOBAL_SIZE] = "_Z15get_global_sizej",    [PL_LOCAL_SIZE] = "_Z14get_local_sizej",
        [PL_NUM_WORK_GROUPS] = "_Z14get_num_groupsj", [PL_GLOBAL_ID] = "_Z13get_global_idj",
        [PL_LOCAL_ID] = "_Z12get_local_idj",          [PL_GROUP_ID] = "_Z12get_group_idj",
        [PL_GLOBAL_OFFSET] = "_Z17get_global_offsetj"};
    CHECK(component < PL_COMPONENTS && index < RT_ND_RANGE_DIMENSIONS);
    if (emitter->ptx) return emit_ptx(emitter, launch, component, index);
    LLVMValueRef at = pl_integer(LLVMInt32TypeInContext(emitter->job->context), index);
    return call_builtin(emitter, names[component], size_type(emitter), at);
}

LLVMValueRef pl_emit_linear_id(pl_emitter *emitter, const rt_fusion_range *launch)
{
    LLVMValueRef linear = constant(emitter, 0);
    for (uint32_t i = launch->dimensions; i-- > 0;) {
        LLVMValueRef id = pl_emit_raw(emitter, launch, PL_GLOBAL_ID, i);
        LLVMValueRef offset = constant(emitter, RULE(KF_RANGE_12, launch->offset[i]));
        LLVMValueRef relative = LLVMBuildSub(emitter->builder, id, offset, "");
        linear = times(emitter, linear, constant(emitter, launch->global[i]));
        linear = plus(emitter, linear, relative);
    }
    return linear;
}

/* ---- The kernel's view --------------------------------------------------------------------- */

bool pl_is_remapped(const pl_view *view, pl_component component)
{
    switch (component) {
    case PL_GLOBAL_SIZE:
    case PL_GLOBAL_OFFSET:
    case PL_WORK_DIM: return view->remap.sizes;
    case PL_LOCAL_SIZE:
    case PL_NUM_WORK_GROUPS: return view->remap.groups;
    case PL_GLOBAL_ID:
    case PL_LOCAL_ID:
    case PL_GROUP_ID:
    case PL_LOCAL_LINEAR_ID: return view->remap.ids;
    }
    UNREACHABLE();
}

/* A PTX kernel without a specified local size sees one group (KF-PTX-03 to 06). */
static bool is_one_group(const pl_emitter *emitter, const pl_view *view)
{
    return emitter->ptx && !pl_range_has_local(&view->kernel);
}

/* global_id without its offset, computed from the global linear id.  The slowest dimension needs no
 * modulo, since a guard excludes work-items past the range. */
static LLVMValueRef emit_id(pl_emitter *emitter, const pl_view *view, uint32_t index)
{
    const rt_fusion_range *range = &view->kernel;
    if (index >= range->dimensions) return constant(emitter, 0);
    LLVMValueRef id = pl_emit_linear_id(emitter, &view->launch); /* KF-REMAP-16 */
    uint64_t faster = 1;
    for (uint32_t i = 0; i < index; i++)
        faster *= range->global[i];
    LLVMValueRef cut = over(emitter, id, constant(emitter, faster));
    bool is_slowest = index + 1 == range->dimensions; /* SYCL's index 0: KF-REMAP-07 to 09 */
    return is_slowest ? cut : modulo(emitter, cut, constant(emitter, range->global[index]));
}

static LLVMValueRef emit_local_id(pl_emitter *emitter, const pl_view *view, uint32_t index)
{
    LLVMValueRef id = emit_id(emitter, view, index);
    if (is_one_group(emitter, view)) return id; /* KF-PTX-06 */
    /* KF-REMAP-10 */
    return modulo(emitter, id,
                  pl_emit_seen(emitter, view, PL_LOCAL_SIZE, RULE(KF_RANGE_07, index)));
}

static LLVMValueRef emit_group_id(pl_emitter *emitter, const pl_view *view, uint32_t index)
{
    if (is_one_group(emitter, view)) return constant(emitter, RULE(KF_PTX_04, 0));
    /* KF-REMAP-11 */
    return over(emitter, emit_id(emitter, view, index),
                pl_emit_seen(emitter, view, PL_LOCAL_SIZE, index));
}

LLVMValueRef pl_emit_seen(pl_emitter *emitter, const pl_view *view, pl_component component,
                          uint32_t index)
{
    const rt_fusion_range *range = &view->kernel;
    LLVMValueRef linear;
    CHECK(index < RT_ND_RANGE_DIMENSIONS);
    if (!pl_is_remapped(view, component))
        return pl_emit_raw(emitter, &view->launch, component, index);
    switch (component) {
    case PL_GLOBAL_SIZE: return constant(emitter, RULE(KF_REMAP_13, range->global[index]));
    case PL_GLOBAL_OFFSET: return constant(emitter, RULE(KF_REMAP_15, range->offset[index]));
    case PL_LOCAL_SIZE:
        if (is_one_group(emitter, view))
            return constant(emitter, RULE(KF_PTX_05, range->global[index]));
        return constant(emitter, RULE(KF_REMAP_14, range->local[index]));
    case PL_NUM_WORK_GROUPS:
        if (is_one_group(emitter, view)) return constant(emitter, RULE(KF_PTX_03, 1));
        CHECK(range->local[index] > 0);
        return constant(emitter, RULE(KF_REMAP_12, range->global[index] / range->local[index]));
    case PL_GLOBAL_ID:
        return plus(emitter, emit_id(emitter, view, index),
                    constant(emitter, range->offset[index]));
    case PL_LOCAL_ID: return emit_local_id(emitter, view, index);
    case PL_GROUP_ID: return emit_group_id(emitter, view, index);
    case PL_LOCAL_LINEAR_ID:
        /* ((id2 * size1) + id1) * size0 + id0, as the kernel sees them (OpenCL C 3.0, 6.15.1). */
        linear = constant(emitter, 0);
        for (uint32_t i = range->dimensions; i-- > 0;) {
            linear = times(emitter, linear, pl_emit_seen(emitter, view, PL_LOCAL_SIZE, i));
            linear = plus(emitter, linear, pl_emit_seen(emitter, view, PL_LOCAL_ID, i));
        }
        return linear;
    case PL_WORK_DIM: return constant(emitter, range->dimensions);
    }
    UNREACHABLE();
}
