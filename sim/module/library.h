/* Functions that the device provides to programs, as a driver does. */
#ifndef SIM_LIBRARY_H
#define SIM_LIBRARY_H

#include "sim/module/module.h"

/* What assert calls in SYCL (extension cl_intel_devicelib_assert): it never returns. */
#define SIM_ASSERT_NAME "__devicelib_assert_fail"

/* The device's library, if one of the modules imports a function of it that none of them defines;
 * otherwise *out_library is NULL. The caller destroys it. Any failure is one of sim_module_create.
 */
RT_MUST_USE rt_status sim_library_create(rt_sink *sink, const sim_module *const *modules,
                                         uint32_t count, sim_module **out_library);

#endif
