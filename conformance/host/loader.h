/* The real loader: modules as real files under ld.so, as the system of a runtime's loader
 * (reference/module/system.h).
 *
 * A host program over libassay_registrar.so is the process; what its constructors register is read
 * out of its memory, so that an image goes scenario, fat binary, ELF file, ld.so, registry. */
#ifndef CONFORMANCE_HOST_LOADER_H
#define CONFORMANCE_HOST_LOADER_H

#include "conformance/host/host.h"
#include "reference/module/system.h"

typedef struct cnf_host_loader cnf_host_loader;

/* Whether there is what it takes.  UNAVAILABLE: there is no C compiler, or libassay_registrar.so is
 * missing. */
RT_MUST_USE rt_status cnf_host_loader_available(rt_sink *sink);

/* Makes a loader of the scenario's modules; the process begins with the system's start.  All is
 * borrowed; what it registers lives until it is destroyed. */
cnf_host_loader *cnf_host_loader_create(rt_sink *sink, cnf_cache *cache,
                                        const scn_scenario *scenario);

/* Its system, valid until it is destroyed; module ids are the scenario's indices.  Where a signal
 * ended the process, this process ends by the same one.  Codes of cnf_host_start and of what asks.
 */
rt_system cnf_host_loader_system(cnf_host_loader *loader);

/* Lets the program exit, as cnf_host_leave; NULL, or one that was not started, does nothing. */
RT_MUST_USE rt_status cnf_host_loader_leave(cnf_host_loader *loader);

/* Ends the process and frees everything.  Codes of cnf_host_end.  NULL does nothing. */
RT_MUST_USE rt_status cnf_host_loader_destroy(cnf_host_loader *loader);

#endif
