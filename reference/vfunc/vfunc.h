/* Virtual functions at run time: which images join a link set because of the sets of virtual
 * functions that its images call and create.
 *
 * A kernel that calls a set gets every image that provides the set; a kernel that only creates
 * objects gets the images that suit the device, and dummies for the others.  This folder is a
 * contributor of reference/program (link_set.h) and keeps no state. Source: document 004
 * (VirtualFunctions.md), "Changes to the runtime"; rules VF-LINK-01 to VF-LINK-13. */
#ifndef REFERENCE_VFUNC_VFUNC_H
#define REFERENCE_VFUNC_VFUNC_H

#include "reference/program/link_set.h"

/* Adds to out_contribution the images that join the link set of `requesting` because of what
 * `member` declares about virtual functions, and traces each of them (event `join`). Requests by
 * providers, and by images that joined for an import, are followed too (readings at VF-LINK-09,
 * VF-LINK-13). In profile dpcpp, the images that join are those listed under the names in
 * "uses-virtual-functions-set" that suit the device (requirements.yaml, key dpcpp, tags D5 to D7).
 * ERRC_KERNEL_NOT_SUPPORTED, rule VF-LINK-10: a set that is called has a provider that does not
 * suit the device; ERRC_BUILD, rule VF-LINK-11: a set whose objects are created has such a
 * provider, and no dummy replaces it; MALFORMED: a property of `member` is damaged. */
RT_MUST_USE rt_status rt_vfunc_contribute(const rt_link_context *context,
                                          const rt_registered_image *requesting,
                                          const rt_registered_image *member,
                                          rt_link_contribution *out_contribution);

#endif
