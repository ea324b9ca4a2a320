/* The OpenCL layer under a subject of ours: what the driver was really asked for is compared with
 * what the runtime's trace claims.
 *
 * The log is a file in memory that the runner made and keeps (CNF_CHILD_LOG), so that it survives
 * the child; a child that was started by hand makes its own. */
#ifndef CONFORMANCE_SUBJECT_LAYER_H
#define CONFORMANCE_SUBJECT_LAYER_H

#include "conformance/subject/execute.h"
#include "conformance/subject/observed.h"

/* The layer of a child's process. */
typedef struct cnf_layer {
    int log;          /* descriptor; -1: none could be made */
    bool found;       /* the library is where it belongs */
    rt_buffer before; /* what OPENCL_LAYERS was */
    bool was_set;     /* it was anything at all */
} cnf_layer;

/* Whether the subject's device is reached through OpenCL's loader, in the child itself or in the
 * host program of the shipped runtime. */
bool cnf_layer_fits(const cnf_subject *subject);

/* Path of the layer's library in the arena, beside this program or where it is installed; empty
 * where it is in neither place. */
rt_text cnf_layer_find(rt_arena *arena);

/* The variables, "NAME=value" with NULL at the end, that put the layer under a process which is
 * started with them: `log` is the path or the number of the descriptor that it records into,
 * `hidden` (1u << dev_aspect) what no device of it has.  In the arena; NULL: the layer's library is
 * not there. */
const char *const *cnf_layer_environment(rt_arena *arena, rt_text log, uint32_t hidden);

/* Sets the same variables in this process, with a log of its own, by which the loader, which begins
 * when the first device is opened, puts the layer before every driver. */
void cnf_layer_begin(cnf_layer *layer, uint32_t hidden);

/* Takes the variables back when the loader has read them: other processes that the child starts
 * would write to a file of theirs under the descriptor's number. */
void cnf_layer_begun(cnf_layer *layer);

/* Frees what is kept.  The descriptor stays open: the layer stays loaded and may still write. */
void cnf_layer_end(cnf_layer *layer);

/* Appends the log so far.  False: it cannot be read. */
bool cnf_layer_read(const cnf_layer *layer, rt_buffer *out_log);

/* ---- judge_layer.c --------------------------------------------------------------------------- */

/* A way in which trace and log differ. */
typedef struct cnf_layer_difference {
    rt_event_kind kind;
    uint32_t claimed, seen; /* events of the trace, calls of the driver */
    rt_text what;           /* "kernel twice", "image app/0"; empty: counted as a whole */
} cnf_layer_difference;

/* Compares every launch, program, link and build that the trace claims with what was observed.
 * `by_tool`: the device's programs are linked by a tool of ours, so that the driver sees whole
 * programs only.  The differences lie in the arena, those of earlier kinds of events first.
 *
 * Programs and links are claimed before the driver is asked, so of those whose build then failed
 * any may be missing; everything else is claimed when the driver has done it. */
void cnf_layer_compare(rt_arena *arena, rt_trace *trace, bool by_tool, const cnf_image_name *names,
                       uint32_t name_count, cnf_observations observations,
                       const cnf_layer_difference **out_differences, uint32_t *out_count);

/* The scenario's images by content, in the execution's arena. */
const cnf_image_name *cnf_scenario_images(cnf_execution *execution, uint32_t *out_count);

/* Reads the log and emits a check of kind "layer" where it differs from the trace, or cannot be
 * read, or where the layer was not loaded (then it is not observed).  Nothing where they agree: a
 * check that is ok would make a scenario look as if its subject showed something. */
void cnf_judge_layer(cnf_execution *execution);

#endif
