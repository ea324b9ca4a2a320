/* Who uses whom: the functions and module-scope variables of a linked input.
 *
 * Workload: built once per post-link, then walked once for each image; a few hundred nodes. */
#ifndef REFERENCE_COMPILER_POSTLINK_GRAPH_H
#define REFERENCE_COMPILER_POSTLINK_GRAPH_H

#include "reference/compiler/describe/aspects.h"
#include "reference/compiler/ir/job.h"

#define PL_NONE UINT32_MAX

typedef enum pl_kind {
    PL_KERNEL,   /* an entry point that the host launches */
    PL_EXTERNAL, /* a SYCL_EXTERNAL function: an entry point too (DL-FE-02) */
    PL_VIRTUAL,  /* an indirectly callable function, or a thunk of one: an entry point of its set */
    PL_HELPER,   /* any other function */
    PL_VARIABLE
} pl_kind;

typedef struct pl_node {
    rt_text name;
    LLVMValueRef value;
    pl_kind kind;
    bool defined;
    bool shared;        /* VARIABLE: writable and in global memory, so that a copy is another one */
    bool offered;       /* VARIABLE: a symbol that other images may import (DL-IMPORT-08) */
    bool device_global; /* VARIABLE: a treated device_global, which is never offered */
    bool image_scope;   /* device_global: it has the property device_image_scope */
    bool is_vtable;     /* VARIABLE */
    uint32_t unit; /* index of its sycl-module-id in units, or PL_NONE; of what is offered: never
                      NONE; of a device_global: NONE unless an image exports it */
    const uint32_t *uses; /* nodes that its body or initialiser refers to, each once */
    uint32_t use_count;
    /* Indirectly callable functions that it refers to otherwise than by a call, which are no uses:
     * their code need not be where the reference is. */
    const uint32_t *references;
    uint32_t reference_count;
    uint32_t set;        /* of an indirectly callable function, declared ones too; or PL_NONE */
    rt_text calls;       /* KERNEL: the sets that it calls indirectly, a list; empty: none */
    bool calls_pointers; /* its body has a call of a pointer to a function */
    pl_aspects aspects;  /* used by it; see aspects.h */
} pl_node;

/* A set of virtual functions. */
typedef struct pl_set {
    rt_text name;
    pl_aspects aspects;      /* of all its functions that the module defines */
    uint32_t function_count; /* those */
} pl_set;

/* Nodes stand in the order of the module: functions first, then variables. */
typedef struct pl_graph {
    pl_node *nodes;
    uint32_t node_count;
    uint32_t function_count;
    uint32_t unit_count; /* different values of sycl-module-id */
    pl_set *sets;        /* in the order of their first functions */
    uint32_t set_count;
    bool calls_through_pointers;
} pl_graph;

/* Builds the graph of a module; it lives in the job's arena and refers to the module's values.
 * Aspects are not filled.
 * POSTLINK_ERROR: functions that are called with another type than they are defined with. */
RT_MUST_USE rt_status pl_graph_build(pl_job *job, LLVMModuleRef module, pl_graph *out_graph);

/* Fills the aspects of the graph's functions and sets.  The graph's nodes and sets are as
 * pl_graph_build left them; every function's attribute was checked. */
void pl_graph_fill_aspects(pl_graph *graph);

#endif
