/* Initial values of device_globals that are constructed as copies of others. */
#ifndef CONFORMANCE_BUILD_SYCL_COPIES_H
#define CONFORMANCE_BUILD_SYCL_COPIES_H

#include "conformance/build/front_end.h"
#include "conformance/build/worker.h"
#include "reference/image/device_global.h"

/* Completes the variables of a SYCL source that was compiled with the options: a variable that is
 * constructed as a copy of another one begins with the other's initial value, as on the host
 * (sycl_ext_oneapi_device_global, "Representation of device globals"). Only a source in which that
 * can matter is compiled again.
 * UNSUPPORTED: the original is of another type, whose values the host converts, or the compiler's
 * headers are not those that are known; COMPILE_TIME, TOOL, UNAVAILABLE, IO. */
RT_MUST_USE rt_status cnf_sycl_copies(cnf_worker *worker, const cnf_request_source *source,
                                      const cnf_front_end_options *options,
                                      rt_device_global_list *inout_globals);

#endif
