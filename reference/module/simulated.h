/* The simulated system: glibc's ld.so, without files or processes.
 *
 * Where the System V ABI and POSIX leave a choice, it behaves as glibc has since 2.35, so that a
 * scenario runs the same under the simulated and the real loader.  The choices concern the order of
 * constructors and destructors, both for modules that do not depend on each other and for modules
 * that form a cycle.  A test compares the two loaders on random programs
 * (conformance/host/test/test_loaders.c).  Source: System V ABI, "Dynamic Linking"; ld.so(8),
 * dlopen(3), dlclose(3); Observed: glibc 2.36 and 2.41, elf/dl-deps.c, dl-sort-maps.c, dl-init.c,
 * dl-open.c, dl-close.c. */
#ifndef REFERENCE_MODULE_SIMULATED_H
#define REFERENCE_MODULE_SIMULATED_H

#include "reference/module/system.h"

/* A module as the simulated system sees it; everything is borrowed. */
typedef struct rt_simulated_module {
    const rt_module_id *needs; /* valid ids in link-line order; cycles are allowed */
    uint32_t need_count;
    const rt_text *host_symbols;
    uint32_t host_symbol_count;
    rt_image_list images; /* the images that its constructor registers */
} rt_simulated_module;

typedef struct rt_simulated rt_simulated;

/* Creates a system of module_count >= 1 modules, none of them loaded; the table is copied. */
rt_simulated *rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count);

/* Destroys the system without unloading modules that are still loaded, as at the end of a process.
 */
void rt_simulated_destroy(rt_simulated *simulated);

/* From now on, what a dlclose unloads is destroyed beginning with the module that was closed, even
 * if another one in a cycle with it would precede it, as in glibc 2.39 and newer (bug 30981).
 * Without this call it is as in releases before, so that a trace is the same on all machines. */
void rt_simulated_destroy_closed_first(rt_simulated *simulated);

/* The system's operations, which never fail; valid until the system is destroyed.  Host
 * symbols are found only after a start.  The executable and everything loaded with it stay loaded,
 * however often they are opened and closed. */
rt_system rt_simulated_system(rt_simulated *simulated);

#endif
