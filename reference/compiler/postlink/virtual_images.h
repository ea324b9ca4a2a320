/* Virtual functions in images: the changes to bodies, slots and vtables, and the properties that
 * describe them (document 004, "Device code split and device images", "New device image
 * properties"). */
#ifndef REFERENCE_COMPILER_POSTLINK_VIRTUAL_IMAGES_H
#define REFERENCE_COMPILER_POSTLINK_VIRTUAL_IMAGES_H

#include "reference/compiler/describe/properties.h"
#include "reference/compiler/postlink/split.h"

/* Empties the bodies of a dummy's virtual functions: each returns immediately, with a zero if it
 * returns a value (VF-DUMMY-02). `module` is the image's code after the roles were applied to it.
 */
void pl_dummy_empty(pl_job *job, LLVMModuleRef module, const pl_graph *graph, const pl_part *part);

/* Separates bodies from slots: if this image calls a virtual function of another image by name, the
 * calls use a local copy of the body, and vtables use a declaration. */
void pl_slots_separate(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                       const pl_part *part);

/* Prepares virtual functions and vtables of an optimised image for linking: inline virtual
 * functions and vtables may be in several images of a program, and vtables are moved to global
 * memory, since a module-scope variable cannot be in private memory, where C++ for OpenCL puts it.
 * POSTLINK_ERROR: a vtable is only declared. */
RT_MUST_USE rt_status pl_vtables_place(pl_job *job, LLVMModuleRef module, const pl_graph *graph,
                                       const pl_part *part);

/* Adds the property set of document 004 (in the profile of shipped DPC++, that compiler's form of
 * the set) and our own two sets to the properties of an image made from `part`. If the image is
 * compiled `ahead` of time, adds only our own (VF-PROP-11). */
void pl_virtual_properties_add(pl_job *job, pl_properties *properties, LLVMModuleRef module,
                               const pl_graph *graph, const pl_part *part, bool ahead);

/* The aspects that an image requires of a device: those of its entry points (none for a dummy;
 * VF-SPLIT-11, VF-DUMMY-03), and those of its code unless they may come from virtual functions that
 * the kernels do not need. */
pl_aspects pl_image_aspects(const pl_graph *graph, const pl_part *part, pl_aspects of_code);

/* Empties the slots of sets that use more than the `supported` aspects of a known target (VF-AOT-02
 * to -04).  The graph's aspects must be filled in; afterwards the graph must be rebuilt. */
void pl_sets_drop(LLVMModuleRef module, const pl_graph *graph, pl_aspects supported);

#endif
