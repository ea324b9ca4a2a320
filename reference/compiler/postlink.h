/* The plugin's services (contracts: reference/compiler_api.h). */
#ifndef REFERENCE_COMPILER_POSTLINK_H
#define REFERENCE_COMPILER_POSTLINK_H

#include "reference/compiler_api.h"

/* Sources of a module to images and to what its host code registers. */
RT_MUST_USE rt_status pl_postlink(rt_sink *sink, const rt_postlink_request *request,
                                  rt_buffer *out_answer);

/* LLVM IR to bitcode that post-link takes. */
RT_MUST_USE rt_status pl_read_ir(rt_sink *sink, rt_text name, rt_bytes ir, rt_format format,
                                 rt_buffer *out_bitcode);

/* A SPIR-V module to an image. */
RT_MUST_USE rt_status pl_describe_spirv(rt_sink *sink, rt_bytes spirv, rt_buffer *out_images);

/* SPIR-V modules to one bitcode module. */
RT_MUST_USE rt_status pl_link_to_bitcode(rt_sink *sink, const rt_link_code *codes, uint32_t count,
                                         rt_buffer *out_bitcode);

#endif
