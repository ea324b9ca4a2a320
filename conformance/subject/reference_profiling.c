/* Times of commands on the reference runtime. */
#include "conformance/subject/reference.h"

static rt_scheduler *scheduler_of(cnf_execution *execution)
{
    return rt_runtime_scheduler(cnf_reference_of(execution)->runtime);
}

static rt_status enable(cnf_execution *execution, uint32_t queue)
{
    return rt_scheduler_queue_enable_profiling(scheduler_of(execution), queue);
}

static rt_status times(cnf_execution *execution, uint32_t command, dev_times *out_times)
{
    return rt_scheduler_times(scheduler_of(execution), command, out_times);
}

const cnf_profiling_operations cnf_reference_profiling = {.enable = enable, .times = times};
