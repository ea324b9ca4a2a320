/* What kernels print: calls of printf in register code, their directives as text.
 *
 * print_format.c reads formats and makes text of values, decode/print.c describes the arguments of
 * a call, print.c runs it and keeps what a launch prints until its work-group is done.
 * Source: OpenCL C specification 3.0, section 6.15.14 "printf"; OpenCL extended instruction
 * set 1.0, section 2.6 "printf". */
#ifndef SIM_PRINT_H
#define SIM_PRINT_H

#include "sim/memory/state.h"

/* ---- Directives --------------------------------------------------------------------------- */

/* Width and precision end here, as far as C makes every implementation go. */
#define SIM_PRINT_WIDTH_MAX 4095u

typedef enum sim_print_length {
    SIM_LENGTH_PLAIN,
    SIM_LENGTH_HH,
    SIM_LENGTH_H,
    SIM_LENGTH_HL,
    SIM_LENGTH_L,
} sim_print_length;

typedef struct sim_directive {
    rt_text text;       /* all of it, from '%' to the conversion; borrows the format */
    uint8_t flags;      /* bit i: the character i of "-+ #0" */
    uint8_t vector;     /* components; 0: no vector specifier */
    uint8_t length;     /* sim_print_length */
    char conversion;    /* '%' for "%%" */
    bool has_precision; /* "." alone is precision 0 */
    uint32_t width, precision;
} sim_directive;

/* Reads the directive that begins with the '%' at format.data[*at] and moves *at past it.  NULL,
 * or what makes its behaviour undefined, static: then *at is past what was read. */
const char *sim_directive_read(rt_text format, size_t *at, sim_directive *out_directive);

/* NULL where the directive takes such an argument, else what it takes, static. */
const char *sim_directive_wants(const sim_directive *directive, sim_print_argument argument);

/* Appends the text of one component of a fitting argument, or of a string. */
void sim_directive_value(const sim_directive *directive, sim_print_argument argument, uint64_t bits,
                         rt_buffer *out);
void sim_directive_string(const sim_directive *directive, rt_text string, rt_buffer *out);

/* ---- A launch's output -------------------------------------------------------------------- */

/* Hands over what the work-group that is done has printed: between two barriers work-item after
 * work-item, each in program order, independent of the order in which they ran. */
void sim_output_group_end(sim_output *output, const sim_launch_options *options);

/* At the end of the launch: says what was dropped, and frees everything. */
void sim_output_end(sim_output *output, const sim_launch_options *options);

#endif
