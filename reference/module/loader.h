/* The simulated loader of the operating system: executables and shared libraries that register the
 * device images they carry while they are loaded.
 *
 * It stands in for ld.so (System V ABI, "Dynamic Linking"; dlopen(3), dlclose(3)): a module is
 * loaded with everything it needs, once; constructors run with the needed modules first; a module
 * stays as long as something that is loaded needs it or it has been opened more often than closed.
 * A module's constructor registers its images, its destructor takes them back (DL-REQ-02,
 * DL-DLOPEN-03).  It does not model host code. */
#ifndef REFERENCE_MODULE_LOADER_H
#define REFERENCE_MODULE_LOADER_H

#include "reference/base/status.h"
#include "reference/module/registry.h"

#include <pthread.h>

typedef struct rt_module {
    rt_text name;
    const rt_module_id *needs; /* in the order of the link line */
    uint32_t need_count;
    rt_image_list images;
    uint32_t open_count; /* dlopen calls without their dlclose; the executable counts as opened */
    bool loaded;
    rt_image_id first_image;   /* ids of its registered images are consecutive */
    uint32_t registered_count; /* images that its constructor registered */
} rt_module;

typedef struct rt_loader {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry *registry;
    pthread_mutex_t lock; /* held while modules come and go */
    rt_module *modules;
    uint32_t module_count;
    bool started;                       /* what is loaded from now on is loaded by dlopen */
    RT_VECTOR(rt_module_id) load_order; /* loaded modules, in the order their constructors ran */
} rt_loader;

/* Knows module_count >= 1 modules, none of them loaded.  The table is copied; what it points to is
 * borrowed until rt_loader_free.  Needs are valid ids; they may form cycles. */
void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count);

/* Frees the loader; modules that are still loaded are not unloaded (as at the end of a process). */
void rt_loader_free(rt_loader *loader);

/* Starts the program: loads the executable and what it needs.  Called once, first. */
void rt_loader_start(rt_loader *loader, rt_module_id executable);

/* dlopen: loads the module unless it is, and counts the opening. */
void rt_loader_open(rt_loader *loader, rt_module_id module);

/* dlclose: takes one opening back and unloads what nothing needs any more, in the reverse order of
 * loading.  ERRC_INVALID: the module is not open. */
RT_MUST_USE rt_status rt_loader_close(rt_loader *loader, rt_module_id module);

/* True when `module` is `needing` or among what it needs, directly or further down. */
bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module);

#endif
