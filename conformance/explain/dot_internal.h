/* Functions shared by the files that write DOT: quoting, node names, colours. Source: The DOT
 * Language, "HTML-Like Labels" (graphviz.org/doc/info). */
#ifndef CONFORMANCE_EXPLAIN_DOT_INTERNAL_H
#define CONFORMANCE_EXPLAIN_DOT_INTERNAL_H

#include "conformance/explain/contents.h"
#include "conformance/explain/explain_internal.h"

/* Ink and backgrounds for a white page; every pair in use has a contrast ratio of at least 4.5. */
#define DOT_FONT      "Helvetica,Arial,sans-serif"
#define DOT_INK       "#202124"
#define DOT_FAINT_INK "#5f6368"
#define DOT_ALARM_INK "#b3261e"
#define DOT_LINE      "#80868b"
#define DOT_CYCLE     "#9a4b00"

/* Appends `before` unchanged, and a text with demangled names, escaped for a quoted label. */
void cnf_dot_quote(rt_buffer *out, const char *before, rt_text text);

/* Appends `before` unchanged, and a text with demangled names, escaped, in ASCII, for an
 * HTML-like label or XML; the result is also valid inside quotes. */
void cnf_dot_cell_text(rt_buffer *out, const char *before, rt_text text);

/* Appends `before` unchanged, and the identifier of a node: its kind and name, so that an image and
 * a command with the same name differ. */
void cnf_dot_node(rt_buffer *out, const char *before, const char *kind, rt_text name);

/* Writes the first row of a table: a name and, in a separate cell because bold letters are wider
 * than Graphviz assumes, a remark that is already in DOT's text form. */
void cnf_dot_title(rt_buffer *out, const char *ground, rt_text name, rt_text remark);

/* Opens a row of a table with one cell; `port` may be empty, `ground` and `ink` are colours. The
 * text follows, then cnf_dot_row_end. */
void cnf_dot_row_begin(rt_buffer *out, rt_text port, const char *ground, const char *ink);
void cnf_dot_row_end(rt_buffer *out);

/* Writes a complete row: a role, escaped for DOT, and the name of its subject. */
void cnf_dot_row(rt_buffer *out, rt_text port, const char *ground, const char *ink,
                 const char *role, rt_text name);

/* ---- Modules, images and symbols ----------------------------------------------------------- */

/* Writes the modules as clusters around their images, the imports between them, and images joined
 * by virtual-function sets (dot_images.c). */
void cnf_dot_images(rt_buffer *out, const scn_scenario *scenario, const cnf_link_graph *graph,
                    const cnf_history *history, const cnf_contents *contents);

/* The port of a kernel in its image's node; `number` counts the image's kernels from 0. */
rt_text cnf_dot_kernel_port(rt_arena *arena, uint32_t number);

/* Virtual-function sets (dot_sets.c): the first function writes the rows of an image's table for
 * the sets that concern it, the second returns whether an image is a dummy, and the third writes
 * the edges between images that were joined because of sets. */
void cnf_dot_set_rows(rt_buffer *out, rt_arena *arena, const rt_image *image);
bool cnf_dot_is_dummy(const rt_image *image);
void cnf_dot_joins(rt_buffer *out, const cnf_link_graph *graph, const cnf_history *history);

/* ---- Programs ------------------------------------------------------------------------------ */

/* The first function writes the programs; the second writes the edges from them to their kernels,
 * whose images must have been written (dot_programs.c). */
void cnf_dot_programs(rt_buffer *out, const cnf_history *history);
void cnf_dot_program_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph);

/* Appends `before` and the identifier of a program's node; ids restart in each process. */
void cnf_dot_program_node(rt_buffer *out, const char *before, const cnf_xpl_program *program);

/* ---- device_globals ------------------------------------------------------------------------ */

/* device_globals (dot_variables.c): the first function writes their rows in an image's table, with
 * their names from `contents`; the second writes the variables; the third writes the edges to them
 * from images and programs, which must have been written. */
void cnf_dot_variable_rows(rt_buffer *out, rt_arena *arena, const rt_image *image,
                           const cnf_contents *contents);
void cnf_dot_variables(rt_buffer *out, const cnf_history *history, const cnf_contents *contents);
void cnf_dot_variable_edges(rt_buffer *out, const cnf_history *history, const cnf_link_graph *graph,
                            const cnf_contents *contents);

/* ---- Commands ------------------------------------------------------------------------------ */

/* One process of a run: events begin to end - 1. Command numbers are unique only within a
 * process. */
typedef struct cnf_dot_process {
    const rt_event *events;
    uint32_t begin, end;
    uint32_t number; /* number of earlier restarts */
    rt_map commands; /* number of a command -> its event */
} cnf_dot_process;

/* The first function returns true if the trace has the device command with this number; the second
 * appends `before` and the identifier of the command's node (dot.c). */
bool cnf_dot_has_command(const cnf_dot_process *process, rt_text number);
void cnf_dot_command_node(rt_buffer *out, const char *before, const cnf_dot_process *process,
                          rt_text number);

/* Writes the fusions of a process, before and after fusing, among its commands (dot_fusion.c). */
void cnf_dot_fusions(rt_buffer *out, const cnf_dot_process *process);

#endif
