/* Commands that a fusion does not accept, as shipped DPC++ names them.
 *
 * Observed: intel/llvm, cgTypeToString in sycl/source/detail/scheduler/commands.cpp
 * (requirements.yaml, KF-QUEUE-06, key dpcpp, tag B16). */
#include "reference/sched/sched_internal.h"

static void report(rt_scheduler *scheduler, rt_queue_id queue, const char *kind)
{
    const rt_fusion_observer *observer = &scheduler->observer;
    if (!observer->not_fused || !rt_queue_in_fusion_mode(scheduler, queue)) return;
    observer->not_fused(observer->user, kind);
}

/* One side of a copy; a fill has only one. */
typedef enum side { SIDE_ACCESSOR, SIDE_POINTER, SIDE_GLOBAL, SIDES } side;

static side side_of(const rt_memory *memory)
{
    if (memory->kind == DEV_MEMORY_GLOBAL) return SIDE_GLOBAL;
    return rt_memory_is_usm(memory) ? SIDE_POINTER : SIDE_ACCESSOR;
}

void rt_not_fused_transfer(rt_scheduler *scheduler, rt_queue_id queue, const rt_transfer *transfer)
{
    static const char *const copies[SIDES][SIDES] = {
        [SIDE_ACCESSOR] = {"copy acc to acc", "copy acc to ptr", "copy to device_global"},
        [SIDE_POINTER] = {"copy ptr to acc", "copy usm", "copy to device_global"},
        [SIDE_GLOBAL] = {"copy from device_global", "copy from device_global", "copy usm"},
    };
    static const char *const fills[SIDES] = {"fill", "fill usm", "fill usm"};
    side to = side_of(transfer->to), from = transfer->from ? side_of(transfer->from) : to;
    bool pointers = to == SIDE_POINTER && from == SIDE_POINTER;
    /* Without dependencies, a command on pointers bypasses the command groups and goes directly to
     * the driver. */
    if (pointers && transfer->after_count == 0) return;
    report(scheduler, queue, transfer->from ? copies[from][to] : fills[to]);
}

void rt_not_fused_task(rt_scheduler *scheduler, rt_queue_id queue)
{
    report(scheduler, queue, "host task");
}
