/* NVIDIA's linker without a GPU: PTX is linked to the machine code of a named architecture, and
 * nothing runs (capabilities.executes is false). */
#ifndef BACKENDS_NVJITLINK_NVJITLINK_H
#define BACKENDS_NVJITLINK_NVJITLINK_H

#include "reference/device/device.h"

/* The selector is "arch=sm_NN", or "" for sm_90.
 *
 * Every call's result and log is read.  The library tells some errors in the log of a call that
 * succeeds, and a symbol that is defined twice on the process' standard error alone; what has
 * logged an error has failed here, and the message says what the call returned.  While a call runs
 * the standard error of the process is therefore read; what is not the library's is written on.
 *
 * Options that begin with "-cl-" are for OpenCL C's compiler, which has been there when there is
 * PTX; all others are the library's to judge.
 *
 * Memories have addresses and no bytes: a read gives zeroes.  Times are steps, one a command.  The
 * library is looked for at the path in the environment variable ASSAY_NVJITLINK, then as
 * libnvJitLink.so.13. */
extern const dev_backend nvjitlink_backend;

#endif
