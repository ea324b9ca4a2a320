/* The codes of one program as one module of LLVM. */
#ifndef REFERENCE_COMPILER_SPIRV_LINK_H
#define REFERENCE_COMPILER_SPIRV_LINK_H

#include "reference/compiler/ir/job.h"
#include "reference/image/link_code.h"

/* Reads count >= 1 codes, specialised as they say, or, in a job of format PTX, bitcode, and links
 * them: nothing but kernels is external.
 * *out_module belongs to the caller, NULL on failure.  LINK_ERROR: symbols without a definition or
 * with two, which the diagnostic names; MALFORMED. */
RT_MUST_USE rt_status pl_link_codes(pl_job *job, const rt_link_code *codes, uint32_t count,
                                    LLVMModuleRef *out_module);

/* The table's link_to_bitcode (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_link_to_bitcode(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                                         rt_buffer *out_bitcode);

#endif
