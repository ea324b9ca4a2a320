/* The real loader: modules are real files that ld.so loads. It is the system beneath a runtime's
 * loader (reference/module/system.h).
 *
 * The process is a host program over libassay_reference.so; what its constructors register is read
 * from its memory, so an image travels from the scenario through fat binary, ELF file and ld.so
 * into the registry. */
#ifndef CONFORMANCE_HOST_LOADER_H
#define CONFORMANCE_HOST_LOADER_H

#include "conformance/host/host.h"
#include "reference/module/system.h"

typedef struct cnf_host_loader cnf_host_loader;

/* Checks that the tools exist. UNAVAILABLE: there is no C compiler, or libassay_reference.so is
 * missing. */
RT_MUST_USE rt_status cnf_host_loader_available(rt_sink *sink);

/* Creates a loader for the scenario's modules; the process starts when the system is started.
 * Arguments are borrowed; the images that the modules register live until the loader is
 * destroyed. */
cnf_host_loader *cnf_host_loader_create(rt_sink *sink, cnf_cache *cache,
                                        const scn_scenario *scenario);

/* The loader's system, valid until the loader is destroyed; module ids are the scenario's indices.
 * If a signal ended the process, this process ends with the same signal. Codes of cnf_host_start
 * and of the calls. */
rt_system cnf_host_loader_system(cnf_host_loader *loader);

/* Lets the program exit, like cnf_host_leave; does nothing for NULL or a loader that was not
 * started. */
RT_MUST_USE rt_status cnf_host_loader_leave(cnf_host_loader *loader);

/* Ends the process and frees everything.  Codes of cnf_host_end.  NULL does nothing. */
RT_MUST_USE rt_status cnf_host_loader_destroy(cnf_host_loader *loader);

#endif
