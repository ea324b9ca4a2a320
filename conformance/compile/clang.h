/* Runs clang 14 over one source. */
#ifndef CONFORMANCE_COMPILE_CLANG_H
#define CONFORMANCE_COMPILE_CLANG_H

#include "conformance/compile/process.h"
#include "conformance/compile/request.h"
#include "reference/base/vector.h"

typedef RT_VECTOR(cnf_compile_message) cnf_message_list;

/* One run of clang.  Zero-initialise it. */
typedef struct cnf_clang_run {
    cnf_process process;
    rt_buffer input;   /* what clang reads: the source with its name */
    rt_buffer bitcode; /* what it wrote */
    rt_buffer errors;
} cnf_clang_run;

/* Starts clang over a source with the build options of its module, which were checked.  Runs of
 * several sources may overlap.  UNAVAILABLE: clang cannot be started. */
RT_MUST_USE rt_status cnf_clang_start(rt_sink *sink, rt_arena *arena, const char *clang,
                                      const cnf_request_source *source, rt_text build_options,
                                      cnf_clang_run *run);

/* Waits for the run and adds its diagnostics to *messages (texts in the arena).  COMPILE_TIME:
 * clang refused the source; TOOL: clang died or took longer than its time limit. */
RT_MUST_USE rt_status cnf_clang_finish(rt_sink *sink, rt_arena *arena,
                                       const cnf_request_source *source, cnf_clang_run *run,
                                       cnf_message_list *messages);

/* Frees a run, killing clang where it still runs. */
void cnf_clang_free(cnf_clang_run *run);

#endif
