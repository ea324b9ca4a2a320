/* The simulated loader of the operating system: executables and shared libraries that register the
 * device images they carry while they are loaded.
 *
 * It stands in for ld.so (System V ABI, "Dynamic Linking"; dlopen(3), dlclose(3)): a module is
 * loaded with everything it needs, once; constructors run with the needed modules first; a module
 * stays as long as something that is loaded needs it or it has been opened more often than closed.
 * A module's constructor registers its images, its destructor takes them back (DL-REQ-02,
 * DL-DLOPEN-03).  Of host code it models only which module defines which symbol, so that what a
 * host linker does (preloading, local scopes) can be seen beside what resolution of device code
 * does. */
#ifndef REFERENCE_MODULE_LOADER_H
#define REFERENCE_MODULE_LOADER_H

#include "reference/base/map.h"
#include "reference/base/status.h"
#include "reference/module/registry.h"

#include <pthread.h>

typedef struct rt_module {
    rt_text name;
    rt_text file_name;         /* of its file; empty: the name.  Several may have one */
    const rt_module_id *needs; /* in the order of the link line */
    uint32_t need_count;
    const rt_text *host_symbols; /* that its host code defines, each once */
    uint32_t host_symbol_count;
    rt_image_list images;
    uint32_t open_count; /* dlopen calls without their dlclose; the executable counts as opened */
    bool preloaded;      /* stays, as the executable does */
    bool loaded;
    rt_image_id first_image;        /* ids of its registered images are consecutive */
    uint32_t registered_count;      /* images that its constructor registered */
    bool global;                    /* loaded at the start: in the global scope */
    bool has_scope;                 /* was opened itself since it was loaded */
    uint32_t visited;               /* the rt_loader.visit that met it last */
    RT_VECTOR(rt_module_id) scopes; /* opened modules in whose scopes it is, in order of opening */
} rt_module;

typedef struct rt_loader {
    rt_sink *sink;
    rt_trace *trace;
    rt_registry *registry;
    pthread_mutex_t lock; /* held while modules come and go */
    rt_module *modules;
    uint32_t module_count;
    uint32_t visit; /* number of walks over what modules need; guarded by lock */
    bool started;   /* what is loaded from now on is loaded by dlopen */
    RT_VECTOR(rt_module_id) load_order;   /* loaded modules, in the order their constructors ran */
    RT_VECTOR(rt_module_id) global_scope; /* what was loaded at the start, in order of search */
    rt_map loaded_images; /* address of each image that rt_loader_image_load took -> 1 */
} rt_loader;

/* Knows module_count >= 1 modules, none of them loaded.  The table is copied; what it points to is
 * borrowed until rt_loader_free.  Needs are valid ids; they may form cycles. */
void rt_loader_init(rt_loader *loader, rt_sink *sink, rt_registry *registry,
                    const rt_module *modules, uint32_t module_count);

/* Frees the loader; modules that are still loaded are not unloaded (as at the end of a process). */
void rt_loader_free(rt_loader *loader);

/* Starts the program: loads the executable, the preloaded modules (LD_PRELOAD, in that order) and
 * what all of them need.  The executable is first in the order of symbol search, the preloaded
 * follow, then what they need, breadth first; constructors run with the needed modules first, those
 * of the preloaded modules before the executable's.  Modules that do not need each other run theirs
 * in the order of the lists: ld.so promises none between them, and glibc's is often another, so
 * that no scenario may stand on it.  Called once, first. Source: ld.so(8), LD_PRELOAD; System V
 * ABI, "Shared Object Dependencies". */
void rt_loader_start(rt_loader *loader, rt_module_id executable, const rt_module_id *preloaded,
                     uint32_t preloaded_count);

#define RT_MODULE_NONE UINT32_MAX

/* The module whose definition a reference from module `from` to a host symbol binds to: the first
 * of the global scope (what was loaded at the start); then, for a module that dlopen brought, of
 * its local scopes: the modules that came with it, breadth first from the one that was opened, and
 * so for every later opening that it came with.  Modules loaded at the start search the global
 * scope only, whatever needs them later.  RT_MODULE_NONE: nothing there defines it, or `from` is
 * not loaded.  Source: dlopen(3) without RTLD_GLOBAL. */
rt_module_id rt_loader_host_symbol(rt_loader *loader, rt_module_id from, rt_text symbol);

/* dlopen: loads the module unless it is, and counts the opening.  Cost: linear in what it needs. */
void rt_loader_open(rt_loader *loader, rt_module_id module);

/* dlclose: takes one opening back and unloads what nothing needs any more, in the reverse order of
 * loading.  Cost: linear in what is loaded, because needs may form cycles.  ERRC_INVALID: the
 * module is not open. */
RT_MUST_USE rt_status rt_loader_close(rt_loader *loader, rt_module_id module);

/* Registers an image beside the modules' constructors: what document 003 calls a dlopen-like device
 * call (DL-DLOPEN-01).  The image is traced as the module's, which need not be loaded; it stays
 * until the end.  ERRC_INVALID: it was loaded so before, or the module is loaded and has registered
 * it. */
RT_MUST_USE rt_status rt_loader_image_load(rt_loader *loader, rt_module_id module,
                                           const rt_image *image);

/* True when `module` is `needing` or among what it needs, directly or further down. */
bool rt_loader_needs(rt_loader *loader, rt_module_id needing, rt_module_id module);

#endif
