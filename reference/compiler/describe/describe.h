/* Turns an existing SPIR-V module into an image. */
#ifndef REFERENCE_COMPILER_DESCRIBE_DESCRIBE_H
#define REFERENCE_COMPILER_DESCRIBE_DESCRIBE_H

#include "reference/base/status.h"

/* The function describe_spirv of the plugin's table (reference/compiler_api.h). */
RT_MUST_USE rt_status pl_describe_spirv(rt_sink *sink, rt_bytes spirv, rt_buffer *out_images);

#endif
