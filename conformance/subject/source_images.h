/* A scenario's images as OpenCL C, for a device that compiles and links source itself. */
#ifndef CONFORMANCE_SUBJECT_SOURCE_IMAGES_H
#define CONFORMANCE_SUBJECT_SOURCE_IMAGES_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* Why a scenario cannot be expressed as OpenCL C; both texts are static. */
typedef struct cnf_source_obstacle {
    const char *capability; /* the SKIP's capability: "opencl-c-sources", "split", … */
    const char *message;
} cnf_source_obstacle;

/* True if a device takes OpenCL C but no SPIR-V, so that a scenario's images must be OpenCL C. */
bool cnf_takes_source(const dev_capabilities *capabilities);

/* The first obstacle to expressing the compiled scenario in OpenCL C, one source per image; NULL if
 * there is none. */
const cnf_source_obstacle *cnf_source_obstacle_find(const scn_scenario *scenario);

/* Returns the scenario with its SPIR-V images in format opencl_c instead, in the arena; the rest of
 * the scenario is borrowed. There must be no obstacle. Each image keeps the name, kernels and
 * property sets that post-link found or the scenario claims, so that the runtime resolves symbols
 * as usual; its code is the source with our prelude, and its options are the module's build options
 * followed by its own. */
const scn_scenario *cnf_source_images(rt_arena *arena, const scn_scenario *scenario);

#endif
