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

/* Appends the C++ source of a SYCL source's host half: header, source and footer, unchanged. It
 * also tells libassay_dpcpp.so the address of each variable that the footer registers
 * (protocol.h), and makes references to what the module's images import weak. */
void cnf_host_write_half(rt_buffer *out, const scn_module *module, const scn_host_half *half);

/* UNAVAILABLE: there is no C compiler. */
RT_MUST_USE rt_status cnf_host_compiler_check(rt_sink *sink);

/* Builds every module of the scenario into the folder, each under its file name.  Codes of
 * cnf_host_start. */
RT_MUST_USE rt_status cnf_host_build(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                                     const cnf_host_runtime *runtime, rt_text folder);

#endif
