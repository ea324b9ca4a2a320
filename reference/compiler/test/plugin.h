/* Shared by all tests of the compiler plugin: opening it, running clang, and validating with
 * SPIRV-Tools. */
#ifndef REFERENCE_COMPILER_TEST_PLUGIN_H
#define REFERENCE_COMPILER_TEST_PLUGIN_H

#include "reference/compiler_api.h"

/* SPEC_CONSTANT as assay's prelude defines it. */
#define TEST_SPEC_CONSTANT                                                                         \
    "#define SPEC_CONSTANT(type, name, ...) "                                                      \
    "extern __constant type name __asm__(\"__assay_spec_constant_\" #name); "                      \
    "__constant type __assay_spec_default_##name "                                                 \
    "__asm__(\"__assay_spec_default_\" #name) = __VA_ARGS__;\n"

/* Returns the function table of the plugin in the test's folder. Fails the test if there is no
 * plugin or its version is not ours. */
const rt_compiler_api *test_plugin_open(void);

/* Compiles a prelude and code with clang and the options, as the worker does, and returns the
 * bitcode, which the caller frees. Fails the test if clang rejects the code. */
rt_buffer test_clang(const char *options, const char *prelude, const char *code);

/* Fails the test unless SPIRV-Tools accepts the module: by the rules of OpenCL 2.2 or, for code
 * with features outside those rules, by the rules of all environments. */
void test_spirv_validate(bool opencl, rt_bytes code);

#endif
