/* NVIDIA's linker without a GPU: links PTX to machine code of a named architecture; nothing is
 * executed (capabilities.executes is false). */
#ifndef BACKENDS_NVJITLINK_NVJITLINK_H
#define BACKENDS_NVJITLINK_NVJITLINK_H

#include "reference/device/device.h"

/* The selector is "arch=sm_NN", or "" for sm_90.
 *
 * The result and the log of every call are read. The library reports some errors only in the log of
 * a call that succeeds, and a duplicate symbol only on the process's standard error. A call that
 * has logged an error counts as failed here, and the message includes what the call returned.  The
 * standard error of the process is therefore captured during each call; lines that are not the
 * library's are passed on to it afterwards.
 *
 * Options that begin with "-cl-" are for the OpenCL C compiler, which has already produced the PTX,
 * and are dropped; all others are passed to the library.
 *
 * Memories have addresses but no contents: a read returns zeros.  Times are steps, one per command.
 *
 * The library is loaded from the path in the environment variable ASSAY_NVJITLINK or, if that is
 * not set, as libnvJitLink.so.13. Versions before 12.4 export their functions under other names and
 * are refused as unavailable. */
extern const dev_backend nvjitlink_backend;

#endif
