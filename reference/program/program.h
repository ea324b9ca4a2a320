/* Executable programs: from the name of a kernel to a kernel that can be launched.
 *
 * The program manager selects the image that holds the kernel, collects the link set, creates a
 * program object from each image, links them, and keeps the result in the in-memory cache
 * (cache.h).  If there is a persistent cache, it is searched before anything is built
 * (persistent.h).
 *
 * Threads: all functions may be called from several threads.  One lock guards the tables and the
 * cache; programs are built without it.  If two threads request programs of one image, one builds
 * and the other waits.  A failure is never cached: the waiting thread tries again. */
#ifndef REFERENCE_PROGRAM_PROGRAM_H
#define REFERENCE_PROGRAM_PROGRAM_H

#include "reference/base/arena.h"
#include "reference/base/map.h"
#include "reference/program/link_set.h"

#include <pthread.h>

/* A specialisation constant that a launch sets, identified by its name, which the image's property
 * set RT_SET_SPEC_CONSTANTS maps to numbers; borrowed for the call. */
typedef struct rt_spec_constant {
    rt_text name;
    rt_bytes value; /* little-endian, as many bytes as the constant has */
} rt_spec_constant;

/* A launch's request to the program manager; borrowed for the call. */
typedef struct rt_kernel_request {
    const rt_device *device;
    rt_context_id context;
    rt_text kernel;
    rt_text options;                   /* for the device's compiler, appended to each image's own */
    const rt_spec_constant *constants; /* each name once */
    uint32_t constant_count;
    bool has_module; /* the kernel is the one in `module`, whose host code launches it (document
                      * 003, "In-memory cache": a kernel is found by its name and the OS module it
                      * is coming from); otherwise, the one that was registered first */
    rt_module_id module;
} rt_kernel_request;

/* A kernel object taken from a program. */
typedef struct rt_program_kernel {
    rt_text name; /* lives as long as the manager */
    dev_kernel *kernel;
} rt_program_kernel;

/* An executable program on one device.  It is shared by the cache, by bundles and by the commands
 * that run it, and freed when the last of them releases it. */
typedef struct rt_program {
    uint32_t references; /* guarded by the manager's lock */
    uint32_t id;         /* for traces; assigned in order of building */
    const rt_device *device;
    rt_context_id context;
    dev_program *executable;
    const rt_registered_image *
        *images;              /* the images that it was linked from; the requesting one is first */
    uint32_t image_count;     /* 0 if `injected` is set */
    const rt_image *injected; /* the image that it was built from, if the image belongs to no module
                               * (injected.h); otherwise NULL */
    bool
        lost_provider; /* an image other than the requesting one was unloaded; profile dpcpp only */
    bool lost_image;   /* an image was unloaded; later launches do not get the program */
    RT_VECTOR(rt_program_kernel) kernels; /* kernels taken from it so far */
    rt_map kernel_index;                  /* name -> kernels */
    RT_VECTOR(uint32_t) tuples;           /* indices of its tuples in the cache (cache.h) */
} rt_program;

/* The images that a program was built from, numbered 0 to count - 1. */
uint32_t rt_program_image_count(const rt_program *program);
const rt_image *rt_program_image(const rt_program *program, uint32_t index);

typedef struct rt_program_manager rt_program_manager;

/* The objects that a manager uses, all borrowed, and its settings. */
typedef struct rt_program_parameters {
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser *chooser;
    rt_loader *loader;
    rt_registry *registry;
    rt_profile profile;
    bool prefer_preloaded;          /* see rt_link_context */
    rt_link_contribute *contribute; /* NULL: none */
    rt_text persistent; /* folder of the persistent cache (persistent.h); empty: none; copied */
} rt_program_parameters;

/* An observer of programs, which keeps its own state for each of them (runtime.c sets it). Called
 * with the manager's lock held, so it must not call the manager. */
typedef struct rt_program_observer {
    void *user;
    void (*created)(void *user, const rt_program *program); /* the program exists, and nothing has
                                                             * run it yet */
    /* The program is no longer used; objects that represent its variables must be destroyed now. */
    void (*released)(void *user, const rt_program *program);
} rt_program_observer;

/* Creates the manager, which observes the registry from now on. */
rt_program_manager *rt_program_manager_create(const rt_program_parameters *parameters);

/* Frees the manager and every program; no command may still hold one. */
void rt_program_manager_destroy(rt_program_manager *manager);

/* Finds or builds the program that holds the kernel for the device and context, specialised as
 * requested, and takes the kernel from it.  The caller releases *out_program when it is no longer
 * running; *out_kernel lives as long as the program.
 * ERRC_RUNTIME               no registered image, or no image of the named module, has the kernel
 * ERRC_KERNEL_NOT_SUPPORTED  every image that has it is in a format that the device does not take,
 *                            or has requirements that the device does not meet
 * ERRC_BUILD                 unresolved imports (DL-RESOLVE-09), or the device's compiler failed
 * ERRC_FEATURE_NOT_SUPPORTED other images are required and the device does not link the format
 *                            (DL-BACKEND-06), or constants are set and the device supports none
 * ERRC_INVALID               a specialisation constant has another size than the value, or no image
 *                            of the program has it and code compiled ahead of time might
 * UNSUPPORTED, MALFORMED     a constant that is set has a scalar of no scalar type's size, or an
 *                            image's table of constants is damaged
 * LINK_ERROR and others      from the device (device.h) */
RT_MUST_USE rt_status rt_program_manager_kernel(rt_program_manager *manager,
                                                const rt_kernel_request *request,
                                                rt_program **out_program, dev_kernel **out_kernel);

/* Notifies the observer of every program from now on; must be called before the first program is
 * created.
 */
void rt_program_manager_observe(rt_program_manager *manager, rt_program_observer observer);

/* The profile that the manager was created with. */
rt_profile rt_program_manager_profile(const rt_program_manager *manager);

/* rt_choose on the manager's chooser; may be called from several threads. */
uint32_t rt_program_manager_choose(rt_program_manager *manager, rt_rule rule,
                                   uint32_t alternative_count);

/* Adds a reference to a live program; the caller releases it (rt_program_release). */
void rt_program_retain(rt_program_manager *manager, rt_program *program);

/* Releases a reference to a program; NULL does nothing. */
void rt_program_release(rt_program_manager *manager, rt_program *program);

#endif
