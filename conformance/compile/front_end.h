/* Front ends: programs that make bitcode or SPIR-V of one source. */
#ifndef CONFORMANCE_COMPILE_FRONT_END_H
#define CONFORMANCE_COMPILE_FRONT_END_H

#include "conformance/compile/diagnostics.h"
#include "conformance/compile/process.h"
#include "conformance/compile/request.h"
#include "conformance/compile/toolchain.h"

/* One run of a front end.  Zero-initialise it. */
typedef struct cnf_front_end_run {
    cnf_process process;
    rt_buffer input;  /* what the program reads */
    rt_buffer output; /* what it wrote: bitcode or SPIR-V */
    rt_buffer errors;
} cnf_front_end_run;

/* Reports whether a program is the language's front end; the compiler plugin is that of the
 * others. */
bool cnf_front_end_has(scn_language language);

/* Starts the front end of a source's language, which has one; OpenCL sources are given the build
 * options of their module, which were checked.  Runs of several sources may overlap.  UNAVAILABLE:
 * the program is not installed or cannot be started. */
RT_MUST_USE rt_status cnf_front_end_start(rt_sink *sink, rt_arena *arena,
                                          const cnf_toolchain *toolchain,
                                          const cnf_request_source *source, rt_text build_options,
                                          cnf_front_end_run *run);

/* Waits for a run that was started and adds its diagnostics to *messages (texts in the arena).
 * COMPILE_TIME: the source was refused; TOOL: the program died or took longer than its time limit.
 */
RT_MUST_USE rt_status cnf_front_end_finish(rt_sink *sink, rt_arena *arena,
                                           const cnf_request_source *source, cnf_front_end_run *run,
                                           cnf_message_list *messages);

/* Frees a run, killing the program where it still runs. */
void cnf_front_end_free(cnf_front_end_run *run);

#endif
