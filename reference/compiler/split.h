/* Device code split: which image holds what, and how (document 003, "sycl-post-link changes"). */
#ifndef REFERENCE_COMPILER_SPLIT_H
#define REFERENCE_COMPILER_SPLIT_H

#include "reference/compiler/graph.h"
#include "reference/compiler_api.h"

/* What an image does with a definition of the input. */
typedef enum pl_role {
    PL_ABSENT, /* leaves it out */
    PL_ENTRY,  /* holds it as an entry point: a kernel, or an exported function */
    PL_COPY,   /* holds it for itself, with internal linkage */
    PL_IMPORT  /* declares it; another image of the same input defines it */
} pl_role;

/* One image to be: a role for each node of the graph. */
typedef struct pl_part {
    pl_role *roles;
} pl_part;

/* Plans the images of an input: at least one entry point in each, in the order in which their first
 * entry points stand in the input.  Parts live in the job's arena.  POSTLINK_ERROR: a writable
 * variable would be copied into several images, which the diagnostic names. */
RT_MUST_USE rt_status pl_split_plan(pl_job *job, const pl_graph *graph, rt_split split,
                                    const pl_part **out_parts, uint32_t *out_count);

#endif
