/* Variables that a fused program shares with the programs of its kernels.
 *
 * A device_global without the property device_image_scope is a pointer in every program, with
 * one content for each device: a fused program has the pointer too, and it is set before the first
 * kernel as in every program.  All other variables belong to one program, and a fused kernel would
 * get a copy: of a device_global with image scope, and of functions whose addresses are in objects
 * that another program has made. Source: document 002 (DeviceGlobal.md), "Initializing the device
 * global variables in device code"; document 001 (KernelFusionJIT.md), "Fusion Process". */
#ifndef REFERENCE_FUSION_SHARED_VARIABLES_H
#define REFERENCE_FUSION_SHARED_VARIABLES_H

#include "reference/sched/fusion_command.h"

/* In the arena that they were found in, or borrowed from the images. */
typedef struct rt_shared_variables {
    const rt_text *symbols;       /* in the kernels' codes, each once */
    const rt_property *described; /* each in RT_SET_DEVICE_GLOBALS */
    const rt_property *mapped;    /* its symbol in "SYCL/program metadata" */
    uint32_t count;
} rt_shared_variables;

/* Finds those of all kernels of a list.  FUSION_REJECTED: an image has a variable that cannot be
 * shared, or does not describe it fully; the message says which and why. */
RT_MUST_USE rt_status rt_shared_variables_find(rt_sink *sink, rt_arena *arena,
                                               const rt_fusion_list *list,
                                               rt_shared_variables *out_variables);

/* Gives the fused image, which has no such property sets yet, those that describe the variables. */
void rt_shared_variables_tell(rt_arena *arena, const rt_shared_variables *variables,
                              rt_image *image);

#endif
