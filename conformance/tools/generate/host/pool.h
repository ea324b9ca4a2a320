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
    GEN_POOL_LIBRARIES = 12 * GEN_POOL_SIBLINGS
};

/* True for a library of the pool, from 0, that has one function and no kernel. */
bool gen_pool_is_narrow(uint32_t library);

/* Appends the images of a module of the pool, which becomes module `module` of the program. The
 * executables are numbered 0 to GEN_POOL_EXECUTABLES - 1, the libraries follow. */
void gen_pool_add(gen_program *program, uint32_t module, uint32_t number);

/* Removes the calls that post-link would resolve within a module: of what another of its images
 * defines, which would not become an import, and of anything named like one of its kernels. */
void gen_pool_separate(gen_program *program, uint32_t module);

#endif
