/* Compiling a scenario's sources: requests, the worker process that serves them, the artefact
 * cache.
 *
 * A request is a self-contained run of bytes; its hash, with the versions of the compilers, is the
 * key of its artefact.  The worker (`assay worker`, hidden) reads one request on stdin and answers
 * on stdout; it alone runs front ends and opens the compiler plugin, so that a crash of either is a
 * status of the step and nothing more.  The runner starts workers as it starts every child;
 * cnf_compile_call starts one and waits (for dev_tools). */
#ifndef CONFORMANCE_COMPILE_COMPILE_H
#define CONFORMANCE_COMPILE_COMPILE_H

#include "conformance/scenario/model/model.h"
#include "reference/base/profile.h"
#include "reference/device/device.h"
#include "reference/image/fusion_request.h"

/* ---- Requests ----------------------------------------------------------------------------- */

/* Appends the request that makes a module's images: those of its sources, post-link included, and
 * those written by hand.  The module has one or the other.  The profile says whose post-link it is;
 * it is part of the request, and so of the artefact's key.  `format` is that of the images where
 * the module does not fix formats: SPIRV64, or PTX for devices that take no SPIR-V; images written
 * by hand that claim to be SPIR-V are in that format then, too.  `fuses`: kernels may be fused, so
 * that images in PTX embed their IR where the module does not say. */
void cnf_compile_request_module(rt_buffer *out, const scn_module *module, rt_profile profile,
                                rt_format format, bool fuses);

/* Appends the request that links SPIR-V codes, specialised as they say, to one bitcode module. */
void cnf_compile_request_link(rt_buffer *out, const dev_code *codes, uint32_t count);

/* Appends the request that makes one kernel of a list. */
void cnf_compile_request_fusion(rt_buffer *out, const rt_fusion_request *request);

/* ---- Answers ------------------------------------------------------------------------------ */

/* How grave a compiler's message is; the numbers are those of the serialised answer. */
typedef enum cnf_severity {
    CNF_SEVERITY_WARNING,
    CNF_SEVERITY_ERROR,
    CNF_SEVERITY_NOTE, /* belongs to the error or warning before it */
    CNF_SEVERITIES
} cnf_severity;

/* A compiler message about a source. */
typedef struct cnf_compile_message {
    rt_text source;  /* name of the source, "app/0"; empty: about none */
    uint32_t line;   /* in that source, from 1; 0: none */
    uint32_t column; /* from 1; 0: none */
    cnf_severity severity;
    rt_text text;
} cnf_compile_message;

typedef struct cnf_compile_answer {
    rt_code code;    /* RT_OK; RT_COMPILE_TIME, RT_POSTLINK_ERROR, RT_LINK_ERROR, RT_TOOL, … */
    rt_text message; /* of the failure */
    const rt_text *names; /* symbols that the failure is about; of UNAVAILABLE: the capability that
                             this machine lacks, where not every machine needs it */
    uint32_t name_count;
    const cnf_compile_message *messages;
    uint32_t message_count;
    rt_bytes artefact; /* what cnf_compile_artefact_read reads (module), bitcode (link) or what
                          rt_fusion_result_read reads (fusion); empty on failure */
} cnf_compile_answer;

/* Decodes what a worker wrote or the cache kept; spans point into `bytes`.  MALFORMED: cut short,
 * for example because the worker died, or successful without an artefact. */
RT_MUST_USE rt_status cnf_compile_answer_read(rt_sink *sink, rt_arena *arena, rt_bytes bytes,
                                              cnf_compile_answer *out_answer);

/* Decodes the artefact of a module: its images, and the device_globals that the host code of its
 * sources registers.  Spans point into `artefact`.  MALFORMED: damaged. */
RT_MUST_USE rt_status cnf_compile_artefact_read(rt_sink *sink, rt_arena *arena, rt_bytes artefact,
                                                rt_image_list *out_images,
                                                rt_device_global_list *out_globals);

/* Appends a failing answer without names and messages: what the runner notes when a worker that it
 * started has died.  `code` is not RT_OK. */
void cnf_compile_answer_write_failure(rt_buffer *out, rt_code code, rt_text message);

/* ---- The artefact cache ------------------------------------------------------------------- */

typedef struct cnf_cache cnf_cache;

/* Opens (and makes) the cache folder: `folder`, or, when it is empty, $ASSAY_CACHE_DIR, else
 * $XDG_CACHE_HOME/assay, else ~/.cache/assay.  A folder that cannot be made or written gives a
 * working cache that holds nothing; `out_warning` (borrowed from the cache) then says why, "" else.
 * The versions of the front ends and of the plugin, which belong to every key, are found here
 * without running any of them (paths, sizes and times of their files). */
cnf_cache *cnf_cache_open(rt_text folder, rt_text *out_warning);
void cnf_cache_close(cnf_cache *cache);

/* Looks an answer up; false: not there.  Entries are checked (length, hash): a damaged or foreign
 * one counts as absent.  Safe beside other processes. */
bool cnf_cache_find(cnf_cache *cache, rt_bytes request, rt_buffer *out_answer);

/* Keeps the answer of a request (write to a temporary name, fsync, rename).  Only successful
 * answers are kept; failing to keep one is no error.  The worker calls it, nobody else needs to. */
void cnf_cache_keep(cnf_cache *cache, rt_bytes request, rt_bytes answer);

/* ---- The worker --------------------------------------------------------------------------- */

/* Body of `assay worker`: one request from input, one answer to output, exit status. */
int cnf_worker_main(int input, int output);

/* Body of `assay offline`, the simulated device's offline compiler: one SPIR-V module from input,
 * its native image to output, exit status; what is refused is said on stderr. */
int cnf_offline_main(int input, int output);

/* The environment that a worker is started with, NULL at its end, in the arena: ours without what a
 * vendor's library was given (LD_LIBRARY_PATH, LD_PRELOAD), and the cache's folder. */
const char *const *cnf_worker_environment(const cnf_cache *cache, rt_arena *arena);

/* Answers a request from the cache or from a worker of its own, which is waited for (at most
 * timeout_ms) and killed with all it started when it does not end.  May be called from several
 * threads.  Any failure of the worker itself is an answer with code TOOL (died, timed out: the
 * message says how) or UNAVAILABLE (no clang, no spirv-as, no plugin: the message says what to
 * install).
 * *out_bytes holds the answer's bytes and is freed by the caller after the answer's last use. */
void cnf_compile_call(cnf_cache *cache, rt_arena *arena, rt_bytes request, uint32_t timeout_ms,
                      rt_buffer *out_bytes, cnf_compile_answer *out_answer);

#endif
