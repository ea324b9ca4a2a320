/* Virtual functions in images: what becomes of bodies, slots and vtables when an image is made, and
 * what the image says of them (document 004, "Device code split and device images", "New device
 * image properties"). */
#ifndef REFERENCE_COMPILER_POSTLINK_VIRTUAL_IMAGES_H
#define REFERENCE_COMPILER_POSTLINK_VIRTUAL_IMAGES_H

#include "reference/compiler/describe/properties.h"
#include "reference/compiler/postlink/split.h"

/* Empties the bodies of a dummy's virtual functions: each returns at once, a zero where it returns
 * something (VF-DUMMY-02).  `module` is an image's code whose roles are applied. */
void pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph, const pl_part *part);

/* Parts bodies from slots: a virtual function of another image that is also called by its name here
 * has its body, which only the calls use, and a declaration, to which the vtables lead. */
void pl_slots_separate(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                       const pl_part *part);

/* Brings what is left of virtual functions and vtables into the form that links: inline virtual
 * functions and vtables may be in several images of a program, and vtables lie in global memory,
 * since the private memory of C++ for OpenCL is no place for a variable of a module.  The code is
 * optimised.  POSTLINK_ERROR: a vtable is only declared. */
RT_MUST_USE rt_status pl_vtables_place(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                                       const pl_part *part);

/* Adds the property set of document 004 (shipped DPC++'s form of it in its profile) and our own two
 * to the properties of an image made of `part`.  `ahead` of time there are only ours (VF-PROP-11).
 */
void pl_virtual_properties_add(pl_job *job, pl_properties *properties, LLVMModuleRef module,
                               const pl_graph *graph, const pl_part *part, bool ahead);

/* The aspects that an image requires of a device: those of its entry points, none of a dummy
 * (VF-SPLIT-11, VF-DUMMY-03), and those of its code, as written, unless they may come from virtual
 * functions that the device need not have. */
pl_aspects pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code);

/* Empties the slots of sets that use more than the `supported` aspects, for a target that is known
 * (VF-AOT-02 to -04).  The graph's aspects are filled; it has to be built again. */
void pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported);

#endif
