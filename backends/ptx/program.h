/* The parts of a program for PTX devices, for every linker: a text, then machine code. */
#ifndef BACKENDS_PTX_PROGRAM_H
#define BACKENDS_PTX_PROGRAM_H

#include "backends/ptx/kernels.h"
#include "reference/device/device.h"

/* Zero-initialise it; ptx_program_free ends it. */
typedef struct ptx_program {
    rt_buffer text;    /* of a compiled one: its PTX, NUL-terminated */
    rt_buffer options; /* of a compiled one: for its part of a link */
    rt_buffer cubin;   /* of an executable one */
    ptx_kernels kernels;
} ptx_program;

/* Takes an image's text, options and kernels, and compiles nothing.  `device` is its name for
 * messages.  UNSUPPORTED: the image is not PTX; MALFORMED: its bytes are no text, or do not read
 * (ptx_kernels_add).  The program is freed in any case. */
RT_MUST_USE rt_status ptx_program_take(rt_sink *sink, rt_text device, const dev_code *code,
                                       ptx_program *program);

/* Frees what the program owns, whether or not it was taken whole. */
void ptx_program_free(ptx_program *program);

/* Takes the next word off options that spaces part, without those of OpenCL C's compiler ("-cl-…"),
 * which has been there; false: there is none. */
bool ptx_option_next(rt_text *options, rt_text *out_word);

#endif
