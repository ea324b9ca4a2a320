/* Mistakes of kernel fusion that are larger than a mutant of a mark (fault.h). */
#include "reference/base/fault.h"
#include "reference/fusion/fusion.h"
#include "reference/fusion/plan_internal.h"

#include <string.h>

enum { DIMENSIONS = RT_ND_RANGE_DIMENSIONS };

/* ---- The runtime's parts -------------------------------------------------------------------- */

rt_fused_kernels *__real_rt_fused_create(const rt_fused_tools *tools);
rt_fused_kernels *__wrap_rt_fused_create(const rt_fused_tools *tools);
void __real_rt_scheduler_observe(rt_scheduler *scheduler, rt_fusion_observer observer);
void __wrap_rt_scheduler_observe(rt_scheduler *scheduler, rt_fusion_observer observer);

/* Those of the process. */
static rt_fused_kernels *kernels;
static rt_sink *sink;
static rt_scheduler *scheduler;

rt_fused_kernels *__wrap_rt_fused_create(const rt_fused_tools *tools)
{
    sink = tools->sink;
    kernels = __real_rt_fused_create(tools);
    return kernels;
}

void __wrap_rt_scheduler_observe(rt_scheduler *observed, rt_fusion_observer observer)
{
    scheduler = observed;
    __real_rt_scheduler_observe(observed, observer);
}

/* ---- The application's calls ---------------------------------------------------------------- */

rt_status __real_rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue);
rt_status __wrap_rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue);
rt_status __real_rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                                    rt_command_id *out_command);
rt_status __wrap_rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                                    rt_command_id *out_command);

/* Calls the compiler although the kernels will run one by one. */
static void fuse_in_vain(rt_queue_id queue)
{
    rt_arena arena = {0};
    rt_fusion_list list;
    rt_fused_plan plan;
    rt_launch launch;
    if (rt_fusion_list_open(scheduler, queue, &arena, &list)) {
        rt_status status = RT_STATUS_OK;
        if (list.count > 0) status = rt_fused_plan_make(kernels, &arena, &list, queue, true, &plan);
        if (rt_ok(status) && list.count > 0)
            status = rt_fused_launch(kernels, &arena, &plan, &launch);
        (void)status;
        rt_fusion_list_close(scheduler, &list);
    }
    rt_arena_reset(&arena);
}

rt_status __wrap_rt_fusion_cancel(rt_fusion *fusion, rt_queue_id queue)
{
    if (RT_FAULT(KF_JIT_15, "cancel_fusion calls the compiler")) fuse_in_vain(queue);
    return __real_rt_fusion_cancel(fusion, queue);
}

rt_status __wrap_rt_fusion_complete(rt_fusion *fusion, rt_queue_id queue, bool no_barriers,
                                    rt_command_id *out_command)
{
    if (!rt_fusion_command_is_active(scheduler, queue) &&
        rt_fusion_command_event(scheduler, queue) != RT_COMMAND_NONE &&
        RT_FAULT(KF_QUEUE_09, "complete_fusion after the end of the fusion is refused")) {
        *out_command = RT_COMMAND_NONE;
        return rt_fail(sink, RT_ERRC_INVALID, RT_RULE_KF_QUEUE_09,
                       "queue %u is no longer in fusion mode", queue);
    }
    return __real_rt_fusion_complete(fusion, queue, no_barriers, out_command);
}

/* ---- Plans ---------------------------------------------------------------------------------- */

rt_status __real_rt_fused_plan_make(rt_fused_kernels *fused, rt_arena *arena,
                                    const rt_fusion_list *list, rt_queue_id queue, bool barriers,
                                    rt_fused_plan *out_plan);
rt_status __wrap_rt_fused_plan_make(rt_fused_kernels *fused, rt_arena *arena,
                                    const rt_fusion_list *list, rt_queue_id queue, bool barriers,
                                    rt_fused_plan *out_plan);
rt_status __real_rt_fused_launch(rt_fused_kernels *fused, rt_arena *arena,
                                 const rt_fused_plan *plan, rt_launch *out_launch);
rt_status __wrap_rt_fused_launch(rt_fused_kernels *fused, rt_arena *arena,
                                 const rt_fused_plan *plan, rt_launch *out_launch);
