/* Where the contents of device_globals are, as a scenario's images and the trace of a run tell:
 * each variable with the places of its content, and the commands that made these ready. */
#ifndef CONFORMANCE_EXPLAIN_CONTENTS_H
#define CONFORMANCE_EXPLAIN_CONTENTS_H

#include "conformance/explain/explain_internal.h"

typedef enum cnf_place_kind {
    CNF_PLACE_HOST,   /* the host object itself */
    CNF_PLACE_DEVICE, /* memory of a device, for all programs of a context */
    CNF_PLACE_INSIDE, /* an instance inside a program (image scope) */
    CNF_PLACE_POINTER /* no content: a program's instance, pointed to memory of the device */
} cnf_place_kind;

/* The texts point into the trace's arena and are empty where the kind has no use for them, or the
 * trace does not say. */
typedef struct cnf_xpl_place {
    cnf_place_kind kind;
    uint32_t process; /* counts the restarts before it */
    rt_text device, context, size;
    uint32_t program; /* index into the history's programs; SCN_NONE: none that it knows */
    rt_text command;  /* the one that wrote the zeros of DEVICE, or the pointer of POINTER */
    uint32_t target;  /* POINTER: the DEVICE among the variable's places; SCN_NONE: unknown */
} cnf_xpl_place;

typedef struct cnf_xpl_variable {
    rt_text id;
    rt_text name;  /* as host code names it; the id where nobody says */
    uint64_t size; /* bytes; 0: nobody says */
    bool image_scope;
    RT_VECTOR(cnf_xpl_place) places; /* in the order of the trace; HOST and INSIDE once each */
} cnf_xpl_variable;

typedef struct cnf_contents {
    RT_VECTOR(cnf_xpl_variable) variables; /* first those that modules register and images have */
    rt_map ids;                            /* id -> index */
} cnf_contents;

/* Finds the variables and their places.  Both arguments must outlive the result, which the caller
 * frees with cnf_contents_free. */
void cnf_contents_find(const scn_scenario *scenario, const cnf_history *history,
                       cnf_contents *out_contents);
void cnf_contents_free(cnf_contents *contents);

/* Appends the section of the text; nothing where no variable has a place. */
void cnf_contents_text(rt_buffer *out, const cnf_history *history, const cnf_contents *contents);

#endif
