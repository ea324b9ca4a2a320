/* The host program of a scenario as real files and a real process.
 *
 * The machine's C compiler builds the scenario's modules as an executable and shared objects. Each
 * has a constructor that passes its device images to __sycl_register_lib as a fat binary
 * (reference/image/fat_binary.h), a destructor that unregisters them, its host symbols, and its
 * needs as DT_NEEDED. ld.so loads them: libraries at the start, LD_PRELOAD, dlopen and dlclose
 * later. Over libsycl, the C++ compiler adds the host half of each SYCL source, as in an
 * application of DPC++ (scn_host_half).
 *
 * The process does nothing on its own. Its main() waits for requests (protocol.h) from the subject
 * that started it and answers them. The library that it is linked with decides what it can do:
 *
 *     libassay_reference.so   loads and unloads modules, and reports what constructors register;
 *                             the reference runtime is in the subject's process as usual
 *     libassay_dpcpp.so       does that and everything else over libsycl, the shipped runtime
 *
 * So if the process crashes, hangs or sends garbage, another process observes that and can still
 * report it. Both kinds are built, started and queried in the same way. */
#ifndef CONFORMANCE_HOST_HOST_H
#define CONFORMANCE_HOST_HOST_H

#include "conformance/build/compile.h"
#include "conformance/host/protocol.h"
#include "conformance/scenario/model/model.h"
#include "reference/base/stream.h"
#include "reference/image/fat_binary.h"

typedef struct cnf_host cnf_host;

/* The libraries that the generated executable and shared objects are linked with. */
typedef struct cnf_host_runtime {
    rt_text library;                /* path of libassay_reference.so or libassay_dpcpp.so */
    const char *const *libraries;   /* further shared libraries that define __sycl_register_lib, by
                                     * path, NULL-terminated; every generated module needs them */
    rt_text headers;                /* folder of the runtime's C++ headers, against which the host
                                     * halves of SYCL sources are compiled; empty: they are not */
    const char *const *environment; /* "NAME=value" in addition to the subject's, NULL-terminated */
    rt_fat_layout layout;           /* of the images that its modules register */
} cnf_host_runtime;

/* The file name of a module as the linker and traces know it: "app", "libtwice.so".  In the arena.
 */
rt_text cnf_host_file_name(rt_arena *arena, const scn_scenario *scenario, uint32_t module);

/* The path of a module's file in the program's folder, by which the program identifies the module.
 * To be unique, it is the file name inside a folder ("2/libf.so") if an earlier module has the same
 * file name, otherwise the file name alone. In the arena. */
rt_text cnf_host_path(rt_arena *arena, const scn_scenario *scenario, uint32_t module);

/* Appends the C source of a module: its fat binary with constructor and destructor unless it
 * registers nothing, its host symbols, the function that reports what a symbol binds to inside the
 * module, and for module 0 main(). The text is deterministic, because it identifies the artefact in
 * the cache. Codes of rt_fat_binary_write_c. */
RT_MUST_USE rt_status cnf_host_write_c(rt_sink *sink, rt_buffer *out, const scn_scenario *scenario,
                                       uint32_t module, rt_fat_layout layout);

/* What constructors and destructors did, in order. */
typedef struct cnf_host_event {
    host_event kind;
    uint32_t module;     /* index in the scenario */
    uint64_t descriptor; /* REGISTERED, UNREGISTERED: address in the process */
} cnf_host_event;

typedef struct cnf_host_events {
    const cnf_host_event *items;
    uint32_t count;
} cnf_host_events;

/* Number of channels that a scenario needs: one per thread, numbered like it (scn_step.thread). */
uint32_t cnf_host_channels(const scn_scenario *scenario);

/* Builds all modules into a new folder, or takes them from the cache, and starts the executable
 * with the scenario's preloaded modules in LD_PRELOAD and cnf_host_channels channels. The program
 * has answered HOST_HELLO when this returns. Borrowed arguments must outlive the host. Always end
 * *out_host with cnf_host_end, even on failure; it is NULL if the runtime's library cannot be read.
 * UNAVAILABLE: there is no C compiler or, for host halves, no C++ compiler, or the runtime's
 * library is missing or from another build; IO: the program's files could not be created, its
 * process could not be started, or a compiler failed or died; TOOL: the program ended before it
 * answered, and the message says how, or a footer omits a variable; UNSUPPORTED: names that no real
 * program can have; COMPILE_TIME: the C++ compiler refuses a host half. */
