/* What machine code says about its kernels. */
#ifndef BACKENDS_OCLOC_OCLOC_ZEINFO_H
#define BACKENDS_OCLOC_OCLOC_ZEINFO_H

#include "reference/base/text.h"

/* Number of parameters of a kernel, by the largest index of its arguments, as the driver counts
 * them; DEV_ARGUMENT_COUNT_UNKNOWN: the text does not describe the kernel.  `ze_info` is the text
 * of the section .ze_info, which may come from anywhere.  Source: intel/compute-runtime,
 * programmers-guide/ZEBIN.md and intel-graphics-compiler, documentation/zebin/ZEInfo.rst,
 * "payload_arguments". */
uint32_t ocloc_argument_count(rt_text ze_info, rt_text kernel);

#endif
