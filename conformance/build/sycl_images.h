/* Converts the output of the shipped SYCL compiler to images. */
#ifndef CONFORMANCE_BUILD_SYCL_IMAGES_H
#define CONFORMANCE_BUILD_SYCL_IMAGES_H

#include "conformance/build/worker.h"

/* The parts of the compiler's output. */
typedef struct cnf_sycl_output {
    rt_bytes syclbin;
    rt_text header, footer; /* the integration header and footer */
} cnf_sycl_output;

/* Splits the compiler's output; spans point into it. TOOL: it is damaged. */
RT_MUST_USE rt_status cnf_sycl_output_read(cnf_worker *worker, rt_text source, rt_bytes output,
                                           cnf_sycl_output *out_parts);

/* Reads a SYCLBIN into unnamed images, sorted by the names of their kernels or symbols, in the
 * worker's arena. Kernels are the code's entry points. Property sets are the compiler's, with two
 * exceptions: device_globals have the ids used in the code, and under the documents' profile the
 * list of virtual-function sets is the documents' list of created sets. Binaries with equal code
 * and property sets, which sources with virtual functions produce, become one image. UNSUPPORTED:
 * the source uses a feature that no image can hold; TOOL: the compiler's output is damaged. */
RT_MUST_USE rt_status cnf_sycl_images(cnf_worker *worker, rt_text source, rt_bytes syclbin,
                                      rt_profile profile, rt_image_list *out_images);

#endif
