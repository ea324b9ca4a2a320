/* Specialisation constants: from variables in sources to SPIR-V's specialisation constants.
 *
 * Clang does not support them in OpenCL C.  A source declares a constant NAME of type T as two
 * module-scope variables, which assay's prelude writes: `__assay_spec_constant_NAME`, declared
 * only, so that nothing can be folded, and `__assay_spec_default_NAME`, whose initialiser is the
 * default.  Each load of the former becomes a call `__assay_spec_value_OFFSET_TOTAL_NAME(default)`,
 * which is opaque to the passes; once the image is optimised, the call becomes a SPIR-V
 * specialisation constant.  A struct, an array or a vector has such a constant for each scalar in
 * it, and so a number for each, with the scalar's offset in the total size. */
#ifndef REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_H
#define REFERENCE_COMPILER_POSTLINK_SPEC_CONSTANTS_H

#include "reference/compiler/describe/properties.h"
#include "reference/compiler/ir/job.h"

/* Removes the variables from one source and replaces their loads. POSTLINK_ERROR, with the
 * constant's name: it does not consist of scalars, has no default, or is used other than by reading
 * its value. */
RT_MUST_USE rt_status pl_spec_constants_take(pl_job *job, LLVMModuleRef source);

/* Checks the linked sources.  POSTLINK_ERROR: two sources declare constants with different types or
 * defaults; the diagnostic names all of them.  Scalars that no code uses do not count. */
RT_MUST_USE rt_status pl_spec_constants_check(pl_job *job, LLVMModuleRef module);

/* Turns the calls in an optimised image into the form that the translator writes as specialisation
 * constants, numbered from 0 in the order of names and offsets, and, if there are any, adds the
 * property sets that give their numbers and defaults by name. */
void pl_spec_constants_place(pl_job *job, LLVMModuleRef image, pl_properties *properties);

/* Replaces the calls in an image with the defaults, for a format without specialisation constants.
 */
void pl_spec_constants_fold(pl_job *job, LLVMModuleRef image);

#endif