RT_MUST_USE rt_status cnf_host_start(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                                     const cnf_host_runtime *runtime, cnf_host **out_host);

/* The answer to HOST_HELLO: the runtime's name ("" for libassay_reference.so), and what
 * constructors did before main(). */
rt_text cnf_host_runs_on(const cnf_host *host);
cnf_host_events cnf_host_started(const cnf_host *host);

/* Sends a request on a channel and waits for the answer, which lives in the arena; out_answer is
 * positioned after the answer's status byte. Several threads may send requests at the same time,
 * each on its own channel. A refusal becomes a status with its code and message; "exception"
 * becomes ERRC_RUNTIME. TOOL: the process has ended (cnf_host_fate says how); MALFORMED: the
 * process did not send an answer. */
RT_MUST_USE rt_status cnf_host_ask(cnf_host *host, uint32_t channel, const rt_buffer *request,
                                   rt_arena *arena, rt_reader *out_answer);

/* Reads the events at the reader's position. MALFORMED: they are not events, or they name a module
 * that the scenario does not have. */
RT_MUST_USE rt_status cnf_host_read_events(cnf_host *host, rt_arena *arena, rt_reader *answer,
                                           cnf_host_events *out_events);

/* Checks that the answer ends at the reader's position. MALFORMED: it does not, or it was
 * truncated; `request_name` is for the message. */
RT_MUST_USE rt_status cnf_host_answer_end(cnf_host *host, const rt_reader *answer,
                                          const char *request_name);

/* Calls dlopen or dlclose for a module, and reports what constructors and destructors did. Codes of
 * cnf_host_ask; TOOL: dlopen refused; ERRC_INVALID: the module is not open. */
RT_MUST_USE rt_status cnf_host_open(cnf_host *host, uint32_t channel, uint32_t module,
                                    rt_arena *arena, cnf_host_events *out_events);
RT_MUST_USE rt_status cnf_host_close(cnf_host *host, uint32_t channel, uint32_t module,
                                     rt_arena *arena, cnf_host_events *out_events);

/* The module to whose definition a reference to a symbol from module `from` binds; SCN_NONE: no
 * module's definition. Codes of cnf_host_ask; ERRC_INVALID: `from` is not loaded. */
RT_MUST_USE rt_status cnf_host_binds(cnf_host *host, uint32_t channel, uint32_t from,
                                     rt_text symbol, uint32_t *out_module);

/* The images of the fat binary at a descriptor, read from the process's memory and named
 * "MODULE/NUMBER"; allocated in the arena. Codes of cnf_host_ask, rt_fat_binary_read and
 * rt_device_binary_image. */
RT_MUST_USE rt_status cnf_host_images(cnf_host *host, uint32_t channel, uint32_t module,
                                      uint64_t descriptor, rt_arena *arena,
                                      rt_image_list *out_images);

/* The signal that ended the process; 0: it is still running, or exited. */
int cnf_host_fate(cnf_host *host);

/* If a signal ended the process, removes the folder and ends this process with the same signal,
 * which makes the verdict CRASH. Otherwise returns. */
void cnf_host_share_fate(cnf_host *host);

/* Lets the process exit normally (exit, destructors) and waits for it; afterwards only
 * cnf_host_fate, cnf_host_restart and cnf_host_end may be called. TOOL: it did not exit cleanly,
 * and the message says how; reported once. */
RT_MUST_USE rt_status cnf_host_leave(cnf_host *host);

/* Starts the executable again, as cnf_host_start did, once its process has left; `environment` is
 * that of its cnf_host_runtime. cnf_host_started then reports the new process's events. Codes of
 * cnf_host_start. */
RT_MUST_USE rt_status cnf_host_restart(cnf_host *host, const char *const *environment);

/* Like cnf_host_leave, unless the process has already left; also removes the folder. Codes of
 * cnf_host_leave. NULL does nothing. */
RT_MUST_USE rt_status cnf_host_end(cnf_host *host);

#endif
