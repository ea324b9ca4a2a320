/* Who loads modules: the operating system's loader, as the runtime sees it.
 *
 * It is asked to start the program, to open and close modules, and what a host symbol binds to; it
 * answers with what constructors and destructors did, in order.  What that means (registered
 * images, the trace) is the loader's (loader.h), whichever system it is: the simulated one
 * (simulated.h), or real files under ld.so in a process of their own (conformance/host). */
#ifndef REFERENCE_MODULE_SYSTEM_H
#define REFERENCE_MODULE_SYSTEM_H

#include "reference/base/status.h"
#include "reference/base/vector.h"
#include "reference/module/registry.h"

#define RT_MODULE_NONE UINT32_MAX

typedef enum rt_system_event_kind {
    RT_SYSTEM_LOADED,       /* the module's constructor runs */
    RT_SYSTEM_REGISTERED,   /* it hands over its images */
    RT_SYSTEM_UNREGISTERED, /* the module's destructor takes them back */
    RT_SYSTEM_UNLOADED,     /* it has run */
} rt_system_event_kind;

typedef struct rt_system_event {
    rt_system_event_kind kind;
    rt_module_id module;
    rt_image_list images; /* REGISTERED; they live as long as the registry */
} rt_system_event;

typedef RT_VECTOR(rt_system_event) rt_system_events;

/* Each function but `binds` appends to the events, also where it fails; the caller frees them.  The
 * loader calls one at a time. */
typedef struct rt_system_operations {
    /* Starts the program with its executable, the preloaded modules (LD_PRELOAD, in that order) and
     * what all of them need.  Called at most once, first. */
    rt_status (*start)(void *state, rt_module_id executable, const rt_module_id *preloaded,
                       uint32_t preloaded_count, rt_system_events *out_events);
    /* dlopen(3) with RTLD_NOW and RTLD_LOCAL; dlclose(3) of a module that is open. */
    rt_status (*open)(void *state, rt_module_id module, rt_system_events *out_events);
    rt_status (*close)(void *state, rt_module_id module, rt_system_events *out_events);
    /* What a reference from the loaded module `from` binds to; RT_MODULE_NONE: nothing. */
    rt_status (*binds)(void *state, rt_module_id from, rt_text symbol, rt_module_id *out_module);
} rt_system_operations;

typedef struct rt_system {
    const rt_system_operations *operations;
    void *state;
} rt_system;

#endif
