/* Turns external LLVM IR, text or bitcode, into bitcode that post-link accepts. */
#ifndef REFERENCE_COMPILER_IR_READ_H
#define REFERENCE_COMPILER_IR_READ_H

#include "reference/base/format.h"
#include "reference/base/status.h"

/* The table's read_ir (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_read_ir(rt_sink *sink, rt_text name, rt_bytes ir, rt_format format,
                                 rt_buffer *out_bitcode);

#endif
