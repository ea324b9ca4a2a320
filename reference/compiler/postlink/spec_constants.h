/* Specialisation constants: from the variables that a front end gives us to SPIR-V's own.
 *
 * Clang knows none in OpenCL.  A source declares a constant NAME of type T as two module-scope
 * variables, which assay's prelude writes: `__assay_spec_constant_NAME`, declared only, so that
 * nothing can be folded, and `__assay_spec_default_NAME`, whose initialiser is the default.  Each
 * load of the former becomes a call `__assay_spec_value_NAME(default)` that the passes cannot look
 * into, and, when the image is optimised, a SPIR-V specialisation constant with a number of its
 * own. */
#ifndef REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_H
#define REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_H

#include "reference/compiler/describe/properties.h"
#include "reference/compiler/ir/job.h"

/* Takes the variables out of one source and replaces their loads.  POSTLINK_ERROR, with the
 * constant's name: it is no scalar, has no default, or is used other than by its value. */
RT_MUST_USE rt_status pl_spec_constants_take(pl_job *job, LLVMModuleRef source);

/* Looks at the linked sources.  POSTLINK_ERROR: constants that two sources declare with different
 * types or defaults, all of them named. */
RT_MUST_USE rt_status pl_spec_constants_check(pl_job *job, LLVMModuleRef module);

/* Turns the calls of one image, optimised before, into what the translator writes as specialisation
 * constants, numbered from 0 in the order of the module, and adds the property sets that tell their
 * numbers and defaults by name, where there are any. */
void pl_spec_constants_place(pl_job *job, LLVMModuleRef image, pl_properties *properties);

/* Replaces the calls of one image by the defaults, for a format that has no specialisation
 * constants. */
void pl_spec_constants_fold(pl_job *job, LLVMModuleRef image);

#endif
