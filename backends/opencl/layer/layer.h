/* The OpenCL layer: a shared library that an ICD loader puts between any OpenCL program and its
 * drivers.  It records what the program asks of them and what they answer, and can hide aspects
 * of all devices from it.
 *
 * It is loaded where the variable OPENCL_LAYERS holds its path, by the loaders of ocl-icd (2.3.0
 * and newer) and of Khronos (2020 and newer).  Two variables more say what it does; it reads them
 * once, when the loader begins.
 *
 *   OCL_LAYER_LOG   path of a file that records are appended to, or the number of an open
 *                   descriptor; unset: nothing is recorded.
 *   OCL_LAYER_HIDE  aspects that no device shall have, "fp64,atomic64" (ocl_hidden_aspects); unset:
 *                   none.
 *
 * A path that cannot be opened, or a name that is none of those aspects, makes the layer refuse to
 * begin: the loader goes on without it, so that a log which lacks its first record says so.
 *
 * A record is one line, written at once, so that a crash keeps all before it:
 *
 *   PROCESS CALL THREAD MARK NAME KEY=VALUE ...
 *
 * PROCESS is the operating system's number, CALL counts the process' recorded calls from 0 in the
 * order in which they begin, THREAD its threads in the order in which they were first heard.  MARK
 * is ">" for a call that begins, "<" for one that has returned and has all fields again; only calls
 * that compile or wait, in which drivers crash and hang, are announced with ">".  Call 0 of each
 * process is "layer".  Bytes of a value that are not printable, spaces and "%" stand as "%" and two
 * hexadecimal digits; "-" is nothing at all, "%2d" the text of a hyphen alone.  Lists have commas.
 *
 * Values hold no address.  Objects are numbers, counted per kind (device, context, queue, memory,
 * program, kernel, block) from 0 in the order in which they were made or, for devices, first seen;
 * "?" is one whose making was not seen.  A pointer is "BLOCK+OFFSET" within a block of unified
 * shared or shared virtual memory, else "host".  Code is "HASH:SIZE": rt_hash128 of the bytes that
 * were passed and how many they are.
 *
 * Source: cl_loader_layers (OpenCL extension specification), CL/cl_layer.h. */
#ifndef BACKENDS_OPENCL_LAYER_LAYER_H
#define BACKENDS_OPENCL_LAYER_LAYER_H

#include "reference/device/device.h"

/* File name of the library; it lies beside the program assay, or where assay is installed, beside
 * its compiler plugin. */
#define OCL_LAYER_FILE "libassay_opencl_layer.so"

#define OCL_LAYER_LOG  "ASSAY_OPENCL_LOG"
#define OCL_LAYER_HIDE "ASSAY_OPENCL_HIDE"

/* Of the records' form; the first record of a process names it. */
enum { OCL_LAYER_VERSION = 1 };

/* Bytes after which a process records nothing any more but that its log is full: a log is kept in
 * memory, and a scenario may launch forever. */
enum { OCL_LAYER_LOG_MAX = 64 << 20 };

/* Aspects that can be hidden besides those of DEV_ASPECTS: aspect, its name in SYCL. */
#define OCL_HIDDEN_ASPECTS(ASPECT)                                                                 \
    ASPECT(USM_DEVICE, "usm_device_allocations")                                                   \
    ASPECT(USM_HOST, "usm_host_allocations")                                                       \
    ASPECT(USM_SHARED, "usm_shared_allocations")

/* Bit numbers of what is hidden: dev_aspect first, then these. */
typedef enum ocl_hidden_aspect {
    OCL_HIDDEN_FIRST = DEV_ASPECT_COUNT - 1,
#define OCL_HIDDEN_ENUM(aspect, name) OCL_HIDDEN_##aspect,
    OCL_HIDDEN_ASPECTS(OCL_HIDDEN_ENUM)
#undef OCL_HIDDEN_ENUM
        OCL_HIDDEN_COUNT
} ocl_hidden_aspect;

#endif
