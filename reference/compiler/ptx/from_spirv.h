/* PTX from SPIR-V. */
#ifndef REFERENCE_COMPILER_PTX_FROM_SPIRV_H
#define REFERENCE_COMPILER_PTX_FROM_SPIRV_H

#include "reference/compiler/ir/job.h"
#include "reference/image/link_code.h"

/* The table's spirv_to_ptx (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_ptx_from_spirv(rt_sink *sink, const rt_link_code *code, rt_text library,
                                        rt_buffer *out_ptx);

#endif
