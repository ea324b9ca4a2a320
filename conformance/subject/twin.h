/* A second process that runs the same scenario on the same subject at the same time.
 *
 * `process: {twin: true}`: a child of a subject starts `assay subject` once more, with the same
 * pack and the same scratch folder, and so the same persistent cache. Both open their devices,
 * meet, and then run all steps; each judges its own expectations, and the first reports whether the
 * second's were met. */
#ifndef CONFORMANCE_SUBJECT_TWIN_H
#define CONFORMANCE_SUBJECT_TWIN_H

#include "conformance/subject/emit.h"

#include <sys/types.h>

/* Descriptor at which a twin meets the process that started it. */
enum { CNF_TWIN_DESCRIPTOR = 4 };

typedef struct cnf_twin {
    pid_t pid;    /* 0: there is none */
    int channel;  /* our end of the socket at which the processes meet; -1: none */
    int messages; /* the file of its messages; -1: none */
    int error;    /* errno of the call with which starting it failed; 0: none */
} cnf_twin;

/* Starts the twin; every argument is borrowed for the call. */
void cnf_twin_start(cnf_twin *out_twin, const cnf_subject *subject,
                    const cnf_subject_options *options, const scn_scenario *scenario);

/* Waits until the process at the other end of the socket has come here too, or has ended. */
void cnf_twin_meet(int channel);

/* Waits for the twin, or kills it if `runs` is false, and emits a check of kind "twin" if it runs:
 * it fails if the twin had no device, missed an expectation or ended early. */
void cnf_twin_finish(cnf_twin *twin, cnf_emitter *emitter, bool runs);

#endif
