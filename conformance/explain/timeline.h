/* The trace of a run as a timeline, either for trace viewers (chrome://tracing, Perfetto) or as a
 * picture. */
#ifndef CONFORMANCE_EXPLAIN_TIMELINE_H
#define CONFORMANCE_EXPLAIN_TIMELINE_H

#include "reference/base/stream.h"

/* Appends the events as one JSON object in the Trace Event Format. A trace has no times, so an
 * event's time is its position in microseconds: only order is shown. Each queue is a thread that
 * shows the queue's commands; other events are on thread 0; an arrow leads from a command to each
 * command that waits for it; fusions are spans; threads have names. `trace` is as in
 * cnf_explain_text (explain.h). Source: "Trace Event Format", a document of the Chromium
 * project. */
void cnf_timeline_json(rt_buffer *out, rt_text trace);

/* Appends the same events as a picture, SVG 1.1 without external fonts, images or scripts; `title`
 * is its name for screen readers. */
void cnf_timeline_svg(rt_buffer *out, rt_text trace, rt_text title);

#endif
