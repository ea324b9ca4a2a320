/* Options of clBuildProgram, clCompileProgram and clLinkProgram. */
#ifndef OPENCL_OPTIONS_H
#define OPENCL_OPTIONS_H

#include "opencl/icd.h"

typedef struct icd_options {
    RT_VECTOR(rt_text) clang; /* for the compiler; texts in the arena */
    bool creates_library;
    bool is_non_uniform;    /* work-groups of a launch may differ in size */
    bool has_argument_info; /* -cl-kernel-arg-info */
    bool is_opencl_c_3;     /* -cl-std=CL3.0 */
    rt_text refused;        /* the first option that is not permitted; empty: none */
} icd_options;

/* Reads compiler options (OpenCL 3.0 API, 5.8.6) or, with `links`, linker options (5.8.7).  Quotes
 * group, as in a shell.  The caller frees out_options->clang. */
void icd_options_read(rt_arena *arena, const char *text, bool links, icd_options *out_options);

#endif
