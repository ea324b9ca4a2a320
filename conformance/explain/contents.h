/* Where the contents of device_globals are, according to a scenario's images and the trace of a
 * run: each variable with the places that hold its contents, and the commands that initialised
 * them. */
#ifndef CONFORMANCE_EXPLAIN_CONTENTS_H
#define CONFORMANCE_EXPLAIN_CONTENTS_H

#include "conformance/explain/explain_internal.h"

typedef enum cnf_place_kind {
    CNF_PLACE_HOST,   /* the host object itself */
    CNF_PLACE_DEVICE, /* memory of a device, for all programs of a context */
    CNF_PLACE_INSIDE, /* an instance inside a program (image scope) */
    CNF_PLACE_POINTER /* holds no contents: a program's instance, which points to device memory */
} cnf_place_kind;

/* Texts point into the trace's arena; a text is empty if the kind of place does not use it or the
 * trace lacks it. */
typedef struct cnf_xpl_place {
    cnf_place_kind kind;
    uint32_t process; /* number of earlier restarts */
    rt_text device, context, size;
    uint32_t program; /* index into the history's programs; SCN_NONE: unknown */
    rt_text command;  /* DEVICE: the command that wrote the zeros; POINTER: the one that wrote the
                       * pointer */
    uint32_t target;  /* POINTER: index of the DEVICE place that it points to; SCN_NONE: unknown */
} cnf_xpl_place;

typedef struct cnf_xpl_variable {
    rt_text id;
    rt_text name;  /* the name in host code; the id if unknown */
    uint64_t size; /* bytes; 0: unknown */
    bool image_scope;
    RT_VECTOR(cnf_xpl_place) places; /* in trace order; HOST and INSIDE without repetitions */
} cnf_xpl_variable;

typedef struct cnf_contents {
    RT_VECTOR(cnf_xpl_variable)
    variables;  /* variables that modules register or images define come first */
    rt_map ids; /* id -> index */
} cnf_contents;

/* Finds the variables and their places.  Both arguments must outlive the result, which the caller
 * frees with cnf_contents_free. */
void cnf_contents_find(const scn_scenario *scenario, const cnf_history *history,
                       cnf_contents *out_contents);
void cnf_contents_free(cnf_contents *contents);

/* Appends the text's section about the variables; nothing if no variable has a place. */
void cnf_contents_text(rt_buffer *out, const cnf_history *history, const cnf_contents *contents);

#endif
