/* Device code split: the contents of each image (document 003, "sycl-post-link changes"). */
#ifndef REFERENCE_COMPILER_POSTLINK_SPLIT_H
#define REFERENCE_COMPILER_POSTLINK_SPLIT_H

#include "reference/compiler/postlink/graph.h"
#include "reference/compiler_api.h"

/* The role of a function or variable of the input in an image. */
typedef enum pl_role {
    PL_ABSENT, /* the image leaves it out */
    PL_ENTRY,  /* the image defines it for other images or the host: a kernel, or an exported
                * function or variable */
    PL_COPY,   /* the image defines a separate copy, with internal linkage */
    PL_IMPORT, /* the image declares it; another image of the same input defines it */
    PL_SLOT,   /* declared for vtables; the image of its set defines it (VF-SPLIT-03) */
    PL_DECLARE /* the image declares it, as the input does */
} pl_role;

typedef struct pl_placed {
    uint32_t node;
    pl_role role; /* not ABSENT */
} pl_placed;

/* A planned image: the graph's nodes that the image defines or declares, in the graph's order. */
typedef struct pl_part {
    const pl_placed *placed;
    uint32_t count;
    uint32_t set;       /* the set of virtual functions that it provides, or PL_NONE */
    bool dummy;         /* its functions do nothing (VF-DUMMY-02) */
    pl_aspects aspects; /* of its entry points */
} pl_part;

typedef struct pl_split_options {
    rt_split split;
    bool whole;    /* one image with everything; the other fields are ignored */
    bool outlines; /* virtual functions go into separate images (document 004, "JIT flow") */
    bool dummies;  /* and sets that use optional features get a dummy */
} pl_split_options;

/* Plans the images of an input whose aspects are filled in.  Each image has at least one kernel,
 * exported function or exported variable; images are in the order of their first entry points in
 * the input, with those that have only variables last.  Then follows, for each set of virtual
 * functions in the graph's order, a provider and, if required, its dummy.  Parts live in the job's
 * arena; the cost is linear in the total size of all images.  POSTLINK_ERROR: several images would
 * each have their own copy of a writable variable or of a device_global with image scope; the
 * diagnostic names all such variables, and the message gives the line of one if it is known.
 * On failure, *out_parts and *out_count mean nothing.
 */
RT_MUST_USE rt_status pl_split_plan(pl_job *job, const pl_graph *graph,
                                    const pl_split_options *options, const pl_part **out_parts,
                                    uint32_t *out_count);

#endif
