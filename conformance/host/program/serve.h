/* The part of a host program that every runtime's library has: the channels, the requests about
 * modules, and the record of what constructors and destructors did.  C and C++.
 *
 * A library that is a host program's runtime compiles serve.c and frame.c into itself, defines
 * assay_host_main() by host_serve, and notes registrations with host_event_note. */
#ifndef CONFORMANCE_HOST_PROGRAM_SERVE_H
#define CONFORMANCE_HOST_PROGRAM_SERVE_H

#include "conformance/host/program/frame.h"
#include "conformance/host/protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Answers a request that is not about modules: reads its fields behind the request byte and writes
 * those of the answer behind the status byte, which is there; or calls host_refuse.  Called by
 * several threads at once, one for each channel.  False: there is no such request. */
typedef bool host_answer(uint8_t request, host_reader *in, host_writer *out);

/* Serves all channels of ASSAY_HOST_CHANNELS until channel 0 is closed; the first in the calling
 * thread, each other one in a thread of its own.  `runs_on` is what HELLO says; `more` answers what
 * serve.c does not know, NULL: nothing.  Returns the exit status of the program: 0, or 1 where the
 * variable is missing or no thread can be started, which is said on stderr. */
int host_serve(const char *runs_on, host_answer *more);

/* Notes that the module which holds the descriptor registered it (or took it back); for
 * HOST_EVENT_REGISTERED and HOST_EVENT_UNREGISTERED. */
void host_event_note(host_event kind, const void *descriptor);

/* Called by each generated module, see protocol.h. */
void assay_module_constructed(const char *path, host_binds *binds);
void assay_module_destroyed(const char *path);

/* The same of each of its device_globals; defined, with the default visibility, by the library that
 * this is compiled into. */
void assay_module_global(const char *unique_id, unsigned long size, int image_scope);

/* The body of a generated executable's main(); defined by the library that this is compiled into.
 */
int assay_host_main(void);

#ifdef __cplusplus
}
#endif

#endif
