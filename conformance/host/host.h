/* The host program of a scenario as real files and a real process.
 *
 * What a scenario says of its modules is made into an executable and shared objects by the
 * machine's C compiler: each has a constructor that hands its device images to
 * __sycl_register_lib as a fat binary (reference/image/fat_binary.h), a destructor that takes them
 * back, its host symbols, and what it needs as DT_NEEDED.  ld.so loads them: libraries at the
 * start, LD_PRELOAD, dlopen and dlclose later.
 *
 * The process does nothing on its own.  It is the remote hand of the subject that started it: its
 * main() waits for requests (protocol.h) and answers them.  What it is linked with decides what it
 * can do:
 *
 *     libassay_registrar.so   loads and unloads, and tells what constructors register; the
 *                             reference runtime is in the subject's process, as ever
 *     libassay_dpcpp.so       does that and everything else over libsycl, the shipped runtime
 *
 * So a crash, a hang or garbage of it is seen from outside by a process that can still tell what
 * happened; both kinds have one way to be built, started and asked. */
#ifndef CONFORMANCE_HOST_HOST_H
#define CONFORMANCE_HOST_HOST_H

#include "conformance/build/compile.h"
#include "conformance/host/protocol.h"
#include "conformance/scenario/model/model.h"
#include "reference/base/stream.h"

typedef struct cnf_host cnf_host;

/* What the generated executable and shared objects are linked with. */
typedef struct cnf_host_runtime {
    rt_text library;                /* path of libassay_registrar.so or libassay_dpcpp.so */
    const char *const *libraries;   /* further shared libraries that define __sycl_register_lib, by
                                       path; NULL at the end; every generated module needs them */
    const char *const *environment; /* "NAME=value" beside the subject's own, NULL at the end */
} cnf_host_runtime;

/* The file name of a module as the linker and traces know it: "app", "libtwice.so".  In the arena.
 */
rt_text cnf_host_file_name(rt_arena *arena, const scn_scenario *scenario, uint32_t module);

/* Where that file lies in the program's folder, which no two modules share and by which the program
 * calls its modules: the file name, behind a folder of its own ("2/libf.so") where an earlier
 * module has the same one.  In the arena. */
rt_text cnf_host_path(rt_arena *arena, const scn_scenario *scenario, uint32_t module);

/* Appends the C source of a module: its fat binary with constructor and destructor unless it
 * registers nothing, its host symbols, the function that tells what a symbol binds to from within
 * it, and for module 0 main().  Deterministic: it names the artefact in the cache.  Codes of
 * rt_fat_binary_write_c. */
RT_MUST_USE rt_status cnf_host_write_c(rt_sink *sink, rt_buffer *out, const scn_scenario *scenario,
                                       uint32_t module);

/* What constructors and destructors did, in order. */
typedef struct cnf_host_event {
    host_event kind;
    uint32_t module;     /* index in the scenario */
    uint64_t descriptor; /* address in the process, of REGISTERED and UNREGISTERED */
} cnf_host_event;

typedef struct cnf_host_events {
    const cnf_host_event *items;
    uint32_t count;
} cnf_host_events;

/* Channels that a scenario needs: one for each thread, by its number (scn_step.thread). */
uint32_t cnf_host_channels(const scn_scenario *scenario);

/* Builds all modules into a new folder, from the cache where they are, and starts the executable
 * with the scenario's preloaded modules in LD_PRELOAD, cnf_host_channels of them.  It answers
 * HOST_HELLO before this returns.  What is borrowed lives as long as the host.
 * *out_host is ended by cnf_host_end in any case; NULL: no process was started.
 * UNAVAILABLE: there is no C compiler, or the runtime's library is missing or of another build; IO:
 * the files of the program cannot be made or its process not started, or the compiler refused or
 * died; TOOL: the program did not come up: how it ended; UNSUPPORTED: names that no real program
 * can have. */
RT_MUST_USE rt_status cnf_host_start(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                                     const cnf_host_runtime *runtime, cnf_host **out_host);

/* What HOST_HELLO answered: what the program runs on ("" for libassay_registrar.so), and what
 * constructors did before main(). */
rt_text cnf_host_runs_on(const cnf_host *host);
cnf_host_events cnf_host_started(const cnf_host *host);

/* Asks on a channel and waits for the answer, which lives in the arena; out_answer stands behind
 * the answer's status byte.  Several threads may ask at once, each on a channel of its own.  A
 * refusal becomes a status of its class with its message; "exception" is ERRC_RUNTIME.
 * TOOL: the process is gone (how it ended: cnf_host_fate); MALFORMED: not an answer. */
RT_MUST_USE rt_status cnf_host_ask(cnf_host *host, uint32_t channel, const rt_buffer *request,
                                   rt_arena *arena, rt_reader *out_answer);

/* Reads the events at the reader's position.  MALFORMED: they are none, or of no module of the
 * scenario. */
RT_MUST_USE rt_status cnf_host_read_events(cnf_host *host, rt_arena *arena, rt_reader *answer,
                                           cnf_host_events *out_events);

/* The answer that a reader has consumed must end there.  MALFORMED: it does not, or was cut short;
 * `what` says what it answered. */
RT_MUST_USE rt_status cnf_host_answer_end(cnf_host *host, const rt_reader *answer,
                                          const char *what);

/* dlopen and dlclose of a module, with what constructors and destructors did.  Codes of
 * cnf_host_ask; TOOL: dlopen refused; ERRC_INVALID: the module is not open. */
RT_MUST_USE rt_status cnf_host_open(cnf_host *host, uint32_t channel, uint32_t module,
                                    rt_arena *arena, cnf_host_events *out_events);
RT_MUST_USE rt_status cnf_host_close(cnf_host *host, uint32_t channel, uint32_t module,
                                     rt_arena *arena, cnf_host_events *out_events);

/* The module whose definition a reference from module `from` to a symbol binds to, SCN_NONE: to no
 * module's.  Codes of cnf_host_ask; ERRC_INVALID: `from` is not loaded. */
RT_MUST_USE rt_status cnf_host_binds(cnf_host *host, uint32_t channel, uint32_t from,
                                     rt_text symbol, uint32_t *out_module);

/* The images of the fat binary at a descriptor, read out of the process' memory and named
 * "MODULE/NUMBER"; all of it is allocated in the arena.  Codes of cnf_host_ask, rt_fat_binary_read
 * and rt_device_binary_image. */
RT_MUST_USE rt_status cnf_host_images(cnf_host *host, uint32_t channel, uint32_t module,
                                      uint64_t descriptor, rt_arena *arena,
                                      rt_image_list *out_images);

/* Signal that ended the process, 0 while it runs or when it left by itself. */
int cnf_host_fate(cnf_host *host);

/* Where a signal ended the process, removes the folder and ends this process by the same one, which
 * is the verdict CRASH.  Otherwise returns. */
void cnf_host_share_fate(cnf_host *host);

/* Lets the process end as a program does (exit, destructors) and waits for it; nothing can be asked
 * any more, only how it ended.  TOOL: not well, and how; told once. */
RT_MUST_USE rt_status cnf_host_leave(cnf_host *host);

/* The same unless it has left, and removes the folder.  Codes of cnf_host_leave.  NULL does
 * nothing.
 */
RT_MUST_USE rt_status cnf_host_end(cnf_host *host);

#endif
