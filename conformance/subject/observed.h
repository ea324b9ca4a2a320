/* The calls that an OpenCL driver received, in terms of the reference runtime's events.
 *
 * The OpenCL layer's log (backends/opencl/layer/log.h) has every call that a process made; this
 * selects the calls that correspond to an event of reference/trace, whichever runtime made them:
 *
 *   CREATE         one program: clCreateProgramWithIL, …KHR, …WithBinary, …WithSource
 *   LINK           clLinkProgram
 *   BUILD          an executable program exists: clBuildProgram, or a successful clLinkProgram
 *   KERNEL_CREATE  clCreateKernel
 *   LAUNCH         clEnqueueNDRangeKernel, clEnqueueTask
 *
 * Images are identified by the hash (rt_hash128) of the code that was passed. */
#ifndef CONFORMANCE_SUBJECT_OBSERVED_H
#define CONFORMANCE_SUBJECT_OBSERVED_H

#include "backends/opencl/layer/log.h"
#include "reference/base/format.h"
#include "reference/image/image.h"
#include "reference/trace/trace.h"

/* The name of an image, looked up by its code. */
typedef struct cnf_image_name {
    rt_text name; /* "app/0" */
    rt_hash hash; /* hash of the code alone, not rt_image.hash */
} cnf_image_name;

/* One request to the driver. */
typedef struct cnf_observed {
    rt_event_kind kind;
    const ocl_call *call; /* the call; valid as long as the log */
    bool ok;              /* it returned CL_SUCCESS */
    /* The layer's numbers for the objects; UINT64_MAX: there is no object, or its creation was not
     * seen.
     */
    uint64_t program, queue;
    rt_text kernel;  /* KERNEL_CREATE, LAUNCH */
    rt_text options; /* LINK, BUILD: of the call; CREATE: of the later compilation */
    bool executable; /* CREATE: built later, rather than compiled for linking */
    /* CREATE: its image; LINK: the inputs' images, in order; BUILD: the program's images. Each is a
     * name, "HASH:SIZE" for code that is not an image's, "source" for OpenCL C that is not an
     * image's, or "?" if the creation was not seen. */
    const rt_text *images;
    uint32_t image_count;
    dev_nd_range range; /* LAUNCH; dimensions 0: unknown */
} cnf_observed;

typedef struct cnf_observations {
    const cnf_observed *items; /* in the order in which the calls returned */
    uint32_t count;
} cnf_observations;

/* Makes the names of the modules' images, for look-up by code, in the arena. Of several images with
 * the same code, only the first is listed. */
const cnf_image_name *cnf_image_names_make(rt_arena *arena, const rt_image *const *images,
                                           uint32_t count);

/* The name of the image whose code has the given hash (32 digits); empty if there is none. */
rt_text cnf_image_name_find(const cnf_image_name *names, uint32_t count, rt_text hash);

/* Extracts the calls that correspond to events from a log. The result is in the arena, and refers
 * to the log and the names. */
cnf_observations cnf_observe(rt_arena *arena, const ocl_call_log *log, const cnf_image_name *names,
                             uint32_t name_count);

#endif
