/* The loader: executables and shared libraries that register the device images they carry while
 * they are loaded.
 *
 * A system (system.h) loads and unloads; by default the simulated one (simulated.h).  The loader
 * says what that means: a module's constructor registers its images, its destructor takes them back
 * (DL-REQ-02, DL-DLOPEN-03), and all of it is in the trace.  Of host code it knows only which
 * module defines which symbol, so that what a host linker does (preloading, local scopes) can be
 * seen beside what resolution of device code does. */
#ifndef REFERENCE_MODULE_LOADER_H
#define REFERENCE_MODULE_LOADER_H

#include "reference/base/choose.h"
#include "reference/base/map.h"
#include "reference/base/status.h"
#include "reference/image/device_global.h"
#include "reference/module/registry.h"
#include "reference/module/simulated.h"

#include <pthread.h>

typedef struct rt_module {
    rt_text name;
    rt_text path; /* its file's name, as the trace has it: "libtwice.so"; several may have one */
    const rt_module_id *needs; /* in the order of the link line */
    uint32_t need_count;
    const rt_text *host_symbols; /* that its host code defines, each once */
    uint32_t host_symbol_count;
    rt_image_list images;
    rt_device_global_list globals; /* that its host code registers, also where no image has them */
    uint32_t open_count;           /* dlopen calls without their dlclose */
    bool preloaded;                /* named by LD_PRELOAD */
    bool loaded;
    bool global;               /* loaded at the start: in the global scope */
    rt_image_id first_image;   /* ids of its registered images are consecutive */
    uint32_t registered_count; /* images that its constructor registered */
    bool globals_registered;   /* its host code has registered its device_globals */
    bool globals_behind;       /* it does so when the images are registered */
} rt_module;

/* Who is told of the device_globals that modules' host code registers, one at a time and in order;
 * `global` lives as long as the loader.  Called with the loader's lock held. */
typedef struct rt_global_observer {
    void (*registered)(void *user, rt_module_id module, const rt_device_global *global);
    void (*gone)(void *user, rt_module_id module, const rt_device_global *global); /* unloaded */
    void *user;
} rt_global_observer;

typedef struct rt_loader {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry *registry;
    pthread_mutex_t lock; /* held while modules come and go */
    rt_module *modules;
    uint32_t module_count;
    bool started;                /* what is loaded from now on is loaded by dlopen */
    rt_system system;            /* who loads */
    rt_simulated *simulated;     /* the one that it is by default */
    rt_global_observer observer; /* NULLs: nobody */
    rt_chooser *chooser;         /* NULL: nothing is open */
    rt_map loaded_images;        /* address of each image that rt_loader_image_load took -> 1 */
} rt_loader;

/* Knows module_count >= 1 modules, none of them loaded.  The table is copied; what it points to is
 * borrowed until rt_loader_free.  Needs are valid ids; they may form circles. */
void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count);

/* Tells somebody of device_globals, and draws from the chooser (borrowed) whether a module's are
 * registered before its images or behind them, which no document says (DG-FE-04).  Called before
 * anything is loaded.  Source: document 002, "Changes to the DPC++ front-end": start-up code that
 * the integration footer generates. */
void rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer, rt_chooser *chooser);

/* Has another system (borrowed) load the modules.  Called before anything is loaded. */
void rt_loader_use(rt_loader *loader, rt_system system);

/* Frees the loader; modules that are still loaded are not unloaded (as at the end of a process). */
void rt_loader_free(rt_loader *loader);

/* Starts the program: loads the executable, the preloaded modules (LD_PRELOAD, in that order) and
 * what all of them need.  The executable is first in the order of symbol search, the preloaded
 * follow, then what they need, breadth first; constructors run with the needed modules first, and
 * the executable's last.  What was loaded so stays.  Called once, first.  The simulated system
 * never fails; codes of another one, and MALFORMED where what it tells cannot be. Source: ld.so(8),
 * LD_PRELOAD; System V ABI, "Shared Object Dependencies". */
rt_status rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                          uint32_t preloaded_count);

/* The module whose definition a reference from module `from` to a host symbol binds to: the first
 * of the global scope (what was loaded at the start); then, for a module that dlopen brought, of
 * its local scopes: the modules that came with it, breadth first from the one that was opened, and
 * so for every later opening that it came with.  Modules loaded at the start search the global
 * scope only, whatever needs them later.  RT_MODULE_NONE: nothing there defines it, or `from` is
 * not loaded.  Fails as rt_loader_start does.  Source: dlopen(3) without RTLD_GLOBAL. */
RT_MUST_USE rt_status rt_loader_binds(rt_loader *loader, rt_module_id from, rt_text symbol,
                                      rt_module_id *out_module);

/* dlopen: loads the module unless it is, and counts the opening.  Fails as rt_loader_start does. */
rt_status rt_loader_open(rt_loader *loader, rt_module_id module);

/* dlclose: takes one opening back and unloads what nothing needs any more.  ERRC_INVALID: the
 * module is not open, and otherwise as rt_loader_start. */
RT_MUST_USE rt_status rt_loader_close(rt_loader *loader, rt_module_id module);

/* Registers an image beside the modules' constructors: what document 003 calls a dlopen-like device
 * call (DL-DLOPEN-01).  The image is traced as the module's, which need not be loaded; it stays
 * until the end.  ERRC_INVALID: it was loaded so before, or the module is loaded and has registered
 * an image of its name. */
RT_MUST_USE rt_status rt_loader_image_load(rt_loader *loader, rt_module_id module,
                                           const rt_image *image);

/* True when `module` is `needing` or among what it needs, directly or further down. */
bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module);

#endif
