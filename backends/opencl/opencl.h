/* The OpenCL devices of the machine's ICD loader, as the device interface: from SPIR-V,
 * or from OpenCL C. */
#ifndef BACKENDS_OPENCL_OPENCL_H
#define BACKENDS_OPENCL_OPENCL_H

#include "reference/device/device.h"

/* The selector is "platform=TEXT", "platform=TEXT,device=TEXT", "device=TEXT" or "" (the first
 * device of the first platform); TEXT is a part of CL_PLATFORM_NAME or CL_DEVICE_NAME, in its
 * letter case.
 *
 * How programs are made follows from what the device answers, never from its name:
 *   - it takes SPIR-V (CL_DEVICE_IL_VERSION): its own compiler and linker;
 *   - it does not, but takes SPIR (cl_khr_spir), and there are tools that link SPIR-V into one
 *     LLVM bitcode module: those tools, then its compiler (capabilities.links_with_tool);
 *   - neither: opening answers UNAVAILABLE and says what is missing.
 *
 * Unified shared memory is that of cl_intel_unified_shared_memory; variables are found by the calls
 * of cl_intel_global_variable_access; specialisation constants are set by the driver (OpenCL 2.2 or
 * newer) or by the tools.  What a driver does not offer is a capability that is false.
 *
 * A driver may keep compiled programs between processes: PoCL does, by their content, Intel's CPU
 * runtime (2026.2) writes no file.  That changes how long a build takes and nothing else, so that
 * the adapter leaves it as the driver has it.
 *
 * Two threads may use one kernel object: its arguments are set and taken under a lock of its own.
 * Opening reads the environment variables that the loader and the drivers read (OCL_ICD_FILENAMES
 * and others); the loader is looked for as libOpenCL.so.1. */
extern const dev_backend ocl_backend;

/* The same devices from OpenCL C: images of format opencl_c go to the driver's own front end, and
 * what is linked is joined by clCompileProgram and clLinkProgram.  It needs neither SPIR-V nor SPIR
 * nor tools, so that a linker is judged which no image in SPIR-V reaches.  Selector and environment
 * are those of ocl_backend.  Source has no numbers for specialisation constants, no export of
 * variables by name and no vocabulary for pointers to functions: those capabilities are false. */
extern const dev_backend ocl_source_backend;

#endif
