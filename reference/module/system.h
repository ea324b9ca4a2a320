/* The operating system's loader, as the runtime sees it.
 *
 * It starts the program, opens and closes modules, and binds host symbols; it reports the actions
 * of constructors and destructors in order.  The loader (loader.h) turns those events into
 * registered images and trace events.  There are two systems: the simulated one (simulated.h), and
 * real files under ld.so in a separate process (conformance/host). */
#ifndef REFERENCE_MODULE_SYSTEM_H
#define REFERENCE_MODULE_SYSTEM_H

#include "reference/base/status.h"
#include "reference/base/vector.h"
#include "reference/module/registry.h"

#define RT_MODULE_NONE UINT32_MAX

typedef enum rt_system_event_kind {
    RT_SYSTEM_LOADED,       /* the module's constructor runs */
    RT_SYSTEM_REGISTERED,   /* the module's constructor registers its images */
    RT_SYSTEM_UNREGISTERED, /* the module's destructor unregisters them */
    RT_SYSTEM_UNLOADED,     /* the destructor has finished */
} rt_system_event_kind;

typedef struct rt_system_event {
    rt_system_event_kind kind;
    rt_module_id module;
    rt_image_list images; /* REGISTERED only; valid as long as the registry */
} rt_system_event;

typedef RT_VECTOR(rt_system_event) rt_system_events;

/* All functions except `binds` append to *out_events, even if they fail; the caller frees the
 * events.  The loader makes only one call at a time. */
typedef struct rt_system_operations {
    /* Starts the program: loads the executable, the preloaded modules (LD_PRELOAD, in that order)
     * and their dependencies.  Called at most once, before all other operations. */
    rt_status (*start)(void *state, rt_module_id executable, const rt_module_id *preloaded,
                       uint32_t preloaded_count, rt_system_events *out_events);
    /* dlopen(3) with RTLD_NOW and RTLD_LOCAL; dlclose(3) of a module that is open. */
    rt_status (*open)(void *state, rt_module_id module, rt_system_events *out_events);
    rt_status (*close)(void *state, rt_module_id module, rt_system_events *out_events);
    /* Finds the module to which a reference from the loaded module `from` binds; RT_MODULE_NONE if
     * there is none. */
    rt_status (*binds)(void *state, rt_module_id from, rt_text symbol, rt_module_id *out_module);
} rt_system_operations;

typedef struct rt_system {
    const rt_system_operations *operations;
    void *state;
} rt_system;

#endif
