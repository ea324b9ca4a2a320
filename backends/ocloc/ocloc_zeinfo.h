/* What machine code says about its kernels. */
#ifndef BACKENDS_OCLOC_OCLOC_ZEINFO_H
#define BACKENDS_OCLOC_OCLOC_ZEINFO_H

#include "reference/device/device.h"

typedef struct ocloc_kernel_info {
    /* By the largest index of an argument, as the driver counts them; DEV_ARGUMENT_COUNT_UNKNOWN:
     * the text does not describe the kernel. */
    uint32_t parameter_count;
    uint32_t required_group[RT_ND_RANGE_DIMENSIONS]; /* all 0: none */
} ocloc_kernel_info;

/* Reads the description of a kernel from the text of the section .ze_info, which may come from
 * anywhere.  Source: intel/compute-runtime, programmers-guide/ZEBIN.md, and
 * intel-graphics-compiler, documentation/zebin/ZEInfo.rst: "payload_arguments" and
 * "required_work_group_size". */
void ocloc_kernel_read(rt_text ze_info, rt_text kernel, ocloc_kernel_info *out_info);

#endif
