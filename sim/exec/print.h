/* What kernels print: calls of printf in register code, and the formatting of their directives.
 *
 * print_format.c reads formats and formats values, decode/print.c describes the arguments of a
 * call, print.c executes calls and keeps the output of a launch until its work-group is done.
 * Source: OpenCL C specification 3.0, section 6.15.14 "printf"; OpenCL extended instruction set
 * 1.0, section 2.6 "printf". */
#ifndef SIM_PRINT_H
#define SIM_PRINT_H

#include "sim/memory/state.h"

/* ---- Directives --------------------------------------------------------------------------- */

/* The largest width and precision: C requires every implementation to support this much. */
#define SIM_PRINT_WIDTH_MAX 4095u

typedef enum sim_print_length {
    SIM_LENGTH_PLAIN,
    SIM_LENGTH_HH,
    SIM_LENGTH_H,
    SIM_LENGTH_HL,
    SIM_LENGTH_L,
} sim_print_length;

typedef struct sim_directive {
    rt_text text;    /* the whole directive, from '%' to the conversion; borrowed from the format */
    uint8_t flags;   /* bit i: the character i of "-+ #0" */
    uint8_t vector;  /* components; 0: no vector specifier */
    uint8_t length;  /* sim_print_length */
    char conversion; /* '%' for "%%" */
    bool has_precision; /* a "." alone means precision 0 */
    uint32_t width, precision;
} sim_directive;

/* Reads the directive that begins with the '%' at format.data[*at] and moves *at past it. Returns
 * NULL or, as a static string, the reason why the directive's behaviour is undefined; *at is then
 * past the part that was read. */
const char *sim_directive_read(rt_text format, size_t *at, sim_directive *out_directive);

/* Returns NULL if the directive takes such an argument, otherwise a static string that says what it
 * takes. */
const char *sim_directive_wants(const sim_directive *directive, sim_print_argument argument);

/* Append the text for one component of an argument that the directive takes, or for a string. */
void sim_directive_value(const sim_directive *directive, sim_print_argument argument, uint64_t bits,
                         rt_buffer *out);
void sim_directive_string(const sim_directive *directive, rt_text string, rt_buffer *out);

/* ---- A launch's output -------------------------------------------------------------------- */

/* Passes on the output of the work-group that has ended: for each interval between barriers,
 * work-item by work-item and each in program order, regardless of the order in which they ran. */
void sim_output_group_end(sim_output *output, const sim_launch_options *options);

/* Ends the output of a launch: reports how many calls were dropped, and frees everything. */
void sim_output_end(sim_output *output, const sim_launch_options *options);

#endif
