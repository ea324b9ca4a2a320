/* What an OpenCL driver was seen to be asked for, in terms of the reference runtime's events.
 *
 * The OpenCL layer's log (backends/opencl/layer/log.h) has every call of a process; this picks what
 * corresponds to an event of reference/trace, whichever runtime made the calls, ours or another:
 *
 *   CREATE         a program from one code: clCreateProgramWithIL, …KHR, …WithBinary, …WithSource
 *   LINK           clLinkProgram
 *   BUILD          an executable program exists: clBuildProgram, clLinkProgram that succeeded
 *   KERNEL_CREATE  clCreateKernel
 *   LAUNCH         clEnqueueNDRangeKernel, clEnqueueTask
 *
 * Images are known by the content that was passed, as rt_hash128 has it. */
#ifndef CONFORMANCE_SUBJECT_OBSERVED_H
#define CONFORMANCE_SUBJECT_OBSERVED_H

#include "backends/opencl/layer/log.h"
#include "reference/base/format.h"
#include "reference/image/image.h"
#include "reference/trace/trace.h"

/* Names of images by the content of their code. */
typedef struct cnf_image_name {
    rt_text name; /* "app/0" */
    rt_hash hash; /* of the code alone, not rt_image.hash */
} cnf_image_name;

/* One thing that the driver was asked for. */
typedef struct cnf_observed {
    rt_event_kind kind;
    const ocl_call *call; /* that it was; valid as long as the log */
    bool ok;              /* it returned, and the driver said CL_SUCCESS */
    /* Numbers of objects as the layer counts them; UINT64_MAX: none, or its making was not seen. */
    uint64_t program, queue;
    rt_text kernel;  /* KERNEL_CREATE, LAUNCH */
    rt_text options; /* LINK, BUILD; of CREATE those that it was compiled with */
    bool executable; /* CREATE: it was then built and not compiled, which is for linking */
    /* CREATE: the one; LINK: of the inputs, in order; BUILD: of the program.  A name, or
     * "HASH:SIZE" of code that no image has, "source" for OpenCL C that no image is, "?" where its
     * making was not seen. */
    const rt_text *images;
    uint32_t image_count;
    dev_nd_range range; /* LAUNCH; dimensions 0: not told */
} cnf_observed;

typedef struct cnf_observations {
    const cnf_observed *items; /* in the order in which the calls returned */
    uint32_t count;
} cnf_observations;

/* The images of modules by content, in the arena: of several with the same code the first. */
const cnf_image_name *cnf_image_names_make(rt_arena *arena, const rt_image *const *images,
                                           uint32_t count);

/* The name of the image with that code, empty where none has it; `hash` is 32 digits. */
rt_text cnf_image_name_find(const cnf_image_name *names, uint32_t count, rt_text hash);

/* Picks what is an event from a log.  Everything lives in the arena, or as long as the log and the
 * names. */
cnf_observations cnf_observe(rt_arena *arena, const ocl_call_log *log, const cnf_image_name *names,
                             uint32_t name_count);

#endif
