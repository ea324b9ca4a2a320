/* What the files that write DOT share: quoting, the names of nodes, the colours.
 * Source: The DOT Language, "HTML-Like Labels" (graphviz.org/doc/info). */
#ifndef CONFORMANCE_EXPLAIN_DOT_INTERNAL_H
#define CONFORMANCE_EXPLAIN_DOT_INTERNAL_H

#include "conformance/explain/contents.h"
#include "conformance/explain/explain_internal.h"

/* Ink and grounds, on a white page; every pair that is used has a contrast of 4.5 or more. */
#define DOT_FONT      "Helvetica,Arial,sans-serif"
#define DOT_INK       "#202124"
#define DOT_FAINT_INK "#5f6368"
#define DOT_ALARM_INK "#b3261e"
#define DOT_LINE      "#80868b"
#define DOT_CYCLE     "#9a4b00"

/* Appends a text inside a quoted identifier or label. */
void cnf_dot_quote(rt_buffer *out, rt_text text);

/* Appends a text inside an HTML-like label, or as XML, quoted or not; the output is ASCII. */
void cnf_dot_cell_text(rt_buffer *out, rt_text text);

/* Appends the identifier of a node: its sort and name, so that an image and a command differ. */
void cnf_dot_node(rt_buffer *out, const char *sort, rt_text name);

/* Writes the first row of a table: a name, and in a cell of its own what is remarked on it, in
 * DOT's text form already; a second cell because bold letters are wider than Graphviz thinks. */
void cnf_dot_title(rt_buffer *out, const char *ground, rt_text name, rt_text remark);

/* Opens a row of a table with one cell; `port` may be empty, `ground` and `ink` are colours.  The
 * text follows, then cnf_dot_row_end. */
void cnf_dot_row_begin(rt_buffer *out, rt_text port, const char *ground, const char *ink);
void cnf_dot_row_end(rt_buffer *out);

/* A whole row: a role, which is text of DOT's, and the name that it is about. */
void cnf_dot_row(rt_buffer *out, rt_text port, const char *ground, const char *ink,
                 const char *role, rt_text name);

/* ---- Modules, images and symbols ----------------------------------------------------------- */

/* The modules as clusters around their images, the imports between them, and what joined by sets
 * of virtual functions (dot_images.c). */
void cnf_dot_images(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph,
                    const cnf_history *history, const cnf_contents *contents);

/* The port of a kernel in its image's node; `number` counts the image's kernels from 0. */
rt_text cnf_dot_kernel_port(rt_arena *arena, uint32_t number);

/* In an image's table a row for each set of virtual functions that it has to do with, true for one
 * whose functions do nothing, and the edges of all that joined by sets (dot_sets.c). */
void cnf_dot_set_rows(rt_buffer *out, rt_arena *arena, const rt_image *image);
bool cnf_dot_is_dummy(const rt_image *image);
void cnf_dot_joins(rt_buffer *out, const cnf_link_graph *graph, const cnf_history *history);

/* ---- Programs ------------------------------------------------------------------------------ */

/* The programs; and, when images are there too, edges to the kernels that were taken from them
 * (dot_programs.c). */
void cnf_dot_programs(rt_buffer *out, const cnf_history *history);
void cnf_dot_program_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph);

/* Appends the identifier of a program's node; ids begin anew in each process. */
void cnf_dot_program_node(rt_buffer *out, const cnf_xpl_program *program);

/* ---- device_globals ------------------------------------------------------------------------ */

/* In an image's table a row for each device_global, whose names `contents` has; the variables; and
 * edges to them, when images and programs are there too (dot_variables.c). */
void cnf_dot_variable_rows(rt_buffer *out, rt_arena *arena, const rt_image *image,
                           const cnf_contents *contents);
void cnf_dot_variables(rt_buffer *out, const cnf_history *history, const cnf_contents *contents);
void cnf_dot_variable_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph,
                            const cnf_contents *contents);

/* ---- Commands ------------------------------------------------------------------------------ */

/* One process of a run: events begin to end - 1, whose numbers of commands mean nothing in another
 * one. */
typedef struct cnf_dot_process {
    const rt_event *events;
    uint32_t begin, end;
    uint32_t number; /* counts the restarts before it */
    rt_map commands; /* number of a command -> its event */
} cnf_dot_process;

/* True for the number of a command that a device got; and the identifier of its node (dot.c). */
bool cnf_dot_has_command(const cnf_dot_process *process, rt_text number);
void cnf_dot_command_node(rt_buffer *out, const cnf_dot_process *process, rt_text number);

/* The fusions of a process, before and after, between its commands (dot_fusion.c). */
void cnf_dot_fusions(rt_buffer *out, const cnf_dot_process *process);

#endif
