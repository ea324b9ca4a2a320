/* Compiling a scenario's sources: requests, the worker process that serves them, the artefact
 * cache.
 *
 * A request is a self-contained sequence of bytes; its hash, with the versions of the compilers, is
 * the cache key of its artefact. The worker (`assay worker`, hidden) reads one request from stdin
 * and writes the answer to stdout. It alone runs front ends and opens the compiler plugin, so a
 * crash of either merely gives the step a failing status. The runner starts workers like every
 * other child; cnf_compile_call starts one and waits for it (for dev_tools). */
#ifndef CONFORMANCE_BUILD_COMPILE_H
#define CONFORMANCE_BUILD_COMPILE_H

#include "conformance/process/server.h"
#include "conformance/scenario/model/model.h"
#include "reference/base/profile.h"
#include "reference/device/device.h"
#include "reference/image/fusion_request.h"

#include <limits.h>

/* ---- Requests ----------------------------------------------------------------------------- */

/* Appends the request for a module's images: those of its sources, post-link included, followed by
 * those written by hand. `profile` selects the post-link rules and is part of the request, and so
 * of the cache key. `format` applies where the module does not fix formats: SPIRV64, or PTX for
 * devices that do not accept SPIR-V; images written by hand that claim to be SPIR-V then take that
 * format too. `fuses`: kernels may be fused, so images in PTX embed their IR unless the module says
 * otherwise. */
void cnf_compile_request_module(rt_buffer *out, const scn_module *module, rt_profile profile,
                                rt_format format, bool fuses);

/* Appends the request that links SPIR-V modules, each specialised with its constants, into one
 * bitcode module. */
void cnf_compile_request_link(rt_buffer *out, const dev_code *codes, uint32_t count);

/* Appends the request that translates a SPIR-V module, specialised with its constants, to PTX. */
void cnf_compile_request_ptx(rt_buffer *out, const dev_code *code);

/* An OpenCL program's source, as clCompileProgram gets it. */
typedef struct cnf_program_source {
    rt_text name; /* in messages and in the line information; not empty */
    rt_text code;
    const rt_text *options; /* clang's, one each */
    uint32_t option_count;
} cnf_program_source;

/* Appends the request that compiles an OpenCL program to one SPIR-V module.  Unlike the source of a
 * scenario, it gets no prelude and may include files, relative to the worker's current folder; an
 * answer that depends on a file is not cached. */
void cnf_compile_request_program(rt_buffer *out, const cnf_program_source *program);

/* Appends the request that fuses a list of kernels into one; is_shipped: with the original compiler
 * of DPC++ 2025.2, not with ours. */
void cnf_compile_request_fusion(rt_buffer *out, const rt_fusion_request *request, bool is_shipped);

/* ---- Answers ------------------------------------------------------------------------------ */

/* Severity of a compiler's message; the numbers are those of the serialised answer. */
typedef enum cnf_severity {
    CNF_SEVERITY_WARNING,
    CNF_SEVERITY_ERROR,
    CNF_SEVERITY_NOTE, /* continues the error or warning before it */
    CNF_SEVERITIES
} cnf_severity;

/* A compiler message about a source. */
typedef struct cnf_compile_message {
    rt_text source;  /* the source's name, such as "app/0"; empty: none */
    uint32_t line;   /* in that source, from 1; 0: none */
    uint32_t column; /* from 1; 0: none */
    cnf_severity severity;
    rt_text text;
} cnf_compile_message;

typedef struct cnf_compile_answer {
    rt_code code;    /* RT_OK; RT_COMPILE_TIME, RT_POSTLINK_ERROR, RT_LINK_ERROR, RT_TOOL, … */
    rt_text message; /* of the failure */
    const rt_text *names; /* symbols that the failure concerns; for UNAVAILABLE: the capability that
                           * this machine lacks, if not every machine needs it */
    uint32_t name_count;
    const cnf_compile_message *messages;
    uint32_t message_count;
    rt_bytes
        artefact; /* module: input of cnf_compile_artefact_read; link: bitcode; program:
                   * SPIR-V; ptx: text; fusion: input of rt_fusion_result_read; empty on failure */
} cnf_compile_answer;

/* Decodes the output of a worker, or a cache entry; spans point into `bytes`. MALFORMED: truncated,
 * for example because the worker died, or successful without an artefact. */
RT_MUST_USE rt_status cnf_compile_answer_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                              cnf_compile_answer *out_answer);

/* The bit of a code in a set of codes. */
#define CNF_CODE(name) (UINT64_C(1) << RT_##name)

/* For the tools of dev_tools and of the fusion compiler: appends the artefact of an answer, or
 * fails as it says. A code that is neither in `codes`, the tool's own, nor one that every tool may
 * return (MALFORMED, LIMIT, IO, UNAVAILABLE) means that the tool misbehaved, and becomes TOOL. */
RT_MUST_USE rt_status cnf_answer_take(rt_sink *sink, const cnf_compile_answer *answer,
                                      uint64_t codes, rt_buffer *out_artefact);

