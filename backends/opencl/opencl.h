/* The OpenCL devices that the machine's ICD loader offers, as backends that take SPIR-V or OpenCL
 * C. */
#ifndef BACKENDS_OPENCL_OPENCL_H
#define BACKENDS_OPENCL_OPENCL_H

#include "reference/device/device.h"

/* The selector is "platform=TEXT", "platform=TEXT,device=TEXT", "device=TEXT" or "" (the first
 * device of the first platform); TEXT is a case-sensitive substring of CL_PLATFORM_NAME or
 * CL_DEVICE_NAME.
 *
 * How programs are built follows from the device's capabilities, never from its name:
 *   - if the device takes SPIR-V (CL_DEVICE_IL_VERSION): by the driver's compiler and linker;
 *   - otherwise, if it takes SPIR (cl_khr_spir) and there are tools that link SPIR-V into one
 *     LLVM bitcode module: by those tools, then by the driver's compiler
 *     (capabilities.links_with_tool);
 *   - otherwise opening fails with UNAVAILABLE, and the message says what is missing.
 *
 * Code in a native format is a binary that this driver returned (dev_program_binary) for an
 * executable program or, on the first route, for a compiled one, which it also links.  A driver may
 * end the process on bytes that are not a binary of its own (PoCL 3.1).
 *
 * Unified shared memory requires cl_intel_unified_shared_memory; variables are accessed with the
 * calls of cl_intel_global_variable_access; specialisation constants are set by the driver (OpenCL
 * 2.2 or newer) or by the tools.  The capabilities of features that a driver does not offer are
 * false.
 *
 * A driver may cache compiled programs across processes: PoCL does, with the program's contents as
 * the key; Intel's CPU runtime (2026.2) writes no file.  Caching only changes how long a build
 * takes, so the adapter leaves the driver's setting alone.
 *
 * Two threads may use one kernel object: its arguments are set and captured under the kernel's
 * lock.
 *
 * Opening reads the environment variables that the loader and the drivers read (OCL_ICD_FILENAMES
 * and others); the loader is loaded as libOpenCL.so.1. */
extern const dev_backend ocl_backend;

/* The same devices with OpenCL C: images of format opencl_c are compiled by the driver's own front
 * end and linked with clCompileProgram and clLinkProgram.  This needs neither SPIR-V nor SPIR nor
 * tools, so it also exercises linkers that no SPIR-V image can reach.  The selector and the
 * environment variables are those of ocl_backend.  OpenCL C source has no ids for specialisation
 * constants, no export of variables by name and no syntax for function pointers: those capabilities
 * are false. */
extern const dev_backend ocl_source_backend;

#endif
