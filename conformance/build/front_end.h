/* Front ends: programs that make LLVM IR, SPIR-V or SYCLBIN of one source. */
#ifndef CONFORMANCE_COMPILE_FRONT_END_H
#define CONFORMANCE_COMPILE_FRONT_END_H

#include "conformance/build/diagnostics.h"
#include "conformance/build/process.h"
#include "conformance/build/request.h"
#include "conformance/build/toolchain.h"

/* One run of a front end.  Zero-initialise it. */
typedef struct cnf_front_end_run {
    cnf_process process;
    rt_buffer input;  /* what the program reads */
    rt_buffer output; /* what it wrote: bitcode, LLVM IR as text (C++ for OpenCL), SPIR-V or
                         SYCLBIN */
    rt_buffer errors;
    bool kept; /* output and errors are those of an earlier run that succeeded */
} cnf_front_end_run;

/* Reports whether a program is the language's front end; the compiler plugin is that of the
 * others. */
bool cnf_front_end_has(scn_language language);

/* Reports whether a language's sources can be compiled for nvptx64, and not for spir64 alone. */
bool cnf_front_end_makes_ptx(scn_language language);

/* What a module says about the compilation of its sources. */
typedef struct cnf_front_end_options {
    rt_text build_options; /* of OpenCL and SYCL sources; they were checked */
    rt_split split;        /* of SYCL sources, which their compiler splits; post-link does others */
    bool ptx;              /* the code is for nvptx64; the language has that form */
} cnf_front_end_options;

/* Starts the front end of a source's language, which has one.  Runs of several sources may overlap.
 * UNAVAILABLE: the program is not installed or cannot be started; the diagnostic names the
 * capability of a machine that it is not installed on, where not every machine needs it. */
RT_MUST_USE rt_status cnf_front_end_start(rt_sink *sink, rt_arena *arena,
                                          const cnf_toolchain *toolchain,
                                          const cnf_request_source *source,
                                          const cnf_front_end_options *options,
                                          cnf_front_end_run *run);

/* Waits for a run that was started, unless what it made was kept, and adds its diagnostics to
 * *messages (texts in the arena). COMPILE_TIME: the source was refused; TOOL: the program died or
 * took longer than its time limit.
 */
RT_MUST_USE rt_status cnf_front_end_finish(rt_sink *sink, rt_arena *arena,
                                           const cnf_request_source *source, cnf_front_end_run *run,
                                           cnf_message_list *messages);

/* Frees a run, killing the program where it still runs. */
void cnf_front_end_free(cnf_front_end_run *run);

#endif
