/* Device code split: which image holds what, and how (document 003, "sycl-post-link changes"). */
#ifndef REFERENCE_COMPILER_POSTLINK_SPLIT_H
#define REFERENCE_COMPILER_POSTLINK_SPLIT_H

#include "reference/compiler/postlink/graph.h"
#include "reference/compiler_api.h"

/* What an image does with a function or variable of the input. */
typedef enum pl_role {
    PL_ABSENT, /* leaves it out */
    PL_ENTRY,  /* holds it for others: a kernel, or an exported function or variable */
    PL_COPY,   /* holds it for itself, with internal linkage */
    PL_IMPORT, /* declares it; another image of the same input defines it */
    PL_SLOT,   /* declares it for vtables; the image of its set defines it (VF-SPLIT-03) */
    PL_DECLARE /* declares it, as the input does */
} pl_role;

typedef struct pl_placed {
    uint32_t node;
    pl_role role; /* not ABSENT */
} pl_placed;

/* One image to be: what it holds or declares of the graph, in the graph's order. */
typedef struct pl_part {
    const pl_placed *placed;
    uint32_t count;
    uint32_t set;       /* the set of virtual functions that it provides, or PL_NONE */
    bool dummy;         /* these functions do nothing (VF-DUMMY-02) */
    pl_aspects aspects; /* that its entry points use */
} pl_part;

typedef struct pl_split_options {
    rt_split split;
    bool whole;    /* one image of everything; the other fields say nothing */
    bool outlines; /* virtual functions go into images of their own (document 004, "JIT flow") */
    bool dummies;  /* and sets that use optional features have a dummy */
} pl_split_options;

/* Plans the images of an input, whose aspects are filled: at least one kernel, exported function or
 * exported variable in each, in the order in which the first of them stand in the input; those with
 * variables alone are the last.  Behind them a provider for each set of virtual functions, in the
 * sets' order, followed by its dummy.  Parts live in the job's arena; the cost is linear in what
 * all images hold.  POSTLINK_ERROR: a writable variable would be another one in each of several
 * images, which the diagnostic names, with the line of a use. */
RT_MUST_USE rt_status pl_split_plan(pl_job *job, const pl_graph *graph,
                                    const pl_split_options *options, const pl_part **out_parts,
                                    uint32_t *out_count);

#endif
