/* Kernel fusion according to a trace: the kernels that a queue held back, and the outcome. */
#ifndef CONFORMANCE_EXPLAIN_FUSIONS_H
#define CONFORMANCE_EXPLAIN_FUSIONS_H

#include "conformance/explain/explain_internal.h"

/* Texts and events are borrowed from the trace. */
typedef struct cnf_xpl_fusion {
    rt_text number, queue;
    rt_text status;         /* final status; empty: it has not ended */
    rt_text reason;         /* why there is no fused kernel; empty: there is one, or the reason is
                             * unknown */
    rt_text detail;         /* why the list was rejected, if it was */
    rt_text kernel;         /* fused kernel, new or cached; empty: none */
    const rt_event *fuse;   /* NULL: not sent to the compiler */
    const rt_event *launch; /* launch of the fused kernel; NULL: none */
    uint32_t end;           /* index of the event that ended it; UINT32_MAX: none */
    RT_VECTOR(const rt_event *) held;
    RT_VECTOR(const rt_event *) demoted; /* buffers that were to be promoted, but were not */
} cnf_xpl_fusion;

/* The fusions of one process; command numbers are unique only within a process. */
typedef struct cnf_fusions {
    RT_VECTOR(cnf_xpl_fusion) list; /* in order of their starts */
    rt_map holds;                   /* number of a held command -> index of its newest fusion */
} cnf_fusions;

/* Finds the fusions among the events begin to end - 1, which are not validated. The caller frees
 * the result. */
void cnf_fusions_find(const rt_event *events, uint32_t begin, uint32_t end,
                      cnf_fusions *out_fusions);
void cnf_fusions_free(cnf_fusions *fusions);

/* Appends the section "Fusions", unless the trace has none (fusions_text.c). */
void cnf_fusions_text(rt_buffer *out, const cnf_history *history);

#endif
