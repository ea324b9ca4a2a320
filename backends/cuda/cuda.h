/* NVIDIA's devices through the CUDA Driver API, from PTX (reference/base/ptx.h). */
#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "reference/device/device.h"

/* The selector is "device=N", N counting from 0 as the driver does (CUDA_VISIBLE_DEVICES hides and
 * reorders devices), or "" for the first.
 *
 * Programs are linked by the driver's linker (cuLink).  Every image is compiled when it is passed
 * in and once more by the link, because cuLink accepts no precompiled form of it.  Options that
 * begin with "-cl-" are for the OpenCL C compiler, which ran before there was PTX, and are ignored;
 * those in cuda_jit.c's table are passed to the driver, and any other is refused.  PTX has no
 * specialisation constants: that capability is false.
 *
 * The commands of a queue are spread over several streams, so only wait lists order them.  A kernel
 * that faults takes down the driver's context: from then on every operation returns DEVICE_LOST.
 * Devices opened on one GPU in one process share that context.  The driver is loaded as
 * libcuda.so.1. */
extern const dev_backend cuda_backend;

#endif
