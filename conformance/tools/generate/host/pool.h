/* The modules from which programs are drawn.
 *
 * There is a finite number of them, so a run of many seeds compiles each once: what is drawn anew
 * for every seed is which modules a program has, what they need, and the steps. Modules of a family
 * have kernels and functions of the same names, in other bodies. */
#ifndef CONFORMANCE_TOOLS_GENERATE_HOST_POOL_H
#define CONFORMANCE_TOOLS_GENERATE_HOST_POOL_H

#include "conformance/tools/generate/host/model.h"

enum {
    GEN_POOL_EXECUTABLES = 12,
    GEN_POOL_SIBLINGS = 4, /* modules of a family */
    GEN_POOL_LIBRARIES = 13 * GEN_POOL_SIBLINGS
};

typedef enum gen_pool_style {
    GEN_POOL_GENERAL,
    GEN_POOL_NARROW,   /* one function and no kernel: programs with a chain of such libraries have
                        * many images, and a choice is rarely left open */
    GEN_POOL_SEPARATE, /* each kernel is in an image of its own, and there are no functions */
    GEN_POOL_OVERLAPPING, /* two of three functions: what some combinations of siblings define
                           * twice, others define once */
} gen_pool_style;

/* The style of a library of the pool, from 0. */
gen_pool_style gen_pool_style_of(uint32_t library);

/* Appends the images of a module of the pool, which becomes module `module` of the program. The
 * executables are numbered 0 to GEN_POOL_EXECUTABLES - 1, the libraries follow. */
void gen_pool_add(gen_program *program, uint32_t module, uint32_t number);

/* Removes the calls that post-link would resolve within a module: of what another of its images
 * defines, which would not become an import, and of anything named like one of its kernels. */
void gen_pool_separate(gen_program *program, uint32_t module);

#endif
