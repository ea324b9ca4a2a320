/* NVIDIA devices, programmed in PTX (reference/base/ptx.h) through the CUDA Driver API. */
#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "reference/device/device.h"

/* The selector is "" or settings separated by commas: "device=N", where N is the driver's device
 * index, from 0 (CUDA_VISIBLE_DEVICES hides and reorders devices), and "optimisation=N", the level,
 * 0 to 4, at which the driver compiles programs that have no option for it.
 *
 * Programs are linked by the driver's linker (cuLink).  Every image is compiled when it is passed
 * in and again by the link, because cuLink accepts no precompiled form of it.  Options that begin
 * with "-cl-" are meant for the OpenCL C compiler, whose work is done by the time there is PTX, and
 * are ignored; those in cuda_jit.c's table are passed to the driver, and any other is refused.  PTX
 * has no specialisation constants, so that capability is false.
 *
 * The commands of a queue are spread over several streams, so only wait lists order them.  A kernel
 * that faults takes down the driver's context: from then on every operation returns DEVICE_LOST.
 * Devices opened on the same GPU in the same process share that context.  The driver is loaded as
 * libcuda.so.1. */
extern const dev_backend cuda_backend;

#endif
