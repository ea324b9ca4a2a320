/* The loader of executables and shared libraries, whose constructors register their device images.
 *
 * A system (system.h), by default the simulated one (simulated.h), loads and unloads the modules.
 * The loader interprets its events: a module's constructor registers its images, its destructor
 * unregisters them (DL-REQ-02, DL-DLOPEN-03), and the trace records both.  All that the
 * loader knows about host code is which module defines which symbol; that suffices to compare host
 * linking (preloading, local scopes) with the resolution of device code.
 *
 *     event         requires             sets                           images        globals
 *     LOADED        not loaded           loaded                         -             registered
 *     REGISTERED    loaded, none of its  first_image, registered_count  registered    -
 *                   images registered
 *     UNREGISTERED  loaded               registered_count = 0           unregistered  -
 *     UNLOADED      loaded, none of its  not loaded                     -             unregistered
 *                   images registered
 *
 * The order in which a module registers its images and its globals is unspecified (DG-FE-04), so
 * the chooser may move the registration of the globals from LOADED to the REGISTERED event that
 * follows immediately. */
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
    rt_text path; /* its file name as shown in the trace, "libtwice.so"; need not be unique */
    const rt_module_id *needs; /* in link-line order */
    uint32_t need_count;
    const rt_text *host_symbols; /* symbols that its host code defines, each listed once */
    uint32_t host_symbol_count;
    rt_image_list images;
    rt_device_global_list
        globals;         /* those its host code registers, whether or not an image has them */
    uint32_t open_count; /* dlopen calls not yet undone by dlclose */
    bool preloaded;      /* listed in LD_PRELOAD */
    bool loaded;
    rt_image_id first_image;   /* ids of its registered images are consecutive */
    uint32_t registered_count; /* images that its constructor has registered */
    bool globals_after_images; /* its host code will register them after its images; false
                                * between operations */
} rt_module;

/* Notified of the device_globals that modules' host code registers, one at a time and in order;
 * `global` lives as long as the loader.  Called with the loader's lock held. */
typedef struct rt_global_observer {
    void (*registered)(void *user, rt_module_id module, const rt_device_global *global);
    void (*unregistered)(void *user, rt_module_id module,
                         const rt_device_global *global); /* the module is being unloaded */
    void *user;
} rt_global_observer;

typedef struct rt_loader {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry *registry;
    pthread_mutex_t lock; /* held while modules are loaded and unloaded */
    rt_module *modules;
    uint32_t module_count;
    rt_system system;            /* the system in use */
    rt_simulated *simulated;     /* the default system */
    rt_global_observer observer; /* NULLs: none */
    rt_chooser *chooser;         /* NULL: always take the first alternative */
    rt_map loaded_images;        /* maps the address of each image that rt_loader_image_load has
                                  * loaded to 1 */
} rt_loader;

/* Initialises a loader of module_count >= 1 modules, none of them loaded.  The table is copied;
 * what it points to is borrowed until rt_loader_free.  Needs are valid ids and may form cycles. */
void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count);

/* Installs an observer of device_globals, and the chooser (borrowed) that decides whether a
 * module's device_globals are registered before or after its images, which no document specifies
 * (DG-FE-04).  Must be called before anything is loaded.  Source: document 002, "Changes to the
 * DPC++ front-end": start-up code in the integration footer. */
void rt_loader_observe_globals(rt_loader *loader, rt_global_observer observer, rt_chooser *chooser);

/* Replaces the simulated system with another (borrowed).  Must be called before anything is loaded.
 */
void rt_loader_use(rt_loader *loader, rt_system system);

/* Describes a module that is not loaded and of which only the position in the table was
 * known at initialisation: its name, its path and the variables that its host code registers, all
 * borrowed until rt_loader_free.  For systems whose modules become known while the program runs. */
void rt_loader_describe(rt_loader *loader, rt_module_id module, rt_text name, rt_text path,
                        rt_device_global_list globals);

/* Frees the loader without unloading modules that are still loaded, as at the end of a process. */
void rt_loader_free(rt_loader *loader);

/* Starts the program: loads the executable, the preloaded modules (LD_PRELOAD, in that order,
 * each once) and all their dependencies.  Symbols are searched for in the executable first, then in
 * the preloaded modules, then in the dependencies, breadth first; constructors of dependencies run
 * first, the executable's last.  These modules stay loaded.  Must be called once, before all other
 * operations. The simulated system never fails; another system fails with its own codes, or with
 * MALFORMED if it reports an impossible event.  Source: ld.so(8), LD_PRELOAD; System V ABI, "Shared
 * Object Dependencies". */
rt_status rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                          uint32_t preloaded_count);

/* Finds the module to whose definition a reference from module `from` to a host symbol binds.  The
 * global scope (the modules loaded at the start) is searched first.  A module loaded by dlopen then
 * searches its local scopes: for each dlopen that reached it, in order, the opened module and its
 * dependencies, breadth first.  Modules loaded at the start search the global scope only.
 * *out_module is RT_MODULE_NONE if there is no definition, or `from` is not loaded.  Fails as
 * rt_loader_start does.  Source: dlopen(3) without RTLD_GLOBAL. */
RT_MUST_USE rt_status rt_loader_binds(rt_loader *loader, rt_module_id from, rt_text symbol,
                                      rt_module_id *out_module);

/* dlopen: loads the module if necessary and increments its open count.  Fails as rt_loader_start
 * does. */
rt_status rt_loader_open(rt_loader *loader, rt_module_id module);

/* dlclose: undoes one dlopen and unloads the modules that are no longer needed.  ERRC_INVALID: the
 * module is not open; otherwise fails as rt_loader_start does. */
RT_MUST_USE rt_status rt_loader_close(rt_loader *loader, rt_module_id module);

/* Registers a single image without a module's constructor: document 003's counterpart of dlopen for
 * device code (DL-DLOPEN-01).  The trace attributes the image to the module, which need not be
 * loaded; the image stays registered until the process ends.  ERRC_INVALID: it has already been
 * loaded this way, or the module is loaded and has registered an image of that name. */
RT_MUST_USE rt_status rt_loader_image_load(rt_loader *loader, rt_module_id module,
                                           const rt_image *image);

#endif
