/* Kernel bundles: device images that the application compiles, links and launches itself.
 *
 * Source: SYCL 2020, 4.11 "Kernel bundles"; document 003 (SharedLibraries.md), "introduction"
 * (DL-REQ-04), for explicit linking of code from several modules; for shipped DPC++,
 * requirements.yaml, key dpcpp, tags A28 and A56 to A63.
 *
 * A bundle holds units, which SYCL calls device images.  A unit in state input is one registered
 * image; a unit in state object is one registered image and its program object; a unit in state
 * executable is a program linked from one or more images.  A bundle also holds the images that its
 * images depend on, if they are registered when get_kernel_bundle is called, and their kernels
 * (tags A56, A57).  Linking combines exactly the units that it is passed and does not search for
 * others: a missing symbol is a link error of the device.
 *
 * Images in SPIR-V or PTX begin in state input.  Other images, which are compiled ahead of time,
 * begin as objects if they import or export symbols, and otherwise as executables (tag A58, which
 * mentions only imports; but an image that exports symbols is meant to be linked).
 *
 * Executables of bundles belong to the application: they are neither taken from the program caches
 * nor stored there, because a launch without a bundle must not depend on the application's explicit
 * links.
 *
 * Units are shared among bundles and are immutable.  They remain valid after their images' module
 * is unloaded.  Getting a bundle costs as much as launching its kernels; linking and joining
 * compare every pair of units, which is cheap because an application has few.
 *
 * Threads: all functions may be called from several threads; programs are compiled and linked
 * outside the manager's lock. */
#ifndef REFERENCE_PROGRAM_BUNDLE_H
#define REFERENCE_PROGRAM_BUNDLE_H

#include "reference/program/program.h"

/* state, name in scenarios and traces; in the order in which code passes through the states */
#define RT_BUNDLE_STATES(STATE)                                                                    \
    STATE(INPUT, "input")                                                                          \
    STATE(OBJECT, "object")                                                                        \
    STATE(EXECUTABLE, "executable")

typedef enum rt_bundle_state {
#define RT_BUNDLE_STATE_ENUM(state, name) RT_BUNDLE_##state,
    RT_BUNDLE_STATES(RT_BUNDLE_STATE_ENUM)
#undef RT_BUNDLE_STATE_ENUM
        RT_BUNDLE_STATE_COUNT
} rt_bundle_state;

/* The name of a state, static. */
const char *rt_bundle_state_name(rt_bundle_state state);

typedef struct rt_bundle rt_bundle;

/* The arguments of get_kernel_bundle; borrowed for the call. */
typedef struct rt_bundle_request {
    rt_bundle_state state;
    const rt_device *device; /* a device of the context; the caller has checked that */
    rt_context_id context;
    const rt_text *kernels;
    uint32_t kernel_count;             /* 0: every kernel available to the device in `state` */
    const rt_spec_constant *constants; /* in state input only; each name once */
    uint32_t constant_count;
} rt_bundle_request;

/* Creates a bundle of the images that have the kernels and of their dependencies, in the requested
 * state: for object they are compiled; for executable they are resolved, compiled and linked, as
 * for a launch.  An image on which another of them depends is in the bundle once (tag A56).  The
 * caller releases *out_bundle, as with every bundle below; a call that fails sets it to NULL.
 *
 * ERRC_RUNTIME       no registered image has a requested kernel
 * ERRC_INVALID       a kernel has no image that the device can run, or none in the requested
 *                    state or an earlier one; a constant has another size than its value
 * ERRC_BUILD         executable: an import is unresolved (DL-RESOLVE-09), or the device's compiler
 *                    failed
 * others             object, executable: those of rt_program_manager_kernel */
RT_MUST_USE rt_status rt_bundle_get(rt_program_manager *manager, const rt_bundle_request *request,
                                    rt_bundle **out_bundle);

/* Compiles an input bundle into an object bundle with one program object per unit.  The options are
 * appended to each image's own.  Returns the codes of dev_program_compile. */
RT_MUST_USE rt_status rt_bundle_compile(rt_program_manager *manager, const rt_bundle *bundle,
                                        rt_text options, rt_bundle **out_bundle);

/* Links the units of count >= 1 object bundles into an executable bundle, each unit once: one
 * program for each device that is in all of the bundles (DL-REQ-04). ERRC_INVALID: the bundles
 * belong to different contexts or have no device in common.  Also returns the codes of
 * dev_program_link, of which LINK_ERROR reaches the application as errc::build. */
RT_MUST_USE rt_status rt_bundle_link(rt_program_manager *manager, const rt_bundle *const *bundles,
                                     uint32_t count, rt_text options, rt_bundle **out_bundle);

/* Compiles and links the units of an input bundle.  Returns the codes of rt_bundle_compile and
 * rt_bundle_link.
 */
RT_MUST_USE rt_status rt_bundle_build(rt_program_manager *manager, const rt_bundle *bundle,
                                      rt_bundle **out_bundle);

/* Creates a bundle of the units of count >= 1 bundles, which are all in the same state; each unit
 * appears once.  ERRC_INVALID: the bundles belong to different contexts. */
RT_MUST_USE rt_status rt_bundle_join(rt_program_manager *manager, const rt_bundle *const *bundles,
                                     uint32_t count, rt_bundle **out_bundle);

/* Takes a kernel from an executable bundle for a launch on the request's device, in its context.
 * The caller releases *out_program (rt_program_release); *out_kernel lives as long as the program;
 * a call that fails sets both to NULL.
 * ERRC_INVALID               the request's context is not the bundle's, or the request sets
 *                            constants, whose values are fixed in executables (SYCL 2020, 4.11.12)
 * ERRC_KERNEL_NOT_SUPPORTED  the bundle has no such kernel for the device */
RT_MUST_USE rt_status rt_bundle_kernel(rt_program_manager *manager, const rt_bundle *bundle,
                                       const rt_kernel_request *request, rt_program **out_program,
                                       dev_kernel **out_kernel);

/* The bundle's state, and its number of units. */
rt_bundle_state rt_bundle_state_of(const rt_bundle *bundle);
uint32_t rt_bundle_unit_count(const rt_bundle *bundle);

/* The names of the units' images, each once, as *out_count texts in the arena. */
const rt_text *rt_bundle_images(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count);

/* The names of the units' kernels, each once, as *out_count texts in the arena. */
const rt_text *rt_bundle_kernels(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count);

/* The symbols that the units' images import and none of them exports, each once, as *out_count
 * texts in the arena. */
const rt_text *rt_bundle_unresolved(const rt_bundle *bundle, rt_arena *arena, uint32_t *out_count);

/* Releases a bundle; must be called before the manager is destroyed.  NULL does nothing. */
void rt_bundle_release(rt_program_manager *manager, rt_bundle *bundle);

#endif
