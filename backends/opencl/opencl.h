/* Any OpenCL device that the machine's ICD loader offers, behind the device interface. */
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
 * Two threads may use one kernel object: its arguments are set and taken under a lock of its own.
 * Opening reads the environment variables that the loader and the drivers read (OCL_ICD_FILENAMES
 * and others); the loader is looked for as libOpenCL.so.1. */
extern const dev_backend ocl_backend;

#endif
