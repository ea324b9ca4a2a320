/* Finds the compilers: clang, spirv-as, the compiler plugin with its library libclc, and the
 * shipped SYCL compiler. The search examines files and runs no program, because every process
 * performs it once, even in runs that find everything in the cache. */
#ifndef CONFORMANCE_BUILD_TOOLCHAIN_H
#define CONFORMANCE_BUILD_TOOLCHAIN_H

#include "reference/base/text.h"

#include <limits.h>

/* ASSAY_LLVM_VERSION comes from cmake/llvm.cmake. */
#define CNF_CLANG_NAME "clang-" ASSAY_LLVM_VERSION

/* Paths; "" if a tool was not found. */
typedef struct cnf_toolchain {
    char clang[PATH_MAX];
    char spirv_as[PATH_MAX];
    char plugin[PATH_MAX];
    char sycl[PATH_MAX];     /* assay-sycl-compiler, a program that uses libsycl */
    char sycl_jit[PATH_MAX]; /* libsycl-jit.so with the original fusion compiler */
    char libclc[PATH_MAX];   /* OpenCL C's builtin functions for nvptx64, as bitcode */
} cnf_toolchain;

/* Finds clang of the version that assay was built with (by name in PATH, then where the
 * distribution keeps it), spirv-as (in PATH), the plugin (cnf_toolchain_find_library), the SYCL
 * compiler (where ci/setup --with dpcpp builds it), the original fusion compiler (where ci/setup
 * --with fusion installs it) and libclc (where the distribution keeps it). */
void cnf_toolchain_find(cnf_toolchain *out_toolchain);

/* Finds a program by its name in PATH; false, and "", if there is none. */
bool cnf_toolchain_find_program(char path[PATH_MAX], const char *name);

/* Finds one of assay's shared libraries: next to the running program, then in the library folder
 * that belongs to it; false, and "", if it is missing. */
bool cnf_toolchain_find_library(char path[PATH_MAX], const char *name);

/* Appends a line with the path, size and modification time of a file, or with its path and
 * "missing". */
void cnf_toolchain_identify_file(rt_buffer *out, const char *path);

/* Appends what identifies a toolchain: path, size and modification time of the tools and of the
 * libraries that do their work, and the versions of assay's native format. */
void cnf_toolchain_identify(const cnf_toolchain *toolchain, rt_buffer *out);

/* Append what identifies one compiler, in the same way; nothing if it is missing. */
void cnf_toolchain_identify_clang(const cnf_toolchain *toolchain, rt_buffer *out);
void cnf_toolchain_identify_spirv_as(const cnf_toolchain *toolchain, rt_buffer *out);
void cnf_toolchain_identify_sycl(const cnf_toolchain *toolchain, rt_buffer *out);

#endif
