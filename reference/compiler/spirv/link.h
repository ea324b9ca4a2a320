/* Links the code of one program into one LLVM module. */
#ifndef REFERENCE_COMPILER_SPIRV_LINK_H
#define REFERENCE_COMPILER_SPIRV_LINK_H

#include "reference/compiler/ir/job.h"
#include "reference/image/link_code.h"

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
