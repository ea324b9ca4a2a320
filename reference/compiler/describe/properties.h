/* The property sets of an image, collected while the image is being built. */
#ifndef REFERENCE_COMPILER_DESCRIBE_PROPERTIES_H
#define REFERENCE_COMPILER_DESCRIBE_PROPERTIES_H

#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/ir/job.h"
#include "reference/image/image.h"

enum { PL_SET_COUNT_MAX = 16 };

/* Zero-initialise it.  Everything that the sets refer to lives in the job's arena. */
typedef struct pl_properties {
    rt_property_set sets[PL_SET_COUNT_MAX];
    uint32_t count;
} pl_properties;

/* Adds a set with `count` >= 1 properties. */
void pl_properties_add(pl_properties *properties, const char *name, const rt_property *items,
                       uint32_t count);

/* Adds a set with one property per symbol, each with a meaningless value (DL-IMAGE-07); adds
 * nothing if there are no symbols. */
void pl_properties_add_symbols(pl_job *job, pl_properties *properties, const char *name,
                               const rt_text *symbols, uint32_t count);

/* Adds what an image requires of a device: aspects, and the work-group and sub-group sizes that its
 * kernels require. A size is added only if all kernels require the same one, because a set
 * describes a whole image. The layout of the image's SPIR-V has already been checked. */
void pl_properties_add_requirements(pl_job *job, pl_properties *properties, pl_aspects aspects,
                                    rt_bytes spirv);

/* The same for code in an LLVM module: the sizes are those in its kernels' metadata. */
void pl_properties_add_module_requirements(pl_job *job, pl_properties *properties,
                                           pl_aspects aspects, LLVMModuleRef module);

/* Attaches the sets to the image. */
void pl_properties_finish(pl_job *job, const pl_properties *properties, rt_image *image);

#endif
