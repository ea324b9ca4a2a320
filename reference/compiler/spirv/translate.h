/* The SPIR-V translator behind a C interface.
 *
 * Source of the behaviour: readSpirv and writeSpirv of LLVMSPIRVLib 14 (llvm-spirv).  Damaged
 * SPIR-V can make it end the process, which is why the plugin runs in a separate process. */
#ifndef REFERENCE_COMPILER_SPIRV_TRANSLATE_H
#define REFERENCE_COMPILER_SPIRV_TRANSLATE_H

#include <llvm-c/Types.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "reference/base/text.h"

/* Writes the module as SPIR-V of version version_max at most (encoded as in a module's header:
 * 0x00010200 is 1.2) or, if the code has non-uniform operations on sub-groups, at least 1.3, using
 * only the named SPIR-V extensions. With `keeps_types`, a string for each kernel has the types of
 * its parameters as the source writes them, "kernel_arg_type.NAME.int*,float4,", followed by that
 * of the attribute vec_type_hint if it has one, and another their qualifiers,
 * "kernel_arg_type_qual.…". Changes the module, which can only be disposed of afterwards. Returns
 * whether it succeeded; on failure *out_reason receives the reason.
 */
bool pl_translate_to_spirv(LLVMModuleRef module, uint32_t version_max,
                           const char *const *extensions, uint32_t extension_count,
                           bool keeps_types, rt_buffer *out_spirv, rt_buffer *out_reason);

/* A specialisation constant's number and the bits of its value. */
typedef struct pl_spec_value {
    uint32_t id;
    uint64_t bits;
} pl_spec_value;

/* The form of builtin functions in a module read from SPIR-V: OpenCL C 1.2's, or 2.0's, in which
 * atomic operations and barriers keep their orders and scopes. */
typedef enum pl_builtin_form { PL_BUILTINS_OPENCL_12, PL_BUILTINS_OPENCL_20 } pl_builtin_form;

/* Reads SPIR-V, with every extension allowed, into a module of `context`: builtin functions have
 * the requested form (`_Z13get_global_idj`), kernels their kernel_arg metadata with argument
 * names, and specialisation constants the values in the list or, if not listed, their defaults. The
 * caller owns *out_module. Returns whether it succeeded; on failure *out_module is NULL and
 * *out_reason receives the reason. */
bool pl_translate_from_spirv(LLVMContextRef context, rt_bytes spirv, pl_builtin_form form,
                             const pl_spec_value *values, uint32_t value_count,
                             LLVMModuleRef *out_module, rt_buffer *out_reason);

#ifdef __cplusplus
}
#endif

#endif
