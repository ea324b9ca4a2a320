/* The device images that modules have registered.
 *
 * Modules register through the loader (loader.h).  Ids are assigned in order of registration and
 * never reused, so an id in a cache or a trace permanently denotes one registration.  One observer
 * (the program manager, installed by runtime.c) is notified of every change. Source: document 003
 * (SharedLibraries.md), "introduction" and "Device images collection". */
#ifndef REFERENCE_MODULE_REGISTRY_H
#define REFERENCE_MODULE_REGISTRY_H

#include "reference/base/vector.h"
#include "reference/image/image.h"
#include "reference/trace/trace.h"

typedef uint32_t rt_module_id; /* index of a module in the loader's table */
typedef uint32_t rt_image_id;

typedef struct rt_registered_image {
    rt_image_id id;
    rt_module_id module;
    rt_text module_name;
    const rt_image *image; /* borrowed; valid as long as the registry */
    bool registered;
} rt_registered_image;

typedef struct rt_registry_observer {
    void *user;
    /* Called after an image has been registered, and before one is unregistered, on the thread that
     * loads or unloads the module.  They must not call the registry.  NULL: not called. */
    void (*registered)(void *user, const rt_registered_image *image);
    void (*unregistered)(void *user, const rt_registered_image *image);
} rt_registry_observer;

typedef struct rt_registry {
    rt_trace *trace;
    RT_VECTOR(rt_registered_image *) images; /* index is the id */
    rt_registry_observer observer;
} rt_registry;

/* rt_registry_init initialises an empty registry, which reports its changes to the trace
 * (borrowed); rt_registry_free frees its contents. */
void rt_registry_init(rt_registry *registry, rt_trace *trace);
void rt_registry_free(rt_registry *registry);

/* Registers an image of a module and returns its id.  The image is borrowed until the registry is
 * freed, because programs may outlive the module from which their code came.  The loader serialises
 * the calls that change a registry. */
rt_image_id rt_registry_add(rt_registry *registry, rt_module_id module, rt_text module_name,
                            const rt_image *image);

/* Unregisters a registered image. */
void rt_registry_remove(rt_registry *registry, rt_image_id id);

#endif
