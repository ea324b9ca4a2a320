/* Finds the dummy image that replaces an image that the device cannot run.
 *
 * Source: document 004 (VirtualFunctions.md), "Changes to the runtime"; reading at VF-LINK-04. */
#ifndef REFERENCE_VFUNC_DUMMY_H
#define REFERENCE_VFUNC_DUMMY_H

#include "reference/program/link_set.h"

/* The dummy for `real` among the images of its set: a dummy with the same module and format that
 * suits the device and defines the same functions. If the images do not state which functions they
 * define (RT_SET_VIRTUAL_FUNCTION_SETS), the first dummy that is not in `joined`. NULL: there is
 * none. */
const rt_registered_image *rt_vfunc_dummy(const rt_link_context *context,
                                          const rt_registered_image *real,
                                          const rt_link_contribution *joined);

#endif
