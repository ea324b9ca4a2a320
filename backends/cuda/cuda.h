/* NVIDIA's devices through the CUDA Driver API, from PTX (reference/base/ptx.h). */
#ifndef BACKENDS_CUDA_CUDA_H
#define BACKENDS_CUDA_CUDA_H

#include "reference/device/device.h"

/* The selector is "device=N", N counting from 0 as the driver does (CUDA_VISIBLE_DEVICES hides and
 * orders devices for it), or "" for the first.
 *
 * Programs are made by the driver's linker (cuLink): every image is compiled when it is handed
 * over, and what is linked is compiled once more by the link, which takes nothing else.  Options
 * that begin with "-cl-" are for OpenCL C's compiler, which has been there when there is PTX, and
 * are passed over; those of cuda_program.c's table go to the driver's, and any other is refused.
 * PTX has no specialisation constants: that capability is false.
 *
 * The commands of a queue are spread over several streams, so that nothing but wait lists orders
 * them.  A kernel that goes wrong takes the driver's context with it: from then on every operation
 * answers DEVICE_LOST.  Devices opened in one process on one GPU share that context.
 *
 * The driver is looked for as libcuda.so.1. */
extern const dev_backend cuda_backend;

#endif
