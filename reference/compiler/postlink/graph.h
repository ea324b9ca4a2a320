/* The functions and module-scope variables of a linked input, and the uses between them.
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
    PL_VIRTUAL,  /* an indirectly callable function or its thunk: an entry point of its set */
    PL_HELPER,   /* any other function */
    PL_VARIABLE
} pl_kind;

typedef struct pl_node {
    rt_text name;
    LLVMValueRef value;
    pl_kind kind;
    bool defined;
    bool shared; /* VARIABLE other than a device_global: writable, in global memory: a copy would be
                  * a separate variable */
    bool offered;         /* VARIABLE: a symbol that other images may import (DL-IMPORT-08) */
    bool device_global;   /* VARIABLE: a device_global, handled as such; never `offered` */
    bool image_scope;     /* device_global: it has the property device_image_scope */
    bool is_vtable;       /* VARIABLE */
    uint32_t unit;        /* number of its sycl-module-id, or PL_NONE; an offered variable always
                           * has a number; a device_global that no image exports never has one */
    const uint32_t *uses; /* nodes that its body or initialiser refers to, each once */
    uint32_t use_count;
    /* Indirectly callable functions to which the node refers other than by a call. These references
     * are not uses: the code of the functions need not be in the same image. */
    const uint32_t *references;
    uint32_t reference_count;
    uint32_t set;        /* of an indirectly callable function, even one that is only declared;
                          * otherwise PL_NONE */
    rt_text calls;       /* KERNEL: list of the sets that it calls indirectly; empty: none */
    bool calls_pointers; /* its body calls through a pointer */
    pl_aspects aspects;  /* that the node uses, once pl_graph_fill_aspects has run */
} pl_node;

/* A set of virtual functions. */
typedef struct pl_set {
    rt_text name;
    pl_aspects aspects; /* of all functions of the set that the module defines */
} pl_set;

/* Nodes are in the order of the module, functions first, then variables. */
typedef struct pl_graph {
    pl_node *nodes;
    uint32_t node_count;
    uint32_t function_count;
    uint32_t unit_count; /* number of different values of sycl-module-id */
    pl_set *sets;        /* in the order of their first functions */
    uint32_t set_count;
    bool calls_through_pointers;
} pl_graph;

/* Builds the graph of a module; the graph lives in the job's arena and refers to the module's
 * values. Aspects are not filled in.  POSTLINK_ERROR: functions that are called with a type other
 * than the one they are defined with. */
RT_MUST_USE rt_status pl_graph_build(pl_job *job, LLVMModuleRef module, pl_graph *out_graph);

/* Fills in the aspects of the functions and sets in a graph that pl_graph_build returned. The
 * attributes of all functions must have been checked. */
void pl_graph_fill_aspects(pl_graph *graph);

/* Checks the invariants that a graph has between the steps of post-link; for CHECK_SLOW. */
bool pl_graph_check(const pl_graph *graph);

#endif
