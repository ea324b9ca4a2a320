/* The simulated system: ld.so as glibc has it, without files and processes.
 *
 * What the System V ABI and POSIX leave open is done as glibc does it since 2.35, so that a
 * scenario tells the same story under the simulated and the real loader: the order of constructors
 * and destructors of modules that do not need each other, and of those that need each other in a
 * circle.  A test compares the two over random programs (conformance/host/test/test_loaders.c).
 * Source: System V ABI, "Dynamic Linking"; ld.so(8), dlopen(3), dlclose(3);
 * Observed: glibc 2.36, elf/dl-deps.c, dl-sort-maps.c, dl-init.c, dl-open.c, dl-close.c. */
#ifndef REFERENCE_MODULE_SIMULATED_H
#define REFERENCE_MODULE_SIMULATED_H

#include "reference/module/system.h"

/* What it knows of a module; all of it is borrowed. */
typedef struct rt_simulated_module {
    const rt_module_id *needs; /* valid ids in the order of the link line; circles are fine */
    uint32_t need_count;
    const rt_text *host_symbols;
    uint32_t host_symbol_count;
    rt_image_list images; /* that its constructor registers */
} rt_simulated_module;

typedef struct rt_simulated rt_simulated;

/* Makes a system of module_count >= 1 modules, none of them loaded; the table is copied. */
rt_simulated *rt_simulated_create(const rt_simulated_module *modules, uint32_t module_count);

/* Modules that are still loaded are not unloaded (as at the end of a process).  NULL does nothing.
 */
void rt_simulated_destroy(rt_simulated *simulated);

/* The system, valid until it is destroyed; none of its operations fails.  A module may be opened
 * without a start, in a program without an executable.  The executable and what was loaded with it
 * stay, however often they are opened and closed. */
rt_system rt_simulated_system(rt_simulated *simulated);

#endif
