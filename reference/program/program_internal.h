/* What the files of this folder share: the manager's state, and functions that build programs. */
#ifndef REFERENCE_PROGRAM_PROGRAM_INTERNAL_H
#define REFERENCE_PROGRAM_PROGRAM_INTERNAL_H

#include "reference/program/cache.h"
#include "reference/program/persistent.h"
#include "reference/program/program_index.h"
#include "reference/program/specialise.h"

/* The target of a build, which is everything but the images; borrowed from the request. */
typedef struct rt_build_target {
    const rt_device *device;
    rt_context_id context;
    rt_text options; /* rt_kernel_request.options */
    rt_spec_list constants;
} rt_build_target;

struct rt_program_manager {
    rt_sink *sink;
    rt_trace *trace;
    rt_chooser *chooser;
    rt_loader *loader;
    rt_registry *registry;
    rt_profile profile;
    bool prefer_preloaded;
    rt_link_contribute *contribute;
    pthread_mutex_t lock;
    pthread_cond_t built; /* signalled when a pending build ends */
    rt_program_tables tables;
    rt_cache cache;
    rt_program_index index;
    rt_persistent *persistent; /* NULL: none */
    rt_program_observer observer;
    RT_VECTOR(rt_image_id)
    pending;                 /* requesting images of the programs that threads are building */
    uint32_t program_count;  /* program ids assigned so far */
    uint32_t bundle_count;   /* ids of kernel bundles assigned so far */
    uint32_t bundles_alive;  /* zero when the manager is destroyed */
    uint32_t programs_alive; /* zero when the manager is destroyed */
};

/* Takes and releases the lock around a public operation; in sanitizer builds, both check the whole
 * manager (check.c). */
void rt_program_manager_lock(rt_program_manager *manager);
void rt_program_manager_unlock(rt_program_manager *manager);

/* Panics unless all invariants between two public operations hold; returns true.  Called with the
 * lock held. */
bool rt_program_manager_check(const rt_program_manager *manager);

/* Selects the image from which to take the kernel: the first registered image that the device can
 * run (rt_program_runs; SYCL 2020, 5.7 "Optional kernel features").  If the request names a module,
 * the image is one of that module's; if that module has none, it is another module's image, and
 * only the cache can serve the request (document 003, "In-memory cache").  A launch that sets
 * specialisation constants prefers code whose constants can be set over code that was compiled
 * ahead of time.  Called with the lock held.  ERRC_RUNTIME: no registered image has the kernel;
 * ERRC_KERNEL_NOT_SUPPORTED: the device cannot run any of the images that have it. */
RT_MUST_USE rt_status rt_program_select(rt_program_manager *manager,
                                        const rt_kernel_request *request,
                                        const rt_registered_image **out_image);

/* Resolves, builds and caches the program of an image without looking it up in the cache.  If
 * another thread is building a program of the image, for this target or another, waits until that
 * thread is done and returns no program; the caller then looks the program up again.  Called with
 * the lock held, which is released during the work.  On success the caller holds a reference to
 * *out_program, if it is not NULL. */
RT_MUST_USE rt_status rt_program_of_image(rt_program_manager *manager,
                                          const rt_build_target *target,
                                          const rt_registered_image *image,
                                          rt_program **out_program);

/* Refuses, with ERRC_RUNTIME, a kernel that is missing from the module that the request names. */
RT_MUST_USE rt_status rt_program_refuse_module(rt_program_manager *manager,
                                               const rt_kernel_request *request);

/* Refuses a kernel for a device, with ERRC_RUNTIME if no registered image has it, and otherwise
 * with `code` and the reason why its images cannot run.  Called with the lock held. */
RT_MUST_USE rt_status rt_program_refuse_kernel(rt_program_manager *manager, const rt_device *device,
                                               rt_text kernel, rt_code code);

/* True if the device accepts the image's format and meets its requirements (rt_device_meets). */
bool rt_program_runs(const rt_device *device, const rt_image *image);

/* The input of resolution for a device, with the manager's own fields filled in. */
rt_link_context rt_program_link_context(rt_program_manager *manager, const rt_device *device);

/* Creates the program object for a built executable, with an id from program_count; the caller owns
 * its only reference.  The executable was built from the set's images or, if the set is empty, from
 * an image that belongs to no module (`injected`, borrowed; otherwise NULL).  Called with the lock
 * held. */
rt_program *rt_program_create(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t id, const rt_link_set *set, const rt_image *injected,
                              dev_program *executable);

/* Traces a new program: built, or loaded from the persistent cache. */
void rt_program_trace_created(rt_program_manager *manager, const rt_build_target *target,
                              uint32_t id, const rt_link_set *set, bool loaded);

/* Gets the kernel object, which is created once per program and name (DL-CACHE-12).  Called with
 * the lock held.  Returns the codes of dev_kernel_create. */
RT_MUST_USE rt_status rt_program_take_kernel(rt_program_manager *manager, rt_program *program,
                                             rt_text kernel_name, dev_kernel **out_kernel);

/* Two option strings, joined by a space if neither is empty; allocated in the arena. */
rt_text rt_program_options_join(rt_arena *arena, rt_text first, rt_text second);

/* The names of a set's images, the requesting one first; allocated in the arena. */
const rt_text *rt_program_image_names(rt_arena *arena, const rt_link_set *set);

/* Builds the executable program of a link set: one program object per image, then the link
 * (DL-LINK-01, DL-LINK-02).  The target's constants must have been checked against the set.  Called
 * without the lock.  The caller owns *out_executable. */
RT_MUST_USE rt_status rt_program_build(rt_program_manager *manager, const rt_build_target *target,
                                       uint32_t program_id, const rt_link_set *set,
                                       dev_program **out_executable);

/* Creates a program object for linking from the set's image with the given index; the options are
 * the image's own, then the target's, and the constants are those of the target that the image has.
 * Called without the lock.  The caller owns *out_object.  Returns the codes of dev_program_compile.
 */
RT_MUST_USE rt_status rt_program_compile(rt_program_manager *manager, const rt_build_target *target,
                                         const rt_link_set *set, uint32_t index,
                                         dev_program **out_object);

/* Links the program objects of a set's images, in the set's order.  Called without the lock.  The
 * caller owns *out_executable.  ERRC_FEATURE_NOT_SUPPORTED: there are several objects, and the
 * device does not link their format (DL-BACKEND-06).  Also returns the codes of dev_program_link.
 */
RT_MUST_USE rt_status rt_program_link(rt_program_manager *manager, const rt_build_target *target,
                                      uint32_t program_id, const rt_link_set *set,
                                      dev_program *const *objects, rt_text options,
                                      dev_program **out_executable);

#endif
