/* Profiling times of commands on the reference runtime. */
#include "conformance/subject/reference.h"

static rt_status times(cnf_execution *execution, uint32_t command, dev_times *out_times)
{
    return rt_scheduler_times(cnf_reference_scheduler(execution), command, out_times);
}

const cnf_profiling_operations cnf_reference_profiling = {.times = times};
