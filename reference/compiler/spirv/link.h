/* Links the code of one program into one LLVM module. */
#ifndef REFERENCE_COMPILER_SPIRV_LINK_H
#define REFERENCE_COMPILER_SPIRV_LINK_H

#include "reference/compiler/ir/job.h"
#include "reference/compiler/spirv/translate.h"
#include "reference/image/link_code.h"

/* Reads one SPIR-V module, specialised with its constants, into a module that the caller owns, NULL
 * on failure. MALFORMED: the code is damaged, or a value has the wrong size; `label` names the code
 * in the message. */
RT_MUST_USE rt_status pl_link_code_read(pl_job *job, const rt_link_code *code, rt_text label,
                                        pl_builtin_form form, LLVMModuleRef *out_module);

/* Reads count >= 1 pieces of code (SPIR-V, specialised with its constants, or bitcode in a job of
 * format PTX) and links them; only kernels stay external. The caller owns *out_module, which is
 * NULL on failure. LINK_ERROR: symbols that have no definition, two definitions, or a type that
 * differs from their definition's; the diagnostic names them. MALFORMED. */
RT_MUST_USE rt_status pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                                    LLVMModuleRef *out_module);

/* The table's link_to_bitcode (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_link_to_bitcode(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                                         rt_buffer *out_bitcode);

#endif
