/* The explanation of a scenario and its run, for people: modules, images, imports and their
 * providers, programs, device_globals, fusions, commands. It is derived from the compiled scenario
 * and from the trace of one run; equal inputs give equal output on every machine. */
#ifndef CONFORMANCE_EXPLAIN_EXPLAIN_H
#define CONFORMANCE_EXPLAIN_EXPLAIN_H

#include "conformance/scenario/model/model.h"

/* Appends the explanation as text. `trace` is the trace message of a subject's child as sent
 * (cnf_messages.trace); it is not trusted, and anything that is not an event is ignored. If it is
 * empty, nothing ran, and only the compiled scenario is explained. Modules without images were not
 * compiled. */
void cnf_explain_text(rt_buffer *out, const scn_scenario *scenario, rt_text trace);

/* Appends the explanation as one DOT graph with four clusters, for Graphviz: modules with their
 * images, imports and exports; programs and their kernels; device_globals and the places of their
 * contents; commands and their dependencies. Source: The DOT Language
 * (graphviz.org/doc/info/lang.html). */
void cnf_explain_dot(rt_buffer *out, const scn_scenario *scenario, rt_text trace);

#endif
