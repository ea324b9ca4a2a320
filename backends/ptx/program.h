/* The linker-independent parts of a program for PTX devices: PTX text when compiled, machine code
 * when linked. */
#ifndef BACKENDS_PTX_PROGRAM_H
#define BACKENDS_PTX_PROGRAM_H

#include "backends/ptx/kernels.h"
#include "reference/device/device.h"

/* Must be the first member of an adapter's program.  Zero-initialise; ptx_program_free frees the
 * contents. */
typedef struct ptx_program {
    dev_program base;
    rt_buffer text;    /* of a compiled program: its PTX, NUL-terminated */
    rt_buffer options; /* of a compiled program: options for its part of a link */
    rt_buffer cubin;   /* of an executable program */
    ptx_kernels kernels;
} ptx_program;

/* Takes an image's text, options and kernels without compiling; the tools, which may be NULL,
 * translate an image that is SPIR-V.  `device` is the device's name for messages.  UNSUPPORTED: the
 * image is neither PTX nor SPIR-V that the tools can translate, for example a native one, which is
 * a whole program (binary.h); MALFORMED: its bytes are not text,
 * or its header is invalid (ptx_kernels_add); also the codes of dev_tools.spirv_to_ptx.  The caller
 * must always free the program, even on failure. */
RT_MUST_USE rt_status ptx_program_take(rt_sink *sink, const dev_tools *tools, rt_text device,
                                       const dev_code *code, ptx_program *program);

/* Finishes creating a program and returns `status`: if that is a success, *out_program is the
 * program; otherwise the program is destroyed. */
RT_MUST_USE rt_status ptx_program_finish(ptx_program *program, rt_status status,
                                         dev_program **out_program);

/* The operation `binary` of an executable program (binary.h). */
rt_status ptx_program_binary(dev_program *base, rt_buffer *out_binary);

/* Frees everything that the program owns, even if ptx_program_take failed. */
void ptx_program_free(ptx_program *program);

/* Takes the next word off the space-separated options, skipping those for the OpenCL C compiler
 * ("-cl-…"), which has already run. False if no word is left. */
bool ptx_option_next(rt_text *options, rt_text *out_word);

#endif
