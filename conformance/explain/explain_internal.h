/* The data from which both forms of an explanation are written; private to this folder. */
#ifndef CONFORMANCE_EXPLAIN_EXPLAIN_INTERNAL_H
#define CONFORMANCE_EXPLAIN_EXPLAIN_INTERNAL_H

#include "conformance/scenario/model/model.h"
#include "reference/base/map.h"
#include "reference/base/vector.h"
#include "reference/trace/trace.h"

/* ---- What happened ------------------------------------------------------------------------- */

/* A program object, as described by events. */
typedef struct cnf_xpl_program {
    rt_text id;                   /* unique in its process */
    uint32_t process;             /* number of earlier restarts */
    const rt_event_field *inputs; /* images that it was linked or built from; NULL: unknown */
    const rt_event *link;         /* NULL: built from one image */
    const rt_event *build;        /* NULL: it was only linked */
    uint32_t launch_count, hit_count;
    bool released;
} cnf_xpl_program;

typedef struct cnf_history {
    const rt_event *events;
    uint32_t event_count;
    uint32_t *event_programs; /* per event: the index of its program, SCN_NONE for none */
    RT_VECTOR(cnf_xpl_program) programs; /* in order of creation */
    rt_map program_ids;                  /* id -> index */
} cnf_history;

/* Reads a trace message; texts and events live in the arena, the rest is freed with
 * cnf_history_free. Anything that is not an event of the vocabulary is ignored. */
void cnf_history_read(rt_arena *arena, rt_text trace, cnf_history *out_history);
void cnf_history_free(cnf_history *history);

/* The value of an event's field; empty if the event has no such field. */
rt_text cnf_event_text(const rt_event *event, const char *key);

/* True for a command that a device received: an event with a number and a list of the commands that
 * it waits for. */
bool cnf_event_is_command(const rt_event *event);

/* True for the first event about an image that joined another image's link set because of a
 * virtual-function set. The event is repeated for each kernel of the image, device and process. */
bool cnf_event_joins_anew(const cnf_history *history, uint32_t index);

/* Appends `before` and the aspects that a property of "SYCL/device requirements" lists, by name
 * ("fp16, fp64"), or by number if an aspect has no name. Returns false, without appending, if the
 * property lists none. */
bool cnf_explain_aspects(rt_buffer *out, const char *before, const rt_property_set *set,
                         const rt_property *property);

/* Appends `before` unchanged, and a name from a scenario or device code, demangled, in which
 * characters that would move the cursor are replaced. */
void cnf_explain_name(rt_buffer *out, const char *before, rt_text name);

/* ---- Imports ------------------------------------------------------------------------------- */

typedef struct cnf_xpl_image {
    const rt_image *image;
    uint32_t module; /* index into the scenario's modules */
    uint32_t cycle;  /* number of the cycle that it is in, from 1; 0: none */
} cnf_xpl_image;

typedef enum cnf_import_state {
    CNF_IMPORT_RESOLVED,   /* the runtime bound it to this provider */
    CNF_IMPORT_POSSIBLE,   /* `provider` exports the symbol, but this run did not search for one */
    CNF_IMPORT_UNRESOLVED, /* the runtime found no provider, or no image exports the symbol */
} cnf_import_state;

typedef struct cnf_import {
    uint32_t image;
    rt_text symbol;
    uint32_t provider; /* SCN_NONE for UNRESOLVED */
    cnf_import_state state;
} cnf_import;

typedef struct cnf_link_graph {
    RT_VECTOR(cnf_xpl_image) images;
    RT_VECTOR(cnf_import) imports; /* in the order of images and of their property sets */
    uint32_t cycle_count;
} cnf_link_graph;

/* Finds the imports of all images, and the cycles among them.  The caller frees the graph. */
void cnf_link_graph_find(rt_arena *arena, const scn_scenario *scenario, const cnf_history *history,
                         cnf_link_graph *out_graph);
void cnf_link_graph_free(cnf_link_graph *graph);

#endif
