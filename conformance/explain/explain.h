/* What a scenario is made of and what happened in it, for people: modules, images, who imports what
 * from whom, programs, commands.
 *
 * Half of it is the compiled scenario, the other half the trace of one run; the output is the same
 * on every machine where those are. */
#ifndef CONFORMANCE_EXPLAIN_EXPLAIN_H
#define CONFORMANCE_EXPLAIN_EXPLAIN_H

#include "conformance/scenario/model/model.h"

/* `trace` is the trace message of a subject's child as it was sent (cnf_messages.trace), which is
 * not trusted: what is no event is left out.  Empty: nothing ran, and only what was compiled is
 * explained.  Modules without images were not compiled. */
void cnf_explain_text(rt_buffer *out, const scn_scenario *scenario, rt_text trace);

/* The same as one DOT graph with three clusters, for Graphviz: modules with their images and what
 * those import and export, programs and their kernels, commands and what they wait for.
 * Source: The DOT Language (graphviz.org/doc/info/lang.html). */
void cnf_explain_dot(rt_buffer *out, const scn_scenario *scenario, rt_text trace);

#endif
