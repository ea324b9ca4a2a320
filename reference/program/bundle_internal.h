/* The units of kernel bundles, for the files that create them. */
#ifndef REFERENCE_PROGRAM_BUNDLE_INTERNAL_H
#define REFERENCE_PROGRAM_BUNDLE_INTERNAL_H

#include "reference/program/bundle.h"
#include "reference/program/program_internal.h"

/* A device image in SYCL's sense. */
typedef struct rt_bundle_unit {
    uint32_t references; /* guarded by the manager's lock */
    const rt_device *device;
    const rt_registered_image *image; /* INPUT, OBJECT */
    rt_arena arena;                   /* holds constants and options */
    rt_spec_list constants;           /* INPUT, OBJECT: values set when the unit was created */
    rt_text options;                  /* OBJECT: compile options, appended to the image's own */
    dev_program *object;              /* OBJECT */
    rt_program *program;              /* EXECUTABLE; the unit holds one reference */
} rt_bundle_unit;

struct rt_bundle {
    uint32_t id; /* for traces; assigned when the bundle is complete */
    rt_bundle_state state;
    rt_context_id context;
    RT_VECTOR(const rt_device *) devices; /* each once */
    RT_VECTOR(rt_bundle_unit *) units;    /* each once */
};

/* Creates a bundle without units; `device` is its first device, or NULL for none yet.  The bundle
 * counts as alive. */
rt_bundle *rt_bundle_create(rt_program_manager *manager, rt_bundle_state state,
                            rt_context_id context, const rt_device *device);

/* Completes a bundle: if `status` is a success, assigns the bundle's id and stores the bundle in
 * *out_bundle; otherwise releases it.  Returns `status`. */
rt_status rt_bundle_finish(rt_program_manager *manager, rt_bundle *bundle, rt_status status,
                           rt_bundle **out_bundle);

/* Adds an empty unit, with one reference; the caller fills it in. */
rt_bundle_unit *rt_bundle_unit_add(rt_bundle *bundle, const rt_device *device);

/* Adds a unit in state input for an image; the constants are copied. */
void rt_bundle_add_input(rt_bundle *bundle, const rt_device *device,
                         const rt_registered_image *image, rt_spec_list constants);

/* Compiles an image and adds it as an object.  Returns the codes of dev_program_compile.  Called
 * without the lock. */
RT_MUST_USE rt_status rt_bundle_add_object(rt_program_manager *manager, rt_bundle *bundle,
                                           const rt_registered_image *image,
                                           const rt_build_target *target);

/* Adds an executable program of a set's images, with an id from rt_bundle_program_id; takes
 * ownership of the program, which is_loaded says came from the persistent cache.  Called without
 * the lock. */
void rt_bundle_add_program(rt_program_manager *manager, rt_bundle *bundle,
                           const rt_build_target *target, uint32_t id, const rt_link_set *set,
                           dev_program *executable, bool is_loaded);

/* Assigns the next program's id.  Called without the lock. */
uint32_t rt_bundle_program_id(rt_program_manager *manager);

#endif
