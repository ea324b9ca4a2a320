/* A scenario's images as OpenCL C, for a device that compiles and links source itself. */
#ifndef CONFORMANCE_SUBJECT_SOURCE_IMAGES_H
#define CONFORMANCE_SUBJECT_SOURCE_IMAGES_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* Why a scenario cannot be expressed as source; both texts are static. */
typedef struct cnf_source_obstacle {
    const char *capability; /* the SKIP's capability: "opencl-c-sources", "split", … */
    const char *message;
} cnf_source_obstacle;

/* True if a device takes OpenCL C but no SPIR-V, so that a scenario's images must be OpenCL C. */
bool cnf_takes_source(const dev_capabilities *capabilities);

/* The first obstacle to expressing the compiled scenario in OpenCL C, one text per image; NULL:
 * there is none. */
const cnf_source_obstacle *cnf_source_obstacle_find(const scn_scenario *scenario);

/* The scenario with its SPIR-V images in format opencl_c instead, in the arena, borrowing the rest
 * of the scenario; there is no obstacle. Name, kernels and property sets of each image are those
 * that post-link found or the scenario claims, so that the runtime resolves symbols as usual; the
 * code is the source with our prelude; the options are the module's build options and the image's
 * own. */
const scn_scenario *cnf_source_images(rt_arena *arena, const scn_scenario *scenario);

#endif
