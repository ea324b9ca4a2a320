/* An explanation as a picture for a browser. */
#ifndef CONFORMANCE_EXPLAIN_SVG_H
#define CONFORMANCE_EXPLAIN_SVG_H

#include "conformance/process/process.h"
#include "reference/base/status.h"

/* Draws a DOT graph with Graphviz and appends the picture, SVG 1.1, to *out_svg, which the caller
 * frees; on failure nothing is appended. `title` is its name for screen readers. UNAVAILABLE: dot
 * is not in PATH or cannot be started; the message names the package. TOOL: it died, refused the
 * graph, exceeded its time limit or wrote something other than SVG. Source: Graphviz, dot(1);
 * WAI-ARIA 1.2, role "img". */
RT_MUST_USE rt_status cnf_explain_svg(rt_sink *sink, rt_text dot, rt_text title,
                                      rt_buffer *out_svg);

/* The same in two steps, so that several graphs can be drawn concurrently: every successful begin
 * must be followed by end, and `dot` is borrowed until end returns. */
RT_MUST_USE rt_status cnf_explain_svg_begin(rt_sink *sink, rt_text dot, cnf_process *out_process);
RT_MUST_USE rt_status cnf_explain_svg_end(rt_sink *sink, cnf_process *process, rt_text title,
                                          rt_buffer *out_svg);

#endif
