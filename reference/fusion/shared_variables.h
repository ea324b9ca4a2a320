/* The variables that a fused program shares with the programs of its kernels.
 *
 * In every program, a device_global without the property device_image_scope is a pointer to storage
 * that exists once per device: a fused program has the pointer too, and it is set before the
 * program's first kernel, as in every other program. What belongs to a single program cannot be
 * shared, since a fused kernel would get a copy: device_globals with image scope, and functions
 * whose addresses are in objects that another program created.
 *
 * Source: document 002 (DeviceGlobal.md), "Initializing the device global variables in device
 * code"; document 001 (KernelFusionJIT.md), "Fusion Process". */
#ifndef REFERENCE_FUSION_SHARED_VARIABLES_H
#define REFERENCE_FUSION_SHARED_VARIABLES_H

#include "reference/sched/fusion_command.h"

/* The variables' descriptions, in the arena that was passed to the search, or borrowed from the
 * images. */
typedef struct rt_shared_variables {
    const rt_text *symbols;       /* symbols in the kernels' code, without duplicates */
    const rt_property *described; /* for each: its property in RT_SET_DEVICE_GLOBALS */
    const rt_property *mapped;    /* for each: the property with its symbol, in "SYCL/program
                                   * metadata" */
    uint32_t count;
} rt_shared_variables;

/* Finds the variables of all kernels of a list.  FUSION_REJECTED: an image has a variable that
 * cannot be shared, or does not describe it fully; the message says which variable, and why. */
RT_MUST_USE rt_status rt_shared_variables_find(rt_sink *sink, rt_arena *arena,
                                               const rt_fusion_list *list,
                                               rt_shared_variables *out_variables);

/* Adds the property sets that describe the variables to the fused image, which does not have these
 * sets yet. */
void rt_shared_variables_add(rt_arena *arena, const rt_shared_variables *variables,
                             rt_image *image);

#endif
