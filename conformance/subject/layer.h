/* The OpenCL layer beneath a subject: compares the calls that the driver received with what the
 * runtime's trace claims.
 *
 * The log is an in-memory file that the runner creates and keeps (CNF_CHILD_LOG), so that it
 * survives the child; a child started by hand creates its own log. */
#ifndef CONFORMANCE_SUBJECT_LAYER_H
#define CONFORMANCE_SUBJECT_LAYER_H

#include "conformance/subject/execute.h"
#include "conformance/subject/observed.h"

/* The layer in a child process. */
typedef struct cnf_layer {
    int log;          /* descriptor; -1: it could not be created */
    bool found;       /* the layer's library was found */
    rt_buffer before; /* the previous value of OPENCL_LAYERS */
    bool was_set;     /* OPENCL_LAYERS was set */
} cnf_layer;

/* True if the subject reaches its device through the OpenCL loader, in the child itself or in the
 * host program of the shipped runtime. */
bool cnf_layer_fits(const cnf_subject *subject);

/* Path of the layer's library in the arena, next to this program or where it is installed; empty if
 * it is missing. */
rt_text cnf_layer_find(rt_arena *arena);

/* Makes the NULL-terminated list of "NAME=value" environment variables that load the layer into a
 * process started with them: the layer records to `log`, a path or a descriptor number, and hides
 * the aspects in `hidden` (bits 1u << dev_aspect) on every device. The list is in the arena; NULL
 * if the layer's library is missing. */
const char *const *cnf_layer_environment(rt_arena *arena, rt_text log, uint32_t hidden);

/* Sets the same variables in this process. The log is the one that the runner passed to this
 * process, otherwise a new one. The loader reads the variables when the first device is opened, and
 * then inserts the layer in front of every driver. */
void cnf_layer_begin(cnf_layer *layer, uint32_t hidden);

/* Instead of cnf_layer_begin and cnf_layer_begun, in a process whose loader has loaded the layer
 * already: makes it begin a new log, in the file that now has descriptor CNF_CHILD_LOG. */
void cnf_layer_again(cnf_layer *layer);

/* Restores the variables once the loader has read them. Otherwise, a process started by the child
 * would log to whatever file has that descriptor number there. */
void cnf_layer_begun(cnf_layer *layer);

/* Frees the layer's data. The descriptor stays open: the layer stays loaded and may still write. */
void cnf_layer_end(cnf_layer *layer);

/* Appends the log so far. False: reading failed. */
bool cnf_layer_read(const cnf_layer *layer, rt_buffer *out_log);

/* ---- judge/layer.c --------------------------------------------------------------------------- */

/* A difference between trace and log. */
typedef struct cnf_layer_difference {
    rt_event_kind kind;
    uint32_t claimed, seen; /* number of events in the trace, and of calls to the driver */
    rt_text what;           /* for example "kernel twice" or "image app/0"; empty: the total */
} cnf_layer_difference;

/* Compares every launch, program, link and build that the trace claims with the driver calls
 * observed. `by_tool`: one of our tools links the device's programs, so the driver sees whole
 * programs only. The differences are in the arena, ordered by kind of event. The runtime claims
 * programs and links before it calls the driver, so those whose build then failed may be missing
 * from the log; it claims everything else once the driver has done it. */
void cnf_layer_compare(rt_arena *arena, rt_trace *trace, bool by_tool, const cnf_image_name *names,
                       uint32_t name_count, cnf_observations observations,
                       const cnf_layer_difference **out_differences, uint32_t *out_count);

/* Returns the names and code hashes of the scenario's images, in the execution's arena. */
const cnf_image_name *cnf_scenario_images(cnf_execution *execution, uint32_t *out_count);

/* Reads the log and emits a check of kind "layer" if it differs from the trace, if it cannot be
 * read, or if the layer was not loaded (the check is then marked unobserved). Emits nothing if they
 * agree, because a passing check would count as an observation of the subject. */
void cnf_judge_layer(cnf_execution *execution);

#endif
