/* Kernel fusion, host tasks, and the destruction of queues and buffers on the reference runtime. */
#include "conformance/subject/reference.h"

static rt_fusion *fusion_of(cnf_execution *execution)
{
    return rt_runtime_fusion(cnf_reference_of(execution)->runtime);
}

static rt_status enable(cnf_execution *execution, uint32_t queue)
{
    rt_scheduler_queue_enable_fusion(cnf_reference_scheduler(execution), queue);
    return RT_STATUS_OK;
}

static rt_status start(cnf_execution *execution, uint32_t queue)
{
    return rt_fusion_start(fusion_of(execution), queue);
}

static rt_status complete(cnf_execution *execution, uint32_t queue, bool no_barriers,
                          uint32_t *out_command)
{
    return rt_fusion_complete(fusion_of(execution), queue, no_barriers, out_command);
}

static rt_status cancel(cnf_execution *execution, uint32_t queue)
{
    return rt_fusion_cancel(fusion_of(execution), queue);
}

static bool is_active(cnf_execution *execution, uint32_t queue)
{
    return rt_fusion_is_active(fusion_of(execution), queue);
}

static rt_status end_queue(cnf_execution *execution, uint32_t queue)
{
    return rt_scheduler_queue_end(cnf_reference_scheduler(execution), queue);
}

static rt_status end_memory(cnf_execution *execution, uint32_t memory)
{
    return rt_scheduler_memory_end(cnf_reference_scheduler(execution),
                                   cnf_reference_of(execution)->memories[memory]);
}

const cnf_fusion_operations cnf_reference_fusion = {
    .enable = enable,
    .start = start,
    .complete = complete,
    .cancel = cancel,
    .is_active = is_active,
    .end_queue = end_queue,
    .end_memory = end_memory,
};
