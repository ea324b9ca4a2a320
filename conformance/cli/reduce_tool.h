/* Reducers that know a language: C-Vise for OpenCL C, C++ for OpenCL and SYCL, llvm-reduce for LLVM
 * IR, spirv-reduce for SPIR-V. `assay reduce` calls them for the code of a scenario, and decides
 * for each of their candidates whether the scenario still fails. */
#ifndef CONFORMANCE_CLI_REDUCE_TOOL_H
#define CONFORMANCE_CLI_REDUCE_TOOL_H

#include "conformance/tools/reduce/reduce.h"

/* Reduces the source by the tool of its language, for at most `seconds`; what is left is in the
 * source, and tested. Prints on stderr if the tool is not installed or fails; the source is then
 * unchanged. Returns false if a test stopped. The process must be single-threaded and have no other
 * children. */
bool cnf_reduce_by_tool(red_source *source, uint32_t seconds);

#endif
