/* Front ends: programs that translate one source to LLVM IR, SPIR-V or SYCLBIN. */
#ifndef CONFORMANCE_BUILD_FRONT_END_H
#define CONFORMANCE_BUILD_FRONT_END_H

#include "conformance/build/cache.h"
#include "conformance/build/diagnostics.h"
#include "conformance/build/request.h"
#include "conformance/build/toolchain.h"
#include "conformance/process/process.h"

/* One run of a front end.  Zero-initialise it. */
typedef struct cnf_front_end_run {
    cnf_process process;
    rt_buffer input;  /* the program's standard input */
    rt_buffer output; /* its standard output: bitcode, LLVM IR as text (C++ for OpenCL), SPIR-V or
                       * SYCLBIN */
    rt_buffer errors;
    rt_buffer tool;    /* identifies the program and its version */
    rt_buffer request; /* what the output depends on besides the program */
    bool is_cached;    /* output and errors come from an earlier, successful run */
    bool is_program;   /* of an OpenCL program, which may include files */
    bool has_headers;  /* options.headers may be included */
} cnf_front_end_run;

/* Reports whether the language's front end is a program; for the other languages it is the compiler
 * plugin. */
bool cnf_front_end_exists(scn_language language);

/* Reports whether a language's sources can be compiled for nvptx64 as well as for spir64. */
bool cnf_front_end_makes_ptx(scn_language language);

/* The options with which a module's sources are compiled. */
typedef struct cnf_front_end_options {
    rt_text build_options; /* of OpenCL and SYCL sources; already validated */
    rt_split split;        /* of SYCL sources, which their compiler splits; post-link splits the
                            * others */
    bool ptx;              /* compile for nvptx64, which the language supports */
    /* Of an OpenCL program, whose source is OpenCL C: clang's options, instead of all of the above;
     * NULL: the source of a scenario.  Nothing is cached. */
    const rt_text *program_options;
    uint32_t program_option_count;
    /* A folder with headers that replace the compiler's own (SYCL). Empty: none. Nothing is cached.
     */
    rt_text headers;
} cnf_front_end_options;

/* Starts the front end of a source's language, which must have one, or fills `run` with its cached
 * output for the same input and arguments. Runs of several sources may overlap. `cache` may be
 * NULL: nothing is cached. UNAVAILABLE: the program is not installed or cannot be started; if not
 * every machine needs it, the diagnostic names the capability that this machine lacks. */
RT_MUST_USE rt_status cnf_front_end_start(rt_sink *sink, rt_arena *arena, cnf_cache *cache,
                                          const cnf_toolchain *toolchain,
                                          const cnf_request_source *source,
                                          const cnf_front_end_options *options,
                                          cnf_front_end_run *run);

/* Expands the #include directives of a source in OpenCL C or C++ for OpenCL, and leaves everything
 * else as it is: the result has line markers with the names of the files, and needs none of them;
 * without a directive, it is the source.
 * `options` (NULL-terminated) are clang's, such as -I and -D; `folder` is searched first for names
 * in quotes. The result and the messages are in the arena. COMPILE_TIME: an include was not found,
 * or another error of the preprocessor; UNAVAILABLE; TOOL. */
RT_MUST_USE rt_status cnf_front_end_expand(rt_sink *sink, rt_arena *arena,
                                           const cnf_toolchain *toolchain,
                                           const cnf_request_source *source, rt_text folder,
                                           const char *const *options, rt_text *out_code,
                                           cnf_message_list *messages);

/* Waits for a started run, unless its result came from the cache, and adds its diagnostics to
 * *messages (texts in the arena). COMPILE_TIME: the source was refused; TOOL: the program died or
 * exceeded its time limit. */
RT_MUST_USE rt_status cnf_front_end_finish(rt_sink *sink, rt_arena *arena,
                                           const cnf_request_source *source, cnf_front_end_run *run,
                                           cnf_message_list *messages);

/* True if the source of a finished run included a file. */
bool cnf_front_end_includes_files(const cnf_front_end_run *run);

/* Stores the output of a finished, successful run, unless it came from the cache. The caller keeps
 * only output that it could use, so that damaged output is not found again. */
void cnf_front_end_keep(cnf_cache *cache, const cnf_front_end_run *run);

/* Frees a run, killing the program if it is still running. */
void cnf_front_end_free(cnf_front_end_run *run);

#endif
