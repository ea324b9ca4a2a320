/* What all tests around the compiler plugin share: opening it, running clang, and SPIRV-Tools. */
#ifndef REFERENCE_COMPILER_TEST_PLUGIN_H
#define REFERENCE_COMPILER_TEST_PLUGIN_H

#include "reference/compiler_api.h"

/* SPEC_CONSTANT as assay's prelude defines it. */
#define TEST_SPEC_CONSTANT                                                                         \
    "#define SPEC_CONSTANT(type, name, value) "                                                    \
    "extern __constant type name __asm__(\"__assay_spec_constant_\" #name); "                      \
    "__constant type __assay_spec_default_##name "                                                 \
    "__asm__(\"__assay_spec_default_\" #name) = value;\n"

/* The table of the plugin that lies beside the test; fails the test if it has none or answers to
 * another version. */
const rt_compiler_api *test_plugin_open(void);

/* The bitcode that clang 14 makes of a prelude and code with the options, as the worker runs it;
 * the caller frees it.  Fails the test if clang refuses the code. */
rt_buffer test_clang(const char *options, const char *prelude, const char *code);

/* Fails the test unless SPIRV-Tools accepts the module: by the rules of OpenCL 2.2 or, for code
 * with features that these do not have, by those of all environments. */
void test_spirv_validate(bool opencl, rt_bytes code);

#endif
