/* The part of a host program that the libraries of all runtimes share: the channels, the requests
 * about modules, and the record of what constructors and destructors did. For C and C++.
 *
 * A library that is a host program's runtime compiles serve.c and frame.c into itself, defines
 * assay_host_main() with host_serve, and records registrations with host_event_note. */
#ifndef CONFORMANCE_HOST_PROGRAM_SERVE_H
#define CONFORMANCE_HOST_PROGRAM_SERVE_H

#include "conformance/host/program/frame.h"
#include "conformance/host/protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a request that is not about modules: reads the fields that follow the request byte, and
 * appends the answer's fields to the status byte, which is already written, or calls host_refuse.
 * Called concurrently, by one thread per channel. False: there is no such request. */
typedef bool host_answer(uint8_t request, host_reader *in, host_writer *out);

/* Serves all channels of ASSAY_HOST_CHANNELS until channel 0 is closed: channel 0 in the calling
 * thread, every other channel in its own thread. HELLO reports `runs_on`; `extension` answers
 * requests that serve.c does not know, NULL: none. Returns the program's exit status: 0, or 1 (with
 * a message on stderr) if the variable is missing or a thread cannot be started. */
int host_serve(const char *runs_on, host_answer *extension);

/* Records that the module containing the descriptor registered or unregistered it; for
 * HOST_EVENT_REGISTERED and HOST_EVENT_UNREGISTERED. */
void host_event_note(host_event kind, const void *descriptor);

/* Called by each generated module; see protocol.h. */
void assay_module_constructed(const char *path, host_binds *binds);
void assay_module_destroyed(const char *path);

/* Called for each device_global of a module's sources other than SYCL; defined, with default
 * visibility, by the library that this is compiled into. */
void assay_module_global(void *variable, const char *unique_id, unsigned long size,
                         int image_scope);

/* Called for each device_global of a module's SYCL sources, which it does not register; see
 * protocol.h. Defined like assay_module_global, by libraries over libsycl only. */
void assay_module_variable(const void *variable, const char *unique_id, unsigned long size,
                           int image_scope);

/* Called by a module whose submits the scenario names; see protocol.h. Defined like
 * assay_module_global. */
void assay_module_kernels(const char *path, host_kernel *kernels, unsigned count);

/* The body of a generated executable's main(); defined by the library that this is compiled into.
 */
int assay_host_main(void);

#ifdef __cplusplus
}
#endif

#endif
