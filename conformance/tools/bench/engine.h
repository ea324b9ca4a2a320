/* Engines that run the cases, and how a run is timed. */
#ifndef CONFORMANCE_TOOLS_BENCH_ENGINE_H
#define CONFORMANCE_TOOLS_BENCH_ENGINE_H

#include "conformance/tools/bench/cases.h"
#include "reference/base/status.h"

/* The parameters of a run; borrowed for the call. */
typedef struct bench_run {
    const bench_case *test_case;
    rt_bytes code;     /* SPIR-V, or the text of kernels/NAME.cl */
    uint32_t warm_up;  /* launches before the timed ones */
    uint32_t repeat;   /* >= 1 */
    double *build_ms;  /* receives the time from code to a kernel object, without the compilation
                        * that  some engines put off until the first launch */
    double *first_ms;  /* receives the time of the first launch, including such a compilation */
    double *times_ms;  /* receives `repeat` times: one per launch, from the call to completion */
    rt_buffer *result; /* receives the contents of the written buffers after the last launch, in
                        * order */
} bench_run;

/* Runs a case on the simulated device, from SPIR-V, with all its checks or without.  Fails with the
 * codes of sim_launch, such as RT_BUDGET. */
RT_MUST_USE rt_status bench_on_sim(rt_sink *sink, const bench_run *run);
RT_MUST_USE rt_status bench_on_sim_unchecked(rt_sink *sink, const bench_run *run);
RT_MUST_USE rt_status bench_on_sim_compiled(rt_sink *sink, const bench_run *run);

/* Runs a case on the first device of the only OpenCL platform that the loader finds, from source.
 * TOOL: a call failed; the message has its name and code. */
RT_MUST_USE rt_status bench_on_opencl(rt_sink *sink, const bench_run *run);

/* Runs a case of the wild set as C, one work-item after the other: the reference for results. TOOL:
 * the case is not in the wild set. */
RT_MUST_USE rt_status bench_on_host(rt_sink *sink, const bench_run *run);

/* Returns milliseconds since an arbitrary moment: of the clock or, after bench_use_processor_time,
 * of processor time that all threads of this process have used. */
double bench_now_ms(void);
void bench_use_processor_time(void);

#endif
