/* The OpenCL layer: a shared library that an ICD loader puts between any OpenCL program and its
 * drivers.  It records the program's calls and the drivers' results, and can hide aspects of all
 * devices from the program.
 *
 * The loaders of ocl-icd (2.3.0 and newer) and of Khronos (2020 and newer) load it if the
 * environment variable OPENCL_LAYERS contains its path.  Two more environment variables, whose
 * names are defined below, configure it; it reads them once, when the loader initialises it.
 *
 *   OCL_LAYER_LOG   path of a file to append records to, or the number of an open
 *                   descriptor; unset: nothing is recorded.
 *   OCL_LAYER_HIDE  aspects to hide from all devices, for example "fp64,atomic64"
 *                   (ocl_hidden_aspect); unset: none.
 *   OCL_LAYER_CAPTURE  folder for what launches work on, described below; unset: not kept.  It
 *                   needs OCL_LAYER_LOG, and OCL_LAYER_CAPTURE_* narrow it.
 *
 * If a path cannot be opened or a name is not one of those aspects, the layer fails to initialise:
 * the loader continues without it, which the log shows by its missing first record.
 *
 * A record is one line, written in one operation, so that a crash cannot lose any earlier record:
 *
 *   PROCESS CALL THREAD MARK NAME KEY=VALUE ...
 *
 * PROCESS is the operating system's process number; CALL counts the process's recorded calls from 0
 * in the order in which they begin; THREAD numbers its threads in the order of their first recorded
 * calls.  MARK is ">" for a call that begins, or "<" for one that has returned, whose record
 * repeats all fields; only calls in which drivers tend to crash or hang, those that compile or
 * wait, are announced with ">".  Call 0 of each process is "layer".  Unprintable bytes, spaces and
 * "%" in values are written as "%" and two hexadecimal digits; "-" means no value, and "%2d" is a
 * text that consists of one hyphen.  Items of lists are separated by commas.
 *
 * With OCL_LAYER_CAPTURE, the layer also writes all code, and the contents of memory, into that
 * folder, as files named HASH.bin, and launches have further fields:
 *
 *   launch=N       its number among the process's launches, from 0
 *   program=N      the kernel's program
 *   args=A,...     the arguments in order: "mN" a buffer, "pBLOCK+OFFSET" a pointer, "vBYTES" a
 *                  value in hexadecimal, "lSIZE" local memory (or, of the size of a handle, a null
 *                  buffer), "n" a null pointer, "i" an image, "s" a sampler, "?" one that is unset,
 *                  or an object whose creation was not recorded
 *   words=A@OFFSET:BLOCK+OFFSET,...  addresses within the value that argument A passes
 *   before=M:HASH:SIZE,...  contents when the launch began; M is "mN", or "pBLOCK"
 *   addresses=M,...  memory whose first contents hold addresses of blocks
 *   after=...      contents when it had ended, in the same order
 *   lost=REASON    why contents are missing (ocl_capture_loss); then `args` may be missing too
 *
 * With OCL_LAYER_CAPTURE_STORES, commands that write from the host between captured launches have
 * `data`, "HASH:SIZE" of what they write.
 *
 * Commands then also have `wait`, the events of the wait list, and `event`, the event that they
 * returned; queues have `device_name` and `driver`; arguments and programs' binaries have their
 * contents.  Such a launch runs by itself: the layer waits for its wait list and for its queue,
 * before it and after it.  A launch outside OCL_LAYER_CAPTURE_LAUNCHES, or of another kernel than
 * OCL_LAYER_CAPTURE_KERNEL, is left alone and has only the first of these
 * fields.
 *
 * Values never contain addresses.  Objects are numbers, counted per kind (device, context, queue,
 * memory, program, kernel, block) from 0 in the order in which they were created or, for devices,
 * first seen; "?" is an object whose creation was not recorded.  A pointer is "BLOCK+OFFSET" if it
 * points into a block of unified shared or shared virtual memory, otherwise "host".  Code is
 * "HASH:SIZE": rt_hash128 of the bytes that were passed, and their number.
 *
 * Source: cl_loader_layers (OpenCL extension specification), CL/cl_layer.h. */
#ifndef BACKENDS_OPENCL_LAYER_LAYER_H
#define BACKENDS_OPENCL_LAYER_LAYER_H

#include "reference/device/device.h"

/* File name of the library.  The file is next to the assay program or, in an installation, next to
 * assay's compiler plugin. */
#define OCL_LAYER_FILE "libassay_opencl_layer.so"

#define OCL_LAYER_LOG  "ASSAY_OPENCL_LOG"
#define OCL_LAYER_HIDE "ASSAY_OPENCL_HIDE"

#define OCL_LAYER_CAPTURE          "ASSAY_OPENCL_CAPTURE"
#define OCL_LAYER_CAPTURE_LAUNCHES "ASSAY_OPENCL_CAPTURE_LAUNCHES" /* "A..B", both included */
#define OCL_LAYER_CAPTURE_KERNEL   "ASSAY_OPENCL_CAPTURE_KERNEL"   /* unset: every kernel */
#define OCL_LAYER_CAPTURE_BYTES    "ASSAY_OPENCL_CAPTURE_BYTES"    /* of contents, per process */
#define OCL_LAYER_CAPTURE_STORES                                                                   \
    "ASSAY_OPENCL_CAPTURE_STORES" /* set: those that the host writes                               \
                                   */

/* Why the contents of a launch are missing. LOSS(word in the log, what happened). */
#define OCL_CAPTURE_LOSSES(LOSS)                                                                   \
    LOSS("address", "it stores addresses of unified shared or shared virtual memory")              \
    LOSS("bytes", "its memory would exceed --max-bytes")                                           \
    LOSS("file", "a file could not be written")                                                    \
    LOSS("object", "it uses an object whose creation was not seen")                                \
    LOSS("read", "the driver did not let its memory be read")                                      \
    LOSS("unset", "an argument is not set")                                                        \
    LOSS("user-event", "a user event of the program has not been set")                             \
    LOSS("variable", "it uses the address of a variable of a program")

/* Name of an exported function without parameters and result, after which the log begins again:
 * with a first record, and with no call recorded. For a process that has replaced the log's file,
 * with the same descriptor, while no call is in progress. Objects keep their numbers. */
#define OCL_LAYER_RESTART "assay_layer_restart"

/* Version of the record format; the first record of each process contains it. */
enum { OCL_LAYER_VERSION = 1 };

/* Maximum number of bytes that a process records; beyond that it only records that its log is full.
 * A log is kept in memory, and a scenario may launch forever. */
enum { OCL_LAYER_LOG_MAX = 64 << 20 };

/* Aspects that can be hidden in addition to DEV_ASPECTS. ASPECT(aspect, its name in SYCL). */
#define OCL_HIDDEN_ASPECTS(ASPECT)                                                                 \
    ASPECT(USM_DEVICE, "usm_device_allocations")                                                   \
    ASPECT(USM_HOST, "usm_host_allocations")                                                       \
    ASPECT(USM_SHARED, "usm_shared_allocations")

/* Bit numbers of hidden aspects: dev_aspect first, then these. */
typedef enum ocl_hidden_aspect {
    OCL_HIDDEN_FIRST = DEV_ASPECT_COUNT - 1,
#define OCL_HIDDEN_ENUM(aspect, name) OCL_HIDDEN_##aspect,
    OCL_HIDDEN_ASPECTS(OCL_HIDDEN_ENUM)
#undef OCL_HIDDEN_ENUM
        OCL_HIDDEN_COUNT
} ocl_hidden_aspect;

#endif