/* What a module was compiled to. */
typedef struct cnf_compile_artefact {
    rt_image_list images;
    rt_device_global_list globals;    /* that the host code of its sources registers */
    const scn_host_half *host_halves; /* of its SYCL sources, in order */
    uint32_t host_half_count;
} cnf_compile_artefact;

/* Decodes the artefact of a module. Spans point into `artefact`. MALFORMED: damaged. */
RT_MUST_USE rt_status cnf_compile_artefact_read(rt_sink *sink, rt_arena *arena, rt_bytes artefact,
                                                cnf_compile_artefact *out_artefact);

/* Appends a failing answer without names or messages: the runner uses it when a worker that it
 * started has died. `code` is not RT_OK. */
void cnf_compile_answer_write_failure(rt_buffer *out, rt_code code, rt_text message);

/* ---- The artefact cache ------------------------------------------------------------------- */

typedef struct cnf_cache cnf_cache;

/* Opens the cache folder, creating it if need be: `folder` or, if that is empty, $ASSAY_CACHE_DIR,
 * $XDG_CACHE_HOME/assay or ~/.cache/assay, the first whose variable is set. If the folder cannot be
 * created or written, the cache works but stores nothing, and `out_warning` (borrowed from the
 * cache; "" otherwise) says why. The versions of the front ends and of the plugin, which are part
 * of every key, are determined here from the paths, sizes and modification times of their files,
 * without running any of them. With ASSAY_CACHE_ANSWERS=find in the environment, the worker's
 * answers are found but not kept; with ASSAY_CACHE_ANSWERS=keep or none, they are not found, so all
 * of assay's own code runs again, and with none they are not kept either. In every case, the output
 * of the tools that the worker runs is found and kept. */
cnf_cache *cnf_cache_open(rt_text folder, rt_text *out_warning);
void cnf_cache_close(cnf_cache *cache);

/* Looks up an answer; false: absent. Entries are checked (length, hash): a damaged or foreign one
 * counts as absent. Safe while other processes use the same folder. */
bool cnf_cache_find(cnf_cache *cache, rt_bytes request, rt_buffer *out_answer);

/* Stores the answer to a request (write to a temporary name, fsync, rename); failing to do so is
 * not an error. Only the worker needs to call it, for artefacts and for refusals of the plugin and
 * the worker itself. */
void cnf_cache_keep(cnf_cache *cache, rt_bytes request, rt_bytes answer);

/* ---- The worker --------------------------------------------------------------------------- */

/* Body of `assay worker`, which reads one request from standard input and writes the answer to
 * standard output. `assay worker --serve` is a child of a pool that serves several requests
 * (service.h), each in its own process; it ends as the first one that is not answered. `assay
 * worker --server` starts a server (server.h) and ends. `arguments` begins with "worker". Returns
 * the exit status. */
int cnf_worker_main(int argument_count, char **arguments);

/* Body of `assay offline`, the simulated device's offline compiler: reads one SPIR-V module from
 * input, writes its native image to output, and returns the exit status; a refusal is explained on
 * stderr. */
int cnf_offline_main(int input, int output);

/* The environment for a worker, NULL-terminated, in the arena: ours without the variables meant for
 * a vendor's library (LD_LIBRARY_PATH, LD_PRELOAD, those of OpenCL's loaders), plus the cache's
 * folder. cache NULL: the worker finds its folder itself. */
const char *const *cnf_worker_environment(const cnf_cache *cache, rt_arena *arena);

/* For code in programs other than assay: finds the program that has the worker. That is `given` or,
 * if it is NULL or empty, where the build or an installation has assay relative to the library that
 * contains the function or variable `code`. False: there is no such program. */
bool cnf_worker_find(char path[PATH_MAX], const char *given, const void *code);

/* Answers a request from a new worker of the program; otherwise like cnf_compile_call. */
void cnf_worker_call(const char *program, const char *const *environment, rt_arena *arena,
                     rt_bytes request, uint32_t timeout_ms, rt_buffer *out_bytes,
                     cnf_compile_answer *out_answer);

/* Like cnf_worker_call, but from a worker that serves further requests; it is started if it does
 * not run, and again if it has ended. It has loaded the plugin and so answers in less time. It
 * keeps the current folder that it was started in. */
void cnf_worker_call_server(cnf_server *server, const char *program, const char *const *environment,
                            rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                            rt_buffer *out_bytes, cnf_compile_answer *out_answer);

/* Answers a request from the cache or from a new worker, for which it waits at most timeout_ms; a
 * worker that takes longer is killed, together with every process that it started. Safe to call
 * from several threads. A failure of the worker itself is an answer with code TOOL (died or timed
 * out, as the message says) or UNAVAILABLE (no clang, no spirv-as, no plugin: the message says what
 * to install). *out_bytes holds the answer's bytes; the caller frees it after the last use of the
 * answer. */
void cnf_compile_call(cnf_cache *cache, rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                      rt_buffer *out_bytes, cnf_compile_answer *out_answer);

#endif
