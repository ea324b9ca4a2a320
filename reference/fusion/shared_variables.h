/* Variables that a fused program shares with the programs of its kernels.
 *
 * A device_global without the property device_image_scope is a pointer in every program, and its
 * content one for each device: a fused program that has the pointer too is told where the content
 * is, as every program is before its first kernel.  Whatever else a program keeps in variables is
 * its own, and a fused kernel would have a copy: of a device_global with image scope, of functions
 * whose addresses lie in objects that another program has made.
 * Source: document 002 (DeviceGlobal.md), "Initializing the device global variables in device
 * code"; document 001 (KernelFusionJIT.md), "Fusion Process". */
#ifndef REFERENCE_FUSION_SHARED_VARIABLES_H
#define REFERENCE_FUSION_SHARED_VARIABLES_H

#include "reference/sched/fusion_command.h"

/* In the arena that they were found in, or borrowed from the images. */
typedef struct rt_shared_variables {
    const rt_text *symbols;       /* in the kernels' codes, each once */
    const rt_property *described; /* what the images say of each: RT_SET_DEVICE_GLOBALS */
    const rt_property *mapped;    /* and of its symbol: "SYCL/program metadata" */
    uint32_t count;
} rt_shared_variables;

/* Finds those of all kernels of a list.  FUSION_REJECTED: some image has what cannot be shared, or
 * does not say enough of it; the message says which and why. */
RT_MUST_USE rt_status rt_shared_variables_find(rt_sink *sink, rt_arena *arena,
                                               const rt_fusion_list *list,
                                               rt_shared_variables *out_variables);

/* Gives the fused image, which has none, the property sets that tell of them. */
void rt_shared_variables_tell(rt_arena *arena, const rt_shared_variables *variables,
                              rt_image *image);

#endif