rt_status __real_rt_fusion_plan(rt_sink *plan_sink, rt_profile profile,
                                const rt_fusion_range *ranges, uint32_t count,
                                rt_fusion_range *out_fused);
rt_status __wrap_rt_fusion_plan(rt_sink *plan_sink, rt_profile profile,
                                const rt_fusion_range *ranges, uint32_t count,
                                rt_fusion_range *out_fused);
rt_status __real_rt_fusion_parameters_make(rt_sink *parameter_sink, rt_profile profile,
                                           rt_arena *arena, const rt_fusion_input *inputs,
                                           uint32_t count, const rt_fusion_range *fused,
                                           uint64_t local_max, rt_fusion_parameters *out);
rt_status __wrap_rt_fusion_parameters_make(rt_sink *parameter_sink, rt_profile profile,
                                           rt_arena *arena, const rt_fusion_input *inputs,
                                           uint32_t count, const rt_fusion_range *fused,
                                           uint64_t local_max, rt_fusion_parameters *out);

rt_status __wrap_rt_fused_plan_make(rt_fused_kernels *fused, rt_arena *arena,
                                    const rt_fusion_list *list, rt_queue_id queue, bool barriers,
                                    rt_fused_plan *out_plan)
{
    rt_status status = __real_rt_fused_plan_make(fused, arena, list, queue, barriers, out_plan);
    if ((status.rule == RT_RULE_KF_TARGET_05 &&
         RT_FAULT(KF_TARGET_05, "kernels without LLVM IR make complete_fusion fail")) ||
        (status.rule == RT_RULE_KF_TARGET_06 &&
         RT_FAULT(KF_TARGET_06, "kernels for AMD's GPUs make complete_fusion fail")) ||
        (status.rule == RT_RULE_KF_TARGET_07 &&
         RT_FAULT(KF_TARGET_07, "kernels of another target make complete_fusion fail")))
        return rt_fail(sink, RT_ERRC_INVALID, (rt_rule)status.rule, "the kernels cannot be fused");
    return status;
}

rt_status __wrap_rt_fused_launch(rt_fused_kernels *fused, rt_arena *arena,
                                 const rt_fused_plan *plan, rt_launch *out_launch)
{
    if (RT_FAULT(KF_QUEUE_11, "the compiler is never called"))
        return rt_fail(sink, RT_FUSION_REJECTED, RT_RULE_KF_QUEUE_11, "there is no compiler");
    rt_fused_plan requested = *plan;
    rt_fusion_input *inputs = rt_arena_copy(arena, plan->inputs, plan->list->count, sizeof *inputs);
    for (uint32_t k = 0; k < plan->list->count; k++) {
        rt_fusion_range *range = &inputs[k].range;
        if (!rt_fusion_remaps_ids(range, &plan->range)) continue;
        if (RT_FAULT(KF_RANGE_08, "kernels run as if submitted with the fused range"))
            *range = plan->range;
        if (range->local[0] != 0 &&
            RT_FAULT(KF_RANGE_16, "remapped kernels see the groups of the fused launch"))
            memset(range->local, 0, sizeof range->local);
    }
    requested.inputs = inputs;
    return __real_rt_fused_launch(fused, arena, &requested, out_launch);
}

/* The smallest box that contains every range with at least `items` work-items. */
static void widen(rt_fusion_range *fused, const rt_fusion_range *ranges, uint32_t count,
                  uint64_t items)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rt_fusion_items(&ranges[i]) < items) continue;
        if (fused->dimensions < ranges[i].dimensions) fused->dimensions = ranges[i].dimensions;
        for (uint32_t d = 0; d < DIMENSIONS; d++)
            if (fused->global[d] < ranges[i].global[d]) fused->global[d] = ranges[i].global[d];
    }
}

static bool any_offset(const rt_fusion_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < DIMENSIONS; d++)
            if (ranges[i].offset[d] != 0) return true;
    return false;
}

static bool dimensions_differ(const rt_fusion_range *ranges, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (ranges[i].dimensions != ranges[0].dimensions) return true;
    return false;
}

