/* An argument that a vendor's library has refused, in the terms of the launch. */
#ifndef BACKENDS_VENDOR_ARGUMENT_H
#define BACKENDS_VENDOR_ARGUMENT_H

#include "reference/device/device.h"

/* Makes a status of the code that says which argument it was (counted from 0, of argument_count),
 * what was given, what the library said ("clSetKernelArg: CL_INVALID_ARG_SIZE (-51)"), and what the
 * argument would have fitted. */
RT_MUST_USE rt_status vendor_argument_refuse(rt_sink *sink, rt_code code, uint32_t index,
                                             uint32_t argument_count, const dev_argument *argument,
                                             rt_text said);

#endif
