/* A scenario's images as OpenCL C, for a device that compiles and links source itself. */
#ifndef CONFORMANCE_SUBJECT_SOURCE_IMAGES_H
#define CONFORMANCE_SUBJECT_SOURCE_IMAGES_H

#include "conformance/scenario/model/model.h"
#include "reference/device/device.h"

/* Why a scenario cannot be had as source; both texts are static. */
typedef struct cnf_source_obstacle {
    const char *capability; /* named in the SKIP: "opencl-c-sources", "split", … */
    const char *message;
} cnf_source_obstacle;

/* True when a device takes OpenCL C and no SPIR-V, so that a scenario's images must be the former.
 */
bool cnf_takes_source(const dev_capabilities *capabilities);

/* What keeps the compiled scenario from being expressed in OpenCL C, one text for each image; NULL:
 * nothing does. */
const cnf_source_obstacle *cnf_source_obstacle_find(const scn_scenario *scenario);

/* The scenario with its images of SPIR-V in format opencl_c instead, in the arena, borrowing the
 * rest of what is given; there is no obstacle.  Name, kernels and property sets of each image are
 * those that post-link found or the scenario claims, so that the runtime resolves symbols as ever;
 * its code is the source with our prelude; its options are the module's build options and its own.
 */
const scn_scenario *cnf_source_images(rt_arena *arena, const scn_scenario *scenario);

#endif
