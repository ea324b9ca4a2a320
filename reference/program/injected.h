/* Programs built from images that belong to no module: the output of a run-time compiler.
 *
 * Such an image takes no part in resolution; its kernels are launched from an executable kernel
 * bundle (document 001, "Fusion Process": the result is injected into the runtime as a kernel
 * bundle). */
#ifndef REFERENCE_PROGRAM_INJECTED_H
#define REFERENCE_PROGRAM_INJECTED_H

#include "reference/program/bundle.h"

/* Builds an executable program from the image, which imports nothing, for the device and the
 * context, and creates a bundle of it; the caller releases the bundle.  The image is borrowed until
 * then.  Returns the codes of dev_program_build. */
RT_MUST_USE rt_status rt_bundle_inject(rt_program_manager *manager, const rt_device *device,
                                       rt_context_id context, const rt_image *image,
                                       rt_bundle **out_bundle);

#endif
