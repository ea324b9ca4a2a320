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

#include "conformance/compile/compile.h"
#include "conformance/host/protocol.h"
#include "conformance/scenario/model.h"
#include "reference/base/stream.h"

typedef struct cnf_host cnf_host;

/* What the generated executable and shared objects are linked with. */
typedef struct cnf_host_runtime {
    rt_text library;               /* path of libassay_registrar.so or libassay_dpcpp.so */
    const char *const *libraries;  /* further shared libraries that define __sycl_register_lib, by
                                      path; NULL at the end; every generated module needs them */
    const char *const *environment; /* "NAME=value" beside the subject's own, NULL at the end */
} cnf_host_runtime;

/* The file name of a module as the linker and traces know it: "app", "libtwice.so".  In the arena.
 */
rt_text cnf_host_file_name(rt_arena *arena, const scn_scenario *scenario, uint32_t module);

/* Appends the C source of a module: its fat binary with constructor and destructor unless it
 * registers nothing, its host symbols, the function that tells what a symbol binds to from within
 * it, and for module 0 main().  Deterministic: it names the artefact in the cache.  Codes of
 * rt_fat_binary_write_c. */
RT_MUST_USE rt_status cnf_host_write_c(rt_sink *sink, rt_buffer *out, const scn_scenario *scenario,
                                       uint32_t module);

/* Builds all modules into a new folder, from the cache where they are, and starts the executable
 * with the scenario's preloaded modules in LD_PRELOAD.  One channel for each thread of the scenario:
 * channel 0 and, where it has a parallel, one for each list.  UNAVAILABLE: there is no C compiler
 * (names cc); TOOL: it refused or died, or the program did not come up: how it ended. */
RT_MUST_USE rt_status cnf_host_start(rt_sink *sink, cnf_cache *cache, const scn_scenario *scenario,
                                     const cnf_host_runtime *runtime, cnf_host **out_host);

/* Asks on a channel and waits for the answer, which lives in the arena; out_answer stands behind
 * the answer's status byte.  A refusal becomes a status of its class with its message.
 * TOOL: the process is gone (how it ended: cnf_host_fate); MALFORMED: not an answer. */
RT_MUST_USE rt_status cnf_host_ask(cnf_host *host, uint32_t channel, const rt_buffer *request,
                                   rt_arena *arena, rt_reader *out_answer);

/* Signal that ended the process, 0 while it runs or when it left by itself.  A subject whose host
 * program died of a signal ends itself by the same one, which is the verdict CRASH. */
int cnf_host_fate(cnf_host *host);

/* Lets the process end as a program does (exit, destructors), waits for it and removes the folder.
 * TOOL: it did not end well, and how. NULL does nothing. */
RT_MUST_USE rt_status cnf_host_end(cnf_host *host);

#endif
