/* Which dummy image stands for an image that the device cannot run.
 *
 * Source: document 004 (VirtualFunctions.md), "Changes to the runtime"; reading at VF-LINK-04. */
#ifndef REFERENCE_VFUNC_DUMMY_H
#define REFERENCE_VFUNC_DUMMY_H

#include "reference/program/link_set.h"

/* The dummy for `real` among the images of its set: of the same module and format, suiting the
 * device and defining the same functions.  Where images do not say which functions they define
 * (RT_SET_VIRTUAL_FUNCTION_SETS) it is the first that `taken` does not hold.  NULL: there is none.
 */
const rt_registered_image *rt_vfunc_dummy(const rt_link_context *context,
                                          const rt_registered_image *real,
                                          const rt_link_contribution *taken);

#endif
