/* Shared by the files of this folder: the state of the process, and functions that build its
 * modules. */
#ifndef CONFORMANCE_HOST_HOST_INTERNAL_H
#define CONFORMANCE_HOST_HOST_INTERNAL_H

#include "conformance/host/host.h"

#include <pthread.h>
#include <sys/types.h>

struct cnf_host {
    rt_sink *sink;
    const scn_scenario *scenario;
    rt_arena arena;
    rt_text folder; /* holds its files; empty: not created */
    int *channels;  /* our ends; -1: closed */
    uint32_t channel_count;
    pthread_mutex_t lock; /* guards the next two members */
    pid_t pid;            /* 0: not started, or ended */
    int wait_status;      /* as waitpid reports it, once the process has ended */
    rt_text runs_on;
    cnf_host_events started;
};

/* Creates a host without a folder or a process; cnf_host_end ends it. */
cnf_host *cnf_host_create(rt_sink *sink, const scn_scenario *scenario);

/* Starts the executable in the host's folder, whose files exist, with `environment` ("NAME=value",
 * NULL-terminated, or NULL) in addition to the subject's. Codes of cnf_host_start. */
RT_MUST_USE rt_status cnf_host_launch(cnf_host *host, const char *const *environment);

/* True if the module passes images to __sycl_register_lib. */
bool cnf_host_registers(const scn_module *module);

/* True for a symbol that an assembler accepts without quotes. */
bool cnf_host_is_symbol(rt_text symbol);

/* True if a SYCL source of the module has this device_global, so that only its integration footer
 * registers it. */
bool cnf_host_half_has(const scn_module *module, rt_text id);

/* TOOL: the shipped compiler's footer does not register a variable that the source's images have.
 */
RT_MUST_USE rt_status cnf_host_half_check(rt_sink *sink, const scn_module *module,
                                          const scn_host_half *half);

/* Appends the C++ source of a SYCL source's host half, without its opening: header, source and
 * footer, unchanged. It also tells libassay_dpcpp.so the address of each variable that the footer
 * registers (protocol.h), and makes references to what the module's images import weak. */
void cnf_host_write_half(rt_buffer *out, const scn_module *module, const scn_host_half *half);

/* Appends what precedes cnf_host_write_half if the source begins with `#include <sycl/sycl.hpp>`:
 * the directives that the header begins with, and that one; otherwise nothing. Many sources have
 * the same opening, so it can be precompiled; after it, the include in the source does nothing. */
void cnf_host_write_half_opening(rt_buffer *out, const scn_module *module,
                                 const scn_host_half *half);

/* Precompiled openings of host halves, files that every process with the same cache uses in place:
 * they are too large to copy (175 MB with g++ 12), and to be entries of the cache. */
enum {
    CNF_PRECOMPILED_AFTER = 4, /* compilations without it until it is made: making one takes as
                                * long as it saves in three or four compilations */
    CNF_PRECOMPILED_MAX = 4,   /* files that are kept, those used last */
};

typedef struct cnf_precompiled {
    rt_text header; /* argument of -include */
    rt_text file;   /* the compiler finds it by that argument */
    rt_text draft;  /* that file while it is made */
    bool is_usable;
    bool is_due; /* to be made: cnf_precompiled_begin, the compiler, cnf_precompiled_end */
} cnf_precompiled;

/* Finds the precompiled header of a request, which is everything that it depends on, or counts a
 * compilation that does without it. */
cnf_precompiled cnf_precompiled_find(rt_arena *arena, const cnf_cache *cache, rt_bytes request);

/* Names the draft that the compiler is to write; false: it cannot be created. */
bool cnf_precompiled_begin(rt_arena *arena, cnf_precompiled *precompiled);

/* The time that making one may take, in ms. It takes 7 s of processor time, and on a busy machine
 * more than twice as long: after too short a time, all of it would be lost, again and again. It
 * counts towards the time limit of the scenario that happens to make it, by default 60 s. */
enum { CNF_PRECOMPILED_MS_MAX = 40000 };

/* Puts the draft into its place if `made` is OK, or a mark that prevents further attempts for a
 * month if it is COMPILE_TIME, the compiler's refusal; after anything else, such as too long a
 * time, another process tries again later. Removes files that have not been used for long. */
void cnf_precompiled_end(rt_arena *arena, cnf_precompiled *precompiled, rt_status made);

/* Removes a file with which a compilation failed that succeeds without it, and reports that on
 * standard error. One that has just been made leaves a mark, because the next would fail as well.
 */
void cnf_precompiled_distrust(const cnf_precompiled *precompiled, bool is_new);

/* UNAVAILABLE: there is no C compiler. */
RT_MUST_USE rt_status cnf_host_compiler_check(rt_sink *sink);

/* Builds every module of the scenario into the folder, each under its file name.  Codes of
 * cnf_host_start. */
RT_MUST_USE rt_status cnf_host_build(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                                     const cnf_host_runtime *runtime, rt_text folder);

#endif
