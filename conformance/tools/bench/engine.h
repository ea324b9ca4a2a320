/* Engines that run the cases, and how a run is timed. */
#ifndef CONFORMANCE_TOOLS_BENCH_ENGINE_H
#define CONFORMANCE_TOOLS_BENCH_ENGINE_H

#include "conformance/tools/bench/cases.h"
#include "reference/base/status.h"

/* What a case runs with; borrowed for the call. */
typedef struct bench_run {
    const bench_case *what;
    rt_bytes code;     /* SPIR-V, or the text of kernels/NAME.cl */
    uint32_t warm_up;  /* launches before those that count */
    uint32_t repeat;   /* >= 1 */
    double *times_ms;  /* receives `repeat` times: of a launch, from its call until it is done */
    rt_buffer *result; /* receives the written buffers after the last launch, in their order */
} bench_run;

/* Runs a case on the simulated device, from SPIR-V, with all its checks or without.  RT_BUDGET and
 * the like: as sim_launch. */
RT_MUST_USE rt_status bench_on_sim(rt_sink *sink, const bench_run *run);
RT_MUST_USE rt_status bench_on_sim_unchecked(rt_sink *sink, const bench_run *run);

/* Runs a case on the first device of the only OpenCL platform that the loader finds, from source.
 * TOOL: a call failed; the message has its name and code. */
RT_MUST_USE rt_status bench_on_opencl(rt_sink *sink, const bench_run *run);

/* Milliseconds since an arbitrary moment. */
double bench_now_ms(void);

#endif
