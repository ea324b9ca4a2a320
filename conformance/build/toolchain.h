/* Where the compilers are: clang 14, spirv-as, the compiler plugin with its library libclc, and the
 * shipped compiler of SYCL.  Files are looked at, nothing is run.
 *
 * Workload: asked once per process, also on runs that find everything in the cache. */
#ifndef CONFORMANCE_COMPILE_TOOLCHAIN_H
#define CONFORMANCE_COMPILE_TOOLCHAIN_H

#include "reference/base/text.h"

#include <limits.h>

/* Paths, "" where a tool was not found. */
typedef struct cnf_toolchain {
    char clang[PATH_MAX];
    char spirv_as[PATH_MAX];
    char plugin[PATH_MAX];
    char sycl[PATH_MAX];   /* assay-sycl-compiler, a program over libsycl */
    char libclc[PATH_MAX]; /* OpenCL C's builtin functions for nvptx64, as bitcode */
} cnf_toolchain;

/* Finds clang 14 (by name in PATH, then where the distribution keeps it), spirv-as (in PATH), the
 * plugin (cnf_toolchain_find_library), the SYCL compiler (where ci/setup --with dpcpp builds it)
 * and libclc (where the distribution keeps it). */
void cnf_toolchain_find(cnf_toolchain *out_toolchain);

/* Finds a program by its name in PATH; false, and "", where there is none. */
bool cnf_toolchain_find_program(char path[PATH_MAX], const char *name);

/* Finds a shared library of ours: beside the running program, then in the library folder that
 * belongs to it; false, and "", where it is missing. */
bool cnf_toolchain_find_library(char path[PATH_MAX], const char *name);

/* Appends path, size and time of change of a file, or that it is missing, as a line. */
void cnf_toolchain_identify_file(rt_buffer *out, const char *path);

/* Appends what tells one toolchain from another: path, size and time of change of the tools and of
 * the libraries that do their work, and the versions of the native format, which assay makes. */
void cnf_toolchain_identify(const cnf_toolchain *toolchain, rt_buffer *out);

/* Appends what tells one SYCL compiler from another, in the same way; empty where it is missing. */
void cnf_toolchain_identify_sycl(const cnf_toolchain *toolchain, rt_buffer *out);

#endif