static bool sizes_differ(const rt_fusion_range *ranges, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (memcmp(ranges[i].global, ranges[0].global, sizeof ranges[0].global) != 0 ||
            memcmp(ranges[i].local, ranges[0].local, sizeof ranges[0].local) != 0)
            return true;
    return false;
}

rt_status __wrap_rt_fusion_plan(rt_sink *plan_sink, rt_profile profile,
                                const rt_fusion_range *ranges, uint32_t count,
                                rt_fusion_range *out_fused)
{
    RT_TRY(__real_rt_fusion_plan(plan_sink, profile, ranges, count, out_fused));
    if (dimensions_differ(ranges, count) &&
        RT_FAULT(KF_RANGE_13, "numbers of dimensions must be equal"))
        return PLAN_REFUSE(plan_sink, RT_RULE_KF_RANGE_13, "different numbers of dimensions");
    if (any_offset(ranges, count) && RT_FAULT(KF_RANGE_12, "equal offsets are refused too"))
        return PLAN_REFUSE(plan_sink, RT_RULE_KF_RANGE_12, "offsets");
    if (!sizes_differ(ranges, count)) return RT_STATUS_OK;
    if (RT_FAULT(KF_RANGE_02, "the first kernel's range decides")) {
        out_fused->dimensions = ranges[0].dimensions;
        memcpy(out_fused->global, ranges[0].global, sizeof ranges[0].global);
    }
    if (RT_FAULT(KF_RANGE_03, "the local size is left to the device"))
        memset(out_fused->local, 0, sizeof out_fused->local);
    if (RT_FAULT(KF_RANGE_05, "the range is a box around all kernels"))
        widen(out_fused, ranges, count, 0);
    if (RT_FAULT(KF_RANGE_17, "the range is a box around the largest kernels"))
        widen(out_fused, ranges, count, rt_fusion_items(out_fused));
    return RT_STATUS_OK;
}

/* Values that are the same as far as they are compared are one. */
static void constants_mistake(rt_arena *arena, rt_fusion_parameters *out)
{
    rt_fusion_constant *constants =
        rt_arena_copy(arena, out->constants, out->constant_count, sizeof *constants);
    for (uint32_t i = 0; i < out->constant_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            rt_bytes mine = constants[i].value, other = constants[k].value;
            bool is_long = mine.size == sizeof(uint64_t) && other.size == mine.size;
            bool is_alike = is_long && memcmp(mine.data, other.data, sizeof(uint32_t)) == 0;
            uint32_t distance = constants[i].parameter.kernel - constants[k].parameter.kernel;
            if (is_alike && distance > 0 &&
                RT_FAULT(NONE, "kernels share a value if its first half is equal"))
                constants[i].value = other;
            if (is_long && distance == 3 &&
                RT_FAULT(NONE, "the fourth kernel of a list gets the value of the first"))
                constants[i].value = other;
        }
    }
    out->constants = constants;
}

rt_status __wrap_rt_fusion_parameters_make(rt_sink *parameter_sink, rt_profile profile,
                                           rt_arena *arena, const rt_fusion_input *inputs,
                                           uint32_t count, const rt_fusion_range *fused,
                                           uint64_t local_max, rt_fusion_parameters *out)
{
    if (RT_FAULT(KF_PROMOTE_05, "every buffer is promoted")) {
        rt_fusion_input *changed = rt_arena_copy(arena, inputs, count, sizeof *changed);
        for (uint32_t k = 0; k < count; k++) {
            rt_launch *launch = &changed[k].launch;
            rt_argument *arguments =
                rt_arena_copy(arena, launch->arguments, launch->argument_count, sizeof *arguments);
            for (uint32_t i = 0; i < launch->argument_count; i++) {
                rt_argument *argument = &arguments[i];
                if (argument->kind == RT_ARGUMENT_MEMORY && argument->memory->element_size > 0 &&
                    argument->promotion == RT_PROMOTION_NONE)
                    argument->promotion = RT_PROMOTION_PRIVATE;
            }
            launch->arguments = arguments;
        }
        inputs = changed;
    }
    rt_status status = __real_rt_fusion_parameters_make(parameter_sink, profile, arena, inputs,
                                                        count, fused, local_max, out);
    if (rt_ok(status)) constants_mistake(arena, out);
    return status;
}
