/* Reports an argument that a vendor's library refused, in the terms of the launch. */
#ifndef BACKENDS_VENDOR_ARGUMENT_H
#define BACKENDS_VENDOR_ARGUMENT_H

#include "reference/device/device.h"

/* Makes a status with this code.  The message names the argument (`index`, counted from 0, of
 * argument_count), the value passed, the library's answer ("clSetKernelArg: CL_INVALID_ARG_SIZE
 * (-51)"), and the parameters that such an argument fits. */
RT_MUST_USE rt_status vendor_argument_refuse(rt_sink *sink, rt_code code, uint32_t index,
                                             uint32_t argument_count, const dev_argument *argument,
                                             rt_text said);

#endif
