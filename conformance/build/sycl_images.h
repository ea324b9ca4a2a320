/* From what the shipped compiler of SYCL made to images, and keeping what it made. */
#ifndef CONFORMANCE_COMPILE_SYCL_IMAGES_H
#define CONFORMANCE_COMPILE_SYCL_IMAGES_H

#include "conformance/build/front_end.h"
#include "conformance/build/worker.h"

/* Reads a SYCLBIN into images without names, in the order of their kernels' or symbols'
 * names, in the worker's arena.  Property sets are the compiler's, but that device_globals have the
 * ids that the code has, and that in the profile of the documents its list of sets of virtual
 * functions is the documents' list of those that are created; kernels are the code's entry points.
 * Binaries whose code and property sets come again, which sources with virtual functions have,
 * become one image. UNSUPPORTED: the source uses what no image can hold; TOOL: the compiler's
 * result is damaged. */
RT_MUST_USE rt_status cnf_sycl_images(cnf_worker *worker, rt_text source, rt_bytes syclbin,
                                      rt_profile profile, rt_image_list *out_images);

/* Takes what the installed compiler once made of the same code with the same options from the
 * cache; the run is then one that succeeded.  False: it is not there. */
bool cnf_sycl_find(cnf_worker *worker, const cnf_request_source *source,
                   const cnf_front_end_options *options, cnf_front_end_run *run);

/* Keeps what a run that succeeded made. */
void cnf_sycl_keep(cnf_worker *worker, const cnf_request_source *source,
                   const cnf_front_end_options *options, const cnf_front_end_run *run);

#endif
