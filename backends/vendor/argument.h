/* Reports an argument that a vendor's library refused, in terms of the launch. */
#ifndef BACKENDS_VENDOR_ARGUMENT_H
#define BACKENDS_VENDOR_ARGUMENT_H

#include "backends/vendor/result.h"
#include "reference/device/device.h"

/* Makes a status for argument `index` (counted from 0) of `count`, which a call at a stage refused.
 * The message contains the value passed, the failed call and its result (for example
 * "clSetKernelArg: CL_INVALID_ARG_SIZE (-51)"), and the parameters that such an argument fits. */
RT_MUST_USE rt_status vendor_argument_refuse(rt_sink *sink, const vendor_results *results,
                                             unsigned stage, const char *call, int result,
                                             uint32_t index, uint32_t count,
                                             const dev_argument *argument);

#endif
